//! Engines: what turns a cell's text into something that runs.

mod capabilities;
pub mod evcxr;
pub mod rustc;

pub use capabilities::Capabilities;

use std::ops::Range;
use std::path::Path;
use std::time::Duration;

use gpurepl_wire::{Activity, RankTime};

use crate::cell_name::ASIDES;
use crate::commands::magic::Manner;
use crate::diagnostic::Diagnostic;
use crate::interrupt::Interrupter;
use crate::output::Sink;

/// A piece of code that is evaluated as one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cell {
    /// Its number, from one.
    pub id: u64,
    /// Its text.
    pub source: String,
    /// What it is called in messages: `cell 3`, or the name of a script.
    pub name: String,
    /// The line that it starts on, where it is part of a script.
    pub first_line: usize,
    /// How it is run.
    pub manner: Manner,
    /// The text as the user wrote it, where `source` has spaces in the place
    /// of magics. It is as long in bytes.
    pub shown: Option<String>,
}

/// A change of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// What is replaced, in bytes; nothing where it is empty.
    pub range: Range<usize>,
    /// What takes its place.
    pub text: String,
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
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// From the text to the end.
    pub total: Duration,
    /// From the text to a linked object; where there was no worker, its start
    /// as well.
    pub compile: Duration,
    /// From loading the object to the last instruction, the device's work
    /// included.
    pub run: Duration,
    /// How often the compiler ran.
    pub compiler_runs: u32,
    /// Whether it had begun while the cell before ran: `compile` lacks that part.
    pub is_ahead: bool,
    /// The compiler's part of `compile`, all runs together.
    pub rustc: Duration,
    /// The linker's part of `compile`.
    pub link: Duration,
    /// How long it ran on each of several workers.
    pub ranks: Vec<RankTime>,
    /// What devices did: launches, copies, memory; the times of kernels and
    /// copies where they were measured.
    pub activity: Activity,
}

/// What was lost with a worker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loss {
    /// How the process ended: `signal 11 (SIGSEGV)`.
    pub cause: String,
    /// The exit status, if the cell has ended the process itself:
    /// `std::process::exit(3)`.
    pub status: Option<i32>,
    /// The variables that it held and that are not back.
    pub variables: Vec<String>,
    /// Those that a replay of their cells has brought back.
    pub restored: Vec<String>,
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
    /// The cell that made it; see [`Variable::number`].
    pub cell: u64,
}

impl Variable {
    /// The type as it is shown: `Option<String>`, without the paths that a
    /// program needs.
    #[must_use]
    pub fn shown_type(&self) -> String {
        crate::type_names::shown_type(&self.type_name)
    }
}

impl Variable {
    /// The number of the cell that made it, if that cell had one.
    pub fn number(&self) -> Option<u64> {
        (self.cell <= ASIDES).then_some(self.cell)
    }
}

/// What a session is to forget.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Forget {
    /// Variables of these names; all if there are none.
    Variables(Vec<String>),
    /// Items of these names; all if there are none.
    Items(Vec<String>),
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

/// What evaluates cells: all that every engine does. What only some do is in
/// [`Capabilities`].
pub trait Engine: Send {
    /// Evaluates a cell to its very end.
    fn evaluate(&mut self, cell: &Cell, sink: &mut dyn Sink) -> Outcome;

    /// The variables, by name.
    fn variables(&self) -> Vec<Variable>;

    /// The names of functions, types and other items that cells have defined.
    fn items(&self) -> Vec<String>;

    /// The items and imports themselves, for completion.
    fn definitions(&self) -> Definitions;

    /// Forgets all variables and items.
    ///
    /// # Errors
    ///
    /// If it cannot begin anew.
    fn reset(&mut self, sink: &mut dyn Sink) -> Result<(), String>;

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

    /// What it can do besides, if it can do that.
    fn capabilities(&self) -> Option<&dyn Capabilities> {
        None
    }

    /// As [`capabilities`](Engine::capabilities), to change something.
    fn capabilities_mut(&mut self) -> Option<&mut dyn Capabilities> {
        None
    }
}
