//! What this engine does besides evaluating cells: crates of the user, types,
//! programs of cells, replays, and questions to the worker.

use std::collections::BTreeMap;

use gpurepl_wire::{Command as Order, Frame, MimeBundle, Question, Setting, SlotName};

use super::generate::Known;
use super::{RustcEngine, dtypes, named, program};
use crate::dependencies::{Dependency, DependencyError, Request};
use crate::diagnostic::Diagnostic;
use crate::engine::{Capabilities, Cell, Edit, Forget, Outcome};
use crate::output::Sink;
use crate::recovery::{Entry, Policy, ReplayPlan};
use crate::worker::{Background, WorkerReport, Workers};

impl Capabilities for RustcEngine {
    fn add_dependencies(&mut self, requests: &[Request], sink: &mut dyn Sink) -> Result<(), DependencyError> {
        self.add(requests, sink)
    }

    fn dependencies(&self) -> Vec<Dependency> {
        self.compiler.dependencies.list()
    }

    fn type_of(&mut self, expression: &str) -> Result<String, Box<Diagnostic>> {
        self.expression_type(expression)
    }

    fn forget(&mut self, what: &Forget, sink: &mut dyn Sink) -> Result<Vec<String>, String> {
        self.forget_some(what, sink)
    }

    fn slots(&self) -> Vec<SlotName> {
        let slot = |(name, known): (&String, &Known)| SlotName {
            name: name.clone(),
            type_name: known.type_name.clone(),
            fingerprint: known.basis.hash,
        };
        self.state.variables.iter().map(slot).collect()
    }

    fn note_setting(&mut self, change: &Question) {
        self.recovery.journal.push(Entry::Setting(change.clone()));
    }

    fn program(&self, cells: &[Cell], is_library: bool) -> Result<String, String> {
        let is_own = self.may_define_astype() || cells.iter().any(|cell| cell.source.contains("fn astype"));
        let written = |cell: &Cell| match dtypes::as_arguments(&cell.source).filter(|_| !is_own) {
            Some(source) => Cell { source, ..cell.clone() },
            None => cell.clone(),
        };
        let cells: Vec<Cell> = cells.iter().map(written).collect();
        program::program(&cells, self.compiler.dependencies.runtime().as_deref(), is_library)
    }

    fn manifest(&self) -> Vec<String> {
        self.compiler.dependencies.manifest()
    }

    fn named_results(&self, cells: &[Cell]) -> Result<BTreeMap<u64, Vec<Edit>>, String> {
        named::edits(cells, &self.asked)
    }

    fn background(&self) -> Option<Background> {
        self.worker.as_ref().map(Workers::background)
    }

    fn set_replay(&mut self, policy: Policy) {
        self.recovery.policy = policy;
    }

    fn replay_plan(&self) -> ReplayPlan {
        self.recovery.plan()
    }

    fn replay(&mut self, sink: &mut dyn Sink) -> Result<(), String> {
        self.replay_lost(sink)
    }

    fn interact(&mut self, id: u64, settings: Vec<Setting>, sink: &mut dyn Sink) -> Outcome {
        self.call(&Order::Interact { id, settings }, sink)
    }

    fn workers(&self) -> (usize, Vec<WorkerReport>) {
        (self.worker_options.count, self.worker.as_ref().map_or_else(Vec::new, Workers::reports))
    }

    fn set_workers(&mut self, count: usize, sink: &mut dyn Sink) -> Result<(), String> {
        self.change_workers(count, sink)
    }

    fn values_by_rank(&self) -> Vec<(usize, MimeBundle)> {
        self.worker.as_ref().map_or_else(Vec::new, |workers| workers.values().to_vec())
    }

    fn ask(
        &mut self,
        order: &Order,
        answer: &mut dyn FnMut(&Frame) -> bool,
        sink: &mut dyn Sink,
    ) -> Result<(), String> {
        let _ = self.notice_loss(sink);
        self.ensure_worker(sink)?;
        let Some(worker) = &mut self.worker else { return Err("the worker is not running".to_owned()) };
        worker
            .order(order, sink, |frame| answer(frame).then_some(()))
            .map_err(|ended| format!("the worker ended: {}", ended.cause))
    }
}
