//! The second engine. Without the prelude, which evcxr takes a minute to
//! compile: what is tested is what a session makes of evcxr's answers.

use gpurepl_session::engine::evcxr::{EvcxrEngine, EvcxrOptions};
use gpurepl_session::{Outcome, Toolchain};
use gpurepl_tests::Conversation;

fn start() -> Conversation {
    crate::analysis::analyser();
    let toolchain = Some(Toolchain::find().unwrap());
    let engine = EvcxrEngine::new(EvcxrOptions { prelude: None, toolchain, ..EvcxrOptions::default() });
    Conversation::over(Box::new(engine.unwrap()))
}

/// One session for all: evcxr takes seconds to start.
#[test]
fn cells_of_the_second_engine_end_as_those_of_the_first() {
    let mut cells = start();
    cells.ok("fn twice(a: i32) -> i32 { 2 * a }");
    cells.ok("let a = twice(20); let text = String::from(\"kept\");");
    cells.shows("a + 1", "41");
    cells.shows("text", "\"kept\"");
    cells.ok("if a > 1 { println!(\"more\") }");
    assert_eq!(String::from_utf8_lossy(cells.stdout()), "more\n");
    assert!(cells.results().is_empty(), "{:?}", cells.results());
    // A line without its end stays one, whatever evcxr prints behind it.
    cells.ok("print!(\"half\"); 5");
    assert_eq!(String::from_utf8_lossy(cells.stdout()), "half");
    assert_eq!(cells.results(), ["5"]);

    // Places are those of the user's own text.
    let error = cells.fails("let b = 1; b + missing");
    assert_eq!(
        (error.code.as_deref(), error.place()),
        (Some("E0425"), Some((1, 16))),
        "{}",
        cells.rendered()
    );
    let error = cells.fails("let b = 1;\nif b > 0 {\n  missing\n} else { 2 }");
    assert_eq!(error.place(), Some((3, 3)), "{}", cells.rendered());
    assert_eq!(cells.fails("let c = missing;").place(), Some((1, 9)), "{}", cells.rendered());

    // What fails while it runs has failed, and what was there is there.
    let error = cells.fails("let lost = 1; panic!(\"no {}\", a); lost");
    assert_eq!(error.message, "panic: no 40");
    let error = cells.fails("let v = vec![1]; let i = v.len(); v[i]");
    assert!(error.message.starts_with("panic: index out of bounds"), "{}", error.message);
    let error = cells.fails("let number = \"x\".parse::<i32>()?; number");
    assert!(error.message.contains("`?` has returned an error"), "{}", error.message);
    assert!(cells.stderr().contains("invalid digit found in string"), "{}", cells.stderr());
    cells.fails("std::fs::read(\"/no/such/file\")?;");
    cells.fails("lost");
    cells.shows("text", "\"kept\"");
    // A panic that the cell itself catches is none of the cell's, nor is a thread's.
    cells.shows("std::panic::catch_unwind(|| panic!(\"caught\")).is_err()", "true");
    cells.shows("std::thread::spawn(|| panic!(\"elsewhere\")).join().is_err()", "true");

    assert!(matches!(cells.run("std::process::exit(3);"), Outcome::Lost(_)));
    cells.shows("twice(3)", "6");
    assert_eq!(cells.fails("panic!(\"again\");").message, "panic: again");
}
