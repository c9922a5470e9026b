//! How cells end: `?`, `return`, panics, `await`, exits.

use gpurepl_session::Outcome;
use gpurepl_tests::Conversation;

#[test]
fn a_question_mark_ends_a_cell_that_fails() {
    let mut cells = Conversation::start();
    cells.ok("let mut copy = 0;");
    let error = cells.fails("copy = 40; let n: i32 = \"x\".parse()?; copy = 41;");
    assert!(error.message.contains("InvalidDigit"), "{}", error.message);
    assert_eq!(error.place(), Some((1, 25)), "{}", cells.rendered());
    cells.shows("copy", "40");
    cells.ok("let n: i32 = \"5\".parse()?;");
    cells.shows("n", "5");
}

#[test]
fn errors_of_all_kinds_can_be_asked() {
    let mut cells = Conversation::start();
    cells.fails_with("std::fs::read(\"/no/such/file\")?;", "No such file");
    cells.fails_with("Err::<(), _>(String::from(\"own text\"))?;", "own text");
    cells.fails_with("Err::<(), _>(\"a str\")?;", "a str");
    cells.fails_with("Err::<(), Box<dyn std::error::Error>>(\"boxed\".into())?;", "boxed");
    cells.ok("#[derive(Debug)] struct Mine(i32);");
    cells.fails_with("Err::<(), _>(Mine(3))?;", "Mine(3)");
    cells.fails_with("None::<i32>?;", "ok_or");
}

#[test]
fn an_early_return_is_an_end() {
    let mut cells = Conversation::start();
    cells.ok("let mut a = 1;");
    cells.ok("a = 2; if a == 2 { return Ok(()); } a = 3;");
    cells.shows("a", "2");
    cells.ok("return;");
    cells.fails("break;");
}

#[test]
fn panics_name_the_users_line() {
    let mut cells = Conversation::start();
    cells.ok("fn outer(v: &[i32]) -> i32 {\n    v[5]\n}");
    let error = cells.fails_with("let v = vec![1];\nouter(&v)", "index out of bounds");
    assert!(cells.rendered().contains("cell 1:2:5"), "{}", cells.rendered());
    assert!(error.message.starts_with("panic"), "{}", error.message);
    let error = cells.fails("\n  None::<i32>.unwrap();");
    assert_eq!(error.place(), Some((2, 15)), "{}", cells.rendered());
    assert!(!cells.rendered().contains(".cargo"), "{}", cells.rendered());
}

#[test]
fn panics_with_any_payload() {
    let mut cells = Conversation::start();
    cells.fails("std::panic::panic_any(5);");
    cells.fails_with("assert_eq!(1 + 1, 3, \"sums\");", "sums");
    cells.fails_with(
        "let a: u8 = \"255\".parse()?; a + std::hint::black_box(1)",
        "attempt to add with overflow",
    );
    cells.shows("1", "1");
}

#[test]
fn a_panic_that_is_caught_is_no_failure() {
    let mut cells = Conversation::start();
    cells.shows("std::panic::catch_unwind(|| panic!(\"quiet\")).is_err()", "true");
}

#[test]
fn panics_of_threads() {
    let mut cells = Conversation::start();
    cells.ok("let t = std::thread::spawn(|| panic!(\"in a thread\"));");
    cells.shows("t.join().is_err()", "true");
    cells.fails("std::thread::spawn(|| panic!(\"again\")).join().unwrap();");
    cells.fails("std::thread::scope(|s| { s.spawn(|| panic!(\"scoped\")); });");
}

#[test]
fn cells_can_await() {
    let mut cells = Conversation::start();
    cells.ok("async fn double(x: i32) -> i32 { x * 2 }");
    cells.shows("double(4).await + 1", "9");
    cells.ok("let y = double(10).await;");
    cells.shows("y", "20");
    cells.ok("let later = double(3);");
    cells.shows("later.await", "6");
    cells.ok("let f = async { 1 };");
}

#[test]
fn an_exit_is_a_loss_that_the_session_survives() {
    let mut cells = Conversation::start();
    cells.ok("let a = 1; fn f() -> i32 { 5 }");
    match cells.run("std::process::exit(3);") {
        Outcome::Lost(loss) => {
            assert_eq!(loss.cause, "exit status 3");
            assert_eq!((loss.restored, loss.variables), (vec!["a".to_owned()], Vec::new()));
        }
        other => panic!("{other:?}"),
    }
    cells.shows("f() + a", "6");
}

#[test]
fn return_ends_the_cell() {
    let mut cells = Conversation::start();
    cells.prints(
        "let a = 1; if a == 1 { println!(\"enough\"); return }; println!(\"more\"); let b = 2;",
        "enough\n",
    );
    cells.fails_with("b", "cannot find value `b`");
    assert!(cells.rendered().contains("cell 1 returned before its end"), "{}", cells.rendered());
    cells
        .ok("let c = match std::fs::read(\"/no/such/file\") { Ok(bytes) => bytes.len(), Err(_) => return };");
    cells.ok("let v = vec![1, 2]; let f = |x: i32| { if x > 1 { return; } println!(\"closure\"); };");
    cells.prints("for x in &v { if *x == 2 { return; } println!(\"{x}\"); }", "1\n");
    cells.shows("v.len()", "2");
    let source = "if v.is_empty() { return; } let x: u8 = \"a\";";
    let diagnostic = cells.fails(source);
    assert_eq!(&source[diagnostic.labels[0].range.clone()], "\"a\"");
}
