//! A hash of a variable's type and of every definition behind it.
//!
//! A variable keeps its bytes while its type may be defined anew. A cell may
//! take it only if everything that its type is made of still reads the same:
//! the text of the type, of each item of the session that it names, and of
//! each that those name. Too much in the hash drops a variable without need;
//! too little would reinterpret its memory. So items count with all names in
//! them, macros with their whole text.

use std::collections::BTreeSet;

use proc_macro2::{TokenStream, TokenTree};

use super::items::{KeptItem, UseLeaf};
use super::split::plain;

/// The fingerprint of a type as the items stand.
pub(super) fn fingerprint(type_name: &str, items: &[KeptItem], leaves: &[UseLeaf]) -> u64 {
    let mut names = first_names(type_name);
    // Those that a `use` at the top gives a meaning.
    let mut open_names = names.clone();
    let mut behind: BTreeSet<(&str, &str)> = BTreeSet::new();
    loop {
        let before = behind.len();
        for item in items.iter().filter(|item| item.shapes_types) {
            let is_behind = match &item.implements {
                Some(implements) => implements.names_of_type.iter().any(|name| names.contains(name)),
                None => item.defines.iter().any(|name| names.contains(name)),
            };
            if is_behind && behind.insert((&item.key, &item.tokens)) {
                names.extend(item.names.iter().cloned());
                if !item.is_closed {
                    open_names.extend(item.names.iter().cloned());
                }
            }
        }
        if behind.len() == before {
            break;
        }
    }
    let mut hasher = blake3::Hasher::new();
    let mut add = |text: &str| {
        hasher.update(&(text.len() as u64).to_le_bytes());
        hasher.update(text.as_bytes());
    };
    add(type_name);
    for (key, tokens) in &behind {
        add(key);
        add(tokens);
    }
    if !behind.is_empty() {
        // Names within items may mean what a `use` says.
        for leaf in leaves {
            if leaf.name.as_ref().is_none_or(|name| open_names.contains(name)) {
                add(&leaf.text);
            }
        }
    }
    let hash = hasher.finalize();
    u64::from_le_bytes(hash.as_bytes()[..8].try_into().expect("eight bytes"))
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
}
