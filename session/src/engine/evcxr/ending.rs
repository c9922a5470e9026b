//! How a cell says that it came to its end.
//!
//! To evcxr a cell that panics, or that an error leaves by `?`, is one that is
//! done. So a call is added behind the user's statements, and the value is
//! shown before it: a cell that has not called has failed.

use std::ops::Range;

use syn::spanned::Spanned as _;
use syn::{Block, Stmt};

/// The function that a cell calls at its end; the analyser defines it.
const CALL: &str = "gpurepl_ended()";

/// A cell as evcxr gets it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Ending {
    /// The text. The user's part keeps its columns, and shares no line with
    /// ours.
    pub(super) source: String,
    /// Whether it says that it has come to its end.
    pub(super) is_told: bool,
    /// The user's line, from one, that stands one line further down, with all
    /// that follow.
    shifted: Option<u32>,
}

impl Ending {
    /// Adds the call. A text that is not a block of Rust is left as it is, and so
    /// is one of items alone, which does nothing that could fail.
    pub(super) fn of(source: &str) -> Ending {
        let plain = Ending { source: source.to_owned(), is_told: false, shifted: None };
        let Some(tail) = tail(source) else { return plain };
        let Some(tail) = tail else {
            return Ending { source: format!("{source}\n{CALL};"), is_told: true, ..plain };
        };
        let before = &source[..tail.start];
        let start = before.rfind('\n').map_or(0, |end| end + 1);
        let column = before[start..].chars().count();
        let line = u32::try_from(before.matches('\n').count() + 1).unwrap_or(u32::MAX);
        // What stands before the value on its line stays on that line.
        let source = format!(
            "{before}match &(\n{:column$}{}\n) {{ value => value.evcxr_display() }};{CALL};",
            "",
            source[tail.start..].trim_end()
        );
        Ending { source, is_told: true, shifted: Some(line) }
    }

    /// The user's line for a line of the text. Of the line that was divided the
    /// first part has stayed where it was.
    pub(super) fn line(&self, line: u32) -> u32 {
        match self.shifted {
            Some(first) if line > first => line - 1,
            _ => line,
        }
    }
}

/// The last expression, if there is one; nothing at all if the text is no
/// block, or holds items alone.
fn tail(source: &str) -> Option<Option<Range<usize>>> {
    proc_macro2::extra::invalidate_current_thread_spans();
    let text = format!("{{{source}\n}}");
    let block = syn::parse_str::<Block>(&text).ok()?;
    if block.stmts.iter().all(|statement| matches!(statement, Stmt::Item(_))) {
        return None;
    }
    let last = block.stmts.last()?;
    let is_value = match last {
        Stmt::Expr(_, None) => true,
        Stmt::Macro(call) => call.semi_token.is_none(),
        _ => false,
    };
    if !is_value {
        return Some(None);
    }
    let range = last.span().byte_range();
    (range.start > 0 && range.end <= source.len() + 1).then(|| Some(range.start - 1..range.end - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_are_followed_by_the_call() {
        for source in ["let a = 1;", "a += 1; // more", "use std::fmt; f();"] {
            let ending = Ending::of(source);
            assert_eq!(ending.source, format!("{source}\ngpurepl_ended();"));
            assert!(ending.is_told);
        }
    }

    #[test]
    fn values_are_shown_before_the_call_and_keep_their_columns() {
        let ending = Ending::of("let a = 1; a + missing // why");
        let lines: Vec<&str> = ending.source.lines().collect();
        assert_eq!(lines[0], "let a = 1; match &(");
        assert_eq!(lines[1], "           a + missing // why");
        assert_eq!(lines[2], ") { value => value.evcxr_display() };gpurepl_ended();");
        assert_eq!((ending.line(1), ending.line(2)), (1, 1));
        assert!(syn::parse_str::<Block>(&format!("{{{}}}", ending.source)).is_ok());
        let several = Ending::of("let ä = 1;\n{\n  ä\n}\n");
        assert_eq!((several.line(1), several.line(3), several.line(4)), (1, 2, 3));
    }

    #[test]
    fn what_cannot_fail_or_is_no_rust_is_left_alone() {
        for source in ["fn f() {}", "", "// words", "let a = ", "use std::fmt;\nstruct S;", "}"] {
            assert_eq!(
                Ending::of(source),
                Ending { source: source.to_owned(), is_told: false, shifted: None }
            );
        }
    }
}
