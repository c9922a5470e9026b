//! What several workers of one machine have in common.

use std::path::Path;

use crate::session_folder::SessionFolder;

/// A folder where workers of one machine find each other; in memory, where the system has such a place.
pub(super) fn meeting() -> Result<SessionFolder, String> {
    let memory = Path::new("/dev/shm");
    SessionFolder::named(memory, "workers-")
        .or_else(|_| SessionFolder::named(&std::env::temp_dir(), "workers-"))
        .map_err(|error| {
            format!(
                "the workers have no folder to meet in: {error}\n  = help: set TMPDIR to a writable folder"
            )
        })
}

/// What one of several workers finds in its environment: who it is, where the others are, and its share of the
/// cores.
pub(super) fn environment(rank: usize, count: usize, meeting: &Path) -> Vec<(String, String)> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let mut environment = vec![
        ("GPUREPL_RANK".to_owned(), rank.to_string()),
        ("GPUREPL_RANKS".to_owned(), count.to_string()),
        ("GPUREPL_LOCAL_RANK".to_owned(), rank.to_string()),
        ("GPUREPL_GROUP".to_owned(), meeting.display().to_string()),
    ];
    // Who has said how many threads there are to be has meant each of the workers.
    if std::env::var_os("RAYON_NUM_THREADS").is_none() {
        environment.push(("RAYON_NUM_THREADS".to_owned(), (cores / count).max(1).to_string()));
    }
    environment
}
