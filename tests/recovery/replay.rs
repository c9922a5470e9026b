//! What comes back, and as what.

use gpurepl_tests::Conversation;

use super::{loses, loses_nothing};

const ABORT: &str = "std::process::abort();";

#[test]
fn variables_of_every_kind_come_back() {
    let mut cells = Conversation::start();
    cells.ok("#[derive(Debug, Clone)] struct P { x: i32 } fn make(x: i32) -> P { P { x } }");
    cells.ok("let p = make(3); let mut v = vec![1, 2]; let add = move |k: i32| k + 10;");
    cells.ok("v.push(p.x); let a = to_gpu(&[1.0_f32, 2.0]); let s = String::from(\"moved\");");
    cells.ok("let b = &a * 2.0; let t = s;");
    cells.ok("let v = { v.reverse(); v };");
    let loss = loses_nothing(&mut cells, ABORT);
    assert_eq!(loss.restored, ["a", "add", "b", "p", "t", "v"]);
    assert!(cells.noted().contains("replayed 4 cells in "), "{}", cells.noted());
    assert!(cells.noted().contains("back: a, add, b, p, t, v"), "{}", cells.noted());
    cells.shows("(p.x, v.clone(), add(1), t.len())", "(3, [3, 2, 1], 11, 5)");
    cells.shows("(&a + &b).to_vec()", "[3.0, 6.0]");
    cells.fails_with("s", "cannot find value `s`");
}

#[test]
fn the_cell_that_did_it_is_named() {
    let mut cells = Conversation::start();
    cells.ok("let a = 1;");
    loses(&mut cells, ABORT);
    assert!(cells.rendered().contains("cell 2 has ended the worker process: signal 6 (SIGABRT)"));
}

#[test]
fn a_cell_that_returned_early_lost_its_variables() {
    let mut cells = Conversation::start();
    cells.ok("let first = 10; if first > 5 { return; } let second = 5;");
    let loss = loses_nothing(&mut cells, ABORT);
    assert_eq!(loss.restored, ["first"]);
    cells.shows("first", "10");
    cells.fails_with("second", "cannot find value `second`");
}

#[test]
fn memory_that_cannot_be_had_is_said_to_be_that() {
    let mut cells = Conversation::start();
    loses(&mut cells, "let v = vec![1_u8; 1 << 62]; v.len()");
    assert!(cells.rendered().contains("memory that it asks for cannot be had"), "{}", cells.rendered());
}

#[test]
fn a_replay_is_silent() {
    let mut cells = Conversation::start();
    cells.ok("println!(\"out\"); eprintln!(\"err\"); display(&3); let a = 1; a");
    loses_nothing(
        &mut cells,
        "print!(\"last\"); std::io::Write::flush(&mut std::io::stdout())?; std::process::abort();",
    );
    assert_eq!(cells.stdout(), b"last");
    assert!(cells.results().is_empty() && cells.displays().is_empty() && cells.stderr().is_empty());
}

#[test]
fn statics_come_back_with_what_cells_did_to_them() {
    let mut cells = Conversation::start();
    cells
        .ok("use std::sync::atomic::{AtomicU32, Ordering::SeqCst}; static C: AtomicU32 = AtomicU32::new(1);");
    cells.shows("C.fetch_add(1, SeqCst)", "1");
    cells.shows("C.fetch_add(1, SeqCst)", "2");
    loses_nothing(&mut cells, ABORT);
    cells.shows("C.fetch_add(1, SeqCst)", "3");
    loses_nothing(&mut cells, ABORT);
    cells.shows("C.load(SeqCst)", "4");
}

#[test]
fn a_cell_that_failed_is_loaded_for_its_statics() {
    let mut cells = Conversation::start();
    cells.ok("use std::sync::atomic::{AtomicU32, Ordering::SeqCst};");
    // This cell defines the static, and later ones refer to it.
    cells.fails("static C: AtomicU32 = AtomicU32::new(7); C.fetch_add(1, SeqCst); panic!(\"on the way\");");
    cells.ok("let seen = C.fetch_add(1, SeqCst);");
    cells.shows("seen", "8");
    loses_nothing(&mut cells, ABORT);
    // What the failed cell did to it is not done again.
    cells.shows("(seen, C.load(SeqCst))", "(7, 8)");
}

#[test]
fn what_a_failed_cell_changed_is_told() {
    let mut cells = Conversation::start();
    cells.ok("let mut n = 1; let fixed = 2; let mut other = 3;");
    cells.fails("n += fixed; panic!(\"after a change\");");
    cells.ok("let m = n * 10;");
    cells.shows("(n, m)", "(3, 30)");
    loses_nothing(&mut cells, ABORT);
    assert!(
        cells.noted().contains("these may differ from before: m, n (cell 2 failed)"),
        "{}",
        cells.noted()
    );
    cells.shows("(n, m, fixed, other)", "(1, 10, 2, 3)");
    // That is what they are now: nothing is missed the next time.
    loses_nothing(&mut cells, ABORT);
    assert!(!cells.noted().contains("may differ"), "{}", cells.noted());
}

#[test]
fn random_numbers_are_the_same_again() {
    let mut cells = Conversation::start();
    cells.ok("let a = rand::<f64>(4);");
    cells.fails("let lost = rand::<f64>(9); panic!(\"between\");");
    cells.ok("let b = rand::<f64>(4);");
    cells.ok("seed(5); let c = randn::<f32>(4);");
    cells.ok("let before = (a.to_vec(), b.to_vec(), c.to_vec());");
    cells.ok("println!(\"{before:?}\");");
    let before = String::from_utf8(cells.stdout().to_vec()).unwrap();
    loses_nothing(&mut cells, ABORT);
    cells.prints("println!(\"{:?}\", (a.to_vec(), b.to_vec(), c.to_vec()));", &before);
    // And those after are new ones.
    cells.shows("randn::<f32>(4).to_vec() == c.to_vec()", "false");
}

#[test]
fn a_redefinition_between_is_replayed_as_it_was() {
    let mut cells = Conversation::start();
    cells.ok("#[derive(Debug, PartialEq)] struct Foo(u32); let foo = Foo(0x3f80_0000); let kept = 5;");
    cells.ok("let any: Box<dyn std::any::Any> = Box::new(Foo(1));");
    cells.ok("#[derive(Debug, PartialEq)] struct Foo(f32);");
    cells.fails_with("foo", "cannot find value `foo`");
    cells.ok("let other = Foo(2.5);");
    loses_nothing(&mut cells, ABORT);
    cells.shows("(other.0, kept)", "(2.5, 5)");
    cells.fails_with("foo", "cannot find value `foo`");
    cells.shows("any.downcast_ref::<Foo>().is_none()", "true");
    // After a replay a redefinition drops what it must.
    cells.ok("#[derive(Debug)] struct Foo { x: u64, y: u64 }");
    cells.fails_with("other", "cannot find value `other`");
    cells.ok("let foo = Foo { x: 1, y: 2 };");
    loses_nothing(&mut cells, ABORT);
    cells.shows("foo", "Foo { x: 1, y: 2 }");
}

#[test]
fn the_lost_cells_redefinition_stands() {
    let mut cells = Conversation::start();
    cells.ok("struct Foo(u32); let foo = Foo(1); let n = 2;");
    loses_nothing(&mut cells, "struct Foo(f32); std::process::abort();");
    cells.fails_with("foo", "cannot find value `foo`");
    cells.shows("Foo(1.5).0 * n as f32", "3.0");
}

#[test]
fn a_cell_that_fails_in_the_replay_costs_what_it_made() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("data");
    std::fs::write(&file, "42").unwrap();
    let mut cells = Conversation::start();
    cells.ok("let a = 1; let read = 0; let mut list = vec![0];");
    cells.ok(&format!("let read: i32 = std::fs::read_to_string({file:?})?.parse()?; list.push(read);"));
    cells.ok("let more = read + 1; let list_length = list.len();");
    cells.ok("let b = a + 1;");
    std::fs::remove_file(&file).unwrap();
    let loss = loses(&mut cells, ABORT);
    assert_eq!(
        (&loss.variables[..], &loss.restored[..]),
        (&["list_length", "more", "read"].map(String::from)[..], &["a", "b", "list"].map(String::from)[..])
    );
    let noted = cells.noted();
    assert!(noted.contains("more (cell 3 needs `read`, which was not restored)"), "{noted}");
    assert!(
        noted.contains("read (cell 2 failed when it was replayed: ") && noted.contains("NotFound"),
        "{noted}"
    );
    assert!(noted.contains("these may differ from before: list (cell 2 failed"), "{noted}");
    cells.shows("(a, b, list.clone())", "(1, 2, [0])");
    cells.fails_with("read", "was lost with its worker process; cell 2 failed");
    // It stays lost, also when the file is there again.
    std::fs::write(&file, "42").unwrap();
    loses_nothing(&mut cells, ABORT);
    cells.fails("read");
}

#[test]
fn a_cell_that_ends_the_worker_again_is_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let trap = folder.path().join("trap");
    let mut cells = Conversation::start();
    cells.ok("let a = 1;");
    cells.ok(&format!("let b = 2; if std::path::Path::new({trap:?}).exists() {{ std::process::abort() }}"));
    cells.ok("let c = a + b;");
    cells.ok("let d = a + 3;");
    std::fs::write(&trap, "").unwrap();
    let loss = loses(&mut cells, ABORT);
    assert_eq!(loss.variables, ["b", "c"]);
    assert!(
        cells.noted().contains("cell 2 ended the worker when it was replayed: signal 6"),
        "{}",
        cells.noted()
    );
    cells.shows("(a, d)", "(1, 4)");
}

#[test]
fn losses_without_end_end_nothing() {
    let mut cells = Conversation::start();
    cells.ok("let mut n = 0;");
    for k in 0..6 {
        cells.ok("n += 1;");
        loses_nothing(&mut cells, "n += 100; unsafe { std::ptr::null_mut::<i32>().write_volatile(1) };");
        cells.shows("n", &(k + 1).to_string());
    }
}
