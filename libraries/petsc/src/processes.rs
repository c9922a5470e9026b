//! The processes that work together, and what is said to all of PETSc.

use std::fmt;
use std::ops::Range;
use std::path::PathBuf;
use std::ptr::null_mut;

use gpurepl_extend::Result;

use crate::library::{c_text, petsc};

/// The PETSc that is used: what [`info`] returns.
#[derive(Clone)]
pub struct Info {
    /// Its version.
    pub version: [u32; 3],
    /// Its library.
    pub library: PathBuf,
    /// Bits of its integers: the most elements that a vector may have.
    pub integer_bits: usize,
    /// Whether it was built with CUDA.
    pub has_cuda: bool,
    /// The number of processes.
    pub processes: usize,
}

/// Which PETSc is used. It is started if that has not been done.
///
/// # Errors
///
/// If there is none, or one that does not fit.
pub fn info() -> Result<Info> {
    let petsc = petsc("info")?;
    Ok(Info {
        version: petsc.version,
        library: petsc.path.clone(),
        integer_bits: petsc.integer_bits(),
        has_cuda: petsc.cuda.is_some(),
        processes: petsc.size,
    })
}

impl fmt::Display for Info {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [major, minor, patch] = self.version;
        let cuda = if self.has_cuda { "with" } else { "without" };
        let processes = if self.processes == 1 { "process" } else { "processes" };
        write!(
            f,
            "PETSc {major}.{minor}.{patch} {cuda} CUDA, {}-bit integers, {} {processes} ({})",
            self.integer_bits,
            self.processes,
            self.library.display()
        )
    }
}

impl fmt::Debug for Info {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The version of the PETSc that is used: "3.18.5".
///
/// # Errors
///
/// As [`info`].
pub fn version() -> Result<String> {
    let [major, minor, patch] = petsc("version")?.version;
    Ok(format!("{major}.{minor}.{patch}"))
}

/// The number of this process, from 0 on.
///
/// # Errors
///
/// As [`info`].
pub fn rank() -> Result<usize> {
    Ok(petsc("rank")?.rank)
}

/// The number of processes: that of `mpiexec -n`.
///
/// # Errors
///
/// As [`info`].
pub fn size() -> Result<usize> {
    Ok(petsc("size")?.size)
}

/// Waits until all processes have called it.
///
/// # Errors
///
/// As [`info`].
pub fn barrier() -> Result<()> {
    // SAFETY: null stands for all processes.
    petsc("barrier")?.call("barrier", |f| unsafe { (f.barrier)(null_mut()) })
}

/// The places that this process has of so many that are spread evenly: of a vector's elements, a matrix's rows.
///
/// ```
/// use gpurepl_prelude::*;
/// # if std::env::var_os("GPUREPL_TEST_PETSC").is_none() { return Ok(()) }
/// assert_eq!(petsc::ownership_range(8)?, petsc::Vector::zeros(8)?.ownership_range()?);
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
///
/// As [`info`].
pub fn ownership_range(count: usize) -> Result<Range<usize>> {
    let petsc = petsc("ownership_range")?;
    Ok(part(count, petsc.rank, petsc.size.max(1)))
}

/// The first processes have one more if it does not divide evenly, as by `PETSC_DECIDE`.
fn part(count: usize, rank: usize, size: usize) -> Range<usize> {
    let (each, more) = (count / size, count % size);
    let start = each * rank + more.min(rank);
    start..start + each + usize::from(rank < more)
}

/// Adds options to PETSc's database, as a command line would: `petsc::options("-ksp_monitor -ksp_rtol 1e-8")`. They are
/// kept until [`clear_option`] takes them away. Those that PETSc reads when it starts, `-log_view` and `-info` say, go
/// to the environment variable `PETSC_OPTIONS` instead.
///
/// ```
/// use gpurepl_prelude::*;
/// # if std::env::var_os("GPUREPL_TEST_PETSC").is_none() { return Ok(()) }
/// petsc::options("-pc_type jacobi -ksp_max_it 50")?;
/// # petsc::clear_option("-pc_type")?;
/// petsc::clear_option("-ksp_max_it")?;
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
///
/// As [`info`], or if PETSc cannot read the text.
pub fn options(text: &str) -> Result<()> {
    let text = c_text("options", text)?;
    // SAFETY: null stands for the common database; the text is a C string.
    petsc("options")?.call("options", |f| unsafe { (f.options_insert)(null_mut(), text.as_ptr()) })
}

/// Takes an option out of PETSc's database.
///
/// # Errors
///
/// As [`options`].
pub fn clear_option(name: &str) -> Result<()> {
    let name = c_text("clear_option", name)?;
    // SAFETY: as above.
    petsc("clear_option")?.call("clear_option", |f| unsafe { (f.options_clear)(null_mut(), name.as_ptr()) })
}

#[cfg(test)]
mod tests {
    use super::part;

    #[test]
    fn parts_follow_each_other_and_differ_by_one_at_most() {
        let parts: Vec<_> = (0..3).map(|rank| part(8, rank, 3)).collect();
        assert_eq!(parts, [0..3, 3..6, 6..8]);
        assert_eq!((part(1, 0, 2), part(1, 1, 2)), (0..1, 1..1));
    }
}
