//! Scripts under NVIDIA's compute-sanitizer.
//!
//! | module | what it holds |
//! |---|---|
//! | `report` | the text that the tool leaves, taken apart |
//! | `place` | lines of kernels as lines of the script |
//! | `host` | the same for what the host device finds itself |
//!
//! The tool runs the worker; its report is a file of text. There is a form in
//! XML as well, but NVIDIA's manual describes it for one kind of record only,
//! while it shows the text of every kind.

mod host;
mod place;
mod report;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::str::FromStr;

pub use host::on_lines_of;
pub use report::{Access, Finding, Place, Report};

use crate::diagnostic::{Diagnostic, Severity, Source};
use crate::session_folder::SessionFolder;
use crate::worker::Wrapper;

/// What compute-sanitizer looks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tool {
    /// Accesses out of bounds and misaligned ones.
    #[default]
    Memcheck,
    /// Races in shared memory.
    Racecheck,
    /// Reads of global memory that nothing was written to.
    Initcheck,
    /// Wrong use of barriers.
    Synccheck,
}

impl Tool {
    /// All tools.
    pub const ALL: [Tool; 4] = [Tool::Memcheck, Tool::Racecheck, Tool::Initcheck, Tool::Synccheck];

    /// Its name on compute-sanitizer's command line.
    pub fn name(self) -> &'static str {
        match self {
            Tool::Memcheck => "memcheck",
            Tool::Racecheck => "racecheck",
            Tool::Initcheck => "initcheck",
            Tool::Synccheck => "synccheck",
        }
    }

    /// Whether the host device, which checks its kernels itself, finds what
    /// this tool looks for.
    pub fn is_on_host(self) -> bool {
        matches!(self, Tool::Memcheck | Tool::Synccheck)
    }
}

impl FromStr for Tool {
    type Err = String;

    fn from_str(text: &str) -> Result<Tool, String> {
        let tool = Tool::ALL.into_iter().find(|tool| tool.name() == text);
        tool.ok_or_else(|| "the tools are memcheck, racecheck, initcheck and synccheck".to_owned())
    }
}

/// Why nothing could be checked.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)]
pub enum SanitizerError {
    #[error(
        "compute-sanitizer was not found on PATH, nor in the CUDA toolkit\n  \
         = help: it is part of the toolkit; alone it is the package cuda-sanitizer-13-0 (or that of your \
         version) of NVIDIA's repository, or `pip install nvidia-cuda-sanitizer-api`, which puts it into \
         nvidia/cu13/bin of site-packages: add that folder to PATH\n  \
         = help: or let the host device check the kernels: `gpurepl sanitize --device host`"
    )]
    NotFound,
    #[error(
        "the host device has no {tool}: it checks accesses (memcheck) and barriers \
         (synccheck)\n  = help: run {tool} on a GPU: `gpurepl sanitize --device cuda --tool {tool}`"
    )]
    NotOnHost { tool: &'static str },
    #[error("cannot create a folder for the report: {0}\n  = help: set TMPDIR to a writable folder")]
    Folder(std::io::Error),
    #[error(
        "compute-sanitizer left no report{0}\n  \
         = help: see whether it works by itself: `compute-sanitizer --version`"
    )]
    NoReport(String),
}

/// compute-sanitizer, ready to run a worker.
#[derive(Debug)]
pub struct Sanitizer {
    program: PathBuf,
    tool: Tool,
    /// The reports, one for each worker.
    folder: SessionFolder,
}

impl Sanitizer {
    /// Finds compute-sanitizer: on `PATH`, else in the toolkit that
    /// `CUDA_PATH`, `CUDA_HOME` or `CUDA_ROOT` names, else in
    /// `/usr/local/cuda`.
    ///
    /// # Errors
    ///
    /// If it is not there, or there is no place for its reports.
    pub fn find(tool: Tool) -> Result<Sanitizer, SanitizerError> {
        let program = tool_of_toolkit("compute-sanitizer").ok_or(SanitizerError::NotFound)?;
        let folder = SessionFolder::named(&std::env::temp_dir(), "sanitizer-");
        Ok(Sanitizer { program, tool, folder: folder.map_err(SanitizerError::Folder)? })
    }

    /// What stands before a worker's own command line, for
    /// [`Options::worker_wrapper`](crate::Options::worker_wrapper).
    pub fn wrapper(&self) -> Wrapper {
        // Errors of calls are gpurepl's to report, which makes some calls to
        // see whether they fail. A kernel that fails does so in many threads,
        // and what another one does is not to be left out for it.
        let options = [
            ["--tool", self.tool.name()],
            ["--target-processes", "application-only"],
            ["--require-cuda-init", "no"],
            ["--show-backtrace", "device"],
            ["--print-limit", "10000"],
            ["--launch-timeout", "60"],
        ];
        let mut wrapper = vec![self.program.clone().into_os_string()];
        wrapper.extend(options.into_iter().flatten().map(OsString::from));
        if self.tool == Tool::Memcheck {
            // Between arrays there is room, so that one too far meets no other.
            wrapper.extend(["--report-api-errors", "no", "--padding", "512"].map(OsString::from));
        }
        // `%p` becomes the number of the tool's process.
        wrapper.extend([
            "--log-file".into(),
            self.folder.path().join("%p.log").into_os_string(),
            "--".into(),
        ]);
        Wrapper { command: wrapper, is_interactive: false }
    }

    /// Environment variables for the worker: kernels are compiled with the
    /// numbers of their lines, and arrays are allocations of their own size.
    pub fn environment(&self) -> Vec<(String, String)> {
        let variables = [("GPUREPL_LINEINFO", "1"), ("GPUREPL_MEMORY_POOL", "0")];
        variables.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
    }

    /// What was found, once all workers have ended.
    ///
    /// # Errors
    ///
    /// If there is no report to read.
    pub fn report(&self) -> Result<Report, SanitizerError> {
        let no_report = |error: std::io::Error| SanitizerError::NoReport(format!(": {error}"));
        let mut files = Vec::new();
        for entry in std::fs::read_dir(self.folder.path()).map_err(no_report)? {
            let entry = entry.map_err(no_report)?;
            if entry.path().extension().is_none_or(|extension| extension != "log") {
                continue;
            }
            files.push((entry.metadata().and_then(|data| data.modified()).map_err(no_report)?, entry.path()));
        }
        files.sort();
        if files.is_empty() {
            return Err(SanitizerError::NoReport(String::new()));
        }
        let mut report = Report::default();
        for (_, path) in files {
            let bytes = std::fs::read(path).map_err(no_report)?;
            report.read(&String::from_utf8_lossy(&bytes));
        }
        Ok(report)
    }
}

/// A program of a CUDA toolkit: on `PATH`, else in the toolkit's folders.
pub(crate) fn tool_of_toolkit(name: &str) -> Option<PathBuf> {
    let named = ["CUDA_PATH", "CUDA_HOME", "CUDA_ROOT"].into_iter().filter_map(std::env::var_os);
    let toolkits = named.map(PathBuf::from).chain([PathBuf::from("/usr/local/cuda")]);
    which::which(name).ok().or_else(|| {
        let paths = toolkits.flat_map(|toolkit| [toolkit.join("bin"), toolkit.join(name)]);
        paths.map(|folder| folder.join(name)).find(|path| is_program(path))
    })
}

fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::metadata(path).is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

impl Report {
    /// What was found as diagnostics on the lines of the user's texts: each
    /// kind of error on a line is one, however many threads it was found in.
    pub fn diagnostics(&self, texts: &[Source]) -> Vec<Diagnostic> {
        let kernels = place::Kernels::of(texts);
        self.findings.iter().map(|finding| diagnostic(finding, &kernels)).collect()
    }
}

fn diagnostic(finding: &Finding, kernels: &place::Kernels<'_>) -> Diagnostic {
    let mut message = finding.message.clone();
    if let Some(detail) = finding.details.first() {
        message = format!("{message}: {detail}");
    }
    let mut diagnostic = Diagnostic::error(message);
    if !finding.is_error {
        diagnostic.severity = Severity::Warning;
    }
    diagnostic.notes.extend(finding.details.iter().skip(1).cloned());
    let who = finding.who();
    let mut has_place = false;
    for (k, access) in finding.accesses.iter().enumerate() {
        let what = match (&access.what[..], k) {
            ("", 0) => who.clone().unwrap_or_default(),
            ("", _) => String::new(),
            (what, 0) if who.is_some() => format!("{what}, {}", who.clone().unwrap_or_default()),
            (what, _) => what.to_owned(),
        };
        match kernels.find(&access.place) {
            Some(found) => {
                has_place |= k == 0;
                found.label(&mut diagnostic, what, k == 0);
                if found.is_ambiguous {
                    diagnostic.notes.push(format!(
                        "several texts here define `{}`; the first is shown",
                        access.place.name()
                    ));
                }
            }
            None => {
                let what = if what.is_empty() { String::new() } else { format!(": {what}") };
                diagnostic.notes.push(format!("{}{what}", access.place));
            }
        }
    }
    if !has_place && finding.accesses.is_empty() {
        diagnostic.notes.extend(who);
    }
    diagnostic.helps.extend(help(finding).map(str::to_owned));
    diagnostic
}

/// What to do about it.
fn help(finding: &Finding) -> Option<&'static str> {
    let words = finding.message.to_lowercase();
    let has = |word: &str| words.contains(word) || finding.details.iter().any(|text| text.contains(word));
    if has("misaligned") {
        Some("an address is a multiple of the size of what is read or written there")
    } else if has("invalid __shared__") {
        Some("compare indices with the size of the `__shared__` array")
    } else if has("out of bounds") {
        Some("compare indices with the array's length before they are used: `if (i < n)`")
    } else if has("race reported") || has("hazard") {
        Some("put a barrier between these accesses: `__syncthreads()`, or make them atomic")
    } else if has("uninitialized") {
        Some("write the memory before it is read: `zeros` does, `empty` and `mem_alloc` do not")
    } else if has("barrier error") || has("divergent") {
        Some("every thread of a block must reach the same barrier: no `__syncthreads()` in an `if`")
    } else {
        None
    }
}

#[cfg(test)]
mod tests;
