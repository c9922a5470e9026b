//! Whether a text is a whole cell, or needs more lines.

use std::ops::Range;

use crate::engine::Completeness;

use super::split::split;

/// Whether a text can be evaluated, or goes on.
///
/// ```
/// use gpurepl_session::{Completeness, completeness};
/// assert_eq!(completeness("let v = vec!["), Completeness::Incomplete);
/// assert_eq!(completeness("let v = vec![1];"), Completeness::Complete);
/// assert_eq!(completeness("let v = 1)"), Completeness::Invalid);
/// ```
pub fn completeness(source: &str) -> Completeness {
    match scan(source) {
        Brackets::Open(_) => return Completeness::Incomplete,
        Brackets::Wrong(_) => return Completeness::Invalid,
        Brackets::Closed => {}
    }
    // `'abc'` is no literal, and the next line does not make it one.
    if source.parse::<proc_macro2::TokenStream>().is_err() {
        return Completeness::Invalid;
    }
    match split(source) {
        Ok(_) => Completeness::Complete,
        Err(error) if error.message.contains("unexpected end of input") => going_on(source),
        // `#[derive(Debug)]` and `fn f()` wait for what they are about.
        Err(error) if error.range.start >= source.trim_end().len() => going_on(source),
        Err(_) => Completeness::Invalid,
    }
}

/// Whether a text goes on that has no end yet: `let y = a[0:2]` is wrong whatever comes next.
fn going_on(source: &str) -> Completeness {
    match split(&format!("{source};")) {
        Err(error)
            if error.range.start < source.trim_end().len()
                && !error.message.contains("unexpected end of input") =>
        {
            Completeness::Invalid
        }
        _ => Completeness::Incomplete,
    }
}

/// What is wrong with a text's brackets, strings and comments, and where.
pub(super) fn unbalanced(source: &str) -> Option<(String, Range<usize>)> {
    let is_at = |at: usize| {
        let c = source[at..].chars().next().unwrap_or(' ');
        (c, at..at + c.len_utf8())
    };
    match scan(source) {
        Brackets::Closed => None,
        Brackets::Open(at) => {
            let (c, range) = is_at(at);
            Some((
                match c {
                    '(' | '[' | '{' => format!("this `{c}` is not closed"),
                    '/' => "this comment does not end".to_owned(),
                    _ => "this text does not end".to_owned(),
                },
                range,
            ))
        }
        Brackets::Wrong(at) => {
            let (c, range) = is_at(at);
            Some((format!("this `{c}` closes nothing that is open"), range))
        }
    }
}

/// Brackets, with the place of the first that is wrong.
enum Brackets {
    Closed,
    Open(usize),
    Wrong(usize),
}

/// Whether every bracket, string and comment is closed.
fn scan(source: &str) -> Brackets {
    let mut open = Vec::new();
    let mut rest = source.char_indices().peekable();
    while let Some((at, c)) = rest.next() {
        let after = &source[at + c.len_utf8()..];
        match c {
            '/' if after.starts_with('/') => while rest.next_if(|(_, c)| *c != '\n').is_some() {},
            '/' if after.starts_with('*') => match after_comment(&source[at..]) {
                Some(length) => skip_to(&mut rest, at + length),
                None => return Brackets::Open(at),
            },
            '"' => match after_string(after) {
                Some(length) => skip_to(&mut rest, at + 1 + length),
                None => return Brackets::Open(at),
            },
            'r' | 'b' | 'c' if is_prefix(source, at) => {
                let hashes = after.trim_start_matches(['r', 'b', 'c']);
                let skipped = after.len() - hashes.len();
                let count = hashes.len() - hashes.trim_start_matches('#').len();
                let is_raw = c == 'r' || after[..skipped].contains('r');
                if is_raw && hashes[count..].starts_with('"') {
                    let text = &hashes[count + 1..];
                    match text.find(&format!("\"{}", "#".repeat(count))) {
                        Some(end) => skip_to(&mut rest, at + 1 + skipped + count + 1 + end + 1 + count),
                        None => return Brackets::Open(at),
                    }
                }
            }
            '\'' => {
                if let Some(length) = after_character(after) {
                    skip_to(&mut rest, at + 1 + length);
                }
            }
            '(' | '[' | '{' => open.push((c, at)),
            ')' | ']' | '}' => {
                let opening = match c {
                    ')' => '(',
                    ']' => '[',
                    _ => '{',
                };
                if open.pop().is_none_or(|(opened, _)| opened != opening) {
                    return Brackets::Wrong(at);
                }
            }
            _ => {}
        }
    }
    open.last().map_or(Brackets::Closed, |(_, at)| Brackets::Open(*at))
}

fn skip_to(rest: &mut std::iter::Peekable<std::str::CharIndices<'_>>, to: usize) {
    while rest.next_if(|(at, _)| *at < to).is_some() {}
}

/// Whether a letter starts a literal rather than standing within a name.
fn is_prefix(source: &str, at: usize) -> bool {
    !source[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_')
}

/// The length of a block comment, which may hold others.
fn after_comment(text: &str) -> Option<usize> {
    let (mut depth, mut at) = (0, 0);
    while at < text.len() {
        if text[at..].starts_with("/*") {
            depth += 1;
            at += 2;
        } else if text[at..].starts_with("*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return Some(at);
            }
        } else {
            at += text[at..].chars().next().map_or(1, char::len_utf8);
        }
    }
    None
}

/// The length of a string's rest, its quote included.
fn after_string(text: &str) -> Option<usize> {
    let mut is_escaped = false;
    for (at, c) in text.char_indices() {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '"' => return Some(at + 1),
            _ => {}
        }
    }
    None
}

/// The length of a character's rest, its quote included; none for a lifetime.
fn after_character(text: &str) -> Option<usize> {
    let mut characters = text.char_indices();
    let (_, first) = characters.next()?;
    if first == '\\' {
        // An escape ends at the next quote that is not its own.
        let end = text[2.min(text.len())..].find('\'')?;
        return Some(2 + end + 1);
    }
    let (at, second) = characters.next()?;
    (second == '\'').then_some(at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_open_goes_on() {
        for source in [
            "fn f() {",
            "let s = \"abc",
            "let s = r#\"abc\"",
            "/* a /* b */",
            "let v = vec![1,",
            "#[derive(Debug)]",
            "let x =",
            "fn f()",
            "if x { 1 } else {",
            "a +",
            "match x { '{' => 1,",
            "x =",
            "if x == 1",
            "for i in 0..3",
            "let f = |x|",
            "let x: Vec<",
            "use std::",
            "let Some(x) = y else",
            "impl A for",
            "let x = a.",
            "let y = &",
            "fn f() -> Vec<i32>",
            "#[kernel]\nfn f(x: &[f32])",
        ] {
            assert_eq!(completeness(source), Completeness::Incomplete, "{source}");
        }
    }

    #[test]
    fn what_is_closed_is_complete() {
        for source in [
            "",
            "1 + 1",
            "let x = 5",
            "let c = '}';",
            "let c = '\\'';",
            "fn f<'a>(x: &'a str) -> &'a str { x }",
            "let s = \"}\\\"{\";",
            "let s = r#\"{ \" \"#;",
            "let b = b\"{\"; let c = br\"{\";",
            "// {\n1",
            "/* { */ 1",
            "struct S;",
            "for i in 0..3 { }",
        ] {
            assert_eq!(completeness(source), Completeness::Complete, "{source}");
        }
    }

    #[test]
    fn what_no_more_lines_can_save_is_invalid() {
        for source in [
            "let x = );",
            "}",
            "let = = 5;",
            "fn f(] {}",
            "'abc'",
            "print('abc')",
            "let y = a[0:2]",
            "let y = a[::2] + 1",
        ] {
            assert_eq!(completeness(source), Completeness::Invalid, "{source}");
        }
    }
}
