//! Where a place is: which machine, and which rank its starter has made it.

use std::fs;
use std::os::unix::fs::MetadataExt as _;

/// The variables of those who start ranks: the number of one, and how many there are; and whether they are MPI's.
const VARIABLES: [(&str, &str, bool); 4] = [
    ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", true),
    // Slurm sets one of these where it starts ranks of MPI.
    ("PMI_RANK", "PMI_SIZE", true),
    ("PMIX_RANK", "SLURM_NTASKS", true),
    ("SLURM_PROCID", "SLURM_NTASKS", false),
];

/// The rank that the environment tells of, with how many there are; and whether MPI has started it.
pub(super) fn rank(variable: &dyn Fn(&str) -> Option<String>) -> (Option<(usize, usize)>, bool) {
    let number = |name: &str| variable(name)?.trim().parse::<usize>().ok();
    VARIABLES
        .iter()
        .find_map(|(rank, ranks, is_mpi)| {
            let (rank, ranks) = (number(rank)?, number(ranks)?);
            (rank < ranks).then_some((Some((rank, ranks)), *is_mpi))
        })
        .unwrap_or((None, false))
}

/// What the machine is called.
pub(crate) fn host() -> String {
    let name = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let name = name.trim();
    if name.is_empty() { "a machine without a name".to_owned() } else { name.to_owned() }
}

/// What tells machines apart that cannot be told apart by themselves.
const MACHINE: &str = "GPUREPL_MACHINE";

/// The same for processes that share memory by its files, and no others: of one machine, and of one container where
/// containers have shared memory of their own. What the user says of it counts as well.
pub(super) fn name() -> String {
    let said = std::env::var(MACHINE).unwrap_or_default();
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_else(|_| host());
    let memory = fs::metadata("/dev/shm").map_or((0, 0), |memory| (memory.dev(), memory.ino()));
    let user = nix::unistd::geteuid();
    format!("{}-{}-{}-{user}-{said}", boot.trim(), memory.0, memory.1)
}
