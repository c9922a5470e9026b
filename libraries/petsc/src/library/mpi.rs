//! What MPI is asked before it starts: it ends the process if it cannot.

use std::ffi::c_void;
use std::path::{Path, PathBuf};

use gpurepl_extend::{Result, error};
use libloading::os::unix::Library;

use super::functions::{self, Comm};

/// What Open MPI 4 starts beside a process that `mpiexec` has not started.
const DAEMON: &str = "orted";

/// Sees to it that MPI can start.
///
/// # Errors
///
/// If it needs a program that is not installed.
pub(super) fn check(library: &Library) -> Result<()> {
    // SAFETY: the address alone is asked for. Open MPI from 5 on does not have it, nor has another MPI.
    let is_open_mpi_4 = unsafe { library.get::<*const c_void>(b"orte_process_info") }.is_ok();
    // By `mpiexec`, by a batch system, or isolated, as the user wants it.
    let is_started = ["PMIX_NAMESPACE", "PMI_RANK", "OMPI_MCA_ess_singleton_isolated"];
    if !is_open_mpi_4 || is_started.iter().any(|name| std::env::var_os(name).is_some()) {
        return Ok(());
    }
    let mut folders: Vec<PathBuf> = ["/usr/bin", "/usr/local/bin"].map(PathBuf::from).into();
    folders.extend(std::env::var_os("OPAL_PREFIX").map(|prefix| Path::new(&prefix).join("bin")));
    folders.extend(std::env::var_os("PATH").iter().flat_map(std::env::split_paths));
    if has(DAEMON, &folders) {
        return Ok(());
    }
    let what =
        format!("Open MPI's `{DAEMON}`, without which MPI does not start outside of mpiexec, was not found");
    let help =
        "install it (Debian, Ubuntu: `apt install openmpi-bin`), or set OMPI_MCA_ess_singleton_isolated=1";
    Err(error::missing(what, help.to_owned()))
}

fn has(program: &str, folders: &[PathBuf]) -> bool {
    folders.iter().any(|folder| folder.join(program).is_file())
}

/// `PETSC_COMM_WORLD` as an argument: of Open MPI a pointer, of MPICH and of PETSc without MPI an `int`.
///
/// # Safety
///
/// The library is PETSc's, and has been started.
pub(super) unsafe fn world(library: &Library) -> Result<Comm> {
    // SAFETY: the caller's promise. Open MPI alone has the other name; the library looks for it in what it was
    // linked with.
    unsafe {
        let place: *const c_void = functions::symbol(library, "PETSC_COMM_WORLD")?;
        let is_open_mpi = library.get::<*const c_void>(b"ompi_mpi_comm_world").is_ok();
        Ok(if is_open_mpi { place.cast::<usize>().read() } else { place.cast::<u32>().read() as usize })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_found_in_folders() {
        let folders = [PathBuf::from("/nowhere"), PathBuf::from("/bin")];
        assert!(has("sh", &folders) && !has("no-such-program", &folders) && !has("sh", &folders[..1]));
    }
}
