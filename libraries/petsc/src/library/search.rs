//! Where PETSc's library is looked for.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use gpurepl_extend::{Result, error};
use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};

use super::version::KNOWN;

/// Names the library, or keeps it away with `off`.
const SWITCH: &str = "GPUREPL_PETSC";

/// A library that was found, and where.
pub(super) struct Found {
    pub(super) library: Library,
    pub(super) path: PathBuf,
}

/// Looks for the library: by `GPUREPL_PETSC`; in `PETSC_DIR` and `PETSC_ARCH`; by the loader's paths; where
/// distributions put it.
///
/// # Errors
///
/// If there is none, or what was found cannot be loaded.
pub(super) fn find() -> Result<Found> {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    if let Some(wanted) = set(SWITCH) {
        if wanted == OsStr::new("off") {
            let what = format!("PETSc is switched off by {SWITCH}=off");
            return Err(error::missing(what, format!("unset {SWITCH}")));
        }
        let path = PathBuf::from(wanted);
        return open(&path).map_err(|cause| {
            let what = format!("{SWITCH} is {}, which cannot be loaded: {cause}", path.display());
            error::missing(what, format!("set {SWITCH} to the path of a libpetsc.so, or unset it"))
        });
    }
    let mut places = Vec::new();
    if let Some(folder) = set("PETSC_DIR").map(PathBuf::from) {
        let folders = [set("PETSC_ARCH").map(|arch| folder.join(arch)), Some(folder)];
        for folder in folders.into_iter().flatten() {
            places.extend(names().iter().map(|name| folder.join("lib").join(name)));
        }
    }
    places.extend(names().into_iter().map(PathBuf::from));
    places.extend(
        folders_of_distributions()
            .iter()
            .flat_map(|folder| names().into_iter().map(|name| folder.join(name))),
    );
    // What is there and cannot be loaded says more than that nothing was found.
    let mut broken = None;
    for path in places {
        match open(&path) {
            Ok(found) => return Ok(found),
            Err(cause) if path.is_file() => {
                broken.get_or_insert((path, cause));
            }
            Err(_) => {}
        }
    }
    let what = match broken {
        Some((path, cause)) => format!("PETSc's library {} cannot be loaded: {cause}", path.display()),
        None => {
            format!("PETSc (libpetsc_real.so.3.{} to .3.{}, libpetsc.so) was not found", KNOWN[0], KNOWN[1])
        }
    };
    let help = format!(
        "install it (Debian, Ubuntu: `apt install libpetsc-real-dev`; `conda install -c conda-forge petsc`), or set \
         PETSC_DIR and PETSC_ARCH to where it was built, or {SWITCH} to the path of the library"
    );
    Err(error::missing(what, help))
}

fn open(path: &Path) -> std::result::Result<Found, String> {
    // SAFETY: PETSc's library and those that it needs set up their own data when they are loaded, and ask nothing of
    // the program. It is kept for good by whoever gets it.
    let opened = unsafe { Library::open(Some(path), RTLD_NOW | RTLD_LOCAL) };
    let cause = |error: libloading::Error| {
        std::error::Error::source(&error).map_or_else(|| error.to_string(), ToString::to_string)
    };
    opened.map(|library| Found { library, path: path.to_owned() }).map_err(cause)
}

/// What the library is called: with real numbers first, since `libpetsc.so.3.18` may be the one of complex numbers;
/// the newest first.
fn names() -> Vec<String> {
    let mut names = Vec::new();
    for name in ["libpetsc_real.so", "libpetsc64_real.so", "libpetsc.so"] {
        names.extend((KNOWN[0]..=KNOWN[1]).rev().map(|minor| format!("{name}.3.{minor}")));
        names.push(name.to_owned());
    }
    names
}

/// `/usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real/lib` and its kin, the newest first.
fn folders_of_distributions() -> Vec<PathBuf> {
    let mut folders = Vec::new();
    let entries = |folder: &Path| {
        let found = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let mut found: Vec<PathBuf> = found.map(|entry| entry.path()).collect();
        found.sort();
        found.reverse();
        found
    };
    for root in ["/usr/lib/petscdir", "/usr/lib/petsc", "/opt/petsc", "/usr/local/petsc"] {
        folders.push(Path::new(root).join("lib"));
        for version in entries(Path::new(root)) {
            folders.extend(entries(&version).into_iter().map(|build| build.join("lib")));
        }
    }
    folders
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn real_numbers_come_before_whatever_the_system_prefers() {
        let names = names();
        let place = |name: &str| names.iter().position(|known| known == name).unwrap();
        assert!(place("libpetsc_real.so.3.18") < place("libpetsc.so.3.18"));
        assert!(place("libpetsc_real.so.3.19") < place("libpetsc_real.so.3.18"));
    }
}
