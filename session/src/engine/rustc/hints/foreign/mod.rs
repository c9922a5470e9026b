//! Cells that are not Rust: lines of Python, C and the system's shell, and what is written for
//! them. The compiler stumbles over the second word of such a line and speaks
//! of tokens; so these are recognised by their text before it is asked. What
//! is not recognised is the compiler's to explain.

mod builtins;
mod c;
mod classes;
mod comprehensions;
mod conditions;
mod expressions;
mod formats;
mod functions;
mod imports;
mod iterators;
mod printing;
mod python;
mod shell;
mod slices;
mod words;

pub(super) use builtins::call;
pub(super) use c::suffix;
pub(super) use conditions::conditions;
pub(super) use expressions::{code, joined_texts};
pub(super) use imports::of_module;
pub(super) use iterators::{items, literal_element, range};
pub(super) use printing::{format_advice, print_advice, sure_format_advice};
pub(super) use shell::advice as shell;

use std::ops::Range;

use super::place::Scope;

/// A line of another language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) struct Foreign {
    /// What the message says.
    pub(in super::super) message: String,
    /// Where, in the cell's text.
    pub(in super::super) range: Range<usize>,
    pub(in super::super) help: String,
}

/// What is recognised in a line: the place in it, what it is, and advice.
struct Found {
    range: Range<usize>,
    what: String,
    help: String,
}

impl Found {
    /// A part of a line; `what` is the part itself.
    fn new(line: &str, part: &str, help: String) -> Found {
        Found::named(line, part, format!("`{part}`"), help)
    }

    fn named(line: &str, part: &str, what: String, help: String) -> Found {
        // The parts are slices of the line.
        let start =
            (part.as_ptr() as usize).checked_sub(line.as_ptr() as usize).filter(|at| *at <= line.len());
        let start = start.or_else(|| line.find(part)).unwrap_or(0);
        Found { range: start..start + part.len(), what, help }
    }
}

/// The line of a cell that is of another language, if one of these is: that at
/// a place, where the parser has given up, or the one before it.
pub(in super::super) fn line(scope: &Scope<'_>, text: &str, at: usize) -> Option<Foreign> {
    let at = at.min(text.len());
    let start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let before = text[..start].trim_end().rfind('\n').map_or(0, |newline| newline + 1);
    [start, before].into_iter().find_map(|start| {
        let line = text[start..].lines().next()?;
        let found = recognised(scope, line, &text[start..])
            .or_else(|| values(scope, line).filter(|_| !is_inside(&text[..start])))?;
        Some(Foreign {
            message: format!("{} is not Rust", found.what),
            range: start + found.range.start..start + found.range.end,
            help: super::arithmetic::in_advice(scope, found.help),
        })
    })
}

/// Tries each language; `rest` is the text from the line on.
fn recognised(scope: &Scope<'_>, line: &str, rest: &str) -> Option<Found> {
    let code = line.trim();
    if code.is_empty() || code.starts_with("//") {
        return None;
    }
    let Some((code, comment)) = commented(line) else { return in_language(scope, line, rest) };
    // What stands before the comment may be of another language as well.
    in_language(scope, code, rest).or_else(|| {
        let help = format!("a comment starts with two slashes: `{} //{comment}`", code.trim());
        let part = &line[code.len()..];
        Some(Found::named(line, part, "a comment that starts with `#`".to_owned(), help))
    })
}

/// A line of code that ends with a comment of Python's, and the comment without its sign.
fn commented(line: &str) -> Option<(&str, &str)> {
    let outside = expressions::bare(line);
    let (at, _) = outside.match_indices('#').find(|(at, _)| {
        outside[..*at].ends_with([' ', '\t']) && !outside[at + 1..].starts_with(['!', '[', '"'])
    })?;
    (!line[..at].trim().is_empty()).then(|| (line[..at].trim_end(), &line[at + 1..]))
}

/// Several values on a line of their own: `x, y`.
fn values(scope: &Scope<'_>, line: &str) -> Option<Found> {
    let code = line.trim().trim_end_matches(';').trim_end();
    let list = super::place::parts(code);
    if list.len() < 2 {
        return None;
    }
    let lent = |value: &&str| {
        let code = expressions::code(scope, value)?;
        let is_kept = super::place::is_name(&code) && scope.number(&code).is_none();
        Some(if is_kept { format!("&{code}") } else { code })
    };
    let list: Option<Vec<String>> = list.iter().map(lent).collect();
    let help = format!("several values are a tuple: `({})`", list?.join(", "));
    Some(Found::named(line, code, "a list without brackets".to_owned(), help))
}

/// Whether a text ends within brackets.
fn is_inside(text: &str) -> bool {
    let outside = expressions::bare(text);
    outside.matches(['(', '[', '{']).count() > outside.matches([')', ']', '}']).count()
}

fn in_language(scope: &Scope<'_>, line: &str, rest: &str) -> Option<Found> {
    c::line(line, rest)
        .or_else(|| shell::line(line))
        .or_else(|| python::line(scope, line, rest))
        .or_else(|| slices::line(line))
        .or_else(|| words::operators(scope, line))
}

/// Whether a word stands at the start of a text.
fn after_word<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    let rest = text.strip_prefix(word)?;
    rest.starts_with(|c: char| !c.is_alphanumeric() && c != '_').then(|| rest.trim_start())
}

/// A word within a text, outside of brackets and quotes: what stands before
/// and after it.
fn around_word<'t>(text: &'t str, word: &str) -> Option<(&'t str, &'t str)> {
    let (mut depth, mut quote) = (0, false);
    for (at, c) in text.char_indices() {
        match c {
            '"' => quote = !quote,
            _ if quote => {}
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            ' ' if depth == 0 => {
                if let Some(after) = text[at + 1..].strip_prefix(word).and_then(|rest| rest.strip_prefix(' '))
                {
                    return Some((text[..at].trim(), after.trim()));
                }
            }
            _ => {}
        }
    }
    None
}

fn word_of<'l>(line: &'l str, word: &str) -> &'l str {
    let at = line.find(word).unwrap_or(0);
    &line[at..at + word.len()]
}

/// A line without what makes a statement of it: `let y = ` and `;`.
pub(super) fn expression(line: &str) -> &str {
    let code = line.trim().trim_end_matches(';').trim_end();
    match code.split_once('=') {
        Some((left, right))
            if !right.starts_with('=')
                && !left.ends_with(['=', '<', '>', '!', '+', '-', '*', '/'])
                && super::place::is_name(
                    left.trim_start_matches("let ").trim_start_matches("mut ").trim(),
                ) =>
        {
            right.trim()
        }
        _ => code,
    }
}
