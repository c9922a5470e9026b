//! Kernels for a debugger: `GPUREPL_DEBUG=1`.
//!
//! They are built without optimisation and with their variables, they are
//! never taken from the cache, and their sources are kept as files under the
//! names that the machine code knows them by.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

use super::cache;

/// Whether kernels are built for a debugger.
pub(crate) fn is_on() -> bool {
    static IS_ON: OnceLock<bool> = OnceLock::new();
    *IS_ON.get_or_init(|| std::env::var("GPUREPL_DEBUG").is_ok_and(|text| !["", "0"].contains(&text.trim())))
}

/// Keeps a source as a file, and returns its path: a text has one place, so
/// that breakpoints stay. None if it cannot be written.
pub(crate) fn keep(name: &str, text: &str) -> Option<PathBuf> {
    write(folder()?, name, text)
}

/// What a module that a debugger reads is called, which it does when it comes to it.
const MODULE: &str = "module-";

/// Where modules are kept for a debugger, and what their names begin with; none if
/// there is no debugger to read them.
pub(crate) fn place_of_modules() -> Option<(&'static Path, &'static str)> {
    if is_on() { Some((folder()?, MODULE)) } else { None }
}

fn folder() -> Option<&'static Path> {
    static FOLDER: OnceLock<Option<PathBuf>> = OnceLock::new();
    let folder = FOLDER.get_or_init(|| {
        let folder = cache::folder_beside("debug").or_else(|| {
            let mut builder = tempfile::Builder::new();
            let builder = builder.prefix("gpurepl-debug-").permissions(Permissions::from_mode(0o700));
            builder.tempdir().ok().map(tempfile::TempDir::keep)
        });
        if let Some(folder) = &folder {
            remove_modules(folder);
            crate::streams::notice(format!(
                "kernels are built for a debugger; their sources are kept in {}",
                folder.display()
            ));
        }
        folder
    });
    folder.as_deref()
}

/// Removes what processes of other days have kept.
fn remove_modules(folder: &Path) {
    const DAY: Duration = Duration::from_secs(24 * 60 * 60);
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let modified = entry.metadata().and_then(|data| data.modified());
        let is_old = modified.is_ok_and(|time| time.elapsed().is_ok_and(|age| age > DAY));
        if is_old && entry.file_name().to_string_lossy().starts_with(MODULE) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

fn write(folder: &Path, name: &str, text: &str) -> Option<PathBuf> {
    let folder = folder.join(&cache::key(&[text.as_bytes()])[..16]);
    std::fs::create_dir_all(&folder).ok()?;
    let path = folder.join(name);
    // A debugger may be reading a file that is the same.
    if std::fs::read(&path).is_ok_and(|kept| kept == text.as_bytes()) {
        return Some(path);
    }
    std::fs::write(&path, text).ok()?;
    Some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_has_one_place() {
        let folder = tempfile::tempdir().unwrap();
        let first = write(folder.path(), "kernel.cu", "int a;").unwrap();
        assert_eq!(std::fs::read_to_string(&first).unwrap(), "int a;");
        assert_eq!(write(folder.path(), "kernel.cu", "int a;").unwrap(), first);
        assert_ne!(write(folder.path(), "kernel.cu", "int b;").unwrap(), first);
    }
}
