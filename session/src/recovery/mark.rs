//! The mark of cells that are not to be replayed: those that send, delete or
//! append, say.
//!
//! ```text
//! %%noreplay                     the first line of the cell, or
//! // gpurepl: no-replay          a comment anywhere in it
//! ```

/// The line that marks a cell.
const LINE: &str = "%%noreplay";

/// What a comment says that marks a cell.
const COMMENT: &str = "gpurepl: no-replay";

/// Whether a cell is not to be replayed.
pub(crate) fn is_marked(source: &str) -> bool {
    let is_comment = |line: &str| line.trim().strip_prefix("//").is_some_and(|words| words.trim() == COMMENT);
    line_of_mark(source).is_some() || source.lines().any(is_comment)
}

/// A cell's text without the line that marks it, in as many bytes and lines:
/// places in it stay what they are.
pub(crate) fn without_mark(source: &str) -> String {
    let mut text = source.to_owned();
    if let Some(range) = line_of_mark(source) {
        text.replace_range(range.clone(), &" ".repeat(range.len()));
    }
    text
}

/// Where the first line stands that is not empty, if it is the mark.
fn line_of_mark(source: &str) -> Option<std::ops::Range<usize>> {
    let start = source.len() - source.trim_start().len();
    let line = source[start..].lines().next()?;
    (line.trim_end() == LINE).then(|| start..start + line.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_found_and_taken_out() {
        let source = "\n  %%noreplay  \nlet a = 1;";
        assert!(is_marked(source));
        assert_eq!(without_mark(source), "\n              \nlet a = 1;");
        assert!(is_marked("let a = 1;\n    //  gpurepl: no-replay\nlet b = 2;"));
        for source in
            ["let a = 1; // gpurepl: no-replay?", "%%noreplays", "a\n%%noreplay", "", "\"%%noreplay\""]
        {
            assert!(!is_marked(source), "{source}");
            assert_eq!(without_mark(source), source);
        }
    }
}
