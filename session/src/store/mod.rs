//! The store: the prelude, compiled once for a toolchain and shared by every
//! session.
//!
//! ```text
//! <cache>/gpurepl/store/
//!   <key>/              one compiled prelude, complete once `complete` is there
//!     libgpurepl_prelude.so
//!     deps/             the metadata of the crates behind it
//!     crates.json       their names, versions and features
//!     plugins/          plugins of libraries, see `plugin`
//!     rust-core/        `core` for GPUs, see `core_library`
//!     dependencies/     sets of the user's own, see `crate::dependencies`
//!     complete
//!   build-<toolchain>/  cargo's workspace and target folder, for both
//! ```
//!
//! The key is a hash of the prelude's sources, the lock file and the
//! toolchain, so that two versions of gpurepl, or two toolchains, never
//! share one. Nothing in a store is looked up by an absolute path: it can be
//! copied to another machine that has the same toolchain.

mod archive;
mod build;
pub(crate) mod cargo;
mod core_library;
pub(crate) mod crates;
mod inventory;
pub(crate) mod plugin;
mod prune;
pub(crate) mod set;

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use etcetera::BaseStrategy as _;

use crate::interrupt::Interrupter;
use crate::output::Sink;
use crate::toolchain::Toolchain;

pub use archive::{ArchiveError, Moved, export, import};
pub use core_library::{CoreError, build as build_core};
pub use inventory::{Cleaned, Inventory, clean, inventory};
pub use plugin::{PluginError, build_all as build_plugins};

pub(crate) use build::{BUILD_ARGUMENTS, public_packages};
use crates::Crate;
pub(crate) use prune::prune_sets;

include!(concat!(env!("OUT_DIR"), "/sources.rs"));

/// Why the store could not be made ready.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)]
pub enum StoreError {
    #[error("there is no folder for the prelude\n  = help: set GPUREPL_STORE, or HOME")]
    NoFolder,
    #[error("{what} {path}: {error}{}", help(error))]
    Io { what: &'static str, path: String, error: std::io::Error },
    #[error("cargo could not be run: {error}\n  = help: install Rust by rustup: https://rustup.rs")]
    NoCargo { error: std::io::Error },
    #[error(
        "the prelude could not be built because a crate could not be downloaded\n{log}\n  \
         = help: connect to the network once, or set GPUREPL_VENDOR to a folder made by `cargo vendor`, \
         or GPUREPL_STORE to a store built on another machine with the same toolchain"
    )]
    Offline { log: String },
    #[error("the prelude could not be built\n{log}\n  = help: see `gpurepl doctor`")]
    Build { log: String },
    #[error("the compiled prelude does not work with this toolchain: {0}")]
    SelfTest(String),
}

/// What to do about an error of the system's.
fn help(error: &std::io::Error) -> &'static str {
    match error.kind() {
        std::io::ErrorKind::PermissionDenied | std::io::ErrorKind::ReadOnlyFilesystem => {
            "\n  = help: the store is not yours to write. Set GPUREPL_STORE to a folder of your own, which costs one build; \
             or have its owner run the same `:dep` lines once"
        }
        _ => "",
    }
}

/// The prelude as a workspace of its own: every file's path and text.
pub(crate) fn packed_workspace() -> Vec<(&'static str, String)> {
    let others = SOURCES.iter().filter(|(name, _)| *name != "Cargo.toml");
    let others = others.map(|(name, text)| (*name, (*text).to_owned()));
    others.chain([("Cargo.toml", build::manifest())]).collect()
}

/// The lock file that the prelude is built with.
pub(crate) fn lock_file() -> &'static str {
    SOURCES.iter().find(|(name, _)| *name == "Cargo.lock").map_or("", |(_, text)| text)
}

/// A compiled prelude.
#[derive(Clone, Debug)]
pub struct Prelude {
    folder: PathBuf,
    /// Its lock: what a session uses is not removed.
    _in_use: Arc<File>,
}

impl Prelude {
    /// The prelude in a folder, if it is complete there.
    fn open(folder: PathBuf) -> Option<Prelude> {
        let complete = File::open(folder.join(COMPLETE)).ok()?;
        // Fails only while the folder is being removed, or where locks do not
        // work; there nothing is removed either.
        let _ = complete.try_lock_shared();
        if !folder.join(COMPLETE).exists() {
            return None;
        }
        let _ = complete.set_modified(SystemTime::now());
        Some(Prelude { folder, _in_use: Arc::new(complete) })
    }

    /// The shared library that cells are compiled against and a worker loads.
    pub fn library(&self) -> PathBuf {
        self.folder.join("libgpurepl_prelude.so")
    }

    /// The metadata of the crates behind it.
    pub fn dependencies(&self) -> PathBuf {
        self.folder.join("deps")
    }

    /// The folder that it is in.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The crates behind it.
    pub(crate) fn crates(&self) -> Vec<Crate> {
        crates::read(&self.folder)
    }

    /// Whether something has been noted about it, such as a test that passed.
    pub fn has_note(&self, name: &str) -> bool {
        self.folder.join(name).exists()
    }

    /// Notes something about it for later sessions.
    pub fn note(&self, name: &str) {
        self.write_note(name, "");
    }

    /// The text of a note, if it is there.
    pub(crate) fn read_note(&self, name: &str) -> String {
        fs::read_to_string(self.folder.join(name)).unwrap_or_default()
    }

    /// Writes a note whole or not at all: several sessions may do so at once.
    pub(crate) fn write_note(&self, name: &str, text: &str) {
        let Ok(mut file) = tempfile::NamedTempFile::new_in(&self.folder) else { return };
        if file.write_all(text.as_bytes()).is_ok() {
            let _ = file.persist(self.folder.join(name));
        }
    }
}

/// The file that says that a compiled prelude is whole. Its time is that of
/// the last use.
const COMPLETE: &str = "complete";

/// The folder that stores lie in: `GPUREPL_STORE`, else in the user's cache.
pub fn root() -> Option<PathBuf> {
    match std::env::var_os("GPUREPL_STORE") {
        // The compiler runs in another folder than the user.
        Some(given) if !given.is_empty() => std::path::absolute(given).ok(),
        _ => Some(etcetera::choose_base_strategy().ok()?.cache_dir().join("gpurepl").join("store")),
    }
}

/// The compiled prelude for a toolchain, if there is one.
pub fn find(toolchain: &Toolchain) -> Option<Prelude> {
    Prelude::open(root()?.join(key(toolchain)))
}

/// The compiled prelude for a toolchain, built now if there is none.
///
/// # Errors
///
/// If it cannot be built: no cargo, no network and no vendored crates, no
/// room.
pub fn ready(toolchain: &Toolchain, sink: &mut dyn Sink) -> Result<Prelude, StoreError> {
    if let Some(prelude) = find(toolchain) {
        return Ok(prelude);
    }
    let root = root().ok_or(StoreError::NoFolder)?;
    make_folder(&root)?;
    // Sessions that start together build once; the others wait for the first.
    let lock = lock_path(&root, toolchain);
    let lock_file = File::create(&lock).map_err(|error| io("creating", &lock, error))?;
    if lock_file.try_lock().is_err() {
        sink.note("another session is building the prelude; waiting for it");
        lock_file.lock().map_err(|error| io("locking", &lock, error))?;
    }
    if let Some(prelude) = find(toolchain) {
        return Ok(prelude);
    }
    let workspace = workspace_path(&root, toolchain);
    let built = build::build(toolchain, &workspace, sink)?;
    let folder = root.join(key(toolchain));
    build::install(&built, &folder)?;
    fs::write(folder.join(COMPLETE), "").map_err(|error| io("writing to", &folder, error))?;
    let prelude =
        Prelude::open(folder).ok_or_else(|| io("reading", &root, std::io::ErrorKind::NotFound.into()))?;
    prune::prune(&root);
    Ok(prelude)
}

fn lock_path(root: &Path, toolchain: &Toolchain) -> PathBuf {
    root.join(format!("build-{}.lock", toolchain.id()))
}

fn workspace_path(root: &Path, toolchain: &Toolchain) -> PathBuf {
    root.join(format!("build-{}", toolchain.id()))
}

/// Waits until nobody else builds for a toolchain; none if the user has
/// interrupted that. Others wait as long as the file lives.
pub(crate) fn lock_builds(
    toolchain: &Toolchain,
    interrupter: &Interrupter,
    sink: &mut dyn Sink,
) -> Result<Option<File>, StoreError> {
    let root = root().ok_or(StoreError::NoFolder)?;
    make_folder(&root)?;
    let path = lock_path(&root, toolchain);
    let file = File::create(&path).map_err(|error| io("creating", &path, error))?;
    let mut is_told = false;
    while file.try_lock().is_err() {
        if interrupter.was_asked() {
            return Ok(None);
        }
        if !is_told {
            sink.note("another session is building; waiting for it");
            is_told = true;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    Ok(Some(file))
}

/// The folder that builds for a toolchain share, with the workspace in it.
pub(crate) fn prepare_builds(toolchain: &Toolchain) -> Result<PathBuf, StoreError> {
    let root = root().ok_or(StoreError::NoFolder)?;
    let workspace = workspace_path(&root, toolchain);
    build::write_workspace(&workspace)?;
    Ok(workspace)
}

/// The lock file that the prelude was built with.
pub(crate) fn lock_text() -> &'static str {
    SOURCES.iter().find(|(name, _)| *name == "Cargo.lock").map_or("", |(_, text)| *text)
}

/// The path by which cells and types name the prelude's own crates.
pub(crate) const PRELUDE_CRATES: &str = "gpurepl_prelude::crates";

/// The name of a compiled prelude: everything that it depends on.
fn key(toolchain: &Toolchain) -> String {
    format!("{}-{}", toolchain.id(), sources_hash())
}

/// What stands for the sources of the prelude, and for how they are built.
pub(crate) fn sources_hash() -> String {
    let mut hasher = blake3::Hasher::new();
    for (name, contents) in SOURCES {
        hasher.update(&(name.len() as u64).to_le_bytes());
        hasher.update(name.as_bytes());
        hasher.update(&(contents.len() as u64).to_le_bytes());
        hasher.update(contents.as_bytes());
    }
    hasher.update(cargo::PROFILE.as_bytes());
    hasher.update(cargo::OWN_PROFILE.as_bytes());
    hasher.update(build::seed().as_bytes());
    hasher.finalize().to_hex()[..16].to_owned()
}

/// The text of a file of the prelude.
pub(crate) fn source(name: &str) -> Option<&'static str> {
    SOURCES.iter().find(|(path, _)| *path == name).map(|(_, text)| *text)
}

/// The workspace that the prelude was built in, while its sources are there.
pub(crate) fn workspace(toolchain: &Toolchain) -> Option<PathBuf> {
    let folder = root()?.join(format!("build-{}", toolchain.id()));
    folder.join("prelude").join("Cargo.toml").exists().then_some(folder)
}

/// Whether a word, such as the name of a variant, stands in the prelude's
/// sources.
pub(crate) fn has_word(word: &str) -> bool {
    let is_part = |sign: char| sign.is_alphanumeric() || sign == '_';
    let is_whole = |text: &str, at: usize| {
        !text[..at].ends_with(is_part) && !text[at + word.len()..].starts_with(is_part)
    };
    let mut sources = SOURCES.iter().filter(|(name, _)| name.starts_with("prelude/"));
    sources.any(|(_, text)| text.match_indices(word).any(|(at, _)| is_whole(text, at)))
}

fn make_folder(path: &Path) -> Result<(), StoreError> {
    fs::create_dir_all(path).map_err(|error| io("creating", path, error))
}

fn io(what: &'static str, path: &Path, error: std::io::Error) -> StoreError {
    StoreError::Io { what, path: path.display().to_string(), error }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_crates_of_the_preludes_own_types_are_known() {
        let packages = build::public_packages();
        for package in ["half", "ndarray", "num-complex"] {
            assert!(packages.contains(&package), "{packages:?}");
            assert!(build::seed().contains(&format!("\n{package}.workspace = true\n")));
        }
    }

    #[test]
    fn the_sources_are_packed() {
        let names: Vec<&str> = SOURCES.iter().map(|(name, _)| *name).collect();
        for needed in [
            "Cargo.lock",
            "prelude/src/lib.rs",
            "prelude/wire/src/lib.rs",
            "prelude/native/Cargo.toml",
            "prelude/arrays/src/array/mod.rs",
            "kernels/src/host/shim/thread.hpp",
        ] {
            assert!(names.contains(&needed), "{needed}");
        }
        assert!(names.iter().all(|name| !name.contains("/tests/") && !name.starts_with('/')));
    }
}
