//! Functions, types, traits, macros and imports between cells.

use gpurepl_tests::Conversation;

#[test]
fn functions_call_each_other_between_cells() {
    let mut cells = Conversation::start();
    cells.ok("pub fn foo() -> i32 { bar() } fn bar() -> i32 { 7 }");
    cells.shows("foo() + 1", "8");
    cells.ok("fn baz() -> i32 { foo() * 2 }");
    cells.shows("baz()", "14");
    cells.ok("fn bar() -> i32 { 10 }");
    cells.shows("baz()", "20");
}

#[test]
fn types_get_methods_later() {
    let mut cells = Conversation::start();
    cells.ok("#[derive(Debug, Clone, PartialEq)] struct P { x: f64, y: f64 }");
    cells.ok("let p = P { x: 3.0, y: 4.0 };");
    cells.ok("impl P { fn norm(&self) -> f64 { (self.x * self.x + self.y * self.y).sqrt() } }");
    cells.shows("p.norm()", "5.0");
    cells.ok("impl P { fn norm(&self) -> f64 { -1.0 } fn flip(&self) -> P { P { x: self.y, y: self.x } } }");
    cells.shows("(p.norm(), p.flip())", "(-1.0, P { x: 4.0, y: 3.0 })");
}

#[test]
fn traits_and_their_objects() {
    let mut cells = Conversation::start();
    cells.ok("trait Area { fn area(&self) -> f64; fn twice(&self) -> f64 { 2.0 * self.area() } }");
    cells.ok("struct Square(f64); impl Area for Square { fn area(&self) -> f64 { self.0 * self.0 } }");
    cells.ok("let shapes: Vec<Box<dyn Area>> = vec![Box::new(Square(2.0))];");
    cells.ok("struct Line; impl Area for Line { fn area(&self) -> f64 { 0.0 } }");
    cells.shows("shapes[0].twice() + Line.area()", "8.0");
}

#[test]
fn extension_traits_work_on_foreign_types() {
    let mut cells = Conversation::start();
    cells.ok("trait Double { fn double(&self) -> Self; } impl Double for i32 { fn double(&self) -> i32 { self * 2 } }");
    cells.shows("21.double()", "42");
    cells.ok("trait Describe { fn describe(&self) -> String; } impl<T: std::fmt::Debug> Describe for T { fn describe(&self) -> String { format!(\"<{self:?}>\") } }");
    cells.shows("vec![1].describe()", "\"<[1]>\"");
}

#[test]
fn generics_and_constants() {
    let mut cells = Conversation::start();
    cells.ok("struct Matrix<const R: usize, const C: usize>([[f32; C]; R]); const N: usize = 3;");
    cells.ok("let m = Matrix::<2, N>([[1.0; N]; 2]);");
    cells.ok("impl<const R: usize, const C: usize> Matrix<R, C> { fn sum(&self) -> f32 { self.0.iter().flatten().sum() } }");
    cells.shows("m.sum()", "6.0");
    cells.ok("fn largest<T: PartialOrd + Copy>(list: &[T]) -> T { let mut m = list[0]; for &x in list { if x > m { m = x } } m }");
    cells.shows("(largest(&[1, 5, 2]), largest(&[0.5, 0.1]))", "(5, 0.5)");
}

#[test]
fn enums_with_glob_imports() {
    let mut cells = Conversation::start();
    cells.ok("#[derive(Debug, Clone, Copy, PartialEq)] enum Color { Red, Green } use Color::*;");
    cells.ok("let c = Red;");
    cells.shows("match c { Red => Green, other => other }", "Green");
}

#[test]
fn macros_are_items() {
    let mut cells = Conversation::start();
    cells.ok("macro_rules! square { ($x:expr) => { $x * $x } }");
    cells.shows("square!(7)", "49");
    cells.ok("macro_rules! point { ($name:ident) => { #[derive(Debug)] struct $name { x: i32 } } }");
    cells.ok("point! { Point }");
    cells.shows("Point { x: 1 }", "Point { x: 1 }");
    cells.ok("let p = Point { x: 2 };");
    cells.shows("p.x", "2");
}

#[test]
fn a_macro_did_not_see_the_variables_of_its_cell() {
    let mut cells = Conversation::start();
    cells.shows("let q = 3; macro_rules! add { ($x:expr) => { $x + q } } add!(4)", "7");
    let note = "the macro `add` is not kept: it mentions a variable";
    assert!(cells.notes().iter().any(|text| text.contains(note)), "{:?}", cells.notes());
    // Of an earlier cell, too, and what it binds itself is not the cell's.
    cells.shows("macro_rules! times { ($x:expr) => {{ let y = $x; y * q }} } times!(2) + times!(3)", "15");
    cells.ok("let y = 100;");
    cells.ok("macro_rules! square { ($x:expr) => {{ let y = $x; y * y }} }");
    cells.shows("square!(4)", "16");
    cells.fails("macro_rules! wrong { () => { nowhere } } wrong!()");
}

#[test]
fn imports_stay() {
    let mut cells = Conversation::start();
    cells.ok("use std::collections::{BTreeMap, HashMap as Map}; use std::fmt::Write as _;");
    cells.ok("use std::collections::BTreeMap;");
    cells.ok("let mut m: Map<i32, i32> = Map::new(); m.insert(1, 2);");
    cells.ok("let mut text = String::new(); write!(text, \"{}\", m[&1])?;");
    cells.shows("(text, BTreeMap::from([(1, 2)]))", "(\"2\", {1: 2})");
}

#[test]
fn a_bad_import_is_not_kept() {
    let mut cells = Conversation::start();
    cells.fails("use this::will::fail;");
    cells.shows("1 + 1", "2");
}

#[test]
fn modules_hold_items() {
    let mut cells = Conversation::start();
    cells.ok("mod geometry { pub mod shapes { #[derive(Debug)] pub struct Dot(pub i32); } pub fn dot() -> shapes::Dot { shapes::Dot(4) } }");
    cells.ok("let d = geometry::dot();");
    cells.shows("d", "Dot(4)");
    cells.ok("use geometry::shapes::Dot;");
    cells.shows("Dot(d.0 + 1)", "Dot(5)");
}

#[test]
fn items_of_a_failed_cell_are_not_kept() {
    let mut cells = Conversation::start();
    cells.fails("fn f() -> i32 { \"no\" }");
    cells.fails_with("f()", "cannot find function `f`");
    // A cell that panics has compiled, so its items are good.
    cells.fails("fn g() -> i32 { 3 } panic!();");
    cells.shows("g()", "3");
}

#[test]
fn an_item_that_a_redefinition_breaks_is_removed_and_named() {
    let mut cells = Conversation::start();
    cells.ok("struct P { x: i32 } impl P { fn x(&self) -> i32 { self.x } } fn y() -> i32 { 2 }");
    cells.ok("struct P { z: i32 }");
    assert!(cells.noted().contains('P'), "{}", cells.noted());
    cells.shows("P { z: 5 }.z + y()", "7");
    cells.fails("P { z: 5 }.x()");
}

#[test]
fn inner_attributes_belong_to_their_cell() {
    let mut cells = Conversation::start();
    cells.ok("#![allow(clippy::all)]\nlet a = 1;");
    cells.shows("a", "1");
    cells.fails_with("#![feature(test)]\n1", "feature");
}

#[test]
fn reserved_names_are_refused() {
    let mut cells = Conversation::start();
    cells.ok("let s = String::from(\"kept\");");
    cells.fails_with("mod std {}", "`std` cannot be defined");
    cells.fails_with("struct core;", "choose another name");
    cells.shows("s", "\"kept\"");
}

#[test]
fn users_names_win_over_the_preludes() {
    let mut cells = Conversation::start();
    cells.ok("fn zeros() -> &'static str { \"mine\" } struct GpuArray;");
    cells.shows("zeros()", "\"mine\"");
    cells.shows("gpurepl_prelude::zeros::<i32>(2).to_vec()", "[0, 0]");
}

#[test]
fn many_items_cost_only_what_is_used() {
    let mut cells = Conversation::start();
    let items: String = (0..150).map(|k| format!("fn f{k}() -> i32 {{ {k} }}\n")).collect();
    cells.ok(&items);
    cells.shows("f7() + f149()", "156");
    assert_eq!(cells.session().items().len(), 150);
}

#[test]
fn the_preludes_names_do_not_get_into_the_way() {
    let mut cells = Conversation::start();
    cells.ok("fn parse(text: &str) -> Result<i32, std::num::ParseIntError> { text.parse() }");
    cells.ok("fn later(text: &str) -> Result<i32, Box<dyn std::error::Error>> { Ok(parse(text)?) }");
    cells.ok("fn ours() -> Result<f32> { Ok(zeros::<f32>(2).try_reshape([2, 1])?.sum().item()) }");
    cells.shows("(parse(\"4\")?, later(\"5\")?, ours()?)", "(4, 5, 0.0)");
    cells.ok("let display = 1; let seed = 2; let empty = display + seed; enum Error { A } let e = Error::A;");
    cells.shows("empty", "3");
}

#[test]
fn items_of_a_macro_call_outlive_its_cell() {
    let mut cells = Conversation::start();
    cells.ok(
        "macro_rules! units { ($($n:ident: $t:ty),*) => { $(#[derive(Debug)] pub struct $n(pub $t);)* } }",
    );
    cells.ok("units!(Metre: f32, Foot: f32);");
    cells.ok("let m = Metre(3.0);");
    cells.shows("m", "Metre(3.0)");
    cells.ok("macro_rules! config { ($t:ty) => { #[derive(Debug)] pub struct Config { pub n: $t } } } config! { u64 } let c = Config { n: 5 };");
    cells.shows("c.n", "5");
    // Another call of the same names takes the place of the first.
    cells.ok("units!(Metre: f64, Foot: f64);");
    cells.fails("m");
    cells.shows("Metre(0.1).0 + 0.2", "0.30000000000000004");
}

#[test]
fn an_item_that_a_macro_was_given_can_be_defined_anew() {
    let mut cells = Conversation::start();
    cells.ok("cfg_select! { unix => { fn foo() -> u8 { 1 } } _ => { fn foo() -> u8 { 2 } } }");
    cells.shows("foo()", "1");
    cells.ok("fn foo(x: u8) -> u8 { x }");
    cells.shows("foo(7)", "7");
}
