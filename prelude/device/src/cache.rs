//! Compiled kernels on disk, so that a kernel is compiled once per machine.
//!
//! A file's name is a hash of everything that its contents depend on. Files
//! are written under another name and renamed, so that a reader sees a whole
//! file or none; the folder is private to the user, because what lies in it
//! is loaded into the process; and it is kept under a size: 512 MiB, or what
//! `GPUREPL_CACHE_LIMIT` says in MiB.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::SystemTime;

use etcetera::BaseStrategy as _;
use gpurepl_wire::CacheReport;
use hmac_sha256::Hash;

/// The most that the cache may hold, in MiB, where the user says nothing: room
/// for some ten thousand kernels.
const LIMIT: u64 = 512;

/// Kernels of this process that were found, and that had to be compiled.
static HITS: AtomicU64 = AtomicU64::new(0);
static MISSES: AtomicU64 = AtomicU64::new(0);

/// The folder of the cache; none if it cannot be made, belongs to someone
/// else, or `GPUREPL_CACHE_DIR` is empty.
pub(super) fn folder() -> Option<&'static Path> {
    static FOLDER: OnceLock<Option<PathBuf>> = OnceLock::new();
    FOLDER.get_or_init(|| private_folder(base()?.join("kernels"))).as_deref()
}

/// A folder beside that of the kernels, for what is not a kernel: headers, and
/// sources for a debugger.
#[doc(hidden)]
pub fn folder_beside(name: &str) -> Option<PathBuf> {
    private_folder(base()?.join(name))
}

fn base() -> Option<PathBuf> {
    match std::env::var_os("GPUREPL_CACHE_DIR") {
        Some(given) if given.is_empty() => None,
        Some(given) => Some(PathBuf::from(given)),
        None => Some(etcetera::choose_base_strategy().ok()?.cache_dir().join("gpurepl")),
    }
}

/// The most that the cache may hold, in bytes.
fn limit() -> u64 {
    static LIMIT_IN_BYTES: OnceLock<u64> = OnceLock::new();
    *LIMIT_IN_BYTES.get_or_init(|| {
        let given = std::env::var("GPUREPL_CACHE_LIMIT").ok().filter(|text| !text.trim().is_empty());
        let limit = given.as_ref().map_or(Some(LIMIT), |text| text.trim().parse().ok());
        if limit.is_none() {
            let given = given.unwrap_or_default();
            crate::streams::notice(format!(
                "GPUREPL_CACHE_LIMIT is no number of MiB: `{given}`; kernels are kept up to {LIMIT} MiB"
            ));
        }
        limit.unwrap_or(LIMIT).saturating_mul(1 << 20)
    })
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
#[doc(hidden)]
pub fn key(parts: &[&[u8]]) -> String {
    let mut hasher = Hash::new();
    for part in parts {
        hasher.update((part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    hasher.finalize()[..20].iter().map(|byte| format!("{byte:02x}")).collect()
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

/// A compiled kernel, if it is there. What is asked for here is counted.
pub(crate) fn kernel(name: &str) -> Option<Vec<u8>> {
    let found = read(name);
    let counter = if found.is_some() { &HITS } else { &MISSES };
    counter.fetch_add(1, Ordering::Relaxed);
    found
}

/// How many kernels were found so far, and how many were not.
pub(crate) fn counts() -> (u64, u64) {
    (HITS.load(Ordering::Relaxed), MISSES.load(Ordering::Relaxed))
}

/// What the cache holds, and what it was good for in this process.
pub fn report() -> CacheReport {
    let mut report = CacheReport {
        folder: folder().map(|folder| folder.display().to_string()),
        limit: limit(),
        hits: HITS.load(Ordering::Relaxed),
        misses: MISSES.load(Ordering::Relaxed),
        ..CacheReport::default()
    };
    for (_, bytes, path) in folder().map(files).unwrap_or_default() {
        report.kernels += u64::from(is_kernel(&path));
        report.bytes += bytes;
    }
    report
}

/// Removes all kernels. Those that are loaded stay as they are. The report
/// says what was removed.
pub fn clear() -> CacheReport {
    let mut removed = CacheReport { kernels: 0, bytes: 0, ..report() };
    for (_, bytes, path) in folder().map(files).unwrap_or_default() {
        // What another process is loading or writing is not ours to remove.
        let is_kernel = is_kernel(&path);
        if is_kernel && fs::remove_file(&path).is_ok() {
            removed.kernels += 1;
            removed.bytes += bytes;
        }
    }
    removed
}

fn is_kernel(path: &Path) -> bool {
    path.extension().is_some_and(|extension| ["cubin", "ptx", "so"].iter().any(|known| extension == *known))
        && path.file_name().is_some_and(|name| !name.as_encoded_bytes().starts_with(b"."))
}

/// The files of a folder: when they were used last, their sizes and paths.
fn files(folder: &Path) -> Vec<(SystemTime, u64, PathBuf)> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let file = |entry: fs::DirEntry| {
        let metadata = entry.metadata().ok().filter(fs::Metadata::is_file)?;
        Some((metadata.modified().ok()?, metadata.len(), entry.path()))
    };
    entries.filter_map(file).collect()
}

/// Keeps a file. A failure is not an error: the next run compiles again.
pub(crate) fn write(name: &str, contents: &[u8]) -> Option<PathBuf> {
    let folder = folder()?;
    let mut file = tempfile::Builder::new().prefix(".new-").tempfile_in(folder).ok()?;
    file.write_all(contents).ok()?;
    let path = folder.join(name);
    file.persist(&path).ok()?;
    // Looking through thousands of files takes longer than compiling a kernel.
    static WRITTEN: AtomicU32 = AtomicU32::new(0);
    if WRITTEN.fetch_add(1, Ordering::Relaxed).is_multiple_of(64) {
        trim(folder, limit());
    }
    Some(path)
}

/// Removes the least recently used files until the rest fits.
fn trim(folder: &Path, limit: u64) {
    let mut files = files(folder);
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
    fn what_is_being_loaded_is_no_kernel() {
        let is = |name: &str| is_kernel(Path::new(name));
        assert!(is("/c/0a.cubin") && is("/c/0b.so") && is("/c/0c.ptx"));
        assert!(!is("/c/.load-x.so") && !is("/c/nvrtc-version") && !is("/c/.new-abc"));
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
