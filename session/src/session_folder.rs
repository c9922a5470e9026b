//! The folder of a process's temporary files, and what processes that were
//! killed have left.
//!
//! Each folder holds a file that its process has locked for as long as it
//! lives. Only a folder with such a file, that nobody has locked, is removed:
//! whatever else has a name like it is someone else's.

use std::fs::{self, File, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

/// What the names of folders start with.
const PREFIX: &str = "gpurepl-";

/// The file that a living process has locked.
const LOCK: &str = "session.lock";

/// A folder for temporary files that only this user can enter. It is removed
/// when this is dropped; if the process is killed first, by the next one that
/// makes a folder in the same place.
#[derive(Debug)]
pub struct SessionFolder {
    folder: tempfile::TempDir,
    _lock: File,
}

impl SessionFolder {
    /// Makes a folder, and removes those of processes that have ended.
    ///
    /// # Errors
    ///
    /// If nothing can be written there.
    pub(crate) fn create(parent: &Path) -> io::Result<SessionFolder> {
        SessionFolder::named(parent, "")
    }

    /// As `create`; the folder's name says what it is for: `gpurepl-jupyter-`
    /// for `jupyter-`.
    ///
    /// # Errors
    ///
    /// If nothing can be written there.
    pub fn named(parent: &Path, purpose: &str) -> io::Result<SessionFolder> {
        for folder in abandoned(parent) {
            remove(&folder);
        }
        let prefix = format!("{PREFIX}{purpose}");
        let mut builder = tempfile::Builder::new();
        // Cells and what they are compiled to: other users of the machine may not read them.
        let builder = builder.prefix(&prefix).permissions(Permissions::from_mode(0o700));
        let folder = builder.tempdir_in(parent)?;
        // Locked before it has its name: whoever sees it by that name and can
        // lock it knows that its process has ended.
        let early = folder.path().join("session.new");
        let lock = File::create(&early)?;
        // Where locks do not work nobody removes anything either.
        let _ = lock.lock();
        fs::rename(early, folder.path().join(LOCK))?;
        Ok(SessionFolder { folder, _lock: lock })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// A folder that several processes of this user share. The last of them to drop it removes it; if that one is killed,
/// who next makes a folder in the same place does.
#[derive(Debug)]
pub(crate) struct Shared {
    path: PathBuf,
    /// All of them have it.
    lock: Option<File>,
}

impl Shared {
    /// Makes the folder, or joins those that have it. The name is what follows `gpurepl-`.
    ///
    /// # Errors
    ///
    /// If it cannot be made, or is not a folder of this user's.
    pub(crate) fn join(parent: &Path, name: &str) -> io::Result<Shared> {
        for folder in abandoned(parent) {
            remove(&folder);
        }
        let path = parent.join(format!("{PREFIX}{name}"));
        loop {
            match fs::DirBuilder::new().mode(0o700).create(&path) {
                Ok(()) => {}
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
            if !is_own(&path) {
                return Err(io::Error::other(format!("{} is not a folder of this user's", path.display())));
            }
            let file = path.join(LOCK);
            let lock = match File::options().write(true).create(true).truncate(false).open(&file) {
                // It has just been removed.
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                opened => opened?,
            };
            lock.lock_shared()?;
            // Somebody may have taken it for abandoned before it was locked.
            if fs::metadata(&file)
                .is_ok_and(|there| lock.metadata().is_ok_and(|own| own.ino() == there.ino()))
            {
                return Ok(Shared { path, lock: Some(lock) });
            }
        }
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        self.lock = None;
        remove(&self.path);
    }
}

/// The folders of processes that have ended.
pub(crate) fn abandoned(parent: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(parent).into_iter().flatten().flatten();
    let named = entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(PREFIX));
    named.map(|entry| entry.path()).filter(|path| is_own(path) && lock(path).is_some()).collect()
}

/// Removes such a folder; false if another process is about it, or if some of
/// it stays.
pub(crate) fn remove(folder: &Path) -> bool {
    // Held until all is gone: two sessions that start do not both remove it.
    let Some(_lock) = lock(folder) else { return false };
    // Under another name first: who joins it meanwhile would else find it half removed.
    let name = format!("{}-removed-{}", folder.display(), std::process::id());
    let folder = if fs::rename(folder, &name).is_ok() { Path::new(&name) } else { folder };
    fs::remove_dir_all(folder).is_ok()
}

/// The lock of a folder whose process has ended.
fn lock(folder: &Path) -> Option<File> {
    let file = File::open(folder.join(LOCK)).ok()?;
    file.try_lock().is_ok().then_some(file)
}

/// Whether it is a folder, and no link to one, of this user's.
fn is_own(path: &Path) -> bool {
    let own = nix::unistd::geteuid().as_raw();
    fs::symlink_metadata(path).is_ok_and(|information| information.is_dir() && information.uid() == own)
}

/// Where files of cells lie: compiled cells are loaded from there, which some
/// systems forbid in the folder for temporary files. They lie in the other one
/// then, if that allows it.
pub(crate) fn temporary_folder(other: Option<PathBuf>) -> PathBuf {
    use nix::sys::statvfs::{FsFlags, statvfs};
    let can_load =
        |path: &PathBuf| statvfs(path).is_ok_and(|info| !info.flags().contains(FsFlags::ST_NOEXEC));
    let given = std::env::temp_dir();
    if can_load(&given) { given } else { other.filter(can_load).unwrap_or(given) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shared_folder_stays_until_the_last_has_left_it() {
        let parent = tempfile::tempdir().unwrap();
        let one = Shared::join(parent.path(), "shared").unwrap();
        let other = Shared::join(parent.path(), "shared").unwrap();
        assert_eq!(one.path(), other.path());
        let path = one.path().to_owned();
        fs::write(path.join("board"), "").unwrap();
        drop(one);
        assert!(path.join("board").exists() && abandoned(parent.path()).is_empty());
        drop(other);
        assert!(!path.exists());
        fs::write(&path, "").unwrap();
        assert!(Shared::join(parent.path(), "shared").unwrap_err().to_string().contains("not a folder"));
    }

    /// A folder as a session leaves it that is killed.
    fn crashed(parent: &Path) -> PathBuf {
        let SessionFolder { folder, _lock } = SessionFolder::create(parent).unwrap();
        let path = folder.keep();
        fs::write(path.join("cell-1.rs"), "").unwrap();
        path
    }

    #[test]
    fn what_crashed_sessions_leave_is_removed_and_nothing_else() {
        let parent = tempfile::tempdir().unwrap();
        let living = SessionFolder::create(parent.path()).unwrap();
        let dead = crashed(parent.path());
        let others = parent.path().join("gpurepl-of-the-users-own");
        fs::create_dir(&others).unwrap();
        let link = parent.path().join("gpurepl-link");
        std::os::unix::fs::symlink(&dead, &link).unwrap();
        assert_eq!(abandoned(parent.path()), std::slice::from_ref(&dead));
        let next = SessionFolder::create(parent.path()).unwrap();
        assert!(!dead.exists());
        assert!(living.path().exists() && next.path().exists() && others.exists());
        assert!(fs::symlink_metadata(&link).is_ok());
        let path = next.path().to_owned();
        drop(next);
        assert!(!path.exists());
    }

    #[test]
    fn nobody_else_may_enter_a_folder_whatever_the_umask() {
        let parent = tempfile::tempdir().unwrap();
        let folder = SessionFolder::named(parent.path(), "jupyter-").unwrap();
        assert_eq!(fs::metadata(folder.path()).unwrap().mode() & 0o777, 0o700);
        assert!(folder.path().file_name().unwrap().to_string_lossy().starts_with("gpurepl-jupyter-"));
    }

    #[test]
    fn sessions_that_start_together_do_not_disturb_each_other() {
        let parent = tempfile::tempdir().unwrap();
        let dead: Vec<PathBuf> = (0..4).map(|_| crashed(parent.path())).collect();
        let start = || {
            let folder = SessionFolder::create(parent.path()).unwrap();
            let file = folder.path().join("cell-1.rs");
            fs::write(&file, "text").unwrap();
            (0..20).for_each(|_| drop(SessionFolder::create(parent.path()).unwrap()));
            assert_eq!(fs::read_to_string(file).unwrap(), "text");
        };
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(start)).collect();
            threads.into_iter().for_each(|thread| thread.join().unwrap());
        });
        assert!(dead.iter().all(|folder| !folder.exists()));
    }
}
