//! What a variable's type rests on: every definition behind it.
//!
//! A variable keeps its bytes while its type may be defined anew. A cell may
//! take it only if everything that its type is made of still reads the same:
//! the text of the type, of each item of the session that it names, and of
//! each that those name. Too much of it drops a variable without need; too
//! little would reinterpret its memory. So items count with all names in
//! them, macros with their whole text.
//!
//! Nothing names an implementation that gives a type its associated types, or
//! a macro call that defines items. Those that were there when a variable was
//! made must still be there as they were. What is added later changes no type
//! that there is (Rust's coherence sees to that), but for an item whose name
//! until then came from elsewhere; that one has a name, and counts by it.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use proc_macro2::{TokenStream, TokenTree};

use super::items::{KeptItem, Unnamed, UseLeaf};
use super::split::plain;

/// The items and imports of a session, as far as types may rest on them.
#[derive(Clone, Copy)]
pub(super) struct Meaning<'a> {
    pub(super) items: &'a [KeptItem],
    pub(super) leaves: &'a [UseLeaf],
}

/// What a type rests on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Basis {
    /// A hash of all of it: the variable's fingerprint.
    pub(super) hash: u64,
    /// All names behind the type, and those of them that a `use` at the top
    /// gives a meaning.
    names: Arc<BTreeSet<String>>,
    open_names: Arc<BTreeSet<String>>,
    /// Hashes of what has no name.
    unnamed: Arc<BTreeSet<u64>>,
}

impl Meaning<'_> {
    /// What a type rests on as the items stand.
    pub(super) fn basis(self, type_name: &str) -> Basis {
        let mut names = first_names(type_name);
        let mut open_names = names.clone();
        let mut unnamed = BTreeSet::new();
        if names.iter().any(|name| !is_elsewhere(name)) {
            loop {
                let before = (names.len(), unnamed.len());
                for item in self.items.iter().filter(|item| item.shapes_types) {
                    let mut is_behind = item.defines.iter().any(|name| names.contains(name));
                    for part in item.unnamed.iter().filter(|part| self.is_behind(part, &names)) {
                        is_behind = true;
                        unnamed.insert(hash_of(&[&part.text]));
                    }
                    if is_behind {
                        names.extend(item.names.iter().cloned());
                        if !item.is_closed {
                            open_names.extend(item.names.iter().cloned());
                        }
                    }
                }
                for leaf in self.leaves {
                    if leaf.name.as_ref().is_some_and(|name| open_names.contains(name)) {
                        names.extend(leaf.path.iter().cloned());
                    }
                }
                if before == (names.len(), unnamed.len()) {
                    break;
                }
            }
        }
        let mut basis = Basis {
            hash: 0,
            names: Arc::new(names),
            open_names: Arc::new(open_names),
            unnamed: Arc::new(unnamed),
        };
        basis.hash = self.hash(type_name, &basis);
        basis
    }

    /// Whether all that a type has rested on still reads as it did.
    pub(super) fn holds(self, type_name: &str, basis: &Basis) -> bool {
        let is_there = |wanted: &u64| {
            self.items.iter().flat_map(|item| &item.unnamed).any(|part| hash_of(&[&part.text]) == *wanted)
        };
        self.hash(type_name, basis) == basis.hash && basis.unnamed.iter().all(is_there)
    }

    /// The hash of what names stand for, and of what had no name when the
    /// basis was made.
    fn hash(self, type_name: &str, basis: &Basis) -> u64 {
        let is_named = |item: &&KeptItem| {
            item.shapes_types && item.defines.iter().any(|name| basis.names.contains(name))
        };
        let behind: BTreeSet<(&str, &str)> =
            self.items.iter().filter(is_named).map(|item| (&*item.key, &*item.tokens)).collect();
        let mut parts = vec![type_name];
        parts.extend(behind.iter().flat_map(|(key, tokens)| [*key, *tokens]));
        if !behind.is_empty() || !basis.unnamed.is_empty() {
            // Names within items may mean what a `use` says.
            parts.extend(
                self.leaves
                    .iter()
                    .filter(|leaf| leaf.name.as_ref().is_none_or(|name| basis.open_names.contains(name)))
                    .map(|leaf| leaf.text.as_str()),
            );
        }
        let unnamed: Vec<String> = basis.unnamed.iter().map(|hash| format!("{hash:x}")).collect();
        parts.extend(unnamed.iter().map(String::as_str));
        hash_of(&parts)
    }

    /// Whether something without a name may be behind a type with these names.
    ///
    /// An implementation matters to types that name what it is for, or its
    /// trait if that is the session's: other traits can only be implemented
    /// for the session's types (the orphan rule). A macro call may define
    /// anything.
    fn is_behind(self, part: &Unnamed, names: &BTreeSet<String>) -> bool {
        let Some(implements) = &part.implements else { return true };
        let is_own_trait = |name: &String| {
            self.items.iter().any(|item| {
                item.key.strip_prefix("T:") == Some(name)
                    || (item.implements.is_none() && !item.is_data && item.names.contains(name))
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
}

/// A hash of texts, none of which can be taken for a part of another.
fn hash_of(parts: &[&str]) -> u64 {
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
    super::RESERVED.contains(&name)
        || matches!(name, "dyn" | "mut" | "const" | "fn" | "unsafe" | "extern" | "for")
}

/// The names that paths in a type's text start with: of `std::vec::Vec<m::A>`
/// `std` and `m`. The text comes from the compiler, which writes full paths.
fn first_names(type_name: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    match type_name.parse::<TokenStream>() {
        Ok(tokens) => collect_first_names(tokens, &mut names),
        // A text that is no tokens names anything.
        Err(_) => names.extend(
            type_name
                .split(|c: char| !c.is_alphanumeric() && c != '_')
                .filter(|n| !n.is_empty())
                .map(str::to_owned),
        ),
    }
    names
}

fn collect_first_names(tokens: TokenStream, names: &mut BTreeSet<String>) {
    let mut after_colons = 0;
    for token in tokens {
        match token {
            TokenTree::Ident(name) => {
                if after_colons < 2 {
                    names.insert(plain(&name));
                }
                after_colons = 0;
            }
            TokenTree::Punct(mark) if mark.as_char() == ':' => after_colons += 1,
            TokenTree::Group(group) => {
                collect_first_names(group.stream(), names);
                after_colons = 0;
            }
            _ => after_colons = 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::rustc::items::{Parsed, items, read};
    use crate::engine::rustc::split::split;

    fn fingerprint(type_name: &str, items: &[KeptItem], leaves: &[UseLeaf]) -> u64 {
        Meaning { items, leaves }.basis(type_name).hash
    }

    /// Whether a variable of a type lives on when items become others.
    fn lives_on(type_name: &str, before: &str, after: &str) -> bool {
        let (before, after) = (items(before), items(after));
        let basis = Meaning { items: &before, leaves: &[] }.basis(type_name);
        assert!(Meaning { items: &before, leaves: &[] }.holds(type_name, &basis));
        Meaning { items: &after, leaves: &[] }.holds(type_name, &basis)
    }

    #[test]
    fn paths_count_by_their_start() {
        let names: Vec<String> = first_names("std::vec::Vec<(m::Foo, [Bar; 3])>").into_iter().collect();
        assert_eq!(names, ["Bar", "m", "std"]);
    }

    #[test]
    fn only_what_is_behind_a_type_changes_it() {
        let before = items("struct A(B); struct B(u8); struct C; fn f() -> A { todo() }");
        let of = |items: &[KeptItem], name: &str| fingerprint(name, items, &[]);
        for (after, changed) in [
            ("struct A(B); struct B(u8); struct C;", &[][..]),
            ("struct   A( B ); struct B(u8); struct C;", &[]),
            ("struct A(B); struct B(i8); struct C;", &["A", "std::vec::Vec<A>", "B"]),
            ("struct A(B); struct B(u8); struct C(u8);", &["C"]),
            ("struct A(B, u8); struct B(u8); struct C;", &["A", "std::vec::Vec<A>"]),
        ] {
            let after = items(after);
            for name in ["A", "std::vec::Vec<A>", "B", "C", "i32"] {
                assert_eq!(of(&before, name) != of(&after, name), changed.contains(&name), "{name}");
            }
        }
    }

    #[test]
    fn an_associated_type_is_behind() {
        let with = |of: &str| {
            items(&format!(
                "trait T {{ type X; }} struct S; impl T for S {{ type X = {of}; }} struct W(<S as T>::X);"
            ))
        };
        assert_ne!(fingerprint("W", &with("u32"), &[]), fingerprint("W", &with("f32"), &[]));
    }

    #[test]
    fn a_use_at_the_top_means_nothing_within_a_module() {
        let leaves = |source: &str| match read(source, &split(source).unwrap().items[0], 2) {
            Parsed::Use(leaves) => leaves,
            Parsed::Items(_) => panic!("{source}"),
        };
        let closed = items("mod m { pub struct A(u8); }");
        let open = items("mod m { pub struct A(super::B); }");
        let leaf = leaves("use m::A;");
        assert_eq!(fingerprint("m::A", &closed, &[]), fingerprint("m::A", &closed, &leaf));
        let leaf = leaves("use std::vec::Vec as B;");
        assert_ne!(fingerprint("m::A", &open, &[]), fingerprint("m::A", &open, &leaf));
    }

    #[test]
    fn a_macro_is_behind_what_it_makes() {
        let with = |of: &str| items(&format!("macro_rules! m {{ () => {{ {of} }} }} struct S([u8; m!()]);"));
        assert_ne!(fingerprint("S", &with("3"), &[]), fingerprint("S", &with("4"), &[]));
    }

    #[test]
    fn a_blanket_implementation_is_behind_what_its_trait_is_behind() {
        let with = |of: &str| {
            format!(
                "trait T {{ type X; }} impl<U> T for U {{ type X = {of}; }} struct L {{ w: <u8 as T>::X }}"
            )
        };
        assert!(lives_on("L", &with("usize"), &with("usize")));
        assert!(!lives_on("L", &with("usize"), &with("&'static u8")));
        let with = |of: &str| {
            format!(
                "trait T {{ type X; }} impl<'a, U> T for &'a U {{ type X = {of}; }} struct G(<&'static u8 as T>::X);"
            )
        };
        assert!(!lives_on("G", &with("u32"), &with("f32")));
        // A type's argument is written with another path than the user's.
        let with = |of: &str| {
            format!("trait T {{ type X; }} impl T for String {{ type X = {of}; }} struct G<U: T>(U::X);")
        };
        assert!(!lives_on("G<std::string::String>", &with("u32"), &with("f32")));
    }

    #[test]
    fn an_implementation_in_a_module_is_behind() {
        let with = |of: &str| {
            format!(
                "trait T {{ type A; }} mod imp {{ impl super::T for u8 {{ type A = {of}; }} }} struct G(<u8 as T>::A);"
            )
        };
        assert!(lives_on("G", &with("u32"), &with("u32")));
        assert!(!lives_on("G", &with("u32"), &with("f32")));
    }

    #[test]
    fn an_implementation_by_another_name_is_behind() {
        let with = |n: u8| {
            format!("struct S; type Other = S; impl Other {{ const N: usize = {n}; }} struct G([u8; S::N]);")
        };
        assert!(!lives_on("G", &with(3), &with(4)));
    }

    #[test]
    fn a_macro_that_makes_a_type_is_behind_it() {
        let with = |of: &str| {
            format!(
                "macro_rules! mk {{ () => {{ pub struct Hidden(pub {of}); }} }} mk! {{}} struct G(Hidden); struct P(u8);"
            )
        };
        assert!(lives_on("Hidden", &with("u32"), &with("u32")));
        for of in ["Hidden", "G", "std::vec::Vec<Hidden>"] {
            assert!(!lives_on(of, &with("u32"), &with("f32")), "{of}");
        }
        assert!(lives_on("std::vec::Vec<u32>", &with("u32"), &with("f32")));
    }

    #[test]
    fn what_is_added_or_only_runs_changes_no_type() {
        let before = "struct Counter { n: u32 }";
        let counts =
            "impl Iterator for Counter { type Item = u32; fn next(&mut self) -> Option<u32> { None } }";
        assert!(lives_on("Counter", before, &format!("{before} {counts}")));
        let other = counts.replace("None", "Some(1)");
        assert!(lives_on("Counter", &format!("{before} {counts}"), &format!("{before} {other}")));
        let other = counts.replace("u32", "u64");
        assert!(!lives_on("Counter", &format!("{before} {counts}"), &format!("{before} {other}")));
        // But for an item that takes a name from an import.
        assert!(!lives_on("W", "struct W(Other);", "struct W(Other); struct Other(u8);"));
    }
}
