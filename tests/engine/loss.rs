//! Workers that end: nothing ends the session.

use gpurepl_session::Outcome;
use gpurepl_tests::Conversation;

/// Runs a cell that ends the worker, and returns how it ended.
fn loses(cells: &mut Conversation, source: &str) -> String {
    match cells.run(source) {
        Outcome::Lost(loss) => loss.cause,
        other => panic!("{source}: {other:?}"),
    }
}

#[test]
fn crashes_are_named_and_survived() {
    let mut cells = Conversation::start();
    cells.ok("fn seven() -> i32 { 7 }");
    let cause = loses(&mut cells, "unsafe { std::ptr::null_mut::<i32>().write_volatile(1) }");
    assert!(cause.contains("SIGSEGV"), "{cause}");
    cells.shows("seven()", "7");
    let cause = loses(&mut cells, "std::process::abort();");
    assert!(cause.contains("SIGABRT"), "{cause}");
    cells.shows("seven()", "7");
}

#[test]
fn an_endless_recursion_is_survived() {
    let mut cells = Conversation::start();
    let cause = loses(
        &mut cells,
        "fn deep(n: u64) -> u64 { if n == u64::MAX { 0 } else { std::hint::black_box(deep(n + 1)) + 1 } }\ndeep(0)",
    );
    assert!(cause.contains("SIGABRT") || cause.contains("SIGSEGV"), "{cause}");
    assert!(cells.stderr().contains("overflowed its stack"), "{}", cells.stderr());
    cells.shows("1", "1");
}

#[test]
fn a_panic_within_a_panic_says_what_it_was() {
    let mut cells = Conversation::start();
    cells.ok("struct Bad; impl Drop for Bad { fn drop(&mut self) { panic!(\"second\") } }");
    let cause = loses(&mut cells, "let bad = Bad; panic!(\"first\");");
    assert!(cause.contains("SIGABRT"), "{cause}");
    assert!(cells.stderr().contains("panic: first"), "{}", cells.stderr());
    cells.shows("2", "2");
}

#[test]
fn statics_start_anew_in_a_new_worker_without_a_replay() {
    let mut cells = Conversation::start();
    cells.ok(":replay off");
    cells
        .ok("use std::sync::atomic::{AtomicU32, Ordering::SeqCst}; static C: AtomicU32 = AtomicU32::new(1);");
    cells.shows("C.fetch_add(1, SeqCst)", "1");
    cells.shows("C.fetch_add(1, SeqCst)", "2");
    loses(&mut cells, "std::process::abort();");
    cells.shows("C.fetch_add(1, SeqCst)", "1");
}

#[test]
fn what_was_printed_before_a_crash_is_seen() {
    let mut cells = Conversation::start();
    loses(&mut cells, "println!(\"before\"); std::process::abort();");
    assert_eq!(cells.stdout(), b"before\n");
}

#[test]
fn a_reset_forgets_everything() {
    let mut cells = Conversation::start();
    cells.ok("let a = 1; fn f() {}");
    cells.ok(":reset");
    assert!(cells.session().variables().is_empty() && cells.session().items().is_empty());
    cells.fails("a");
    cells.shows("let a = 2; a", "2");
}

/// When a user interrupts a cell that has begun.
const SOON: std::time::Duration = std::time::Duration::from_millis(100);

#[test]
fn an_interrupt_ends_a_cell_and_keeps_variables() {
    let mut cells = Conversation::start();
    cells.ok("let mut n = 0_u64;");
    let source = "loop { n += 1; if n == 1 { println!(\"started\"); } check_interrupt(); }";
    assert_eq!(cells.interrupted(source, &[SOON]).0, Outcome::Interrupted);
    cells.shows("n > 0", "true");
}

#[test]
fn an_interrupt_stops_the_librarys_own_loops() {
    let mut cells = Conversation::start();
    cells.ok("let mut a = ones::<f64>(1000); let mut rounds = 0_u64;");
    let source = "loop { a *= 1.0; a.fill(1.0); rounds += 1; if rounds == 1 { println!(\"started\"); } }";
    assert_eq!(cells.interrupted(source, &[SOON]).0, Outcome::Interrupted);
    cells.shows("(rounds > 0, a.sum().item())", "(true, 1000.0)");
}

#[test]
fn a_second_interrupt_ends_a_cell_that_does_not_listen() {
    let mut cells = Conversation::start();
    cells.ok("let kept = 1;");
    match cells.interrupted("println!(\"started\"); loop { std::hint::spin_loop(); }", &[SOON, SOON]).0 {
        Outcome::Lost(loss) => {
            assert!(loss.cause.contains("second interrupt") && loss.variables.is_empty(), "{loss:?}");
            assert_eq!(loss.restored, ["kept"]);
        }
        other => panic!("{other:?}"),
    }
    cells.shows("kept + 3", "4");
}

#[test]
fn an_interrupt_between_cells_is_for_nobody() {
    let mut cells = Conversation::start();
    cells.ok("let a = 1;");
    cells.interrupter().interrupt();
    cells.shows("a", "1");
}

#[test]
fn a_large_array_by_value_is_not_taken_for_a_recursion_alone() {
    let mut cells = Conversation::start();
    loses(&mut cells, "let x = [0_u8; 100_000_000]; std::hint::black_box(&x).len()");
    assert!(cells.stderr().contains("a large array by value? `vec![..]`"), "{}", cells.stderr());
    cells.shows("1", "1");
}
