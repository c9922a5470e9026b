//! What one attempt to compile a cell teaches about the next.

use std::collections::BTreeMap;

use super::compile::Message;
use super::finding::{Finding, classify};
use super::generate::{Adjustments, Cast};
use super::line_map::Map;
use super::plan::Plan;
use super::split::Split;
use super::{RustcEngine, borrow, exports, mir, primitives};
use crate::type_names::shown_type;

/// What a message of the compiler's asks for.
pub(super) struct Found<'m> {
    pub(super) finding: Finding,
    pub(super) message: &'m Message,
    /// Where it points to in the cell's text, in bytes.
    pub(super) place: Option<usize>,
}

/// What the errors of a run ask for. Items that have to go come last of the
/// session's first, each once, so that numbers of items stay right.
pub(super) fn find<'m>(
    map: &Map<'_>,
    split: &Split,
    messages: &'m [Message],
    has_items: bool,
) -> Vec<Found<'m>> {
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

/// Whether a statement of a cell is a variable's name and nothing else, which drops it.
fn has_bare_statement(split: &Split, name: &str) -> bool {
    let is_bare = |text: &str| text.trim_end_matches(|c: char| c == ';' || c.is_whitespace()).trim() == name;
    split.statements.iter().filter_map(|range| split.source.get(range.clone())).any(is_bare)
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
pub(super) fn unambiguous(
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
pub(super) fn not_kept(
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

/// The last name of a type that is not in scope, and the path that the compiler offers for it. In the signature of
/// a closure the compiler writes types by their last names, where no other type has the same.
fn imported(message: &Message) -> Option<(&str, String)> {
    let last = message.message.strip_prefix("cannot find type `")?.strip_suffix("` in this scope")?;
    let spans = message.children.iter().flat_map(|child| &child.spans);
    let mut paths = spans.filter_map(|span| {
        let offered = span.suggested_replacement.as_deref()?.trim();
        offered.strip_prefix("use ")?.strip_suffix(';')
    });
    let is_ours = |path: &&str| path.starts_with("gpurepl_prelude::") || path.starts_with("std::");
    let first = paths.next();
    let offered = first.filter(is_ours).or_else(|| paths.find(is_ours)).or(first).map(str::to_owned);
    // The compiler offers nothing of a crate that passes another one's types on.
    let path = exports::path_of(last).or(offered)?;
    Some((last, path))
}

/// A type with the path of a name that it has without one.
fn with_path(of: &str, last: &str, path: &str) -> Option<String> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let is_alone = |at: &usize| {
        let (before, after) = (&of[..*at], &of[at + last.len()..]);
        !before.ends_with(is_part) && !before.ends_with("::") && !after.starts_with(is_part)
    };
    let places: Vec<usize> = of.match_indices(last).map(|(at, _)| at).filter(is_alone).collect();
    let mut full = String::with_capacity(of.len());
    let mut end = 0;
    for at in &places {
        full.push_str(&of[end..*at]);
        full.push_str("::");
        full.push_str(path);
        end = at + last.len();
    }
    full.push_str(&of[end..]);
    (!places.is_empty()).then_some(full)
}

impl Adjustments {
    /// Whether a variable can be dropped before others are put: it is not
    /// kept, and that has not been tried.
    fn can_end(&self, name: &String) -> bool {
        self.local.contains(name) && !self.ended.contains(name) && !self.cannot_end.contains(name)
    }

    /// What to say about variables that the cell moves a part of.
    pub(super) fn parted(&self) -> Vec<String> {
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

    /// What to say about variables that a statement drops which is only their name.
    pub(super) fn dropped(&self) -> Vec<String> {
        let is_gone = |name: &String| self.moved.get(name) == Some(&false);
        let dropped = self.bare.iter().filter(|name| is_gone(name));
        let told = |name: &String| {
            format!("`{name};` drops `{name}`: to show nothing write nothing, or `let _ = &{name};`")
        };
        dropped.map(told).collect()
    }
}

impl RustcEngine {
    /// Applies what a message asks for; true if the cell is to be compiled
    /// again.
    pub(super) fn adjust(
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
                } else if has_bare_statement(split, name)
                    && split.bindings.iter().all(|binding| binding.name != *name)
                {
                    adjustments.bare.insert(name.clone());
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
            Finding::CannotRescue(name) => adjustments.not_rescued.insert(name.clone()),
            Finding::CannotEnd(name) => {
                // What it borrows has no other way to be kept.
                adjustments.cannot_end.insert(name.clone()) && adjustments.ended.remove(name)
            }
            Finding::NotKept { name, reason: Some(reason) } => {
                if let Some(Cast::Boxed(of)) = adjustments.casts.get_mut(name)
                    && let Some((last, path)) = imported(found.message)
                    && let Some(full) = with_path(of, last, &path)
                {
                    *of = full;
                    return true;
                }
                not_kept(name, reason, plan, adjustments, notes)
            }
            Finding::NotKept { name, reason: None } if has_bare_statement(split, name) => {
                let reason =
                    format!("`{name};` drops it; to show nothing write nothing, or `let _ = &{name};`");
                not_kept(name, &reason, plan, adjustments, notes)
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
    pub(super) fn cast_unnameable(
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_get_their_paths_where_they_have_none() {
        let of = "std::boxed::Box<dyn Fn(Csr<f64>, m::Csr, Csrs) -> Result<Csr<f32>, Error>>";
        assert_eq!(
            with_path(of, "Csr", "p::sparse::Csr").unwrap(),
            "std::boxed::Box<dyn Fn(::p::sparse::Csr<f64>, m::Csr, Csrs) -> Result<::p::sparse::Csr<f32>, Error>>"
        );
        assert_eq!(with_path(of, "Instant", "std::time::Instant"), None);
    }
}
