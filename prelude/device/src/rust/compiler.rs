//! Runs `rustc` for a kernel's crate.
//!
//! The stable compiler does what is needed once it is told by
//! `RUSTC_BOOTSTRAP` to take unstable flags; only these children are told.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::UNIX_EPOCH;

use gpurepl_kernels::ptx;
use gpurepl_kernels::rust::{
    Form, GPU_LIBRARY, INSTRUMENTED, ITEMS_FILE, POLLED, RustKernel, RustTarget, gpu_library, joined, polled,
};

use super::core_library;
use super::lines::RustLines;
use crate::cache;
use crate::compilers::{cpu, io, run_logged};
use crate::debug;
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

/// Where no thread waits for another, the threads of a block are a loop: LLVM divides it into a part in which every
/// access is within bounds and the rest. The first has no branch to a panic, and may be made of vectors. (Bodík, Gupta
/// and Sarkar, "ABCD: eliminating array bounds checks on demand", 2000, has the idea; LLVM's pass is
/// `InductiveRangeCheckElimination`, and not among the usual ones.)
const LOOP_PASSES: &[&str] =
    &["-Cno-prepopulate-passes", "-Cpasses=default<O2>,function(loop-simplify,lcssa,irce),default<O3>"];

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

/// For profilers and debuggers: which machine code is of which line.
const LINES: &str = "-Cdebuginfo=line-tables-only";

/// What a user asks of a kernel for a GPU.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct GpuOptions {
    /// Whether an overflow of integers is a panic.
    pub(crate) is_checked: bool,
    /// Whether it looks at the ends of loops whether it is to stop.
    pub(crate) polls: bool,
    /// Whether it tells which machine code is of which line.
    pub(crate) has_lines: bool,
}

/// Whether kernels tell of which lines they are made: `GPUREPL_LINEINFO`, or for a debugger.
pub(crate) fn lines_are_asked_for() -> bool {
    debug::is_on() || std::env::var_os("GPUREPL_LINEINFO").is_some_and(|value| value == "1")
}

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
    "--version-script=exported",
];

/// What a kernel's object shows: its entry, and the byte that tells where it lies.
const EXPORTED: &str = "{ global: gpurepl_*; local: *; };\n";

/// Each was added for a failure that was seen:
///
/// | flag | without it |
/// |---|---|
/// | no `JumpThreading`, `convergent` | a barrier was copied into both arms of an `if` (rust-lang/rust#137086) |
/// | `-Zmutable-noalias=no` | a load after a barrier was left out: other threads write to the slice as well |
/// | the passes | shared memory was read by generic loads |
const GPU_FLAGS: &[&str] = &["--target=nvptx64-nvidia-cuda", "-Cllvm-args=-force-attribute=convergent"];

/// Those of them that a crate needs whose functions become part of kernels.
pub(super) const GPU_CRATE_FLAGS: &[&str] = &["-Zmutable-noalias=no", "-Zmir-enable-passes=-JumpThreading"];

/// What LLVM does for a GPU, so that shared memory is known as such before the
/// usual passes. `simplifycfg` makes one branch of `a && b`, also where `b` takes some instructions: NVRTC does
/// so, and a loop with one way out is unrolled.
const PASSES: &[&str] = &[
    "-Cno-prepopulate-passes",
    "-Cpasses=forceattrs,always-inline,cgscc(inline),function(sroa,simplifycfg<bonus-inst-threshold=8>,early-cse,instcombine<no-verify-fixpoint>,memcpyopt,sroa,infer-address-spaces),default<O3>",
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
    let passes = if is_checked || kernel.meets() || kernel.form != Form::Kernel { &[] } else { LOOP_PASSES };
    let flags = [FLAGS, HOST_FLAGS, checked, passes, LINK_FLAGS].concat().join("\0");
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
    compiler.args(FLAGS).args(HOST_FLAGS).args(checked).args(passes).arg("--emit=obj=kernel.o");
    run(&mut compiler, kernel, lines, folder.path())?;
    let mut objects = vec!["kernel.o"];
    if is_checked {
        instrumented(folder.path())?;
        objects.push("instrumented.o");
    }
    let object = link(&objects, kernel.name, folder.path())?;
    let bytes = std::fs::read(&object).map_err(|error| io("reading", &object, error))?;
    cache::write(&name, &bytes);
    Ok(HostObject(bytes))
}

/// Makes a shared object of a crate's objects and what they call of `core`.
fn link(objects: &[&str], name: &str, folder: &Path) -> Result<PathBuf> {
    let script = folder.join("exported");
    std::fs::write(&script, EXPORTED).map_err(|error| io("writing", &script, error))?;
    let archive = core_archive().ok_or_else(missing)?;
    // A linker that does not take the one may take the other.
    let cores = without_debug_information(&archive, folder).into_iter().chain([archive]);
    let mut log = String::new();
    for core in cores {
        let mut linker = linker().ok_or_else(missing)?;
        linker.current_dir(folder).args(LINK_FLAGS).args(["-o", "kernel.so"]).args(objects).arg(core);
        let (status, said) = run_logged(&mut linker, name, folder)?;
        if status.success() {
            return Ok(folder.join("kernel.so"));
        }
        log = said;
    }
    let message = format!("the linker has failed: {}", log.trim());
    Err(Problem::Device { operation: format!("compiling {name}"), message }.into())
}

/// `core` as an object in a crate's folder, without the lines of its functions: they are not the user's, and would be
/// nine tenths of each kernel's object. None if the linker does not make it.
fn without_debug_information(archive: &Path, folder: &Path) -> Option<PathBuf> {
    const NAME: &str = "core.o";
    let path = folder.join(NAME);
    let name = format!("{}.o", cache::key(&[b"core-for-kernels", identity().as_bytes()]));
    if let Some(bytes) = cache::kernel(&name) {
        std::fs::write(&path, bytes).ok()?;
        return Some(path);
    }
    let mut linker = linker()?;
    linker.current_dir(folder).args(["-r", "--strip-debug", "-o", NAME, "--whole-archive"]).arg(archive);
    let (status, _) = run_logged(&mut linker, "core", folder).ok()?;
    if !status.success() {
        return None;
    }
    cache::write(&name, &std::fs::read(&path).ok()?);
    Some(path)
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
    options: GpuOptions,
    finish: &dyn Fn(&str) -> Result<String>,
) -> Result<String> {
    let mut root = kernel.root(RustTarget::Gpu);
    if options.polls {
        root.push_str(POLLED);
    }
    let of_all = gpu_library();
    let mut own: Vec<String> = Vec::new();
    if options.is_checked {
        own.push(OVERFLOW_CHECKS.to_owned());
    }
    if options.has_lines {
        own.push(LINES.to_owned());
        // Tools look for the user's text where it is kept; a panic tells it by its own name.
        if let Some(kept) = debug::is_on().then(|| debug::keep(ITEMS_FILE, kernel.items)).flatten() {
            own.push(format!("--remap-path-prefix={ITEMS_FILE}={}", kept.display()));
            own.push("-Zremap-path-scope=debuginfo".to_owned());
        }
    }
    let shared = [FLAGS, GPU_FLAGS, GPU_CRATE_FLAGS, PASSES].concat().join("\0");
    let flags = format!("{shared}\0{}", own.join("\0"));
    let number = architecture.to_le_bytes();
    let parts: [&[u8]; 8] = [
        b"rust-gpu 3",
        root.as_bytes(),
        of_all.as_bytes(),
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
            .args(GPU_CRATE_FLAGS)
            .args(&own)
            .arg(format!("-Ctarget-cpu=sm_{}", architecture.min(core_library::NEWEST)))
            .args(passes)
            .arg(format!("-L{}", library.display()))
            .arg(format!("--extern=core={}", library.join("libcore.rmeta").display()))
            .arg(format!(
                "--extern={GPU_LIBRARY}={}",
                library.join(format!("lib{GPU_LIBRARY}.rmeta")).display()
            ))
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
        let raw = joined(&raw);
        finish(&if options.polls { polled(&raw) } else { raw })
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
