//! `core` for GPUs, built once for a toolchain from its own sources.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;

use gpurepl_kernels::rust::{CORE_FILES, patched};

use super::compiler::{command, identity, rustc};
use crate::cache;
use crate::compilers::{io, run_for};
use crate::error::{Error, Problem, Result};
use std::time::Duration;

/// The newest architecture that the compiler's LLVM is asked for: PTX for an
/// older one runs on newer ones.
pub(super) const NEWEST: u32 = 120;

/// `core` takes some 15 seconds.
const LIMIT: Duration = Duration::from_secs(600);

/// Held while it is built, so that threads do not build it twice.
static BUILDING: Mutex<()> = Mutex::new(());

/// The folder that holds the libraries; builds them where they are missing.
///
/// # Errors
///
/// If the toolchain has no sources of its libraries, or they are not those
/// that are known.
pub(super) fn find_or_build() -> Result<PathBuf> {
    let _one = BUILDING.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let name = cache::key(&[b"core-for-gpus 2", identity().as_bytes()]);
    let Some(base) = cache::folder_beside("rust-core") else {
        return Err(missing(
            "a folder for `core` for GPUs, since GPUREPL_CACHE_DIR is empty".to_owned(),
            "let GPUREPL_CACHE_DIR name a folder",
        ));
    };
    let folder = base.join(&name);
    if folder.join("complete").is_file() {
        return Ok(folder);
    }
    crate::streams::notice("building `core` for GPUs, once for this toolchain: about 15 s".to_owned());
    let temporary = tempfile::Builder::new()
        .prefix(".building-")
        .tempdir_in(&base)
        .map_err(|error| io("making a folder in", &base, error))?;
    build(temporary.path())?;
    let path = temporary.keep();
    match fs::rename(&path, &folder) {
        Ok(()) => Ok(folder),
        // Another process was faster.
        Err(_) if folder.join("complete").is_file() => {
            let _ = fs::remove_dir_all(path);
            Ok(folder)
        }
        Err(error) => Err(io("writing", &folder, error)),
    }
}

fn missing(what: String, help: &str) -> Error {
    Problem::Missing { what, help: help.to_owned() }.into()
}

/// The sources of the toolchain's libraries.
fn sources() -> Result<PathBuf> {
    let output = Command::new(rustc()).args(["--print", "sysroot"]).stdin(Stdio::null()).output();
    let output = output.map_err(|error| io("running", &rustc(), error))?;
    let sysroot = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim());
    let library = sysroot.join("lib/rustlib/src/rust/library");
    if library.join("core/src").join("lib.rs").is_file() {
        return Ok(library);
    }
    Err(missing(
        "kernels in Rust on a GPU need the sources of `core`, which this toolchain does not have".to_owned(),
        "`rustup component add rust-src`; kernels in CUDA C need nothing",
    ))
}

fn build(folder: &Path) -> Result<()> {
    let library = sources()?;
    let overlay = folder.join("library");
    overlaid(&library, &overlay).map_err(|error| io("writing", &overlay, error))?;
    for file in CORE_FILES {
        let (original, changed) = (library.join("core").join(file), overlay.join("core").join(file));
        let text = fs::read_to_string(&original).map_err(|error| io("reading", &original, error))?;
        let text = patched(file, &text).map_err(|error| {
            missing(
                format!("kernels in Rust on a GPU: {error}"),
                "use a toolchain that gpurepl knows (see README), or kernels in CUDA C",
            )
        })?;
        fs::write(&changed, text).map_err(|error| io("writing", &changed, error))?;
    }

    let flags = ["--edition=2024", "--target=nvptx64-nvidia-cuda", "-Ctarget-cpu=sm_70", "-Cpanic=abort"];
    let mut compiler = command();
    compiler
        .args(flags)
        .args(["--cap-lints=allow", "--crate-name=core", "--crate-type=rlib", "--emit=metadata"])
        .args([
            "-Copt-level=3",
            // All of it may become part of a kernel.
            "-Zmir-opt-level=3",
            "-Zcross-crate-inline-threshold=1000",
            "-Zalways-encode-mir",
            "-Zforce-unstable-if-unmarked",
            "-o",
        ]);
    compiler.arg(folder.join("libcore.rmeta")).arg(overlay.join("core/src/lib.rs"));
    let (status, log) = run_for(&mut compiler, "`core` for GPUs", folder, LIMIT)?;
    if !status.success() {
        return Err(failed(&log));
    }
    // What LLVM calls by itself would be in it; a GPU has instructions for that.
    let root = folder.join("compiler_builtins.rs");
    let text = "#![no_std]\n#![feature(compiler_builtins, staged_api)]\n#![compiler_builtins]\n#![allow(internal_features)]\n\
                #![unstable(feature = \"compiler_builtins_lib\", issue = \"none\")]\n";
    fs::write(&root, text).map_err(|error| io("writing", &root, error))?;
    let mut compiler = command();
    compiler
        .args(flags)
        .args(["--cap-lints=allow", "--crate-name=compiler_builtins", "--crate-type=rlib", "--emit=metadata"])
        .args(["-Zforce-unstable-if-unmarked", "-o"])
        .arg(folder.join("libcompiler_builtins.rmeta"))
        .arg(format!("--extern=core={}", folder.join("libcore.rmeta").display()))
        .arg(&root);
    let (status, log) = run_for(&mut compiler, "`core` for GPUs", folder, LIMIT)?;
    if !status.success() {
        return Err(failed(&log));
    }
    let _ = fs::remove_dir_all(&overlay);
    let complete = folder.join("complete");
    fs::write(&complete, "").map_err(|error| io("writing", &complete, error))
}

fn failed(log: &str) -> Error {
    let message: Vec<&str> = log.lines().take(5).collect();
    Problem::Device { operation: "building `core` for GPUs".to_owned(), message: message.join("\n") }.into()
}

/// The folders of the libraries by links, with those above the changed files
/// made, so that these can be others.
fn overlaid(library: &Path, overlay: &Path) -> std::io::Result<()> {
    let link_all = |folder: &str, but: &[&str]| -> std::io::Result<()> {
        let to = overlay.join(folder);
        fs::create_dir_all(&to)?;
        for entry in fs::read_dir(library.join(folder))? {
            let entry = entry?;
            if !but.iter().any(|name| entry.file_name() == *name) {
                symlink(entry.path(), to.join(entry.file_name()))?;
            }
        }
        Ok(())
    };
    link_all("", &["core"])?;
    link_all("core", &["src"])?;
    link_all("core/src", &["fmt", "panicking.rs"])?;
    link_all("core/src/fmt", &["float.rs", "num.rs"])
}
