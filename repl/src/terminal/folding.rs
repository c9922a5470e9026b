//! Lines that are wider than the terminal, broken between words: the terminal itself would break within them.

use textwrap::{Options, WordSplitter, WrapAlgorithm};

/// The text with its long lines broken. What follows on a line's first part stands below its words. Lines of code behind
/// their numbers, and rows of tables, stay as they are.
pub fn folded(text: &str, columns: usize) -> String {
    let mut out = String::with_capacity(text.len());
    for (number, line) in text.split('\n').enumerate() {
        if number > 0 {
            out.push('\n');
        }
        let plain = console::strip_ansi_codes(line);
        if console::measure_text_width(&plain) <= columns || is_laid_out(&plain) {
            out.push_str(line);
            continue;
        }
        let indent = " ".repeat(indentation(&plain).min(columns / 2));
        let options = Options::new(columns)
            .subsequent_indent(&indent)
            .break_words(false)
            .word_splitter(WordSplitter::NoHyphenation)
            .wrap_algorithm(WrapAlgorithm::FirstFit);
        out.push_str(&textwrap::wrap(line, options).join("\n"));
    }
    out
}

/// Whether the places of a line's characters mean something.
fn is_laid_out(line: &str) -> bool {
    let rest = line.trim_start().trim_start_matches(|c: char| c.is_ascii_digit()).trim_start();
    rest.starts_with(['|', '│', '┌', '╭']) || line.contains("  |  ")
}

/// Where the words of a line begin, behind the mark of a note or of an item.
fn indentation(line: &str) -> usize {
    let rest = line.trim_start();
    let mark = ["= ", "- ", "* "].iter().any(|mark| rest.starts_with(mark));
    line.len() - rest.len() + if mark { 2 } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_broken_between_words() {
        let text = "error: short\n   = help: one two three four five\n12 | let code = that_is_longer_than_this_terminal;\n";
        let expected = "error: short\n   = help: one two\n     three four\n     five\n12 | let code = that_is_longer_than_this_terminal;\n";
        assert_eq!(folded(text, 18), expected);
        assert_eq!(folded("- an item of a list", 12), "- an item of\n  a list");
        assert_eq!(folded("a_word_that_is_too_long b", 10), "a_word_that_is_too_long\nb");
        assert_eq!(folded("", 10), "");
    }

    #[test]
    fn colours_have_no_width() {
        let line = "\u{1b}[1;96mhelp\u{1b}[0m: one two";
        assert_eq!(folded(line, 13), line);
        assert_eq!(folded(line, 10), "\u{1b}[1;96mhelp\u{1b}[0m: one\ntwo");
    }
}
