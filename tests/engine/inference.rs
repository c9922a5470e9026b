//! What Rust infers without the prelude it infers beside it, and names that a
//! user imports are the user's.
//!
//! Everything that is linked into the prelude is seen by rustc in a cell: a
//! crate that compares std's types with its own makes the right side of a `==`
//! ambiguous.

use std::fmt::Write as _;

use gpurepl_tests::Conversation;

/// An operation of a type `T`, and types for which rustc alone infers `x`,
/// because std has one implementation.
const INFERRED: &[(&str, &[&str])] = &[
    (
        "(a: T) { let _ = |x| { let _ = a == x; }; }",
        &[
            "bool",
            "char",
            "i8",
            "i16",
            "i32",
            "i64",
            "i128",
            "isize",
            "u8",
            "u16",
            "u32",
            "u64",
            "u128",
            "usize",
            "f32",
            "f64",
            "Option<i32>",
            "Result<i32, ()>",
            "Box<i32>",
            "std::rc::Rc<i32>",
            "std::sync::Arc<str>",
            "std::time::Duration",
            "std::time::Instant",
            "std::time::SystemTime",
            "std::collections::HashMap<i32, i32>",
            "std::collections::BTreeMap<i32, i32>",
            "std::collections::HashSet<i32>",
            "std::cell::Cell<i32>",
            "std::cell::RefCell<i32>",
            "std::num::NonZeroU32",
            "std::num::Wrapping<i32>",
            "std::ops::Range<i32>",
            "(i32, i32)",
            "std::cmp::Ordering",
        ],
    ),
    (
        "(a: T) { let _ = |x| { let _ = a < x; }; }",
        &[
            "bool",
            "char",
            "i8",
            "i16",
            "i32",
            "i64",
            "i128",
            "isize",
            "u8",
            "u16",
            "u32",
            "u64",
            "u128",
            "usize",
            "f32",
            "f64",
            "&'static str",
            "String",
            "&'static [i32]",
            "[i32; 2]",
            "Option<i32>",
            "Result<i32, ()>",
            "Box<i32>",
            "std::rc::Rc<i32>",
            "std::sync::Arc<str>",
            "std::time::Duration",
            "std::time::Instant",
            "std::time::SystemTime",
            "std::collections::BTreeMap<i32, i32>",
            "std::collections::VecDeque<i32>",
            "std::cell::Cell<i32>",
            "std::cell::RefCell<i32>",
            "std::num::NonZeroU32",
            "std::num::Wrapping<i32>",
            "(i32, i32)",
            "std::cmp::Ordering",
        ],
    ),
    (
        "() { let _ = |x| <T>::from(x); }",
        &[
            "bool",
            "&'static str",
            "&'static [i32]",
            "Result<i32, ()>",
            "std::time::Duration",
            "std::time::Instant",
            "std::time::SystemTime",
            "std::num::Wrapping<i32>",
            "std::cmp::Ordering",
        ],
    ),
    (
        "(a: T) { use std::borrow::Borrow; let _ = Borrow::borrow(&a); }",
        &[
            "bool",
            "char",
            "i32",
            "u8",
            "u64",
            "usize",
            "f32",
            "f64",
            "Option<i32>",
            "Result<i32, ()>",
            "std::time::Duration",
            "std::collections::HashMap<i32, i32>",
            "std::ops::Range<i32>",
            "(i32, i32)",
        ],
    ),
    (
        "(a: T) { let _ = a.as_ref(); }",
        &[
            "&'static [i32]",
            "[i32; 2]",
            "Option<i32>",
            "Result<i32, ()>",
            "Box<i32>",
            "std::rc::Rc<i32>",
            "std::sync::Arc<str>",
            "std::borrow::Cow<'static, str>",
            "Box<dyn std::error::Error>",
        ],
    ),
    (
        "() { let _ = |x: std::vec::IntoIter<_>| x.collect::<T>(); }",
        &[
            "Vec<i32>",
            "Vec<u8>",
            "std::collections::HashMap<i32, i32>",
            "std::collections::HashSet<i32>",
            "std::collections::BTreeMap<i32, i32>",
            "std::collections::VecDeque<i32>",
        ],
    ),
    (
        "(a: T) { let _ = |x| { let _ = &a[x]; }; }",
        &["std::ffi::OsString", "std::collections::HashMap<i32, i32>", "std::collections::VecDeque<i32>"],
    ),
    (
        "(mut a: T) { let _ = |x| { a += x; }; }",
        &["String", "std::time::Duration", "std::time::Instant", "std::time::SystemTime"],
    ),
    (
        "(a: T) { let _ = |x| a + x; }",
        &["String", "std::time::Duration", "std::time::Instant", "std::time::SystemTime"],
    ),
    ("(a: T) { let _ = |x| a - x; }", &["std::time::Duration", "std::time::SystemTime"]),
    ("(a: T) { let _ = |x| a * x; }", &["std::time::Duration"]),
    ("(a: T) { let _ = |x| a / x; }", &["std::time::Duration"]),
];

#[test]
fn std_is_inferred_beside_the_prelude() {
    let mut cells = Conversation::start();
    let mut text = String::new();
    for (k, (operation, types)) in INFERRED.iter().enumerate() {
        for (n, of) in types.iter().enumerate() {
            writeln!(
                text,
                "fn f{k}_{n}{}",
                operation
                    .replace("(a: T)", &format!("(a: {of})"))
                    .replace("(mut a: T)", &format!("(mut a: {of})"))
                    .replace("<T>", &format!("<{of}>"))
            )
            .unwrap();
        }
    }
    cells.ok(&text);
    cells.ok("let v: Vec<i32> = vec![]; assert_eq!(v, []);");
    cells.ok("let mut it = [1, 2].iter().copied(); assert_eq!(it.next(), Some(\"1\".parse().unwrap()));");
    cells.ok("assert!(3 == \"3\".parse().unwrap()); assert_eq!(true, \"true\".parse().unwrap());");
    cells.ok("let s = String::from(\"a\") + &String::from(\"b\"); assert_eq!(s, \"ab\");");
    cells.ok(
        "let words: std::collections::HashMap<&str, i32> = [(\"a\", 1)].into(); assert_eq!(words[\"a\"], 1);",
    );
}

#[test]
fn names_that_a_user_imports_are_the_users() {
    let mut cells = Conversation::start();
    cells.ok("use std::io::*;\nfn f() -> Result<()> { Ok(()) }");
    cells.shows("f().is_ok()", "true");
    cells.ok("fn g() -> Result<()> { Err(Error::other(\"x\")) }");
    cells.shows("g().unwrap_err().kind()", "Other");
    let mut cells = Conversation::start();
    cells.ok("use std::fmt::*;");
    cells.ok("struct Two; impl Display for Two { fn fmt(&self, f: &mut Formatter) -> Result { f.write_str(\"two\") } }");
    cells.shows("Two.to_string()", "\"two\"");
    let mut cells = Conversation::start();
    cells.ok(
        "mod shapes { #[derive(Debug)] pub struct Figure(pub i32); pub fn plot(x: i32) -> i32 { x + 1 } }",
    );
    cells.ok("use shapes::*;");
    cells.shows("(plot(1), Figure(2))", "(2, Figure(2))");
}

#[test]
fn strings_are_compared_with_what_is_inferred() {
    let mut cells = Conversation::start();
    cells.ok("let s: &str = \"b\"; let words = [\"a\", \"c\"];");
    cells.shows("words.iter().filter(|word| s < **word).count()", "1");
    cells.shows("s < \"c\".into()", "true");
    cells.shows("*s < *\"c\".to_owned().as_ref()", "true");
}

#[test]
fn two_imports_of_all_names_and_the_prelude_hid_the_second() {
    let mut cells = Conversation::start();
    cells.ok("mod a { pub fn plot(x: i32) -> i32 { x + 1 } pub fn zeros() -> i32 { 0 } } mod b { pub fn plot(x: i32) -> i32 { x + 2 } }");
    cells.ok("use a::*;");
    cells.shows("plot(1)", "2");
    cells.ok("use b::*;");
    let diagnostic = cells.fails("plot(1)");
    assert_eq!(diagnostic.code.as_deref(), Some("E0659"), "{diagnostic:?}");
    assert!(diagnostic.message.contains("`plot` is ambiguous"), "{diagnostic:?}");
    assert!(!diagnostic.labels.is_empty(), "{diagnostic:?}");
    // What one of them has alone is meant as before, and a name says which.
    cells.shows("zeros()", "0");
    cells.ok("use b::plot;");
    cells.shows("plot(1)", "3");
    // One thing by two ways is one thing.
    let mut cells = Conversation::start();
    cells.ok("mod a { pub fn plot() -> i32 { 1 } } mod c { pub use super::a::plot; } use a::*; use c::*;");
    cells.shows("plot()", "1");
}

#[test]
fn names_of_element_types_are_free() {
    let mut cells = Conversation::start();
    cells.ok("let u16 = 3; let f32 = u16 + 1;");
    cells.shows("(u16, f32)", "(3, 4)");
    cells.shows("match 5 { f64 => f64 + 1 }", "6");
    cells.shows("(1 < 2, zeros::<i64>(2).shape().len())", "(true, 1)");
}

#[test]
fn the_first_cells_of_a_notebook_need_no_types() {
    let mut cells = Conversation::start();
    cells.ok("let x = linspace(0.0, 6.28, 100); let y = (&x * 2.0).sin(); plot((&x, &y))");
    cells.shows("y.len()", "100");
    cells.shows("x.get().dot(&x.get()).ndim()", "0");
    cells.ok("fn size_of_it<T: Elem>(a: GpuArray<T>) -> usize { a.size() }");
    cells.shows("size_of_it(gpu![1, 2, 3] + 1)", "3");
    cells.ok("fn twice<T: array::Promote<T>>(a: GpuArray<T>) -> GpuArray<T::Out> { &a + &a }");
    cells.shows("twice(gpu![1, 2, 3] + 1).to_vec()", "[4, 6, 8]");
    cells.shows("{ let u = gpu![1.0, 2.0]; let v = gpu![3.0, 4.0]; u.get().dot(&v.get()).sum() }", "11.0");
    cells.shows("{ let r = gpu![-1.0, 2.0]; (maximum(&r, 0.0) * 2.0).sum().item() }", "4.0");
}

#[test]
fn a_number_beside_the_sum_of_open_literals_was_of_another_type() {
    let mut cells = Conversation::start();
    cells.shows("let a = gpu![1, 2]; a.sum().item() + 1", "4");
    cells.shows("let b = gpu![1, 2]; 2.0 * b.mean().item() + 0.5", "3.5");
    cells.fails_with("let c = gpu![1, 2]; c.sum().item() + 1_i32", "cannot add `i32` to `i64`");
}

#[test]
fn a_variable_of_a_type_that_is_known_later_was_taken_for_an_array() {
    let mut cells = Conversation::start();
    for (cell, value) in [
        ("let c = \"c\".into(); let t: String = c; t.len()", "1"),
        ("let q = \"7\".parse().unwrap(); let arr = [1u64, q]; arr", "[1, 7]"),
        ("let s = \"3\".parse().unwrap(); match s { 3u8 => \"three\", _ => \"other\" }", "\"three\""),
        ("let v = (0..3).map(|x| x * 2).collect(); let w: Vec<i32> = v; w", "[0, 2, 4]"),
        ("let d = Default::default(); if d { 1 } else { 2 }", "2"),
        ("let g = Vec::new(); let n = g.iter().map(|x: &u8| *x).count(); n", "0"),
        ("let b = Box::new(Default::default()); let c: Box<i32> = b; c", "0"),
        ("let mut best = None; for k in [3u8, 5] { best = best.max(Some(k)); } best", "Some(5)"),
    ] {
        cells.shows(cell, value);
    }
}

#[test]
fn a_negated_product_was_an_overflow_of_the_compiler() {
    let mut cells = Conversation::start();
    cells.shows("let w = linspace(0.0, 1.0, 3); let h = &w * 2.0; (-&h).to_vec()", "[-0.0, -1.0, -2.0]");
    cells.shows("let v = array::logspace(0.0, 2.0, 3); (-&v).sum().item()", "-111.0");
}
