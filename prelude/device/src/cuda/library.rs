//! Finding the CUDA driver and the run-time compiler.
//!
//! The bindings look for a library by name and panic if there is none. So it
//! is searched here first, also in places that the loader does not know;
//! one that has been loaded is found by its name afterwards.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use cudarc::{driver, nvrtc};
use libloading::os::unix::{Library, RTLD_GLOBAL, RTLD_NOW};

use crate::error::{Error, Problem, Result};

/// Makes sure that the driver's library can be called.
///
/// # Errors
///
/// If it is not installed.
pub(super) fn driver() -> Result<()> {
    static FOUND: OnceLock<bool> = OnceLock::new();
    let found = *FOUND.get_or_init(|| {
        // SAFETY: loads the library and closes it again, or not.
        let is_bound = || unsafe { driver::sys::is_culib_present() };
        preload(&["libcuda.so.1", "libcuda.so"], &[]) && is_bound()
    });
    if found { Ok(()) } else { Err(missing_driver()) }
}

/// Makes sure that the run-time compiler can be called.
///
/// # Errors
///
/// If it is not installed.
pub(super) fn nvrtc() -> Result<()> {
    static FOUND: OnceLock<bool> = OnceLock::new();
    let found = *FOUND.get_or_init(|| {
        let names = ["libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2"];
        // SAFETY: as in `driver`.
        let is_bound = || unsafe { nvrtc::sys::is_culib_present() };
        preload(&names, &toolkit_folders()) && is_bound()
    });
    if found { Ok(()) } else { Err(missing_nvrtc()) }
}

/// cuBLAS, if it is installed.
pub(super) fn load_blas() -> Option<Library> {
    let names = ["libcublas.so.13", "libcublas.so.12", "libcublas.so"];
    load(&names, &toolkit_folders())
}

/// Whether the driver has a function: those of later versions may be missing,
/// and the bindings panic then.
pub(super) fn driver_has(function: &str) -> bool {
    // SAFETY: the callers have made sure of the driver; the symbol is looked
    // up, not used.
    unsafe { driver::sys::culib().get::<*const ()>(function.as_bytes()).is_ok() }
}

/// Loads the first of some libraries for good, by name or from folders.
fn preload(names: &[&str], folders: &[PathBuf]) -> bool {
    load(names, folders).map(std::mem::forget).is_some()
}

/// Loads the first of some libraries, by name or from folders.
pub(super) fn load(names: &[&str], folders: &[PathBuf]) -> Option<Library> {
    let in_folders = folders.iter().flat_map(|folder| names.iter().map(move |name| folder.join(name)));
    let candidates = names.iter().map(PathBuf::from).chain(in_folders.filter(|path| path.exists()));
    // SAFETY: these are NVIDIA's own libraries, whose initialisers ask nothing
    // of the program.
    let open = |path: PathBuf| unsafe { Library::open(Some(&path), RTLD_NOW | RTLD_GLOBAL) }.ok();
    candidates.into_iter().find_map(open)
}

/// Where toolkits are installed: what the environment says, the toolkit of
/// `nvcc`, the usual folders, then the packages that pip installs.
pub(super) fn toolkits() -> Vec<PathBuf> {
    let named = ["CUDA_PATH", "CUDA_HOME", "CUDA_ROOT"].into_iter().filter_map(std::env::var_os);
    let mut folders: Vec<PathBuf> = named.map(PathBuf::from).collect();
    folders.extend(prefix_of("nvcc"));
    folders.extend(["/usr/local/cuda", "/opt/cuda"].map(PathBuf::from));
    let environments = ["VIRTUAL_ENV", "CONDA_PREFIX"].into_iter().filter_map(std::env::var_os);
    let environments = environments.map(PathBuf::from).chain(prefix_of("python3"));
    folders.extend(environments.flat_map(|prefix| packages(&prefix)));
    folders.retain(|folder| folder.is_dir());
    folders
}

/// The folder above the one that a program lies in.
fn prefix_of(program: &str) -> Option<PathBuf> {
    let path = which::which(program).ok()?;
    Some(path.parent()?.parent()?.to_owned())
}

/// NVIDIA's packages for Python: `lib/python3.12/site-packages/nvidia/cu13`.
fn packages(prefix: &Path) -> Vec<PathBuf> {
    let entries = |folder: PathBuf| {
        let mut paths: Vec<PathBuf> =
            std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
        paths.sort();
        paths
    };
    let versions = entries(prefix.join("lib"));
    versions.into_iter().flat_map(|version| entries(version.join("site-packages/nvidia"))).collect()
}

/// Where the toolkits' libraries lie.
pub(super) fn toolkit_folders() -> Vec<PathBuf> {
    let within =
        |folder: &PathBuf| ["lib64", "lib", "targets/x86_64-linux/lib"].map(|name| folder.join(name));
    toolkits().iter().flat_map(within).collect()
}

/// Whether NVRTC is there for tests, by `GPUREPL_TEST_NVRTC`: it needs no GPU.
#[cfg(test)]
pub(super) fn has_test_nvrtc() -> bool {
    let Some(path) = std::env::var("GPUREPL_TEST_NVRTC").ok().filter(|path| !path.is_empty()) else {
        crate::ignored::missing("NVRTC", "GPUREPL_TEST_NVRTC");
        return false;
    };
    assert!(preload(&[], &[]) || preload(&[path.as_str()], &[]), "{path}");
    nvrtc().unwrap();
    true
}

fn missing_driver() -> Error {
    Problem::Missing {
        what: "the CUDA driver (libcuda.so.1) is not installed".to_owned(),
        help: "install NVIDIA's driver, or use the host device: `GPUREPL_DEVICE=host`".to_owned(),
    }
    .into()
}

fn missing_nvrtc() -> Error {
    Problem::Missing {
        what: "the CUDA run-time compiler (libnvrtc.so) was not found".to_owned(),
        help: "install the CUDA toolkit, or set CUDA_PATH or LD_LIBRARY_PATH to where it is; \
               or use the host device: `GPUREPL_DEVICE=host`"
            .to_owned(),
    }
    .into()
}
