//! Literals of Python's, and the formats of values in them: `.2f` as `.2`.

use super::super::place::{Kind, Scope, is_name, parts};
use super::expressions::bare;

/// A text in quotes, as Python has it.
pub(super) struct Literal<'t> {
    pub(super) body: &'t str,
    pub(super) is_format: bool,
    is_raw: bool,
    /// With its letters and quotes, in bytes.
    pub(super) length: usize,
}

impl<'t> Literal<'t> {
    /// The literal that a text starts with.
    pub(super) fn read(text: &'t str) -> Option<Literal<'t>> {
        let start = text.find(['"', '\''])?;
        let letters = text[..start].to_ascii_lowercase();
        if !["", "b", "br", "f", "fr", "r", "rb", "rf", "u"].contains(&letters.as_str()) {
            return None;
        }
        let mark = text[start..].chars().next()?;
        let body = &text[start + 1..];
        // Three quotes begin a text of several lines.
        if body.starts_with([mark]) && body[1..].starts_with(mark) {
            return None;
        }
        let mut is_escaped = false;
        let end = body.char_indices().find_map(|(at, c)| {
            let is_end = c == mark && !is_escaped;
            is_escaped = c == '\\' && !is_escaped;
            is_end.then_some(at)
        })?;
        Some(Literal {
            body: &body[..end],
            is_format: letters.contains('f'),
            is_raw: letters.contains('r'),
            length: start + end + 2,
        })
    }

    /// The literal that a text is.
    pub(super) fn whole(text: &'t str) -> Option<Literal<'t>> {
        Literal::read(text).filter(|literal| literal.length == text.len())
    }

    /// The text as it stands in Rust's quotes; none if it has what Rust does not know.
    pub(super) fn text(&self) -> Option<String> {
        let mut meant = String::new();
        let mut rest = self.body.chars();
        while let Some(c) = rest.next() {
            match c {
                '`' | '\n' => return None,
                '\\' if self.is_raw => meant.push_str("\\\\"),
                '\\' => match rest.next()? {
                    '\'' => meant.push('\''),
                    c @ ('n' | 't' | 'r' | '\\' | '"') => meant.extend(['\\', c]),
                    _ => return None,
                },
                '"' => meant.push_str("\\\""),
                c => meant.push(c),
            }
        }
        Some(meant)
    }
}

/// What stands in braces.
pub(super) struct Place<'t> {
    pub(super) value: &'t str,
    /// `n=` of `{n=}`
    pub(super) before: String,
    pub(super) is_debug: bool,
    pub(super) format: &'t str,
}

impl<'t> Place<'t> {
    pub(super) fn read(text: &'t str) -> Option<Place<'t>> {
        let outside = bare(text);
        let mut depth = 0;
        let colon = outside.char_indices().find_map(|(at, c)| {
            match c {
                '(' | '[' | '{' => depth += 1,
                ')' | ']' | '}' => depth -= 1,
                _ => {}
            }
            (c == ':' && depth == 0).then_some(at)
        });
        let (value, format) = colon.map_or((text, ""), |at| (&text[..at], &text[at + 1..]));
        let converted = ["!r", "!s", "!a"].iter().find_map(|end| Some((value.strip_suffix(end)?, *end)));
        let (value, conversion) = converted.unwrap_or((value, ""));
        let named = value.trim_end().strip_suffix('=').filter(|value| !value.ends_with(['=', '!', '<', '>']));
        let is_debug = ["!r", "!a"].contains(&conversion) || named.is_some() && format.is_empty();
        let before = named.map_or(String::new(), |_| escaped(value));
        // A width that is a value itself has to be a `usize`.
        let value = named.unwrap_or(value).trim();
        (!format.contains('{')).then_some(Place { value, before, is_debug, format })
    }
}

/// A format of a value's, and what of it has no counterpart.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Format {
    pub(super) text: String,
    pub(super) lost: Vec<String>,
}

impl Format {
    /// `.2f` as `.2`; none if it says what Rust's formats cannot.
    pub(super) fn read(format: &str) -> Option<Format> {
        let signs: Vec<char> = format.chars().collect();
        let (mut text, mut lost, mut at) = (String::new(), Vec::new(), 0);
        let is_align = |c: Option<&char>| c.is_some_and(|c| "<>^".contains(*c));
        if is_align(signs.get(1)) {
            if "{}\\\"".contains(signs[0]) {
                return None;
            }
            (text, at) = (signs[..2].iter().collect(), 2);
        } else if is_align(signs.first()) {
            (text, at) = (signs[..1].iter().collect(), 1);
        }
        if let Some(c @ ('+' | '-')) = signs.get(at) {
            text.push_str(if *c == '+' { "+" } else { "" });
            at += 1;
        }
        if signs.get(at) == Some(&'#') {
            text.push('#');
            at += 1;
        }
        while let Some(c) = signs.get(at).filter(|c| c.is_ascii_digit()) {
            text.push(*c);
            at += 1;
        }
        if let Some(c) = signs.get(at).filter(|c| ",_".contains(**c)) {
            lost.push(c.to_string());
            at += 1;
        }
        let has_precision = signs.get(at) == Some(&'.');
        if has_precision {
            text.push('.');
            at += 1;
            let start = at;
            while let Some(c) = signs.get(at).filter(|c| c.is_ascii_digit()) {
                text.push(*c);
                at += 1;
            }
            if start == at {
                return None;
            }
        }
        match (signs.get(at), signs.len().saturating_sub(at)) {
            (None, _) | (Some('d' | 'i' | 's' | 'n' | 'u'), 1) => {}
            (Some('f' | 'F'), 1) => text.push_str(if has_precision { "" } else { ".6" }),
            (Some('g' | 'G'), 1) if !has_precision => {}
            (Some(c @ ('e' | 'E' | 'x' | 'X' | 'b' | 'o')), 1) => text.push(*c),
            _ => return None,
        }
        Some(Format { text, lost })
    }
}

/// What stands behind the name in a place: `:.2`, `:?` of what has no other form.
pub(super) fn sign(scope: &Scope<'_>, value: &str, format: &str) -> String {
    let is_number =
        [".len()", ".item()", ".size()", ".ndim()", ".as_secs_f64()"].iter().any(|end| value.ends_with(end));
    let is_plain = match scope.kind(value) {
        Kind::Number | Kind::Text | Kind::Array | Kind::Unknown => true,
        Kind::Sequence | Kind::Other => is_number,
    };
    match (is_plain, debug(format)) {
        (false, Some(debug)) => debug,
        _ if format.is_empty() => String::new(),
        _ => format!(":{format}"),
    }
}

/// A format that shows a value as a cell does.
pub(super) fn debug(format: &str) -> Option<String> {
    let is_plain = !format.ends_with(|c: char| c.is_ascii_alphabetic());
    is_plain.then(|| format!(":{format}?"))
}

/// A text whose braces stand for themselves.
pub(super) fn escaped(text: &str) -> String {
    text.replace('{', "{{").replace('}', "}}")
}

/// The parts of `end=""`.
pub(super) fn keyword(argument: &str) -> Option<(&str, &str)> {
    let (key, value) = argument.split_once('=')?;
    (is_name(key.trim()) && !value.starts_with('=')).then_some((key.trim(), value.trim()))
}

/// The arguments of a call, which may have texts in either quotes.
pub(super) fn arguments(inner: &str) -> Vec<&str> {
    let outside = bare(inner);
    let start = |part: &str| part.as_ptr() as usize - outside.as_ptr() as usize;
    parts(&outside).into_iter().map(|part| &inner[start(part)..start(part) + part.len()]).collect()
}
