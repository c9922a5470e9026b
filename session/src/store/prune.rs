//! Removing compiled preludes that nobody uses: each version of gpurepl, and
//! each toolchain, leaves one of a hundred megabytes.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::COMPLETE;

/// How many are kept, whoever uses them: two versions that are used in turns
/// are not built again and again.
const KEPT: usize = 3;

/// Removes the ones that were used least recently and are in no session's use.
pub(super) fn prune(root: &Path) {
    let mut preludes: Vec<(SystemTime, PathBuf)> = fs::read_dir(root)
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| {
            let used = fs::metadata(entry.path().join(COMPLETE)).ok()?.modified().ok()?;
            Some((used, entry.path()))
        })
        .collect();
    preludes.sort();
    preludes.reverse();
    for (_, folder) in preludes.into_iter().skip(KEPT) {
        let complete = folder.join(COMPLETE);
        // A session holds a shared lock.
        if File::open(&complete).is_ok_and(|file| file.try_lock().is_ok()) {
            // From now on it is not found any more.
            let _ = fs::remove_file(&complete);
            let _ = fs::remove_dir_all(&folder);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Prelude;
    use std::time::Duration;

    #[test]
    fn what_is_used_stays() {
        let root = tempfile::tempdir().unwrap();
        let folder = |age: u64| {
            let folder = root.path().join(format!("{age}"));
            fs::create_dir(&folder).unwrap();
            let file = File::create(folder.join(COMPLETE)).unwrap();
            file.set_modified(SystemTime::now() - Duration::from_secs(age)).unwrap();
            folder
        };
        let folders: Vec<PathBuf> = (0..6).map(|k| folder(1000 * k)).collect();
        // The oldest is in use, which also makes it the latest.
        let used = Prelude::open(folders[5].clone()).unwrap();
        fs::File::open(folders[5].join(COMPLETE))
            .unwrap()
            .set_modified(SystemTime::now() - Duration::from_secs(9000))
            .unwrap();
        prune(root.path());
        let left: Vec<bool> = folders.iter().map(|folder| folder.exists()).collect();
        assert_eq!(left, [true, true, true, false, false, true]);
        drop(used);
        prune(root.path());
        assert!(!folders[5].exists());
    }
}
