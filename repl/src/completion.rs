//! How words go on: what Tab offers.
//!
//! The session's analysis knows names, types and commands; files are the line
//! editor's. The analyser is started when Tab is first pressed: it takes some
//! seconds and a gigabyte, which a session without completion need not spend.

use gpurepl_session::analysis::{Analysis, Candidate};
use gpurepl_session::{Session, command};
use rustyline::completion::{FilenameCompleter, Pair};

use crate::highlight::{Open, pieces};

/// Knows how words go on.
pub struct Completion {
    analysis: Option<Analysis>,
    files: FilenameCompleter,
}

/// With more candidates than this there is room for names alone.
const MOST_DETAILED: usize = 12;

/// Characters of a type or signature that are shown.
const DETAIL: usize = 60;

impl Completion {
    /// Knows what is known without a session.
    pub fn new() -> Completion {
        Completion { analysis: None, files: FilenameCompleter::new() }
    }

    /// Takes note of what the session's cells have made.
    pub fn refresh(&mut self, session: &Session) {
        self.analysis.get_or_insert_with(|| session.analysis());
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
        let Some(analysis) = &self.analysis else { return Ok((at, Vec::new())) };
        analysis.start();
        let found = analysis.complete(line, at);
        let is_detailed = found.items.len() <= MOST_DETAILED;
        Ok((found.range.start, found.items.iter().map(|item| pair(item, is_detailed)).collect()))
    }
}

/// A candidate as the line editor lists it.
fn pair(item: &Candidate, is_detailed: bool) -> Pair {
    let mut display = item.label.clone();
    if is_detailed && !item.detail.is_empty() {
        let detail: String = item.detail.chars().take(DETAIL).collect();
        let dots = if detail.len() < item.detail.len() { "..." } else { "" };
        display.push_str(&format!("  {detail}{dots}"));
    }
    Pair { display, replacement: item.replacement.clone() }
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

#[cfg(test)]
mod tests {
    use super::*;
    use gpurepl_session::analysis::Project;
    use gpurepl_session::{Definitions, Variable};

    fn completed(before: &str) -> Vec<String> {
        let analysis = Analysis::new(Project::default());
        let names = [("weights", "f64"), ("a", "GpuArray<f32>")];
        let variable = |(name, of): &(&str, &str)| Variable {
            name: (*name).to_owned(),
            type_name: (*of).to_owned(),
            is_mutable: false,
            cell: 1,
        };
        analysis.update(names.iter().map(variable).collect(), Definitions::default());
        let completion = Completion { analysis: Some(analysis), ..Completion::new() };
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
