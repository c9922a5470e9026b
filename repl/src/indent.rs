//! How far lines are indented.

use gpurepl_session::command;

use crate::highlight::{Language, Open, Pieces, is_opening, partner, pieces};

/// The spaces of a level.
pub const STEP: usize = 4;

/// The indentation of a new line that begins at the cursor; none where
/// nothing may be added, as in a text that is not code.
pub fn of_new_line(before: &str, after: &str) -> Option<String> {
    if command::is_command(before) {
        return None;
    }
    let read = pieces(before);
    let language = match read.open {
        None | Some(Open::LineComment) => Language::Rust,
        Some(Open::Cuda(start)) => Language::Cuda(start),
        Some(Open::String) => return None,
        Some(Open::Comment) => return Some(indentation(last_line(before)).to_owned()),
    };
    let Some(opened) = innermost(before, &read, language) else {
        let line = before.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
        return Some(match language {
            // `let a =` goes on, `a` is about to begin.
            Language::Rust if is_assignment(line) => format!("{}{:STEP$}", indentation(line), ""),
            Language::Rust => String::new(),
            Language::Cuda(start) if before[start..].contains('\n') => {
                indentation(last_line(before)).to_owned()
            }
            Language::Cuda(_) => String::new(),
        });
    };
    let outer = indentation(line_of(before, opened));
    let closes = after.trim_start_matches([' ', '\t']).starts_with([')', ']', '}']);
    Some(if closes { outer.to_owned() } else { format!("{outer}{:STEP$}", "") })
}

/// The indentation of a line that a closing bracket begins: that of the line
/// with the bracket that it closes. None where the text before it on its line
/// has to stay as it is.
pub fn of_closing(before: &str, bracket: char) -> Option<String> {
    let line = last_line(before);
    if line.is_empty() || !line.trim().is_empty() {
        return None;
    }
    let read = pieces(before);
    let language = match read.open {
        None => Language::Rust,
        Some(Open::Cuda(start)) => Language::Cuda(start),
        Some(Open::String | Open::Comment | Open::LineComment) => return None,
    };
    let opened = innermost(before, &read, language)?;
    let outer = indentation(line_of(before, opened));
    (before[opened..].starts_with(partner(bracket)) && outer != line).then(|| outer.to_owned())
}

/// How many spaces Tab puts before what starts at the cursor; none if
/// something stands before it on its line.
pub fn of_tab(before: &str) -> Option<usize> {
    let line = last_line(before);
    line.trim().is_empty().then(|| STEP - line.chars().count() % STEP)
}

/// A line with a step less before it.
pub fn less(line: &str) -> &str {
    let spaces = line.bytes().take(STEP).take_while(|byte| *byte == b' ').count();
    line.strip_prefix('\t').unwrap_or(&line[spaces..])
}

/// Where the innermost bracket that is open at the end of a text stands.
fn innermost(text: &str, read: &Pieces, language: Language) -> Option<usize> {
    let mut open: Vec<(char, usize)> = Vec::new();
    for piece in read.pieces.iter().filter(|piece| piece.language == language) {
        let Some(bracket) = piece.bracket else { continue };
        if is_opening(bracket) {
            open.push((bracket, piece.range.start));
        } else if open.last().is_some_and(|(opened, _)| *opened == partner(bracket)) {
            open.pop();
        }
    }
    open.pop().map(|(_, at)| at).filter(|at| *at < text.len())
}

fn is_assignment(line: &str) -> bool {
    line.trim_end().ends_with('=')
}

fn last_line(text: &str) -> &str {
    text.rsplit('\n').next().unwrap_or_default()
}

fn line_of(text: &str, at: usize) -> &str {
    let start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    text[start..].split('\n').next().unwrap_or_default()
}

fn indentation(line: &str) -> &str {
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spaces(before: &str) -> Option<usize> {
        of_new_line(before, "").map(|indentation| indentation.len())
    }

    #[test]
    fn open_brackets_indent() {
        assert_eq!(spaces("fn f() {"), Some(4));
        assert_eq!(spaces("fn f() {\n    if x {"), Some(8));
        assert_eq!(spaces("fn f() {\n    if x {\n        1\n    }"), Some(4));
        assert_eq!(spaces("foo(|x| {"), Some(4), "once for a line");
        assert_eq!(spaces("let v = vec!["), Some(4));
        assert_eq!(spaces("let a ="), Some(4));
        assert_eq!(spaces("#[derive(Debug)]"), Some(0));
        assert_eq!(spaces("let a = '{'"), Some(0));
        assert_eq!(spaces("f(\"{\") // {"), Some(0));
    }

    #[test]
    fn texts_are_left_alone_and_kernels_are_not() {
        assert_eq!(spaces("let s = \"{"), None);
        assert_eq!(spaces("let s = r#\"{"), None);
        assert_eq!(spaces("f(r#\"\n__global__ void f() {"), Some(4));
        assert_eq!(spaces("f(r#\"__global__ void f();"), Some(0));
        assert_eq!(spaces("    f(r#\"\n  __global__ void f();"), Some(2));
        assert_eq!(spaces("  /* a"), Some(2));
    }

    #[test]
    fn closing_brackets_stand_below_the_line_that_opens() {
        assert_eq!(of_closing("fn f() {\n    ", '}').as_deref(), Some(""));
        assert_eq!(of_closing("fn f() {\n    if x {\n        ", '}').as_deref(), Some("    "));
        assert_eq!(of_closing("fn f() {\n    a", '}'), None);
        assert_eq!(of_closing("fn f() {\n    ", ')'), None);
        assert_eq!(of_closing("fn f() {\n", '}'), None);
        assert_eq!(of_closing("let s = \"{\n    ", '}'), None);
        assert_eq!(of_new_line("fn f() {", "}").as_deref(), Some(""));
    }

    #[test]
    fn tab_goes_to_the_next_step() {
        assert_eq!(of_tab("a\n"), Some(4));
        assert_eq!(of_tab("a\n  "), Some(2));
        assert_eq!(of_tab("a\n  b"), None);
        assert_eq!((less("      a"), less("  a"), less("\t\ta"), less("a")), ("  a", "a", "\ta", "a"));
    }
}
