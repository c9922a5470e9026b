//! Whether a text is a whole cell, magics and all, or needs more lines.

use crate::commands::magic;
use crate::engine::{Completeness, rustc};
use crate::nesting;

/// Whether a text can be evaluated, or goes on: as
/// [`completeness`](crate::engine::rustc::completeness) has it for what is
/// below magics. A cell below `%%` ends with a blank line, because its first
/// line is seldom all.
pub fn completeness(source: &str) -> Completeness {
    // What nests too deeply is reported when it is run.
    nesting::with_stack(source, || of_text(source)).unwrap_or(Completeness::Complete)
}

fn of_text(source: &str) -> Completeness {
    let found = magic::find(source);
    let Some(last) = found.last() else { return rustc::completeness(source) };
    let body = match magic::read(source) {
        Ok(Some(read)) => read.text,
        Ok(None) => return rustc::completeness(source),
        // There may be code on the next line.
        Err(_) if last.is_cell && source[last.line_end..].trim().is_empty() => {
            return Completeness::Incomplete;
        }
        Err(_) => return Completeness::Complete,
    };
    if last.is_cell {
        let below = &source[last.line_end..];
        let is_ended = below.trim_end_matches([' ', '\t']).ends_with('\n');
        if below.trim().is_empty() || !is_ended {
            return Completeness::Incomplete;
        }
    }
    rustc::completeness(&body)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_below_a_magic_ends_with_a_blank_line() {
        assert_eq!(completeness("%%timeit"), Completeness::Incomplete);
        assert_eq!(completeness("%%timeit\n"), Completeness::Incomplete);
        assert_eq!(completeness("%%timeit\nlet a = 1;"), Completeness::Incomplete);
        assert_eq!(completeness("%%timeit\nlet a = 1;\n"), Completeness::Complete);
        assert_eq!(completeness("%time f("), Completeness::Incomplete);
        assert_eq!(completeness("%time f()"), Completeness::Complete);
        assert_eq!(completeness("%tme f()"), Completeness::Complete);
        assert_eq!(completeness("let a = 7 % 4"), Completeness::Complete);
    }
}
