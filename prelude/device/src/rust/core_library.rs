//! What kernels for GPUs are compiled against: `core`, built once for a toolchain from its own
//! sources, and the library of [`gpurepl_kernels::rust`].
//!
//! They lie beside the compiled prelude, where `gpurepl store build` puts them,
//! or in the cache of kernels, where the first kernel of a session puts them.

use std::ffi::{CStr, OsStr};
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;

use gpurepl_kernels::rust::{CORE_FILES, GPU_LIBRARY, gpu_library, patched};

use super::compiler::{GPU_CRATE_FLAGS, command, identity, rustc};
use crate::cache;
use crate::compilers::{io, run_for};
use crate::error::{Error, Problem, Result};
use std::time::Duration;

/// The newest architecture that the compiler's LLVM is asked for: PTX for an
/// older one runs on newer ones.
pub(super) const NEWEST: u32 = 120;

/// `core` takes some 15 seconds.
const LIMIT: Duration = Duration::from_secs(600);

/// The folder's name, in a store and in the cache.
const FOLDER: &str = "rust-core";

/// What is in it. The last one is made last.
const LIBRARIES: [&str; 3] = ["libcore.rmeta", "libcompiler_builtins.rmeta", "libgpurepl_library.rmeta"];

/// Held while it is built, so that threads do not build it twice.
static BUILDING: Mutex<()> = Mutex::new(());

/// The folder that holds the libraries; builds them in the cache where they
/// are missing.
///
/// # Errors
///
/// If the toolchain has no sources of its libraries, or they are not those
/// that are known.
pub(super) fn find_or_build() -> Result<PathBuf> {
    let _one = BUILDING.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if let Some(folder) = in_store().filter(|folder| is_complete(folder)) {
        return Ok(folder);
    }
    let Some(folder) = in_cache() else {
        return Err(missing(
            "a folder for `core` for GPUs, since GPUREPL_CACHE_DIR is empty".to_owned(),
            "let GPUREPL_CACHE_DIR name a folder, or run `gpurepl store build`",
        ));
    };
    if is_complete(&folder) {
        return Ok(folder);
    }
    crate::streams::notice("building `core` for GPUs, once for this toolchain: about 15 s".to_owned());
    install(&folder, build)?;
    Ok(folder)
}

/// Builds the libraries in the store, beside the compiled prelude, or copies
/// them there from the cache.
///
/// # Errors
///
/// As those of a kernel's compilation; if the store cannot be written to, or
/// this is not the prelude of a store.
pub fn build_core_in_store() -> Result<()> {
    let _one = BUILDING.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let Some(folder) = in_store() else {
        return Err(missing(
            "a store for `core` for GPUs".to_owned(),
            "this is for `gpurepl store build`, which has one",
        ));
    };
    if is_complete(&folder) {
        return Ok(());
    }
    match in_cache().filter(|folder| is_complete(folder)) {
        Some(cached) => install(&folder, |temporary| {
            for name in LIBRARIES {
                let from = cached.join(name);
                fs::copy(&from, temporary.join(name)).map_err(|error| io("copying", &from, error))?;
            }
            Ok(())
        }),
        None => install(&folder, build),
    }
}

fn is_complete(folder: &Path) -> bool {
    LIBRARIES.iter().all(|name| folder.join(name).is_file())
}

/// Where it is in the cache of kernels, which toolchains share.
fn in_cache() -> Option<PathBuf> {
    let name = cache::key(&[b"core-for-gpus 4", gpu_library().as_bytes(), identity().as_bytes()]);
    Some(cache::folder_beside(FOLDER)?.join(name))
}

/// Where it is in the store, beside the compiled prelude.
fn in_store() -> Option<PathBuf> {
    Some(store_folder()?.join(FOLDER))
}

/// The folder of the library that this code is in, where it is one of a store,
/// which belongs to one toolchain. None if it is part of a program.
pub fn store_folder() -> Option<PathBuf> {
    // SAFETY: the structure is valid when zeroed and filled by the call, which
    // may be asked about any address; its name is a C string of the loader's
    // that lasts as long as this library, which is never closed.
    let name = unsafe {
        let mut information: libc::Dl_info = std::mem::zeroed();
        let here: fn() -> Option<PathBuf> = store_folder;
        if libc::dladdr(here as *const libc::c_void, &raw mut information) == 0
            || information.dli_fname.is_null()
        {
            return None;
        }
        CStr::from_ptr(information.dli_fname)
    };
    let library = Path::new(OsStr::from_bytes(name.to_bytes()));
    let folder = library.parent().filter(|folder| folder.join("complete").is_file())?;
    library.extension().is_some_and(|end| end == "so").then(|| folder.to_owned())
}

/// Makes a folder whole or not at all.
fn install(folder: &Path, make: impl FnOnce(&Path) -> Result<()>) -> Result<()> {
    let parent = folder.parent().unwrap_or(folder);
    let temporary = tempfile::Builder::new()
        .prefix(".building-core-")
        .tempdir_in(parent)
        .map_err(|error| io("making a folder in", parent, error))?;
    make(temporary.path())?;
    match fs::rename(temporary.path(), folder) {
        Ok(()) => {
            let _ = temporary.keep();
            Ok(())
        }
        // Another process was faster.
        Err(_) if is_complete(folder) => Ok(()),
        Err(error) => Err(io("writing", folder, error)),
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

    // All of it may become part of a kernel.
    let all = ["-Copt-level=3", "-Zcross-crate-inline-threshold=1000", "-Zalways-encode-mir"];
    let of_rust = "-Zforce-unstable-if-unmarked";
    compile(
        folder,
        "core",
        &overlay.join("core/src/lib.rs"),
        &[&all[..], &["-Zmir-opt-level=3", of_rust]].concat(),
        false,
    )?;
    // What LLVM calls by itself would be in it; a GPU has instructions for that.
    let builtins = folder.join("compiler_builtins.rs");
    let text = "#![no_std]\n#![feature(compiler_builtins, staged_api)]\n#![compiler_builtins]\n#![allow(internal_features)]\n\
                #![unstable(feature = \"compiler_builtins_lib\", issue = \"none\")]\n";
    fs::write(&builtins, text).map_err(|error| io("writing", &builtins, error))?;
    compile(folder, "compiler_builtins", &builtins, &[of_rust], true)?;
    // A panic tells whether its place is the user's by the length of the file's name.
    let root = folder.join("library_for_gpus.rs");
    fs::write(&root, gpu_library()).map_err(|error| io("writing", &root, error))?;
    let flags = [GPU_CRATE_FLAGS, &all[..], &["-Zcross-crate-inline-threshold=always"]].concat();
    compile(folder, GPU_LIBRARY, &root, &flags, true)?;
    let _ = fs::remove_dir_all(&overlay);
    let _ = fs::remove_file(&builtins);
    let _ = fs::remove_file(&root);
    Ok(())
}

/// Compiles one of the libraries, to metadata alone: its code becomes part of kernels.
fn compile(folder: &Path, name: &str, root: &Path, flags: &[&str], needs_core: bool) -> Result<()> {
    let mut compiler = command();
    compiler
        .args(["--edition=2024", "--target=nvptx64-nvidia-cuda", "-Ctarget-cpu=sm_70", "-Cpanic=abort"])
        .args(["--cap-lints=allow", "--crate-type=rlib", "--emit=metadata", "--crate-name", name])
        .args(flags)
        .arg("-o")
        .arg(folder.join(format!("lib{name}.rmeta")));
    if needs_core {
        compiler.arg(format!("--extern=core={}", folder.join("libcore.rmeta").display()));
        compiler.arg(format!("-L{}", folder.display()));
    }
    let (status, log) = run_for(compiler.arg(root), &format!("`{name}` for GPUs"), folder, LIMIT)?;
    if status.success() { Ok(()) } else { Err(failed(name, &log)) }
}

fn failed(name: &str, log: &str) -> Error {
    let message: Vec<&str> = log.lines().take(5).collect();
    Problem::Device { operation: format!("building `{name}` for GPUs"), message: message.join("\n") }.into()
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
