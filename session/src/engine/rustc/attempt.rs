//! Compiling a cell: what the compiler says about one attempt is what the next
//! one does differently.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ops::Range;
use std::time::{Duration, Instant};

use super::causes::distinct;
use super::compile::{Compiler, Emit, Message, Run};
use super::diagnose::{Finding, Map, Reporter, classify, preferred_imports};
use super::generate::{self, Adjustments, Cast, Generated, Input, Preferred};
use super::hints::Scope;
use super::items::{self, KeptItem, Parsed};
use super::split::{self, Split};
use super::state::State;
use super::{RustcEngine, borrow, item_macros, literals, mir, open, primitives, symbols};
use crate::diagnostic::Diagnostic;
use crate::engine::{Cell, Outcome, Report};
use crate::output::Sink;
use crate::type_names::shown_type;

/// Compiler runs for one cell, at most: each but the last has taught
/// something about it.
const MAX_RUNS: u32 = 10;

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

/// What a message of the compiler's asks for.
struct Found<'m> {
    finding: Finding,
    message: &'m Message,
    /// Where it points to in the cell's text, in bytes.
    place: Option<usize>,
}

/// What the errors of a run ask for. Items that have to go come last of the
/// session's first, each once, so that numbers of items stay right.
fn find<'m>(map: &Map<'_>, split: &Split, messages: &'m [Message], has_items: bool) -> Vec<Found<'m>> {
    let mut found: Vec<Found<'m>> = messages
        .iter()
        // "aborting due to 2 previous errors" says nothing new.
        .filter(|message| message.is_error() && !(message.spans.is_empty() && message.code.is_none()))
        .map(|message| Found {
            finding: classify(map, message, has_items),
            message,
            place: map.place(message, &split.source),
        })
        .collect();
    found.sort_by_key(|found| std::cmp::Reverse(found.finding.item()));
    found.dedup_by(|a, b| a.finding.item().is_some() && a.finding.item() == b.finding.item());
    found
}

/// Why a cell does not compile.
pub(super) enum NotCompiled {
    Diagnostics(Vec<Diagnostic>),
    /// It may if macros with braces are taken for items.
    AsStatements,
    /// It may if these statements wait for a cell that tells their types.
    Open(Vec<Range<usize>>),
    Interrupted,
}

/// The items of a cell and of the session, as the cell would leave them.
pub(super) struct Plan {
    pub(super) state: State,
    /// Keys of items that this cell defines.
    pub(super) own: HashSet<String>,
    /// Variables that are dropped because their types are redefined.
    pub(super) outdated: Vec<String>,
    /// What to tell about statics.
    pub(super) notes: Vec<String>,
}

/// The items that a cell repeats: its own, those that it reaches, or all.
fn included<'p>(plan: &'p Plan, reached: &[bool], all_items: bool) -> Vec<(usize, &'p KeptItem)> {
    let items = plan.state.written.iter().enumerate().zip(reached);
    let mut items: Vec<(usize, &KeptItem)> = items
        .filter(|((_, item), reached)| **reached || all_items || plan.own.contains(&item.key))
        .map(|(item, _)| item)
        .collect();
    // A macro has to stand before its uses, whichever cell defined it.
    let makers = item_macros::makers(&plan.state.written);
    items.sort_by_key(|(_, item)| match &item.key {
        key if key.starts_with("M:") => 0,
        key if makers.iter().any(|maker| key.starts_with(maker)) => 1,
        _ => 2,
    });
    items
}

/// Takes a variable within the guard; true if that is new.
fn moves(name: &str, split: &Split, adjustments: &mut Adjustments) -> bool {
    match adjustments.moved.get(name) {
        None => {
            // Under a name that the cell also binds stands something
            // else at its end, which is put as any new variable is.
            let is_bound = split.bindings.iter().any(|binding| binding.name == *name);
            let is_put_back = split.assigned.contains(name) && !is_bound;
            adjustments.moved.insert(name.to_owned(), is_put_back);
            true
        }
        // It is given a new value on some way only.
        Some(true) => adjustments.moved.insert(name.to_owned(), false).is_some(),
        Some(false) => false,
    }
}

/// The types that the compiler's text gives, where a cell defines an item by
/// the name of a primitive type: the text calls both by their names, symbols
/// tell them apart. The variables of which nothing says which is meant.
fn unambiguous(
    texts: BTreeMap<String, String>,
    mut by_symbols: BTreeMap<String, String>,
    plan: &Plan,
) -> (BTreeMap<String, String>, Vec<String>) {
    let meaning = plan.state.meaning();
    let is_hidden = |name: &str| meaning.hides_primitive(name);
    let (mut types, mut ambiguous) = (BTreeMap::new(), Vec::new());
    for (name, of) in texts {
        if !primitives::mentions(&of, &is_hidden) {
            types.insert(name, of);
        } else if let Some(of) = by_symbols.remove(&name) {
            types.insert(name, of);
        } else {
            ambiguous.push(name);
        }
    }
    (types, ambiguous)
}

/// Leaves a new variable to its cell, with a word about it; true if that is new.
fn not_kept(
    name: &str,
    reason: &str,
    plan: &mut Plan,
    adjustments: &mut Adjustments,
    notes: &mut Vec<String>,
) -> bool {
    if !adjustments.local.insert(name.to_owned()) {
        return false;
    }
    notes.push(format!("`{name}` is not kept: {reason}"));
    plan.state.gone.insert(name.to_owned(), format!("was not kept: {reason}"));
    true
}

impl Adjustments {
    /// Whether a variable can be dropped before others are put: it is not
    /// kept, and that has not been tried.
    fn can_end(&self, name: &String) -> bool {
        self.local.contains(name) && !self.ended.contains(name) && !self.cannot_end.contains(name)
    }

    /// What to say about variables that the cell moves a part of.
    fn parted(&self) -> Vec<String> {
        let is_gone = |name: &String| self.moved.get(name) == Some(&false);
        let parted = self.partial.iter().filter(|(name, _)| is_gone(name));
        let told = |(name, part): (&String, &String)| match part.strip_prefix(name.as_str()) {
            Some(_) => format!(
                "`{name}` is gone: the cell moves `{part}` out of it, and the rest is dropped; `{part}.clone()` \
                 would keep both"
            ),
            None => format!(
                "`{name}` is gone: the cell moves {part} out of it, and the rest is dropped; `&{name}` would lend it"
            ),
        };
        parted.map(told).collect()
    }
}

impl RustcEngine {
    /// The state that the cell would leave if it compiles: its items replace
    /// others, and variables of types that change with them go.
    pub(super) fn plan(&self, split: &Split, cell: u64) -> Plan {
        let mut state = self.state.clone();
        let mut own = HashSet::new();
        let mut hidden = Vec::new();
        state.redefine(|state| {
            for item in &split.items {
                match items::read(&split.source, item, cell) {
                    Parsed::Use(leaves) => state.add_leaves(leaves),
                    Parsed::Items(items) => {
                        for item in items {
                            // A variable would hide a function of its name.
                            hidden.extend(item.key.strip_prefix("V:").map(str::to_owned));
                            own.insert(item.key.clone());
                            state.add_item(item);
                        }
                    }
                }
            }
        });
        for open in &split.open {
            open.bindings.iter().for_each(|binding| state.stop_waiting(&binding.name));
            state.waiting.push(open.clone());
        }
        let mut outdated = state.outdated_variables();
        for name in &outdated {
            state.gone.insert(name.clone(), "was dropped because its type was redefined".to_owned());
        }
        for name in hidden.into_iter().filter(|name| state.variables.contains_key(name)) {
            state
                .gone
                .insert(name.clone(), format!("was dropped because cell {cell} defines an item of its name"));
            if !outdated.contains(&name) {
                outdated.push(name);
            }
        }
        // An older variable of a name that waits is gone as if it were bound anew.
        for binding in split.open.iter().flat_map(|open| &open.bindings) {
            if state.variables.contains_key(&binding.name) {
                let of = format!("was dropped because cell {cell} binds its name");
                state.gone.insert(binding.name.clone(), of);
                outdated.push(binding.name.clone());
            }
        }
        for name in &outdated {
            state.variables.remove(name);
        }
        let restarted = state.restarted_statics(&self.state);
        let note = |name: &String| format!("`{name}` starts again: its type was redefined");
        Plan { notes: restarted.iter().map(note).collect(), state, own, outdated }
    }

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
    fn has_unreached(&self, split: &Split, plan: &Plan) -> bool {
        let reached = plan.state.reached(&self.names(split, plan));
        reached.iter().any(|reached| !reached)
    }

    /// The names that a cell mentions, those of its variables' types included.
    fn names(&self, split: &Split, plan: &Plan) -> HashSet<String> {
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

    /// Applies what a message asks for; true if the cell is to be compiled
    /// again.
    fn adjust(
        &self,
        found: &Found<'_>,
        split: &Split,
        plan: &mut Plan,
        adjustments: &mut Adjustments,
        removed: &mut Vec<String>,
        notes: &mut Vec<String>,
    ) -> bool {
        match &found.finding {
            Finding::Moves { name, part } => {
                if let Some(part) = part {
                    adjustments.partial.insert(name.clone(), part.clone());
                }
                moves(name, split, adjustments)
            }
            Finding::Borrowed(Some(name)) => moves(name, split, adjustments),
            Finding::Lends(name) => {
                let reason = "something borrows from it until the cell ends";
                not_kept(name, reason, plan, adjustments, notes)
            }
            Finding::Borrows(name) => {
                let reason = borrow::reason(found.message, &split.source, found.place);
                not_kept(name, &reason, plan, adjustments, notes)
            }
            Finding::EndsLate { name, .. } if adjustments.can_end(name) => {
                adjustments.ended.insert(name.clone())
            }
            Finding::EndsLate { name, lender } => {
                let reason = format!("`{name}` borrows from it until the cell ends");
                not_kept(lender, &reason, plan, adjustments, notes)
            }
            Finding::CannotEnd(name) => {
                // What it borrows has no other way to be kept.
                adjustments.cannot_end.insert(name.clone()) && adjustments.ended.remove(name)
            }
            Finding::NotKept { name, reason: Some(reason) } => {
                not_kept(name, reason, plan, adjustments, notes)
            }
            Finding::NotKept { name, reason: None } => adjustments.local.insert(name.clone()),
            Finding::Lost { name, reason } => {
                let known = plan.state.variables.remove(name);
                if let Some(known) = &known {
                    let text = format!(
                        "its type `{}` cannot be written in a cell ({reason})",
                        shown_type(&known.type_name)
                    );
                    notes.push(format!("`{name}` is lost: {text}"));
                    plan.state.gone.insert(name.clone(), format!("is lost: {text}"));
                    plan.outdated.push(name.clone());
                }
                known.is_some()
            }
            Finding::BadCast(name) => match adjustments.casts.get(name) {
                Some(Cast::Boxed(_) | Cast::Coerced(_)) => {
                    adjustments.casts.insert(name.clone(), Cast::Iterator);
                    true
                }
                Some(Cast::Iterator) => {
                    adjustments.casts.insert(name.clone(), Cast::SingleIterator);
                    true
                }
                Some(Cast::SingleIterator) => {
                    adjustments.casts.insert(name.clone(), Cast::Future);
                    true
                }
                Some(Cast::Future) => {
                    adjustments.casts.remove(name);
                    notes.push(format!(
                        "`{name}` is not kept: its type has no name; box it (`Box<dyn Fn(..)>`) or collect it"
                    ));
                    adjustments.local.insert(name.clone())
                }
                None => false,
            },
            Finding::BrokenItem(broken) => match plan.state.remove(broken, &plan.own) {
                Some(what) => {
                    removed.push(format!("removed {what}: {}", broken.message));
                    true
                }
                None => false,
            },
            Finding::Conflict { broken, of_trait, of_type } => {
                if !plan.state.has_implementation(broken, of_trait, of_type) {
                    return false;
                }
                let gone = plan.state.remove(broken, &plan.own);
                removed.extend(gone.iter().map(|what| format!("{what} is replaced by this cell's")));
                gone.is_some()
            }
            Finding::Blanket { of_trait, of_type } => {
                let gone = plan.state.remove_source(of_trait, of_type, &plan.own);
                removed.extend(gone.iter().map(|what| format!("{what} is replaced by this cell's")));
                gone.is_some()
            }
            Finding::NoValue => !std::mem::replace(&mut adjustments.has_no_value, true),
            Finding::Borrowed(None) | Finding::MayNeedAllItems | Finding::OpenTypes | Finding::Users => false,
        }
    }

    /// Gives new variables whose types cannot be written another one; true if
    /// the cell is to be compiled again.
    fn cast_unnameable(
        &self,
        types: &BTreeMap<String, String>,
        mir: &str,
        adjustments: &mut Adjustments,
        notes: &mut Vec<String>,
    ) -> bool {
        let mut is_adjusted = false;
        for (name, of) in types {
            let is_unnameable = of.contains("{closure@")
                || of.contains("{async")
                || of.contains("{coroutine")
                || of.contains("impl ")
                || (of.contains('{') && !of.contains("{erased}"))
                || of.contains("__gr_cell_");
            if !is_unnameable || adjustments.casts.contains_key(name) {
                if is_unnameable
                    && adjustments.casts.contains_key(name)
                    && adjustments.local.insert(name.clone())
                {
                    notes.push(format!("`{name}` is not kept: its type has no name"));
                    is_adjusted = true;
                }
                continue;
            }
            is_adjusted = true;
            let is_closure = of.starts_with("{closure@") && of.ends_with('}');
            // A function item: its type is its name, its value a pointer.
            let is_function = ["fn(", "for<", "unsafe ", "extern "].iter().any(|word| of.starts_with(word));
            let cast = if is_closure {
                mir::closure_type(mir, of).map(Cast::Boxed)
            } else if let Some((pointer, _)) = of.split_once(" {").filter(|_| is_function) {
                Some(Cast::Coerced(pointer.to_owned()))
            } else if of.contains("__gr_cell_") && !of.contains('{') {
                None
            } else if of.contains("{async") || of.contains("{coroutine") {
                Some(Cast::Future)
            } else {
                Some(Cast::Iterator)
            };
            match cast {
                Some(cast) => {
                    adjustments.casts.insert(name.clone(), cast);
                }
                None => {
                    let advice = if of.contains("__gr_cell_") {
                        "its type is defined within a block; define it at the top of a cell"
                    } else {
                        "its type has no name; box it (`Box<dyn Fn(..)>`) or collect it"
                    };
                    notes.push(format!("`{name}` is not kept: {advice}"));
                    adjustments.local.insert(name.clone());
                }
            }
        }
        is_adjusted
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

    /// A cell of nothing but items: it is checked and kept.
    pub(super) fn evaluate_items(&mut self, cell: &Cell, split: &Split, sink: &mut dyn Sink) -> Outcome {
        let start = Instant::now();
        let mut plan = self.plan(split, cell.id);
        let (mut removed, mut notes): (Vec<String>, Vec<String>) = (Vec::new(), plan.notes.clone());
        let mut all_items = false;
        let mut preferred = BTreeSet::new();
        for run in 1..=MAX_RUNS {
            let adjustments =
                Adjustments { all_items, preferred: preferred.clone(), ..Adjustments::default() };
            let reached = plan.state.reached(&self.names(split, &plan));
            let items = included(&plan, &reached, all_items);
            let generated = generate::generate_items(&Input {
                cell: cell.id,
                split,
                items,
                leaves: plan.state.leaves.iter().collect(),
                variables: BTreeMap::new(),
                adjustments: &adjustments,
                timeit: None,
            });
            let result = self.compiler.compile(cell.id, &generated, Emit::Object, plan.state.epoch);
            self.compiler.clean(cell.id);
            if prefer_users_names(&result, &generated, cell.id, &mut preferred) && run < MAX_RUNS {
                continue;
            }
            let messages = match result {
                Run::Interrupted => return Outcome::Interrupted,
                Run::Failed(problem) => return self.fail(vec![Diagnostic::error(problem)], sink),
                Run::Ended { succeeded: true, messages } => {
                    for warning in self.diagnostics(cell, &generated, &plan, &messages, false) {
                        sink.diagnostic(&warning);
                    }
                    for note in removed.into_iter().chain(notes) {
                        sink.note(&note);
                    }
                    let forgotten = self.forget(&plan.outdated, &plan.state, sink);
                    self.state = plan.state;
                    if let Err(ended) = forgotten {
                        return self.lose(&ended, Some(&super::run::dropping(cell)), sink);
                    }
                    return Outcome::Done(Report {
                        total: start.elapsed(),
                        compile: start.elapsed(),
                        run: Duration::ZERO,
                        compiler_runs: run,
                        ..Report::default()
                    });
                }
                Run::Ended { messages, .. } => messages,
            };
            let map = Map { generated: &generated, file: &Compiler::file_name(cell.id), cell: cell.id };
            let findings = find(&map, split, &messages, true);
            let mut is_adjusted = false;
            let mut adjustments = Adjustments::default();
            for found in &findings {
                is_adjusted |=
                    self.adjust(found, split, &mut plan, &mut adjustments, &mut removed, &mut notes);
            }
            if is_adjusted && run < MAX_RUNS {
                continue;
            }
            let may_need_items = findings.iter().any(|found| found.finding == Finding::MayNeedAllItems);
            if !all_items && may_need_items && self.has_unreached(split, &plan) {
                all_items = true;
                continue;
            }
            return self.fail(self.diagnostics(cell, &generated, &plan, &messages, true), sink);
        }
        self.fail(vec![Diagnostic::error("the items could not be compiled")], sink)
    }
}

/// Notes the imports that a cell lacks for names of the user's to win over the
/// prelude's; true if there are any: the cell is to be compiled again.
fn prefer_users_names(
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
