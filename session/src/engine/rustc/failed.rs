//! An attempt that does not compile: what its messages ask for, and when the
//! cell is given up.

use std::ops::Range;

use super::adjust::{Found, find};
use super::attempt::{Learned, NotCompiled};
use super::compile::{Compiler, Message};
use super::finding::{Finding, OPEN_TYPES};
use super::generate::Generated;
use super::line_map::Map;
use super::plan::Plan;
use super::split::Split;
use super::{RustcEngine, borrow, literals, open, references};
use crate::diagnostic::Diagnostic;
use crate::engine::Cell;

/// An attempt that does not compile.
pub(super) struct Failed<'a> {
    pub(super) generated: &'a Generated,
    pub(super) messages: &'a [Message],
    /// Whether there is no attempt after it.
    pub(super) is_last: bool,
}

impl Failed<'_> {
    fn errors(&self) -> impl Iterator<Item = &Message> {
        self.messages.iter().filter(|message| message.is_error())
    }
}

/// What is to be done after an attempt that does not compile.
pub(super) enum Next {
    Again,
    End(NotCompiled),
}

impl RustcEngine {
    /// What the messages of a failed attempt ask for, or why the cell does not
    /// compile.
    pub(super) fn after_failure(
        &mut self,
        cell: &Cell,
        split: &Split,
        plan: &mut Plan,
        learned: &mut Learned,
        failed: &Failed<'_>,
    ) -> Next {
        let _ = self.compiler.take_mir(cell.id);
        let map = Map { generated: failed.generated, file: &Compiler::file_name(cell.id), cell: cell.id };
        let findings = find(&map, split, failed.messages, !split.items.is_empty());
        if self.apply(&findings, split, plan, learned) && !failed.is_last {
            return Next::Again;
        }
        let are_open = findings.iter().all(|found| found.finding == Finding::OpenTypes);
        let places: Vec<Option<usize>> = findings.iter().map(|found| found.place).collect();
        let is_own = |name: &str| plan.state.has_type(name);
        if are_open && let Some(ranges) = open::statements(split, &places, &is_own) {
            return Next::End(NotCompiled::Open(ranges));
        }
        // Without what only we ask for, the user's own errors are left.
        if learned.adjustments.probing {
            learned.first_errors = None;
        }
        // What is left is the user's, or an attempt that did not help:
        // then the messages of the first attempt are the ones to show.
        if learned.first_errors.is_none() {
            let errors = self.diagnostics(cell, failed.generated, plan, failed.messages, true);
            learned.first_errors = Some(errors);
        }
        if learned.adjustments.literal_types
            && let Some(first) = learned.first_errors.take()
        {
            learned.first_errors = Some(self.settled(cell, plan, &findings, failed, first));
        }
        if self.reads_otherwise(&findings, split, plan, learned, failed) {
            return Next::Again;
        }
        let blind = blind_macros(&findings, split, plan);
        if !blind.is_empty() {
            return Next::End(NotCompiled::WithLocalMacros(blind));
        }
        let looks_like_items = failed.errors().any(|message| {
            message.message.starts_with("expected expression, found")
                || message.message.starts_with("expected one of")
        });
        let lacks_items = failed.errors().any(|message| is_defined_by_macro(&message.message, split));
        Next::End(if (looks_like_items || lacks_items) && !split.brace_macros.is_empty() {
            NotCompiled::AsStatements
        } else {
            NotCompiled::Diagnostics(learned.first_errors.take().unwrap_or_default())
        })
    }

    /// The first errors without those about types that were open for want of the types of literals, which this
    /// attempt has written down. If there were no others, what it says itself: `y.foo()` of an array whose type was
    /// open.
    fn settled(
        &self,
        cell: &Cell,
        plan: &Plan,
        findings: &[Found<'_>],
        failed: &Failed<'_>,
        first: Vec<Diagnostic>,
    ) -> Vec<Diagnostic> {
        let open = findings.iter().filter(|found| found.finding == Finding::OpenTypes);
        let open: Vec<usize> = open.filter_map(|found| found.place).collect();
        let is_settled = |error: &Diagnostic| {
            let is_open = error.code.as_deref().is_some_and(|code| OPEN_TYPES.contains(&code));
            let place = error.labels.iter().find(|label| label.is_primary).map(|label| label.range.start);
            is_open && place.is_some_and(|place| !open.contains(&place))
        };
        let left: Vec<Diagnostic> = first.iter().filter(|error| !is_settled(error)).cloned().collect();
        // The user's literals may have become other types than these.
        let is_about_types = failed.errors().any(|error| ["E0277", "E0308"].contains(&error.code()));
        match left.is_empty() {
            false => left,
            true if is_about_types => first,
            true => self.diagnostics(cell, failed.generated, plan, failed.messages, true),
        }
    }

    /// Applies what messages ask for; true if that changes the cell.
    fn apply(&self, findings: &[Found<'_>], split: &Split, plan: &mut Plan, learned: &mut Learned) -> bool {
        let has_probed = learned.adjustments.has_probed;
        let asks = |found: &&Found<'_>| {
            matches!(found.finding, Finding::Borrowed(_) | Finding::Lends(_)) && !has_probed
        };
        let (asking, telling): (Vec<_>, Vec<_>) = findings.iter().partition(asks);
        let mut is_adjusted = false;
        if let Some(first) = asking.first() {
            learned.borrowed_at = asking.iter().filter_map(|found| found.place).collect();
            learned.reason = borrow::reason(first.message, &split.source, first.place);
            learned.lender = borrow::lender(&first.message.message).map(str::to_owned);
            (learned.adjustments.probing, learned.adjustments.has_probed) = (true, true);
            is_adjusted = true;
        }
        let Learned { adjustments, removed, notes, .. } = learned;
        for found in telling {
            is_adjusted |= self.adjust(found, split, plan, adjustments, removed, notes);
        }
        is_adjusted
    }

    /// Whether the user's text may have another meaning, in which it has not
    /// been compiled yet.
    fn reads_otherwise(
        &self,
        findings: &[Found<'_>],
        split: &Split,
        plan: &Plan,
        learned: &mut Learned,
        failed: &Failed<'_>,
    ) -> bool {
        let adjustments = &mut learned.adjustments;
        let has = |wanted: Finding| findings.iter().any(|found| found.finding == wanted);
        let may_need_items = has(Finding::MayNeedAllItems) || has(Finding::OpenTypes);
        if may_need_items && !adjustments.all_items && self.has_unreached(split, plan) {
            adjustments.all_items = true;
            return true;
        }
        // `gpu![1, 2].sum().item() + 1`: the literal beside a type that was open fell back too early.
        let fell_back = || {
            let of = |error: &Message| error.code() == "E0277" && error.message.starts_with("cannot ");
            failed
                .errors()
                .any(|error| of(error) && ["`i32`", "`f64`"].iter().any(|name| error.message.contains(name)))
        };
        if !adjustments.literal_types
            && (has(Finding::OpenTypes) || fell_back())
            && literals::has_open_literals(&split.source)
        {
            adjustments.literal_types = true;
            return true;
        }
        // A macro call that ends a cell may be a statement without its semicolon.
        if !adjustments.has_no_value
            && failed.errors().any(|error| error.message.starts_with("expected expression, found `let`"))
            && let Some(tail) = &split.tail
            && syn::parse_str::<syn::ExprMacro>(&split.source[tail.clone()]).is_ok()
        {
            adjustments.has_no_value = true;
            learned.first_errors = None;
            return true;
        }
        false
    }
}

/// The macros of a cell that mention variables, by the places of their definitions:
/// as items they do not see them.
fn blind_macros(findings: &[Found<'_>], split: &Split, plan: &Plan) -> Vec<Range<usize>> {
    let is_variable = |name: &str| {
        split.bindings.iter().any(|binding| binding.name == name) || plan.state.variables.contains_key(name)
    };
    let unseen = findings.iter().filter_map(|found| {
        let name = found.message.message.strip_prefix("cannot find value `")?.split('`').next()?;
        found.place.filter(|_| is_variable(name))
    });
    let mentioned: Vec<usize> = unseen.collect();
    let definitions = split.macro_definitions().map(|(range, _)| range);
    definitions.filter(|range| mentioned.iter().any(|place| range.contains(place))).cloned().collect()
}

/// Whether an item of the cell lacks a name that a macro of its statements
/// writes after `struct` or the like: the macro defines items.
fn is_defined_by_macro(message: &str, split: &Split) -> bool {
    let Some(name) = message.strip_prefix("cannot find ").and_then(|rest| rest.split('`').nth(1)) else {
        return false;
    };
    let written = split.brace_macros.iter().filter_map(|item| match &item.item {
        syn::Item::Macro(call) => Some(references::written(call.mac.tokens.clone()).0),
        _ => None,
    });
    written.flatten().any(|known| known == name)
}
