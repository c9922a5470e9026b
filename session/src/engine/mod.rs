//! Engines: what turns a cell's text into something that runs.

pub mod evcxr;
pub mod rustc;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, AtomicU8, Ordering};
use std::time::Duration;

use gpurepl_wire::{Command as Order, Frame};

use crate::diagnostic::Diagnostic;
use crate::output::Sink;

/// A piece of code that is evaluated as one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// Its number, from one.
    pub id: u64,
    /// Its text.
    pub source: String,
    /// What it is called in messages: `cell 3`, or the name of a script.
    pub name: String,
    /// The line that it starts on, where it is part of a script.
    pub first_line: usize,
}

/// How a cell ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// It ran to its end.
    Done(Report),
    /// It did not compile, or it failed while it ran. What there is to say
    /// has been told to the sink and is here as well.
    Failed(Box<Diagnostic>),
    /// The user interrupted it; variables are as they were then.
    Interrupted,
    /// The process that held the variables has ended.
    Lost(Loss),
}

impl Outcome {
    /// Whether the cell ran to its end.
    pub fn is_done(&self) -> bool {
        matches!(self, Outcome::Done(_))
    }
}

/// Where a cell's time went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// From the text to a linked object; where there was no worker, its start
    /// as well.
    pub compile: Duration,
    /// From loading the object to the last instruction, the device's work
    /// included.
    pub run: Duration,
    /// How often the compiler ran.
    pub compiler_runs: u32,
    /// The compiler's part of `compile`, all runs together.
    pub rustc: Duration,
    /// The linker's part of `compile`.
    pub link: Duration,
}

/// What was lost with a worker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loss {
    /// How the process ended: `signal 11 (SIGSEGV)`.
    pub cause: String,
    /// The exit status, if the cell has ended the process itself:
    /// `std::process::exit(3)`.
    pub status: Option<i32>,
    /// The variables that it held.
    pub variables: Vec<String>,
}

/// A variable of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Its type, as it can be written in a cell.
    pub type_name: String,
    /// Whether it was declared with `mut`.
    pub is_mutable: bool,
    /// The cell that made it.
    pub cell: u64,
}

/// What a session's cells have defined, as they can be repeated in front of
/// another cell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Definitions {
    /// `use` declarations, one for each name.
    pub uses: Vec<String>,
    /// Functions, types and other items.
    pub items: Vec<Item>,
    /// Lines of a manifest's `[dependencies]` for crates that cells have
    /// asked for.
    pub dependencies: Vec<String>,
}

/// An item of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// Its text.
    pub text: String,
    /// The cell that defined it.
    pub cell: u64,
}

/// Which engine evaluates cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EngineKind {
    /// rustc is run for each cell.
    #[default]
    Rustc,
    /// evcxr, in a process of the analyser's.
    Evcxr,
}

/// Whether a text is a cell, or needs more lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completeness {
    /// It can be evaluated.
    Complete,
    /// More lines are needed.
    Incomplete,
    /// No more lines will make it right.
    Invalid,
}

/// What evaluates cells.
pub trait Engine: Send {
    /// Evaluates a cell to its very end.
    fn evaluate(&mut self, cell: &Cell, sink: &mut dyn Sink) -> Outcome;

    /// The variables, by name.
    fn variables(&self) -> Vec<Variable>;

    /// The names of functions, types and other items that cells have defined.
    fn items(&self) -> Vec<String>;

    /// The items and imports themselves, for completion.
    fn definitions(&self) -> Definitions {
        Definitions::default()
    }

    /// The type of an expression, which is not evaluated; nothing if this
    /// engine cannot tell.
    ///
    /// # Errors
    ///
    /// If it does not compile.
    fn type_of(&mut self, expression: &str) -> Option<Result<String, Box<Diagnostic>>> {
        let _ = expression;
        None
    }

    /// Forgets all variables and items.
    fn reset(&mut self, sink: &mut dyn Sink);

    /// Passes on what was printed since the last cell.
    fn drain(&mut self, sink: &mut dyn Sink);

    /// A way to interrupt the cell that is being evaluated, from any thread
    /// or signal handler.
    fn interrupter(&self) -> Interrupter;

    /// The folder of this session's files.
    fn folder(&self) -> &Path;

    /// Gets ready what the first cell needs, such as the device, and waits a
    /// little for it.
    ///
    /// # Errors
    ///
    /// If cells cannot be evaluated.
    fn warm_up(&mut self, time: Duration, sink: &mut dyn Sink) -> Result<(), String>;

    /// Drops all variables, the newest first, before the session ends.
    fn finish(&mut self, sink: &mut dyn Sink);

    /// Asks the worker something that is no cell; `answer` takes the frame
    /// that answers.
    ///
    /// # Errors
    ///
    /// If there is no worker and none can be started, or it ends.
    fn ask(
        &mut self,
        order: &Order,
        answer: &mut dyn FnMut(&Frame) -> bool,
        sink: &mut dyn Sink,
    ) -> Result<(), String>;
}

/// Interrupts the cell that is being evaluated.
///
/// The first interrupt asks: the compiler is stopped, or the cell is told to
/// unwind at its next call of the library, which keeps all variables. A
/// second one, of a cell that does not listen, ends the worker.
#[derive(Clone, Debug, Default)]
pub struct Interrupter {
    state: Arc<InterruptState>,
}

#[derive(Debug, Default)]
struct InterruptState {
    /// What is to be signalled: a compiler's process group or the worker.
    compiler: AtomicI32,
    worker: AtomicI32,
    /// How often the user has asked during this cell.
    asked: AtomicU8,
}

impl Interrupter {
    /// Interrupts. Nothing happens while no cell is being evaluated. Safe to
    /// call in a signal handler.
    pub fn interrupt(&self) {
        let state = &self.state;
        let asked = state.asked.fetch_add(1, Ordering::SeqCst);
        let compiler = state.compiler.load(Ordering::SeqCst);
        let worker = state.worker.load(Ordering::SeqCst);
        // SAFETY: sending a signal has no memory effects. Both numbers are of
        // children that have not been waited for: they are cleared before.
        unsafe {
            if compiler > 0 {
                libc::killpg(compiler, libc::SIGKILL);
            } else if worker > 0 && asked == 0 {
                libc::kill(worker, libc::SIGINT);
            } else if worker > 0 && libc::killpg(worker, libc::SIGKILL) != 0 {
                // It leads no group of its own: it shares the terminal.
                libc::kill(worker, libc::SIGKILL);
            }
        }
    }

    /// Whether the user has asked since the cell began.
    pub(crate) fn was_asked(&self) -> bool {
        self.state.asked.load(Ordering::SeqCst) > 0
    }

    /// Whether the user has asked more than once: then the worker was ended.
    pub(crate) fn was_insisted(&self) -> bool {
        self.state.asked.load(Ordering::SeqCst) > 1
    }

    pub(crate) fn begin(&self) {
        self.state.asked.store(0, Ordering::SeqCst);
    }

    pub(crate) fn set_compiler(&self, group: i32) {
        self.state.compiler.store(group, Ordering::SeqCst);
        // An interrupt that came before the compiler was known.
        if group > 0 && self.was_asked() {
            // SAFETY: as in `interrupt`.
            unsafe { libc::killpg(group, libc::SIGKILL) };
        }
    }

    pub(crate) fn set_worker(&self, process: i32) {
        self.state.worker.store(process, Ordering::SeqCst);
    }
}
