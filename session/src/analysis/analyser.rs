//! The analyser's process: started, asked, and started again when it has
//! ended.

use std::collections::{HashMap, VecDeque};
use std::io::{BufRead as _, BufReader};
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, Instant};

use gpurepl_wire::analysis::{Answer, Ask, Project as Opened, Reply, Request, Text};
use gpurepl_wire::{receive, send};

use super::definitions::Known;
use super::{Candidate, Completions, Project, lock};
use crate::analyser_program::{NOT_FOUND, is_switched_off, program};

/// How long completion waits for an answer: who presses Tab waits for it.
const COMPLETION_PATIENCE: Duration = Duration::from_millis(600);

/// How long documentation may take: someone has requested it.
const HOVER_PATIENCE: Duration = Duration::from_secs(3);

/// The longest wait before the analyser is started again.
const MAX_PAUSE: Duration = Duration::from_secs(120);

/// Lines of its standard error that are kept, to say why it has ended.
const KEPT_LINES: usize = 20;

/// Whether the analyser runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AnalyserState {
    /// Nobody has asked for it yet, or it is switched off.
    Stopped,
    /// It runs, and reads the prelude and the standard library.
    Starting,
    /// It answers.
    Ready,
    /// It does not run, and why.
    Failed(String),
}

/// The analyser of a session.
#[derive(Debug)]
pub(super) struct Analyser {
    project: Project,
    /// The program to start instead of the one that is found.
    program: Option<PathBuf>,
    status: Arc<Mutex<Status>>,
}

#[derive(Debug, Default)]
struct Status {
    connection: Option<Arc<Connection>>,
    /// How often it has ended since it last was ready for a while.
    failures: u32,
    not_before: Option<Instant>,
    reason: Option<String>,
    /// The lines of `[dependencies]` that it was started with.
    dependencies: Vec<String>,
}

/// A running analyser.
#[derive(Debug)]
struct Connection {
    input: Mutex<ChildStdin>,
    process: u32,
    waiting: Mutex<HashMap<u64, Sender<Answer>>>,
    next: AtomicU64,
    is_ready: AtomicBool,
    /// Whether it was told to end, which is not a failure.
    is_dismissed: AtomicBool,
}

impl Analyser {
    pub(super) fn of(project: Project, program: Option<PathBuf>) -> Analyser {
        Analyser { project, program, status: Arc::default() }
    }

    pub(super) fn project(&self) -> &Project {
        &self.project
    }

    pub(super) fn state(&self) -> AnalyserState {
        let status = lock(&self.status);
        match (&status.connection, &status.reason) {
            (Some(connection), _) if connection.is_ready.load(Ordering::Acquire) => AnalyserState::Ready,
            (Some(_), _) => AnalyserState::Starting,
            (None, Some(reason)) => AnalyserState::Failed(reason.clone()),
            (None, None) => AnalyserState::Stopped,
        }
    }

    pub(super) fn process(&self) -> Option<u32> {
        lock(&self.status).connection.as_ref().map(|connection| connection.process)
    }

    /// Starts it, if it does not run and may be tried again.
    pub(super) fn start(&self) {
        // A session that has no folder, such as one over a test's engine, has
        // nowhere to put the analyser's project.
        if self.project.folder.as_os_str().is_empty() {
            return;
        }
        let Some(program) = self.program.clone().or_else(program) else {
            let mut status = lock(&self.status);
            if !is_switched_off() {
                status.reason = Some(NOT_FOUND.to_owned());
            }
            return;
        };
        let mut status = lock(&self.status);
        let is_early = status.not_before.is_some_and(|time| Instant::now() < time);
        if status.connection.is_some() || is_early {
            return;
        }
        match self.spawn(&program, &status.dependencies) {
            Ok(connection) => status.connection = Some(connection),
            Err(error) => status.fail(format!("{} could not be started: {error}", program.display())),
        }
    }

    fn spawn(&self, program: &PathBuf, dependencies: &[String]) -> std::io::Result<Arc<Connection>> {
        let folder = self.project.folder.join("analysis");
        std::fs::create_dir_all(&folder)?;
        let mut command = Command::new(program);
        command.arg("analyse").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // Ctrl-C at the terminal is for cells.
        command.process_group(0);
        if let Some(sysroot) = &self.project.sysroot {
            let program = |name| sysroot.join("bin").join(name);
            command.env("RUSTC", program("rustc"));
            if program("cargo").exists() {
                command.env("CARGO", program("cargo"));
            }
        }
        let mut child = command.spawn()?;
        let missing = || std::io::Error::other("it has no input or output");
        let input = child.stdin.take().ok_or_else(missing)?;
        let connection = Arc::new(Connection {
            input: Mutex::new(input),
            process: child.id(),
            waiting: Mutex::default(),
            next: AtomicU64::new(1),
            is_ready: AtomicBool::new(false),
            is_dismissed: AtomicBool::new(false),
        });
        let (reader, status) = (Arc::downgrade(&connection), Arc::downgrade(&self.status));
        std::thread::Builder::new()
            .name("analyser output".to_owned())
            .spawn(move || read(child, &reader, &status))?;
        let project =
            Opened { folder, prelude: self.project.prelude.clone(), dependencies: dependencies.to_vec() };
        send(&mut *lock(&connection.input), &Request { id: 0, ask: Ask::Open(project) })?;
        Ok(connection)
    }

    /// A warm analyser; one that is not there is started for the next time.
    fn ready(&self, known: &Known) -> Option<Arc<Connection>> {
        {
            let mut status = lock(&self.status);
            if status.dependencies != known.definitions.dependencies {
                // Other crates are another project.
                status.dependencies.clone_from(&known.definitions.dependencies);
                if let Some(connection) = status.connection.take() {
                    connection.is_dismissed.store(true, Ordering::Release);
                }
            }
            if let Some(connection) = &status.connection {
                return connection.is_ready.load(Ordering::Acquire).then(|| Arc::clone(connection));
            }
        }
        self.start();
        None
    }

    pub(super) fn complete(&self, known: &Known, source: &str, at: usize) -> Option<Completions> {
        let connection = self.ready(known)?;
        let answer = connection.ask(Ask::Complete(text(known, source, at)?), COMPLETION_PATIENCE)?;
        let Answer::Completions { start, items } = answer else { return None };
        let start = start as usize;
        source.get(start..at)?;
        Some(Completions {
            range: start..at,
            items: items.into_iter().map(candidate).collect(),
            is_from_analyser: true,
        })
    }

    /// What it says of a place, in Markdown.
    pub(super) fn hover(&self, known: &Known, source: &str, at: usize) -> Option<String> {
        let connection = self.ready(known)?;
        match connection.ask(Ask::Hover(text(known, source, at)?), HOVER_PATIENCE)? {
            Answer::Hover(text) => text,
            _ => None,
        }
    }

    pub(super) fn type_of(&self, known: &Known, expression: &str) -> Option<String> {
        let source = format!("let __gr_value = {expression};");
        let text = self.hover(known, &source, "let __gr".len())?;
        let line = text.lines().find_map(|line| line.trim().strip_prefix("let __gr_value: "))?;
        // What follows is about its layout.
        let of = line.split("  //").next().unwrap_or(line).trim_end_matches(';').trim();
        (!of.contains("{unknown}")).then(|| of.to_owned())
    }
}

impl Status {
    fn fail(&mut self, reason: String) {
        self.connection = None;
        self.reason = Some(reason);
        let pause = Duration::from_secs(1 << self.failures.min(8)).min(MAX_PAUSE);
        self.failures += 1;
        self.not_before = Some(Instant::now() + pause);
    }
}

impl Connection {
    fn ask(&self, ask: Ask, patience: Duration) -> Option<Answer> {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let (sender, answers) = channel();
        lock(&self.waiting).insert(id, sender);
        let sent = send(&mut *lock(&self.input), &Request { id, ask });
        let answer = sent.ok().and_then(|()| answers.recv_timeout(patience).ok());
        lock(&self.waiting).remove(&id);
        answer
    }
}

/// Passes answers on until the analyser ends, and notes why it did.
fn read(mut child: Child, connection: &Weak<Connection>, status: &Weak<Mutex<Status>>) {
    let stderr = child.stderr.take();
    let log = std::thread::spawn(move || {
        let mut last: VecDeque<String> = VecDeque::new();
        for line in stderr.map(BufReader::new).into_iter().flat_map(BufReader::lines).map_while(Result::ok) {
            if last.len() == KEPT_LINES {
                last.pop_front();
            }
            last.push_back(line);
        }
        last
    });
    let mut problem = None;
    if let Some(mut output) = child.stdout.take() {
        while let Ok(Some(reply)) = receive::<Reply>(&mut output) {
            let Some(connection) = connection.upgrade() else { break };
            match reply.answer {
                Answer::Ready { .. } => {
                    connection.is_ready.store(true, Ordering::Release);
                    if let Some(status) = status.upgrade() {
                        let mut status = lock(&status);
                        (status.reason, status.not_before) = (None, None);
                    }
                }
                Answer::Failed(text) if reply.id == 0 => problem = Some(text),
                answer => {
                    if let Some(waiting) = lock(&connection.waiting).remove(&reply.id) {
                        let _ = waiting.send(answer);
                    }
                }
            }
        }
    }
    // It ends with its input, or has ended already; one that says nonsense is
    // ended.
    let _ = child.kill();
    let ended = child.wait();
    let log = log.join().unwrap_or_default();
    let (Some(connection), Some(status)) = (connection.upgrade(), status.upgrade()) else { return };
    if connection.is_dismissed.load(Ordering::Acquire) {
        return;
    }
    let how = ended.map_or_else(|error| error.to_string(), |status| status.to_string());
    let last = log.iter().find(|line| line.contains("panicked")).or(log.back()).cloned();
    let words = problem.or(last).map_or(String::new(), |words| format!(": {words}"));
    let mut status = lock(&status);
    let is_current = status.connection.as_ref().is_some_and(|current| Arc::ptr_eq(current, &connection));
    if is_current {
        status.fail(format!("it has ended ({how}){words}"));
    }
    drop(status);
    // Whoever waits for an answer gets none.
    lock(&connection.waiting).clear();
}

/// A cell as the analyser reads it.
fn text(known: &Known, source: &str, at: usize) -> Option<Text> {
    let mut before = String::from("#![allow(unused)]\nuse gpurepl_prelude::*;\nuse gpurepl_prelude::dbg;\n");
    for text in &known.definitions.uses {
        before.push_str(text);
        before.push('\n');
    }
    for item in &known.definitions.items {
        before.push_str(&item.text);
        before.push('\n');
    }
    before.push_str(
        "fn __gr_cell() -> ::core::result::Result<(), ::std::boxed::Box<dyn ::std::error::Error>> {\n",
    );
    for variable in &known.variables {
        let mutability = if variable.is_mutable { "mut " } else { "" };
        before.push_str(&format!("let {mutability}{}: {} = todo!();\n", variable.name, variable.type_name));
    }
    Some(Text { before, source: source.to_owned(), at: u32::try_from(at).ok()? })
}

fn candidate(candidate: gpurepl_wire::analysis::Candidate) -> Candidate {
    let gpurepl_wire::analysis::Candidate { replacement, kind, detail } = candidate;
    Candidate { label: replacement.clone(), replacement, kind, detail, summary: String::new() }
}
