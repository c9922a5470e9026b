//! Compiling a cell: what the compiler says about one attempt is what the next
//! one does differently.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ops::Range;
use std::time::{Duration, Instant};

use super::adjust::{Found, find, not_kept, unambiguous};
use super::causes::distinct;
use super::compile::{Compiler, Emit, Message, Run};
use super::diagnose::Reporter;
use super::finding::{Finding, preferred_imports};
use super::generate::{self, Adjustments, Generated, Input, Preferred};
use super::hints::Scope;
use super::line_map::Map;
use super::plan::{Plan, included};
use super::split::{self, Split};
use super::{RustcEngine, borrow, literals, mir, open, symbols};
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
    /// The time that the compiler took.
    pub(super) rustc: Duration,
}

/// Why a cell does not compile.
pub(super) enum NotCompiled {
    Diagnostics(Vec<Diagnostic>),
    /// It may if macros with braces are taken for items.
    AsStatements,
    /// It may if these statements wait for a cell that decides their types.
    Open(Vec<Range<usize>>),
    Interrupted,
}

impl RustcEngine {
    /// Compiles a cell, adjusting it to what the compiler says.
    pub(super) fn compile(
        &mut self,
        cell: &Cell,
        split: &Split,
        plan: &mut Plan,
    ) -> Result<Compiled, NotCompiled> {
        let mut adjustments = Adjustments::default();
        let (mut removed, mut notes): (Vec<String>, Vec<String>) = (plan.notes.clone(), Vec::new());
        let mut first_errors: Option<Vec<Diagnostic>> = None;
        let mut rustc = Duration::ZERO;
        // Whether the types of variables have to be read from the compiler's text.
        // Optimised code may have no functions left whose names say them.
        let mut needs_text = self.compiler.optimisation > 0;
        // Where messages about lifetimes point to.
        let mut borrowed_at: Vec<usize> = Vec::new();
        let (mut reason, mut lender) = (String::new(), None);
        for run in 1..=MAX_RUNS {
            let generated = self.generate(cell, split, plan, &adjustments);
            let kept = generate::kept(split, &adjustments);
            let names: Vec<&str> = kept.iter().map(|binding| binding.name.as_str()).collect();
            let emit = match needs_text {
                _ if adjustments.probing => Emit::Mir,
                true => Emit::ObjectAndMir,
                false => Emit::Object,
            };
            let start = Instant::now();
            let result = self.compiler.compile(cell.id, &generated, emit, plan.state.epoch);
            rustc += start.elapsed();
            if prefer_users_names(&result, &generated, cell.id, &mut adjustments.preferred) && run < MAX_RUNS
            {
                let _ = self.compiler.take_mir(cell.id);
                continue;
            }
            let messages = match result {
                Run::Interrupted => return Err(NotCompiled::Interrupted),
                Run::Failed(problem) => {
                    return Err(NotCompiled::Diagnostics(vec![Diagnostic::error(problem)]));
                }
                Run::Ended { succeeded: true, .. } if adjustments.probing => {
                    adjustments.probing = false;
                    let types = mir::types(&self.compiler.take_mir(cell.id));
                    for name in borrow::borrowers(split, &types, &borrowed_at, lender.as_deref()) {
                        adjustments.has_probed = false;
                        not_kept(&name, &reason, plan, &mut adjustments, &mut notes);
                    }
                    continue;
                }
                Run::Ended { succeeded: true, messages } => {
                    let symbols = symbols::symbols(&self.compiler.object(cell.id), &names);
                    let is_item = |name: &str| plan.state.is_type(name);
                    let types = if needs_text {
                        let mir = self.compiler.take_mir(cell.id);
                        let types = mir::types(&mir);
                        self.type_paths.learn(&symbols, &types, self.compiler.prelude());
                        let by_symbols = symbols::known_types(&symbols, &self.type_paths, &is_item);
                        let (types, ambiguous) = unambiguous(types, by_symbols, plan);
                        let mut is_new = false;
                        for name in ambiguous {
                            let reason = "its type has the name of a primitive type";
                            is_new |= not_kept(&name, reason, plan, &mut adjustments, &mut notes);
                        }
                        if is_new {
                            continue;
                        }
                        if self.cast_unnameable(&types, &mir, &mut adjustments, &mut notes) {
                            continue;
                        }
                        types
                    } else if let Some(types) = symbols::types(&symbols, &names, &self.type_paths, &is_item) {
                        types
                    } else {
                        needs_text = true;
                        continue;
                    };
                    let warnings = self.diagnostics(cell, &generated, plan, &messages, false);
                    notes.extend(adjustments.parted());
                    return Ok(Compiled {
                        generated,
                        adjustments,
                        types,
                        removed,
                        notes,
                        warnings,
                        runs: run,
                        rustc,
                    });
                }
                Run::Ended { messages, .. } => messages,
            };
            let _ = self.compiler.take_mir(cell.id);
            let errors: Vec<&Message> = messages.iter().filter(|message| message.is_error()).collect();
            let map = Map { generated: &generated, file: &Compiler::file_name(cell.id), cell: cell.id };
            let findings = find(&map, split, &messages, !split.items.is_empty());
            let mut is_adjusted = false;
            let asks = |found: &&Found<'_>| {
                matches!(found.finding, Finding::Borrowed(_) | Finding::Lends(_)) && !adjustments.has_probed
            };
            let (asking, telling): (Vec<_>, Vec<_>) = findings.iter().partition(asks);
            if let Some(first) = asking.first() {
                borrowed_at = asking.iter().filter_map(|found| found.place).collect();
                reason = borrow::reason(first.message, &split.source, first.place);
                lender = borrow::lender(&first.message.message).map(str::to_owned);
                (adjustments.probing, adjustments.has_probed) = (true, true);
                is_adjusted = true;
            }
            for found in telling {
                is_adjusted |= self.adjust(found, split, plan, &mut adjustments, &mut removed, &mut notes);
            }
            if is_adjusted && run < MAX_RUNS {
                continue;
            }
            let are_open = findings.iter().all(|found| found.finding == Finding::OpenTypes);
            let places: Vec<Option<usize>> = findings.iter().map(|found| found.place).collect();
            let is_own = |name: &str| plan.state.has_type(name);
            if are_open && let Some(ranges) = open::statements(split, &places, &is_own) {
                return Err(NotCompiled::Open(ranges));
            }
            // Without what only we ask for, the user's own errors are left.
            if adjustments.probing {
                first_errors = None;
            }
            // What is left is the user's, or an attempt that did not help:
            // then the messages of the first attempt are the ones to show.
            let diagnostics = self.diagnostics(cell, &generated, plan, &messages, true);
            let shown = first_errors.get_or_insert(diagnostics);
            let has = |wanted: Finding| findings.iter().any(|found| found.finding == wanted);
            let may_need_items = has(Finding::MayNeedAllItems) || has(Finding::OpenTypes);
            if may_need_items && !adjustments.all_items && self.has_unreached(split, plan) {
                adjustments.all_items = true;
                continue;
            }
            if has(Finding::OpenTypes)
                && !adjustments.literal_types
                && literals::has_open_literals(&split.source)
            {
                adjustments.literal_types = true;
                continue;
            }
            // A macro call that ends a cell may be a statement without its semicolon.
            if !adjustments.has_no_value
                && errors.iter().any(|error| error.message.starts_with("expected expression, found `let`"))
                && let Some(tail) = &split.tail
                && syn::parse_str::<syn::ExprMacro>(&split.source[tail.clone()]).is_ok()
            {
                adjustments.has_no_value = true;
                first_errors = None;
                continue;
            }
            let looks_like_items = errors.iter().any(|message| {
                message.message.starts_with("expected expression, found")
                    || message.message.starts_with("expected one of")
            });
            let shown = std::mem::take(shown);
            return Err(if looks_like_items && !split.brace_macros.is_empty() {
                NotCompiled::AsStatements
            } else {
                NotCompiled::Diagnostics(shown)
            });
        }
        Err(NotCompiled::Diagnostics(first_errors.unwrap_or_else(|| {
            vec![Diagnostic::error("the cell could not be compiled in a way that keeps its variables")]
        })))
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
        generate::generate(&Input {
            cell: cell.id,
            split,
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
