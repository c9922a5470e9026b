//! The cells of this session and of earlier ones: `:history`, and the file
//! that outlives the shell.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use etcetera::BaseStrategy as _;

/// A cell that was typed, or that an editor has brought.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its number.
    pub number: u64,
    /// Its text.
    pub source: String,
}

/// The cells of this session.
#[derive(Debug, Default)]
pub struct Record {
    entries: Vec<Entry>,
}

impl Record {
    /// Notes a cell.
    pub fn push(&mut self, number: u64, source: &str) {
        self.entries.push(Entry { number, source: source.trim_end().to_owned() });
    }

    /// The cell of a number.
    pub fn cell(&self, number: u64) -> Option<&Entry> {
        self.entries.iter().rev().find(|entry| entry.number == number)
    }

    /// What `:history` with these arguments shows; `earlier` are the texts of
    /// all sessions, the oldest first.
    ///
    /// # Errors
    ///
    /// If the arguments are not a question.
    pub fn answer(&self, arguments: &str, earlier: impl Iterator<Item = String>) -> Result<String, String> {
        if let Some(pattern) = arguments.strip_prefix("-g") {
            let pattern = pattern.trim();
            if pattern.is_empty() {
                return Err("what to look for? `:history -g PATTERN`".to_owned());
            }
            let mut found: Vec<String> = Vec::new();
            for text in earlier.filter(|text| matches(text, pattern)) {
                // What was typed often is shown where it was typed last.
                found.retain(|other| *other != text);
                found.push(text);
            }
            return Ok(match found.is_empty() {
                true => format!("nothing contains `{pattern}`"),
                false => found.join("\n"),
            });
        }
        let count = match arguments {
            "" => self.entries.len(),
            count => count
                .parse()
                .map_err(|_| "`:history`, `:history N` for the last N cells, or `:history -g PATTERN`")?,
        };
        let shown = &self.entries[self.entries.len().saturating_sub(count)..];
        let width = shown.iter().map(|entry| entry.number.to_string().len()).max().unwrap_or(1);
        let lines = shown.iter().flat_map(|entry| {
            entry.source.lines().enumerate().map(move |(k, line)| {
                let number = if k == 0 { format!("{}:", entry.number) } else { String::new() };
                format!("{number:>0$} {line}", width + 1)
            })
        });
        let text = lines.collect::<Vec<_>>().join("\n");
        Ok(if text.is_empty() { "no cells yet".to_owned() } else { text })
    }
}

/// Whether a text contains a pattern. A pattern without capitals finds texts
/// with them, too.
fn matches(text: &str, pattern: &str) -> bool {
    if pattern.chars().any(char::is_uppercase) {
        text.contains(pattern)
    } else {
        text.to_lowercase().contains(pattern)
    }
}

/// Where the history is kept, in a folder that exists.
pub fn file() -> Option<PathBuf> {
    let strategy = etcetera::choose_base_strategy().ok()?;
    let folder = strategy.state_dir().unwrap_or_else(|| strategy.data_dir()).join("gpurepl");
    std::fs::create_dir_all(&folder).ok()?;
    Some(folder.join("history"))
}

/// Makes a file of the history text again, in which a byte is not UTF-8: the
/// editor would read no further, and add nothing to it any more.
///
/// # Errors
///
/// If it cannot be read or written.
pub fn mend(path: &Path) -> std::io::Result<()> {
    let bytes = std::fs::read(path)?;
    if std::str::from_utf8(&bytes).is_ok() {
        return Ok(());
    }
    // A whole file at once, as only its owner may read it.
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(String::from_utf8_lossy(&bytes).as_bytes())?;
    file.persist(path)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_history_with_a_byte_that_is_not_utf8_is_text_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("history");
        std::fs::write(&path, b"#V2\nlet a = \"\xe9\";\nlet b = 2;\n").unwrap();
        mend(&path).unwrap();
        let expected = "#V2\nlet a = \"\u{fffd}\";\nlet b = 2;\n";
        assert_eq!(std::fs::read_to_string(&path).unwrap(), expected);
        mend(&path).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), expected);
        assert!(mend(&folder.path().join("none")).is_err());
    }

    fn record() -> Record {
        let mut record = Record::default();
        record.push(9, "let a = 1;");
        record.push(10, "fn f() {\n    1\n}\n");
        record
    }

    fn none() -> impl Iterator<Item = String> {
        std::iter::empty()
    }

    #[test]
    fn cells_have_their_numbers() {
        assert_eq!(record().answer("", none()).unwrap(), " 9: let a = 1;\n10: fn f() {\n        1\n    }");
        assert_eq!(record().answer("1", none()).unwrap(), "10: fn f() {\n        1\n    }");
        assert_eq!(record().answer("50", none()).unwrap().lines().count(), 4);
        assert_eq!(Record::default().answer("", none()).unwrap(), "no cells yet");
        assert!(record().answer("x", none()).unwrap_err().contains("-g PATTERN"));
        assert_eq!(record().cell(9).unwrap().source, "let a = 1;");
        assert_eq!(record().cell(11), None);
    }

    #[test]
    fn earlier_sessions_are_searched() {
        let earlier = || ["let A = 1;", "b", "let a = 2;", "let A = 1;"].into_iter().map(str::to_owned);
        assert_eq!(record().answer("-g let a", earlier()).unwrap(), "let a = 2;\nlet A = 1;");
        assert_eq!(record().answer("-g A", earlier()).unwrap(), "let A = 1;");
        assert!(record().answer("-g zzz", earlier()).unwrap().contains("nothing"));
        assert!(record().answer("-g", earlier()).is_err());
    }
}
