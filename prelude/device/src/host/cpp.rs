//! The system's C++ compiler for texts that are no kernels: what a library needs of it, and of the cache of
//! what was compiled.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::compiler::{self, Compiler};
use crate::cache;
use crate::compilers::{io, run_for};
use crate::error::Result;
use crate::includes::{self, Search};

pub use crate::cache::key;
pub use crate::streams::temporary_folder;
pub use tempfile::TempDir as TemporaryFolder;

/// How long one run may take: headers full of templates take minutes.
const TIME_LIMIT: Duration = Duration::from_secs(600);

/// The system's C++ compiler: `CXX`, else `g++`, `clang++`, `c++`.
#[derive(Clone, Copy)]
pub struct SystemCompiler(&'static Compiler);

impl SystemCompiler {
    /// The compiler, wanted for `what`: "a CppModule".
    ///
    /// # Errors
    ///
    /// If there is none.
    pub fn find(what: &str) -> Result<SystemCompiler> {
        let missing = || {
            compiler::missing_for(
                &format!("{what} needs a C++ compiler, and none was found"),
                "install g++ (`apt install g++`, `dnf install gcc-c++`) or clang, or set CXX",
            )
        };
        compiler::find().map(SystemCompiler).ok_or_else(missing)
    }

    /// Whether it is clang: of some flags each has its own.
    pub fn is_clang(self) -> bool {
        self.0.is_clang
    }

    /// Its program.
    pub fn path(self) -> &'static Path {
        &self.0.path
    }

    /// A run of it, to be given arguments.
    pub fn command(self) -> Command {
        let mut command = Command::new(&self.0.path);
        command.args(&self.0.arguments);
        command
    }

    /// The flag that has columns counted in bytes, where it takes one.
    pub fn column_flag(self) -> Option<&'static str> {
        self.0.column_flag()
    }

    /// All that says which compiler it is.
    pub fn identity(self) -> String {
        format!("{} {} {}", self.0.path.display(), self.0.arguments.join(" "), self.0.identity())
    }
}

/// Runs a compiler to its end, or to the user's interrupt. `what` is compiled, and `folder` takes its
/// messages; the result is whether it succeeded, and what it said.
///
/// # Errors
///
/// If it cannot be run, takes ten minutes, or the user interrupts it.
pub fn run(command: &mut Command, what: &str, folder: &Path) -> Result<(bool, String)> {
    let (status, log) = run_for(command, what, folder, TIME_LIMIT)?;
    Ok((status.success(), log))
}

/// A hash of the files that a text in `folder` includes; none if that cannot be known.
pub fn included(text: &str, folder: Option<&Path>, options: &[String]) -> Option<Vec<u8>> {
    let has_path = |name| std::env::var_os(name).is_some_and(|path| !path.is_empty());
    if has_path("CPATH") || has_path("CPLUS_INCLUDE_PATH") {
        return None;
    }
    let toolkit = ["/usr/local/include", "/usr/include"].map(PathBuf::from).to_vec();
    let search = Search { toolkit, ..Search::from_options(options)? };
    includes::closure(text, folder, &search).map(|closure| closure.digest)
}

/// What was kept under a name of [`key`]. It counts among the kernels that were found, or were not.
pub fn kept(name: &str) -> Option<Vec<u8>> {
    cache::kernel(name)
}

/// Keeps something under a name of [`key`], which ends with `.so`.
pub fn keep(name: &str, contents: &[u8]) {
    cache::write(name, contents);
}

/// A new file for code that is about to be loaded: in the cache's folder, which holds code anyway, as a folder
/// for temporary files may be mounted so that nothing in it can be run.
///
/// # Errors
///
/// If no file can be made.
pub fn file_to_load() -> Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    let builder = builder.prefix(".load-").suffix(".so");
    let file = cache::folder().map_or_else(|| builder.tempfile(), |folder| builder.tempfile_in(folder));
    file.map_err(|error| {
        io("making a file in", &cache::folder().map_or_else(std::env::temp_dir, PathBuf::from), error)
    })
}
