//! The Rust toolchain that compiles cells.

use std::path::{Path, PathBuf};
use std::process::Command;

use etcetera::BaseStrategy as _;

/// A toolchain, with the paths of its own programs: the ones on `PATH` are
/// usually rustup's, which take some milliseconds to find these.
#[derive(Clone, Debug)]
pub struct Toolchain {
    /// `rustc` itself.
    pub rustc: PathBuf,
    /// `cargo`, by its path or by its name.
    pub cargo: PathBuf,
    /// The folder that the toolchain is in.
    pub sysroot: PathBuf,
    /// The standard library as a shared object.
    pub std_library: PathBuf,
    /// What it is compiled for: `x86_64-unknown-linux-gnu`.
    pub host: String,
    /// How compiled cells are linked.
    pub linker: Linker,
    id: String,
}

/// A program that makes a shared object of an object file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Linker {
    /// The system's `ld`, the quickest to start.
    Ld(PathBuf),
    /// The toolchain's own `rust-lld`.
    RustLld(PathBuf),
}

/// Why there is no toolchain to use.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)]
pub enum ToolchainError {
    #[error(
        "rustc was not found: {0}\n  = help: install Rust by rustup (https://rustup.rs), or set GPUREPL_RUSTC to a rustc"
    )]
    NotFound(String),
    #[error(
        "rustc does not say where its toolchain is: {0}\n  = help: set GPUREPL_RUSTC to a rustc that works"
    )]
    NoSysroot(String),
    #[error(
        "the toolchain at {0} has no shared standard library (libstd-*.so), which cells are linked against\n  \
         = help: use a toolchain installed by rustup (https://rustup.rs)"
    )]
    NoStd(String),
    #[error("no linker was found\n  = help: install binutils (`apt install binutils`)")]
    NoLinker,
}

impl Toolchain {
    /// Finds the toolchain: of `GPUREPL_RUSTC`, else of `rustc` on the path,
    /// else where rustup puts it. A front end that was started from a desktop
    /// often has a path without rustup's folder.
    ///
    /// # Errors
    ///
    /// If there is none, or it cannot compile cells.
    pub fn find() -> Result<Toolchain, ToolchainError> {
        let named = std::env::var_os("GPUREPL_RUSTC").filter(|name| !name.is_empty());
        let is_named = named.is_some();
        let command = named.unwrap_or_else(|| "rustc".into());
        let usual = || which::which(cargo_home().filter(|_| !is_named)?.join("bin").join("rustc")).ok();
        let rustc = which::which(&command)
            .or_else(|error| usual().ok_or(error))
            .map_err(|error| ToolchainError::NotFound(format!("{}: {error}", command.display())))?;
        let sysroot = sysroot_of(&rustc)?;
        Toolchain::at(&sysroot)
    }

    /// The toolchain in a folder.
    fn at(sysroot: &Path) -> Result<Toolchain, ToolchainError> {
        let rustc = sysroot.join("bin").join("rustc");
        let libraries = sysroot.join("lib").join("rustlib");
        let no_std = || ToolchainError::NoStd(sysroot.display().to_string());
        let hosts = std::fs::read_dir(&libraries).map_err(|_| no_std())?.flatten();
        let (host, std_library) = hosts
            .filter_map(|entry| {
                let library = find_library(&entry.path().join("lib"), "libstd-")?;
                Some((entry.file_name().to_string_lossy().into_owned(), library))
            })
            .find(|(host, _)| host.starts_with(std::env::consts::ARCH))
            .ok_or_else(no_std)?;
        // The compiler's own library is named by a hash of its build.
        let driver = find_library(&sysroot.join("lib"), "librustc_driver-").ok_or_else(no_std)?;
        let driver = driver.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let build = driver.trim_start_matches("librustc_driver-").to_owned();
        let cargo = sysroot.join("bin").join("cargo");
        Ok(Toolchain {
            rustc,
            cargo: if cargo.exists() { cargo } else { PathBuf::from("cargo") },
            sysroot: sysroot.to_owned(),
            std_library,
            linker: find_linker(&libraries.join(&host))?,
            id: format!("{host}-{build}"),
            host,
        })
    }

    /// A name for the toolchain that changes with its compiler.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The compiler's version: `rustc 1.95.0 (59807616e 2026-04-14)`.
    pub fn version(&self) -> Option<String> {
        let output = Command::new(&self.rustc).arg("--version").output().ok()?;
        Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    }

    /// Whether the sources of the standard library are installed.
    pub fn has_sources(&self) -> bool {
        self.sysroot.join("lib/rustlib/src/rust/library/std/src/lib.rs").exists()
    }
}

/// The folder of cargo's own files.
pub(crate) fn cargo_home() -> Option<PathBuf> {
    match std::env::var_os("CARGO_HOME").filter(|folder| !folder.is_empty()) {
        Some(folder) => std::path::absolute(folder).ok(),
        None => Some(etcetera::choose_base_strategy().ok()?.home_dir().join(".cargo")),
    }
}

/// Asks a compiler where its toolchain is. Asked in a folder that no
/// `rust-toolchain.toml` of the user's applies to.
fn sysroot_of(rustc: &Path) -> Result<PathBuf, ToolchainError> {
    let output = Command::new(rustc).args(["--print", "sysroot"]).current_dir("/").output();
    let output = output.map_err(|error| ToolchainError::NotFound(error.to_string()))?;
    let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    if output.status.success() && !text.is_empty() {
        Ok(PathBuf::from(text))
    } else {
        Err(ToolchainError::NoSysroot(String::from_utf8_lossy(&output.stderr).trim().to_owned()))
    }
}

fn find_library(folder: &Path, prefix: &str) -> Option<PathBuf> {
    std::fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path()).find(|path| {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        name.starts_with(prefix) && name.ends_with(std::env::consts::DLL_SUFFIX)
    })
}

fn find_linker(libraries: &Path) -> Result<Linker, ToolchainError> {
    if let Ok(ld) = which::which("ld") {
        return Ok(Linker::Ld(ld));
    }
    let lld = libraries.join("bin").join("rust-lld");
    if lld.exists() { Ok(Linker::RustLld(lld)) } else { Err(ToolchainError::NoLinker) }
}
