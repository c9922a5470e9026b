//! How words go on: what Tab offers.
//!
//! This is all that the prompt knows of completion; it comes from tables and
//! from the names that the session's cells have made.

use gpurepl_session::{Session, command, names};
use rustyline::completion::{FilenameCompleter, Pair};

use crate::highlight::{Open, pieces};

/// Knows how words go on.
pub struct Completion {
    /// Names that the session's cells have made.
    names: Vec<String>,
    files: FilenameCompleter,
}

impl Completion {
    /// Knows what is known without a session.
    pub fn new() -> Completion {
        Completion { names: Vec::new(), files: FilenameCompleter::new() }
    }

    /// Takes note of what the session's cells have made.
    pub fn refresh(&mut self, session: &Session) {
        self.names = session.variables().into_iter().map(|variable| variable.name).collect();
        self.names.extend(session.items());
    }

    /// The candidates for the word that ends at the cursor, and where it starts.
    ///
    /// # Errors
    ///
    /// If a folder cannot be read.
    pub fn complete(&self, line: &str, at: usize) -> rustyline::Result<(usize, Vec<Pair>)> {
        let before = &line[..at];
        match pieces(before).open {
            Some(Open::String) => return self.files.complete_path(line, at),
            Some(Open::Comment | Open::LineComment | Open::Cuda(_)) => return Ok((at, Vec::new())),
            None if takes_file(before) => return self.files.complete_path(line, at),
            None => {}
        }
        Ok(self.words(before))
    }

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
            return (start, Vec::new());
        }
        let known = [names::PRELUDE, names::MACROS, names::KEYWORDS].into_iter().flatten().copied();
        (start, pairs(self.names.iter().map(String::as_str).chain(known), word))
    }
}

/// Whether files are what follows: of `:load`, of `!ls`.
fn takes_file(before: &str) -> bool {
    if before.starts_with('!') {
        return true;
    }
    let Some((name, _)) = before.strip_prefix(':').and_then(|line| line.split_once(char::is_whitespace))
    else {
        return false;
    };
    command::COMMANDS.iter().any(|command| {
        (command.name == name || command.aliases.contains(&name)) && command.arguments.contains("FILE")
    })
}

/// The names that start with a word, each once, in order.
fn pairs<'n>(names: impl Iterator<Item = &'n str>, word: &str) -> Vec<Pair> {
    let mut names: Vec<&str> = names.filter(|name| name.starts_with(word)).collect();
    names.sort_unstable();
    names.dedup();
    names.into_iter().map(|name| Pair { display: name.to_owned(), replacement: name.to_owned() }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn completed(before: &str) -> Vec<String> {
        let completion =
            Completion { names: vec!["weights".to_owned(), "Wave".to_owned()], ..Completion::new() };
        let (_, pairs) = completion.complete(before, before.len()).unwrap();
        pairs.into_iter().map(|pair| pair.replacement).collect()
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
        assert_eq!(completed("// wei"), Vec::<String>::new());
    }

    #[test]
    fn files_complete_in_strings_and_after_commands() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("data.bin");
        std::fs::write(&file, "").unwrap();
        let half = file.to_str().unwrap().strip_suffix(".bin").unwrap();
        for before in [format!("std::fs::read(\"{half}"), format!(":load {half}"), format!("!cat {half}")] {
            let names = completed(&before);
            assert!(names.len() == 1 && names[0].ends_with("data.bin"), "{before}: {names:?}");
        }
        // A quote that is a character opens no string.
        assert_eq!(completed("f('\"', wei"), ["weights"]);
        assert!(completed("f(\"a\\\"b\", wei").contains(&"weights".to_owned()));
    }
}
