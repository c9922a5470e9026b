//! Nothing comes back silently as something else.

use std::time::Duration;

use gpurepl_tests::Conversation;

use super::{loses, loses_nothing};

const ABORT: &str = "std::process::abort();";

#[test]
fn what_a_kernel_of_a_failed_cell_wrote_is_told() {
    let mut cells = Conversation::start();
    cells.ok("let m = SourceModule::new(\"__global__ void f(float *a) { a[threadIdx.x] += 1; }\")?; \
         let f = m.get_function(\"f\")?; let a = zeros::<f32>(4); let b = zeros::<f32>(4); let n = 1;");
    cells.ok("f.launch(1, 4, (&a,))?;");
    cells.fails("f.launch(1, 4, (&a,))?; panic!(\"{n}\");");
    cells.ok("let s = a.sum().item();");
    cells.shows("s", "8.0");
    loses_nothing(&mut cells, ABORT);
    let noted = cells.noted();
    assert!(noted.contains("these may differ from before: a, s (cell 3 failed)"), "{noted}");
    cells.shows("a.to_vec()", "[1.0, 1.0, 1.0, 1.0]");
    loses_nothing(&mut cells, ABORT);
    assert!(!cells.noted().contains("may differ"), "{}", cells.noted());
}

#[test]
fn what_a_failed_cell_did_to_cells_and_statics_is_told() {
    let mut cells = Conversation::start();
    cells.ok("use std::cell::{Cell, RefCell}; use std::rc::Rc; use std::sync::atomic::{AtomicI32, Ordering::SeqCst}; \
         static N: AtomicI32 = AtomicI32::new(0); static FIXED: i32 = 5; \
         let c = RefCell::new(vec![1]); let rc = Rc::new(Cell::new(0)); let text = String::from(\"t\"); N.store(1, SeqCst);");
    cells.fails("c.borrow_mut().push(2); rc.set(9); N.store(7, SeqCst); panic!(\"{text} {FIXED}\");");
    loses_nothing(&mut cells, ABORT);
    let noted = cells.noted();
    assert!(noted.contains("these may differ from before: c, rc, static N (cell 2 failed)"), "{noted}");
    cells.shows("(c.borrow().clone(), rc.get(), N.load(SeqCst))", "([1], 0, 1)");
}

#[test]
fn a_variable_that_a_cell_defines_anew_needs_no_older_one() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("f");
    std::fs::write(&file, "old").unwrap();
    let mut cells = Conversation::start();
    cells.ok(&format!("let v = std::fs::read_to_string({file:?})?; let w = 1;"));
    std::fs::remove_file(&file).unwrap();
    cells.shows("let v = \"abc\".to_string(); let w = w + 1; v.len()", "3");
    let loss = loses(&mut cells, ABORT);
    // `w` is made of an older one, and `v` of nothing.
    assert_eq!(loss.variables, ["v", "w"], "one statement of the cell needs `w`");
    cells.ok("let w = 1_usize;");
    cells.shows("let v = \"abc\".to_string(); v.len()", "3");
    cells.shows("let v = v.len() + w; v", "4");
    let mut cells = Conversation::start();
    std::fs::write(&file, "old").unwrap();
    cells.ok(&format!("let v = std::fs::read_to_string({file:?})?;"));
    std::fs::remove_file(&file).unwrap();
    cells.shows("let v = \"abc\".to_string(); v.len()", "3");
    loses_nothing(&mut cells, ABORT);
    cells.shows("v", "\"abc\"");
}

#[test]
fn a_variable_that_is_defined_anew_is_dropped_once_and_stays_if_the_cell_fails() {
    let mut cells = Conversation::start();
    cells.ok(
        "struct Loud(u8); impl Drop for Loud { fn drop(&mut self) { println!(\"dropped {}\", self.0) } }",
    );
    cells.ok("let v = Loud(1);");
    cells.fails("let v = Loud(2); panic!(\"no\");");
    cells.shows("v.0", "1");
    cells.prints("let v = Loud(3); println!(\"bound {}\", v.0);", "bound 3\ndropped 1\n");
    cells.shows("v.0", "3");
    // Of another type.
    cells.prints("let v = 5;", "dropped 3\n");
    cells.shows("v", "5");
}

#[test]
fn values_of_cells_come_back_where_no_variable_is_held() {
    let mut cells = Conversation::keeping_results();
    cells.shows("41 + 1", "42");
    cells.shows("vec![1.5f32, 2.5]", "[1.5, 2.5]");
    loses_nothing(&mut cells, ABORT);
    cells.shows("Out[1]", "42");
    cells.shows("_2.len()", "2");
    cells.ok(":replay off");
    loses(&mut cells, ABORT);
    assert!(cells.noted().contains("lost with it: the values of 4 cells"), "{}", cells.noted());
    cells.fails_with("Out[1]", "the value of cell 1 was lost with its worker process");
    assert!(cells.rendered().contains("`:replay now` tries"), "{}", cells.rendered());
    cells.fails_with("_ + 1", "the value of cell 5 was lost with its worker process");
    cells.ok(":replay now");
    cells.shows("Out[1]", "42");
}

#[test]
fn what_the_value_of_a_failed_cell_was_made_into_is_told() {
    let mut cells = Conversation::keeping_results();
    cells.ok("let mut n = 1;");
    cells.fails("n += 1; panic!(\"later\")");
    cells.shows("n * 10", "20");
    cells.ok("let m = _ + 1;");
    loses_nothing(&mut cells, ABORT);
    let noted = cells.noted();
    assert!(noted.contains("these may differ from before: m, n, Out[3] (cell 2 failed)"), "{noted}");
}

#[test]
fn threads_of_replayed_cells_are_not_heard_again() {
    let mut cells = Conversation::start();
    cells.ok("let a = 1;");
    cells.ok("std::thread::spawn(|| loop { std::thread::sleep(std::time::Duration::from_millis(50)); println!(\"again\") });");
    loses_nothing(&mut cells, ABORT);
    // Before the next cell, and while it runs.
    std::thread::sleep(Duration::from_millis(300));
    cells.ok("std::thread::spawn(|| println!(\"mine\")).join().unwrap(); std::thread::sleep(std::time::Duration::from_millis(300));");
    let heard = format!("{:?} {:?}", cells.streamed(), String::from_utf8_lossy(cells.stdout()));
    assert!(heard.contains("mine") && !heard.contains("again"), "{heard}");
}
