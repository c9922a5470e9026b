//! The CUDA backend without a GPU: against a driver of our own, `driver.cpp`,
//! that keeps memory on the host, notes each call and fails as it is told to.
//!
//! The driver belongs to a process, so a test has two parts: a body, an
//! ignored test of this same binary, that runs in a child with the fake
//! driver in place of NVIDIA's; and the test that starts it by [`fake`] and
//! looks at what it said and did. A body begins with [`in_child`], so that
//! `--ignored` does it no harm.

mod arguments;
mod contexts;
mod driver;
mod failures;
mod libraries;
mod measuring;
mod memory;
mod sweep;
mod versions;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// The driver's source: the tests may be run far from where they were built.
const SOURCES: [(&str, &str); 11] = [
    ("driver.cpp", include_str!("driver.cpp")),
    ("state.hpp", include_str!("state.hpp")),
    ("contexts.hpp", include_str!("contexts.hpp")),
    ("devices.hpp", include_str!("devices.hpp")),
    ("streams.hpp", include_str!("streams.hpp")),
    ("memory.hpp", include_str!("memory.hpp")),
    ("copies.hpp", include_str!("copies.hpp")),
    ("textures.hpp", include_str!("textures.hpp")),
    ("modules.hpp", include_str!("modules.hpp")),
    ("launches.hpp", include_str!("launches.hpp")),
    ("graphs.hpp", include_str!("graphs.hpp")),
];

/// How long a body may take; one that hangs is a failure too.
const PATIENCE: Duration = Duration::from_secs(120);

/// The folder with the driver, built once in a process; none without a C++
/// compiler.
fn driver(old: bool) -> Option<&'static Path> {
    static FOLDERS: [OnceLock<Option<TempDir>>; 2] = [const { OnceLock::new() }; 2];
    FOLDERS[usize::from(old)].get_or_init(|| build(old)).as_ref().map(TempDir::path)
}

fn build(old: bool) -> Option<TempDir> {
    let named = std::env::var("CXX").ok().filter(|text| !text.trim().is_empty());
    let candidates = named.map_or_else(|| vec!["g++".to_owned(), "clang++".to_owned()], |named| vec![named]);
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in SOURCES {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    for candidate in candidates {
        let mut words = candidate.split_whitespace();
        let mut compiler = Command::new(words.next().unwrap());
        compiler.args(words).args([
            "-std=c++17",
            "-O0",
            "-shared",
            "-fPIC",
            "-fvisibility=hidden",
            "-pthread",
        ]);
        if old {
            compiler.arg("-DOLD_DRIVER");
        }
        compiler.args(["driver.cpp", "-o", "libcuda.so.1"]).current_dir(folder.path());
        let Ok(output) = compiler.output() else { continue };
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        std::os::unix::fs::symlink("libcuda.so.1", folder.path().join("libcuda.so")).unwrap();
        return Some(folder);
    }
    None
}

/// NVRTC, if the tests have one.
fn nvrtc() -> Option<PathBuf> {
    std::env::var_os("GPUREPL_TEST_NVRTC").filter(|path| !path.is_empty()).map(PathBuf::from)
}

/// Whether kernels can be compiled; says so if not.
fn has_nvrtc() -> bool {
    if nvrtc().is_none() {
        crate::ignored::missing("NVRTC", "GPUREPL_TEST_NVRTC");
    }
    nvrtc().is_some()
}

/// Whether this process has the fake driver.
fn in_child() -> bool {
    std::env::var_os("FAKE_CUDA_LOG").is_some()
}

/// Gives what is held for later to the driver, which counts it otherwise.
fn give_back() {
    gpurepl_prelude::memory_pool().unwrap().free_held().unwrap();
}

/// What came of a body.
struct Outcome {
    status: ExitStatus,
    output: String,
    errors: String,
    log: Vec<Line>,
}

/// A line of the driver's log: a call, `NAME ARGUMENTS [-> RESULTS] [!CODE]`,
/// or a remark, `# SUBJECT ...`.
#[derive(Clone, Debug)]
struct Line {
    text: String,
}

impl Line {
    fn words(&self) -> Vec<&str> {
        self.text.split(' ').collect()
    }

    fn function(&self) -> &str {
        self.text.split(' ').next().unwrap_or_default()
    }

    /// The driver's error, 0 for success.
    fn code(&self) -> i32 {
        self.text.rsplit_once(" !").map_or(0, |(_, code)| code.parse().unwrap())
    }

    /// What comes after a word.
    #[track_caller]
    fn after(&self, word: &str) -> &str {
        let words = self.words();
        let at = words.iter().position(|one| *one == word).unwrap_or_else(|| panic!("{word}: {}", self.text));
        words[at + 1]
    }

    /// The bytes of each argument of a launch, in the order of memory.
    #[track_caller]
    fn arguments(&self) -> Vec<Vec<u8>> {
        let shown = self.after("args");
        if shown == "none" {
            return Vec::new();
        }
        let bytes = |argument: &str| {
            let (size, value) = argument.split_once(':').unwrap();
            let size: usize = size.parse().unwrap();
            match value.strip_prefix("0x") {
                Some(number) => u64::from_str_radix(number, 16).unwrap().to_le_bytes()[..size].to_vec(),
                None => {
                    let byte = |at| u8::from_str_radix(&value[2 * at..2 * at + 2], 16).unwrap();
                    (0..size).map(byte).collect()
                }
            }
        };
        shown.split(',').map(bytes).collect()
    }
}

impl Outcome {
    /// The calls of a function.
    fn calls(&self, function: &str) -> Vec<&Line> {
        self.log.iter().filter(|line| line.function() == function).collect()
    }

    /// The driver's remarks about `misuse`, `hazard` or `lost`.
    fn remarks(&self, subject: &str) -> Vec<&str> {
        let start = format!("# {subject} ");
        self.log.iter().filter_map(|line| line.text.strip_prefix(&start)).collect()
    }

    /// How many of something were never given back: `allocations`, `events`.
    #[track_caller]
    fn left(&self, what: &str) -> usize {
        let line = self.log.iter().rev().find(|line| line.text.starts_with("# left ")).expect("a last line");
        line.after(what).parse().unwrap()
    }

    /// The body ended well, said nothing on the side, and used the driver as
    /// it wants to be used.
    #[track_caller]
    fn is_clean(&self) -> &Self {
        self.ended_well();
        assert!(self.remarks("misuse").is_empty(), "{:#?}", self.remarks("misuse"));
        assert!(self.remarks("hazard").is_empty(), "{:#?}", self.remarks("hazard"));
        self
    }

    /// As [`Outcome::is_clean`], whatever was done to the driver.
    #[track_caller]
    fn ended_well(&self) -> &Self {
        assert!(self.status.success(), "{}\n{}\n{}\n{}", self.status, self.output, self.errors, self.shown());
        assert!(self.errors.is_empty(), "{}", self.errors);
        self
    }

    fn shown(&self) -> String {
        self.log.iter().map(|line| line.text.as_str()).collect::<Vec<_>>().join("\n")
    }
}

/// Runs a body, named from this module on, with the fake driver. The settings
/// are `FAIL` for `FAKE_CUDA_FAIL` and so on, see `driver.cpp`; `OLD` for a
/// driver without what is new; and variables of ours by their whole names.
///
/// None if there is no C++ compiler to build the driver with.
#[track_caller]
fn fake(settings: &[(&str, &str)], body: &str) -> Option<Outcome> {
    let Some(folder) = driver(settings.iter().any(|(name, _)| *name == "OLD")) else {
        crate::ignored::ignored("needs a C++ compiler");
        return None;
    };
    let own = tempfile::tempdir().unwrap();
    let log = own.path().join("log");
    let mut libraries = vec![folder.to_owned()];
    libraries.extend(nvrtc().and_then(|path| Some(path.parent()?.to_owned())));
    if let Some(others) = std::env::var_os("LD_LIBRARY_PATH") {
        libraries.extend(std::env::split_paths(&others));
    }
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args([
        "--exact",
        &format!("fake_driver::{body}"),
        "--ignored",
        "--nocapture",
        "--test-threads=1",
    ]);
    command
        .env("LD_LIBRARY_PATH", std::env::join_paths(libraries).unwrap())
        .env("FAKE_CUDA_LOG", &log)
        .env("GPUREPL_DEVICE", "cuda")
        .env("GPUREPL_CACHE_DIR", own.path().join("cache"))
        .env("RUST_BACKTRACE", "0")
        .env_remove("CUDA_DEVICE");
    for (name, value) in settings.iter().filter(|(name, _)| *name != "OLD") {
        let is_whole = name.starts_with("GPUREPL_") || name.starts_with("CUDA_");
        command.env(if is_whole { (*name).to_owned() } else { format!("FAKE_CUDA_{name}") }, value);
    }
    // Files rather than pipes, which fill up.
    let (output, errors) = (own.path().join("output"), own.path().join("errors"));
    command.stdin(Stdio::null());
    command.stdout(std::fs::File::create(&output).unwrap()).stderr(std::fs::File::create(&errors).unwrap());
    let mut child = command.spawn().unwrap();
    let start = Instant::now();
    let read = |path: &Path| String::from_utf8_lossy(&std::fs::read(path).unwrap_or_default()).into_owned();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if start.elapsed() > PATIENCE {
            let _ = child.kill();
            let _ = child.wait();
            panic!("{body} hangs\n{}\n{}\n{}", read(&output), read(&errors), read(&log));
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    let lines = read(&log).lines().map(|text| Line { text: text.to_owned() }).collect();
    let outcome = Outcome { status, output: read(&output), errors: read(&errors), log: lines };
    assert!(outcome.output.contains("running 1 test"), "no test of this name: {body}\n{}", outcome.output);
    Some(outcome)
}
