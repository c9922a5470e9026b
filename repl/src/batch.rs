//! Cells that are not typed: scripts, notebooks, `-e`, pipes.

use std::borrow::Cow;
use std::io::BufRead as _;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, sync_channel};
use std::time::{Duration, Instant};

use gpurepl_session::diagnostic::Source;
use gpurepl_session::engine::rustc::asks_for_values;
use gpurepl_session::script::ScriptCell;
use gpurepl_session::{Completeness, Loss, Outcome, Session, Upcoming, command, completeness, magic, script};

use crate::arguments::Arguments;
use crate::terminal::Terminal;
use crate::{Status, system};

/// Whether the user has interrupted: that ends a script, not only its cell.
pub static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Cells that are not typed, and where they come from.
pub enum Program {
    /// A file: its cells, its text and its name.
    Script {
        /// Its cells.
        cells: Vec<ScriptCell>,
        /// All of its text.
        text: String,
        /// Its name.
        name: String,
    },
    /// The cells of `-e`.
    Codes(Vec<String>),
    /// The standard input, cell by cell.
    Pipe,
}

/// What is shown of a program besides what it prints.
#[derive(Clone, Copy, Debug, Default)]
pub struct Settings {
    /// Whether times are reported.
    pub is_timed: bool,
    /// Whether values and notes are not shown.
    pub is_quiet: bool,
    /// Whether other cells follow: a prompt's, say.
    pub is_followed: bool,
}

impl Program {
    /// The program that a command line names.
    ///
    /// # Errors
    ///
    /// As [`read_script`], and if it is a notebook that cannot be run.
    pub fn read(file: Option<&Path>, codes: Vec<String>) -> Result<Program, String> {
        Ok(match file {
            Some(path) => {
                let (text, name) = (read_script(path)?, path.display().to_string());
                let cells = script::file(&name, &text).map_err(|error| error.to_string())?;
                Program::Script { cells, text, name }
            }
            None if codes.is_empty() => Program::Pipe,
            None => Program::Codes(codes),
        })
    }

    /// The texts that are known before they are evaluated, to show lines of.
    pub fn texts(&self) -> Vec<Source> {
        let source = |(k, (text, name)): (usize, (&String, String))| Source {
            cell: k as u64,
            name,
            text: text.clone(),
            first_line: 1,
        };
        match self {
            Program::Script { cells, name, .. } if cells.iter().any(|cell| cell.number.is_some()) => {
                cells.iter().map(|cell| (&cell.source, cell.name(name))).enumerate().map(source).collect()
            }
            Program::Script { text, name, .. } => vec![source((0, (text, name.clone())))],
            Program::Codes(codes) => {
                codes.iter().map(|code| (code, "-e".to_owned())).enumerate().map(source).collect()
            }
            Program::Pipe => Vec::new(),
        }
    }

    /// Whether a cell asks for the value of an earlier one, `_` or `Out[3]`, as notebooks' do.
    pub fn asks_for_values(&self) -> bool {
        match self {
            Program::Script { cells, .. } => cells.iter().any(|cell| asks_for_values(&cell.source)),
            Program::Codes(codes) => codes.iter().any(|code| asks_for_values(code)),
            Program::Pipe => false,
        }
    }

    /// Evaluates the cells. Of a script or of `-e` the first cell that fails
    /// ends it.
    pub fn run(&self, settings: Settings, session: &mut Session, terminal: &mut Terminal) -> Status {
        terminal.set_quiet(settings.is_quiet);
        terminal.hold_for_later(!settings.is_followed);
        let mut times = settings.is_timed.then(Times::default);
        let mut evaluation = Evaluation { session, terminal, times: times.as_mut() };
        let status = match self {
            Program::Script { cells, name, .. } => {
                let named = |cell: &ScriptCell| Next {
                    source: cell.source.clone(),
                    name: cell.name(name),
                    first_line: cell.first_line,
                    may_fail: cell.may_fail,
                };
                evaluation.all(cells.iter().map(named))
            }
            Program::Codes(codes) => {
                let named = |code: &String| Next {
                    source: code.clone(),
                    name: "-e".to_owned(),
                    first_line: 1,
                    may_fail: false,
                };
                evaluation.all(codes.iter().map(named))
            }
            Program::Pipe => run_pipe(&mut evaluation),
        };
        terminal.hold_for_later(false);
        session.drain(terminal);
        if let Some(times) = times {
            terminal.aside(&times.total());
        }
        status
    }
}

/// A cell that is to be evaluated.
struct Next {
    source: String,
    name: String,
    first_line: usize,
    may_fail: bool,
}

/// Evaluates one cell, which has a name for messages.
pub fn evaluate(source: String, name: String, session: &mut Session, terminal: &mut Terminal) -> Status {
    let next = Next { source, name, first_line: 1, may_fail: false };
    Evaluation { session, terminal, times: None }.one(&next)
}

/// Cells being evaluated.
struct Evaluation<'e> {
    session: &'e mut Session,
    terminal: &'e mut Terminal,
    times: Option<&'e mut Times>,
}

impl Evaluation<'_> {
    fn all(&mut self, cells: impl Iterator<Item = Next>) -> Status {
        let mut cells = cells.peekable();
        while let Some(next) = cells.next() {
            // A command may load other cells.
            let after = cells.peek().filter(|_| !command::is_command(&next.source));
            self.terminal.expect(after.map(|after| Upcoming {
                source: after.source.clone(),
                name: Some(after.name.clone()),
                first_line: after.first_line,
            }));
            let status = self.one(&next);
            if status != Status::Succeeded || self.session.has_ended() {
                return status;
            }
        }
        Status::Succeeded
    }

    /// Evaluates a cell, and the commands of the system before it.
    fn one(&mut self, next: &Next) -> Status {
        let Next { name, may_fail, .. } = next;
        let (mut source, mut first_line) = (next.source.as_str(), next.first_line);
        while let Some((command, rest)) = system::leading(source) {
            system::run(&command, self.terminal);
            first_line += source[..source.len() - rest.len()].matches('\n').count();
            source = rest;
            if INTERRUPTED.load(Ordering::Relaxed) {
                return Status::Interrupted;
            }
            if rest.trim().is_empty() {
                return Status::Succeeded;
            }
        }
        self.terminal.tell_later();
        let start = Instant::now();
        let outcome = self.session.run_named(source, name, first_line, self.terminal);
        if let Some(times) = &mut self.times
            && !command::is_command(source)
        {
            let line = times.note(&outcome, start.elapsed());
            self.terminal.aside(&format!("{name}:{first_line}: {line}"));
        }
        if INTERRUPTED.load(Ordering::Relaxed) {
            self.terminal.interrupted();
            return Status::Interrupted;
        }
        match outcome {
            Outcome::Done(_) if !self.terminal.is_closed() => Status::Succeeded,
            Outcome::Failed(_) if *may_fail && !self.terminal.is_closed() => Status::Succeeded,
            // The low bits are what a parent sees of any status.
            Outcome::Lost(Loss { status: Some(status), .. }) => Status::Exited(status as u8),
            _ => Status::Failed,
        }
    }
}

/// What cells took, all together.
#[derive(Default)]
struct Times {
    cells: usize,
    compile: Duration,
    run: Duration,
    failed: Duration,
}

impl Times {
    /// Adds a cell; returns what there is to say of it.
    fn note(&mut self, outcome: &Outcome, elapsed: Duration) -> String {
        self.cells += 1;
        match outcome {
            Outcome::Done(report) => {
                self.compile += report.compile;
                self.run += report.run;
                let begun = if report.is_ahead { " (begun before)" } else { "" };
                format!("compiled in {}{begun}, ran in {}", in_words(report.compile), in_words(report.run))
            }
            _ => {
                self.failed += elapsed;
                format!("ended after {}", in_words(elapsed))
            }
        }
    }

    fn total(&self) -> String {
        let cells = if self.cells == 1 { "1 cell".to_owned() } else { format!("{} cells", self.cells) };
        let all = in_words(self.compile + self.run + self.failed);
        let (compile, run) = (in_words(self.compile), in_words(self.run));
        format!("total: {cells} in {all}: compiled in {compile}, ran in {run}")
    }
}

/// A time with three digits or so.
fn in_words(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    match seconds {
        _ if seconds < 1e-3 => format!("{:.0} us", seconds * 1e6),
        _ if seconds < 0.1 => format!("{:.1} ms", seconds * 1e3),
        _ if seconds < 1.0 => format!("{:.0} ms", seconds * 1e3),
        _ => format!("{seconds:.2} s"),
    }
}

/// The text of a script; `-` is standard input.
///
/// # Errors
///
/// If it cannot be read, or is not UTF-8: a sentence for the user.
fn read_script(path: &Path) -> Result<String, String> {
    let bytes = if path == Path::new("-") {
        let mut bytes = Vec::new();
        std::io::Read::read_to_end(&mut std::io::stdin(), &mut bytes).map(|_| bytes)
    } else {
        std::fs::read(path)
    };
    let bytes = bytes.map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => match Arguments::near_command(&path.to_string_lossy()) {
            Some(near) => {
                format!("there is no file {}; did you mean the command `gpurepl {near}`?", path.display())
            }
            None => format!("there is no file {}", path.display()),
        },
        _ => format!("reading {}: {error}", path.display()),
    })?;
    String::from_utf8(bytes).map_err(|error| {
        let valid = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = valid.iter().filter(|byte| **byte == b'\n').count() + 1;
        format!("{} is not text: line {line} is not UTF-8", path.display())
    })
}

/// Evaluates cells as they come through a pipe: each as soon as it is whole,
/// so that a program can converse. A failing one does not end it. From the
/// first `// %%` on, cells are what stands between such lines.
fn run_pipe(evaluation: &mut Evaluation<'_>) -> Status {
    let mut chunks = Chunks::new(lines_of_stdin());
    let mut status = Status::Succeeded;
    while let Some(chunk) = chunks.next() {
        let outcome = match chunk {
            Ok(chunk) => evaluation.one(&Next {
                source: chunk.source,
                name: "stdin".to_owned(),
                first_line: chunk.first_line,
                may_fail: false,
            }),
            Err(NoText { line }) => {
                evaluation
                    .terminal
                    .error(&format!("line {line} of the input is not UTF-8; its cell was left out"));
                Status::Failed
            }
        };
        match outcome {
            Status::Succeeded => {}
            Status::Interrupted | Status::Exited(_) => return outcome,
            Status::Failed | Status::Misused => status = Status::Failed,
        }
        if evaluation.session.has_ended() || evaluation.terminal.is_closed() {
            break;
        }
    }
    status
}

/// The lines of standard input, read on a thread so that one can look whether
/// there is another.
fn lines_of_stdin() -> Receiver<Vec<u8>> {
    let (sender, lines) = sync_channel(1024);
    std::thread::spawn(move || {
        let mut stdin = std::io::stdin().lock();
        let mut line = Vec::new();
        while matches!(stdin.read_until(b'\n', &mut line), Ok(count) if count > 0) {
            if sender.send(std::mem::take(&mut line)).is_err() {
                return;
            }
        }
    });
    lines
}

/// Lines put together to cells.
struct Chunks {
    lines: Receiver<Vec<u8>>,
    /// A line that was looked at and may belong to the next cell.
    next: Option<Vec<u8>>,
    /// Lines read so far, without `next`.
    count: usize,
    has_marks: bool,
}

struct Chunk {
    source: String,
    first_line: usize,
}

/// A line that is not UTF-8.
struct NoText {
    line: usize,
}

/// How long a cell that could go on waits for a line that does.
const PATIENCE: Duration = Duration::from_millis(10);

impl Chunks {
    fn new(lines: Receiver<Vec<u8>>) -> Chunks {
        Chunks { lines, next: None, count: 0, has_marks: false }
    }

    /// The next line, waited for as long as it takes, and whether it is text.
    fn line(&mut self) -> Option<(String, bool)> {
        let line = self.next.take().or_else(|| self.lines.recv().ok())?;
        self.count += 1;
        Some(match String::from_utf8(line) {
            Ok(line) => (line, true),
            Err(error) => (String::from_utf8_lossy(error.as_bytes()).into_owned(), false),
        })
    }

    /// The next cell. One that has a line that is not UTF-8 is left out as a
    /// whole: what would be left of it might do something else.
    fn next(&mut self) -> Option<Result<Chunk, NoText>> {
        let mut no_text = None;
        let chunk = self.chunk(&mut no_text);
        no_text.map(|line| Err(NoText { line })).or(chunk.map(Ok))
    }

    /// The next cell, and its first line that is not UTF-8.
    fn chunk(&mut self, no_text: &mut Option<usize>) -> Option<Chunk> {
        let mut source = String::new();
        let mut first_line = self.count + 1;
        while let Some((line, is_text)) = self.line() {
            if !is_text {
                no_text.get_or_insert(self.count);
            }
            let is_shebang = self.count == 1 && line.starts_with("#!") && !line.starts_with("#![");
            if script::is_mark(&line) || is_shebang {
                self.has_marks |= !is_shebang;
                if !source.trim().is_empty() {
                    return Some(Chunk { source, first_line });
                }
                source.clear();
                first_line = self.count + 1;
                continue;
            }
            source.push_str(&line);
            if source.trim().is_empty() {
                source.clear();
                first_line = self.count + 1;
            } else if self.ends(&source) {
                return Some(Chunk { source, first_line });
            }
        }
        (!source.trim().is_empty()).then_some(Chunk { source, first_line })
    }

    /// Whether a cell ends here.
    fn ends(&mut self, source: &str) -> bool {
        if self.has_marks {
            return false;
        }
        if command::is_command(source) {
            if command::goes_on(source) {
                return false;
            }
            // Crates requested on consecutive lines are built together.
            let has_more = command::is_dependency(source)
                && self.peek().is_some_and(|line| command::is_dependency(&line));
            return !has_more;
        }
        if source.trim_start().starts_with('!') {
            return !system::goes_on(source.trim_end());
        }
        match completeness(source) {
            Completeness::Incomplete => false,
            Completeness::Invalid => true,
            Completeness::Complete if source.trim_end().ends_with(';') => true,
            // `let a = b` may go on with `.map(..)`, a block with `else`.
            Completeness::Complete => {
                let indentation = indentation(source.trim_start_matches(['\n', '\r']));
                !self.peek().is_some_and(|line| continues(&line, indentation))
            }
        }
    }

    /// The line that follows, if it comes soon.
    fn peek(&mut self) -> Option<Cow<'_, str>> {
        if self.next.is_none() {
            self.next = self.lines.recv_timeout(PATIENCE).ok();
        }
        self.next.as_deref().map(String::from_utf8_lossy)
    }
}

/// How far a line is indented, in characters.
fn indentation(line: &str) -> usize {
    line.chars().take_while(|c| *c == ' ' || *c == '\t').count()
}

/// Whether a line goes on with a cell that stood before it and whose first
/// line is indented so far. What could begin a cell as well, `-1` or `&x * 2`,
/// does so unless it is indented further.
fn continues(line: &str, indentation_of_cell: usize) -> bool {
    let is_indented = indentation(line) > indentation_of_cell;
    let line = line.trim_start();
    if magic::begins(line) {
        return false;
    }
    let begins = |signs: &[&str]| signs.iter().any(|sign| line.starts_with(sign));
    if begins(&["-", "*", "&", "|", "<", ".."]) && !begins(&["<=", "-=", "*=", "&=", "|="]) {
        return is_indented;
    }
    let is_word = |word: &str| {
        line.strip_prefix(word)
            .is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
    };
    let is_operator = begins(&["+", "-", "*", "/", "%", "&", "|", "^", "=", "<", ">", "?", "."]);
    (is_word("else") || is_word("as") || is_operator)
        // `?name` is a question, and no Rust.
        && !line.strip_prefix('?').is_some_and(|rest| rest.starts_with(|c: char| c.is_alphabetic() || c == '?'))
        && !line.starts_with("//")
        && !line.starts_with("/*")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chunks(text: &str) -> Vec<(usize, String)> {
        let (sender, lines) = sync_channel(100);
        text.split_inclusive('\n').for_each(|line| sender.send(line.as_bytes().to_vec()).unwrap());
        drop(sender);
        let mut chunks = Chunks::new(lines);
        std::iter::from_fn(|| chunks.next())
            .filter_map(Result::ok)
            .map(|chunk| (chunk.first_line, chunk.source.trim_end().to_owned()))
            .collect()
    }

    #[test]
    fn cells_end_where_they_are_whole() {
        let text =
            "let a = 1;\n\nfn f() {\n    1\n}\nlet b = a\n    + 1;\nif a > 0 {\n}\nelse {\n}\n:vars\na + b";
        let sources: Vec<(usize, String)> = chunks(text);
        let lines: Vec<usize> = sources.iter().map(|(line, _)| *line).collect();
        assert_eq!(lines, [1, 3, 6, 8, 12, 13]);
        assert_eq!(sources[2].1, "let b = a\n    + 1;");
    }

    #[test]
    fn what_could_begin_a_cell_does() {
        let text = "let y = &x\n-1\nlet z = x\n&x * 2\n*p\n|a: i32| a\n..3\n!true\n<i32>::MAX\n";
        assert_eq!(chunks(text).len(), 9, "{:?}", chunks(text));
        let text = "let y = x\n    - 1\n    & 3\n    || z\nlet a = b\n+ 1\n.abs()\n== 2\n  let c = d\n  -1\n";
        let lines: Vec<usize> = chunks(text).iter().map(|(line, _)| *line).collect();
        assert_eq!(lines, [1, 5, 9, 10]);
    }

    #[test]
    fn a_cell_with_a_line_that_is_no_text_is_left_out_as_a_whole() {
        let (sender, lines) = sync_channel(100);
        for line in [&b"fn f() {\n"[..], b"  let s = \"\xe9\";\n", b"  stop();\n", b"}\n", b"1\n"] {
            sender.send(line.to_vec()).unwrap();
        }
        drop(sender);
        let mut chunks = Chunks::new(lines);
        assert_eq!(chunks.next().unwrap().err().unwrap().line, 2);
        assert_eq!(chunks.next().unwrap().ok().unwrap().source, "1\n");
        assert!(chunks.next().is_none());
    }

    #[test]
    fn marks_make_cells_of_what_is_between_them() {
        let text = "#!/usr/bin/env gpurepl\n// %% one\nlet a = 1;\nlet b = 2;\n// %%\n\na + b\n";
        // Blank lines before a cell are not part of it.
        assert_eq!(chunks(text), [(3, "let a = 1;\nlet b = 2;".to_owned()), (7, "a + b".to_owned())]);
    }

    #[test]
    fn what_is_invalid_does_not_swallow_the_rest() {
        assert_eq!(chunks("let a = );\n1\n").len(), 2);
        assert_eq!(chunks("fn f() {\n").len(), 1);
    }

    #[test]
    fn crates_that_are_asked_for_one_under_another_are_one_cell() {
        let text = ":dep a = \"1\"\n:dep b = {\n  version = \"1\",\n  features = [\n    \"c\",\n  ],\n}\n:dep d\n:vars\n:dep e\n\n:dep f\na::b()\n";
        let found = chunks(text);
        let lines: Vec<usize> = found.iter().map(|(line, _)| *line).collect();
        assert_eq!(lines, [1, 9, 10, 12, 13], "{found:?}");
        assert!(found[0].1.ends_with("}\n:dep d"), "{found:?}");
        // A table that is never closed does not swallow the rest.
        assert_eq!(chunks(":dep a = {\n version = \"1\"\n\n1 + 1\n").len(), 2);
    }

    #[test]
    fn commands_of_the_system_are_chunks() {
        let sources = chunks("!echo (\n!a \\\n b\n1\n");
        assert_eq!(sources, [(1, "!echo (".to_owned()), (2, "!a \\\n b".to_owned()), (4, "1".to_owned())]);
    }

    #[test]
    fn times_have_units() {
        for (micros, text) in [(5, "5 us"), (5_100, "5.1 ms"), (510_000, "510 ms"), (5_100_000, "5.10 s")] {
            assert_eq!(in_words(Duration::from_micros(micros)), text);
        }
    }

    #[test]
    fn a_script_that_is_no_text_names_the_line() {
        let file = std::env::temp_dir().join(format!("gpurepl-no-text-{}.rs", std::process::id()));
        std::fs::write(&file, b"let a = 1;\nlet b = \"\xff\";\n").unwrap();
        let error = read_script(&file).unwrap_err();
        std::fs::remove_file(&file).unwrap();
        assert!(error.contains("line 2"), "{error}");
        assert!(read_script(Path::new("no-such-file.rs")).unwrap_err().contains("no file"));
    }
}
