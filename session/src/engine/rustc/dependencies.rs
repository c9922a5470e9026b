//! The user's own crates: added between cells, and loaded into each worker.

use gpurepl_wire::{Command as Order, Frame};

use super::RustcEngine;
use crate::dependencies::{DependencyError, Request, Workshop};
use crate::output::Sink;

impl RustcEngine {
    /// Adds crates; all of them or none.
    pub(super) fn add(&mut self, requests: &[Request], sink: &mut dyn Sink) -> Result<(), DependencyError> {
        self.interrupter.begin();
        // Before anything is built, and once more below: a library may have
        // another name than its package.
        let names = requests.iter().map(|request| request.name.replace('-', "_"));
        self.refuse_defined(names)?;
        let workshop = Workshop {
            toolchain: self.compiler.toolchain(),
            prelude: self.compiler.prelude(),
            interrupter: &self.interrupter,
        };
        let (next, notes) = self.compiler.dependencies.with(requests, &workshop, sink)?;
        self.refuse_defined(next.names().into_iter().map(str::to_owned))?;
        if self.interrupter.was_asked() {
            return Err(DependencyError::Interrupted);
        }
        let known = self.compiler.dependencies.sets().len();
        let before = std::mem::replace(&mut self.compiler.dependencies, next);
        let loaded = match self.worker.is_some() {
            true => self.load_sets(known, sink),
            // A worker that starts loads all of them.
            false => self.ensure_worker(sink),
        };
        if let Err(problem) = loaded {
            self.compiler.dependencies = before;
            return Err(DependencyError::Refused(problem));
        }
        for note in notes {
            sink.note(&note);
        }
        Ok(())
    }

    /// Refuses names that a cell has given to something of its own.
    fn refuse_defined(&self, mut names: impl Iterator<Item = String>) -> Result<(), DependencyError> {
        match names.find(|name| self.state.has_type(name)) {
            None => Ok(()),
            Some(name) => Err(DependencyError::Refused(format!(
                "a cell has defined `{name}`: cells could not tell it from the crate\n  = help: give the crate \
                 another name: `:dep NAME = {{ package = \"{name}\" }}`"
            ))),
        }
    }

    /// Loads all sets into a worker that has just started.
    pub(super) fn load_dependencies(&mut self, sink: &mut dyn Sink) -> Result<(), String> {
        let loaded = self.load_sets(0, sink);
        if loaded.is_err() {
            self.worker = None;
        }
        loaded
    }

    /// Loads the sets from a number on.
    fn load_sets(&mut self, from: usize, sink: &mut dyn Sink) -> Result<(), String> {
        let Some(worker) = &mut self.worker else { return Ok(()) };
        for set in &self.compiler.dependencies.sets()[from..] {
            let order =
                Order::LoadDependencies { library: set.library(), function: set.record.start.clone() };
            // What a library does when it is loaded may take for ever.
            worker.accept_interrupts();
            let problem = worker.order(&order, sink, |frame| match frame {
                Frame::Loaded { problem } => Some(problem.clone()),
                _ => None,
            });
            worker.refuse_interrupts();
            match problem {
                Ok(None) => {}
                Ok(Some(problem)) => return Err(format!("the dependencies cannot be loaded: {problem}")),
                Err(ended) => {
                    return Err(format!(
                        "loading the dependencies has ended the worker: {}; `:reset` starts another",
                        ended.cause
                    ));
                }
            }
        }
        Ok(())
    }
}
