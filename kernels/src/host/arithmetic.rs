//! Arithmetic that C++ leaves undefined and every GPU defines: a number beyond
//! an integer's range that is converted to it, a shift by the width or more.
//!
//! ```text
//! (int)x            (int)(gpurepl_cast<int>)x
//! a << n            a << gpurepl_by << n
//! ```
//!
//! A cast of the same type goes in between, which `shim/arithmetic.hpp`
//! defines: for an integer type it converts as a GPU does, for any other type
//! it is that type. A shift gets an operand in its middle that takes the
//! left side. Neither needs to know where an operand ends, and the
//! precedence of all operators stays. Conversions that nobody writes down are
//! found by the compiler: see [`super::conversions`].

use std::collections::HashSet;

use super::rewrite::{Edit, directive_name};
use crate::token::{Token, TokenKind, closing, tokens};

/// Words of which C++ makes its integer types.
const WORDS: [&str; 8] = ["signed", "unsigned", "char", "short", "int", "long", "const", "volatile"];

/// Names of integer types that the shim defines.
const NAMES: [&str; 17] = [
    "int8_t",
    "int16_t",
    "int32_t",
    "int64_t",
    "uint8_t",
    "uint16_t",
    "uint32_t",
    "uint64_t",
    "intptr_t",
    "uintptr_t",
    "size_t",
    "ptrdiff_t",
    "uchar",
    "ushort",
    "uint",
    "ulong",
    "clock_t",
];

/// A text whose casts and shifts do as a GPU's do.
///
/// ```
/// let text = gpurepl_kernels::host::with_gpu_arithmetic("y[i] = (int)x[i] >> n;");
/// assert_eq!(text, "y[i] = (int)(gpurepl_cast<int>)x[i] >> gpurepl_by >> n;");
/// ```
pub fn with_gpu_arithmetic(text: &str) -> String {
    let mut edits = edits(text, &tokens(text));
    edits.sort_by_key(|(range, _)| range.start);
    super::rewrite::apply(text, &edits)
}

/// The insertions that a text needs.
pub(super) fn edits(source: &str, all: &[Token]) -> Vec<Edit> {
    let types = named_types(source, all);
    let mut edits = of_tokens(source, all, &types, 0);
    for token in all.iter().filter(|token| token.kind == TokenKind::Directive) {
        // A condition of the preprocessor knows integers alone.
        if directive_name(token.text(source)) == "define" {
            // The `#` is left out: it makes what follows one token.
            let text = &token.text(source)[1..];
            edits.extend(of_tokens(text, &tokens(text), &types, token.span.start + 1));
        }
    }
    edits
}

/// The names that a text gives to types: by `typedef` and `using`, and the
/// arguments of templates.
fn named_types<'a>(source: &'a str, all: &[Token]) -> HashSet<&'a str> {
    let mut names: HashSet<&str> = NAMES.into_iter().collect();
    for (k, token) in all.iter().enumerate() {
        let next = all.get(k + 1).filter(|next| next.kind == TokenKind::Identifier);
        if token.is_name(source, "typedef") {
            let end = all[k..].iter().position(|token| token.is_mark(source, ';'));
            let last = end.and_then(|end| all.get((k + end).checked_sub(1)?));
            names
                .extend(last.filter(|last| last.kind == TokenKind::Identifier).map(|last| last.text(source)));
        } else if token.is_name(source, "using") && all.get(k + 2).is_some_and(|t| t.is_mark(source, '=')) {
            names.extend(next.map(|next| next.text(source)));
        } else if (token.is_name(source, "typename") || token.is_name(source, "class"))
            && k > 0
            && (all[k - 1].is_mark(source, '<') || all[k - 1].is_mark(source, ','))
        {
            names.extend(next.map(|next| next.text(source)));
        }
    }
    names
}

fn of_tokens(source: &str, all: &[Token], types: &HashSet<&str>, offset: usize) -> Vec<Edit> {
    let mut edits: Vec<Edit> = Vec::new();
    let mut insert = |place: usize, text: String| edits.push((offset + place..offset + place, text));
    for (k, token) in all.iter().enumerate() {
        if token.is_mark(source, '(') {
            if let Some((close, of)) = type_in_parentheses(source, all, k, types) {
                if is_cast(source, all, k, close) {
                    insert(all[close].span.end, format!("(gpurepl_cast<{of}>)"));
                }
            } else if let Some((close, of)) = conversion(source, all, k, types) {
                insert(token.span.end, format!("(gpurepl_cast<{of}>)("));
                insert(all[close].span.start, ")".to_owned());
            }
        } else if let Some((last, operator)) = shift(source, all, k) {
            insert(all[last].span.end, format!(" gpurepl_by {operator}"));
        }
    }
    edits
}

/// If the parenthesis at `open` holds the name of a type that may be an
/// integer's, and nothing else: where it closes, and the type.
fn type_in_parentheses(
    source: &str,
    all: &[Token],
    open: usize,
    types: &HashSet<&str>,
) -> Option<(usize, String)> {
    let length = all[open + 1..].iter().take(8).position(|token| token.is_mark(source, ')'))?;
    let close = open + 1 + length;
    Some((close, type_of(source, &all[open + 1..close], types)?))
}

/// The type that tokens name, if it may be an integer's: `unsigned int`,
/// `T`, `typename S::type`.
fn type_of(source: &str, words: &[Token], types: &HashSet<&str>) -> Option<String> {
    let (first, last) = (words.first()?, words.last()?);
    let is_word = |token: &Token| WORDS.contains(&token.text(source));
    let is_named = words.len() == 1 && types.contains(first.text(source));
    let is_dependent =
        first.is_name(source, "typename") && words.len() > 1 && last.kind == TokenKind::Identifier;
    (is_named || is_dependent || words.iter().all(is_word))
        .then(|| source[first.span.start..last.span.end].to_owned())
}

/// Whether a type in parentheses converts what follows it, and does not
/// declare an argument.
fn is_cast(source: &str, all: &[Token], open: usize, close: usize) -> bool {
    const BEFORE: [&str; 8] = ["return", "case", "else", "do", "throw", "and", "or", "not"];
    const AFTER: [&str; 5] = ["const", "volatile", "noexcept", "override", "final"];
    if let Some(before) = open.checked_sub(1).map(|k| &all[k]) {
        let is_declared = before.kind == TokenKind::Identifier && !BEFORE.contains(&before.text(source));
        if is_declared || before.is_mark(source, ']') {
            return false;
        }
    }
    let Some(next) = all.get(close + 1) else { return false };
    match next.kind {
        TokenKind::Identifier => !AFTER.contains(&next.text(source)),
        TokenKind::Number | TokenKind::Character => true,
        TokenKind::Punctuation => {
            // `(T) & mask`, `(T) * x`: a type is not an operand.
            ['(', '-', '+', '~', '!', '*', '&', ':'].iter().any(|mark| next.is_mark(source, *mark))
        }
        TokenKind::String | TokenKind::Directive => false,
    }
}

/// `int(x)`, `static_cast<int>(x)`: if the parenthesis at `open` holds one
/// value that becomes a number of such a type, where it closes, and the type.
fn conversion(source: &str, all: &[Token], open: usize, types: &HashSet<&str>) -> Option<(usize, String)> {
    let before = &all[open.checked_sub(1)?];
    let of = if before.is_mark(source, '>') {
        let start = (0..open).rev().take(12).find(|k| all[*k].is_name(source, "static_cast"))?;
        let is_whole = all.get(start + 1)?.is_mark(source, '<');
        if !is_whole {
            return None;
        }
        type_of(source, &all[start + 2..open - 1], types)?
    } else if before.kind == TokenKind::Identifier {
        let name = std::slice::from_ref(before);
        let is_value = matches!(before.text(source), "int" | "unsigned" | "short" | "char" | "long")
            || types.contains(before.text(source));
        let around = &all[(open - 1).checked_sub(1)?];
        // After these a value stands, and no declaration.
        let is_expression = ['=', '(', ',', '+', '-', '*', '/', '%', '?', ':', '[', '&', '|', '^', '!', '<']
            .iter()
            .any(|mark| around.is_mark(source, *mark))
            || around.is_name(source, "return");
        if !is_value || !is_expression {
            return None;
        }
        type_of(source, name, types)?
    } else {
        return None;
    };
    let close = closing(source, all, open)?;
    let inside = &all[open + 1..close];
    let is_type = |token: &Token| {
        WORDS.contains(&token.text(source))
            || types.contains(token.text(source))
            || ["void", "float", "double", "bool"].contains(&token.text(source))
    };
    let is_value = inside.first().is_some_and(|first| {
        let is_functional = inside.get(1).is_some_and(|second| second.is_mark(source, '('));
        is_functional || (!is_type(first) && !first.is_mark(source, '*'))
    });
    (is_value && is_one(source, inside)).then_some((close, of))
}

/// Whether there is no comma outside of brackets, and nothing is unpacked.
fn is_one(source: &str, inside: &[Token]) -> bool {
    let mut depth = 0i32;
    inside.iter().all(|token| {
        let opens = ['(', '[', '{'].iter().any(|mark| token.is_mark(source, *mark));
        let closes = [')', ']', '}'].iter().any(|mark| token.is_mark(source, *mark));
        depth += i32::from(opens) - i32::from(closes);
        !(depth == 0 && token.is_mark(source, ','))
    }) && !inside.windows(3).any(|three| three.iter().all(|token| token.is_mark(source, '.')) && touch(three))
}

/// Whether tokens follow each other without a space.
fn touch(tokens: &[Token]) -> bool {
    tokens.windows(2).all(|pair| pair[0].span.end == pair[1].span.start)
}

/// If a shift by what may be too much starts at a token: its last token, and
/// the operator.
fn shift(source: &str, all: &[Token], k: usize) -> Option<(usize, &'static str)> {
    let is = |at: usize, mark: char| all.get(at).is_some_and(|token| token.is_mark(source, mark));
    let mark = ['<', '>'].into_iter().find(|mark| is(k, *mark) && is(k + 1, *mark))?;
    let follows = |at: usize| touch(&all[at - 1..=at]);
    // `<<<`, and the ends of three templates.
    let is_third = |at: usize| is(at, mark) && all.get(at).is_some();
    let before_too = k > 0 && is(k - 1, mark) && follows(k);
    if !follows(k + 1) || before_too || (is_third(k + 2) && follows(k + 2)) {
        return None;
    }
    if k == 0 || all[k - 1].is_name(source, "operator") {
        return None;
    }
    let assigns = is(k + 2, '=') && follows(k + 2);
    let (last, operator) = match (mark, assigns) {
        ('<', false) => (k + 1, "<<"),
        ('<', true) => (k + 2, "<<="),
        ('>', false) => (k + 1, ">>"),
        _ => (k + 2, ">>="),
    };
    if is_small(source, all, last + 1) || (mark == '>' && !assigns && closes_templates(source, all, k)) {
        return None;
    }
    Some((last, operator))
}

/// Whether the operand at a place is a number that no type is too narrow for.
fn is_small(source: &str, all: &[Token], at: usize) -> bool {
    let Some(number) = all.get(at).filter(|token| token.kind == TokenKind::Number) else { return false };
    let text = number.text(source).trim_end_matches(['u', 'U', 'l', 'L']);
    let value = match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) => u32::from_str_radix(digits, 16),
        None => text.parse(),
    };
    let binds_more = all
        .get(at + 1)
        .is_some_and(|next| ['*', '/', '%', '+', '-'].iter().any(|mark| next.is_mark(source, *mark)));
    value.is_ok_and(|value| value < 32) && !binds_more
}

/// Whether `>>` ends two lists of template arguments: two `<` stand open
/// before it. A shift that is taken for that stays what it is in C++.
fn closes_templates(source: &str, all: &[Token], k: usize) -> bool {
    let (mut angles, mut brackets) = (0i32, 0i32);
    for at in (0..k).rev() {
        let token = &all[at];
        let is = |mark: char| token.is_mark(source, mark);
        if is(';') || is('{') || is('}') || token.kind == TokenKind::Directive {
            break;
        }
        if is(')') || is(']') {
            brackets += 1;
        } else if is('(') || is('[') {
            brackets -= 1;
            if brackets < 0 {
                break;
            }
        } else if brackets == 0 && (is('<') || is('>')) {
            let mark = if is('<') { '<' } else { '>' };
            let twin = |other: usize| {
                all.get(other).is_some_and(|other| other.is_mark(source, mark) || other.is_mark(source, '='))
            };
            let joined = (twin(at + 1) && touch(&all[at..=at + 1]))
                || (at > 0 && all[at - 1].is_mark(source, mark) && touch(&all[at - 1..=at]));
            if mark == '<' && !joined {
                angles += 1;
            } else if mark == '>' && !joined && !(at > 0 && all[at - 1].is_mark(source, '-')) {
                angles -= 1;
            }
        }
    }
    angles >= 2
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text with its insertions in braces.
    fn marked(source: &str) -> String {
        with_gpu_arithmetic(source)
    }

    #[test]
    fn casts_to_integers_get_another_one() {
        for (source, expected) in [
            ("a = (int)x;", "a = (int)(gpurepl_cast<int>)x;"),
            ("a = -(unsigned int)-x * 2;", "a = -(unsigned int)(gpurepl_cast<unsigned int>)-x * 2;"),
            ("f((float)(int)(x + 1))", "f((float)(int)(gpurepl_cast<int>)(x + 1))"),
            ("i > (long long)n", "i > (long long)(gpurepl_cast<long long>)n"),
            ("return (uint8_t)x;", "return (uint8_t)(gpurepl_cast<uint8_t>)x;"),
            (
                "template <typename T> T f(float x) { return (T)x; }",
                "template <typename T> T f(float x) { return (T)(gpurepl_cast<T>)x; }",
            ),
            (
                "typedef unsigned word; a = (word)x;",
                "typedef unsigned word; a = (word)(gpurepl_cast<word>)x;",
            ),
            ("a = int(x);", "a = int((gpurepl_cast<int>)(x));"),
            (
                "for (i = 0; i < unsigned(x / 2);)",
                "for (i = 0; i < unsigned((gpurepl_cast<unsigned>)(x / 2));)",
            ),
            ("a = static_cast<unsigned char>(x, y(1, 2));", "a = static_cast<unsigned char>(x, y(1, 2));"),
            ("a = static_cast<short>(x);", "a = static_cast<short>((gpurepl_cast<short>)(x));"),
            ("#define TO(x) ((int)(x))\n", "#define TO(x) ((int)(gpurepl_cast<int>)(x))\n"),
        ] {
            assert_eq!(marked(source), expected);
        }
    }

    #[test]
    fn what_only_looks_like_a_cast_stays() {
        for source in [
            "sizeof(int) * n",
            "void f(int) const;",
            "int (*f)(int) = g;",
            "a = (n) * b;",
            "int (x);",
            "std::function<void(int)> f;",
            "function<int(float)> f;",
            "f<int(void)>(1)",
            "a = (int *)p;",
            "(float)x",
            "auto f = [](int) -> int { return 1; };",
            "#if (int)1\n#endif\n",
            "int a(3);",
            "T x(3);",
        ] {
            assert_eq!(marked(source), source);
        }
    }

    #[test]
    fn shifts_by_what_may_be_too_much_go_through_another_operand() {
        for (source, expected) in [
            ("a << n", "a << gpurepl_by << n"),
            ("a >> b + 1 >> c", "a >> gpurepl_by >> b + 1 >> gpurepl_by >> c"),
            ("a <<= n", "a <<= gpurepl_by <<= n"),
            ("a >>= n", "a >>= gpurepl_by >>= n"),
            ("1 << 40", "1 << gpurepl_by << 40"),
            ("1 << 3 + n", "1 << gpurepl_by << 3 + n"),
            ("if (a < n >> 1 + k)", "if (a < n >> gpurepl_by >> 1 + k)"),
        ] {
            assert_eq!(marked(source), expected);
        }
        for source in [
            "a << 5",
            "(a >> 31u) & 1",
            "k<<<1, 2>>>()",
            "A<B<int>> x",
            "A<B<C<int>>> x",
            "S operator<<(S a, int n)",
            "#if 1 << N\n#endif\n",
            "f<g<T>>(x)",
        ] {
            assert_eq!(marked(source), source);
        }
    }
}
