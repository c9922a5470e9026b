//! What the line editor asks while the user types: is it a whole cell, how
//! does this word go on.

use std::borrow::Cow;

use gpurepl_session::{Completeness, Session, command, completeness, names};
use rustyline::completion::{Completer, FilenameCompleter, Pair};
use rustyline::highlight::{CmdKind, Highlighter, MatchingBracketHighlighter};
use rustyline::hint::HistoryHinter;
use rustyline::validate::{ValidationContext, ValidationResult, Validator};
use rustyline::{Context, Helper, Hinter};

use crate::terminal::style;

/// The editor's helper for cells.
#[derive(Helper, Hinter)]
pub struct CellHelper {
    /// Names that the session's cells have made.
    names: Vec<String>,
    files: FilenameCompleter,
    #[rustyline(Hinter)]
    hinter: HistoryHinter,
    brackets: MatchingBracketHighlighter,
}

impl CellHelper {
    pub fn new() -> CellHelper {
        CellHelper {
            names: Vec::new(),
            files: FilenameCompleter::new(),
            hinter: HistoryHinter::new(),
            brackets: MatchingBracketHighlighter::new(),
        }
    }

    /// Takes note of what the session's cells have made.
    pub fn refresh(&mut self, session: &Session) {
        self.names = session.variables().into_iter().map(|variable| variable.name).collect();
        self.names.extend(session.items());
    }

    /// The candidates for the word that ends at the cursor, and where it starts.
    fn words(&self, before: &str) -> (usize, Vec<Pair>) {
        if let Some(name) = before.strip_prefix(':')
            && !name.contains(char::is_whitespace)
        {
            return (1, pairs(command::COMMANDS.iter().map(|command| command.name), name));
        }
        let start = before.trim_end_matches(|c: char| c.is_alphanumeric() || c == '_').len();
        let (rest, word) = before.split_at(start);
        if rest.ends_with('.') && !rest.ends_with("..") {
            return (start, pairs(names::ARRAY_METHODS.iter().copied(), word));
        }
        if word.is_empty() {
            // Tab at the start of a line indents it.
            let line = before.rsplit('\n').next().unwrap_or_default();
            let indent = Pair { display: String::new(), replacement: "    ".to_owned() };
            return (start, if line.trim().is_empty() { vec![indent] } else { Vec::new() });
        }
        let known = [names::PRELUDE, names::MACROS, names::KEYWORDS].into_iter().flatten().copied();
        (start, pairs(self.names.iter().map(String::as_str).chain(known), word))
    }
}

/// The names that start with a word, each once, in order.
fn pairs<'n>(names: impl Iterator<Item = &'n str>, word: &str) -> Vec<Pair> {
    let mut names: Vec<&str> = names.filter(|name| name.starts_with(word)).collect();
    names.sort_unstable();
    names.dedup();
    names.into_iter().map(|name| Pair { display: name.to_owned(), replacement: name.to_owned() }).collect()
}

/// Whether the cursor is within a string, where files are what completes.
fn is_in_string(before: &str) -> bool {
    let mut is_open = false;
    let mut characters = before.chars();
    while let Some(character) = characters.next() {
        match character {
            '"' => is_open = !is_open,
            '\\' if is_open => drop(characters.next()),
            _ => {}
        }
    }
    is_open
}

impl Completer for CellHelper {
    type Candidate = Pair;

    fn complete(&self, line: &str, at: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<Pair>)> {
        let before = &line[..at];
        if is_in_string(before) || before.starts_with(":load ") {
            return self.files.complete_path(line, at);
        }
        Ok(self.words(before))
    }
}

impl Validator for CellHelper {
    fn validate(&self, context: &mut ValidationContext<'_>) -> rustyline::Result<ValidationResult> {
        Ok(if goes_on(context.input()) {
            ValidationResult::Incomplete
        } else {
            ValidationResult::Valid(None)
        })
    }
}

/// Whether Enter begins a new line rather than ending the cell. Two blank
/// lines end it in any case: then the compiler says what is missing.
fn goes_on(input: &str) -> bool {
    let is_forced = input.split('\n').rev().take(2).filter(|line| line.trim().is_empty()).count() == 2;
    !is_forced && !command::is_command(input) && completeness(input) == Completeness::Incomplete
}

impl Highlighter for CellHelper {
    fn highlight<'l>(&self, line: &'l str, at: usize) -> Cow<'l, str> {
        self.brackets.highlight(line, at)
    }

    fn highlight_char(&self, line: &str, at: usize, kind: CmdKind) -> bool {
        self.brackets.highlight_char(line, at, kind)
    }

    fn highlight_hint<'h>(&self, hint: &'h str) -> Cow<'h, str> {
        let style = style::ASIDE;
        Cow::Owned(format!("{style}{hint}{style:#}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn completed(before: &str) -> Vec<String> {
        let helper = CellHelper { names: vec!["weights".to_owned(), "Wave".to_owned()], ..CellHelper::new() };
        helper.words(before).1.into_iter().map(|pair| pair.replacement).collect()
    }

    #[test]
    fn words_complete_from_what_is_known() {
        assert_eq!(completed(":he"), ["help"]);
        assert_eq!(completed("let a = wei"), ["weights"]);
        assert_eq!(completed("let a = zeros_"), ["zeros_like"]);
        assert_eq!(completed("launch"), ["launch!"]);
        assert_eq!(completed("a.itemsi"), ["itemsize"]);
        assert_eq!(completed("0..wei"), ["weights"]);
        assert_eq!(completed("let a = "), Vec::<String>::new());
        assert_eq!(completed("for i in 0..3 {\n"), ["    "]);
    }

    #[test]
    fn strings_are_where_files_complete() {
        assert!(is_in_string("std::fs::read(\"da"));
        assert!(!is_in_string("f(\"a\\\"b\", "));
        assert!(is_in_string("f(\"a\\\""));
    }

    #[test]
    fn two_blank_lines_end_a_cell() {
        assert!(goes_on("fn f() {"));
        assert!(goes_on("fn f() {\n"));
        assert!(!goes_on("fn f() {\n\n"));
        assert!(!goes_on("fn f() {}"));
        assert!(!goes_on(":load ("));
        assert!(!goes_on("let a = );"));
        assert!(!goes_on(""));
    }
}
