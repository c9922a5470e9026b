use super::*;
use crate::engine::rustc::items::{Parsed, items, read};
use crate::engine::rustc::split::split;

fn fingerprint(type_name: &str, items: &[KeptItem], leaves: &[UseLeaf]) -> u64 {
    Meaning::new(items, leaves, 0).basis(type_name).hash
}

/// Whether a variable of a type lives on when items become others.
fn lives_on(type_name: &str, before: &str, after: &str) -> bool {
    let (before, after) = (items(before), items(after));
    let basis = Meaning::new(&before, &[], 0).basis(type_name);
    assert!(Meaning::new(&before, &[], 0).holds(type_name, &basis));
    Meaning::new(&after, &[], 0).holds(type_name, &basis)
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
        format!("trait T {{ type X; }} impl<U> T for U {{ type X = {of}; }} struct L {{ w: <u8 as T>::X }}")
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
fn a_structure_for_kernels_does_not_bring_the_types_of_its_fields() {
    let hides = |source: &str| {
        let (items, leaves) = session(source);
        Meaning::new(&items, &leaves, 0).hides_primitive("f32")
    };
    let line = |of: &str| {
        format!("kernel_struct! {{ #[derive(Clone, Copy)] pub struct Line {{ slope: {of}, points: u64 }} }}")
    };
    assert!(!hides(&line("f32")));
    assert!(!lives_on("Line", &line("f32"), &line("i32")));
    // What another macro does with the names is not known.
    assert!(hides(&format!("use other::kernel_struct; {}", line("f32"))));
    assert!(hides(&format!("other::{}", line("f32"))));
}

#[test]
fn what_is_added_or_only_runs_changes_no_type() {
    let before = "struct Counter { n: u32 }";
    let counts = "impl Iterator for Counter { type Item = u32; fn next(&mut self) -> Option<u32> { None } }";
    assert!(lives_on("Counter", before, &format!("{before} {counts}")));
    let other = counts.replace("None", "Some(1)");
    assert!(lives_on("Counter", &format!("{before} {counts}"), &format!("{before} {other}")));
    let other = counts.replace("u32", "u64");
    assert!(!lives_on("Counter", &format!("{before} {counts}"), &format!("{before} {other}")));
    // But for an item that takes a name from an import.
    assert!(!lives_on("W", "struct W(Other);", "struct W(Other); struct Other(u8);"));
}

/// Items and imports of a text.
fn session(source: &str) -> (Vec<KeptItem>, Vec<UseLeaf>) {
    let split = split(source).unwrap().with_macros_as_items();
    let (mut items, mut leaves) = (Vec::new(), Vec::new());
    for item in &split.items {
        match read(source, item, 1) {
            Parsed::Items(own) => items.extend(own),
            Parsed::Use(own) => leaves.extend(own),
        }
    }
    (items, leaves)
}

/// Ways in which a type `S` mentions a name `N`.
const MENTIONS: &[&str] = &[
    "struct S(N);",
    "struct S { field: Vec<N> }",
    "enum S { A, B { n: N } }",
    "union S { n: std::mem::ManuallyDrop<N>, m: u8 }",
    "type Alias = Box<N>; struct S(Alias);",
    "struct S(fn(u8) -> N);",
    "struct S<T = N>(T);",
    "struct S<T: Into<N>>(T);",
    "struct S([u8; size_of::<N>()]);",
    "const fn n() -> usize { size_of::<N>() } struct S([u8; n()]);",
    "const LENGTH: usize = align_of::<N>(); struct S([u8; LENGTH]);",
    "trait Tr { type A; } impl Tr for u8 { type A = N; } struct S(<u8 as Tr>::A);",
    "trait Tr { type A; } impl<T> Tr for T { type A = N; } struct S(<u8 as Tr>::A);",
    "trait Tr { fn f(&self) -> N; } struct S(Box<dyn Tr>);",
    "struct S(Box<dyn Fn(N)>);",
    "macro_rules! n { () => { N } } struct S(n!());",
    "macro_rules! make { ($name:ident) => { struct $name(N); } } make! { S }",
    "mod m { pub struct Inner(pub super::N); } struct S(m::Inner);",
    "mod m { use super::*; pub struct Inner(pub N); } use m::Inner; struct S(Inner);",
    "struct Inner(N); use self::Inner as Renamed; struct S(Renamed);",
];

/// Ways to give a name `N` another meaning.
const MEANINGS: &[&str] = &[
    "struct N(u64);",
    "struct N { N: u8 }",
    "enum N { A }",
    "union N { a: u8 }",
    "type N = u8;",
    "trait N {}",
    "mod other { pub struct N; } use other::N;",
    "mod other { pub struct M; } use other::M as N;",
    "use std::path::PathBuf as N;",
    "macro_rules! own { ($n:ident) => { struct $n; } } own! { N }",
    "macro_rules! own { () => { struct N; } } own! {}",
    "bitflags! { struct N: u8 {} }",
];

/// What says nothing about a type `N`.
const OTHERS: &[&str] = &[
    "struct M; fn N() {} static LENGTH2: u8 = 1;",
    "fn f() { struct N; } struct P { N: u8 } enum E { N }",
    "mod other { pub struct N; }",
    "mod other { pub struct M(N2); } use other::*;",
    "trait Other { fn N(&self); type N; }",
    "macro_rules! N { () => { 1 } }",
    "impl Iterator for S { type Item = u8; fn next(&mut self) -> Option<u8> { None } }",
    "use std::collections::*; use std::fmt::Write;",
    "fn g<N>(n: N) {} struct Q<N>(N);",
];

#[test]
fn a_name_with_another_meaning_changes_all_that_mention_it() {
    // A name of the standard library's prelude, and one of another module.
    for (name, source) in [("String", ""), ("N", "mod all { pub struct N; } use all::*; ")] {
        let named = |text: &str| {
            let is_part = |c: char| c.is_alphanumeric() || c == '_';
            text.split_inclusive(|c| !is_part(c))
                .map(|part| {
                    let word = part.trim_end_matches(|c| !is_part(c));
                    if word == "N" { part.replacen('N', name, 1) } else { part.to_owned() }
                })
                .collect::<String>()
        };
        for mention in MENTIONS {
            let before = format!("{source}{}", named(mention));
            let (items, leaves) = session(&before);
            let meaning = Meaning::new(&items, &leaves, 0);
            for (of, value) in [("S", &before), ("std::vec::Vec<S>", &before)] {
                let basis = meaning.basis(of);
                assert!(meaning.holds(of, &basis), "{value}");
                let lives_on = |after: &str| {
                    let (items, leaves) = session(&format!("{before} {}", named(after)));
                    Meaning::new(&items, &leaves, 0).holds(of, &basis)
                };
                for after in MEANINGS {
                    assert!(!lives_on(after), "{of}: {before} {after}");
                }
                // A module that is the session's may mention anything.
                for after in OTHERS.iter().filter(|_| !mention.contains("use super::*")) {
                    assert!(lives_on(after), "{of}: {before} {after}");
                }
            }
        }
    }
}
