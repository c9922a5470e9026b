//! Conversions to integers that nobody has written down: `int i = x * 2;`.
//!
//! Only a compiler knows where they are. g++ and clang++ list them
//! (`-Wfloat-conversion`) by the place of an operator or name of the value. The value itself
//! reaches, at that depth of brackets, from what it is given to up to the next
//! comma or end; a call around it then converts it as a GPU does.
//!
//! ```text
//! int i = x * 2;    int i = gpurepl_saturate<int>(x * 2);
//! i += x;           i += gpurepl_term(x);
//! ```
//!
//! What a template converts to an integer here may stay a floating number
//! there. A call within one goes by the type of what the value is given to:
//!
//! ```text
//! T v = x * 2;      T v = gpurepl_to<decltype(v)>(x * 2);
//! ```

use std::collections::BTreeMap;
use std::ops::Range;

use super::rewrite::Edit;
use crate::token::{Token, TokenKind, closing, tokens};

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
/// What a macro converts to one type here and to another there stays as it is,
/// and so does what a template passes to a function.
pub fn saturated(text: &str, conversions: &[Conversion]) -> Option<String> {
    let all = tokens(text);
    let lines = lines(text);
    let templates = templates(text, &all);
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
        let Some(Value { first, start, end, is_term }) = value else { continue };
        let within = templates.iter().rfind(|template| template.body.contains(&start));
        let call = match within {
            _ if is_term => "gpurepl_term(".to_owned(),
            Some(template) => match target(text, &all, first, template) {
                Some(target) => format!("gpurepl_to<{target}>("),
                None => continue,
            },
            None => format!("gpurepl_saturate<{}>(", conversion.to),
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

/// The definition of a template.
struct Template {
    /// From its brace to the closing one, in bytes.
    body: Range<usize>,
    /// What it returns, if it is a function.
    returns: Option<String>,
}

/// The templates of a text, the outer ones first.
fn templates(text: &str, all: &[Token]) -> Vec<Template> {
    const SPECIFIERS: [&str; 9] = [
        "__device__",
        "__host__",
        "__global__",
        "__forceinline__",
        "__noinline__",
        "inline",
        "static",
        "constexpr",
        "extern",
    ];
    let mut found = Vec::new();
    for start in (0..all.len()).filter(|k| all[*k].is_name(text, "template")) {
        let mut depth = 0i32;
        let close = all.iter().enumerate().skip(start + 1).find_map(|(k, token)| {
            depth += i32::from(token.is_mark(text, '<')) - i32::from(token.is_mark(text, '>'));
            (depth <= 0).then_some(k)
        });
        let Some(close) = close else { continue };
        let ends = |k: &usize| all[*k].is_mark(text, '{') || all[*k].is_mark(text, ';');
        let Some(open) = (close + 1..all.len()).find(ends).filter(|k| all[*k].is_mark(text, '{')) else {
            continue;
        };
        let Some(last) = closing(text, all, open) else { continue };
        let name = (close + 1..open).find(|k| all[*k].is_mark(text, '(')).and_then(|k| k.checked_sub(1));
        let returns = name.filter(|name| *name > close + 1 && all[open - 1].is_mark(text, ')')).map(|name| {
            let words = all[close + 1..name].iter().map(|token| token.text(text));
            words.filter(|word| !SPECIFIERS.contains(word)).collect::<Vec<_>>().join(" ")
        });
        let is_lambda = |k: usize| {
            all[k].is_mark(text, ']') && (all[k + 1].is_mark(text, '(') || all[k + 1].is_mark(text, '{'))
        };
        let returns = returns.filter(|returns| {
            let is_type = returns.chars().all(|c| c.is_ascii_alphanumeric() || " _:<>,".contains(c));
            is_type && !returns.is_empty() && returns != "auto" && !(open..last).any(is_lambda)
        });
        found.push(Template { body: all[open].span.start..all[last].span.end, returns });
    }
    found
}

/// The type of what a value within a template is given to, if that shows: it
/// is assigned, or the template's function returns it.
fn target(text: &str, all: &[Token], first: usize, template: &Template) -> Option<String> {
    let before = first.checked_sub(1)?;
    if all[before].is_name(text, "return") {
        return template.returns.clone();
    }
    if !all[before].is_mark(text, '=') {
        return None;
    }
    let mut depth = 0i32;
    let mut start = before;
    for k in (0..before).rev() {
        let is = |marks: &[char]| marks.iter().any(|mark| all[k].is_mark(text, *mark));
        depth += i32::from(is(&[')', ']'])) - i32::from(is(&['(', '[']));
        let is_word = all[k].kind == TokenKind::Identifier;
        let ends = is(&[';', '{', '}', ',', '?', ':', '=']) || all[k].kind == TokenKind::Directive;
        if depth < 0 || (depth == 0 && (ends || all[k].is_name(text, "else"))) {
            break;
        }
        // `if (..) x = `
        if is_word && depth == 0 && ["if", "for", "while"].iter().any(|name| all[k].is_name(text, name)) {
            return None;
        }
        start = k;
    }
    let left = &all[start..before];
    let name = left.last().filter(|last| last.kind == TokenKind::Identifier);
    let is_declared = left.windows(2).any(|pair| {
        let follows = pair[1].kind == TokenKind::Identifier;
        follows
            && (pair[0].kind == TokenKind::Identifier || pair[0].is_mark(text, '>'))
            && !arrow(text, pair, left)
    });
    let of = match (is_declared, name) {
        (true, Some(name)) => name.text(text).to_owned(),
        (true, None) => return None,
        (false, _) => {
            let (first, last) = (left.first()?, left.last()?);
            text[first.span.start..last.span.end].to_owned()
        }
    };
    (!of.contains('\n')).then(|| format!("decltype({of})"))
}

/// Whether the first of two tokens ends an `->`.
fn arrow(text: &str, pair: &[Token], all: &[Token]) -> bool {
    let at = all.iter().position(|token| token.span == pair[0].span);
    at.and_then(|at| at.checked_sub(1)).is_some_and(|before| {
        pair[0].is_mark(text, '>')
            && all[before].is_mark(text, '-')
            && all[before].span.end == pair[0].span.start
    })
}

/// A value in a text, in bytes.
struct Value {
    /// Its first token.
    first: usize,
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
    Some(Value { first, start: all[first].span.start, end: all[last].span.end, is_term })
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
    fn a_template_converts_to_the_type_of_the_place() {
        for (body, expected) in [
            ("T v = @x * 2;", "T v = gpurepl_to<decltype(v)>(x * 2);"),
            ("const unsigned int v = @x * 2;", "const unsigned int v = gpurepl_to<decltype(v)>(x * 2);"),
            ("T a = 1, b = @x;", "T a = 1, b = gpurepl_to<decltype(b)>(x);"),
            ("out[i + 1] = @x;", "out[i + 1] = gpurepl_to<decltype(out[i + 1])>(x);"),
            ("p->v = @x;", "p->v = gpurepl_to<decltype(p->v)>(x);"),
            ("*p = @x;", "*p = gpurepl_to<decltype(*p)>(x);"),
            ("vec<T> w = @x;", "vec<T> w = gpurepl_to<decltype(w)>(x);"),
            ("return @x * 2;", "return gpurepl_to<T>(x * 2);"),
        ] {
            let head = "template <class T> __device__ inline T f(float x) { ";
            let marked = format!("{head}{body} }}");
            assert_eq!(after(&marked, "int"), Some(format!("{head}{expected} }}")), "{body}");
        }
        for body in
            ["g(@x);", "if (a) v = @x;", "T v[2] = {@x};", "auto f = [](float x) -> T { return @x; };"]
        {
            let marked = format!("template <class T> T f(float x) {{ {body} }}");
            assert_eq!(after(&marked, "int"), None, "{body}");
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
