//! The folder that evcxr builds in. It is kept, so that the prelude and what
//! it needs are compiled once; a session has one for itself.

use std::fs::{self, File, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

/// Sessions with a kept folder at the same time: each is some hundred
/// megabytes. One more session has a folder that goes with it.
const MOST: usize = 8;

/// A kept folder that is this session's.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
    /// Whether an earlier session has compiled in it.
    is_used: bool,
    /// Locked for as long as the file is open; who cleans the store sees it.
    _lock: File,
}

impl Folder {
    /// Takes the first folder that nobody uses. Their names are a folder's of
    /// the store, the toolchain's own, with a number; none if all are taken or
    /// the store cannot be written.
    pub(super) fn take(builds: &Path) -> Option<Folder> {
        (1..=MOST).find_map(|number| {
            // Not below `builds`, which is a workspace: evcxr's package would
            // be taken for a part of it.
            let path = builds.with_added_extension(format!("evcxr-{number}"));
            let lock = File::create(path.with_added_extension("lock")).ok()?;
            lock.try_lock().ok()?;
            let is_used = path.join("target").is_dir();
            fs::create_dir_all(&path).ok()?;
            // The sources of cells are in it.
            fs::set_permissions(&path, Permissions::from_mode(0o700)).ok()?;
            clear(&path);
            Some(Folder { path, is_used, _lock: lock })
        })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Whether the prelude is most likely compiled there already.
    pub(super) fn is_used(&self) -> bool {
        self.is_used
    }
}

/// Removes what the cells of an earlier session were compiled to.
fn clear(path: &Path) {
    // Cargo would take the same text for one that is compiled.
    let _ = fs::remove_dir_all(path.join("src"));
    for target in fs::read_dir(path.join("target")).into_iter().flatten().flatten() {
        let build = target.path().join("debug");
        let _ = fs::remove_dir_all(build.join("incremental"));
        for entry in fs::read_dir(build.join("deps")).into_iter().flatten().flatten() {
            if entry.file_name().to_string_lossy().starts_with("libcode_") {
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_has_a_folder_for_itself_and_the_next_one_has_it_again() {
        let root = tempfile::tempdir().unwrap();
        let builds = root.path().join("build-x86_64-1.95.0");
        let first = Folder::take(&builds).unwrap();
        let second = Folder::take(&builds).unwrap();
        assert_ne!(first.path(), second.path());
        assert!(!first.is_used() && first.path().starts_with(root.path()));
        assert_eq!(fs::metadata(first.path()).unwrap().permissions().mode() & 0o777, 0o700);
        let deps = first.path().join("target/x86_64/debug/deps");
        fs::create_dir_all(&deps).unwrap();
        fs::write(deps.join("libcode_1.so"), "a cell").unwrap();
        fs::write(deps.join("libgpurepl_prelude.so"), "the prelude").unwrap();
        let path = first.path().to_owned();
        drop(first);
        let again = Folder::take(&builds).unwrap();
        assert_eq!(again.path(), path);
        assert!(again.is_used());
        assert!(!deps.join("libcode_1.so").exists() && deps.join("libgpurepl_prelude.so").exists());
    }

    #[test]
    fn there_is_an_end_to_folders() {
        let root = tempfile::tempdir().unwrap();
        let builds = root.path().join("build");
        let taken: Vec<Folder> = std::iter::from_fn(|| Folder::take(&builds)).take(100).collect();
        assert_eq!(taken.len(), MOST);
        assert!(Folder::take(&root.path().join("no/such/build")).is_none());
    }
}
