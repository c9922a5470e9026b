//! The default engine: each cell is one run of rustc.
//!
//! ```text
//! split      the text into items, statements and the last value
//! generate   a crate of them, of the items that they reach and of the
//!            variables that they mention
//! compile    it; what the compiler says about our own lines tells how the
//!            cell has to be compiled instead (at most a few times)
//! mir        names the types of new variables
//! link, run  it in the worker
//! ```

mod adjust;
mod ahead;
mod asked;
mod attempt;
mod borrow;
mod capabilities;
mod causes;
mod cfg;
mod closures;
mod compile;
mod complete;
mod crate_text;
mod declare;
mod dependencies;
mod device_items;
mod diagnose;
mod dtypes;
mod exports;
mod failed;
mod finding;
mod fingerprint;
mod forget;
mod fresh;
mod generate;
mod hints;
mod item_macros;
mod items;
mod kernel_errors;
mod lifetimes;
mod line_map;
mod literals;
mod macro_statics;
mod mir;
mod mutability;
mod named;
mod open;
mod panic_place;
mod plan;
mod primitives;
mod program;
mod reach;
mod read;
mod references;
mod rescue;
mod restore;
mod results;
mod run;
mod self_test;
mod shape;
mod split;
mod state;
mod statics;
mod symbols;
mod thread_local;
mod type_of;
mod versions;

pub use asked::asks_for_values;
pub use complete::completeness;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;
use std::path::Path;
use std::time::Duration;

use super::{Capabilities, Cell, Definitions, Engine, Outcome, Report, Variable};
use crate::dependencies::shown;
use crate::diagnostic::{Diagnostic, Severity, Source};
use crate::interrupt::Interrupter;
use crate::output::Sink;
use crate::recovery::Policy;
use crate::session_folder::{self, SessionFolder};
use crate::store::{self, Prelude, StoreError};
use crate::toolchain::Toolchain;
use crate::worker::{WorkerOptions, Workers};
use compile::{Compiler, Emit, Run};
use generate::{Adjustments, Known};
use plan::Plan;
use read::Unread;
use restore::Recovery;
use split::Split;
use state::State;
use symbols::TypePaths;

/// The engine that runs rustc for each cell.
#[derive(Debug)]
pub struct RustcEngine {
    compiler: Compiler,
    worker: Option<Workers>,
    worker_options: WorkerOptions,
    state: State,
    recovery: Recovery,
    interrupter: Interrupter,
    /// The texts of cells, to show lines of.
    sources: HashMap<u64, Source>,
    type_paths: TypePaths,
    /// The types of values that the worker keeps, by their cells.
    results: BTreeMap<u64, String>,
    /// The cell that has shown a value last.
    latest: Option<u64>,
    keeps_results: bool,
    /// Where cells have requested such values.
    asked: BTreeMap<u64, Vec<results::Place>>,
    is_rich: bool,
    /// Whether the last cell has not come to its end.
    has_failed: bool,
    /// Removed with the session.
    files: SessionFolder,
}

/// Errors of one cell that are shown: what comes after follows from them.
const SHOWN_ERRORS: usize = 5;

impl RustcEngine {
    /// Says whether values are wanted in HTML and as pictures as well.
    pub fn set_rich(&mut self, is_rich: bool) {
        self.is_rich = is_rich;
    }

    /// An engine over a compiled prelude.
    ///
    /// # Errors
    ///
    /// If there is no folder for the session's files, or the toolchain does
    /// not print types as it is expected to.
    pub fn new(
        toolchain: Toolchain,
        prelude: Prelude,
        worker_options: WorkerOptions,
        keeps_results: bool,
    ) -> Result<RustcEngine, StoreError> {
        let parent = session_folder::temporary_folder(store::root());
        let folder = SessionFolder::create(&parent).map_err(|error| StoreError::Io {
            what: "making a folder in",
            path: parent.display().to_string(),
            error,
        })?;
        let interrupter = Interrupter::default();
        let compiler = Compiler::new(toolchain, prelude, folder.path().to_owned(), interrupter.clone());
        let type_paths = TypePaths::of(compiler.prelude());
        let mut engine = RustcEngine {
            compiler,
            worker: None,
            worker_options,
            state: State::default(),
            recovery: Recovery::beginning_here(),
            interrupter,
            sources: HashMap::new(),
            type_paths,
            results: BTreeMap::new(),
            latest: None,
            keeps_results,
            asked: BTreeMap::new(),
            is_rich: false,
            has_failed: false,
            files: folder,
        };
        engine.self_test()?;
        Ok(engine)
    }

    /// Evaluates a cell of which some places of `_` are known to be values.
    fn evaluate_asking(&mut self, cell: &Cell, expressions: &[Range<usize>], sink: &mut dyn Sink) -> Outcome {
        let (split, asked) = match self.read(cell, expressions) {
            Ok(read) => read,
            Err(Unread::Syntax(error)) => return self.syntax_error(cell, &error, sink),
            Err(Unread::Refused(diagnostic)) => return self.fail(vec![*diagnostic], sink),
        };
        if !asked.is_empty() {
            self.asked.insert(cell.id, asked);
        }
        self.evaluate_split(cell, split, sink)
    }

    fn fail(&self, diagnostics: Vec<Diagnostic>, sink: &mut dyn Sink) -> Outcome {
        for diagnostic in diagnostics.iter().take(SHOWN_ERRORS) {
            sink.diagnostic(diagnostic);
        }
        if diagnostics.len() > SHOWN_ERRORS {
            sink.note(&format!("and {} more errors", diagnostics.len() - SHOWN_ERRORS));
        }
        let first = diagnostics.into_iter().next();
        Outcome::Failed(Box::new(first.unwrap_or_else(|| Diagnostic::error("the cell failed"))))
    }

    fn evaluate_split(&mut self, cell: &Cell, split: Split, sink: &mut dyn Sink) -> Outcome {
        let split = item_macros::found(split, self.state.items());
        if split.has_code() {
            self.evaluate_code(cell, split, sink)
        } else if split.items.is_empty() && split.inner_attributes.is_empty() {
            Outcome::Done(Report::default())
        } else {
            self.evaluate_items(cell, &split, sink)
        }
    }

    /// What a cell that is not Rust is told: the compiler's words if it has
    /// any, else the parser's.
    fn syntax_error(&mut self, cell: &Cell, error: &split::SyntaxError, sink: &mut dyn Sink) -> Outcome {
        if let Some(diagnostic) = self.foreign(cell, error) {
            return self.fail(vec![diagnostic], sink);
        }
        // rustc would complain about generated brackets.
        if let (Some((message, range)), Some(source)) =
            (complete::unbalanced(&cell.source), self.sources.get(&cell.id))
        {
            let diagnostic = Diagnostic::error(message).at(source.clone(), range);
            return self.fail(vec![diagnostic], sink);
        }
        let all = 0..cell.source.len();
        let whole = Split { source: cell.source.clone(), statements: vec![all], ..Split::default() };
        let plan =
            Plan { state: self.state.clone(), own: HashSet::new(), outdated: Vec::new(), notes: Vec::new() };
        let generated = self.generate(cell, &whole, &plan, &Adjustments::default());
        let run = self.compiler.compile(cell.id, &generated, Emit::Object, plan.state.epoch);
        self.compiler.clean(cell.id);
        let words = match run {
            Run::Interrupted => return Outcome::Interrupted,
            Run::Ended { succeeded: false, messages } => {
                let mut words = self.diagnostics(cell, &generated, &plan, &messages, true);
                words.retain(|diagnostic| diagnostic.labels.iter().any(|label| label.is_primary));
                causes::of_syntax(words)
            }
            _ => Vec::new(),
        };
        if !words.is_empty() {
            return self.fail(words, sink);
        }
        let mut diagnostic = Diagnostic::error(error.message.clone());
        if let Some(source) = self.sources.get(&cell.id) {
            diagnostic = diagnostic.at(source.clone(), error.range.clone());
        }
        self.fail(vec![diagnostic], sink)
    }

    /// A line of another language, and what is written for it.
    fn foreign(&self, cell: &Cell, error: &split::SyntaxError) -> Option<Diagnostic> {
        let source = self.sources.get(&cell.id)?;
        let scope = hints::Scope { type_of: &|name| self.type_of_variable(name) };
        let text = &source.text;
        // Where characters make no tokens, the parser does not say which.
        let places: Vec<usize> = if error.is_lexical {
            std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect()
        } else {
            vec![error.range.start]
        };
        let found = places.into_iter().find_map(|at| hints::foreign_line(&scope, text, at))?;
        Some(Diagnostic::error(found.message).at(source.clone(), found.range).help(found.help))
    }

    /// A division of Python's, which is a comment.
    fn warn_of_comments(&self, cell: &Cell, sink: &mut dyn Sink) {
        let scope = hints::Scope { type_of: &|name| self.type_of_variable(name) };
        if let Some(source) = self.sources.get(&cell.id)
            && let Some((range, help)) = hints::division(&scope, &source.text)
        {
            let warning = Diagnostic::error("this is a comment").at(source.clone(), range).help(help);
            sink.diagnostic(&Diagnostic { severity: Severity::Warning, ..warning });
        }
    }
}

impl Engine for RustcEngine {
    fn evaluate(&mut self, cell: &Cell, sink: &mut dyn Sink) -> Outcome {
        self.interrupter.begin();
        self.compiler.optimisation = cell.manner.optimisation.unwrap_or(0);
        self.sources.insert(cell.id, read::source(cell));
        // A script must not go on without what it has made.
        if let Some(outcome) = self.notice_loss(sink)
            && self.recovery.policy == Policy::Off
        {
            return outcome;
        }
        self.warn_of_comments(cell, sink);
        let outcome = self.evaluate_asking(cell, &[], sink);
        self.has_failed = !outcome.is_done();
        outcome
    }

    fn variables(&self) -> Vec<Variable> {
        let variable = |(name, known): (&String, &Known)| Variable {
            name: name.clone(),
            type_name: shown(&known.type_name.replace("gpurepl_prelude::", "").replace("crate::", "")),
            is_mutable: known.is_mutable,
            cell: known.cell,
        };
        self.state.variables.iter().map(variable).collect()
    }

    fn items(&self) -> Vec<String> {
        self.state.item_names()
    }

    fn definitions(&self) -> Definitions {
        self.state.definitions()
    }

    fn reset(&mut self, sink: &mut dyn Sink) -> Result<(), String> {
        if self.worker_options.launched.is_some() {
            let problem = "the ranks of `mpiexec` are started once, so the session cannot begin anew; start the job again";
            return Err(problem.to_owned());
        }
        self.finish(sink);
        self.state = State::after(&self.state);
        self.results.clear();
        self.latest = None;
        self.recovery.clear();
        self.ensure_worker(sink)
    }

    fn drain(&mut self, sink: &mut dyn Sink) {
        if let Some(worker) = &mut self.worker {
            worker.drain(sink);
        }
        self.interrupter.begin();
        let _ = self.notice_loss(sink);
    }

    fn interrupter(&self) -> Interrupter {
        self.interrupter.clone()
    }

    fn folder(&self) -> &Path {
        self.files.path()
    }

    fn warm_up(&mut self, time: Duration, sink: &mut dyn Sink) -> Result<(), String> {
        if self.sources.is_empty() {
            self.compiler.prepare(1, self.state.epoch);
        }
        self.ensure_worker(sink)?;
        if let Some(worker) = &mut self.worker {
            worker.wait_for_device(time, sink);
        }
        Ok(())
    }

    fn finish(&mut self, sink: &mut dyn Sink) {
        let mut names: Vec<(u64, String)> =
            self.state.variables.iter().map(|(name, known)| (known.cell, name.clone())).collect();
        names.sort();
        let names: Vec<String> = names.into_iter().rev().map(|(_, name)| name).collect();
        if !names.is_empty() {
            self.interrupter.begin();
            if let Err(ended) = self.drop_in_worker(names, sink) {
                sink.note(&format!("the worker process has ended: {}", ended.cause));
            }
        }
        // What is left may wait for other processes, which wait in vain for a cell that has failed.
        if !self.has_failed {
            self.interrupter.begin();
            self.finish_worker(sink);
        }
        self.worker = None;
    }

    fn capabilities(&self) -> Option<&dyn Capabilities> {
        Some(self)
    }

    fn capabilities_mut(&mut self) -> Option<&mut dyn Capabilities> {
        Some(self)
    }
}

/// The compiled prelude for a toolchain, built if need be.
///
/// # Errors
///
/// As [`store::ready`].
pub fn prelude(toolchain: &Toolchain, sink: &mut dyn Sink) -> Result<Prelude, StoreError> {
    store::ready(toolchain, sink)
}
