//! Variables whose types only a later cell decides.

use gpurepl_tests::Conversation;

#[test]
fn what_is_made_empty_has_the_type_that_a_later_cell_tells() {
    let mut cells = Conversation::start();
    cells.ok("let mut list = Vec::new(); let n = 3;");
    assert!(cells.noted().contains("the type of `list` is not known yet"), "{}", cells.noted());
    cells.shows("n", "3");
    cells.ok("list.push(1.5);");
    cells.ok("list.push(2.5);");
    cells.shows("list", "[1.5, 2.5]");
    cells.ok("use std::collections::HashMap;\nlet mut counts = HashMap::new();");
    cells.ok("for word in [\"a\", \"b\", \"a\"] { *counts.entry(word).or_insert(0) += 1; }");
    cells.shows("counts[\"a\"]", "2");
    cells.ok("let (sender, receiver) = std::sync::mpsc::channel();");
    cells.ok("sender.send(5).unwrap(); drop(sender);");
    cells.shows("receiver.iter().collect::<Vec<_>>()", "[5]");
    cells.ok("let mut best = None;");
    cells.ok("for x in [1, 5, 3] { if best.is_none_or(|b| x > b) { best = Some(x) } }");
    cells.shows("best", "Some(5)");
}

#[test]
fn what_tells_nothing_is_an_error_where_it_was_made() {
    let mut cells = Conversation::start();
    cells.ok("let mut list = Vec::new();");
    cells.fails_with("list.len()", "cell 1:1:5");
    cells.fails_with("let p = \"5\".parse().unwrap();", "type annotations needed");
    cells.fails_with("let v = Vec::new(); v.len()", "type annotations needed");
    // A cell that fails has made nothing.
    cells.fails("list.push(1); panic!();");
    cells.ok("list.push(\"a\");");
    cells.shows("list", "[\"a\"]");
    cells.ok("let mut list = vec![];");
    cells.fails_with("fn f() -> usize { list.len() }", "list");
    cells.ok("let list = 4;");
    cells.shows("list", "4");
}

#[test]
fn what_waits_for_its_type_can_be_forgotten() {
    let mut cells = Conversation::start();
    cells.ok("let mut list = Vec::new(); let mut other = Vec::new(); let n = 3;");
    cells.ok(":reset vars list");
    assert_eq!(cells.noted(), "forgotten: list");
    cells.fails_with("list.push(1);", "forgotten by `:reset`");
    cells.ok("other.push(1);");
    cells.shows("other", "[1]");
    // One statement is forgotten whole.
    cells.ok("let (sender, receiver) = std::sync::mpsc::channel();");
    cells.ok(":reset vars receiver");
    assert_eq!(cells.noted(), "forgotten: sender, receiver");
    cells.fails("sender.send(5).unwrap();");
    cells.ok("let mut list = Vec::new();");
    cells.ok(":reset vars");
    cells.fails("list.push(1);");
    cells.fails_with(":reset vars list", "there is no variable `list`");
}
