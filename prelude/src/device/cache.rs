//! Compiled kernels on disk, so that a kernel is compiled once per machine.
//!
//! A file's name is a hash of everything that its contents depend on. Files
//! are written under another name and renamed, so that a reader sees a whole
//! file or none; the folder is private to the user, because what lies in it
//! is loaded into the process; and it is kept under a size.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::SystemTime;

use etcetera::BaseStrategy as _;

/// The most that the cache may hold, in bytes: room for some ten thousand
/// kernels.
const MAX_BYTES: u64 = 512 << 20;

/// The folder of the cache; none if it cannot be made, belongs to someone
/// else, or `GPUREPL_CACHE_DIR` is empty.
pub(super) fn folder() -> Option<&'static Path> {
    static FOLDER: OnceLock<Option<PathBuf>> = OnceLock::new();
    FOLDER
        .get_or_init(|| {
            let base = match std::env::var_os("GPUREPL_CACHE_DIR") {
                Some(given) if given.is_empty() => return None,
                Some(given) => PathBuf::from(given),
                None => etcetera::choose_base_strategy().ok()?.cache_dir().join("gpurepl"),
            };
            private_folder(base.join("kernels"))
        })
        .as_deref()
}

/// Makes a folder that only this user can write, or refuses it.
fn private_folder(path: PathBuf) -> Option<PathBuf> {
    use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, PermissionsExt as _};
    fs::DirBuilder::new().recursive(true).mode(0o700).create(&path).ok()?;
    let metadata = fs::metadata(&path).ok()?;
    // SAFETY: the call has no preconditions and cannot fail.
    let user = unsafe { libc::geteuid() };
    if metadata.uid() != user {
        return None;
    }
    if metadata.permissions().mode() & 0o022 != 0 {
        fs::set_permissions(&path, fs::Permissions::from_mode(0o700)).ok()?;
    }
    Some(path)
}

/// The name for what depends on these parts.
pub(crate) fn key(parts: &[&[u8]]) -> String {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    hasher.finalize().to_hex()[..40].to_owned()
}

/// Whether a source reads files that its text and options do not hold: a
/// header of the user's, which may change while its name stays.
pub(crate) fn includes_files(text: &str, options: &[String]) -> bool {
    let is_path = |option: &String| {
        ["-I", "-i", "--include", "--pre-include", "@"].iter().any(|start| option.starts_with(start))
    };
    let quotes = |line: &str| {
        let directive = line.trim_start().strip_prefix('#').map(str::trim_start);
        let name = directive.and_then(|directive| directive.strip_prefix("include"));
        name.is_some_and(|name| !name.trim_start().starts_with('<'))
    };
    options.iter().any(is_path) || text.lines().any(quotes)
}

/// The path of a cached file, if it is there.
pub(crate) fn find(name: &str) -> Option<PathBuf> {
    let path = folder()?.join(name);
    let file = fs::File::open(&path).ok()?;
    // What is used stays: the oldest are removed first.
    let _ = file.set_modified(SystemTime::now());
    Some(path)
}

/// The contents of a cached file, if it is there.
pub(crate) fn read(name: &str) -> Option<Vec<u8>> {
    fs::read(find(name)?).ok()
}

/// Keeps a file. Failing to is no error: the next run compiles again.
pub(crate) fn write(name: &str, contents: &[u8]) -> Option<PathBuf> {
    let folder = folder()?;
    let mut file = tempfile::Builder::new().prefix(".new-").tempfile_in(folder).ok()?;
    file.write_all(contents).ok()?;
    let path = folder.join(name);
    file.persist(&path).ok()?;
    // Looking through thousands of files takes longer than compiling a kernel.
    static WRITTEN: AtomicU32 = AtomicU32::new(0);
    if WRITTEN.fetch_add(1, Ordering::Relaxed).is_multiple_of(64) {
        trim(folder, MAX_BYTES);
    }
    Some(path)
}

/// Removes the least recently used files until the rest fits.
fn trim(folder: &Path, limit: u64) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let mut files: Vec<(SystemTime, u64, PathBuf)> = entries
        .flatten()
        .filter_map(|entry| {
            let metadata = entry.metadata().ok()?;
            Some((metadata.modified().ok()?, metadata.len(), entry.path()))
        })
        .collect();
    let mut total: u64 = files.iter().map(|(_, length, _)| length).sum();
    if total <= limit {
        return;
    }
    files.sort();
    for (_, length, path) in files {
        if total <= limit / 4 * 3 {
            return;
        }
        if fs::remove_file(path).is_ok() {
            total -= length;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn parts_do_not_run_together() {
        assert_ne!(key(&[b"ab", b"c"]), key(&[b"a", b"bc"]));
        assert_eq!(key(&[b"ab", b"c"]), key(&[b"ab", b"c"]));
    }

    #[test]
    fn files_of_the_users_are_noticed() {
        assert!(includes_files("int x;\n #  include \"mine.h\"\n", &[]));
        assert!(includes_files("#include NAME", &[]));
        assert!(includes_files("", &["-DA".to_owned(), "-I/home".to_owned()]));
        assert!(!includes_files("#include <math.h>\n// \"include\"", &["-DA".to_owned()]));
    }

    #[test]
    fn the_least_recently_used_go_first() {
        let folder = tempfile::tempdir().unwrap();
        for (k, name) in ["old", "middle", "new"].into_iter().enumerate() {
            let path = folder.path().join(name);
            fs::write(&path, [0; 100]).unwrap();
            let time = SystemTime::UNIX_EPOCH + Duration::from_secs(k as u64);
            fs::File::open(&path).unwrap().set_modified(time).unwrap();
        }
        trim(folder.path(), 300);
        assert!(folder.path().join("old").exists());
        trim(folder.path(), 299);
        assert!(!folder.path().join("old").exists());
        assert!(folder.path().join("new").exists());
    }

    #[test]
    fn a_folder_that_others_can_write_is_closed() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("kernels");
        fs::create_dir(&path).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o777)).unwrap();
        assert_eq!(private_folder(path.clone()), Some(path.clone()));
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o700);
    }
}
