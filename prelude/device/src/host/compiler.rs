//! The system's C++ compiler, and modules compiled by it.

use std::ffi::OsStr;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;
use std::time::SystemTime;

use gpurepl_kernels::host;
use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};

use super::conversions;
use super::lines::Code;
use crate::compilers::{cpu, io, run_logged};
use crate::error::CompileError;
use crate::error::{Error, ErrorKind, Problem, Result, loader_cause};
use crate::includes::{self, Search};
use crate::{cache, debug};

/// How a module is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Flavour {
    is_checked: bool,
    is_in_step: bool,
}

impl Flavour {
    /// As fast as it goes.
    pub(super) const FAST: Flavour = Flavour { is_checked: false, is_in_step: false };
    /// With every access looked up: see `checked.rs`.
    pub(super) const CHECKED: Flavour = Flavour { is_checked: true, is_in_step: false };

    /// With the threads of a warp in step: see `shim/lockstep.hpp`.
    pub(super) fn in_step(self) -> Flavour {
        Flavour { is_in_step: true, ..self }
    }

    pub(super) fn is_checked(self) -> bool {
        self.is_checked
    }

    /// Whether every access is looked up.
    pub(super) fn has_shadow(self) -> bool {
        self.is_checked
    }

    /// What must be held while a module's own functions are called outside of
    /// a launch: those of a checked build look at the shadow as well.
    ///
    /// # Errors
    ///
    /// If there is not enough memory for the shadow.
    pub(super) fn shadow(self) -> Result<Option<impl Drop>> {
        self.has_shadow().then(super::checked::ready).transpose()
    }

    fn flags(self, is_clang: bool) -> Vec<String> {
        let mut flags: Vec<String> = Vec::new();
        if self.is_checked {
            flags.extend(["-O1", "-DGPUREPL_CHECKED"].map(str::to_owned));
        }
        if self.is_checked {
            let checks = if is_clang { "array-bounds" } else { "bounds-strict" };
            flags.push(format!("-fsanitize={checks},integer-divide-by-zero,alignment"));
            flags.push("-fno-sanitize-recover=undefined".to_owned());
        }
        // Every access calls a function of the shim.
        if self.is_checked || self.is_in_step {
            flags.push("-fsanitize=thread".to_owned());
            let volatile = if is_clang {
                ["-mllvm", "-tsan-distinguish-volatile=1"]
            } else {
                ["--param", "tsan-distinguish-volatile=1"]
            };
            flags.extend(volatile.map(str::to_owned));
        }
        flags
    }
}

/// A module in memory.
pub(super) struct Loaded {
    pub(super) library: Library,
    pub(super) code: Code,
}

/// What every module is compiled with.
///
/// `-fno-gnu-unique`: else a template's statics are shared between modules.
/// No `-ffast-math`: NaN and infinity are numbers that users look for.
/// `-nostdlib`: a module needs the C library only, and linking the start-up
/// files costs 10 ms.
const FLAGS: &[&str] = &[
    "-std=c++17",
    "-O3",
    "-march=native",
    "-ffp-contract=fast",
    "-fno-math-errno",
    "-fno-trapping-math",
    "-fno-strict-aliasing",
    "-fno-exceptions",
    "-fno-rtti",
    "-fno-asynchronous-unwind-tables",
    // Lines for reports of faults; a frame beyond a stack's guard is noticed.
    "-g1",
    "-fstack-clash-protection",
    "-fPIC",
    "-fvisibility=hidden",
    "-fmax-errors=20",
    "-fdiagnostics-color=never",
];

/// Flags that only g++ has. `-fno-finite-loops`: as for clang. Of the warnings
/// those about conversions are read, here and there.
const GCC_FLAGS: &[&str] = &[
    conversions::FLAG,
    "-fno-gnu-unique",
    "-fno-diagnostics-show-caret",
    "-fno-finite-loops",
    "-fno-tree-tail-merge",
    "-fno-crossjumping",
];

/// `-fno-finite-loops`: a loop that never ends is to be stopped, not left out.
/// `-fno-strict-float-cast-overflow`: numbers become the nearest integer.
const CLANG_FLAGS: &[&str] = &[
    "-Wno-everything",
    conversions::FLAG,
    "-fno-caret-diagnostics",
    "-ferror-limit=20",
    "-fno-finite-loops",
    "-fno-strict-float-cast-overflow",
];

/// `--no-gc-sections` is the default; `-z defs` would refuse what the sanitizers
/// call and the shim defines only where it is needed.
const LINK_FLAGS: &[&str] = &["-shared", "-nostdlib", "-Wl,-Bsymbolic", "-lm", "-lc"];

/// A compiler on this machine.
pub(super) struct Compiler {
    pub(super) path: PathBuf,
    /// `CXX` may hold arguments: `ccache g++`.
    pub(super) arguments: Vec<String>,
    pub(super) is_clang: bool,
    /// Whether it is asked to count columns in bytes, once that is known.
    counts_bytes: OnceLock<bool>,
}

impl Compiler {
    /// g++ from version 11 on counts columns as a terminal shows them, tabs
    /// and wide characters included, unless it is asked for bytes; older ones
    /// and clang count bytes and do not know the flag.
    pub(super) fn column_flag(&self) -> Option<&'static str> {
        let is_asked = || {
            let output = Command::new(&self.path).args(&self.arguments).arg("-dumpversion").output();
            let output = output.map(|output| output.stdout).unwrap_or_default();
            let version = String::from_utf8_lossy(&output);
            version
                .trim()
                .split('.')
                .next()
                .and_then(|major| major.parse().ok())
                .is_some_and(|major: u32| major >= 11)
        };
        let is_asked = !self.is_clang && *self.counts_bytes.get_or_init(is_asked);
        is_asked.then_some("-fdiagnostics-column-unit=byte")
    }

    /// Which compiler it is, to tell it from another one that takes its place.
    pub(super) fn identity(&self) -> String {
        let identity = std::fs::metadata(&self.path).ok().and_then(|metadata| {
            let modified = metadata.modified().ok()?.duration_since(SystemTime::UNIX_EPOCH).ok()?;
            Some(format!("{}-{}", metadata.len(), modified.as_nanos()))
        });
        identity.unwrap_or_default()
    }
}

/// One line about the compiler, for a list of devices.
pub(super) fn describe() -> String {
    match find() {
        Some(compiler) => {
            let name = compiler.path.file_name().unwrap_or(OsStr::new("c++"));
            format!("kernels by {}", name.to_string_lossy())
        }
        None => "no C++ compiler, so no kernels of your own".to_owned(),
    }
}

pub(super) fn find() -> Option<&'static Compiler> {
    static FOUND: OnceLock<Option<Compiler>> = OnceLock::new();
    FOUND.get_or_init(|| find_by(std::env::var("CXX").ok().as_deref())).as_ref()
}

/// The compiler that `CXX` names, else the first that is installed.
fn find_by(cxx: Option<&str>) -> Option<Compiler> {
    let open = |command: &str| {
        let mut words = command.split_whitespace().map(str::to_owned);
        let path = which::which(words.next()?).ok()?;
        let arguments: Vec<String> = words.collect();
        let name = format!("{} {}", path.display(), arguments.join(" "));
        Some(Compiler { path, arguments, is_clang: name.contains("clang"), counts_bytes: OnceLock::new() })
    };
    match cxx.filter(|text| !text.trim().is_empty()) {
        Some(command) => open(command),
        None => ["g++", "clang++", "c++"].into_iter().find_map(open),
    }
}

fn missing() -> Error {
    missing_for(
        "kernels of your own need a C++ compiler on the host device, and none was found",
        "install g++ (`apt install g++`, `dnf install gcc-c++`) or clang, or set CXX; arrays work without",
    )
}

/// The error where there is no compiler: what it was wanted for, and what to do, unless `CXX` names one.
pub(super) fn missing_for(what: &str, help: &str) -> Error {
    let (what, help) = match std::env::var("CXX").ok().filter(|text| !text.trim().is_empty()) {
        Some(cxx) => (
            format!("the C++ compiler that CXX names was not found: `{cxx}`"),
            "set CXX to a compiler that is installed, or unset it",
        ),
        None => (what.to_owned(), help),
    };
    Problem::Missing { what, help: help.to_owned() }.into()
}

/// Compiles C++ to a loaded module, or takes it from the cache.
///
/// `what` names the kernel in messages, `texts` are the user's own texts by
/// the names that the compiler knows them by, to show lines of; `text` is the
/// C++ made from them.
///
/// # Errors
///
/// If there is no compiler, the text does not compile, or the compiler takes
/// too long.
pub(super) fn load(
    what: &str,
    texts: &[(&str, &str)],
    text: &str,
    options: &[String],
    flavour: Flavour,
) -> Result<Loaded> {
    let compiler = find().ok_or_else(missing)?;
    if flavour.is_in_step && compiler.is_clang {
        return Err(Problem::Unsupported {
            message: format!(
                "{what}: threads of a warp exchange values by `volatile` memory without `__syncwarp()`, which only \
                 g++ can build for the host device\n  = help: call `__syncwarp()` between the steps, as GPUs since \
                 Volta need it, or set CXX=g++"
            ),
        }
        .into());
    }
    let open = |object| -> Result<Result<Loaded, String>> {
        let _shadow = flavour.shadow()?;
        Ok(open_bytes(object))
    };
    let included = included(text, options);
    let name = format!("{}.so", module_key(compiler, text, options, flavour, included.as_deref()));
    // What a macro includes is in no key; and a debugger wants its files.
    let is_whole = included.is_some() && !debug::is_on();
    if is_whole
        && let Some(bytes) = cache::kernel(&name)
        && let Ok(loaded) = open(bytes)?
    {
        return Ok(loaded);
    }
    let (mut object, log) = compile(compiler, what, texts, text, options, flavour)?;
    let names: Vec<&str> = texts.iter().map(|(name, _)| *name).collect();
    if let Some(text) = conversions::with_gpu_conversions(text, &names, &log) {
        match compile(compiler, what, texts, &text, options, flavour) {
            Ok((saturating, _)) => object = saturating,
            // Not what it seemed to be, to a text that is valid as it is.
            Err(error) if error.kind() == ErrorKind::Compile => {}
            Err(error) => return Err(error),
        }
    }
    if is_whole {
        cache::write(&name, &object);
    }
    open(object)?.map_err(|message| not_loaded(what, texts, message).into())
}

/// Why a module cannot be loaded. As a rule its text calls a function of which
/// it has the declaration alone: a linker would have found the others.
fn not_loaded(what: &str, texts: &[(&str, &str)], message: String) -> Problem {
    let symbol = message.split_once("undefined symbol: ").map(|(_, symbol)| symbol.trim());
    let undefined =
        symbol.and_then(|symbol| texts.iter().find_map(|(_, text)| host::undefined(text, symbol)));
    match undefined {
        Some(error) => Problem::Spec { what: "kernel", error },
        None => Problem::Device { operation: format!("loading {what}"), message },
    }
}

/// What the files hold that a source includes, as a hash; none if that cannot
/// be known. What the compiler itself brings changes with the compiler.
fn included(text: &str, options: &[String]) -> Option<Vec<u8>> {
    let has_path = |name| std::env::var_os(name).is_some_and(|path| !path.is_empty());
    if has_path("CPATH") || has_path("CPLUS_INCLUDE_PATH") {
        return None;
    }
    let search = Search::from_options(options)?;
    let mut system = ["/usr/local/include", "/usr/include"].map(PathBuf::from).to_vec();
    system.extend(headers_for(text));
    includes::closure(text, None, &Search { toolkit: system, ..search }).map(|closure| closure.digest)
}

/// A name for everything that the compiled module depends on: the text, the
/// flags, the compiler, and the CPU that `-march=native` means.
fn module_key(
    compiler: &Compiler,
    text: &str,
    options: &[String],
    flavour: Flavour,
    included: Option<&[u8]>,
) -> String {
    cache::key(&[
        b"host",
        text.as_bytes(),
        options.join("\0").as_bytes(),
        FLAGS.join("\0").as_bytes(),
        flavour.flags(compiler.is_clang).join("\0").as_bytes(),
        LINK_FLAGS.join("\0").as_bytes(),
        (if compiler.is_clang { CLANG_FLAGS } else { GCC_FLAGS }).join("\0").as_bytes(),
        env!("CARGO_PKG_VERSION").as_bytes(),
        compiler.path.as_os_str().as_encoded_bytes(),
        compiler.arguments.join("\0").as_bytes(),
        compiler.identity().as_bytes(),
        cpu().as_bytes(),
        included.unwrap_or_default(),
    ])
}

/// The folder of our headers, for a text that includes files, which may include
/// them.
fn headers_for(text: &str) -> Option<PathBuf> {
    static FOLDER: OnceLock<Option<PathBuf>> = OnceLock::new();
    let mut lines = text.lines().map(str::trim_start);
    if !lines.any(|line| line.starts_with("#include") && !line.contains("<new>")) {
        return None;
    }
    FOLDER.get_or_init(|| write_headers().ok()).clone()
}

/// Writes our headers as files, under a name of what they hold.
fn write_headers() -> std::io::Result<PathBuf> {
    use gpurepl_kernels::headers::{HEADERS, HOST_HEADERS};
    let all = || HEADERS.iter().chain(HOST_HEADERS);
    let texts: Vec<&[u8]> = all().map(|(_, text)| text.to_bytes()).collect();
    let beside = cache::folder_beside("headers").ok_or(std::io::ErrorKind::NotFound)?;
    let folder = beside.join(&cache::key(&texts)[..16]);
    if folder.is_dir() {
        return Ok(folder);
    }
    // Another process may be doing the same.
    let new = tempfile::Builder::new().prefix(".new-").tempdir_in(&beside)?;
    let named = all().map(|(name, text)| (name.to_string_lossy(), text.to_bytes()));
    let empty = host::EMPTY_HEADERS.iter().map(|name| ((*name).into(), &b""[..]));
    for (name, text) in named.chain(empty) {
        let path = new.path().join(&*name);
        std::fs::create_dir_all(path.parent().unwrap_or(new.path()))?;
        std::fs::write(path, text)?;
    }
    if std::fs::rename(new.path(), &folder).is_ok() {
        let _ = new.keep();
    }
    Ok(folder)
}

/// The object, and what the compiler has said about the text.
fn compile(
    compiler: &Compiler,
    what: &str,
    texts: &[(&str, &str)],
    text: &str,
    options: &[String],
    flavour: Flavour,
) -> Result<(Vec<u8>, String)> {
    let folder = crate::streams::temporary_folder("kernel-")
        .map_err(|error| io("making a folder in", &std::env::temp_dir(), error))?;
    let (input, output) = (folder.path().join("kernel.cpp"), folder.path().join("kernel.so"));
    std::fs::write(&input, text).map_err(|error| io("writing", &input, error))?;
    // The compiler's own run-time libraries are left out, so that it must not
    // link what it has instrumented.
    let object = folder.path().join("kernel.o");
    let links_apart = flavour != Flavour::FAST;
    let mut command = Command::new(&compiler.path);
    command
        .args(&compiler.arguments)
        .args(FLAGS)
        .args(if compiler.is_clang { CLANG_FLAGS } else { GCC_FLAGS })
        .args(flavour.flags(compiler.is_clang))
        .args(compiler.column_flag())
        .args(options)
        .arg(&input);
    if let Some(headers) = headers_for(text) {
        command.arg("-idirafter").arg(headers);
    }
    if links_apart {
        command.arg("-c").arg("-o").arg(&object);
    } else {
        command.arg("-o").arg(&output).args(LINK_FLAGS);
    }
    let (status, log) = run_logged(&mut command, what, folder.path())?;
    if !status.success() {
        let messages = conversions::without_warnings(&log);
        return Err(Problem::Compile(CompileError::from_gcc(what, texts, &messages)).into());
    }
    if links_apart {
        let mut command = Command::new(&compiler.path);
        command.args(&compiler.arguments).arg(&object).arg("-o").arg(&output).args(LINK_FLAGS);
        let (status, messages) = run_logged(&mut command, what, folder.path())?;
        if !status.success() {
            return Err(Problem::Compile(CompileError::from_gcc(what, texts, &messages)).into());
        }
    }
    let object = std::fs::read(&output).map_err(|error| io("reading", &output, error))?;
    Ok((object, log))
}

/// Loads a module as an instance of its own, with its own variables: the
/// loader would hand out one instance for one file.
pub(super) fn open_bytes(bytes: Vec<u8>) -> Result<Loaded, String> {
    let mut builder = tempfile::Builder::new();
    let kept = debug::place_of_modules();
    let builder = builder.prefix(kept.map_or(".load-", |(_, name)| name)).suffix(".so");
    builder.disable_cleanup(kept.is_some());
    // The cache's folder holds code anyway; a folder for temporary files may
    // be mounted so that nothing in it can be run.
    let folder = kept.map(|(folder, _)| folder).or_else(cache::folder);
    let file = folder.map_or_else(|| builder.tempfile(), |folder| builder.tempfile_in(folder));
    let mut file = file.map_err(|error| error.to_string())?;
    file.write_all(&bytes).map_err(|error| error.to_string())?;
    // SAFETY: loading runs the module's initialisers. The module was compiled
    // by `compile` from a translated source, or read from a folder that only
    // this user can write; a constructor in the user's own text runs with the
    // rights that the text was given by being compiled. The mapping outlives
    // the file's name.
    let library = unsafe { Library::open(Some(file.path()), RTLD_NOW | RTLD_LOCAL) }
        .map_err(|error| loader_cause(&error))?;
    // SAFETY: the shim defines this byte in every module; only its address is
    // used.
    let here = unsafe { library.get::<*const u8>("gpurepl_module") }.map_err(|error| loader_cause(&error))?;
    let code = Code::around(*here as usize, bytes.into());
    // SAFETY: the shim defines this number in builds whose accesses it looks
    // at; the initialisers, during which it is zero, have run.
    if let Ok(is_live) = unsafe { library.get::<*mut u32>("gpurepl_is_live") } {
        // SAFETY: as above; no kernel of the module runs yet.
        unsafe { **is_live = 1 };
    }
    Ok(Loaded { library, code })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cxx_comes_first_and_may_have_arguments() {
        let compiler = find_by(Some("env -i g++")).unwrap();
        assert_eq!(compiler.path.file_name().unwrap(), "env");
        assert_eq!(compiler.arguments, ["-i", "g++"]);
        assert!(find_by(Some("no-such-compiler")).is_none());
        assert!(find_by(Some(" ")).is_some(), "an empty CXX is as good as none");
    }

    #[test]
    fn a_key_depends_on_all_that_matters() {
        let compiler = find().unwrap();
        let key = module_key(compiler, "int x;", &[], Flavour::FAST, None);
        assert_eq!(key, module_key(compiler, "int x;", &[], Flavour::FAST, None));
        assert_ne!(key, module_key(compiler, "int y;", &[], Flavour::FAST, None));
        assert_ne!(key, module_key(compiler, "int x;", &["-DA".to_owned()], Flavour::FAST, None));
        assert_ne!(key, module_key(compiler, "int x;", &[], Flavour::CHECKED, None));
        assert_ne!(key, module_key(compiler, "int x;", &[], Flavour::FAST, Some(b"1")));
        let other = Compiler {
            path: PathBuf::from("/bin/sh"),
            arguments: Vec::new(),
            is_clang: false,
            counts_bytes: OnceLock::new(),
        };
        assert_ne!(key, module_key(&other, "int x;", &[], Flavour::FAST, None));
    }
}
