//! `core` for GPUs, which kernels in Rust stand on there: built beside the
//! prelude, so that it can be carried to other machines.
//!
//! A session on a GPU builds it in the cache of kernels if it is not here.

use std::path::Path;
use std::process::{Command, Stdio};

use super::Prelude;
use crate::output::{Progress, Sink};
use crate::toolchain::Toolchain;
use gpurepl_wire::worker_mode::{BUILDS_CORE, WORKER};

/// The folder beside a prelude.
pub(super) const FOLDER: &str = "rust-core";

/// Why `core` for GPUs is not there.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)]
pub enum CoreError {
    #[error("`core` for GPUs could not be built: {error}")]
    NotRun { error: std::io::Error },
    #[error("`core` for GPUs could not be built, which kernels in Rust need on a GPU\n{log}")]
    Failed { log: String },
}

/// Whether it is beside a prelude. The folder comes there in one step.
pub(super) fn is_beside(prelude: &Path) -> bool {
    prelude.join(FOLDER).is_dir()
}

/// Builds `core` for GPUs beside a prelude, if it is not there. Returns
/// whether it was built now.
///
/// # Errors
///
/// If it cannot be built, as where the toolchain has no `rust-src`.
pub fn build(toolchain: &Toolchain, prelude: &Prelude, sink: &mut dyn Sink) -> Result<bool, CoreError> {
    if is_beside(prelude.folder()) {
        return Ok(false);
    }
    let title = "building `core` for GPUs (once, about 15 s)".to_owned();
    let mut progress = Progress { title, done: 0, total: 1, item: String::new() };
    sink.progress(&progress);
    let program = std::env::current_exe().map_err(|error| CoreError::NotRun { error })?;
    // The prelude builds it: it knows how, and what kernels will ask for.
    let mut command = Command::new(program);
    command.env(WORKER[0], BUILDS_CORE).env(WORKER[1], &toolchain.std_library);
    command.env(WORKER[2], prelude.library()).env("GPUREPL_RUSTC", &toolchain.rustc);
    let output = command.stdin(Stdio::null()).output();
    progress.done = 1;
    sink.progress(&progress);
    let output = output.map_err(|error| CoreError::NotRun { error })?;
    match output.status.success() {
        true => Ok(true),
        false => {
            Err(CoreError::Failed { log: String::from_utf8_lossy(&output.stderr).trim_end().to_owned() })
        }
    }
}
