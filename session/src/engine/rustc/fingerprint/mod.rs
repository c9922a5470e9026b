//! What a variable's type rests on: every definition behind it.
//!
//! A variable keeps its bytes while its type may be redefined. A cell may
//! take it only if everything that its type is made of still means the same:
//! the text of the type, of each item of the session that it names, and of
//! each that those name. Too much of it drops a variable without need; too
//! little would reinterpret its memory.
//!
//! Names are looked up as the compiler does: items and imports of the session
//! first, then what `use m::*` brings, then the preludes. So an item or an
//! import that is added counts if it takes a name that came from further out,
//! and only then.
//!
//! Nothing names an implementation that gives a type its associated types, or
//! what a macro of a crate's defines. Those that were there when a variable was
//! made must still be there as they were. What is added later changes no type
//! that there is: Rust's coherence sees to that.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use proc_macro2::{Delimiter, TokenStream, TokenTree};

use super::items::{KeptItem, Unnamed, UseLeaf};
use super::primitives;
use super::references::{self, KINDS, Kind, Reference};
use super::shape::{Home, Identity};
use super::split::plain;
use crate::names;

/// The items and imports of a session, as far as types may rest on them.
pub(super) struct Meaning<'a> {
    items: &'a [KeptItem],
    leaves: &'a [UseLeaf],
    /// How often an import of all names of someone else's module was removed.
    removed_globs: u64,
    /// The items that bring a name.
    bringing: HashMap<&'a Reference, Vec<&'a KeptItem>>,
    /// The macro calls that may define items, and the names that they bring.
    calls: Vec<Call<'a>>,
}

/// A macro call among the items.
struct Call<'a> {
    item: &'a KeptItem,
    brings: BTreeSet<String>,
    /// Whether the macro is someone else's: nothing says what it defines.
    is_foreign: bool,
}

/// What a type rests on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Basis {
    /// A hash of all of it: the variable's fingerprint.
    pub(super) hash: u64,
    /// Hashes of what has no name.
    unnamed: Arc<BTreeSet<u64>>,
}

/// What an item's types rest on; for those of closures also what is run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Version {
    Shape(Basis),
    Deep(u64),
}

/// Names of the standard library's prelude that are looked up last of all.
const STANDARD: &[&str] = &[
    "Send",
    "Sync",
    "Sized",
    "Copy",
    "Unpin",
    "Drop",
    "Fn",
    "FnMut",
    "FnOnce",
    "AsyncFn",
    "AsyncFnMut",
    "AsyncFnOnce",
    "drop",
    "Box",
    "ToOwned",
    "Clone",
    "PartialEq",
    "PartialOrd",
    "Eq",
    "Ord",
    "AsRef",
    "AsMut",
    "Into",
    "From",
    "Default",
    "Iterator",
    "Extend",
    "IntoIterator",
    "DoubleEndedIterator",
    "ExactSizeIterator",
    "Option",
    "Some",
    "None",
    "Result",
    "Ok",
    "Err",
    "String",
    "ToString",
    "Vec",
    "TryFrom",
    "TryInto",
    "FromIterator",
    "Future",
    "IntoFuture",
    "Debug",
    "Hash",
    "std",
    "core",
    "alloc",
];

/// A walk over what names mean.
#[derive(Default)]
struct Walk {
    waiting: Vec<Reference>,
    visited: BTreeSet<Reference>,
    /// Texts that the type rests on.
    parts: BTreeSet<String>,
    unnamed: BTreeSet<u64>,
}

impl<'a> Meaning<'a> {
    pub(super) fn new(items: &'a [KeptItem], leaves: &'a [UseLeaf], removed_globs: u64) -> Meaning<'a> {
        let mut bringing: HashMap<&Reference, Vec<&KeptItem>> = HashMap::new();
        for item in items {
            for name in &item.brings {
                bringing.entry(name).or_default().push(item);
            }
        }
        let mut calls = Vec::new();
        for item in items.iter().filter(|item| item.is_call()) {
            calls.push(call(item, items, leaves));
        }
        Meaning { items, leaves, removed_globs, bringing, calls }
    }

    /// What a type of the user's text rests on as the items stand.
    pub(super) fn basis(&self, type_name: &str) -> Basis {
        self.rests(type_name, references::of_type(type_name), None)
    }

    /// Whether all that such a type has rested on still means what it did.
    pub(super) fn holds(&self, type_name: &str, basis: &Basis) -> bool {
        self.still(type_name, references::of_type(type_name), basis)
    }

    /// What the type of a variable rests on, in which names of primitive types
    /// mean these.
    pub(super) fn basis_of_variable(&self, type_name: &str) -> Basis {
        self.rests(type_name, references::of_type(&primitives::explicit(type_name)), None)
    }

    /// Whether all that the type of a variable has rested on still means what
    /// it did.
    pub(super) fn holds_variable(&self, type_name: &str, basis: &Basis) -> bool {
        self.still(type_name, references::of_type(&primitives::explicit(type_name)), basis)
    }

    /// Whether a name of a primitive type means something of the session's.
    pub(super) fn hides_primitive(&self, name: &str) -> bool {
        self.bringing.contains_key(&(Kind::Type, name.to_owned()))
            || self.calls.iter().any(|call| call.brings.contains(name))
            || self.leaves.iter().any(|leaf| match &leaf.name {
                // `use std::f32;` names the module, beside the type.
                Some(own) => own == name && leaf.path.last().is_some_and(|last| last != name),
                None => {
                    leaf.text.contains('*') && self.opened(leaf).is_some_and(|names| names.contains(name))
                }
            })
    }

    /// What the types that an item defines rest on.
    pub(super) fn version(&self, identity: &Identity) -> Version {
        let text = identity.text.as_deref().unwrap_or_default();
        match identity.is_deep {
            true => Version::Deep(self.all_behind(identity)),
            false => Version::Shape(self.rests(text, identity.references.clone(), None)),
        }
    }

    /// Whether the types that an item defines are those that they were.
    pub(super) fn is_version(&self, identity: &Identity, version: &Version) -> bool {
        let text = identity.text.as_deref().unwrap_or_default();
        match version {
            Version::Deep(hash) => identity.is_deep && self.all_behind(identity) == *hash,
            Version::Shape(basis) => {
                !identity.is_deep && self.still(text, identity.references.clone(), basis)
            }
        }
    }

    fn still(&self, text: &str, references: BTreeSet<Reference>, basis: &Basis) -> bool {
        let now = self.rests(text, references, Some(&basis.unnamed));
        now.hash == basis.hash && now.unnamed == basis.unnamed
    }

    /// What a text with some names rests on. With `only`, implementations
    /// that are not among them are left aside.
    fn rests(&self, text: &str, references: BTreeSet<Reference>, only: Option<&BTreeSet<u64>>) -> Basis {
        let mut walk = Walk { waiting: references.into_iter().collect(), ..Walk::default() };
        loop {
            while let Some(reference) = walk.waiting.pop() {
                let is_known = is_elsewhere(&reference.1)
                    || (primitives::is_primitive(&reference.1) && !self.hides_primitive(&reference.1));
                if !is_known && walk.visited.insert(reference.clone()) {
                    self.look_up(&reference, &mut walk);
                }
            }
            let before = walk.unnamed.len();
            if !walk.visited.is_empty() {
                self.find_unnamed(&mut walk, only);
            }
            if walk.unnamed.len() == before && walk.waiting.is_empty() {
                break;
            }
        }
        let unnamed: Vec<String> = walk.unnamed.iter().map(|hash| format!("{hash:x}")).collect();
        let parts = walk.parts.iter().chain(&unnamed).map(String::as_str);
        let parts: Vec<&str> = std::iter::once(text).chain(parts).collect();
        Basis { hash: hash_of(&parts), unnamed: Arc::new(walk.unnamed) }
    }

    /// Follows a name to what brings it.
    fn look_up(&self, reference: &Reference, walk: &mut Walk) {
        let (kind, name) = reference;
        let (mut is_own, mut is_found) = (false, false);
        for item in self.bringing.get(reference).into_iter().flatten() {
            is_own = true;
            if let Some(shape) = &item.shape {
                walk.parts.insert(format!("{} {shape}", item.key));
                walk.waiting.extend(item.references.iter().cloned());
            }
        }
        for call in self.calls.iter().filter(|call| call.brings.contains(name)) {
            is_found = true;
            walk.parts.insert(call.item.tokens.clone());
            walk.waiting.extend(call.item.references.iter().cloned());
        }
        for leaf in self.leaves.iter().filter(|leaf| leaf.name.as_ref() == Some(name)) {
            is_found = true;
            walk.follow(leaf);
        }
        // What is defined or imported by its name hides what is imported with
        // all names of a module; but an import's name may be another kind's.
        if is_own {
            return;
        }
        let (mut own_globs, mut globs) = (Vec::new(), Vec::new());
        for leaf in self.leaves.iter().filter(|leaf| leaf.name.is_none() && leaf.text.contains('*')) {
            match self.opened(leaf) {
                None => globs.push(leaf),
                Some(names) if names.contains(name.as_str()) => own_globs.push(leaf),
                Some(_) => {}
            }
        }
        is_found |= !own_globs.is_empty();
        own_globs.into_iter().for_each(|leaf| walk.follow(leaf));
        if is_found {
            return;
        }
        let is_of_std = |leaf: &&UseLeaf| {
            leaf.path.first().is_some_and(|first| ["std", "core", "alloc"].contains(&&**first))
        };
        let texts: Vec<&str> = if name == "Result" || names::PRELUDE.contains(&&**name) {
            globs.iter().map(|leaf| &*leaf.text).collect()
        } else if *kind == Kind::Macro {
            Vec::new()
        } else if STANDARD.contains(&&**name) {
            // What else of it the library's modules have is the same.
            globs.iter().filter(|leaf| !is_of_std(leaf)).map(|leaf| &*leaf.text).collect()
        } else {
            // Two modules that bring one name bring none.
            Vec::new()
        };
        walk.parts.extend(texts.into_iter().map(str::to_owned));
        if self.removed_globs > 0 && !STANDARD.contains(&&**name) {
            walk.parts.insert(format!("without {}", self.removed_globs));
        }
    }

    /// The names in the modules and enumerations of the session that an import
    /// of all names is about; none if it is about someone else's.
    fn opened(&self, leaf: &UseLeaf) -> Option<HashSet<&str>> {
        let mut starts: Vec<&str> = vec![first(&leaf.path)?];
        let (mut names, mut is_own, mut seen) = (HashSet::new(), false, HashSet::new());
        while let Some(start) = starts.pop() {
            if !seen.insert(start) {
                continue;
            }
            let reference = (Kind::Type, start.to_owned());
            for item in self.bringing.get(&reference).into_iter().flatten() {
                is_own = true;
                match &item.writes {
                    Some((own, false)) => names.extend(own.iter().map(String::as_str)),
                    // It may pass on what another module has.
                    _ => {
                        names.extend(item.names.iter().map(String::as_str));
                        starts.extend(item.names.iter().map(String::as_str));
                    }
                }
            }
            for leaf in self.leaves.iter().filter(|leaf| leaf.name.as_deref() == Some(start)) {
                starts.extend(first(&leaf.path));
            }
            for call in self.calls.iter().filter(|call| call.brings.contains(start)) {
                is_own = true;
                names.extend(call.item.names.iter().map(String::as_str));
            }
        }
        is_own.then_some(names)
    }

    /// Finds implementations, and calls of macros whose text nobody has, that
    /// matter to what has been visited.
    fn find_unnamed(&self, walk: &mut Walk, only: Option<&BTreeSet<u64>>) {
        let names: BTreeSet<String> = walk.visited.iter().map(|(_, name)| name.clone()).collect();
        for item in self.items {
            for part in &item.unnamed {
                let hash = hash_of(&[&part.text]);
                let is_wanted = only.is_none_or(|only| only.contains(&hash));
                if is_wanted && !walk.unnamed.contains(&hash) && self.is_behind(item, part, &names) {
                    walk.unnamed.insert(hash);
                    walk.waiting.extend(part.references.iter().cloned());
                    walk.waiting.extend(item.references.iter().cloned());
                }
            }
        }
    }

    /// Whether something without a name may be behind a type with these names.
    ///
    /// An implementation matters to types that name what it is for, or its
    /// trait if that is the session's: other traits can only be implemented
    /// for the session's types (the orphan rule). A macro of someone else's
    /// may define anything.
    fn is_behind(&self, item: &KeptItem, part: &Unnamed, names: &BTreeSet<String>) -> bool {
        let Some(implements) = &part.implements else {
            return match self.calls.iter().find(|call| std::ptr::eq(call.item, item)) {
                // It may implement something for what it mentions.
                Some(call) if !call.is_foreign => call.item.names.iter().any(|name| names.contains(name)),
                _ => true,
            };
        };
        let is_own_trait = |name: &String| {
            self.bringing.contains_key(&(Kind::Type, name.clone()))
                || self.items.iter().any(|item| {
                    item.implements.is_none()
                        && !item.is_data
                        && matches!(item.identity.home, Home::Renamed | Home::Crate)
                        && item.names.contains(name)
                })
        };
        let of_trait = implements.name_of_trait.iter().filter(|name| is_own_trait(name));
        let mut subjects: HashSet<&String> =
            implements.names_of_type.iter().chain(&implements.names_of_arguments).chain(of_trait).collect();
        // It may be for a type by another name.
        loop {
            let before = subjects.len();
            for item in self.items.iter().filter(|item| item.is_alias) {
                if item.defines.iter().any(|name| subjects.contains(name)) {
                    subjects.extend(&item.names);
                }
            }
            for leaf in self.leaves {
                if leaf.name.as_ref().is_some_and(|name| subjects.contains(name)) {
                    subjects.extend(&leaf.path);
                }
            }
            if subjects.len() == before {
                return subjects.into_iter().any(|name| names.contains(name));
            }
        }
    }

    /// A hash of everything that an item mentions, and of all that this
    /// mentions: what a closure in it holds may follow from any of it.
    fn all_behind(&self, identity: &Identity) -> u64 {
        let mut names: HashSet<&str> = identity.references.iter().map(|(_, name)| &**name).collect();
        let mut parts: BTreeSet<&str> = BTreeSet::new();
        let mut is_in = vec![false; self.items.len()];
        loop {
            let before = (names.len(), parts.len());
            for (item, is_in) in self.items.iter().zip(&mut is_in).filter(|(_, is_in)| !**is_in) {
                let is_mentioned = |name: &String| names.contains(&**name);
                let is_behind = match &item.implements {
                    // Operators and loops call methods that nobody mentions.
                    Some(of) if of.name_of_trait.is_some() => of.names_of_type.iter().any(is_mentioned),
                    Some(_) => item.methods.iter().any(|(name, _)| is_mentioned(name)),
                    None if item.is_call() => item.names.iter().any(is_mentioned),
                    None => item.defines.iter().any(is_mentioned),
                };
                if is_behind {
                    *is_in = true;
                    parts.insert(&item.tokens);
                    names.extend(item.names.iter().map(String::as_str));
                }
            }
            for leaf in self.leaves {
                if leaf.name.as_ref().is_none_or(|name| names.contains(&**name)) {
                    parts.insert(&leaf.text);
                    names.extend(leaf.path.iter().map(String::as_str));
                }
            }
            if (names.len(), parts.len()) == before {
                break;
            }
        }
        let text = identity.text.as_deref().unwrap_or_default();
        hash_of(&std::iter::once(text).chain(parts).collect::<Vec<_>>())
    }
}

impl Walk {
    /// A `use` says what a name means.
    fn follow(&mut self, leaf: &UseLeaf) {
        self.parts.insert(leaf.text.clone());
        if let Some(first) = first(&leaf.path) {
            let kinds = if leaf.path.len() == 1 { &KINDS[..] } else { &[Kind::Type] };
            self.waiting.extend(kinds.iter().map(|kind| (*kind, first.to_owned())));
        }
    }
}

/// The first name of a path that is looked up.
fn first(path: &[String]) -> Option<&str> {
    path.iter().map(String::as_str).find(|name| !matches!(*name, "self" | "crate" | "super"))
}

/// The prelude's macro of structures, unless an import has its name: it brings these and not the types of their fields.
const STRUCTURES: &str = "kernel_struct";

/// The names that stand behind `struct`.
fn structures(tokens: TokenStream) -> BTreeSet<String> {
    let (mut names, mut is_next) = (BTreeSet::new(), false);
    for token in tokens {
        match token {
            TokenTree::Ident(name) if is_next => {
                names.insert(plain(&name));
                is_next = false;
            }
            TokenTree::Ident(name) => is_next = name == "struct",
            TokenTree::Group(group) if group.delimiter() != Delimiter::Parenthesis => {
                names.append(&mut structures(group.stream()));
            }
            _ => {}
        }
    }
    names
}

/// What a macro call among the items may bring, by its macro's text and by
/// those of the macros that this calls.
fn call<'a>(item: &'a KeptItem, items: &'a [KeptItem], leaves: &[UseLeaf]) -> Call<'a> {
    let (mut brings, mut is_foreign, mut from_call) = (BTreeSet::new(), true, false);
    let mut names: HashSet<&str> = item.names.iter().map(String::as_str).collect();
    let mut seen: HashSet<&str> = HashSet::new();
    loop {
        let before = seen.len();
        for known in items {
            let Some(name) = known.key.strip_prefix("M:") else { continue };
            if names.contains(name) && seen.insert(name) {
                is_foreign &= item.called.as_deref() != Some(name);
                if let Some((own, is_open)) = &known.writes {
                    brings.extend(own.iter().cloned());
                    from_call |= is_open;
                }
                names.extend(known.names.iter().map(String::as_str));
            }
        }
        if seen.len() == before {
            break;
        }
    }
    let is_imported = || leaves.iter().any(|leaf| leaf.name.as_deref() == Some(STRUCTURES));
    if is_foreign
        && item.called.as_deref() == Some(STRUCTURES)
        && item.text.trim_start().starts_with(STRUCTURES)
        && !is_imported()
        && let Ok(tokens) = item.text.parse()
    {
        brings.extend(structures(tokens));
    } else if is_foreign || from_call {
        brings.extend(item.names.iter().cloned());
    }
    Call { item, brings, is_foreign }
}

/// A hash of texts, none of which can be taken for a part of another.
pub(super) fn hash_of(parts: &[&str]) -> u64 {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    let hash = hasher.finalize();
    u64::from_le_bytes(hash.as_bytes()[..8].try_into().expect("eight bytes"))
}

/// Names that no item of a session can give a meaning.
fn is_elsewhere(name: &str) -> bool {
    super::read::RESERVED.contains(&name)
        || matches!(name, "dyn" | "mut" | "const" | "fn" | "unsafe" | "extern" | "for" | "static" | "_")
}

#[cfg(test)]
mod tests;
