//! Earlier cells, of this kernel and of others: a file with a line of JSON for
//! each, which all kernels of a user append to.

use std::collections::HashSet;
use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use etcetera::BaseStrategy as _;
use jupyter_protocol::{HistoryEntry, HistoryReply, HistoryRequest};
use serde::{Deserialize, Serialize};

use crate::log;

/// A cell that has been run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Entry {
    /// The kernel's number.
    session: u64,
    /// The cell's.
    line: u64,
    input: String,
    /// Its value in plain text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    output: Option<String>,
}

/// All cells of a user's.
pub struct History {
    path: Option<PathBuf>,
    /// This kernel's number.
    session: u64,
    is_broken: AtomicBool,
}

/// Where the cells are kept.
pub fn file() -> Option<PathBuf> {
    let strategy = etcetera::choose_base_strategy().ok()?;
    let folder = strategy.state_dir().unwrap_or_else(|| strategy.data_dir()).join("gpurepl");
    std::fs::create_dir_all(&folder).ok()?;
    Some(folder.join("notebook-history.jsonl"))
}

/// The file is cut when a kernel finds it longer than this: 16 MiB.
const MOST: u64 = 16 << 20;

impl History {
    /// A history in a file, or in none: then it is empty.
    pub fn start(path: Option<PathBuf>) -> History {
        let mut history = History { path, session: 1, is_broken: AtomicBool::new(false) };
        match history.begin() {
            Ok(session) => history.session = session,
            Err(error) => history.complain(&error),
        }
        history
    }

    /// Takes the next number, for which an empty entry stands.
    fn begin(&self) -> io::Result<u64> {
        let Some(mut file) = self.open()? else { return Ok(1) };
        cut(&mut file)?;
        let entries = read(&mut file)?;
        let session = entries.iter().map(|entry| entry.session).max().unwrap_or(0) + 1;
        append(&mut file, &Entry { session, line: 0, input: String::new(), output: None })?;
        Ok(session)
    }

    /// The file, which is this process's alone until it is closed.
    fn open(&self) -> io::Result<Option<File>> {
        let Some(path) = &self.path else { return Ok(None) };
        let file = OpenOptions::new().read(true).append(true).create(true).mode(0o600).open(path)?;
        file.lock()?;
        let mut permissions = file.metadata()?.permissions();
        // Earlier versions let everybody read it.
        if permissions.mode() & 0o077 != 0 {
            permissions.set_mode(0o600);
            file.set_permissions(permissions)?;
        }
        Ok(Some(file))
    }

    fn complain(&self, error: &io::Error) {
        if !self.is_broken.swap(true, Ordering::Relaxed) {
            let path = self.path.as_deref().map(|path| path.display().to_string()).unwrap_or_default();
            log::line(&format!("the history {path} cannot be kept: {error}"));
        }
    }

    /// Notes a cell.
    pub fn add(&self, line: u64, input: &str, output: Option<&str>) {
        let entry =
            Entry { session: self.session, line, input: input.to_owned(), output: output.map(str::to_owned) };
        let added = self.open().and_then(|file| file.map_or(Ok(()), |mut file| append(&mut file, &entry)));
        if let Err(error) = added {
            self.complain(&error);
        }
    }

    fn all(&self) -> Vec<Entry> {
        let entries = self.open().and_then(|file| file.map_or(Ok(Vec::new()), |mut file| read(&mut file)));
        let mut entries = entries.unwrap_or_else(|error| {
            self.complain(&error);
            Vec::new()
        });
        entries.retain(|entry| entry.line > 0);
        // Kernels that run at the same time write by turns.
        entries.sort_by_key(|entry| entry.session);
        entries
    }

    /// Answers a question about earlier cells.
    pub fn reply(&self, request: &HistoryRequest) -> HistoryReply {
        let (found, with_output) = match request {
            HistoryRequest::Tail { n, output, .. } => (last(self.all(), *n), *output),
            HistoryRequest::Range { session, start, stop, output, .. } => {
                (self.range(session.unwrap_or(0), *start, *stop), *output)
            }
            HistoryRequest::Search { pattern, unique, output, n, .. } => {
                let mut found = self.all();
                found.retain(|entry| matches(pattern, &entry.input));
                if *unique {
                    // What was run often stands where it was run last.
                    let mut seen = HashSet::new();
                    found.reverse();
                    found.retain(|entry| seen.insert(entry.input.clone()));
                    found.reverse();
                }
                (last(found, *n), *output)
            }
        };
        HistoryReply::new(found.into_iter().map(|entry| told(entry, with_output)).collect())
    }

    /// Cells of one kernel: this one is 0, the one before it -1.
    fn range(&self, session: i32, start: i32, stop: i32) -> Vec<Entry> {
        let session = match u64::try_from(session) {
            Ok(0) => self.session,
            Ok(session) => session,
            Err(_) => self.session.saturating_sub(u64::from(session.unsigned_abs())),
        };
        let mut found = self.all();
        let lines = u64::try_from(start).unwrap_or(0)..u64::try_from(stop).unwrap_or(u64::MAX);
        found.retain(|entry| entry.session == session && lines.contains(&entry.line));
        found
    }
}

fn told(entry: Entry, with_output: bool) -> HistoryEntry {
    let number = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
    let (session, line) = (number(entry.session), number(entry.line));
    if with_output {
        HistoryEntry::InputOutput(session, line, (entry.input, entry.output.unwrap_or_default()))
    } else {
        HistoryEntry::Input(session, line, entry.input)
    }
}

/// The last so many; all, if the number is negative.
fn last(mut entries: Vec<Entry>, count: i32) -> Vec<Entry> {
    if let Ok(count) = usize::try_from(count) {
        entries.drain(..entries.len().saturating_sub(count));
    }
    entries
}

/// Whether a text fits a pattern with `*` and `?`, as a whole.
fn matches(pattern: &str, text: &str) -> bool {
    let (pattern, text): (Vec<char>, Vec<char>) = (pattern.chars().collect(), text.chars().collect());
    let (mut p, mut t) = (0, 0);
    // Where the last star stands, and the place in the text that it reaches.
    let mut star: Option<(usize, usize)> = None;
    while t < text.len() {
        match pattern.get(p) {
            Some('*') => {
                star = Some((p, t));
                p += 1;
            }
            Some(c) if *c == '?' || *c == text[t] => (p, t) = (p + 1, t + 1),
            _ => match &mut star {
                Some((at, reached)) => {
                    *reached += 1;
                    (p, t) = (*at + 1, *reached);
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|c| *c == '*')
}

fn append(file: &mut File, entry: &Entry) -> io::Result<()> {
    let mut line = serde_json::to_vec(entry)?;
    line.push(b'\n');
    file.write_all(&line)
}

/// The entries of a file; lines that are none are left out.
fn read(file: &mut File) -> io::Result<Vec<Entry>> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    file.read_to_end(&mut bytes)?;
    Ok(bytes.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok()).collect())
}

/// Drops the older half of a file that is too long.
fn cut(file: &mut File) -> io::Result<()> {
    if file.metadata()?.len() <= MOST {
        return Ok(());
    }
    let entries = read(file)?;
    file.set_len(0)?;
    let lines = entries[entries.len() / 2..].iter().flat_map(|entry| {
        let mut line = serde_json::to_vec(entry).unwrap_or_default();
        line.push(b'\n');
        line
    });
    file.write_all(&lines.collect::<Vec<u8>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(reply: &HistoryReply) -> Vec<String> {
        let text = |entry: &HistoryEntry| match entry {
            HistoryEntry::Input(session, line, input) => format!("{session}/{line}: {input}"),
            HistoryEntry::InputOutput(session, line, (input, output)) => {
                format!("{session}/{line}: {input} -> {output}")
            }
        };
        reply.history.iter().map(text).collect()
    }

    #[test]
    fn cells_outlive_kernels() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("history");
        let first = History::start(Some(path.clone()));
        first.add(1, "let a = 1;", None);
        first.add(2, "a", Some("1"));
        std::fs::OpenOptions::new().append(true).open(&path).unwrap().write_all(b"garbage\n").unwrap();
        let second = History::start(Some(path.clone()));
        first.add(3, "a", Some("1"));
        second.add(1, "b", None);
        let tail = |n, output| HistoryRequest::Tail { n, output, raw: true };
        assert_eq!(texts(&second.reply(&tail(2, true))), ["1/3: a -> 1", "2/1: b -> "]);
        assert_eq!(texts(&second.reply(&tail(-1, false))).len(), 4);
        let range = |session, start, stop| HistoryRequest::Range {
            session: Some(session),
            start,
            stop,
            output: false,
            raw: true,
        };
        assert_eq!(texts(&second.reply(&range(-1, 2, 3))), ["1/2: a"]);
        assert_eq!(texts(&second.reply(&range(0, 1, i32::MAX))), ["2/1: b"]);
        let search = |unique, n| HistoryRequest::Search {
            pattern: "?".to_owned(),
            unique,
            output: false,
            raw: true,
            n,
        };
        assert_eq!(texts(&second.reply(&search(false, -1))).len(), 3);
        assert_eq!(texts(&second.reply(&search(true, -1))), ["1/3: a", "2/1: b"]);
        assert_eq!(texts(&second.reply(&search(false, 1))), ["2/1: b"]);
        assert_eq!(texts(&History::start(None).reply(&tail(5, false))), Vec::<String>::new());
    }

    #[test]
    fn nobody_else_may_read_the_file_nor_one_of_an_earlier_version() {
        let folder = tempfile::tempdir().unwrap();
        let mode = |path: &PathBuf| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let new = folder.path().join("new");
        History::start(Some(new.clone())).add(1, "let a = 1;", None);
        assert_eq!(mode(&new), 0o600);
        let old = folder.path().join("old");
        std::fs::write(&old, "").unwrap();
        std::fs::set_permissions(&old, std::fs::Permissions::from_mode(0o644)).unwrap();
        History::start(Some(old.clone()));
        assert_eq!(mode(&old), 0o600);
    }

    #[test]
    fn patterns_have_stars() {
        for (pattern, text, fits) in [
            ("let*", "let a = 1;\nlet b", true),
            ("*b", "let a = 1;\nlet b", true),
            ("*a*1*", "let a = 1;", true),
            ("let ?", "let a", true),
            ("let", "let a", false),
            ("*", "", true),
            ("**x", "aax", true),
            ("a*x", "aaxy", false),
        ] {
            assert_eq!(matches(pattern, text), fits, "{pattern} {text}");
        }
    }

    #[test]
    fn a_long_file_is_cut() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("history");
        let history = History::start(Some(path.clone()));
        for line in 1..=20 {
            history.add(line, &"x".repeat(1 << 20), None);
        }
        let next = History::start(Some(path.clone()));
        assert!(std::fs::metadata(path).unwrap().len() < 12 << 20);
        assert_eq!(next.session, 2);
    }
}
