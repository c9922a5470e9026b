//! `gpurepl store`: the compiled prelude and dependencies, by hand.

use std::path::{Path, PathBuf};

use clap::Subcommand;
use gpurepl_session::Toolchain;
use gpurepl_session::store::{self, Moved};

use crate::Status;
use crate::terminal::Terminal;

/// What there is to do with the store.
#[derive(Clone, Debug, Subcommand)]
pub enum Store {
    /// Build the prelude now, and `core` for GPUs, if they are not there
    ///
    /// A session builds the prelude when it starts, and `core` for GPUs at its
    /// first kernel in Rust on a GPU; this is for a machine that is being set up.
    Build {
        /// The plugins of libraries as well, which are else built when a cell wants them
        #[arg(long)]
        libraries: bool,
    },
    /// Show where the store is, and what is in it
    Status,
    /// Export the prelude, `core` for GPUs and the stored dependencies to a file
    ///
    /// What is missing is built first. `gpurepl store import` installs it on a machine with the same toolchain
    /// and the same version of gpurepl. Nothing is built or downloaded there.
    Export {
        /// The file, a tar archive compressed by gzip: `store.tar.gz`
        #[arg(value_name = "FILE")]
        file: PathBuf,
    },
    /// Import a prelude and dependencies from a file written by `export`
    ///
    /// The toolchain and every file's hash are checked first. Existing contents
    /// of the store stay.
    Import {
        /// The file
        #[arg(value_name = "FILE")]
        file: PathBuf,
    },
    /// Remove unused data: other preludes, leftovers of builds, files of crashed sessions
    ///
    /// The prelude of this version and its dependencies stay, unless `--all`
    /// is given. Data that a running session uses always stays.
    Clean {
        /// The prelude and the dependencies of this version as well
        #[arg(long)]
        all: bool,
    },
}

/// What follows the help of the subcommand.
pub const AFTER_HELP: &str = "\
The store holds the prelude, which cells are compiled against, `core` for GPUs, which
kernels in Rust need there, and crates that `:dep` has added, all compiled for the
toolchain. It is in the user's cache, or in the
folder that GPUREPL_STORE names.";

/// Does it.
pub fn run(what: &Store, terminal: &mut Terminal) -> Status {
    match act(what, terminal) {
        Ok(text) => {
            terminal.line(&text, anstyle::Style::new());
            Status::Succeeded
        }
        Err(problem) => {
            terminal.error(&problem);
            Status::Failed
        }
    }
}

fn act(what: &Store, terminal: &mut Terminal) -> Result<String, String> {
    let toolchain = Toolchain::find().map_err(|error| error.to_string())?;
    match what {
        Store::Build { libraries } => {
            let is_there = store::find(&toolchain).is_some();
            let prelude = store::ready(&toolchain, terminal).map_err(|error| error.to_string())?;
            let how = if is_there { "is there already" } else { "is built" };
            let mut text = format!("the prelude {how}: {}", folder_of(&prelude.library()));
            match store::build_core(&toolchain, &prelude, terminal) {
                Ok(true) => text.push_str("\n`core` for GPUs is built"),
                Ok(false) => text.push_str("\n`core` for GPUs is there already"),
                // Without it all but kernels in Rust on a GPU works.
                Err(error) => text.push_str(&format!("\n{error}")),
            }
            if !libraries {
                return Ok(text);
            }
            let plugins =
                store::build_plugins(&toolchain, &prelude, terminal).map_err(|error| error.to_string())?;
            Ok(match plugins.len() {
                0 => format!("{text}\nno plugins to build"),
                _ => format!("{text}\nplugins: {}", plugins.join(", ")),
            })
        }
        Store::Status => {
            store::inventory(&toolchain).map(|inventory| inventory.text()).map_err(|error| error.to_string())
        }
        Store::Export { file } => {
            let moved = store::export(&toolchain, file, terminal).map_err(|error| error.to_string())?;
            Ok(format!("exported {} to {}", told(moved), file.display()))
        }
        Store::Import { file } => {
            let moved = store::import(&toolchain, file, terminal).map_err(|error| error.to_string())?;
            Ok(format!("imported {} from {}", told(moved), file.display()))
        }
        Store::Clean { all } => {
            store::clean(&toolchain, *all).map(|cleaned| cleaned.text()).map_err(|error| error.to_string())
        }
    }
}

fn folder_of(library: &Path) -> String {
    library.parent().unwrap_or(library).display().to_string()
}

fn told(moved: Moved) -> String {
    let sets = if moved.sets == 1 { "set" } else { "sets" };
    let mebibytes = moved.bytes as f64 / f64::from(1 << 20);
    format!(
        "the prelude and {} {sets} of dependencies, {} files, {mebibytes:.1} MiB,",
        moved.sets, moved.files
    )
}
