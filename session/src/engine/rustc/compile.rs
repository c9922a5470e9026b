//! Running the compiler and the linker.

use std::io::Read as _;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use serde::Deserialize;

use crate::engine::Interrupter;
use crate::store::Prelude;
use crate::toolchain::{Linker, Toolchain};

/// What a compiler run is to leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Emit {
    /// Nothing but messages: items are checked, not run.
    Metadata,
    /// An object file.
    Object,
    /// An object file, and the text that names the types of variables.
    ObjectAndMir,
    /// The text that names types alone.
    Mir,
}

/// A compiler with everything that stays the same from cell to cell.
#[derive(Debug)]
pub(super) struct Compiler {
    toolchain: Toolchain,
    prelude: Prelude,
    /// Where files of cells lie, for the time of the session.
    folder: PathBuf,
    interrupter: Interrupter,
}

/// How a compiler run ended.
#[derive(Debug)]
pub(super) enum Run {
    /// It ran to its end; whether it succeeded, and what it said.
    Ended { succeeded: bool, messages: Vec<Message> },
    /// The user interrupted it.
    Interrupted,
    /// It could not be run, or ended in a way of its own.
    Failed(String),
}

/// A message of rustc's, as `--error-format=json` prints it.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Message {
    pub(super) message: String,
    pub(super) code: Option<Code>,
    pub(super) level: String,
    pub(super) spans: Vec<Span>,
    pub(super) children: Vec<Message>,
}

#[derive(Clone, Debug, Deserialize)]
pub(super) struct Code {
    pub(super) code: String,
}

/// A place in a compiled text.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Span {
    pub(super) file_name: String,
    pub(super) line_start: usize,
    pub(super) line_end: usize,
    /// In characters, from one.
    pub(super) column_start: usize,
    pub(super) column_end: usize,
    pub(super) is_primary: bool,
    pub(super) label: Option<String>,
    pub(super) suggested_replacement: Option<String>,
    pub(super) expansion: Option<Box<Expansion>>,
    /// The lines that it lies on.
    #[serde(default)]
    pub(super) text: Vec<SpanLine>,
}

#[derive(Clone, Debug, Deserialize)]
pub(super) struct SpanLine {
    pub(super) text: String,
    /// In characters, from one.
    pub(super) highlight_start: usize,
    pub(super) highlight_end: usize,
}

impl Span {
    /// The text of a span on one line.
    pub(super) fn words(&self) -> Option<String> {
        let [line] = &self.text[..] else { return None };
        let length = line.highlight_end.saturating_sub(line.highlight_start);
        Some(line.text.chars().skip(line.highlight_start.saturating_sub(1)).take(length).collect())
    }
}

#[derive(Clone, Debug, Deserialize)]
pub(super) struct Expansion {
    pub(super) span: Span,
}

impl Message {
    pub(super) fn code(&self) -> &str {
        self.code.as_ref().map_or("", |code| &code.code)
    }

    pub(super) fn is_error(&self) -> bool {
        self.level.starts_with("error")
    }
}

impl Compiler {
    pub(super) fn new(
        toolchain: Toolchain,
        prelude: Prelude,
        folder: PathBuf,
        interrupter: Interrupter,
    ) -> Compiler {
        Compiler { toolchain, prelude, folder, interrupter }
    }

    /// The name of a cell's text as the compiler, and a panic, has it.
    pub(super) fn file_name(cell: u64) -> String {
        format!("cell-{cell}.rs")
    }

    fn path(&self, cell: u64, extension: &str) -> PathBuf {
        self.folder.join(format!("cell-{cell}.{extension}"))
    }

    /// Compiles a text.
    pub(super) fn compile(&self, cell: u64, text: &str, emit: Emit, epoch: u64) -> Run {
        let file = Compiler::file_name(cell);
        if let Err(error) = std::fs::write(self.folder.join(&file), text) {
            return Run::Failed(format!(
                "the cell could not be written to {}: {error}",
                self.folder.display()
            ));
        }
        let mut command = Command::new(&self.toolchain.rustc);
        command
            .current_dir(&self.folder)
            // One name for all cells: types of theirs are never confused,
            // because the epoch changes when a definition does.
            .args(["--edition", "2024", "--crate-name", "ctx", "--error-format=json"])
            .args(["-Cprefer-dynamic", "-Ccodegen-units=1", "-Cembed-bitcode=no", "-Cdebuginfo=0"])
            .arg(format!("-Cmetadata=e{epoch}"))
            .arg("--extern")
            .arg(format!("gpurepl_prelude={}", self.prelude.library().display()))
            .arg("-L")
            .arg(format!("dependency={}", self.prelude.dependencies().display()));
        // Names without a folder: commas in its name would mean something else.
        let file_of = |extension| format!("cell-{cell}.{extension}");
        match emit {
            Emit::Metadata => {
                command.args(["--crate-type", "lib"]).arg(format!("--emit=metadata={}", file_of("rmeta")))
            }
            Emit::Object => {
                command.args(["--crate-type", "cdylib"]).arg(format!("--emit=obj={}", file_of("o")))
            }
            Emit::ObjectAndMir => command.args(["--crate-type", "cdylib"]).arg(format!(
                "--emit=obj={},mir={}",
                file_of("o"),
                file_of("mir")
            )),
            Emit::Mir => command.args(["--crate-type", "lib"]).arg(format!("--emit=mir={}", file_of("mir"))),
        };
        // Nothing of the user's environment may change what is compiled.
        for name in ["RUSTC_BOOTSTRAP", "RUSTC_LOG", "RUSTC_ICE", "RUST_BACKTRACE", "CARGO_MANIFEST_DIR"] {
            command.env_remove(name);
        }
        command.arg(&file).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        match self.run(&mut command, "rustc") {
            Ok((succeeded, output)) => {
                let messages: Vec<Message> =
                    output.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
                if !succeeded && !messages.iter().any(Message::is_error) {
                    if self.interrupter.was_asked() {
                        return Run::Interrupted;
                    }
                    return Run::Failed(format!("the compiler ended without a word\n{}", output.trim()));
                }
                Run::Ended { succeeded, messages }
            }
            Err(_) if self.interrupter.was_asked() => Run::Interrupted,
            Err(problem) => Run::Failed(problem),
        }
    }

    /// Makes a shared object of a cell's object file.
    ///
    /// Nothing is named that it is linked against: every symbol is found
    /// among the libraries that the worker has loaded.
    pub(super) fn link(&self, cell: u64) -> Result<PathBuf, String> {
        let (object, library) = (self.path(cell, "o"), self.path(cell, "so"));
        let mut command = match &self.toolchain.linker {
            Linker::Ld(ld) => Command::new(ld),
            Linker::RustLld(lld) => {
                let mut command = Command::new(lld);
                command.args(["-flavor", "gnu", "--threads=1"]);
                command
            }
        };
        // Without `--eh-frame-hdr` a panic could not unwind through the cell.
        command
            // `-Bsymbolic`: what a cell defines under a name that an earlier
            // one has used, an `extern "C"` function say, is its own.
            .args(["-shared", "-Bsymbolic", "--eh-frame-hdr", "--hash-style=gnu", "-z", "noexecstack", "-o"])
            .arg(&library)
            .arg(&object)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        let result = self.run(&mut command, "the linker");
        let _ = std::fs::remove_file(&object);
        match result {
            Ok((true, _)) => Ok(library),
            Ok((false, output)) => Err(format!("the cell could not be linked\n{}", output.trim())),
            Err(problem) => Err(problem),
        }
    }

    /// The compiler's own text of a cell, and removes it.
    pub(super) fn take_mir(&self, cell: u64) -> String {
        let path = self.path(cell, "mir");
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        let _ = std::fs::remove_file(path);
        text
    }

    /// Removes what a run has left that is not needed any more.
    pub(super) fn clean(&self, cell: u64) {
        for extension in ["o", "mir", "rmeta", "so"] {
            let _ = std::fs::remove_file(self.path(cell, extension));
        }
    }

    /// Runs a program to its end; true if it succeeded, and what it wrote to
    /// its standard error. It has a process group of its own, which an
    /// interrupt ends.
    fn run(&self, command: &mut Command, name: &str) -> Result<(bool, String), String> {
        let mut child: Child = command
            .process_group(0)
            .spawn()
            .map_err(|error| format!("{name} could not be run: {error}\n  = help: see `gpurepl doctor`"))?;
        self.interrupter.set_compiler(i32::try_from(child.id()).unwrap_or(0));
        let mut output = Vec::new();
        if let Some(stderr) = &mut child.stderr {
            let _ = stderr.read_to_end(&mut output);
        }
        // Not to be signalled once it has been waited for.
        self.interrupter.set_compiler(0);
        let status = child.wait().map_err(|error| format!("{name}: {error}"))?;
        Ok((status.success(), String::from_utf8_lossy(&output).into_owned()))
    }

    pub(super) fn prelude(&self) -> &Prelude {
        &self.prelude
    }

    pub(super) fn toolchain(&self) -> &Toolchain {
        &self.toolchain
    }
}
