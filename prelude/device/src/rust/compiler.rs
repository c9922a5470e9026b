//! Runs `rustc` for a kernel's crate.
//!
//! The stable compiler does what is needed once it is told by
//! `RUSTC_BOOTSTRAP` to take unstable flags; only these children are told.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::UNIX_EPOCH;

use gpurepl_kernels::ptx;
use gpurepl_kernels::rust::{INSTRUMENTED, ITEMS_FILE, RustKernel, RustTarget};

use super::core_library;
use super::lines::RustLines;
use crate::cache;
use crate::compilers::{cpu, io, run_logged};
use crate::error::{Error, Problem, Result};

/// A compiled kernel as a shared object.
pub(crate) struct HostObject(pub(crate) Vec<u8>);

/// Flags that both targets have. No run-time library is linked, and a panic
/// ends in the device's own hands.
const FLAGS: &[&str] = &[
    "--edition=2024",
    "--crate-name=kernel",
    "--crate-type=cdylib",
    "--error-format=short",
    "--cap-lints=allow",
    "-Cpanic=abort",
    "-Copt-level=3",
    "-Ccodegen-units=1",
    "-Cembed-bitcode=no",
];

const HOST_FLAGS: &[&str] =
    &["-Ctarget-cpu=native", "-Cdebuginfo=line-tables-only", "-Crelocation-model=pic"];

/// A checked build: each access calls a function first, whose crate is compiled without it. As little
/// as may be is moved, and no thread is alone with a slice that it writes.
const CHECKED_FLAGS: &[&str] = &[
    "-Zsanitizer=thread",
    "-Cunsafe-allow-abi-mismatch=sanitizer",
    "-Zmutable-noalias=no",
    "-Copt-level=1",
    "--cfg=gpurepl_checked",
    OVERFLOW_CHECKS,
];

const OVERFLOW_CHECKS: &str = "-Coverflow-checks=on";

const INSTRUMENTED_FLAGS: &[&str] = &[
    "--edition=2024",
    "--crate-name=instrumented",
    "--crate-type=lib",
    "--cap-lints=allow",
    "-Cpanic=abort",
    "-Copt-level=3",
    "-Ccodegen-units=1",
    "-Cembed-bitcode=no",
    "-Crelocation-model=pic",
    "--emit=obj=instrumented.o",
];

const LINK_FLAGS: &[&str] = &[
    "-shared",
    "-Bsymbolic",
    "--hash-style=gnu",
    "-z",
    "noexecstack",
    // Of `core` only what is called, and hidden.
    "--gc-sections",
    "--exclude-libs",
    "ALL",
];

/// Each was added for a failure that was seen:
///
/// | flag | without it |
/// |---|---|
/// | no `JumpThreading`, `convergent` | a barrier was copied into both arms of an `if` (rust-lang/rust#137086) |
/// | `-Zmutable-noalias=no` | a load after a barrier was left out: other threads write to the slice as well |
/// | the passes | shared memory was read by generic loads |
const GPU_FLAGS: &[&str] = &[
    "--target=nvptx64-nvidia-cuda",
    "-Zmutable-noalias=no",
    "-Zmir-enable-passes=-JumpThreading",
    "-Cllvm-args=-force-attribute=convergent",
];

/// What LLVM does for a GPU, so that shared memory is known as such before the
/// usual passes.
const PASSES: &[&str] = &[
    "-Cno-prepopulate-passes",
    "-Cpasses=forceattrs,always-inline,cgscc(inline),function(sroa,early-cse,instcombine<no-verify-fixpoint>,memcpyopt,sroa,infer-address-spaces),default<O3>",
];

/// The compiler: what `GPUREPL_RUSTC` names, which a session sets to its own.
pub(super) fn rustc() -> PathBuf {
    match std::env::var_os("GPUREPL_RUSTC").filter(|path| !path.is_empty()) {
        Some(path) => PathBuf::from(path),
        None => which::which("rustc").unwrap_or_else(|_| PathBuf::from("rustc")),
    }
}

/// What changes with the compiler: its answer to `-vV` costs a start, so its
/// file stands for it.
pub(super) fn identity() -> &'static str {
    static IDENTITY: OnceLock<String> = OnceLock::new();
    IDENTITY.get_or_init(|| {
        let path = rustc();
        let metadata = std::fs::metadata(&path).ok();
        let modified =
            metadata.as_ref().and_then(|data| data.modified().ok()?.duration_since(UNIX_EPOCH).ok());
        let bytes = metadata.as_ref().map_or(0, std::fs::Metadata::len);
        format!("{}-{bytes}-{}", path.display(), modified.unwrap_or_default().as_nanos())
    })
}

/// A compiler to be run with unstable flags.
pub(super) fn command() -> Command {
    let mut command = Command::new(rustc());
    command.env("RUSTC_BOOTSTRAP", "1").env_remove("RUSTC_WRAPPER").env_remove("RUSTC_LOG");
    command
}

fn missing() -> Error {
    Problem::Missing {
        what: format!("kernels in Rust need the compiler, and `{}` was not found", rustc().display()),
        help: "install Rust by rustup (https://rustup.rs), or set GPUREPL_RUSTC to a rustc".to_owned(),
    }
    .into()
}

/// A crate's files in a folder of their own.
fn write(kernel: &RustKernel<'_>, root: &str) -> Result<tempfile::TempDir> {
    let folder = crate::streams::temporary_folder("kernel-")
        .map_err(|error| io("making a folder in", &std::env::temp_dir(), error))?;
    for (name, text) in [("root.rs", root), (ITEMS_FILE, kernel.items)] {
        let path = folder.path().join(name);
        std::fs::write(&path, text).map_err(|error| io("writing", &path, error))?;
    }
    Ok(folder)
}

/// Runs the compiler in a crate's folder.
fn run(command: &mut Command, kernel: &RustKernel<'_>, lines: &RustLines, folder: &Path) -> Result<()> {
    // Its messages name files as they are given.
    command.current_dir(folder).arg("root.rs");
    if which::which(command.get_program()).is_err() {
        return Err(missing());
    }
    let (status, log) = run_logged(command, kernel.name, folder)?;
    if status.success() {
        return Ok(());
    }
    Err(Problem::Compile(lines.error(kernel.name, kernel.items, &log)).into())
}

/// The toolchain's libraries for the CPU.
fn libraries() -> Option<&'static Path> {
    static FOUND: OnceLock<Option<PathBuf>> = OnceLock::new();
    let find = || {
        let output = Command::new(rustc()).args(["--print", "target-libdir"]).output().ok()?;
        Some(PathBuf::from(String::from_utf8(output.stdout).ok()?.trim()))
    };
    FOUND.get_or_init(find).as_deref()
}

/// A program that makes a shared object: the system's, or the toolchain's.
fn linker() -> Option<Command> {
    if let Ok(ld) = which::which("ld") {
        return Some(Command::new(ld));
    }
    let lld = libraries()?.parent()?.join("bin/rust-lld");
    let mut command = Command::new(lld);
    command.args(["-flavor", "gnu"]);
    Some(command)
}

/// `core` as an archive. What a kernel calls of it, a panic's way among it, must be its
/// own: that of the process would unwind.
fn core_archive() -> Option<PathBuf> {
    let entries = std::fs::read_dir(libraries()?).ok()?;
    let is_core = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("libcore-") && name.ends_with(".rlib")
    };
    entries.filter_map(|entry| Some(entry.ok()?.path())).find(is_core)
}

/// Compiles a kernel for the CPU, or takes it from the cache.
///
/// # Errors
///
/// If there is no compiler, or the text does not compile: the error is about
/// the user's own lines.
pub(crate) fn compile_for_host(
    kernel: &RustKernel<'_>,
    lines: &RustLines,
    is_checked: bool,
) -> Result<HostObject> {
    let root = kernel.root(RustTarget::Host);
    let checked = if is_checked { CHECKED_FLAGS } else { &[] };
    let flags = [FLAGS, HOST_FLAGS, checked, LINK_FLAGS].concat().join("\0");
    let parts: [&[u8]; 7] = [
        b"rust-host",
        root.as_bytes(),
        kernel.items.as_bytes(),
        flags.as_bytes(),
        if is_checked { INSTRUMENTED.as_bytes() } else { b"" },
        identity().as_bytes(),
        cpu().as_bytes(),
    ];
    let name = format!("{}.so", cache::key(&parts));
    if let Some(bytes) = cache::kernel(&name) {
        return Ok(HostObject(bytes));
    }
    let folder = write(kernel, &root)?;
    let mut compiler = command();
    compiler.args(FLAGS).args(HOST_FLAGS).args(checked).arg("--emit=obj=kernel.o");
    run(&mut compiler, kernel, lines, folder.path())?;
    let mut objects = vec!["kernel.o"];
    if is_checked {
        instrumented(folder.path())?;
        objects.push("instrumented.o");
    }
    let (mut linker, core) = linker().zip(core_archive()).ok_or_else(missing)?;
    linker.current_dir(folder.path()).args(LINK_FLAGS).args(["-o", "kernel.so"]).args(objects).arg(core);
    let (status, log) = run_logged(&mut linker, kernel.name, folder.path())?;
    let object = folder.path().join("kernel.so");
    if !status.success() {
        let message = format!("the linker has failed: {}", log.trim());
        return Err(Problem::Device { operation: format!("compiling {}", kernel.name), message }.into());
    }
    let bytes = std::fs::read(&object).map_err(|error| io("reading", &object, error))?;
    cache::write(&name, &bytes);
    Ok(HostObject(bytes))
}

/// Compiles what a checked build calls, into a crate's folder.
fn instrumented(folder: &Path) -> Result<()> {
    let parts: [&[u8]; 3] = [b"instrumented", INSTRUMENTED.as_bytes(), identity().as_bytes()];
    let (name, object) = (format!("{}.o", cache::key(&parts)), folder.join("instrumented.o"));
    if let Some(bytes) = cache::kernel(&name) {
        return std::fs::write(&object, bytes).map_err(|error| io("writing", &object, error));
    }
    let source = folder.join("instrumented.rs");
    std::fs::write(&source, INSTRUMENTED).map_err(|error| io("writing", &source, error))?;
    let mut compiler = command();
    compiler.current_dir(folder).args(INSTRUMENTED_FLAGS).arg("instrumented.rs");
    let (status, log) = run_logged(&mut compiler, "checks of kernels in Rust", folder)?;
    if !status.success() {
        let operation = "compiling checks of kernels in Rust".to_owned();
        return Err(Problem::Device { operation, message: log.trim().to_owned() }.into());
    }
    let bytes = std::fs::read(&object).map_err(|error| io("reading", &object, error))?;
    cache::write(&name, &bytes);
    Ok(())
}

/// Compiles a kernel to the compiler's own PTX, or takes that from the cache.
/// `finish` makes PTX of it that a driver takes.
///
/// # Errors
///
/// As [`compile_for_host`], and if `core` cannot be built for GPUs.
pub(crate) fn compile_for_gpu(
    kernel: &RustKernel<'_>,
    lines: &RustLines,
    architecture: u32,
    is_checked: bool,
    finish: &dyn Fn(&str) -> Result<String>,
) -> Result<String> {
    let root = kernel.root(RustTarget::Gpu);
    let checked: &[&str] = if is_checked { &[OVERFLOW_CHECKS] } else { &[] };
    let flags = [FLAGS, GPU_FLAGS, checked, PASSES].concat().join("\0");
    let number = architecture.to_le_bytes();
    let parts: [&[u8]; 7] = [
        b"rust-gpu",
        root.as_bytes(),
        kernel.items.as_bytes(),
        flags.as_bytes(),
        identity().as_bytes(),
        env!("CARGO_PKG_VERSION").as_bytes(),
        &number,
    ];
    let name = format!("{}.ptx", cache::key(&parts));
    if let Some(text) = cache::kernel(&name).and_then(|bytes| String::from_utf8(bytes).ok()) {
        return Ok(text);
    }
    let library = core_library::find_or_build()?;
    let folder = write(kernel, &root)?;
    let compile = |passes: &[&str]| -> Result<String> {
        let mut compiler = command();
        compiler
            .args(FLAGS)
            .args(GPU_FLAGS)
            .args(checked)
            .arg(format!("-Ctarget-cpu=sm_{}", architecture.min(core_library::NEWEST)))
            .args(passes)
            .arg(format!("-L{}", library.display()))
            .arg(format!("--extern=core={}", library.join("libcore.rmeta").display()))
            .arg("--emit=asm=kernel.ptx,llvm-ir=kernel.ll");
        run(&mut compiler, kernel, lines, folder.path())?;
        let path = folder.path().join("kernel.ll");
        let code = std::fs::read_to_string(&path).map_err(|error| io("reading", &path, error))?;
        // LLVM divides, rounds and multiplies for it, which loses digits.
        if code.lines().any(|line| line.contains(" = frem ")) {
            let message = format!(
                "{}: `%` of floats is not exact on a GPU\n  = help: write `a.rem_euclid(b)`, which is; or \
                 `a - b * (a / b).trunc()`, which is what a GPU would compute",
                kernel.name
            );
            return Err(Problem::Unsupported { message }.into());
        }
        let path = folder.path().join("kernel.ptx");
        let raw = std::fs::read_to_string(&path).map_err(|error| io("reading", &path, error))?;
        finish(&raw)
    };
    let mut text = compile(PASSES)?;
    // The passes before the usual ones once left an address uncomputed. What reads a register
    // that nothing sets is compiled again without them: shared memory is slower then, and right.
    if !ptx::unset(&text).is_empty() {
        text = compile(&[])?;
    }
    cache::write(&name, text.as_bytes());
    Ok(text)
}
