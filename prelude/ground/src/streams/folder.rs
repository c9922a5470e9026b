//! The session's folder, for files that must not outlive it.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The folder of the session's own files, which it removes when it ends; none
/// in a program of its own, and before the first cell.
static FOLDER: Mutex<Option<PathBuf>> = Mutex::new(None);

/// Notes the folder that the session's compiled cells lie in.
pub fn note_folder(library: &Path) {
    *FOLDER.lock().unwrap_or_else(PoisonError::into_inner) = library.parent().map(Into::into);
}

/// A new folder that only this user can enter: in the session's, which is
/// removed also if this process is killed; in a program of its own among
/// temporary files.
pub fn temporary_folder(prefix: &str) -> std::io::Result<tempfile::TempDir> {
    use std::os::unix::fs::PermissionsExt as _;
    let session = FOLDER.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let mut builder = tempfile::Builder::new();
    let builder = builder.permissions(std::fs::Permissions::from_mode(0o700));
    match session {
        Some(session) => builder.prefix(prefix).tempdir_in(session),
        None => builder.prefix(&format!("gpurepl-{prefix}")).tempdir(),
    }
}
