//! The cell after the one that runs, compiled while that runs.
//!
//! A front end that knows what comes next says so ([`Sink::upcoming`]). The
//! text for the compiler is generated as if the cell that runs had come to its
//! end, and given to the compiler that waits for the next cell. When that
//! cell's turn comes its text is generated as ever: if it is another one, that
//! compiler is ended and nothing has been gained. So a guess that turns out
//! wrong costs time and nothing else.

use super::RustcEngine;
use super::attempt::Compiled;
use super::generate::{Adjustments, Generated, Known};
use super::plan::Plan;
use super::split::Split;
use super::state::State;
use super::{item_macros, read};
use crate::cell_name::{ASIDES, cell_name};
use crate::commands::{is_command, magic};
use crate::engine::Cell;
use crate::output::{Sink, Upcoming};

/// What a cell that runs leaves if it comes to its end.
pub(super) struct Expected<'a> {
    pub(super) plan: &'a Plan,
    pub(super) compiled: &'a Compiled,
    /// The variables that it puts.
    pub(super) new: &'a [(String, Known)],
}

/// Names in cells that measure time: a compiler beside them would be measured, too.
const CLOCKS: &[&str] = &["Instant", "SystemTime", "Event", "elapsed", "benchmark"];

/// Texts whose compilation reads files, which the cell that runs may write.
const READERS: &[&str] = &["include", "#[path"];

impl RustcEngine {
    /// Begins to compile what comes after a cell that runs.
    pub(super) fn compile_ahead(
        &mut self,
        cell: &Cell,
        split: &Split,
        expected: &Expected<'_>,
        sink: &mut dyn Sink,
    ) {
        let is_timed = cell.manner.is_timed() || cell.manner.timeit.is_some();
        let is_measured = is_timed || CLOCKS.iter().any(|name| split.names.contains(*name));
        // What is optimised has other outputs than the compiler that waits.
        if is_measured || cell.id > ASIDES || self.compiler.optimisation > 0 {
            return;
        }
        let Some(next) = sink.upcoming().and_then(|upcoming| next(cell, upcoming)) else { return };
        let state = std::mem::replace(&mut self.state, expected.state());
        self.sources.insert(next.id, read::source(&next));
        if let Some((generated, epoch)) = self.guess(&next) {
            self.compiler.begin(next.id, &generated, epoch);
        }
        self.sources.remove(&next.id);
        self.state = state;
    }

    /// The text of a cell in its first attempt, and what types are compiled with; none if it is not worth it.
    fn guess(&mut self, cell: &Cell) -> Option<(Generated, u64)> {
        let (split, _) = self.read(cell, &[]).ok()?;
        let split = item_macros::found(split, self.state.items());
        if !split.has_code() {
            return None;
        }
        let plan = self.plan(&split, cell.id);
        let generated = self.generate(cell, &split, &plan, &Adjustments::default());
        let may_read = READERS.iter().any(|reader| generated.text.contains(reader));
        (!may_read).then_some((generated, plan.state.epoch))
    }
}

impl Expected<'_> {
    fn state(&self) -> State {
        let mut state = self.plan.state.clone();
        state.mark_statics_defined(&self.compiled.generated.items);
        let adjustments = &self.compiled.adjustments;
        let is_gone =
            |name: &String| adjustments.local.contains(name) || adjustments.moved.contains_key(name);
        state.variables.retain(|name, _| !is_gone(name));
        for (name, known) in self.new {
            state.stop_waiting(name);
            state.variables.insert(name.clone(), known.clone());
        }
        state
    }
}

/// What is evaluated next, if that is a cell with code that is not optimised: that is read from other files.
fn next(cell: &Cell, upcoming: Upcoming) -> Option<Cell> {
    let Upcoming { source, name, first_line } = upcoming;
    if is_command(&source) {
        return None;
    }
    let id = cell.id + 1;
    let name = name.unwrap_or_else(|| cell_name(id));
    let next = match magic::read(&source).ok()? {
        None => Cell { id, source, name, first_line, ..Cell::default() },
        Some(magic::Read { text, manner }) => {
            Cell { id, source: text, name, first_line, manner, shown: Some(source) }
        }
    };
    next.manner.optimisation.is_none_or(|level| level == 0).then_some(next)
}
