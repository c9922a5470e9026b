//! Compiling a cell: what the compiler says about one attempt is what the next
//! one does differently.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ops::Range;
use std::time::{Duration, Instant};

use super::adjust::{not_kept, unambiguous};
use super::causes::distinct;
use super::compile::{Compiler, Emit, Message, Run};
use super::diagnose::Reporter;
use super::failed::{Failed, Next};
use super::finding::preferred_imports;
use super::generate::{self, Adjustments, Generated, Input, Preferred};
use super::hints::Scope;
use super::line_map::Map;
use super::plan::{Plan, included};
use super::split::{self, Split};
use super::{RustcEngine, borrow, closures, device_items, mir, symbols};
use crate::diagnostic::Diagnostic;
use crate::engine::Cell;
use crate::type_names::shown_type;

/// Compiler runs for one cell, at most: each but the last has taught
/// something about it.
pub(super) const MAX_RUNS: u32 = 10;

/// A cell that compiles.
pub(super) struct Compiled {
    pub(super) generated: Generated,
    pub(super) adjustments: Adjustments,
    /// The types of the variables that it puts.
    pub(super) types: BTreeMap<String, String>,
    /// Items of earlier cells that had to go.
    pub(super) removed: Vec<String>,
    /// What to tell the user about variables that are not kept.
    pub(super) notes: Vec<String>,
    pub(super) warnings: Vec<Diagnostic>,
    pub(super) runs: u32,
    /// Whether the first of them had begun before the cell's turn.
    pub(super) is_ahead: bool,
    /// The time that the compiler took.
    pub(super) rustc: Duration,
}

/// Why a cell does not compile.
pub(super) enum NotCompiled {
    Diagnostics(Vec<Diagnostic>),
    /// It may if macros with braces are taken for items.
    AsStatements,
    /// It may if these definitions of macros stand among the statements.
    WithLocalMacros(Vec<Range<usize>>),
    /// It may if these statements wait for a cell that decides their types.
    Open(Vec<Range<usize>>),
    Interrupted,
}

/// What the attempts so far have taught about a cell.
#[derive(Default)]
pub(super) struct Learned {
    pub(super) adjustments: Adjustments,
    pub(super) removed: Vec<String>,
    pub(super) notes: Vec<String>,
    /// The user's errors, as the first attempt that had any showed them.
    pub(super) first_errors: Option<Vec<Diagnostic>>,
    /// Whether the types of variables have to be read from the compiler's text.
    pub(super) needs_text: bool,
    /// Where messages about lifetimes point to, what they say, and the
    /// variable that is borrowed from.
    pub(super) borrowed_at: Vec<usize>,
    pub(super) reason: String,
    pub(super) lender: Option<String>,
}

impl Learned {
    /// What the compiler is to write in the next attempt.
    fn emit(&self) -> Emit {
        match self.needs_text {
            _ if self.adjustments.probing => Emit::Mir,
            true => Emit::ObjectAndMir,
            false => Emit::Object,
        }
    }
}

impl RustcEngine {
    /// Compiles a cell, adjusting it to what the compiler says.
    pub(super) fn compile(
        &mut self,
        cell: &Cell,
        split: &Split,
        plan: &mut Plan,
    ) -> Result<Compiled, NotCompiled> {
        // Optimised code may have no functions left whose names say the types.
        let needs_text = self.compiler.optimisation > 0;
        let mut learned = Learned { needs_text, removed: plan.notes.clone(), ..Learned::default() };
        let (mut rustc, mut is_ahead) = (Duration::ZERO, false);
        for run in 1..=MAX_RUNS {
            let generated = self.generate(cell, split, plan, &learned.adjustments);
            let start = Instant::now();
            let result = self.compiler.compile(cell.id, &generated, learned.emit(), plan.state.epoch);
            rustc += start.elapsed();
            is_ahead |= self.compiler.was_ahead;
            let preferred = &mut learned.adjustments.preferred;
            if prefer_users_names(&result, &generated, cell.id, preferred) && run < MAX_RUNS {
                let _ = self.compiler.take_mir(cell.id);
                continue;
            }
            match result {
                Run::Interrupted => return Err(NotCompiled::Interrupted),
                Run::Failed(problem) => {
                    return Err(NotCompiled::Diagnostics(vec![Diagnostic::error(problem)]));
                }
                Run::Ended { succeeded: true, .. } if learned.adjustments.probing => {
                    self.find_borrowers(cell, split, plan, &mut learned);
                }
                Run::Ended { succeeded: true, .. } if self.passes_closures(cell, split, &mut learned) => {}
                Run::Ended { succeeded: true, messages } => {
                    let Some(types) = self.types_of_new(cell, split, plan, &mut learned) else { continue };
                    let warnings = self.diagnostics(cell, &generated, plan, &messages, false);
                    let Learned { adjustments, removed, mut notes, .. } = learned;
                    notes.extend(adjustments.parted());
                    notes.extend(adjustments.dropped());
                    return Ok(Compiled {
                        generated,
                        adjustments,
                        types,
                        removed,
                        notes,
                        warnings,
                        runs: run,
                        is_ahead,
                        rustc,
                    });
                }
                Run::Ended { messages, .. } => {
                    let failed =
                        Failed { generated: &generated, messages: &messages, is_last: run == MAX_RUNS };
                    match self.after_failure(cell, split, plan, &mut learned, &failed) {
                        Next::Again => {}
                        Next::End(why) => return Err(why),
                    }
                }
            }
        }
        Err(NotCompiled::Diagnostics(learned.first_errors.unwrap_or_else(|| {
            vec![Diagnostic::error("the cell could not be compiled in a way that keeps its variables")]
        })))
    }

    /// Whether a compiled cell passes closures that a device compiles, and has to say their
    /// texts, which it does not yet.
    fn passes_closures(&self, cell: &Cell, split: &Split, learned: &mut Learned) -> bool {
        if learned.adjustments.closures || split.closures.is_empty() {
            return false;
        }
        let object = std::fs::read(self.compiler.object(cell.id)).unwrap_or_default();
        let mark = closures::MARK.as_bytes();
        learned.adjustments.closures = object.windows(mark.len()).any(|part| part == mark);
        learned.adjustments.closures
    }

    /// Reads from an attempt in which nothing had to outlive the cell which of
    /// its variables borrow: they are not kept.
    fn find_borrowers(&mut self, cell: &Cell, split: &Split, plan: &mut Plan, learned: &mut Learned) {
        learned.adjustments.probing = false;
        let types = mir::types(&self.compiler.take_mir(cell.id));
        for name in borrow::borrowers(split, &types, &learned.borrowed_at, learned.lender.as_deref()) {
            learned.adjustments.has_probed = false;
            let own = types.get(&name).map_or("", |of| borrow::owned(of));
            let reason = format!("{}{own}", learned.reason);
            not_kept(&name, &reason, plan, &mut learned.adjustments, &mut learned.notes);
        }
    }

    /// The types of the variables that a compiled cell puts; none if it has to
    /// be compiled again, for its types or without some of the variables.
    fn types_of_new(
        &mut self,
        cell: &Cell,
        split: &Split,
        plan: &mut Plan,
        learned: &mut Learned,
    ) -> Option<BTreeMap<String, String>> {
        let kept = generate::kept(split, &learned.adjustments);
        let names: Vec<&str> = kept.iter().map(|binding| binding.name.as_str()).collect();
        let symbols = symbols::symbols(&self.compiler.object(cell.id), &names);
        let is_item = |name: &str| plan.state.is_type(name);
        if !learned.needs_text {
            let types = symbols::types(&symbols, &names, &self.type_paths, &is_item);
            learned.needs_text = types.is_none();
            return types;
        }
        let mir = self.compiler.take_mir(cell.id);
        let types = mir::types(&mir);
        self.type_paths.learn(&symbols, &types, self.compiler.prelude());
        let by_symbols = symbols::known_types(&symbols, &self.type_paths, &is_item);
        let (types, ambiguous) = unambiguous(types, by_symbols, plan);
        let (adjustments, notes) = (&mut learned.adjustments, &mut learned.notes);
        let mut is_new = false;
        for name in ambiguous {
            is_new |= not_kept(&name, "its type has the name of a primitive type", plan, adjustments, notes);
        }
        if is_new || self.cast_unnameable(&types, &mir, adjustments, notes) {
            return None;
        }
        Some(types)
    }

    /// Whether items of the session are left out of a cell.
    pub(super) fn has_unreached(&self, split: &Split, plan: &Plan) -> bool {
        let reached = plan.state.reached(&self.names(split, plan));
        reached.iter().any(|reached| !reached)
    }

    /// The names that a cell mentions, those of its variables' types included.
    pub(super) fn names(&self, split: &Split, plan: &Plan) -> HashSet<String> {
        let mut names = split.names.clone();
        for known in plan.state.variables.iter().filter(|(name, _)| split.takes(name)).map(|(_, k)| k) {
            if let Ok(tokens) = known.type_name.parse() {
                split::collect_names(tokens, &mut names);
            }
        }
        for leaf in &plan.state.leaves {
            names.extend(leaf.path.iter().cloned());
        }
        names
    }

    pub(super) fn generate(
        &self,
        cell: &Cell,
        split: &Split,
        plan: &Plan,
        adjustments: &Adjustments,
    ) -> Generated {
        let reached = plan.state.reached(&self.names(split, plan));
        let items = included(plan, &reached, adjustments.all_items);
        let mentioned = plan.state.variables.iter().filter(|(name, _)| split.takes(name));
        let name_of = |id: u64| self.sources.get(&id).map(|source| (source.name.clone(), source.first_line));
        let closures = if adjustments.closures { &split.closures[..] } else { &[] };
        let said = device_items::said(
            &device_items::Scope {
                cell: cell.id,
                source: &split.source,
                all: &plan.state.written,
                included: &items,
                leaves: &plan.state.leaves,
                name_of: &name_of,
            },
            closures,
        );
        generate::generate(&Input {
            cell: cell.id,
            split,
            device_items: said.first,
            closures: said.closures,
            items,
            leaves: plan.state.leaves.iter().collect(),
            variables: mentioned.map(|(name, known)| (name.as_str(), known)).collect(),
            adjustments,
            timeit: cell.manner.timeit,
        })
    }

    /// The messages of a run as diagnostics: its errors, or its warnings
    /// about the cell's own lines.
    pub(super) fn diagnostics(
        &self,
        cell: &Cell,
        generated: &Generated,
        plan: &Plan,
        messages: &[Message],
        errors: bool,
    ) -> Vec<Diagnostic> {
        let reporter = Reporter {
            map: Map { generated, file: &Compiler::file_name(cell.id), cell: cell.id },
            source_of: &|id| self.sources.get(&id).cloned(),
            gone: &|name| plan.state.gone.get(name).map(|reason| format!("`{name}` {reason}")),
            similar: &|name| plan.state.similar_name(name),
            scope: &Scope { type_of: &|name| self.type_of_variable(name) },
        };
        let wanted = messages.iter().filter(|message| message.is_error() == errors);
        // "aborting due to 2 previous errors" says nothing new.
        let wanted = wanted.filter(|message| !message.spans.is_empty() || message.code.is_some());
        let mut diagnostics = distinct(wanted.map(|message| reporter.report(message)).collect());
        if errors {
            // A message about nothing of the user's follows from another one,
            // unless there is no other.
            let has_places = diagnostics.iter().any(|diagnostic| !diagnostic.labels.is_empty());
            diagnostics.retain(|diagnostic| !has_places || !diagnostic.labels.is_empty());
            if diagnostics.is_empty() {
                let text: Vec<&str> = messages.iter().map(|message| message.message.as_str()).collect();
                diagnostics.push(Diagnostic::error(text.join("\n")));
            }
        } else {
            diagnostics.retain(|diagnostic| diagnostic.labels.iter().any(|label| label.cell == cell.id));
        }
        diagnostics.dedup();
        diagnostics
    }

    /// The type of a variable of the session as it is shown.
    pub(super) fn type_of_variable(&self, name: &str) -> Option<String> {
        self.state.variables.get(name).map(|known| shown_type(&known.type_name))
    }
}

/// Notes the imports that a cell lacks for names of the user's to win over the
/// prelude's; true if there are any: the cell is to be compiled again.
pub(super) fn prefer_users_names(
    result: &Run,
    generated: &Generated,
    cell: u64,
    preferred: &mut BTreeSet<Preferred>,
) -> bool {
    let Run::Ended { messages, .. } = result else { return false };
    let map = Map { generated, file: &Compiler::file_name(cell), cell };
    let mut is_new = false;
    for import in preferred_imports(&map, messages) {
        is_new |= preferred.insert(import);
    }
    is_new
}
