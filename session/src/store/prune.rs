//! Removing compiled preludes and sets that nobody uses: each version of gpurepl, and
//! each toolchain, leaves one of a hundred megabytes.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::COMPLETE;
use super::inventory::remove_unused;

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
        let _ = remove_unused(&folder);
    }
}

/// How many sets of dependencies are kept for a prelude.
const KEPT_SETS: usize = 20;

/// Removes the sets that were used least recently and are in no session's
/// use. One that others stand on was used when they were.
pub(crate) fn prune_sets(sets: &Path) {
    let used = |path: &PathBuf| fs::metadata(path.join(COMPLETE)).ok()?.modified().ok();
    let entries = fs::read_dir(sets).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut sets: Vec<(SystemTime, PathBuf)> =
        entries.filter_map(|path| Some((used(&path)?, path))).collect();
    sets.sort();
    let surplus = sets.len().saturating_sub(KEPT_SETS);
    for (_, folder) in sets.into_iter().take(surplus) {
        let _ = remove_unused(&folder);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Prelude;
    use std::fs::File;
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
        // A process that another test starts has the lock as well until it becomes another program.
        for _ in 0..1000 {
            prune(root.path());
            if !folders[5].exists() {
                return;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        panic!("what nobody uses stays");
    }
}
