//! Whether it is replayed: `:replay`, marks, scripts.

use gpurepl_session::{Options, ReplayPolicy};
use gpurepl_tests::{Conversation, Finished, gpurepl, run_with_input};

use super::{loses, loses_nothing};

const ABORT: &str = "std::process::abort();";

#[test]
fn nothing_is_replayed_unless_it_is_wanted() {
    let mut cells = Conversation::with_options(Options { replay: ReplayPolicy::Off, ..Options::default() });
    cells.ok("let a = 1; let b = vec![2];");
    let loss = loses(&mut cells, ABORT);
    assert_eq!(loss.variables, ["a", "b"]);
    assert!(cells.noted().contains("lost with it: a, b"), "{}", cells.noted());
    cells.fails_with("a", "lost with its worker");
    cells.ok("let c = 10; let b = \"new\";");
    cells.ok(":replay");
    let text = cells.displays()[0].get("text/plain").unwrap();
    assert!(text.contains("replay is off") && text.contains("tries to bring back: a, b"), "{text}");
    cells.ok(":replay now");
    cells.shows("(a, b, c)", "(1, \"new\", 10)");
    cells.fails_with(":replay now", "nothing was lost");
    cells.fails_with(":replay never", "`on`, `ask` and `off`, and `:replay now`");
}

#[test]
fn a_later_replay_sees_statics_as_its_cells_did() {
    let mut cells = Conversation::start();
    cells.ok(":replay off");
    cells
        .ok("use std::sync::atomic::{AtomicU32, Ordering::SeqCst}; static C: AtomicU32 = AtomicU32::new(0);");
    cells.ok("let a = C.fetch_add(5, SeqCst); let r = rand::<f32>(2).to_vec();");
    cells.ok("let b = C.load(SeqCst);");
    cells.ok("println!(\"{r:?}\")");
    let numbers = String::from_utf8(cells.stdout().to_vec()).unwrap();
    loses(&mut cells, ABORT);
    // A new static, which starts again.
    cells.ok("let c = C.fetch_add(1, SeqCst);");
    cells.ok(":replay now");
    cells.shows("(a, b, c, C.load(SeqCst))", "(0, 5, 0, 1)");
    cells.prints("println!(\"{r:?}\")", &numbers);
}

#[test]
fn a_user_who_wants_to_be_asked_is_asked() {
    let mut cells = Conversation::start();
    cells.ok(":replay ask");
    cells.ok("let a = 1;");
    cells.answer(true);
    loses_nothing(&mut cells, ABORT);
    assert!(cells.questions()[0].starts_with("replay 1 cell, which ran for"), "{:?}", cells.questions());
    cells.answer(false);
    let loss = loses(&mut cells, ABORT);
    assert_eq!(loss.variables, ["a"]);
    assert!(cells.noted().contains("lost with it: a; `:replay now` tries to bring them back"));
    cells.ok(":replay now");
    cells.shows("a", "1");
}

#[test]
fn marked_cells_are_not_run_twice() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    let append = format!(
        "use std::io::Write as _; writeln!(std::fs::OpenOptions::new().create(true).append(true).open({log:?})?, \"once\")?;"
    );
    let mut cells = Conversation::start();
    cells.ok("let a = 1; let mut n = 0;");
    cells.ok(&format!("%%noreplay\n{append} let sent = a; n += 1;"));
    cells.ok(&format!("// gpurepl: no-replay\n{append}"));
    cells.ok("let seen = sent;");
    let loss = loses(&mut cells, ABORT);
    assert_eq!((&loss.variables[..], loss.restored.len()), (&["seen".to_owned(), "sent".to_owned()][..], 2));
    assert!(cells.noted().contains("sent (cell 2 is marked not to be replayed)"), "{}", cells.noted());
    assert!(cells.noted().contains("may differ from before: n (cell 2 is marked"), "{}", cells.noted());
    assert_eq!(std::fs::read_to_string(&log).unwrap(), "once\nonce\n");
    cells.ok(":replay");
    assert!(cells.displays()[0].get("text/plain").unwrap().contains("marked not to be replayed: cell 2, 3"));
    // Places in a marked cell are what they are.
    cells.fails_with("%%noreplay\nnonsense()", "cell 6:2:1");
}

#[test]
fn a_script_ends_with_its_worker_and_a_pipe_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("script.rs");
    std::fs::write(
        &script,
        "// %%\nlet a = 1; println!(\"once\");\n// %%\nstd::process::abort();\n// %%\na\n",
    )
    .unwrap();
    let ended = Finished::of(&mut gpurepl(&[script.to_str().unwrap()]));
    assert_eq!((ended.status, ended.stdout.as_str()), (Some(1), "once\n"));
    assert!(
        !ended.stderr.contains("replayed") && ended.stderr.contains("lost with it: a"),
        "{}",
        ended.stderr
    );
    let piped =
        run_with_input(&mut gpurepl(&[]), b"let a = 1; println!(\"once\");\nstd::process::abort();\na\n");
    assert_eq!((piped.status, piped.stdout.as_str()), (Some(1), "once\n1\n"));
    assert!(piped.stderr.contains("back: a"), "{}", piped.stderr);
    let exited = run_with_input(&mut gpurepl(&[]), b"let a = 1;\nstd::process::exit(0);\n");
    assert_eq!((exited.status, exited.stderr.as_str()), (Some(0), ""));
}
