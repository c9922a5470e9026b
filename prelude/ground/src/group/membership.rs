//! Which rank a process is, by its environment.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use gpurepl_board::MOST;

/// What the environment says.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Membership {
    pub rank: usize,
    pub ranks: usize,
    /// The folder that the ranks share; why there is none.
    folder: Result<PathBuf, String>,
    /// Why it is taken for one rank though the session's variables speak of more.
    pub problem: Option<String>,
}

/// The variables of a rank and of the number of ranks, by whoever starts them: a session, Open MPI, and what speaks PMI
/// (MPICH, Slurm).
const VARIABLES: [[&str; 2]; 3] = [
    ["GPUREPL_RANK", "GPUREPL_RANKS"],
    ["OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"],
    ["PMI_RANK", "PMI_SIZE"],
];

const FOLDER: &str = "GPUREPL_GROUP";

impl Membership {
    /// Reads the environment.
    pub(super) fn read(variable: &dyn Fn(&str) -> Option<OsString>) -> Membership {
        let number = |name: &str| variable(name)?.to_str()?.trim().parse::<usize>().ok();
        let alone = |problem| {
            let folder = Err("there is one rank, which shares no folder".to_owned());
            Membership { rank: 0, ranks: 1, folder, problem }
        };
        let Some(names) = VARIABLES.iter().find(|names| names.iter().any(|name| variable(name).is_some()))
        else {
            return alone(None);
        };
        let is_ours = *names == VARIABLES[0];
        let (rank, ranks) = match names.map(number) {
            [Some(rank), Some(ranks)] if rank < ranks && ranks <= MOST => (rank, ranks),
            // Of those of others nothing is known, and most programs have nothing to do with them.
            _ if !is_ours => return alone(None),
            _ => return alone(Some(unclear(names))),
        };
        let folder = match variable(FOLDER) {
            Some(folder) if is_ours && !folder.is_empty() => Ok(PathBuf::from(folder)),
            _ if is_ours => {
                Err(format!("{FOLDER} does not name the folder of this group; start it by a session"))
            }
            _ => Err(format!(
                "these {ranks} ranks are sessions of their own, on several machines or by `--workers 1`, which cannot do \
                 this yet; leave `--workers` out, on one machine"
            )),
        };
        Membership { rank, ranks, folder, problem: None }
    }

    /// The folder that the ranks share.
    pub(super) fn folder(&self) -> Result<&Path, String> {
        self.folder.as_deref().map_err(Clone::clone)
    }
}

fn unclear([rank, ranks]: &[&str; 2]) -> String {
    format!(
        "{rank} and {ranks} do not say which rank this is; they are whole numbers, the first is less than the second, \
         and there are at most {MOST} ranks"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(variables: &[(&str, &str)]) -> Membership {
        Membership::read(&|name| {
            variables.iter().find(|(key, _)| *key == name).map(|(_, value)| OsString::from(value))
        })
    }

    #[test]
    fn a_process_is_alone_without_variables() {
        let alone = read(&[]);
        assert_eq!((alone.rank, alone.ranks), (0, 1));
        assert_eq!(alone.problem, None);
    }

    #[test]
    fn a_session_says_rank_and_folder() {
        let member = read(&[("GPUREPL_RANK", "2"), ("GPUREPL_RANKS", "4"), ("GPUREPL_GROUP", "/x")]);
        assert_eq!((member.rank, member.ranks), (2, 4));
        assert_eq!(member.folder(), Ok(Path::new("/x")));
        let without = read(&[("GPUREPL_RANK", "2"), ("GPUREPL_RANKS", "4")]);
        assert!(without.folder().unwrap_err().starts_with("GPUREPL_GROUP does not name"));
        let empty = read(&[("GPUREPL_RANK", "2"), ("GPUREPL_RANKS", "4"), ("GPUREPL_GROUP", "")]);
        assert!(empty.folder().unwrap_err().starts_with("GPUREPL_GROUP does not name"));
    }

    #[test]
    fn ranks_that_are_no_session_are_known_and_told_what_to_do() {
        for names in [["OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"], ["PMI_RANK", "PMI_SIZE"]] {
            let member = read(&[(names[0], "1"), (names[1], "3")]);
            assert_eq!((member.rank, member.ranks), (1, 3));
            assert!(member.folder().unwrap_err().ends_with("leave `--workers` out, on one machine"));
        }
        // A session's own say more: it may have been started by `mpiexec`.
        let both = read(&[
            ("OMPI_COMM_WORLD_RANK", "1"),
            ("OMPI_COMM_WORLD_SIZE", "3"),
            ("GPUREPL_RANK", "0"),
            ("GPUREPL_RANKS", "1"),
        ]);
        assert_eq!((both.rank, both.ranks), (0, 1));
    }

    #[test]
    fn what_cannot_be_is_said() {
        for (rank, ranks) in [("4", "4"), ("x", "4"), ("-1", "4"), ("0", ""), ("0", "0"), ("0", "5000")] {
            let member = read(&[("GPUREPL_RANK", rank), ("GPUREPL_RANKS", ranks), ("GPUREPL_GROUP", "/x")]);
            assert_eq!((member.rank, member.ranks), (0, 1));
            assert!(member.problem.unwrap().contains("do not say which rank this is"), "{rank} {ranks}");
        }
        let alone = read(&[("PMI_RANK", "what"), ("PMI_SIZE", "4")]);
        assert_eq!((alone.rank, alone.ranks, alone.problem), (0, 1, None));
    }
}
