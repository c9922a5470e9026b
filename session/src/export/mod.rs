//! The cells of a session as files that others can use.

mod notebook;
mod plugins;
mod project;

pub(crate) use notebook::notebook;
pub(crate) use plugins::named_in as plugins_named_in;
pub(crate) use project::{Program, project};

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::Path;

use crate::engine::Edit;
use crate::transcript::Entry;

/// Cells as a script in the percent format, which `gpurepl FILE.rs` runs.
pub(crate) fn script(entries: &[Entry]) -> String {
    let mut text = String::new();
    for entry in entries {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str("// %%\n");
        text.push_str(entry.source.trim_matches('\n').trim_end());
        text.push('\n');
    }
    text
}

/// A text with some edits, which do not overlap.
pub(crate) fn edited(text: &str, edits: &[Edit]) -> String {
    let mut edits: Vec<&Edit> = edits.iter().collect();
    // From the last to the first, so that places before stay; what is put in
    // at a place stands before what is replaced there.
    edits.sort_by_key(|edit| std::cmp::Reverse((edit.range.start, edit.range.end)));
    let mut text = text.to_owned();
    edits.into_iter().for_each(|edit| text.replace_range(edit.range.clone(), &edit.text));
    text
}

/// Writes a file. One that is there is replaced only if that is requested, and
/// only by a whole one.
pub(crate) fn write(path: &Path, text: &str, replaces: bool) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("writing {}: {error}", path.display());
    if !replaces {
        let mut file = OpenOptions::new().write(true).create_new(true).open(path).map_err(|error| {
            if error.kind() == std::io::ErrorKind::AlreadyExists {
                format!("{} is there already; `-f` replaces it", path.display())
            } else {
                failed(error)
            }
        })?;
        return file.write_all(text.as_bytes()).map_err(failed);
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = tempfile::NamedTempFile::new_in(folder).map_err(failed)?;
    file.write_all(text.as_bytes()).map_err(failed)?;
    // As files are that are made in the usual way.
    let readable = <fs::Permissions as std::os::unix::fs::PermissionsExt>::from_mode(0o644);
    file.as_file().set_permissions(readable).map_err(failed)?;
    file.persist(path).map(drop).map_err(|error| failed(error.error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_is_read_again_as_the_same_cells() {
        let sources = ["let a = 1;\nlet b = 2;", "%time a + b", "// words\na"];
        let entry = |source: &&str| Entry {
            number: 1,
            source: (*source).to_owned(),
            is_done: true,
            outputs: Vec::new(),
        };
        let text = script(&sources.iter().map(entry).collect::<Vec<_>>());
        let cells = crate::script::cells(&text);
        let read: Vec<&str> = cells.iter().map(|cell| cell.source.trim_end()).collect();
        assert_eq!(read, sources);
    }

    #[test]
    fn a_file_that_is_there_stays_unless_it_is_to_be_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.rs");
        write(&path, "one", false).unwrap();
        assert!(write(&path, "two", false).unwrap_err().contains("`-f` replaces it"));
        assert_eq!(fs::read_to_string(&path).unwrap(), "one");
        write(&path, "two", true).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "two");
    }
}
