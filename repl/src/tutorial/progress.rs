//! How far the reader is in each chapter, in a file.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::PathBuf;

/// How far the reader is in each chapter.
#[derive(Debug, Default)]
pub struct Progress {
    /// The first cell that has not been gone through, by the chapter's name.
    cells: BTreeMap<String, usize>,
    file: Option<PathBuf>,
}

impl Progress {
    /// As it was left.
    pub fn read() -> Progress {
        let file = crate::history::file().map(|history| history.with_file_name("tutorial.toml"));
        Progress::of_file(file)
    }

    /// That of a file; of one that is not there, or holds something else, it is none.
    pub fn of_file(file: Option<PathBuf>) -> Progress {
        let text = file.as_ref().and_then(|file| std::fs::read_to_string(file).ok()).unwrap_or_default();
        Progress { cells: toml::from_str(&text).unwrap_or_default(), file }
    }

    /// The first cell of a chapter that has not been gone through.
    pub fn of(&self, chapter: &str) -> usize {
        self.cells.get(chapter).copied().unwrap_or(0)
    }

    /// Notes it, also in the file: where that cannot be written it is forgotten at the end.
    pub fn note(&mut self, chapter: &str, cell: usize) {
        self.cells.insert(chapter.to_owned(), cell);
        let Some(file) = &self.file else { return };
        let Some(folder) = file.parent() else { return };
        let Ok(text) = toml::to_string(&self.cells) else { return };
        if let Ok(mut new) = tempfile::NamedTempFile::new_in(folder)
            && new.write_all(text.as_bytes()).is_ok()
        {
            let _ = new.persist(file);
        }
    }
}
