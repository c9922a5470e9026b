//! What a session knows between cells. A cell works on a copy, which takes the
//! place of the original when it succeeds.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::generate::Known;
use super::items::{KeptItem, UseLeaf, blank};
use super::statics::Statics;
use super::{fingerprint, reach};

/// Items, uses and variables of a session.
#[derive(Clone, Debug, Default)]
pub(super) struct State {
    /// Items as the user wrote them.
    items: Vec<KeptItem>,
    /// The same items as they are repeated: statics that an earlier cell has
    /// defined are declared only.
    pub(super) written: Vec<KeptItem>,
    pub(super) leaves: Vec<UseLeaf>,
    pub(super) variables: BTreeMap<String, Known>,
    /// Names of variables that are gone, and what became of them.
    pub(super) gone: HashMap<String, String>,
    /// Counts how often a definition has changed: part of every type's
    /// identity, so that a type before and after is two types.
    pub(super) epoch: u64,
    statics: Statics,
}

impl State {
    /// Nothing known any more; types made from now on are none of those
    /// before.
    pub(super) fn after(before: &State) -> State {
        State { epoch: before.epoch + 1, ..State::default() }
    }

    /// Adds an item; true if it takes the place of one that reads differently
    /// and that values may depend on.
    pub(super) fn add_item(&mut self, item: KeptItem) -> bool {
        let mut has_changed = false;
        // A name is either imported or defined.
        self.leaves.retain(|leaf| leaf.name.as_ref().is_none_or(|name| !is_named(&item, name)));
        if item.key.starts_with("II:") {
            self.add_methods(&item);
        } else if let Some(k) = self.items.iter().position(|known| known.key == item.key) {
            let known = self.items.remove(k);
            has_changed = known.tokens != item.tokens && (known.shapes_types || item.shapes_types);
        }
        self.items.push(item);
        self.write();
        has_changed
    }

    /// Takes the methods of an inherent implementation out of older ones of
    /// the same type: the new ones replace them, others stay.
    fn add_methods(&mut self, item: &KeptItem) {
        for known in self.items.iter_mut().filter(|known| known.key == item.key) {
            for (name, _) in &item.methods {
                while let Some(k) = known.methods.iter().position(|(method, _)| method == name) {
                    let (_, range) = known.methods.remove(k);
                    known.statics.retain(|place| !range.contains(&place.range.start));
                    blank(&mut known.text, range);
                }
            }
        }
        // One that is empty now, and always was if it had no methods.
        self.items.retain(|known| known.key != item.key || !known.methods.is_empty());
    }

    pub(super) fn add_leaves(&mut self, leaves: Vec<UseLeaf>) {
        for leaf in leaves {
            if let Some(name) = &leaf.name {
                self.items.retain(|item| !is_named(item, name));
                self.leaves.retain(|known| known.name.as_ref() != Some(name));
            } else {
                self.leaves.retain(|known| known.text != leaf.text);
            }
            self.leaves.push(leaf);
        }
        self.write();
    }

    /// Writes the items as they are to be repeated.
    fn write(&mut self) {
        self.written = self.items.iter().map(|item| self.statics.written(item)).collect();
    }

    /// The statics of items that a loaded cell has repeated are defined from
    /// now on; others are when a cell first reaches them.
    pub(super) fn mark_statics_defined(&mut self, repeated: &[usize]) {
        for item in repeated.iter().filter_map(|number| self.items.get(*number)) {
            self.statics.define(item);
        }
        self.write();
    }

    /// Which items are reached from some names.
    pub(super) fn reached(&self, names: &HashSet<String>) -> Vec<bool> {
        reach::reach(&self.written, names)
    }

    pub(super) fn fingerprint(&self, type_name: &str) -> u64 {
        fingerprint::fingerprint(type_name, &self.items, &self.leaves)
    }

    /// A name of the session that someone who wrote another may have meant.
    pub(super) fn similar_name(&self, name: &str) -> Option<String> {
        let items = self.items.iter().flat_map(|item| &item.defines);
        let leaves = self.leaves.iter().filter_map(|leaf| leaf.name.as_ref());
        let known = self.variables.keys().chain(items).chain(leaves);
        let distance = |known: &String| strsim::damerau_levenshtein(known, name);
        let nearest = known.min_by_key(|known| (distance(known), (*known).clone()))?;
        (distance(nearest) <= name.chars().count() / 3).then(|| nearest.clone())
    }

    /// Variables whose types are not what they were when they were put.
    pub(super) fn outdated_variables(&self) -> Vec<String> {
        let is_outdated = |known: &Known| self.fingerprint(&known.type_name) != known.fingerprint;
        self.variables.iter().filter(|(_, known)| is_outdated(known)).map(|(name, _)| name.clone()).collect()
    }

    /// Removes the item of an earlier cell that has a line; returns what it
    /// was. Items of the cell being compiled stay.
    pub(super) fn remove_item_at(&mut self, cell: u64, line: usize, own: &HashSet<String>) -> Option<String> {
        let has_line = |item: &KeptItem| {
            item.cell == cell && (item.line..=item.line + item.text.matches('\n').count()).contains(&line)
        };
        if let Some(k) = self.items.iter().position(|item| has_line(item) && !own.contains(&item.key)) {
            let item = self.items.remove(k);
            self.write();
            return Some(format!("{} of cell {cell}", describe(&item)));
        }
        let k = self.leaves.iter().position(|leaf| leaf.cell == cell && leaf.line == line)?;
        let leaf = self.leaves.remove(k);
        Some(format!("`{}` of cell {cell}", leaf.text))
    }

    /// Takes over what a cell has left: the worker says which variables it
    /// holds.
    pub(super) fn update_variables(
        &mut self,
        held: &[String],
        new: Vec<(String, Known)>,
        cell: u64,
        moved: &BTreeMap<String, bool>,
    ) {
        for (name, known) in new {
            // A cell that failed has put none of its own, but may hold an
            // older one of the name.
            let is_replaced = self.variables.get(&name).is_none_or(|old| old.cell != cell);
            if held.contains(&name) && is_replaced {
                self.gone.remove(&name);
                self.variables.insert(name, known);
            }
        }
        let lost: Vec<String> = self.variables.keys().filter(|name| !held.contains(name)).cloned().collect();
        for name in lost {
            let known = self.variables.remove(&name);
            let is_array = known.is_some_and(|known| known.type_name.contains("GpuArray<"));
            let how = match moved.contains_key(&name) {
                true if is_array => format!(
                    "was moved in cell {cell}: operators and calls take an array unless it is lent, as in `&{name} + 1`"
                ),
                true => format!("was moved in cell {cell}; `&{name}` would have lent it"),
                false => format!("was lost in cell {cell}"),
            };
            self.gone.insert(name, how);
        }
    }

    /// The worker has ended: items stay, variables and statics start anew.
    pub(super) fn lose_variables(&mut self, cause: &str) {
        for name in std::mem::take(&mut self.variables).into_keys() {
            self.gone.insert(name, format!("was lost with its worker process ({cause})"));
        }
        self.statics = Statics::default();
        self.write();
    }

    /// The names of items, for completion.
    pub(super) fn item_names(&self) -> Vec<String> {
        let mut names: Vec<String> = self
            .items
            .iter()
            .filter_map(|item| item.key.split_once(':').filter(|(kind, _)| matches!(*kind, "T" | "V" | "M")))
            .map(|(_, name)| name.to_owned())
            .chain(self.leaves.iter().filter_map(|leaf| leaf.name.clone()))
            .collect();
        names.sort();
        names.dedup();
        names
    }
}

/// Whether an item defines a name as its own.
fn is_named(item: &KeptItem, name: &str) -> bool {
    item.key.split_once(':').is_some_and(|(kind, own)| matches!(kind, "T" | "V" | "M") && own == name)
}

/// `struct P`, `impl P`: the beginning of the item's text.
fn describe(item: &KeptItem) -> String {
    let head = item.text.split(['{', ';', '=']).next().unwrap_or("").trim();
    let head = head.split_whitespace().collect::<Vec<_>>().join(" ");
    format!("`{head}`")
}
