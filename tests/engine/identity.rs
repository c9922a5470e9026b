//! The identity of a type follows what it means, no more and no less: a name
//! that is added may change what an existing type means, and redefining one
//! type says nothing about another.

use gpurepl_tests::Conversation;

/// Asks a `Box<dyn Any>` of an earlier cell for a type.
fn is_found(cells: &mut Conversation, of: &str) -> bool {
    cells.ok(&format!("held.downcast_ref::<{of}>().is_some()"));
    cells.results() == ["true"]
}

fn hold(cells: &mut Conversation, value: &str) {
    cells.ok(&format!("let held: Box<dyn std::any::Any> = Box::new({value});"));
}

/// Definitions with a type, a value of it, and a cell that gives a name in the
/// type another meaning. The value is held as `Any` and as a variable.
const CAPTURED: &[(&str, &str, &str, &str)] = &[
    // What the standard library's prelude brings.
    ("struct S { v: String }", "S", "S { v: \"hello\".to_string() }", "struct String(Box<u8>, u64, u64);"),
    ("struct S { v: String }", "S", "S { v: \"hello\".to_string() }", "struct String(u64);"),
    ("struct S(Option<u64>);", "S", "S(Some(5))", "struct Option<T>(T, T);"),
    (
        "struct S(Option<u64>);",
        "S",
        "S(Some(5))",
        "mod m { pub struct Option<T>(pub T, pub T); } use m::Option;",
    ),
    ("struct S(Option<u64>);", "S", "S(Some(5))", "mod m { pub struct Option<T>(pub T, pub T); } use m::*;"),
    ("struct S(Vec<u8>);", "S", "S(vec![])", "use std::collections::VecDeque as Vec;"),
    ("enum E { A(Box<u8>), B }", "E", "E::B", "type Box<T> = T;"),
    ("struct S(Result<u8, u8>);", "S", "S(Ok(1))", "enum Result<T, E> { Fine(T), Bad(E, E) }"),
    ("type T = Vec<u8>; struct S(T);", "S", "S(vec![])", "struct Vec<T>(T);"),
    ("struct S<T>(T, String);", "S<u8>", "S(1u8, String::new())", "struct String;"),
    // What an import of all names brings.
    (
        "mod a { pub struct P(pub u64); } mod b { pub struct P(pub &'static str); } use a::*; struct S(P);",
        "S",
        "S(P(1078530011))",
        "use b::P;",
    ),
    ("mod m { pub type T = &'static i32; } use m::*; struct S(T);", "S", "S(&5)", "type T = Box<i32>;"),
    ("mod m { pub type T = &'static i32; } use m::*; struct S(T);", "S", "S(&5)", "struct T(u64);"),
    (
        "mod m { pub const N: usize = 2; } use m::*; struct S([u8; N]);",
        "S",
        "S([1; 2])",
        "const N: usize = 3;",
    ),
    (
        "mod m { pub use std::rc::Rc as Own; } use m::*; struct S(Own<u8>);",
        "S",
        "S(Own::new(1))",
        "use std::sync::Arc as Own;",
    ),
    (
        "mod m { pub trait Tr {} } use m::*; struct S(&'static dyn Tr); impl Tr for u8 {}",
        "S",
        "S(&1u8)",
        "trait Tr { fn f(&self) -> u8 { 1 } } impl Tr for u8 {}",
    ),
    // What the prelude brings.
    ("struct S(Shape2);type Shape2 = Option<Stream>;", "S", "S(None)", "struct Stream(u8);"),
    // By way of other items.
    (
        "trait Tr { type A; } impl Tr for u8 { type A = String; } struct S(<u8 as Tr>::A);",
        "S",
        "S(\"a\".to_string())",
        "struct String(u64);",
    ),
    (
        "macro_rules! text { () => { String } } struct S(text!());",
        "S",
        "S(\"a\".to_string())",
        "struct String(u64);",
    ),
    (
        "struct Inner(String); mod m { pub struct S(pub super::Inner); }",
        "m::S",
        "m::S(Inner(\"a\".to_string()))",
        "struct String(u64);",
    ),
    (
        "const fn n() -> usize { size_of::<String>() } struct S([u8; n()]);",
        "S",
        "S([1; n()])",
        "struct String(u8);",
    ),
    (
        "macro_rules! make { ($name:ident) => { struct $name(String); } } make!(S);",
        "S",
        "S(\"a\".to_string())",
        "struct String(u64);",
    ),
    (
        "struct S(String);",
        "S",
        "S(\"a\".to_string())",
        "macro_rules! make { ($name:ident) => { struct $name(u64); } } make!(String);",
    ),
    ("struct S { f: fn(String) -> u8 }", "S", "S { f: |s| s.len() as u8 }", "struct String(u8);"),
    (
        "trait Tr { fn f(&self, s: String) -> u8; } struct S(&'static dyn Tr); impl Tr for u8 { fn f(&self, s: String) -> u8 { 1 } }",
        "S",
        "S(&1u8)",
        "struct String(u8);",
    ),
    ("struct S<T = String>(T);", "S", "S::<String>(\"a\".to_string())", "struct String(u8);"),
    ("struct S(fmt::Error); use std::fmt;", "S", "S(fmt::Error)", "use std::io as fmt;"),
];

#[test]
fn a_name_that_is_added_makes_another_type() {
    for (definitions, of, value, addition) in CAPTURED {
        let mut cells = Conversation::start();
        cells.ok("let untouched = 5;");
        cells.ok(definitions);
        hold(&mut cells, value);
        cells.ok(&format!("let own = {value};"));
        assert!(is_found(&mut cells, of), "{definitions}");
        cells.ok(addition);
        assert!(!is_found(&mut cells, of), "{definitions} {addition}");
        cells.fails_with("own", "cannot find value `own`");
        cells.shows("untouched", "5");
    }
}

#[test]
fn a_value_of_a_shadowed_name_is_not_read_as_another_type() {
    let mut cells = Conversation::start();
    cells.ok(
        "struct S { v: String } let b: Box<dyn std::any::Any> = Box::new(S { v: \"hello\".to_string() });",
    );
    cells.ok("struct String(Box<u8>, u64, u64);");
    cells.shows("b.downcast_ref::<S>().map(|s| *s.v.0)", "None");
    let mut cells = Conversation::start();
    cells.ok("use std::any::Any; trait Error { fn code(&self) -> u64; } struct E(u64); impl Error for E { fn code(&self) -> u64 { self.0 } }");
    cells.ok("struct Own(Box<dyn Error>); let b: Box<dyn Any> = Box::new(Own(Box::new(E(7))));");
    cells.shows("b.downcast_ref::<Own>().map(|own| own.0.code())", "Some(7)");
    cells.ok("use std::error::Error;");
    cells.shows("b.downcast_ref::<Own>().map(|own| own.0.to_string())", "None");
}

/// Definitions with a type, a value of it, and a cell that says nothing about
/// it, though names of the two may be spelled alike.
const UNTOUCHED: &[(&str, &str, &str, &str)] = &[
    ("struct Foo(u32); struct Bar(u8);", "Foo", "Foo(1)", "struct Bar(u16);"),
    (
        "struct Foo(u32); mod m { pub struct Foo(pub u8); }",
        "Foo",
        "Foo(1)",
        "mod m { pub struct Foo(pub u16); }",
    ),
    (
        "struct Foo { len: usize }",
        "Foo",
        "Foo { len: 1 }",
        "trait HasLen { fn len(&self) -> usize; } fn len() {} const fn a() {}",
    ),
    ("struct Foo { len: usize }", "Foo", "Foo { len: 1 }", "struct len; mod usizes {} const LEN: usize = 2;"),
    (
        "struct Foo { v: String }",
        "Foo",
        "Foo { v: String::new() }",
        "enum Kind { String, Foo } fn String() {}",
    ),
    (
        "struct Foo { v: String }",
        "Foo",
        "Foo { v: String::new() }",
        "mod m { pub struct String; pub struct Foo; }",
    ),
    ("struct Foo(Vec<u8>);", "Foo", "Foo(vec![])", "use std::collections::*; use std::fmt::*;"),
    ("struct Foo<T>(T);", "Foo<u8>", "Foo(1u8)", "struct T;"),
    ("struct Foo(u32);", "Foo", "Foo(1)", "impl Foo { fn get(&self) -> u32 { self.0 } }"),
    (
        "struct Foo(u32); impl Foo { fn get(&self) -> u32 { self.0 } }",
        "Foo",
        "Foo(1)",
        "impl Foo { fn get(&self) -> u64 { 1 } }",
    ),
    (
        "struct Foo(u32);",
        "Foo",
        "Foo(1)",
        "impl Iterator for Foo { type Item = u8; fn next(&mut self) -> Option<u8> { None } }",
    ),
    ("struct Foo(u32);", "Foo", "Foo(1)", "#[derive(Debug, Clone)] struct Foo(u32);"),
    ("struct Foo(u32);", "Foo", "Foo(1)", "/// Words.\npub struct Foo(u32);"),
    ("struct Foo(u32); fn f() -> Foo { Foo(1) }", "Foo", "f()", "fn f() -> u8 { 2 }"),
    (
        "mod m { pub struct Foo(pub u32); pub fn f() -> u8 { 1 } }",
        "m::Foo",
        "m::Foo(1)",
        "mod m { pub struct Foo(pub u32); pub fn f() -> u8 { 2 } }",
    ),
    (
        "struct Foo(u32); trait Tr { type A; } impl Tr for u8 { type A = u8; }",
        "Foo",
        "Foo(1)",
        "impl Tr for u8 { type A = u16; }",
    ),
    ("struct Foo(u32); macro_rules! m { () => { 1 } }", "Foo", "Foo(1)", "macro_rules! m { () => { 2 } }"),
    (
        "struct Foo(u32); static N: u8 = 1; const M: u8 = 2;",
        "Foo",
        "Foo(1)",
        "static N: u8 = 2; const M: u16 = 3;",
    ),
];

#[test]
fn what_is_about_something_else_leaves_a_type_alone() {
    for (definitions, of, value, addition) in UNTOUCHED {
        let mut cells = Conversation::start();
        cells.ok(definitions);
        hold(&mut cells, value);
        cells.ok(&format!("let own = {value};"));
        assert!(is_found(&mut cells, of), "{definitions}");
        cells.ok(addition);
        assert!(is_found(&mut cells, of), "{definitions} {addition}");
        cells.ok("let kept = &own;");
    }
}

#[test]
fn a_definition_that_comes_back_is_the_type_that_it_was() {
    let mut cells = Conversation::start();
    cells.ok("struct Foo(u32);");
    hold(&mut cells, "Foo(7)");
    cells.ok("struct Foo(f32, u8);");
    assert!(!is_found(&mut cells, "Foo"));
    cells.ok("struct Foo(u32);");
    cells.shows("held.downcast_ref::<Foo>().map(|foo| foo.0)", "Some(7)");
}

#[test]
fn items_that_are_defined_anew_work_as_they_did() {
    let mut cells = Conversation::start();
    cells.ok("mod shapes { pub struct Square { side: u32 } impl Square { pub fn new(side: u32) -> Square { Square { side } } pub(super) fn area(&self) -> u32 { self.side * self.side } } }");
    cells.ok("struct Account { owner: String, balance: i64 } impl Account { fn new() -> Account { Account { owner: String::new(), balance: 0 } } fn secret(&self) -> i64 { self.balance } const FEE: i64 = 1; }");
    cells.ok("enum Kind { Small, Large(u8) } trait Speak { fn word(&self) -> &'static str { \"old\" } } impl Speak for u8 {} fn twice(x: i32) -> i32 { x * 2 }");
    // Everything once more, in another form.
    cells.ok("mod shapes { pub struct Square { side: u64 } impl Square { pub fn new(side: u64) -> Square { Square { side } } pub(super) fn area(&self) -> u64 { self.side * self.side } } pub fn other() -> i32 { super::twice(2) } }");
    cells.ok(
        "#[derive(Debug, Clone, PartialEq)]\n/// Words.\nstruct Account {\n    owner: String,\n    pub balance: f64,\n    pub(crate) open: bool,\n}\nimpl Account {\n    fn new() -> Account { Account { owner: \"a\".to_string(), balance: 1.5, open: true } }\n    fn secret(&self) -> f64 { self.balance + Self::FEE }\n    const FEE: f64 = 2.0;\n}",
    );
    cells.ok("#[derive(Debug)] pub enum Kind { Small, Large(u16) } use Kind::*; pub trait Speak { fn word(&self) -> &'static str { \"new\" } } impl Speak for u8 {}");
    cells.ok("fn twice(x: i64) -> i64 { let by = move |y: i64| y * x; by(2) } struct Pair(i32, i32); struct Pair2<T: Speak>(T);");
    cells.ok("struct Pair(i64, i64); struct Unit; struct Pair2<T: Speak>(T, u8);");
    cells.ok("struct Unit { a: u8 } fn Unit() -> u8 { 9 }");
    cells.ok("mod shapes { pub struct Square { side: u64 } impl Square { pub fn new(side: u64) -> Square { Square { side } } pub(super) fn area(&self) -> u64 { self.side + self.side } } pub fn other() -> i64 { super::twice(2) } pub fn pair() -> crate::Pair { crate::Pair(1, 2) } }");
    cells.shows("(shapes::Square::new(3).area(), shapes::other(), shapes::pair().1)", "(6, 4, 2)");
    cells.shows("Account::new()", "Account { owner: \"a\", balance: 1.5, open: true }");
    cells.shows("(Account::new().secret(), Account::FEE, Account::new().owner)", "(3.5, 2.0, \"a\")");
    cells.shows("(Small, Kind::Large(300), 1u8.word(), twice(4))", "(Small, Large(300), \"new\", 8)");
    cells.shows(
        "let Pair(a, b) = Pair(3, 4); let unit = Unit { a: 1 }; (a, b, Pair2(1u8, 2).1, Unit(), unit.a)",
        "(3, 4, 2, 9, 1)",
    );
    cells.ok("let account = Account::new(); let all = vec![shapes::Square::new(2)]; let shapes = Some(Pair(1, 2));");
    cells.shows("(account.secret(), all[0].area(), shapes.map(|pair| pair.0))", "(3.5, 4, Some(1))");
    cells.shows("Unit { a: 1 }", "<Unit>");
    let variables = cells.session().variables();
    assert!(variables.iter().any(|own| own.name == "account" && own.type_name == "Account"), "{variables:?}");
}

#[test]
fn macros_mean_the_same_in_items_that_are_defined_anew() {
    let mut cells = Conversation::start();
    cells.ok("fn f() { println!(\"one\"); } struct P; impl P { fn f(&self) { println!(\"one\"); } }");
    cells.ok("fn f(_: u8) { println!(\"two\"); dbg!(3); } #[derive(Debug)] struct P(u8); impl P { fn f(&self) { println!(\"{self:?}\"); } }");
    cells.prints("f(1); P(2).f();", "two\nP(2)\n");
    cells.ok("use std::fmt::Debug; use std::vec; macro_rules! println { ($x:expr) => { std::print!(\"own {}\", $x) } }");
    cells.ok(
        "fn f(x: i64) -> Vec<i64> { println!(\"three\"); vec![x] } #[derive(Debug, Clone)] struct P(i64);",
    );
    cells.prints("let v = f(1);", "own three");
    cells.shows("P(3).clone()", "P(3)");
}

#[test]
fn a_mistake_in_an_item_that_is_defined_anew_is_shown_where_it_is() {
    let mut cells = Conversation::start();
    cells.ok("struct P { x: u8, y: u8 } impl P { fn f(&self) -> u8 { self.x } }");
    let source = "struct P { x: u16, y: Nothing }";
    let diagnostic = cells.fails(source);
    let label = diagnostic.labels.iter().find(|label| label.is_primary).unwrap();
    assert_eq!(&source[label.range.clone()], "Nothing");
    let source = "struct P { x: u16,\n  y: u8 } impl P { fn f(&self) -> u16 { self.z } }";
    let diagnostic = cells.fails(source);
    let label = diagnostic.labels.iter().find(|label| label.is_primary).unwrap();
    assert_eq!(&source[label.range.clone()], "z");
}

#[test]
fn types_that_have_no_name_are_told_apart() {
    // A closure's type has the path of its function.
    let get = "use std::any::Any; fn of<T: Any>(_: &T, held: &dyn Any) -> bool { held.is::<T>() }";
    let mut cells = Conversation::start();
    cells.ok(get);
    cells.ok("fn make() -> impl Fn() -> u64 { let x = 7u64; move || x }");
    hold(&mut cells, "make()");
    cells.shows("of(&make(), &*held)", "true");
    cells.ok("fn make() -> impl Fn() -> u64 { let x = Box::new(8u64); move || *x }");
    cells.shows("of(&make(), &*held)", "false");
    // Also if the closure's text stays, and what it holds changes.
    cells.ok(
        "fn part() -> u64 { 7 } fn make() -> impl Fn() -> usize { let x = part(); move || size_of_val(&x) }",
    );
    hold(&mut cells, "make()");
    cells.shows("of(&make(), &*held)", "true");
    cells.ok("fn part() -> Box<u64> { Box::new(7) }");
    cells.shows("of(&make(), &*held)", "false");
    // A type within a function.
    cells.ok("fn local(held: Option<Box<dyn Any>>) -> (Box<dyn Any>, bool) { struct L(u64); let is_it = held.is_some_and(|h| h.is::<L>()); (Box::new(L(1)), is_it) }");
    cells.ok("let old = local(None).0;");
    cells.ok("fn local(held: Option<Box<dyn Any>>) -> (Box<dyn Any>, bool) { struct L(&'static str); let is_it = held.is_some_and(|h| h.is::<L>()); (Box::new(L(\"\")), is_it) }");
    cells.shows("local(Some(old)).1", "false");
    // Implementations have no names: in each cell others are first.
    let mut cells = Conversation::start();
    cells.ok(get);
    cells.ok("struct A; impl A { fn f() -> impl Fn() -> u64 { let x = 7u64; move || x } }");
    cells.ok("struct B; impl B { fn f() -> impl Fn() -> u64 { let x = Box::new(7u64); move || *x } }");
    hold(&mut cells, "A::f()");
    cells.shows("of(&A::f(), &*held)", "true");
    cells.shows("of(&B::f(), &*held)", "false");
    cells.shows("let _ = B; of(&A::f(), &*held)", "true");
    // An iterator is made of the function that it calls.
    cells.ok("fn one(x: u8) -> u64 { x as u64 }");
    hold(&mut cells, "vec![1u8].into_iter().map(one).peekable()");
    cells.shows("of(&vec![1u8].into_iter().map(one).peekable(), &*held)", "true");
    cells.ok("fn one(x: u8) -> &'static str { \"one\" }");
    cells.shows("of(&vec![1u8].into_iter().map(one).peekable(), &*held)", "false");
}
