//! Running a compiled cell in the worker, and what becomes of it.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use gpurepl_wire::{Command as Order, Done, Failure, FailureKind, Frame, Lines, Location};

use super::RustcEngine;
use super::ahead::Expected;
use super::attempt::{Compiled, NotCompiled};
use super::compile::{Compiler, Span};
use super::generate::{self, Known, Origin};
use super::kernel_errors;
use super::line_map::{self, Map};
use super::mutability::Changes;
use super::plan::Plan;
use super::rescue;
use super::restore::Touched;
use super::results;
use super::split::Split;
use super::state::State;
use crate::cell_name::cell_name;
use crate::diagnostic::Diagnostic;
use crate::engine::{Cell, Outcome, Report};
use crate::interrupt::INTERRUPTED;
use crate::output::Sink;
use crate::ranks::{in_words, written};
use crate::recovery::{self, Recorded};
use crate::worker::{Ended, Settings, Workers};

impl RustcEngine {
    /// Compiles, links and runs a cell.
    pub(super) fn evaluate_code(&mut self, cell: &Cell, split: Split, sink: &mut dyn Sink) -> Outcome {
        let start = Instant::now();
        // The worker starts, and its device gets ready, while the cell compiles.
        if let Err(problem) = self.ensure_worker(sink) {
            if problem == INTERRUPTED {
                return Outcome::Interrupted;
            }
            return self.fail(vec![Diagnostic::error(problem).help("see `gpurepl doctor`")], sink);
        }
        let mut plan = self.plan(&split, cell.id);
        let compiled = match self.compile(cell, &split, &mut plan) {
            Ok(compiled) => compiled,
            Err(NotCompiled::Interrupted) => return Outcome::Interrupted,
            Err(NotCompiled::Open(ranges)) => {
                self.compiler.clean(cell.id);
                return self.evaluate_split(cell, split.set_aside(cell.id, &ranges), sink);
            }
            Err(NotCompiled::AsStatements) => {
                self.compiler.clean(cell.id);
                return self.evaluate_split(cell, split.with_macros_as_items(), sink);
            }
            Err(NotCompiled::WithLocalMacros(ranges)) => {
                self.compiler.clean(cell.id);
                return self.evaluate_split(cell, split.with_local_macros(&ranges), sink);
            }
            Err(NotCompiled::Diagnostics(diagnostics)) => {
                self.compiler.clean(cell.id);
                // What a macro is given may be an expression after all.
                let found = results::expressions(cell, &diagnostics);
                if found.iter().any(|range| !split.expressions.contains(range)) {
                    return self.evaluate_asking(cell, &found, sink);
                }
                return self.fail(diagnostics, sink);
            }
        };
        let linking = Instant::now();
        let linked = self.compiler.link(cell.id);
        let link = linking.elapsed();
        let library = match linked {
            Ok(library) => library,
            Err(_) if self.interrupter.was_asked() => return Outcome::Interrupted,
            Err(problem) => return self.fail(vec![Diagnostic::error(problem)], sink),
        };
        for warning in &compiled.warnings {
            sink.diagnostic(warning);
        }
        compiled.removed.iter().for_each(|note| sink.note(note));
        compiled.notes.iter().for_each(|note| sink.note_for_later(note));
        for name in &split.local_macros {
            sink.note_for_later(&format!("the macro `{name}` is not kept: it mentions a variable"));
        }
        for binding in split.open.iter().flat_map(|open| &open.bindings) {
            let name = &binding.name;
            sink.note_for_later(&format!(
                "the type of `{name}` is not known yet: the first cell that uses it decides, or write `let {name}: TYPE = ..`"
            ));
        }
        if let Err(ended) = self.forget(&plan.outdated, &plan.state, sink) {
            self.state = plan.state;
            return self.lose(&ended, Some(&dropping(cell)), sink);
        }
        let compile = start.elapsed();
        let outcome = self.run(cell, &split, plan, &compiled, library, sink);
        if !outcome.is_done() {
            self.compiler.withdraw(self.state.epoch);
        }
        self.compiler.clean(cell.id);
        match outcome {
            Outcome::Done(report) => {
                let (compiler_runs, rustc) = (compiled.runs, compiled.rustc);
                let total = start.elapsed();
                let is_ahead = compiled.is_ahead;
                Outcome::Done(Report { total, compile, compiler_runs, is_ahead, rustc, link, ..report })
            }
            other => other,
        }
    }

    /// Runs a linked cell and keeps what it has left.
    fn run(
        &mut self,
        cell: &Cell,
        split: &Split,
        mut plan: Plan,
        compiled: &Compiled,
        library: PathBuf,
        sink: &mut dyn Sink,
    ) -> Outcome {
        let new: Vec<(String, Known)> = generate::kept(split, &compiled.adjustments)
            .into_iter()
            .filter_map(|binding| {
                let type_name = self.compiler.dependencies.qualified(compiled.types.get(&binding.name)?);
                let basis = plan.state.basis(&type_name);
                let known = Known { type_name, is_mutable: binding.is_mutable, basis, cell: cell.id };
                Some((binding.name.clone(), known))
            })
            .collect();
        // It may have ended while the cell compiled; the cell can go on if
        // nothing is missing that it was compiled for.
        if let Some(outcome) = self.notice_loss(sink) {
            let _ = std::fs::remove_file(library);
            sink.note("the cell has not run: the worker ended while it compiled");
            return outcome;
        }
        let touched = touched(cell, split, &plan.state, &compiled.generated.items);
        let ranks = match self.ranks_of(cell, &touched.taken) {
            Ok(ranks) => ranks,
            Err(problem) => {
                let _ = std::fs::remove_file(library);
                return self.fail(vec![*problem], sink);
            }
        };
        // On ranks that the cell does not run on, a variable of its name would go on with another type.
        if ranks.is_some() {
            let is_other = |(name, known): &&(String, Known)| {
                plan.state.variables.get(name).is_some_and(|old| old.basis.hash != known.basis.hash)
            };
            let names: Vec<String> = new.iter().filter(is_other).map(|(name, _)| name.clone()).collect();
            if let Err(ended) = self.forget(&names, &plan.state, sink) {
                self.state = plan.state;
                return self.lose(&ended, Some(&name(cell)), sink);
            }
        }
        let mut recorded = Recorded {
            cell: cell.id,
            title: title(cell),
            library,
            function: generate::entry(cell.id),
            fingerprints: new.iter().map(|(name, known)| (name.clone(), known.basis.hash)).collect(),
            lines: self.lines(cell, compiled),
            keeps_result: self.keeps_results && !cell.manner.is_aside,
            is_rich: self.is_rich,
            is_timed: cell.manner.is_timed(),
            ranks,
            ..Recorded::default()
        };
        let Some(worker) = &mut self.worker else {
            return self.fail(vec![Diagnostic::error("the worker is not running")], sink);
        };
        let keeps_result = recorded.keeps_result;
        worker.accept_interrupts();
        // An interrupt between compiling and now was for nobody.
        if self.interrupter.was_asked() {
            worker.refuse_interrupts();
            let _ = std::fs::remove_file(recorded.library);
            return Outcome::Interrupted;
        }
        worker.give(&recorded.order(), sink);
        self.compile_ahead(cell, split, &Expected { plan: &plan, compiled, new: &new }, sink);
        let Some(worker) = &mut self.worker else {
            return self.fail(vec![Diagnostic::error("the worker is not running")], sink);
        };
        let mut has_value = false;
        let done = worker.answer(sink, |frame| match frame {
            Frame::Done(done) if done.cell == cell.id => Some(done.clone()),
            Frame::Display(display) => {
                has_value |= display.is_result;
                None
            }
            _ => None,
        });
        worker.refuse_interrupts();
        recorded.answers = worker.answers().to_vec();
        let done = match done {
            Ok(done) => done,
            Err(ended) => {
                // The cell's items are worth keeping, its values are gone.
                let _ = std::fs::remove_file(recorded.library);
                self.state = plan.state;
                return self.lose(&ended, Some(&name(cell)), sink);
            }
        };
        // A cell that could not be loaded has defined nothing.
        if done.failure.as_ref().is_none_or(|failure| failure.kind != FailureKind::NotRun) {
            plan.state.mark_statics_defined(&compiled.generated.items);
            self.recovery.record(recorded, &done, touched);
        } else {
            let _ = std::fs::remove_file(recorded.library);
        }
        for name in rescue::uncovered(&done, split, &plan.state) {
            sink.note(&format!("`{name}` is what it was before the cell, which failed"));
        }
        plan.state.update_variables(&done, new, &compiled.adjustments);
        if has_value && keeps_result {
            self.latest = Some(cell.id);
        }
        if let Some(of) = &done.result {
            self.results.insert(cell.id, of.clone());
        }
        done.dropped_results.iter().for_each(|cell| drop(self.results.remove(cell)));
        self.state = plan.state;
        if done.failure.is_none()
            && let Err(ended) = self.forget_shadowed(split, &compiled.adjustments, &cell_name(cell.id), sink)
        {
            return self.lose(&ended, Some(&name(cell)), sink);
        }
        self.outcome(cell, done, compiled, sink)
    }

    /// The ranks that a cell is to run on; all if none.
    ///
    /// # Errors
    ///
    /// If there are no such ranks, or one of them does not hold what the cell mentions.
    fn ranks_of(&self, cell: &Cell, taken: &[String]) -> Result<Option<Vec<usize>>, Box<Diagnostic>> {
        let Some(workers) = self.worker.as_ref().filter(|workers| workers.count() > 1) else {
            return match &cell.manner.ranks {
                Some(ranks) => {
                    ranks.among(1).map(|_| None).map_err(|problem| Box::new(Diagnostic::error(problem)))
                }
                None => Ok(None),
            };
        };
        let ranks = cell.manner.ranks.as_ref().map(|ranks| ranks.among(workers.count())).transpose();
        let ranks = ranks.map_err(|problem| Box::new(Diagnostic::error(problem)))?;
        if let Some((name, without)) = workers.lacking(taken, ranks.as_deref()) {
            let holders = workers.holders(&name);
            let message =
                format!("`{name}` is on {} alone, not on {}", in_words(&holders), in_words(&without));
            let help = format!(
                "run the cell there, with `%%rank {}`, or send the array: `distributed::broadcast`",
                written(&holders)
            );
            return Err(Box::new(Diagnostic::error(message).help(help)));
        }
        Ok(ranks)
    }

    /// Where the lines of a compiled cell come from.
    fn lines(&self, cell: &Cell, compiled: &Compiled) -> Lines {
        let mut lines = Lines { file: Compiler::file_name(cell.id), ..Lines::default() };
        for origin in &compiled.generated.origins {
            let place = match origin {
                Origin::User { cell, line } => self.sources.get(cell).map(|source| {
                    let name = lines.names.iter().position(|known| *known == source.name);
                    let name = name.unwrap_or_else(|| {
                        lines.names.push(source.name.clone());
                        lines.names.len() - 1
                    });
                    (name as u32, (source.first_line + line) as u32)
                }),
                _ => None,
            };
            lines.lines.push(place);
        }
        lines
    }

    /// How a cell that has run ended.
    fn outcome(&mut self, cell: &Cell, done: Done, compiled: &Compiled, sink: &mut dyn Sink) -> Outcome {
        let Some(failure) = done.failure else {
            // It has come to its end without a call that listens. What was to
            // come after it is not wanted either; what it has made is there.
            if self.interrupter.was_asked() {
                return Outcome::Interrupted;
            }
            let run = Duration::from_nanos(done.nanoseconds);
            return Outcome::Done(Report {
                run,
                activity: done.activity,
                ranks: done.ranks,
                ..Report::default()
            });
        };
        if failure.kind == FailureKind::Interrupted {
            return Outcome::Interrupted;
        }
        let diagnostic = self.failure(cell, &failure, compiled);
        sink.diagnostic(&diagnostic);
        if failure.kind == FailureKind::DeviceLost {
            return self.lose(&device_lost(), Some(&name(cell)), sink);
        }
        Outcome::Failed(Box::new(diagnostic))
    }

    /// A failure of running code as a diagnostic on the user's line; of a
    /// kernel that did not compile, on the kernel's.
    fn failure(&mut self, cell: &Cell, failure: &Failure, compiled: &Compiled) -> Diagnostic {
        let called = match failure.calls[..] {
            [] => None,
            _ => self.calling_line(cell, &compiled.generated, failure),
        };
        let located = Failure { location: called.clone(), ..failure.clone() };
        let mut diagnostic = match called {
            Some(_) => self.failure_of_code(cell, &located, compiled),
            None => self.failure_of_code(cell, failure, compiled),
        };
        if called.is_some() {
            diagnostic.notes.extend(failure.location.as_ref().and_then(place_in_crate));
        }
        let error = failure.compile_error.as_deref();
        let found =
            error.and_then(|error| kernel_errors::in_its_cell(&diagnostic, error, self.sources.values()));
        found.unwrap_or(diagnostic)
    }

    /// A failure as a diagnostic on the line of Rust that it came from.
    fn failure_of_code(&self, cell: &Cell, failure: &Failure, compiled: &Compiled) -> Diagnostic {
        let mut diagnostic = told(failure);
        let Some(location) = &failure.location else { return diagnostic };
        let line = usize::try_from(location.line).unwrap_or(0);
        if location.file == Compiler::file_name(cell.id) {
            let span = Span {
                file_name: location.file.clone(),
                line_start: line,
                line_end: line,
                column_start: location.column as usize,
                column_end: location.column as usize,
                is_primary: true,
                label: None,
                suggested_replacement: None,
                expansion: None,
                text: Vec::new(),
            };
            let map = Map { generated: &compiled.generated, file: &location.file, cell: cell.id };
            let place = match map.origin(&span) {
                Origin::User { cell, line: users } => {
                    Some((cell, users, map.column(line, span.column_start)))
                }
                // The cell's value stands in generated parentheses.
                Origin::Show => compiled.generated.shown(line),
                _ => None,
            };
            if let Some((cell, line, column)) = place
                && let Some(source) = self.sources.get(&cell)
            {
                let range = line_map::expression_at(&source.text, line, column);
                return diagnostic.at(source.clone(), range);
            }
        } else {
            diagnostic.notes.extend(place_in_crate(location));
        }
        diagnostic
    }

    pub(super) fn ensure_worker(&mut self, sink: &mut dyn Sink) -> Result<(), String> {
        if self.worker.is_none() {
            self.start_worker(&self.recovery.journal.now(), sink)?;
        }
        Ok(())
    }

    /// Starts a worker that finds this around it.
    pub(super) fn start_worker(&mut self, settings: &Settings, sink: &mut dyn Sink) -> Result<(), String> {
        let (toolchain, prelude) = (self.compiler.toolchain(), self.compiler.prelude());
        let interrupter = self.interrupter.clone();
        let worker = Workers::start(&self.worker_options, settings, toolchain, prelude, interrupter, sink)?;
        self.worker = Some(worker);
        self.load_dependencies(sink)
    }

    /// Drops variables in the worker, with a word about each. They are gone
    /// from then on, whatever becomes of the cell that asks for it.
    ///
    /// # Errors
    ///
    /// If the worker ends meanwhile: a destructor may do anything.
    pub(super) fn forget(
        &mut self,
        names: &[String],
        next: &State,
        sink: &mut dyn Sink,
    ) -> Result<(), Ended> {
        if names.is_empty() {
            return Ok(());
        }
        for name in names {
            let reason = next.gone.get(name).cloned();
            let reason = reason.unwrap_or_else(|| "was dropped because its type was redefined".to_owned());
            sink.note(&format!("`{name}` {reason}"));
            self.state.variables.remove(name);
            self.state.gone.insert(name.clone(), reason);
        }
        let dropped = self.drop_in_worker(names.to_vec(), sink);
        self.recovery.record_forgotten(names.to_vec(), dropped.is_err());
        dropped
    }

    /// Calls a function of `interact` with other settings.
    pub(super) fn call(&mut self, order: &Order, sink: &mut dyn Sink) -> Outcome {
        let _ = self.notice_loss(sink);
        if let Err(problem) = self.ensure_worker(sink) {
            return self.fail(vec![Diagnostic::error(problem)], sink);
        }
        let Some(worker) = &mut self.worker else {
            return self.fail(vec![Diagnostic::error("the worker is not running")], sink);
        };
        self.interrupter.begin();
        worker.accept_interrupts();
        let answer = worker.order(order, sink, |frame| match frame {
            Frame::Interacted { failure } => Some(failure.clone()),
            _ => None,
        });
        worker.refuse_interrupts();
        let who = Some("a function of `interact`");
        let failure = match answer {
            Ok(None) => return Outcome::Done(Report::default()),
            Ok(Some(failure)) => failure,
            Err(ended) => return self.lose(&ended, who, sink),
        };
        match failure.kind {
            FailureKind::Interrupted => Outcome::Interrupted,
            FailureKind::DeviceLost => self.lose(&device_lost(), who, sink),
            _ => self.fail(vec![told(&failure)], sink),
        }
    }

    /// Drops variables, which may take for ever: it can be interrupted as a
    /// cell can.
    pub(super) fn drop_in_worker(&mut self, names: Vec<String>, sink: &mut dyn Sink) -> Result<(), Ended> {
        let Some(worker) = &mut self.worker else { return Ok(()) };
        worker.accept_interrupts();
        let problems = worker.order(&Order::Forget { names }, sink, |frame| match frame {
            Frame::Forgotten { problems } => Some(problems.clone()),
            _ => None,
        });
        worker.refuse_interrupts();
        problems?.iter().for_each(|problem| sink.note(problem));
        Ok(())
    }

    /// Has the worker do what libraries have left for the end. The user may interrupt that.
    pub(super) fn finish_worker(&mut self, sink: &mut dyn Sink) {
        let Some(worker) = &mut self.worker else { return };
        if worker.has_ended() {
            return;
        }
        worker.accept_interrupts();
        let finished =
            worker.order(&Order::Finish, sink, |frame| matches!(frame, Frame::Finished).then_some(()));
        worker.refuse_interrupts();
        if let Err(ended) = finished {
            sink.note(&format!("the worker process has ended: {}", ended.cause));
        }
        worker.drain(sink);
    }
}

fn device_lost() -> Ended {
    Ended { cause: "the device cannot be used any more".to_owned(), status: None }
}

/// A place in a crate's source, without the folders that it is in; none in
/// the library's own.
fn place_in_crate(location: &Location) -> Option<String> {
    let file = &location.file;
    if file.contains("gpurepl") || file.starts_with("prelude/") {
        return None;
    }
    let file = match file.split_once("/registry/src/") {
        Some((_, rest)) => rest.split_once('/').map_or(rest, |(_, file)| file),
        None => file.split_once("/library/").map_or(file.as_str(), |(_, rest)| rest),
    };
    Some(format!("at {file}:{}:{}", location.line, location.column))
}

/// What a cell is called when something is said about all of it.
pub(super) fn name(cell: &Cell) -> String {
    let number = cell_name(cell.id);
    if cell.name == number || cell.manner.is_aside {
        cell.name.clone()
    } else {
        format!("{number} ({}:{})", cell.name, cell.first_line)
    }
}

/// What happens before a cell that redefines types.
pub(super) fn dropping(cell: &Cell) -> String {
    format!("dropping variables for {}", name(cell))
}

/// What a cell has to do with older variables.
fn touched(cell: &Cell, split: &Split, state: &State, items: &[usize]) -> Touched {
    let mut touched =
        Touched { is_marked: cell.manner.is_once || recovery::is_marked(&cell.source), ..Touched::default() };
    for (name, known) in state.variables.iter().filter(|(name, _)| split.takes(name)) {
        touched.taken.push(name.clone());
        match state.changes(&known.type_name) {
            _ if known.is_mutable => touched.changed.push(name.clone()),
            Changes::Anyhow => touched.changed.push(name.clone()),
            Changes::ByDevice => touched.changed_by_device.push(name.clone()),
            Changes::Never => {}
        }
    }
    touched.taken.extend(split.recalled.values().map(|(cell, _)| recovery::result_name(*cell)));
    touched.statics = state.changing_statics(items);
    touched.taken.extend(touched.statics.iter().cloned());
    touched
}

/// What a cell is called in profiles: its name, its number where the name is
/// a script's, and its first line of code.
fn title(cell: &Cell) -> String {
    let is_code = |line: &&str| !line.is_empty() && !line.starts_with("//");
    let first = cell.source.lines().map(str::trim).find(is_code).unwrap_or_default();
    let short: String = first.chars().take(60).collect();
    let dots = if short.len() < first.len() { "..." } else { "" };
    let number = cell_name(cell.id);
    if cell.name == number {
        format!("{number}: {short}{dots}")
    } else {
        format!("{number} ({}:{}): {short}{dots}", cell.name, cell.first_line)
    }
}

/// A message of the library's without its last lines that say what to do, and
/// these.
/// What a failure says, without its place.
fn told(failure: &Failure) -> Diagnostic {
    let (message, helps) = without_helps(&failure.message);
    let message = if failure.kind == FailureKind::Panic { format!("panic: {message}") } else { message };
    Diagnostic { helps, notes: failure.notes.clone(), ..Diagnostic::error(message) }
}

fn without_helps(message: &str) -> (String, Vec<String>) {
    match message.split_once("\n  = help: ") {
        Some((message, helps)) => {
            (message.to_owned(), helps.split("\n  = help: ").map(str::to_owned).collect())
        }
        None => (message.to_owned(), Vec::new()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_have_titles() {
        let mut cell = Cell {
            id: 3,
            source: "\n// words\n  let a = 1;\nlet b = 2;".to_owned(),
            name: "cell 3".to_owned(),
            first_line: 1,
            ..Cell::default()
        };
        assert_eq!(title(&cell), "cell 3: let a = 1;");
        (cell.name, cell.first_line) = ("demo.rs".to_owned(), 7);
        cell.source = format!("{};", "é".repeat(70));
        assert_eq!(title(&cell), format!("cell 3 (demo.rs:7): {}...", "é".repeat(60)));
        cell.source.clear();
        assert_eq!(title(&cell), "cell 3 (demo.rs:7): ");
    }

    #[test]
    fn what_to_do_is_told_apart() {
        let (message, helps) =
            without_helps("no compiler\nfor kernels\n  = help: install one\n  = help: set CXX");
        assert_eq!(message, "no compiler\nfor kernels");
        assert_eq!(helps, ["install one", "set CXX"]);
        assert_eq!(without_helps("as it is"), ("as it is".to_owned(), Vec::new()));
    }
}
