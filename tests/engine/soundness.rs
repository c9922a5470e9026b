//! Safe code of cells never reads memory that is not there, and a value is
//! what its last definition says. Each of these once gave a wrong answer.

use gpurepl_tests::Conversation;

#[test]
fn a_variable_cannot_keep_references_to_another() {
    let mut cells = Conversation::start();
    cells.ok("let mut log: Vec<Box<dyn Fn() -> i32>> = vec![]; let n = 5;");
    cells.fails("log.push(Box::new(|| n));");
    let rendered = cells.rendered();
    assert!(rendered.contains("`move`"), "{rendered}");
    cells.ok("log.push(Box::new(move || n));");
    cells.shows("log[0]()", "5");
    cells.ok(
        "let acc: std::cell::RefCell<Vec<&str>> = Default::default(); let name = String::from(\"text\");",
    );
    cells.fails("acc.borrow_mut().push(&name);");
    let rendered = cells.rendered();
    assert!(rendered.contains("variables outlive their cells"), "{rendered}");
    cells.ok("acc.borrow_mut().push(\"literal\");");
    cells.shows("acc.borrow().len()", "1");
}

#[test]
fn a_function_of_static_texts_stays_one() {
    let mut cells = Conversation::start();
    cells.ok("fn keep(s: &'static str) -> usize { s.len() } let f: fn(&'static str) -> usize = keep;");
    cells.fails("{ let s = String::from(\"dangling\"); f(&s) }");
    cells.shows("f(\"fine\")", "4");
    cells.ok("let g: fn(&str) -> usize = str::len;");
    cells.shows("{ let s = String::from(\"short\"); g(&s) }", "5");
    cells.ok("let nested: Box<dyn Fn(&(dyn Fn(&str) -> usize)) -> usize> = Box::new(|h| h(\"abc\"));");
    cells.shows("nested(&|s| s.len())", "3");
}

#[test]
fn a_changed_constant_function_changes_types() {
    let mut cells = Conversation::start();
    cells.ok("const fn n() -> usize { 3 } struct S([u8; n()]);");
    cells.ok("let b = Box::new(S([1; n()]));");
    cells.shows("b.0.len()", "3");
    cells.ok("const fn n() -> usize { 40 }");
    cells.fails_with("b.0", "b");
}

#[test]
fn a_static_of_a_type_defined_anew_is_a_new_one() {
    let mut cells = Conversation::start();
    cells.ok("#[derive(Debug)] struct P(u32); static S: P = P(7);");
    cells.shows("S.0", "7");
    cells.ok("#[derive(Debug)] struct P(f32, u64);");
    cells.fails("S.1");
    cells.ok("static S: P = P(0.5, 9);");
    cells.shows("(S.0, S.1)", "(0.5, 9)");
}

#[test]
fn statics_of_other_methods_keep_their_values() {
    let mut cells = Conversation::start();
    cells.ok("use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::SeqCst}; struct A;");
    cells.ok("impl A { fn a() -> u32 { static N: AtomicU32 = AtomicU32::new(1); N.fetch_add(1, SeqCst) } fn b() -> u64 { static M: AtomicU64 = AtomicU64::new(1000); M.fetch_add(1, SeqCst) } }");
    cells.shows("(A::a(), A::a(), A::b())", "(1, 2, 1000)");
    cells.ok("impl A { fn a() -> u32 { 42 } }");
    cells.shows("(A::a(), A::b())", "(42, 1001)");
}

#[test]
fn a_text_that_comes_back_is_a_new_static() {
    let mut cells = Conversation::start();
    cells
        .ok("use std::sync::atomic::{AtomicU32, Ordering::SeqCst}; static N: AtomicU32 = AtomicU32::new(0);");
    cells.ok("N.store(9, SeqCst);");
    cells.ok("static N: AtomicU32 = AtomicU32::new(1);");
    cells.shows("N.load(SeqCst)", "1");
    cells.ok("static N: AtomicU32 = AtomicU32::new(0);");
    cells.shows("N.load(SeqCst)", "0");
}

#[test]
fn types_before_and_after_a_change_are_two() {
    let mut cells = Conversation::start();
    cells.ok("use std::any::Any; struct Foo(u32, u32); let b: Box<dyn Any> = Box::new(Foo(7, 9));");
    cells.shows("b.downcast_ref::<Foo>().is_some()", "true");
    cells.ok("mod m { pub struct Foo; } use m::Foo;");
    cells.ok("struct Foo(f32, [u32; 6]);");
    cells.shows("b.downcast_ref::<Foo>().is_some()", "false");
    cells.ok("mod a { pub struct X(pub u8); } mod b2 { pub struct X(pub u64); } use a::X; struct W(X); let w: Box<dyn Any> = Box::new(W(X(1)));");
    cells.ok("use b2::X;");
    cells.shows("w.downcast_ref::<W>().is_some()", "false");
}

#[test]
fn what_is_only_added_changes_no_type() {
    let mut cells = Conversation::start();
    cells.ok("use std::any::Any; struct Foo(u32); let b: Box<dyn Any> = Box::new(Foo(7));");
    cells.ok("struct Other; fn f() {} use std::fmt::Write;");
    cells.shows("b.downcast_ref::<Foo>().map(|foo| foo.0)", "Some(7)");
}

#[test]
fn names_that_types_are_written_with_are_kept() {
    let mut cells = Conversation::start();
    cells.ok("let x: i32 = 5;");
    cells.fails_with("mod q {} use q as std;", "`std` cannot be defined in a cell");
    cells.ok("use std::f32; fn core() -> i32 { 1 }");
    cells.shows("(x, core())", "(5, 1)");
    cells.ok("use std::primitive::f32 as i32;");
    cells.shows("x", "5");
    cells.shows("let y: i32 = 0.5; y", "0.5");
}

#[test]
fn destructors_run_whatever_variants_are_called() {
    let mut cells = Conversation::start();
    cells.ok(
        "struct Guard(i32); impl Drop for Guard { fn drop(&mut self) { println!(\"drop {}\", self.0); } }",
    );
    cells.ok("enum Event { Drag, Drop } mod ops {}");
    cells.prints("{ let _g = Guard(2); }", "drop 2\n");
    cells.ok("enum Profile { Debug, Release } struct P; impl std::fmt::Debug for P { fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result { write!(f, \"a P\") } }");
    cells.shows("P", "a P");
    cells
        .ok("struct Far; mod imp { impl Drop for super::Far { fn drop(&mut self) { println!(\"far\"); } } }");
    cells.prints("{ let _f = Far; }", "far\n");
}

#[test]
fn a_variable_with_a_new_value_from_anywhere_is_kept() {
    let mut cells = Conversation::start();
    cells.ok(
        "let mut a = ones::<f32>(2); let mut v = vec![1]; fn p(mut v: Vec<i32>) -> Vec<i32> { v.push(0); v }",
    );
    cells.ok("for _ in 0..3 { a = a * 2.0; }");
    cells.shows("a.to_vec()", "[8.0, 8.0]");
    cells.ok("v = p(v)");
    cells.ok("let mut k = 0; while k < 2 { v = p(v); k += 1; }");
    cells.shows("v", "[1, 0, 0, 0]");
    cells.ok("let mut b = String::from(\"b\"); let mut c = String::from(\"c\");");
    cells.ok("(b, c) = (c, b);");
    cells.shows("format!(\"{b}{c}\")", "\"cb\"");
}

#[test]
fn a_failing_cell_takes_no_name_away() {
    let mut cells = Conversation::start();
    cells.ok("let x = vec![1, 2];");
    cells.fails("let x = { panic!(); 5u64 }; let y = 1;");
    cells.shows("x", "[1, 2]");
    cells.fails("let x = 5u64; panic!()");
    cells.shows("x", "5");
    cells.ok("let t = String::from(\"t\");");
    cells.fails("std::fs::read(\"/no/such/file\")?; drop(t);");
    cells.fails("t");
    assert!(
        cells.rendered().contains("was taken by cell 7, which moves it and failed"),
        "{}",
        cells.rendered()
    );
}

#[test]
fn an_item_takes_the_place_of_a_variable_of_its_name() {
    let mut cells = Conversation::start();
    cells.ok("let sq = |x: i32| x * x; let lim = 5;");
    cells.ok("fn sq(x: i32) -> i32 { x * x * x } const lim: u8 = 9;");
    assert!(cells.noted().contains("`sq` was dropped because cell 2 defines an item"), "{}", cells.noted());
    cells.shows("(sq(2), lim)", "(8, 9)");
}

#[test]
fn an_exported_function_is_the_newest() {
    let mut cells = Conversation::start();
    cells.ok("#[unsafe(no_mangle)] extern \"C\" fn gpurepl_test_foo() -> i32 { 1 }");
    cells.shows("gpurepl_test_foo()", "1");
    cells.ok("#[unsafe(no_mangle)] extern \"C\" fn gpurepl_test_foo() -> i32 { 2 }");
    cells.shows("gpurepl_test_foo()", "2");
}

#[test]
fn a_macro_may_be_defined_anew() {
    let mut cells = Conversation::start();
    cells.ok("macro_rules! m { () => { 1 } } fn f() -> i32 { m!() }");
    cells.shows("f()", "1");
    cells.ok("macro_rules! m { () => { 2 } }");
    cells.shows("f()", "2");
    cells.ok("fn g() -> i32 { f() + m!() }");
    cells.shows("g()", "4");
}

#[test]
fn only_what_is_broken_is_removed() {
    let mut cells = Conversation::start();
    cells.ok("struct A(i32); struct B { x: i32 } impl B { fn get(&self) -> i32 { self.x } }");
    cells.ok("struct B { y: i32 }");
    cells.shows("A(3).0 + B { y: 4 }.y", "7");
}

#[test]
fn one_cell_may_use_a_name_twice() {
    let mut cells = Conversation::start();
    cells.ok("use std::time; fn time() -> i32 { 1 }");
    cells.shows("(time(), time::Duration::from_secs(1).as_secs())", "(1, 1)");
}

#[test]
fn a_cell_that_is_not_loaded_defines_no_statics() {
    let mut cells = Conversation::start();
    cells
        .ok("use std::sync::atomic::{AtomicU32, Ordering::SeqCst}; static N: AtomicU32 = AtomicU32::new(3);");
    cells.ok("unsafe extern \"C\" { fn no_such_function_anywhere(); }");
    cells.fails("N.load(SeqCst); unsafe { no_such_function_anywhere() }");
    cells.shows("N.load(SeqCst)", "3");
}

#[test]
fn a_variable_moved_assigned_and_bound_anew_is_the_new_one() {
    let mut cells = Conversation::start();
    cells.ok("let mut a = vec![1_u64]; let mut b = vec![1_u64]; let mut c = vec![1_u64];");
    cells.ok("drop(a); a = vec![9; 4]; assert_eq!(a.len(), 4); let a = [7_u64; 20];");
    cells.shows("a.len()", "20");
    cells.ok("drop(b); b = vec![9; 4]; let b = format!(\"{}\", b.len());");
    cells.shows("b", "\"4\"");
    // What a macro binds is found out by its type: nothing keeps it, and the
    // variable's own value is gone with the cell.
    cells.ok("macro_rules! bind { ($name:ident) => { let $name = \"word\"; } }");
    cells.prints("drop(c); c = vec![9; 4]; bind!(c); println!(\"{c}\");", "word\n");
    cells.fails_with("c", "cannot find value `c`");
    cells.shows("(a.len(), b.len())", "(20, 1)");
}

#[test]
fn a_destructor_that_aborts_does_so_once() {
    let mut cells = Conversation::start();
    cells.ok(
        "struct S; impl Drop for S { fn drop(&mut self) { std::process::abort() } } let s = S; let v = 5;",
    );
    let outcome = cells.run("struct S(u8); 1 + 1");
    assert!(matches!(outcome, gpurepl_session::Outcome::Lost(_)), "{outcome:?}");
    cells.shows("v", "5");
    cells.fails_with("s", "cannot find value `s`");
    // The replay lets go of the old `s` without its destructor, each time.
    let outcome = cells.run("std::process::abort()");
    assert!(matches!(outcome, gpurepl_session::Outcome::Lost(_)), "{outcome:?}");
    cells.shows("let s = S(3); v + i32::from(s.0)", "8");
}

#[test]
fn a_process_that_a_cell_starts_does_not_hold_the_session() {
    let mut cells = Conversation::start();
    let start = std::time::Instant::now();
    cells.ok("std::process::Command::new(\"sleep\").arg(\"3600\").spawn()?;");
    let outcome = cells.run("std::process::exit(3)");
    assert!(matches!(outcome, gpurepl_session::Outcome::Lost(_)), "{outcome:?}");
    cells.shows("1 + 1", "2");
    assert!(start.elapsed() < std::time::Duration::from_secs(600));
}

#[test]
fn a_comment_after_the_last_statement() {
    let mut cells = Conversation::start();
    cells.ok("let x = 5 // five");
    cells.shows("x // shown", "5");
}

#[test]
fn another_layout_of_the_same_text_is_the_same_type() {
    let mut cells = Conversation::start();
    cells.ok("use std::any::Any; struct Foo(u32); let b: Box<dyn Any> = Box::new(Foo(7));");
    cells.ok("struct Foo (\n    u32\n);");
    cells.shows("b.downcast_ref::<Foo>().map(|foo| foo.0)", "Some(7)");
}

/// Cells up to a variable, the cell that redefines what its type rests on, and
/// the use of the variable: it must be gone, or what it was.
#[test]
fn what_a_type_rests_on_without_naming_it_is_not_redefined_under_a_variable() {
    for (definitions, redefinition, variable) in [
        (
            "trait Storage { type Buf; } impl<T> Storage for T { type Buf = usize; } struct Layer { w: <u8 as Storage>::Buf }\nlet l = Layer { w: 16 };",
            "impl<T> Storage for T { type Buf = &'static u8; }",
            "*l.w",
        ),
        (
            "trait Kind { type Out; } impl<T> Kind for &T { type Out = u32; } struct G(<&'static u8 as Kind>::Out);\nlet l = G(1078530011);",
            "impl<T> Kind for &T { type Out = f32; }",
            "l.0",
        ),
        (
            "trait Tr { type A; } mod imp { impl super::Tr for u8 { type A = u32; } } struct G(<u8 as Tr>::A);\nlet l = G(1078530011);",
            "mod imp { impl super::Tr for u8 { type A = f32; } }",
            "l.0",
        ),
        (
            "macro_rules! mk { () => { pub struct Hidden(pub u32); } }\nmk! {}\nlet l = Hidden(1078530011);",
            "macro_rules! mk { () => { pub struct Hidden(pub f32); } }",
            "l.0",
        ),
    ] {
        let mut cells = Conversation::start();
        cells.ok(definitions);
        cells.ok(redefinition);
        let diagnostic = cells.fails(variable);
        assert!(
            diagnostic.helps.iter().any(|help| help.contains("was dropped because its type was redefined")),
            "{redefinition}: {diagnostic:?}"
        );
    }
}

#[test]
fn names_of_primitive_types_can_be_defined() {
    for name in [
        "bool", "char", "str", "i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16", "u32", "u64", "u128",
        "usize", "f32", "f64",
    ] {
        let mut cells = Conversation::start();
        cells.ok(&format!(
            "let text = \"abc\"; let many = vec![1_u8, 2]; let x: Option<&'static {name}> = None; let f = |n: i32| n + 1;"
        ));
        cells.ok(&format!("#[derive(Debug, Clone)] pub struct {name};"));
        cells.shows("(text, many.len(), x.is_none(), f(2))", "(\"abc\", 2, true, 3)");
        cells.ok(&format!(
            "let own = {name}; let all = vec![own.clone(), {name}]; let pair = (own.clone(), 7_{});",
            if name == "u8" { "i16" } else { "u8" }
        ));
        cells.shows("own", name);
        cells.shows("all", &format!("[{name}, {name}]"));
        cells.shows("pair.1", "7");
        cells.shows("(text, many.len(), x.is_none(), f(2))", "(\"abc\", 2, true, 3)");
        // Another definition is another type.
        cells.ok(&format!("pub struct {name}(Vec<()>);"));
        let diagnostic = cells.fails("own");
        let is_told = |help: &String| help.contains("was dropped because its type was redefined");
        assert!(diagnostic.helps.iter().any(is_told), "{name}: {diagnostic:?}");
        cells.shows("text", "\"abc\"");
    }
}

#[test]
fn a_name_of_a_primitive_type_changes_what_uses_it() {
    let mut cells = Conversation::start();
    cells.ok("use std::any::Any; struct S { v: u8 } let s = S { v: 1 }; let b: Box<dyn Any> = Box::new(S { v: 1 }); let n = 1_u8;");
    cells.ok("struct u8(Box<u64>);");
    assert!(
        cells.noted().contains("`s`")
            || cells.fails("s.v").helps.iter().any(|help| help.contains("redefined"))
    );
    cells.shows("b.downcast_ref::<S>().is_none()", "true");
    cells.shows("n", "1");
    let mut cells = Conversation::start();
    cells.ok("type f32 = f64; let x: f32 = 0.1; let y = 0.1_f32;");
    cells.shows("(x, std::mem::size_of_val(&x), std::mem::size_of_val(&y))", "(0.1, 8, 4)");
    cells.ok("type f32 = i16; let z: f32 = 3;");
    cells.shows("(x, y, z)", "(0.1, 0.1, 3)");
    // Closures and what else has no name in a symbol.
    let mut cells = Conversation::start();
    cells.ok("struct u8; let add = |x: i32| x + 1; let of: Box<dyn Fn(i64) -> i64> = Box::new(|x| x * 2);");
    cells.shows("(add(1), of(4))", "(2, 8)");
    cells.ok("let odd = |x: u8| 1;");
    assert!(cells.noted().contains("`odd` is not kept"), "{}", cells.noted());
}

#[test]
fn all_names_of_a_module_may_be_those_of_primitives() {
    let mut cells = Conversation::start();
    cells.ok("let x: i32 = 1078530011;");
    cells.ok("mod m { pub type i32 = f32; pub struct A; }");
    cells.ok("use m::*;");
    cells.ok("let y: i32 = 0.5; let a = A;");
    cells.shows("(x, y)", "(1078530011, 0.5)");
    // Also by a module that becomes so afterwards.
    cells.ok("mod n { pub struct B; } use n::*; struct S(u64); let s = S(1);");
    cells.ok("mod n { pub type u64 = &'static u8; pub struct B; }");
    assert!(cells.fails("s.0").helps.iter().any(|help| help.contains("redefined")));
    cells.shows("(x, y)", "(1078530011, 0.5)");
}

#[test]
fn an_implementation_that_is_added_leaves_variables_alone() {
    let mut cells = Conversation::start();
    cells.ok("struct Counter { n: u32 } let mut c = Counter { n: 3 };");
    cells.ok("impl Iterator for Counter { type Item = u32; fn next(&mut self) -> Option<u32> { self.n.checked_sub(1).inspect(|n| self.n = *n) } }");
    cells.shows("c.next()", "Some(2)");
    cells.ok("static KEPT: std::sync::Mutex<Counter> = std::sync::Mutex::new(Counter { n: 0 });");
    cells.ok("KEPT.lock().unwrap().n = 7;");
    cells.ok("impl Drop for Counter { fn drop(&mut self) {} }");
    cells.ok("impl std::ops::Add for Counter { type Output = u32; fn add(self, other: Counter) -> u32 { self.n + other.n } }");
    cells.shows("KEPT.lock().unwrap().n", "7");
    cells.shows("c.n", "2");
}
