//! The next cell is compiled while one runs: only its time tells.

use gpurepl_session::Outcome;
use gpurepl_tests::Conversation;

/// Evaluates a cell while another waits, and then that one, which shows this. Returns whether the second one's
/// compiler had begun before its turn.
#[track_caller]
fn is_ahead(cells: &mut Conversation, first: &str, next: &str, shown: &str) -> bool {
    cells.run_before(first, next);
    shows(cells, next, shown)
}

#[track_caller]
fn shows(cells: &mut Conversation, source: &str, shown: &str) -> bool {
    match cells.run(source) {
        Outcome::Done(report) => {
            assert_eq!(cells.results(), [shown], "{source}");
            report.is_ahead
        }
        other => panic!("{source}: {other:?}\n{}", cells.rendered()),
    }
}

#[test]
fn what_comes_next_is_compiled_while_a_cell_runs() {
    let mut cells = Conversation::start();
    for (first, next, shown) in [
        ("let a = arange(0..10).astype(f32);", "(&a * 2.0).sum().item()", "90.0"),
        ("let list = vec![1, 2, 3];", "list.len()", "3"),
        ("let moved = list; let number = 0.5;", "moved.iter().sum::<i32>()", "6"),
        ("let list = \"text\"; let list = [list, list];", "list.join(\" \")", "\"text text\""),
        ("#[derive(Debug)] struct Point { x: i32 } let p = Point { x: 1 };", "p", "Point { x: 1 }"),
        ("struct Point { y: i64 } let q = Point { y: 2 };", "q.y", "2"),
        ("fn twice(x: i32) -> i32 { 2 * x } let four = twice(2);", "twice(four)", "8"),
        (
            "use std::sync::atomic::{AtomicU32, Ordering::Relaxed}; static COUNT: AtomicU32 = AtomicU32::new(1); COUNT.fetch_add(1, Relaxed);",
            "COUNT.fetch_add(1, Relaxed)",
            "2",
        ),
        ("macro_rules! three { () => { 3 } } let mut n = three!();", "n += three!(); n", "6"),
        (
            "#[kernel] fn ramp(y: &mut [f32]) { let i = thread::index(); if i < y.len() { y[i] = i as f32; } } let mut y = zeros::<f32>(4); ramp.launch(1, 4, (&mut y,))?;",
            "ramp.launch(1, 4, (&mut y,))?; y.sum().item()",
            "6.0",
        ),
        ("let scale = 3.0_f32;", "y.map(move |v| v * scale).sum().item()", "18.0"),
        ("let text = String::from(\"gone\"); drop(text); let kept = 1;", "kept", "1"),
        ("println!(\"{n}\");", "#[derive(Debug)] struct Other(i32);\nOther(n)", "Other(6)"),
    ] {
        assert!(is_ahead(&mut cells, first, next, shown), "{first}\n{next}");
    }
}

#[test]
fn values_of_earlier_cells_are_the_latest_ones() {
    let mut cells = Conversation::keeping_results();
    cells.shows("40", "40");
    // What `_` is, the cell that runs decides.
    is_ahead(&mut cells, "_ + 1", "_ + 1", "42");
    is_ahead(&mut cells, "let silent = 1;", "_ + silent", "43");
}

#[test]
fn a_guess_that_does_not_come_true_is_forgotten() {
    let mut cells = Conversation::start();
    cells.ok("let number = 0.5; let other = 1;");
    // One fails before it binds what the next one would have.
    assert!(!is_ahead(&mut cells, "panic!(\"on purpose\"); let number = 7;", "number * 2.0", "1.0"));
    assert!(!is_ahead(&mut cells, "if other == 1 { return Ok(()); } let number = 7;", "number * 2.0", "1.0"));
    // One ends its process.
    assert!(!is_ahead(&mut cells, "std::process::abort(); let number = 7;", "number * 2.0", "1.0"));
    // Another one comes than the one that waited.
    cells.run_before("let a = 1;", "a + 1");
    assert!(!shows(&mut cells, "a + 2", "3"));
    cells.run_before("let a = 2;", ":vars");
    assert!(!shows(&mut cells, "a + 2", "4"));
    cells.run_before("let a = 3;", "this is no Rust");
    assert!(!shows(&mut cells, "a + 2", "5"));
}

#[test]
fn errors_of_a_cell_that_was_compiled_ahead_are_its_own() {
    let mut cells = Conversation::start();
    cells.run_before("let a = 1;", "let b = 2;\na + \"text\"");
    let error = cells.fails("let b = 2;\na + \"text\"");
    assert!(error.message.contains("cannot add `&str`"), "{error:?}");
    assert!(cells.rendered().contains("cell 2:2"), "{}", cells.rendered());
    assert!(is_ahead(&mut cells, "let c = 3;", "a + c", "4"));
}

#[test]
fn what_a_cell_writes_is_there_for_the_next_one_to_include() {
    let mut cells = Conversation::start();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("number.rs");
    std::fs::write(&path, "1").unwrap();
    let (write, include) = (format!("std::fs::write({path:?}, \"2\")?;"), format!("include!({path:?}) + 0"));
    assert!(!is_ahead(&mut cells, &write, &include, "2"));
}

#[test]
fn no_compiler_runs_beside_a_cell_that_measures_time() {
    let mut cells = Conversation::start();
    assert!(!is_ahead(&mut cells, "let start = std::time::Instant::now();", "1 + 1", "2"));
    assert!(!is_ahead(&mut cells, "%time let a = 1;", "a + 1", "2"));
    assert!(!is_ahead(&mut cells, "%%timeit -n 1 -r 1\na + 1", "a + 2", "3"));
}
