//! Conversions to integers that nobody has written down: `int i = x * 2;`.
//!
//! Only a compiler knows where they are. g++ lists them (`-Wfloat-conversion`)
//! by the place of the operator or name that makes the value. The value itself
//! reaches, at that depth of brackets, from what it is given to up to the next
//! comma or end; a call around it then converts it as a GPU does.
//!
//! ```text
//! int i = x * 2;    int i = gpurepl_saturate<int>(x * 2);
//! i += x;           i += gpurepl_term(x);
//! ```

use std::collections::BTreeMap;

use super::rewrite::Edit;
use crate::token::{Token, TokenKind, tokens};

/// A floating number that becomes an integer, as a compiler reports it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conversion {
    /// The text that it is in, as `#line` names it.
    pub text: String,
    /// From one.
    pub line: usize,
    /// In bytes, from one.
    pub column: usize,
    /// The type of the integer.
    pub to: String,
    /// Where macros that made it are used, the innermost first: text, line, column.
    pub used: Vec<(String, usize, usize)>,
}

/// A text of which these conversions do as a GPU's do; none, if none of them
/// can be found.
///
/// What a macro or a template converts to one type here and to another there
/// stays as it is.
pub fn saturated(text: &str, conversions: &[Conversion]) -> Option<String> {
    let all = tokens(text);
    let lines = lines(text);
    let place = |name: &str, line: usize, column: usize| {
        let start = *lines.get(&(name, line))?;
        let end = text[start..].find('\n').map_or(text.len(), |end| start + end);
        Some(start + column.checked_sub(1)?).filter(|place| *place < end)
    };
    // By the place of the value: what is inserted before it and after it.
    let mut found: BTreeMap<(usize, usize), Option<String>> = BTreeMap::new();
    for conversion in conversions {
        let first = (conversion.text.clone(), conversion.line, conversion.column);
        // What a macro makes is converted where the macro is used.
        let mut places = std::iter::once(&first).chain(&conversion.used);
        let value = places.find_map(|(name, line, column)| {
            let place = place(name, *line, *column)?;
            let token = all.iter().position(|token| token.span.contains(&place))?;
            (all[token].kind != TokenKind::Directive).then(|| value(text, &all, token))?
        });
        let Some(Value { start, end, is_term }) = value else { continue };
        let call = if is_term {
            "gpurepl_term(".to_owned()
        } else {
            format!("gpurepl_saturate<{}>(", conversion.to)
        };
        found
            .entry((start, end))
            .and_modify(|known| *known = known.take().filter(|known| *known == call))
            .or_insert(Some(call));
    }
    let mut edits: Vec<Edit> = Vec::new();
    for ((start, end), call) in found {
        let Some(call) = call else { continue };
        edits.push((start..start, call));
        edits.push((end..end, ")".to_owned()));
    }
    // Where one value ends and another starts, the end comes first.
    edits.sort_by_key(|(range, inserted)| (range.start, inserted != ")"));
    (!edits.is_empty()).then(|| super::rewrite::apply(text, &edits))
}

/// Where lines start, by the names and numbers that `#line` gives them.
fn lines(text: &str) -> BTreeMap<(&str, usize), usize> {
    let mut lines = BTreeMap::new();
    let (mut name, mut number, mut start) = ("", 0, 0);
    for line in text.split_inclusive('\n') {
        let directive = line.strip_prefix("#line ").and_then(|rest| {
            let (number, rest) = rest.trim_end().split_once(' ')?;
            Some((number.parse::<usize>().ok()?, rest.strip_prefix('"')?.strip_suffix('"')?))
        });
        match directive {
            Some((next, named)) => (name, number) = (named, next),
            None => {
                lines.entry((name, number)).or_insert(start);
                number += 1;
            }
        }
        start += line.len();
    }
    lines
}

/// A value in a text, in bytes.
struct Value {
    start: usize,
    end: usize,
    /// Whether it is added to an integer, or the like.
    is_term: bool,
}

/// The whole value of which a compiler has named a token.
fn value(text: &str, all: &[Token], named: usize) -> Option<Value> {
    let is = |k: usize, mark: char| all[k].is_mark(text, mark);
    let opens = |k: usize| ['(', '[', '{'].iter().any(|mark| is(k, *mark));
    let closes = |k: usize| [')', ']', '}'].iter().any(|mark| is(k, *mark));
    // `+=` is named by its first character, and what follows is the value.
    let is_term = ['+', '-', '*', '/'].iter().any(|mark| is(named, *mark))
        && named + 1 < all.len()
        && is(named + 1, '=')
        && all[named].span.end == all[named + 1].span.start;
    let first = if is_term { named + 2 } else { start_of(text, all, named, &opens, &closes)? };
    let mut depth = 0i32;
    let mut last = None;
    let from = if closes(named) && !is_term { named + 1 } else { named.max(first) };
    for (k, token) in all.iter().enumerate().skip(from) {
        if opens(k) {
            depth += 1;
        } else if closes(k) {
            depth -= 1;
        }
        if depth < 0 || (depth == 0 && (is(k, ',') || is(k, ';'))) {
            last = k.checked_sub(1);
            break;
        }
        if token.kind == TokenKind::Directive {
            return None;
        }
    }
    let last = last.filter(|last| *last >= first)?;
    Some(Value { start: all[first].span.start, end: all[last].span.end, is_term })
}

/// The first token of a value: what is before it gives it to something.
fn start_of(
    text: &str,
    all: &[Token],
    named: usize,
    opens: &dyn Fn(usize) -> bool,
    closes: &dyn Fn(usize) -> bool,
) -> Option<usize> {
    let is = |k: usize, mark: char| all[k].is_mark(text, mark);
    let mut depth = 0i32;
    for k in (0..=named).rev() {
        if closes(k) {
            depth += 1;
        } else if opens(k) && k != named {
            depth -= 1;
            if depth < 0 {
                let before = k.checked_sub(1).map(|before| all[before].text(text));
                let asks = matches!(before, Some("if" | "while" | "for" | "switch"));
                // A block, or an index.
                let is_list =
                    !is(k, '{') || before.is_some_and(|before| !matches!(before, ")" | ";" | "{" | "}"));
                return (!asks && is_list && !is(k, '[')).then_some(k + 1);
            }
        }
        if depth > 0 || k == named {
            continue;
        }
        if is(k, ',') || all[k].is_name(text, "return") {
            return Some(k + 1);
        }
        if is(k, ';') || all[k].kind == TokenKind::Directive {
            return None;
        }
        if is(k, '=') {
            let compares = |other: usize| ['=', '<', '>', '!'].iter().any(|mark| is(other, *mark));
            let touches = |a: usize, b: usize| all[a].span.end == all[b].span.start;
            let is_comparison =
                (k > 0 && compares(k - 1) && touches(k - 1, k)) || (is(k + 1, '=') && touches(k, k + 1));
            if !is_comparison {
                return Some(k + 1);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names the token at the first `@` after a line's start, which is taken out.
    fn after(marked: &str, to: &str) -> Option<String> {
        let at = marked.find('@').unwrap();
        let code = marked.replace('@', "");
        let text = format!("#line 1 \"kernel.cu\"\n{code}\n");
        let (line, column) =
            (code[..at].matches('\n').count() + 1, at - code[..at].rfind('\n').map_or(0, |n| n + 1) + 1);
        let conversion =
            Conversion { text: "kernel.cu".to_owned(), line, column, to: to.to_owned(), used: Vec::new() };
        let text = saturated(&text, &[conversion])?;
        Some(text.split_once('\n').unwrap().1.trim_end().to_owned())
    }

    #[test]
    fn a_value_reaches_to_what_it_is_given_to() {
        for (marked, expected) in [
            ("int i = @f;", "int i = gpurepl_saturate<int>(f);"),
            ("int i = a[1] @* f + 2;", "int i = gpurepl_saturate<int>(a[1] * f + 2);"),
            ("int i = a[j@];", "int i = gpurepl_saturate<int>(a[j]);"),
            ("g(1, p[0] @* 2)", "g(1, gpurepl_saturate<int>(p[0] * 2))"),
            ("g(@f)", "g(gpurepl_saturate<int>(f))"),
            ("a = f > 1 @? f : g;", "a = gpurepl_saturate<int>(f > 1 ? f : g);"),
            ("if (x)\n  a = h@(f, 1);", "if (x)\n  a = gpurepl_saturate<int>(h(f, 1));"),
            ("return f @* 2;", "return gpurepl_saturate<int>(f * 2);"),
            ("a @+= p[1] * f;", "a += gpurepl_term(p[1] * f);"),
            ("a = (f @+ 1);", "a = (gpurepl_saturate<int>(f + 1));"),
            ("int q{@f}, r;", "int q{gpurepl_saturate<int>(f)}, r;"),
            ("for (int k = @f; k < 3; k++)", "for (int k = gpurepl_saturate<int>(f); k < 3; k++)"),
        ] {
            assert_eq!(after(marked, "int").as_deref(), Some(expected), "{marked}");
        }
    }

    #[test]
    fn what_is_not_understood_stays() {
        for marked in ["STORE@(a, f);", "if (@f) a = 1;", "x[@f]", "#define A @f\n", "; @f;"] {
            assert_eq!(after(marked, "int"), None, "{marked}");
        }
    }

    #[test]
    fn what_a_macro_makes_is_converted_where_it_is_used() {
        let text = "#line 1 \"kernel.cu\"\n#define A(v) ((v) * 2.5f)\nint i = A(f);\n";
        let conversion = |to: &str| Conversion {
            text: "kernel.cu".to_owned(),
            line: 1,
            column: 18,
            to: to.to_owned(),
            used: vec![("kernel.cu".to_owned(), 2, 9)],
        };
        let once = saturated(text, &[conversion("int")]).unwrap();
        assert!(once.ends_with("int i = gpurepl_saturate<int>(A(f));\n"), "{once}");
        assert_eq!(saturated(text, &[conversion("int"), conversion("char")]), None, "a template's");
    }
}
