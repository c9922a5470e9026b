//! Types that are redefined are other types.
//!
//! All cells are compiled as one crate, `ctx`, so a type has the same path, and
//! the same `TypeId`, in each of them. If it means something else than it did,
//! it needs another path: inside of a `Box<dyn Any>` the old one lives on.
//! A later definition therefore stands in a module with its version's number:
//!
//! ```text
//! struct Foo(u32);                                     the first
//! mod __gr_v1_Foo { use super::*;                      the second
//! pub(super) struct Foo(pub(super) f32);
//! } use __gr_v1_Foo::Foo;
//! ```
//!
//! Only what has changed gets another one. A definition that comes back has
//! its old path again. Implementations are numbered by the compiler, in the
//! order in which a cell repeats them, and functions and closures in them have
//! that number in their paths: each is in a module, always.

use std::collections::{BTreeSet, HashMap};

use super::fingerprint::{Meaning, Version, hash_of};
use super::items::KeptItem;
use super::shape::Home;

/// What items have meant, by their keys.
#[derive(Clone, Debug, Default)]
pub(super) struct Versions {
    of: HashMap<String, Vec<Version>>,
    /// The version that an item has now.
    now: HashMap<String, usize>,
    /// What those mean that have no module of their own.
    everywhere: BTreeSet<(String, usize)>,
}

impl Versions {
    /// Gives each item the version that it means; true if types have changed
    /// that only another crate distinguishes.
    pub(super) fn update(&mut self, items: &[KeptItem], meaning: &Meaning<'_>) -> bool {
        self.now.clear();
        let mut everywhere = BTreeSet::new();
        for item in items.iter().filter(|item| item.identity.text.is_some()) {
            let key = key(item);
            let known = self.of.entry(key.clone()).or_default();
            let is_it = |version: &Version| meaning.is_version(&item.identity, version);
            let number = known.iter().position(is_it).unwrap_or_else(|| {
                known.push(meaning.version(&item.identity));
                known.len() - 1
            });
            if item.identity.home == Home::Crate {
                everywhere.insert((key.clone(), number));
            }
            self.now.insert(key, number);
        }
        let is_changed = !self.everywhere.is_subset(&everywhere);
        self.everywhere = everywhere;
        is_changed
    }

    /// The module that an item is to be repeated in, or the name that it gets
    /// if it is one itself.
    pub(super) fn home(&self, item: &KeptItem) -> Option<String> {
        item.identity.text.as_ref()?;
        let (key, name) = (key(item), item.key.split_once(':').map_or("", |(_, name)| name));
        let version = *self.now.get(&key)?;
        match item.identity.home {
            Home::Within if version > 0 => Some(format!("__gr_v{version}_{name}")),
            Home::Renamed if version > 0 => Some(format!("__gr_m{version}_{name}")),
            Home::Block if item.implements.is_some() => {
                Some(format!("__gr_i{version}_{:016x}", hash_of(&[&key])))
            }
            _ => None,
        }
    }
}

/// What is compared with what was there before: implementations of one type
/// are told apart by what they have.
fn key(item: &KeptItem) -> String {
    match (item.identity.home, &item.identity.text) {
        (Home::Block, Some(text)) => format!("{} {text}", item.key),
        _ => item.key.clone(),
    }
}

/// A text without the modules of versions, as the user wrote it.
pub(super) fn as_written(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("__gr_") {
        let (before, own) = rest.split_at(at);
        out.push_str(before);
        let end = own.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(own.len());
        let (word, after) = own.split_at(end);
        let kind = word["__gr_".len()..].chars().next();
        let number_end = word["__gr_".len()..].find('_').map(|at| at + "__gr_".len());
        let is_version = number_end.is_some_and(|end| {
            end > "__gr_v".len() && word["__gr_v".len()..end].bytes().all(|byte| byte.is_ascii_digit())
        });
        match (kind, number_end) {
            (Some('v' | 'i'), Some(_)) if is_version && after.starts_with("::") => rest = &after[2..],
            (Some('m'), Some(number_end)) if is_version => {
                out.push_str(&word[number_end + 1..]);
                rest = after;
            }
            _ => {
                out.push_str(word);
                rest = after;
            }
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::rustc::items::items;

    fn homes(versions: &mut Versions, source: &str) -> (Vec<Option<String>>, bool) {
        let items = items(source);
        let is_raised = versions.update(&items, &Meaning::new(&items, &[], 0));
        (items.iter().map(|item| versions.home(item)).collect(), is_raised)
    }

    #[test]
    fn only_what_means_something_else_has_another_path() {
        let mut versions = Versions::default();
        let own = |name: &str| Some(name.to_owned());
        assert_eq!(
            homes(&mut versions, "struct S { v: String } struct Foo; fn f() {}").0,
            [None, None, None]
        );
        let source = "struct S { v: String } struct Foo; fn f() { } struct String(u64);";
        assert_eq!(homes(&mut versions, source).0, [own("__gr_v1_S"), None, None, None]);
        let source = "struct S { v: String } struct Foo(u8); fn f() -> u8 { 1 } struct String(u64);";
        assert_eq!(
            homes(&mut versions, source).0,
            [own("__gr_v1_S"), own("__gr_v1_Foo"), own("__gr_v1_f"), None]
        );
        assert_eq!(
            homes(&mut versions, "struct S { v: String } struct Foo; fn f() {}").0,
            [None, None, None]
        );
    }

    #[test]
    fn what_a_closure_holds_follows_from_what_its_function_calls() {
        let mut versions = Versions::default();
        let with = |of: &str| {
            format!(
                "fn g() -> {of} {{ Default::default() }} fn f() -> impl Fn() {{ let x = g(); move || drop(x) }}"
            )
        };
        assert_eq!(homes(&mut versions, &with("u32")).0, [None, None]);
        let now = homes(&mut versions, &with("f32")).0;
        assert_eq!(now[1].as_deref(), Some("__gr_v1_f"));
    }

    #[test]
    fn what_a_macro_makes_changes_all() {
        let mut versions = Versions::default();
        let with = |of: &str| format!("macro_rules! m {{ () => {{ pub struct H({of}); }} }} m! {{}}");
        assert!(!homes(&mut versions, &with("u32")).1);
        assert!(!homes(&mut versions, &format!("{} struct P;", with("u32"))).1);
        assert!(homes(&mut versions, &with("f32")).1);
        assert!(homes(&mut versions, "struct P;").1);
    }

    #[test]
    fn paths_are_read_as_the_user_wrote_them() {
        for (text, expected) in [
            ("ctx::__gr_v1_Foo::Foo", "ctx::Foo"),
            ("Vec<ctx::__gr_m12_m::A>", "Vec<ctx::m::A>"),
            ("ctx::__gr_i0_0123456789abcdef::{impl#0}::f", "ctx::{impl#0}::f"),
            ("ctx::__gr_cell_4::S", "ctx::__gr_cell_4::S"),
            ("__gr_v", "__gr_v"),
        ] {
            assert_eq!(as_written(text), expected);
        }
    }
}
