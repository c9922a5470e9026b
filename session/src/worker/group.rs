//! What several workers of one machine have in common.

use std::path::Path;
use std::process::Command;

use crate::ranks::{share_of_cores, threads_of_rank};
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

/// The name of a folder where workers find each other that others start, the same for all of them.
pub(super) fn name() -> String {
    use std::hash::{BuildHasher as _, Hasher as _};
    // Nobody is kept from it by knowing the name: it is this user's.
    format!("workers-{:016x}", std::hash::RandomState::new().build_hasher().finish())
}

/// What one of several workers finds in its environment: who it is, where the others are, and its share of the
/// cores. A rank of `mpiexec` works that out where it is; so `is_launched` is told of the first one, which is here.
pub(super) fn environment(
    rank: usize,
    count: usize,
    meeting: &Path,
    is_launched: bool,
) -> Vec<(String, String)> {
    let mut environment = names(rank, count, rank);
    environment.push(("GPUREPL_GROUP".to_owned(), meeting.display().to_string()));
    let threads = match is_launched {
        false => share_of_cores(count),
        true if rank == 0 => threads_of_rank(count),
        true => None,
    };
    if let Some(threads) = threads {
        environment.push(("RAYON_NUM_THREADS".to_owned(), threads.to_string()));
    }
    environment
}

/// Removes what a command would inherit of a worker: a program that a worker has started is not that worker.
pub(super) fn clear(command: &mut Command) {
    if std::env::var_os("GPUREPL_GROUP").is_some() {
        for name in ["GPUREPL_RANK", "GPUREPL_RANKS", "GPUREPL_LOCAL_RANK", "GPUREPL_GROUP"] {
            command.env_remove(name);
        }
    }
}

/// Who one of several workers is; `local` is its number on its machine.
pub(super) fn names(rank: usize, count: usize, local: usize) -> Vec<(String, String)> {
    [("GPUREPL_RANK", rank), ("GPUREPL_RANKS", count), ("GPUREPL_LOCAL_RANK", local)]
        .map(|(name, number)| (name.to_owned(), number.to_string()))
        .into()
}
