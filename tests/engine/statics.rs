//! Statics keep their values between cells.

use gpurepl_tests::Conversation;

#[test]
fn statics_keep_their_values() {
    let mut cells = Conversation::start();
    cells.ok(
        "use std::sync::atomic::{AtomicU32, Ordering::SeqCst}; static COUNT: AtomicU32 = AtomicU32::new(10);",
    );
    cells.shows("COUNT.fetch_add(1, SeqCst)", "10");
    cells.shows("COUNT.fetch_add(1, SeqCst)", "11");
    cells.ok("fn next() -> u32 { COUNT.fetch_add(1, SeqCst) }");
    cells.shows("next()", "12");
}

#[test]
fn statics_within_functions_keep_theirs() {
    let mut cells = Conversation::start();
    cells.ok("fn tick() -> u32 { static T: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(1); T.fetch_add(1, std::sync::atomic::Ordering::SeqCst) }");
    cells.shows("tick()", "1");
    cells.shows("tick()", "2");
}

#[test]
fn mutable_and_lazy_statics() {
    let mut cells = Conversation::start();
    cells.ok("static mut M: i32 = 1;");
    cells.ok("unsafe { M += 41 };");
    cells.shows("unsafe { M }", "42");
    cells.ok("use std::sync::{LazyLock, Mutex}; static LOG: LazyLock<Mutex<Vec<i32>>> = LazyLock::new(|| { println!(\"once\"); Mutex::new(vec![]) });");
    cells.prints("LOG.lock().unwrap().push(1);", "once\n");
    cells.prints("LOG.lock().unwrap().push(2);", "");
    cells.shows("LOG.lock().unwrap().clone()", "[1, 2]");
}

#[test]
fn another_text_starts_anew() {
    let mut cells = Conversation::start();
    cells
        .ok("use std::sync::atomic::{AtomicU32, Ordering::SeqCst}; static C: AtomicU32 = AtomicU32::new(1);");
    cells.shows("C.fetch_add(1, SeqCst)", "1");
    cells.ok("static C: AtomicU32 = AtomicU32::new(100);");
    cells.shows("C.fetch_add(1, SeqCst)", "100");
}

#[test]
fn statics_of_users_types() {
    let mut cells = Conversation::start();
    cells.ok("#[derive(Debug)] struct Config { level: std::sync::atomic::AtomicI32 } static CONFIG: Config = Config { level: std::sync::atomic::AtomicI32::new(3) };");
    cells.ok("CONFIG.level.store(4, std::sync::atomic::Ordering::SeqCst);");
    cells.shows("CONFIG", "Config { level: 4 }");
}

#[test]
fn a_static_that_was_not_used_in_the_next_cell_was_never_defined() {
    let mut cells = Conversation::start();
    cells.ok("static A: i32 = 1; static B: i32 = 2; fn sum() -> i32 { A + B }");
    cells.ok("let x = 1;");
    cells.shows("A", "1");
    cells.shows("B", "2");
    cells.shows("sum()", "3");
    cells.ok("mod inner { pub static C: i32 = 7; }");
    cells.shows("x", "1");
    cells.shows("inner::C", "7");
}

#[test]
fn thread_locals_of_types_with_paths() {
    let mut cells = Conversation::start();
    cells.ok("thread_local! { static T: std::cell::Cell<i32> = const { std::cell::Cell::new(1) }; }");
    cells.ok("T.set(5);");
    cells.shows("T.get()", "5");
}

#[test]
fn a_static_that_a_macro_writes_keeps_its_value() {
    let mut cells = Conversation::start();
    cells.ok("use std::sync::atomic::{AtomicU32, Ordering::SeqCst}; use std::sync::Mutex;");
    cells.ok(
        "macro_rules! count { () => {{ static N: AtomicU32 = AtomicU32::new(1); N.fetch_add(1, SeqCst) }} }",
    );
    cells.ok("fn one() -> u32 { count!() } fn two() -> (u32, u32) { (count!(), count!()) }");
    cells.ok("struct Counter; impl Counter { fn next() -> u32 { count!() } }");
    cells.shows("one()", "1");
    cells.shows("(one(), two(), Counter::next())", "(2, (1, 1), 1)");
    cells.shows("(two(), Counter::next(), Counter::next())", "((2, 2), 2, 3)");
    cells.shows("one()", "3");
    // Another one of the same type elsewhere, and with an item in between.
    cells.ok("impl Counter { fn other() -> u32 { count!() } } macro_rules! log { ($t:ty, $x:expr) => {{ static ALL: Mutex<Vec<$t>> = Mutex::new(Vec::new()); let mut all = ALL.lock().unwrap(); all.push($x); all.len() }} }");
    cells.ok("fn note(x: u8) -> usize { log!(u8, x) }");
    cells.shows("(note(1), note(2))", "(1, 2)");
    cells.shows("(note(3), Counter::other(), Counter::next())", "(3, 1, 4)");
    // A function of another text has statics of its own.
    cells.ok("fn one() -> u32 { count!() + 100 }");
    cells.shows("one()", "101");
    cells.shows("one()", "102");
    // What a macro writes at the top.
    cells.ok("macro_rules! global { ($name:ident, $t:ident) => { static $name: $t = $t::new(5); } } global!(TOP, AtomicU32);");
    cells.shows("TOP.fetch_add(1, SeqCst)", "5");
    cells.ok("macro_rules! table { () => {{ static T: [u32; 3] = [1, 2, 3]; T[1] + T.len() as u32 }} }");
    cells.shows("table!()", "5");
}

#[test]
fn mutable_statics_and_thread_locals_in_macros_started_again_in_each_cell() {
    let mut cells = Conversation::start();
    cells.ok(
        "use std::cell::Cell; macro_rules! count { () => {{ static mut N: u32 = 0; unsafe { N += 1; N } }} }",
    );
    cells.ok("macro_rules! tick { ($n:ident) => {{ thread_local! { static $n: Cell<u32> = const { Cell::new(0) }; } $n.set($n.get() + 1); $n.get() }} }");
    cells.ok("fn one() -> u32 { count!() } fn two() -> (u32, u32) { (count!(), tick!(T)) } fn three() -> u32 { std::thread_local! { static N: Cell<u32> = Cell::new(10) } N.with(|n| { n.set(n.get() + 1); n.get() }) }");
    cells.shows("(one(), two(), three())", "(1, (1, 1), 11)");
    cells.shows("(one(), two(), three())", "(2, (2, 2), 12)");
    cells.ok("struct S; impl S { fn next() -> u32 { thread_local!(static N: Cell<u32> = Cell::new(5)); N.replace(N.get() + 1) } fn other() -> u32 { count!() } }");
    cells.shows("(S::next(), S::other(), one())", "(5, 1, 3)");
    cells.shows("(S::next(), S::other(), one())", "(6, 2, 4)");
    // Each thread has its own.
    cells.shows("(std::thread::spawn(three).join().unwrap(), three())", "(11, 13)");
    cells.ok("macro_rules! address { () => {{ static mut N: [u8; 4] = [0; 4]; let place = &raw mut N; unsafe { (*place)[1] += 1; N[1] } }} } fn at() -> u8 { address!() }");
    cells.shows("at()", "1");
    cells.shows("at()", "2");
}

#[test]
fn a_static_whose_type_changes_is_said_to_start_again() {
    let mut cells = Conversation::start();
    cells.ok("use std::sync::Mutex; #[derive(Debug)] struct Entry { at: u32 } static LOG: Mutex<Vec<Entry>> = Mutex::new(Vec::new());");
    cells.ok("LOG.lock().unwrap().push(Entry { at: 1 });");
    cells.ok("struct Entry { at: u64 }");
    assert!(cells.noted().contains("`LOG` starts again: its type was redefined"), "{}", cells.noted());
    cells.shows("LOG.lock().unwrap().len()", "0");
    cells.ok("struct Other; let x = 1;");
    assert!(!cells.noted().contains("LOG"), "{}", cells.noted());
    // One that no cell has used yet has nothing to lose.
    cells.ok("static UNUSED: Mutex<Vec<Other>> = Mutex::new(Vec::new());");
    cells.ok("struct Other(u8);");
    assert!(!cells.noted().contains("UNUSED"), "{}", cells.noted());
}
