//! Conditional compilation, lints that cells deny, macros that define macros,
//! implementations that take the place of others.

use gpurepl_tests::Conversation;

#[test]
fn of_two_functions_the_one_that_is_left_out_does_not_win() {
    let mut cells = Conversation::start();
    cells.ok("#[cfg(unix)] fn f() -> i32 { 1 }\n#[cfg(not(unix))] fn f() -> i32 { 2 }");
    cells.shows("f()", "1");
    cells.shows("#[cfg(unix)] struct S(u8);\n#[cfg(windows)] struct S(u16);\nlet s = S(1); s.0", "1");
    cells.ok("#[cfg(windows)] fn f() -> i32 { 3 }");
    cells.shows("f() + s.0 as i32", "2");
}

#[test]
fn blocks_with_conditions_are_statements_and_values() {
    let mut cells = Conversation::start();
    cells.prints("let x = 1;\n#[cfg(unix)]\n{\n    let y = 2;\n    println!(\"{}\", x + y);\n}", "3\n");
    cells.prints("#[cfg(windows)] { panic!() }\n#[cfg(unix)] { println!(\"unix\"); }", "unix\n");
    cells.shows("#[cfg(unix)] { 1 }\n#[cfg(not(unix))] { \"text\" }", "1");
    cells.shows("#[cfg(not(unix))] let z = 1;\n#[cfg(unix)] let z = \"b\";\nz", "\"b\"");
    cells.shows("#[allow(unused_mut)] { let mut v = 4; v }", "4");
}

#[test]
fn a_cell_may_forbid_unsafe_code_in_itself() {
    let mut cells = Conversation::start();
    cells.ok("fn old() -> i32 { unsafe { 1 } } static N: i32 = 2; let v = vec![1];");
    cells.shows("#![forbid(unsafe_code)]\nlet w = v.len() as i32 + old() + N; w", "4");
    cells.fails_with("#![forbid(unsafe_code)]\nlet u = unsafe { 3 };", "usage of an `unsafe` block");
    cells.ok("#![deny(unsafe_code)]\nlet moved = v;");
    cells.shows("old() + w + moved[0]", "6");
}

#[test]
fn union_is_a_name_like_others() {
    let mut cells = Conversation::start();
    cells.ok("let union = 3; assert_eq!(union, 3);");
    cells.ok("assert!(union == 3);");
    cells.prints("macro_rules! m { () => { let union = 4; println!(\"{union}\"); } }\nm!()", "4\n");
    cells.ok("macro_rules! bits { ($n:ident) => { union $n { a: u32, b: f32 } } }\nbits!(Bits);");
    cells.shows("unsafe { Bits { b: 1.0 }.a }", "1065353216");
}

#[test]
fn macros_that_macros_define_live_on() {
    let mut cells = Conversation::start();
    cells.ok("macro_rules! make { ($name:ident, $v:expr) => { macro_rules! $name { () => { $v } } } }");
    cells.ok("fn f() -> i32 { 1 }");
    cells.ok("make!(seven, 7);");
    cells.shows("seven!()", "7");
    // An older place in the session, a newer text.
    cells.ok("fn f() -> i32 { seven!() }");
    cells.shows("f() + seven!()", "14");
    cells.shows("make! { seven, 8 }\nseven!()", "8");
}

#[test]
fn a_derive_takes_the_place_of_an_older_implementation() {
    let mut cells = Conversation::start();
    cells.ok("use std::fmt; struct D(i32); struct E(i32);\n\
         impl fmt::Debug for D { fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result { write!(f, \"manual {}\", self.0) } }\n\
         impl Clone for D { fn clone(&self) -> D { D(self.0) } }\n\
         impl Clone for E { fn clone(&self) -> E { E(self.0) } }");
    cells.shows("D(1)", "manual 1");
    cells.ok("#[derive(Clone, Debug)] struct D(i32);");
    assert_eq!(cells.notes().len(), 2, "{}", cells.noted());
    assert!(cells.noted().contains("`impl fmt::Debug for D` of cell 1 is replaced"), "{}", cells.noted());
    cells.shows("let d = D(1); d.clone()", "D(1)");
    // That of another type stays.
    cells.shows("E(2).clone().0", "2");
    // By another path it is the same trait.
    cells.ok("impl std::clone::Clone for E { fn clone(&self) -> E { E(self.0 + 1) } }");
    cells.shows("E(2).clone().0", "3");
}
