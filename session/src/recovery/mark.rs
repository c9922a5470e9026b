//! The comment that marks cells which are not to be replayed, as the magic
//! `%%noreplay` does: those that send, delete or append, say.
//!
//! ```text
//! // gpurepl: no-replay
//! ```

/// What a comment says that marks a cell.
const COMMENT: &str = "gpurepl: no-replay";

/// Whether a comment says that a cell is not to be replayed.
pub(crate) fn is_marked(source: &str) -> bool {
    let is_comment = |line: &str| line.trim().strip_prefix("//").is_some_and(|words| words.trim() == COMMENT);
    source.lines().any(is_comment)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_comments_on_lines_of_their_own() {
        assert!(is_marked("let a = 1;\n    //  gpurepl: no-replay\nlet b = 2;"));
        assert!(!is_marked("let a = 1; // gpurepl: no-replay"));
        assert!(!is_marked("// gpurepl: no-replay?"));
    }
}
