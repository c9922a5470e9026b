//! What a session knows between cells. A cell works on a copy, which takes the
//! place of the original once the cell has run, however that ended.

use std::collections::{BTreeMap, HashMap, HashSet};

use gpurepl_wire::Done;

use super::finding::Broken;
use super::fingerprint::{Basis, Meaning};
use super::generate::{Adjustments, Known};
use super::item_macros;
use super::items::{KeptItem, StaticPlace, UseLeaf, blank};
use super::macro_statics;
use super::mutability::{self, Changes};
use super::open::Open;
use super::reach;
use super::statics::Statics;
use super::versions::Versions;
use crate::cell_name::cell_name;
use crate::engine::{Definitions, Item};

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
    /// Part of every type's identity: raised when types change that nothing
    /// smaller distinguishes from what they were.
    pub(super) epoch: u64,
    versions: Versions,
    statics: Statics,
    /// How often a `use somebody::*;` had to go.
    removed_globs: u64,
    /// Statements that wait for a cell that decides their types.
    pub(super) waiting: Vec<Open>,
}

impl State {
    /// Nothing known any more; types made from now on are none of those
    /// before.
    pub(super) fn after(before: &State) -> State {
        State { epoch: before.epoch + 1, ..State::default() }
    }

    /// The items as the user wrote them.
    pub(super) fn items(&self) -> &[KeptItem] {
        &self.items
    }

    /// Whether a cell has defined a macro of this name.
    pub(super) fn has_macro(&self, name: &str) -> bool {
        self.items.iter().any(|item| item.key.strip_prefix("M:") == Some(name))
    }

    /// Adds an item; one of the same key goes.
    pub(super) fn add_item(&mut self, item: KeptItem) {
        // A name is either imported or defined. In one cell it may be both:
        // a module and a function have names of different kinds.
        self.leaves.retain(|leaf| {
            leaf.cell == item.cell || leaf.name.as_ref().is_none_or(|name| !is_named(&item, name))
        });
        if let Some(defines) = item_macros::defined_macro(&item, &self.items) {
            // Of two the compiler would not say which is meant.
            let is_same =
                |known: &KeptItem| item_macros::defined_macro(known, &self.items).as_ref() == Some(&defines);
            let older = self.items.iter().map(is_same).collect::<Vec<_>>();
            let mut older = older.into_iter();
            self.items.retain(|known| !older.next().unwrap_or(false) || known.cell == item.cell);
        }
        if item.key.starts_with("II:") {
            self.add_methods(&item);
        } else if let Some(k) = self.items.iter().position(|known| known.key == item.key) {
            if self.items[k].tokens != item.tokens {
                self.statics.forget(&self.items[k]);
            }
            // In its place: a macro has to stand before its uses.
            self.items[k] = item;
            return;
        }
        self.items.push(item);
    }

    /// Changes definitions. The types of an item that means something else
    /// afterwards get another identity: a type before and after is two types.
    pub(super) fn redefine<R>(&mut self, change: impl FnOnce(&mut State) -> R) -> R {
        let result = change(self);
        let meaning = Meaning::new(&self.items, &self.leaves, self.removed_globs);
        if self.versions.update(&self.items, &meaning) {
            self.epoch += 1;
        }
        self.write();
        result
    }

    /// Takes the methods of an inherent implementation out of older ones of
    /// the same type: the new ones replace them, others stay.
    fn add_methods(&mut self, item: &KeptItem) {
        for known in self.items.iter_mut().filter(|known| known.key == item.key) {
            for (name, _) in &item.methods {
                while let Some(k) = known.methods.iter().position(|(method, _)| method == name) {
                    let (_, range) = known.methods.remove(k);
                    known.statics.retain(|place| !range.contains(&place.range.start));
                    known.private.retain(|place| !range.contains(&place.start));
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
                self.items.retain(|item| item.cell == leaf.cell || !is_named(item, name));
                self.leaves.retain(|known| known.name.as_ref() != Some(name));
            } else {
                self.leaves.retain(|known| known.text != leaf.text);
            }
            self.leaves.push(leaf);
        }
    }

    /// Writes the items as they are to be repeated.
    fn write(&mut self) {
        // The type of a static may be redefined while its own text stays.
        let meaning = Meaning::new(&self.items, &self.leaves, self.removed_globs);
        let written = self.items.iter().map(|item| {
            let mut written = self.statics.written(item, &meaning);
            // Statics without names, which are the worker's to find again.
            let own = item.key.split_once(':').map_or("", |(_, own)| own);
            let is_static = item.statics.iter().any(|place| place.name == own);
            let edits = if item.key.starts_with("M:") && item.names.contains("static") {
                macro_statics::in_macro(&written.text)
            } else if item.names.contains("thread_local") && !is_static && !item.is_call() {
                macro_statics::in_functions(&written.text)
            } else {
                Vec::new()
            };
            for (range, edit) in edits.into_iter().rev() {
                let by = edit.len() as isize - range.len() as isize;
                written.move_private(range.end, by);
                written.text.replace_range(range, &edit);
            }
            KeptItem { home: self.versions.home(item), ..written }
        });
        self.written = written.collect();
    }

    /// The statics of items that a loaded cell has repeated are defined from
    /// now on; others are when a cell first reaches them.
    pub(super) fn mark_statics_defined(&mut self, repeated: &[usize]) {
        let meaning = Meaning::new(&self.items, &self.leaves, self.removed_globs);
        let items = repeated.iter().filter_map(|number| self.items.get(*number));
        self.statics.define(items, &meaning);
        self.write();
    }

    /// The statics that start again though their text stays: what their types
    /// mean has changed since `before`.
    pub(super) fn restarted_statics(&self, before: &State) -> Vec<String> {
        if !before.statics.has_any() {
            return Vec::new();
        }
        let (old, new) = (before.meaning(), self.meaning());
        let mut names = Vec::new();
        for item in self.items.iter().filter(|item| !item.statics.is_empty()) {
            let is_there = before.items.iter().any(|known| known.tokens == item.tokens);
            let still = self.statics.defined_in(item, &new);
            let lost = before.statics.defined_in(item, &old).into_iter().filter(|name| !still.contains(name));
            names.extend(lost.filter(|_| is_there).map(str::to_owned));
        }
        names
    }

    /// Which items are reached from some names.
    pub(super) fn reached(&self, names: &HashSet<String>) -> Vec<bool> {
        reach::reach(&self.written, names)
    }

    /// What the type of a variable rests on.
    pub(super) fn basis(&self, type_name: &str) -> Basis {
        self.meaning().basis_of_variable(type_name)
    }

    /// What names mean as the items stand.
    pub(super) fn meaning(&self) -> Meaning<'_> {
        Meaning::new(&self.items, &self.leaves, self.removed_globs)
    }

    /// Whether a name means a type or a module of a cell's, or something that
    /// a cell has imported under another name than its own.
    pub(super) fn has_type(&self, name: &str) -> bool {
        let key = format!("T:{name}");
        let is_other = |leaf: &UseLeaf| {
            leaf.name.as_deref() == Some(name) && leaf.path.last().map(String::as_str) != Some(name)
        };
        self.items.iter().any(|item| item.key == key) || self.leaves.iter().any(is_other)
    }

    /// A reserved name that a module of the session defines, and the module,
    /// if cells import all names of one: it would hide what generated code
    /// means by the name.
    pub(super) fn reserved_by_glob(&self, reserved: &[&str]) -> Option<(String, String)> {
        let modules: Vec<(&str, &KeptItem)> = self
            .items
            .iter()
            .filter(|item| item.tokens.contains("mod "))
            .filter_map(|item| Some((item.key.strip_prefix("T:")?, item)))
            .collect();
        // The modules that all names are imported of, and those that these mention.
        let mut opened: HashSet<&str> = HashSet::new();
        for leaf in self.leaves.iter().filter(|leaf| leaf.name.is_none() && leaf.text.contains('*')) {
            let first = leaf.path.first().map_or("", String::as_str);
            let is_all = matches!(first, "self" | "crate");
            opened.extend(modules.iter().map(|(name, _)| *name).filter(|name| is_all || *name == first));
        }
        loop {
            let before = opened.len();
            for (_, item) in
                modules.iter().filter(|(name, _)| opened.contains(name)).copied().collect::<Vec<_>>()
            {
                opened
                    .extend(modules.iter().map(|(name, _)| *name).filter(|name| item.names.contains(*name)));
            }
            if opened.len() == before {
                break;
            }
        }
        modules.iter().filter(|(name, _)| opened.contains(name)).find_map(|(module, item)| {
            let words: Vec<&str> = item.tokens.split_whitespace().collect();
            let defined = words.windows(2).find_map(|pair| {
                let defines =
                    matches!(pair[0], "type" | "struct" | "enum" | "union" | "trait" | "mod" | "as");
                (defines && reserved.contains(&pair[1])).then(|| pair[1].to_owned())
            })?;
            Some((defined, (*module).to_owned()))
        })
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
        let meaning = self.meaning();
        self.variables
            .iter()
            .filter(|(_, known)| !meaning.holds_variable(&known.type_name, &known.basis))
            .map(|(name, _)| name.clone())
            .collect()
    }

    /// Whether an item implements a trait for a type, both as the compiler
    /// names them.
    pub(super) fn has_implementation(&self, broken: &Broken, of_trait: &str, of_type: &str) -> bool {
        let item = broken.item.and_then(|k| self.items.get(k));
        item.and_then(|item| item.implements.as_ref()).is_some_and(|of| {
            of.name_of_trait.as_deref() == Some(own_name(of_trait))
                && of.names_of_type.contains(own_name(of_type))
        })
    }

    /// Removes the implementation of an earlier cell from which the library
    /// derives one of this cell's, both as the compiler names it; returns what
    /// it was.
    pub(super) fn remove_source(
        &mut self,
        of_trait: &str,
        of_type: &str,
        own: &HashSet<String>,
    ) -> Option<String> {
        let sources = BLANKET.iter().find(|(derived, _)| *derived == own_name(of_trait))?.1;
        let of_type = own_name(of_type);
        let is_source = |item: &KeptItem| {
            item.implements.as_ref().is_some_and(|of| {
                of.name_of_trait.as_deref().is_some_and(|name| sources.contains(&name))
                    && (of.names_of_type.contains(of_type) || of.names_of_arguments.contains(of_type))
            })
        };
        let item = self.items.iter().position(|item| is_source(item) && !own.contains(&item.key))?;
        self.remove(&Broken { item: Some(item), cell: 0, line: 0, message: String::new() }, own)
    }

    /// Removes an item, or the `use` of a line, of an earlier cell; returns
    /// what it was. Items of the cell being compiled stay.
    pub(super) fn remove(&mut self, broken: &Broken, own: &HashSet<String>) -> Option<String> {
        self.redefine(|state| {
            if let Some(k) =
                broken.item.filter(|k| state.items.get(*k).is_some_and(|item| !own.contains(&item.key)))
            {
                let item = state.items.remove(k);
                return Some(format!("{} of {}", describe(&item), cell_name(item.cell)));
            }
            let at = |leaf: &UseLeaf| leaf.cell == broken.cell && leaf.line == broken.line;
            let leaf = state.leaves.remove(state.leaves.iter().position(at)?);
            state.removed_globs += u64::from(leaf.name.is_none());
            Some(format!("`{}` of {}", leaf.text, cell_name(leaf.cell)))
        })
    }

    /// Removes items by their names, and what is implemented for them.
    pub(super) fn forget_items(&mut self, names: &[String]) {
        let is_gone = |item: &KeptItem| {
            names.iter().any(|name| is_named(item, name))
                || item
                    .implements
                    .as_ref()
                    .is_some_and(|of| names.iter().any(|name| of.names_of_type.contains(name)))
        };
        let (gone, left) = std::mem::take(&mut self.items).into_iter().partition(is_gone);
        self.items = left;
        let gone: Vec<KeptItem> = gone;
        gone.iter().for_each(|item| self.statics.forget(item));
        self.leaves.retain(|leaf| leaf.name.as_ref().is_none_or(|name| !names.contains(name)));
    }

    /// Takes over what a cell has left: the worker says which variables it
    /// holds.
    pub(super) fn update_variables(
        &mut self,
        done: &Done,
        new: Vec<(String, Known)>,
        adjustments: &Adjustments,
    ) {
        let (held, cell) = (&done.variables, cell_name(done.cell));
        for (name, known) in new {
            // What a cell that failed has not put is not there, and an older one of the name lives on.
            if held.contains(&name) && done.put.contains(&name) {
                self.gone.remove(&name);
                self.stop_waiting(&name);
                self.variables.insert(name, known);
            } else if !self.variables.contains_key(&name) {
                let how = match done.failure {
                    None => format!("is not there: {cell} returned before its end"),
                    Some(_) => format!("was not kept: {cell}, which makes it, has failed"),
                };
                self.gone.insert(name, how);
            }
        }
        let lost: Vec<String> = self.variables.keys().filter(|name| !held.contains(name)).cloned().collect();
        for name in lost {
            let known = self.variables.remove(&name);
            let is_array = known.is_some_and(|known| known.type_name.contains("GpuArray<"));
            let how = match adjustments.moved.contains_key(&name) {
                _ if done.failure.is_some() => {
                    format!("was taken by {cell}, which moves it and failed")
                }
                true if adjustments.partial.contains_key(&name) => {
                    format!("was moved in part in {cell}, and the rest was dropped")
                }
                true if adjustments.bare.contains(&name) => format!(
                    "is gone: in {cell} `{name};` dropped it; to show nothing write nothing, or `let _ = &{name};`"
                ),
                true if is_array => format!(
                    "was moved in {cell}: operators and calls take an array unless it is lent, as in `&{name} + 1`"
                ),
                true => format!("was moved in {cell}; `&{name}` would have lent it"),
                false => format!("was lost in {cell}"),
            };
            self.gone.insert(name, how);
        }
    }

    /// Nothing waits under a name any more.
    pub(super) fn stop_waiting(&mut self, name: &str) {
        self.waiting.retain(|open| open.bindings.iter().all(|binding| binding.name != name));
    }

    /// The worker has ended: items stay, variables and statics start again.
    pub(super) fn lose_variables(&mut self, cause: &str) {
        for name in std::mem::take(&mut self.variables).into_keys() {
            self.gone.insert(name, format!("was lost with its worker process ({cause})"));
        }
        self.restart_statics();
    }

    /// No static is defined any more. Those that cells define from now on are
    /// others than before, should a replay bring those back.
    pub(super) fn restart_statics(&mut self) {
        self.statics.forget_all();
        self.write();
    }

    /// Whether a name is that of a struct, enum or union, and of nothing else
    /// that a value's type could be called by.
    pub(super) fn is_type(&self, name: &str) -> bool {
        let is_value = |item: &KeptItem| item.key.strip_prefix("V:") == Some(name);
        let mut types = self.items.iter().filter(|item| item.key.strip_prefix("T:") == Some(name));
        types.any(|item| item.is_data) && !self.items.iter().any(is_value)
    }

    /// What can change a value of a type while `&` of it is used.
    pub(super) fn changes(&self, type_name: &str) -> Changes {
        let text = |name: &str| {
            let key = format!("T:{name}");
            self.items.iter().find(|item| item.key == key).map(|item| item.text.clone())
        };
        mutability::changes(type_name, &text)
    }

    /// The statics of items that cells may change, as `static N`.
    pub(super) fn changing_statics(&self, items: &[usize]) -> Vec<String> {
        let mut names = Vec::new();
        for item in items.iter().filter_map(|number| self.items.get(*number)) {
            let of = |place: &StaticPlace| &item.text[place.type_range.clone()];
            let may_change =
                |place: &&StaticPlace| place.is_mutable || self.changes(of(place)) != Changes::Never;
            names
                .extend(item.statics.iter().filter(may_change).map(|place| format!("static {}", place.name)));
        }
        names
    }

    /// Changes when statics start again.
    pub(super) fn generation_of_statics(&self) -> u64 {
        self.statics.generation()
    }

    /// Whether a loaded cell has defined a static.
    pub(super) fn has_statics(&self) -> bool {
        self.statics.has_any()
    }

    /// The items and imports as the user wrote them, for completion.
    pub(super) fn definitions(&self) -> Definitions {
        let items = self.items.iter().map(|item| Item { text: item.text.clone(), cell: item.cell });
        let uses = self.leaves.iter().map(|leaf| leaf.text.clone());
        Definitions { uses: uses.collect(), items: items.collect(), dependencies: Vec::new() }
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

/// Traits that the standard library implements for all types that have another
/// one, and these.
const BLANKET: &[(&str, &[&str])] = &[
    ("Into", &["From"]),
    ("TryFrom", &["Into", "From"]),
    ("TryInto", &["TryFrom", "Into", "From"]),
    ("ToString", &["Display"]),
    ("ToOwned", &["Clone"]),
    ("IntoIterator", &["Iterator"]),
    ("IntoFuture", &["Future"]),
];

/// The last name of a path, without what it is applied to.
fn own_name(path: &str) -> &str {
    let path = path.split('<').next().unwrap_or("");
    path.rsplit("::").next().unwrap_or("")
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
