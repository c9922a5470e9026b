//! Running the compiler and the linker.

use std::ffi::OsString;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use serde::Deserialize;

use super::cfg::Cfg;
use super::generate::{Generated, HEAD};
use super::versions;
use crate::dependencies::{Dependencies, Externs};
use crate::interrupt::Interrupter;
use crate::store::Prelude;
use crate::toolchain::{Linker, Toolchain};

/// What a compiler run is to leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Emit {
    /// An object file.
    Object,
    /// An object file, and the text that names the types of variables.
    ObjectAndMir,
    /// The text that names types alone.
    Mir,
    /// An object file with line tables, which cells are too quick to need.
    ObjectWithLines,
}

/// A compiler with everything that stays the same from cell to cell.
#[derive(Debug)]
pub(super) struct Compiler {
    toolchain: Toolchain,
    prelude: Prelude,
    /// Where files of cells lie, for the time of the session.
    folder: PathBuf,
    interrupter: Interrupter,
    /// The user's own crates, which cells may mention.
    pub(super) dependencies: Dependencies,
    /// How much cells are optimised: 0 to 3.
    pub(super) optimisation: u8,
    /// A compiler that waits for the next cell's text.
    waiting: Option<Waiting>,
    /// Whether the last run had begun before its turn.
    pub(super) was_ahead: bool,
    /// What conditional compilation goes by, once a cell has asked.
    cfg: Option<Cfg>,
}

/// How a compiler or a linker has ended.
struct End {
    succeeded: bool,
    /// Whether someone else has ended it.
    was_killed: bool,
    /// What it wrote to its standard error.
    output: String,
}

/// A compiler that has started and waits for a cell's text. What it does before
/// it reads that, its own start and loading the prelude's metadata, takes 15 of
/// the 40 ms that a cell takes otherwise.
#[derive(Debug)]
struct Waiting {
    cell: u64,
    arguments: Vec<OsString>,
    /// None once it is somebody else's.
    child: Option<Child>,
    /// The text that it was given ahead of the cell's turn.
    given: Option<String>,
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
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
    /// The lines that it is on.
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
        let dependencies = Dependencies::default();
        Compiler {
            toolchain,
            prelude,
            folder,
            interrupter,
            dependencies,
            optimisation: 0,
            waiting: None,
            was_ahead: false,
            cfg: None,
        }
    }

    /// The name of a cell's text as the compiler, and a panic, has it.
    pub(super) fn file_name(cell: u64) -> String {
        format!("cell-{cell}.rs")
    }

    fn path(&self, cell: u64, extension: &str) -> PathBuf {
        self.folder.join(format!("cell-{cell}.{extension}"))
    }

    /// Where the object file of a cell is.
    pub(super) fn object(&self, cell: u64) -> PathBuf {
        self.path(cell, "o")
    }

    /// The file that includes a cell's text.
    fn root_name(cell: u64) -> String {
        format!("root-{cell}.rs")
    }

    fn arguments(&self, cell: u64, root: String, externs: &Externs, emit: Emit, epoch: u64) -> Vec<OsString> {
        // Names without a folder: commas in its name would mean something else.
        let emits = emit;
        let emit = match emit {
            Emit::Object | Emit::ObjectWithLines => format!("--emit=obj=cell-{cell}.o"),
            Emit::ObjectAndMir => format!("--emit=obj=cell-{cell}.o,mir=cell-{cell}.mir"),
            Emit::Mir => format!("--emit=mir=cell-{cell}.mir"),
        };
        // One name for all cells: a type is the same in each of them, unless it
        // has changed (see `versions`).
        let mut arguments: Vec<OsString> = [
            "--edition=2024",
            "--crate-name=ctx",
            "--crate-type=cdylib",
            "--error-format=json",
            // It says when the object file is written, which is 4 ms before it ends.
            "--json=artifacts",
            "-Cprefer-dynamic",
            "-Ccodegen-units=1",
            "-Cembed-bitcode=no",
            // What `symbols` reads.
            "-Csymbol-mangling-version=v0",
        ]
        .map(OsString::from)
        .to_vec();
        let lines =
            if emits == Emit::ObjectWithLines { "-Cdebuginfo=line-tables-only" } else { "-Cdebuginfo=0" };
        arguments.push(lines.into());
        arguments.push(format!("-Cmetadata=e{epoch}").into());
        if self.optimisation > 0 {
            arguments.push(format!("-Copt-level={}", self.optimisation).into());
        }
        arguments.push("--extern".into());
        arguments.push(format!("gpurepl_prelude={}", self.prelude.library().display()).into());
        arguments.push("-L".into());
        arguments.push(format!("dependency={}", self.prelude.dependencies().display()).into());
        arguments.extend(externs.arguments.iter().map(OsString::from));
        arguments.push(emit.into());
        arguments.push(root.into());
        arguments
    }

    /// Starts a compiler, which will read a text from its standard input under
    /// the name of the cell's file. Where another file includes that one, it
    /// reads as far as it can before: what that imports is loaded by then.
    fn start(&self, cell: u64, arguments: &[OsString]) -> Result<Child, String> {
        let (file, root) = (self.path(cell, "rs"), self.folder.join(Compiler::root_name(cell)));
        let _ = std::fs::remove_file(&file);
        let including = format!("{HEAD}include!({:?});\n", Compiler::file_name(cell));
        std::os::unix::fs::symlink("/dev/stdin", &file)
            .and_then(|()| std::fs::write(root, including))
            .map_err(|error| {
                format!("the cell could not be written to {}: {error}", self.folder.display())
            })?;
        let mut command = Command::new(&self.toolchain.rustc);
        command.current_dir(&self.folder).args(arguments);
        // Nothing of the user's environment may change what is compiled.
        for name in ["RUSTC_BOOTSTRAP", "RUSTC_LOG", "RUSTC_ICE", "RUST_BACKTRACE", "CARGO_MANIFEST_DIR"] {
            command.env_remove(name);
        }
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
        spawn(&mut command, "rustc")
    }

    /// Starts a compiler for a cell that is still to come.
    pub(super) fn prepare(&mut self, cell: u64, epoch: u64) {
        // Most cells mention no crate of the user's.
        let (root, externs) = (Compiler::root_name(cell), Externs::default());
        let arguments = self.arguments(cell, root, &externs, Emit::Object, epoch);
        if self.waiting.as_ref().is_some_and(|waiting| waiting.arguments == arguments) {
            return;
        }
        self.waiting = None;
        // If it cannot be started, the cell itself will say why.
        if let Ok(child) = self.start(cell, &arguments) {
            self.waiting = Some(Waiting { cell, arguments, child: Some(child), given: None });
        }
    }

    /// Gives the compiler of a cell that is still to come the text that the cell is expected to have. Whether it
    /// has, [`Compiler::compile`] finds out.
    pub(super) fn begin(&mut self, cell: u64, generated: &Generated, epoch: u64) {
        let Inputs { arguments, text } = self.inputs(cell, generated, Emit::Object, epoch);
        let mut waiting = match self.take_waiting(cell, &arguments) {
            Some(waiting) => waiting,
            None => match self.start(cell, &arguments) {
                Ok(child) => Waiting { cell, arguments, child: Some(child), given: None },
                // The cell itself will say why.
                Err(_) => return,
            },
        };
        if let Some(mut stdin) = waiting.child.as_mut().and_then(|child| child.stdin.take()) {
            // One that has ended says why on its standard error.
            let _ = stdin.write_all(text.as_bytes());
        }
        waiting.given = Some(text);
        self.waiting = Some(waiting);
    }

    /// The cell to come is not the expected one: another compiler waits for it.
    pub(super) fn withdraw(&mut self, epoch: u64) {
        if let Some(Waiting { cell, given: Some(_), .. }) = self.waiting {
            self.waiting = None;
            self.prepare(cell, epoch);
        }
    }

    /// The compiler that waits for this very run, if there is one; one that
    /// waits for a cell that will not come any more is ended.
    fn take_waiting(&mut self, cell: u64, arguments: &[OsString]) -> Option<Waiting> {
        let waiting = self.waiting.take()?;
        if waiting.arguments == arguments {
            return Some(waiting);
        }
        if waiting.cell > cell {
            self.waiting = Some(waiting);
        }
        None
    }

    /// A cell's text without what conditional compilation leaves out; none if
    /// that is nothing.
    pub(super) fn configured(&mut self, source: &str) -> Option<String> {
        if !source.contains("cfg") {
            return None;
        }
        let rustc = &self.toolchain.rustc;
        let cfg = self.cfg.get_or_insert_with(|| {
            let printed = Command::new(rustc).args(["--print", "cfg"]).current_dir("/").output();
            Cfg::read(&String::from_utf8_lossy(&printed.map(|printed| printed.stdout).unwrap_or_default()))
        });
        cfg.configured(source, self.optimisation == 0)
    }

    fn inputs(&self, cell: u64, generated: &Generated, emit: Emit, epoch: u64) -> Inputs {
        let Generated { text, is_whole, .. } = generated;
        let root = if *is_whole { Compiler::file_name(cell) } else { Compiler::root_name(cell) };
        let externs = self.dependencies.externs(text);
        let arguments = self.arguments(cell, root, &externs, emit, epoch);
        Inputs { arguments, text: format!("{text}{}", externs.tail) }
    }

    /// Compiles a text.
    pub(super) fn compile(&mut self, cell: u64, generated: &Generated, emit: Emit, epoch: u64) -> Run {
        let Inputs { arguments, text } = self.inputs(cell, generated, emit, epoch);
        let waiting = self.take_waiting(cell, &arguments);
        let mut waiting = waiting.filter(|waiting| waiting.given.as_ref().is_none_or(|given| *given == text));
        self.was_ahead = waiting.as_ref().is_some_and(|waiting| waiting.given.is_some());
        let child = waiting.as_mut().and_then(|waiting| waiting.child.take());
        let child = child.map_or_else(|| self.start(cell, &arguments), Ok);
        let given = Given { text: &text, cell, epoch, is_early: emit == Emit::Object };
        let mut run = child.and_then(|child| self.give(child, given));
        // Where memory is short the system kills what is large: once more, by one that is started now.
        if matches!(run, Ok(End { was_killed: true, .. })) && !self.interrupter.was_asked() {
            // That of the next cell holds memory, too.
            self.waiting = None;
            run = self.start(cell, &arguments).and_then(|child| self.give(child, given));
        }
        match run {
            Ok(End { was_killed: true, .. }) if !self.interrupter.was_asked() => Run::Failed(
                "the compiler was killed, and once more when it was started again; if memory is short, make some free"
                    .to_owned(),
            ),
            Ok(End { succeeded, output, .. }) => {
                let messages: Vec<Message> =
                    output.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
                if !succeeded && !messages.iter().any(Message::is_error) {
                    if self.interrupter.was_asked() {
                        return Run::Interrupted;
                    }
                    return Run::Failed(match output.contains("overflow") {
                        true => {
                            "the compiler has run out of stack: the cell nests too deeply, or a type does"
                                .to_owned()
                        }
                        false => format!("the compiler ended without a word\n{}", output.trim()),
                    });
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
        self.link_as(cell, self.library(cell))
    }

    /// The same beside the one that is loaded.
    pub(super) fn link_with_lines(&self, cell: u64) -> Result<PathBuf, String> {
        self.link_as(cell, self.path(cell, "lines.so"))
    }

    /// Where the shared object of a cell is.
    pub(super) fn library(&self, cell: u64) -> PathBuf {
        self.path(cell, "so")
    }

    fn link_as(&self, cell: u64, library: PathBuf) -> Result<PathBuf, String> {
        let object = self.object(cell);
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
        let result =
            spawn(&mut command, "the linker").and_then(|mut child| self.finish(&mut child, "the linker"));
        let _ = std::fs::remove_file(&object);
        let failed = match result {
            Ok(End { succeeded: true, .. }) => return Ok(library),
            Ok(End { was_killed: true, .. }) => {
                Err("the linker was killed; if memory is short, make some free".to_owned())
            }
            Ok(End { output, .. }) => Err(format!("the cell could not be linked\n{}", output.trim())),
            Err(problem) => Err(problem),
        };
        let _ = std::fs::remove_file(library);
        failed
    }

    /// The compiler's own text of a cell, and removes it.
    pub(super) fn take_mir(&self, cell: u64) -> String {
        let path = self.path(cell, "mir");
        let text = versions::as_written(&std::fs::read_to_string(&path).unwrap_or_default());
        let _ = std::fs::remove_file(path);
        text
    }

    /// Removes what a run has left that is not needed any more. The linked
    /// object stays: it is what a replay loads.
    pub(super) fn clean(&self, cell: u64) {
        for extension in ["o", "mir", "rs"] {
            let _ = std::fs::remove_file(self.path(cell, extension));
        }
        let _ = std::fs::remove_file(self.folder.join(Compiler::root_name(cell)));
    }

    /// Gives a compiler a cell's text and waits for its end, or for the object
    /// file alone. The compiler of the next cell starts meanwhile.
    fn give(&mut self, mut child: Child, given: Given<'_>) -> Result<End, String> {
        let Given { text, cell, epoch, is_early } = given;
        self.interrupter.set_compiler(i32::try_from(child.id()).unwrap_or(0));
        // One that was given the text ahead has none any more.
        if let Some(mut stdin) = child.stdin.take() {
            // One that has ended says why on its standard error.
            let _ = stdin.write_all(text.as_bytes());
        }
        // What is compiled besides cells has the number zero.
        if cell > 0 {
            self.prepare(cell + 1, epoch);
        }
        if !is_early {
            return self.finish(&mut child, "rustc");
        }
        let (mut output, mut has_failed) = (Vec::new(), false);
        if let Some(stderr) = child.stderr.take() {
            let mut stderr = BufReader::new(stderr);
            loop {
                let start = output.len();
                // What is read stays read where the pipe fails, as it does at its end.
                if stderr.read_until(b'\n', &mut output).unwrap_or(0) == 0 {
                    break;
                }
                let line = &output[start..];
                // A file that could not be written whole is announced as well, after the error.
                has_failed |= line.windows(16).any(|text| text == b"\"level\":\"error\"");
                if !has_failed && is_object(line) {
                    self.interrupter.clear_compiler();
                    // Nothing waits for its end. Without a thread it ends by itself.
                    let thread = std::thread::Builder::new().name(ENDING.to_owned());
                    let _ = thread.spawn(move || {
                        let _ = std::io::copy(&mut stderr, &mut std::io::sink());
                        child.wait()
                    });
                    let output = String::from_utf8_lossy(&output).into_owned();
                    return Ok(End { succeeded: true, was_killed: false, output });
                }
            }
        }
        self.ended(&mut child, &output, "rustc")
    }

    /// Waits for a program to end.
    fn finish(&self, child: &mut Child, name: &str) -> Result<End, String> {
        self.interrupter.set_compiler(i32::try_from(child.id()).unwrap_or(0));
        let mut output = Vec::new();
        if let Some(stderr) = &mut child.stderr {
            let _ = stderr.read_to_end(&mut output);
        }
        self.ended(child, &output, name)
    }

    fn ended(&self, child: &mut Child, output: &[u8], name: &str) -> Result<End, String> {
        // Not to be signalled once it has been waited for.
        self.interrupter.clear_compiler();
        let status = child.wait().map_err(|error| format!("{name}: {error}"))?;
        Ok(End {
            succeeded: status.success(),
            was_killed: status.signal() == Some(libc::SIGKILL),
            output: String::from_utf8_lossy(output).into_owned(),
        })
    }

    pub(super) fn prelude(&self) -> &Prelude {
        &self.prelude
    }

    pub(super) fn toolchain(&self) -> &Toolchain {
        &self.toolchain
    }
}

/// The name of a thread that waits for the end of a compiler whose object file is there.
const ENDING: &str = "compiler's end";

/// What a run of a compiler depends on.
struct Inputs {
    arguments: Vec<OsString>,
    text: String,
}

/// What a compiler is given.
#[derive(Clone, Copy)]
struct Given<'a> {
    text: &'a str,
    cell: u64,
    epoch: u64,
    /// Whether the object file is all that is waited for.
    is_early: bool,
}

/// Whether a line of a compiler's says that the object file is written:
/// `{"$message_type":"artifact","artifact":"cell-1.o","emit":"obj"}`.
fn is_object(line: &[u8]) -> bool {
    #[derive(Deserialize)]
    struct Artifact {
        emit: String,
        #[serde(rename = "artifact")]
        _path: String,
    }
    line.starts_with(b"{\"$message_type\":\"artifact\"")
        && serde_json::from_slice::<Artifact>(line).is_ok_and(|artifact| artifact.emit == "obj")
}

/// Starts a program in a process group of its own, which an interrupt ends.
fn spawn(command: &mut Command, name: &str) -> Result<Child, String> {
    command
        .process_group(0)
        .spawn()
        .map_err(|error| format!("{name} could not be run: {error}\n  = help: see `gpurepl doctor`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_object_file_is_announced_by_a_line_of_its_own() {
        assert!(is_object(b"{\"$message_type\":\"artifact\",\"artifact\":\"cell-1.o\",\"emit\":\"obj\"}\n"));
        for other in [
            "{\"$message_type\":\"artifact\",\"artifact\":\"cell-1.mir\",\"emit\":\"mir\"}\n",
            "{\"$message_type\":\"artifact\",\"artifact\":\"cell",
            "{\"$message_type\":\"diagnostic\",\"message\":\"\\\"emit\\\":\\\"obj\\\"\"}\n",
            "",
        ] {
            assert!(!is_object(other.as_bytes()), "{other}");
        }
    }
}
