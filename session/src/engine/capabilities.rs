//! What an engine can do that compiles cells itself, and runs them in a worker
//! of the session's.

use std::collections::BTreeMap;

use gpurepl_wire::{Command as Order, Frame, MimeBundle, Question, Setting, SlotName};

use super::{Cell, Edit, Forget, Outcome};
use crate::dependencies::{Dependency, DependencyError, Request};
use crate::diagnostic::Diagnostic;
use crate::output::Sink;
use crate::recovery::{Policy, ReplayPlan};
use crate::worker::{Background, WorkerReport};

/// What [`Engine`](super::Engine) leaves out: an engine that hands its cells to
/// another evaluator, as evcxr's does, has none of it. The session says so
/// where a user asks for it.
pub trait Capabilities {
    /// Makes crates ready for later cells to use; builds them if need be.
    ///
    /// # Errors
    ///
    /// If they cannot be had; nothing has changed then.
    fn add_dependencies(&mut self, requests: &[Request], sink: &mut dyn Sink) -> Result<(), DependencyError>;

    /// The crates that were added, by name.
    fn dependencies(&self) -> Vec<Dependency>;

    /// The type of an expression, which is not evaluated.
    ///
    /// # Errors
    ///
    /// If it does not compile.
    fn type_of(&mut self, expression: &str) -> Result<String, Box<Diagnostic>>;

    /// Forgets some of the variables and items, or all of a kind. Returns the
    /// names of those that are gone.
    ///
    /// # Errors
    ///
    /// If there is none of a name; then all stay.
    fn forget(&mut self, what: &Forget, sink: &mut dyn Sink) -> Result<Vec<String>, String>;

    /// The variables as the worker knows them.
    fn slots(&self) -> Vec<SlotName>;

    /// Notes a change of the folder or the environment that the worker has
    /// made: one that takes its place makes it too.
    fn note_setting(&mut self, change: &Question);

    /// The cells as a program of their own; for a library its `main` is public.
    ///
    /// # Errors
    ///
    /// If a cell cannot be part of one.
    fn program(&self, cells: &[Cell], is_library: bool) -> Result<String, String>;

    /// Lines of `[dependencies]` that such a program needs besides the prelude.
    fn manifest(&self) -> Vec<String>;

    /// What to edit in cells, by their numbers, so that they need no values
    /// which only this session keeps: `_`, `Out[3]`.
    ///
    /// # Errors
    ///
    /// If one of them asks for the value of a cell that is not among them.
    fn named_results(&self, cells: &[Cell]) -> Result<BTreeMap<u64, Vec<Edit>>, String>;

    /// Lets another thread pass on what is printed while no cell is evaluated;
    /// none while there is no worker. It has to be stopped before the next cell.
    fn background(&self) -> Option<Background>;

    /// Sets whether the cells of a lost worker are replayed.
    fn set_replay(&mut self, policy: Policy);

    /// What a replay would do.
    fn replay_plan(&self) -> ReplayPlan;

    /// Brings back by a replay what was lost, and has not been tried yet.
    ///
    /// # Errors
    ///
    /// If nothing is lost, or nothing can be replayed.
    fn replay(&mut self, sink: &mut dyn Sink) -> Result<(), String>;

    /// Calls a function that a cell has shown with [`Interaction`](gpurepl_wire::Interaction)
    /// again; what it shows comes as a result.
    fn interact(&mut self, id: u64, settings: Vec<Setting>, sink: &mut dyn Sink) -> Outcome;

    /// How many workers run each cell, and what is known of them, by rank; nothing where none runs.
    fn workers(&self) -> (usize, Vec<WorkerReport>);

    /// Has so many workers run each cell from now on: the cells so far are replayed on them.
    ///
    /// # Errors
    ///
    /// If they cannot be started, or something else runs the worker.
    fn set_workers(&mut self, count: usize, sink: &mut dyn Sink) -> Result<(), String>;

    /// The values that the last cell with a value has shown on each rank, if there are several workers.
    fn values_by_rank(&self) -> Vec<(usize, MimeBundle)>;

    /// Asks the worker something that is not a cell; `answer` takes the frame
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
