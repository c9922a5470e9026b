//! Ctrl-C: what it stops keeps every variable, in each phase of a cell.

use std::time::{Duration, Instant};

use gpurepl_session::Outcome;
use gpurepl_tests::{Conversation, is_on_host};

use super::loses;

/// Whatever happens, and whatever else the machine does, this is a hang.
const HANG: Duration = Duration::from_secs(120);

/// Runs a cell and interrupts it after a time; returns how it ended, and how
/// long after the interrupt.
fn interrupted(cells: &mut Conversation, source: &str, after: Duration) -> (Outcome, Duration) {
    let interrupter = cells.interrupter();
    let user = std::thread::spawn(move || {
        std::thread::sleep(after);
        interrupter.interrupt();
        Instant::now()
    });
    let outcome = cells.run(source);
    let end = Instant::now();
    (outcome, end.saturating_duration_since(user.join().unwrap()))
}

#[test]
fn every_phase_can_be_stopped_and_keeps_variables() {
    let mut phases = vec![
        (
            "compiling",
            "#![allow(long_running_const_eval)]\nconst N: u64 = { let mut k = 0_u64; while k < 3_000_000_000 { k += 1; } k };\nn = N;",
        ),
        ("a loop that calls the library", "loop { n += 1; a += 1; }"),
        ("a loop that asks", "loop { n += 1; check_interrupt(); }"),
        ("a queue of launches", "loop { n += 1; k.launch(64, 64, &mut a)?; }"),
        (
            "an expression over much memory",
            "let big = ones::<f64>(1 << 22); loop { n += 1; let _ = (&big * 2.0 + &big).sum().item(); }",
        ),
        ("copies", "let v = vec![0_u8; 1 << 24]; loop { n += 1; let _ = to_gpu(&v).to_vec(); }"),
        ("await", "n += 1; std::future::pending::<()>().await;"),
    ];
    if is_on_host() {
        phases.extend([
            // NVRTC works within the process, and cannot be stopped there.
            (
                "compiling kernels",
                "loop { n += 1; SourceModule::new(&format!(\"__global__ void f{n}(int *a) {{ a[0] = {n}; }}\"))?; }",
            ),
            ("a kernel", "n += 1; endless.launch(4, 64, &mut a)?;"),
            ("a kernel with barriers", "n += 1; waits.launch(4, 64, &mut a)?;"),
        ]);
    }
    let mut cells = Conversation::start();
    cells.ok("let mut n = 0_u64; let mut a = zeros::<i32>(64); let text = String::from(\"kept\");");
    cells.ok("let module = SourceModule::new(\"__global__ void k(int *a) { atomicAdd(a, 1); }\\n\
         __global__ void endless(int *a) { for (;;) a[threadIdx.x] += 1; }\\n\
         __global__ void waits(int *a) { for (;;) __syncthreads(); }\")?; \
         let k = module.get_function(\"k\")?; let endless = module.get_function(\"endless\")?; \
         let waits = module.get_function(\"waits\")?;");
    println!("| phase | stopped after |\n|---|---|");
    for (phase, source) in phases {
        let (outcome, time) = if phase == "compiling" {
            interrupted(&mut cells, source, Duration::from_millis(700))
        } else {
            let source = format!("n += 1; println!(\"started\"); {source}");
            // Should the first go unheard, the next ends the worker: that is
            // no hang, and not what is expected.
            cells.interrupted(&source, &[Duration::from_millis(300), HANG])
        };
        assert_eq!(outcome, Outcome::Interrupted, "{phase}: {}", cells.rendered());
        assert!(time < HANG, "{phase}: {time:?}");
        println!("| {phase} | {} ms |", time.as_millis());
        cells.shows("text", "\"kept\"");
        cells.shows("a.len()", "64");
        let has_run = cells.run("assert!(n > 0); n = 0;").is_done();
        assert_eq!(has_run, phase != "compiling", "{phase}: {}", cells.rendered());
    }
}

/// Compiling, linking, loading, running: an interrupt at any time stops the
/// cell, or comes when it is done, and never costs anything.
#[test]
fn an_interrupt_at_any_time_costs_nothing() {
    let mut cells = Conversation::start();
    cells.ok("let mut n = 0; let kept = vec![1, 2, 3];");
    let source = "let a = zeros::<i32>(10); n += 1; let fresh = a.sum().item();";
    let mut start = Instant::now();
    cells.ok(source);
    // How long one took last: a third of them comes too late, if the next ones
    // take as long. It goes on until some were stopped and some were not.
    let mut whole = start.elapsed();
    let (mut stopped, mut done) = (0, 0);
    for k in 0.. {
        if k >= 36 && stopped > 0 && done > 0 {
            break;
        }
        let after = whole / 24 * (k % 36);
        start = Instant::now();
        let (outcome, time) = interrupted(&mut cells, source, after);
        match outcome {
            Outcome::Interrupted => stopped += 1,
            Outcome::Done(_) => {
                done += 1;
                whole = start.elapsed();
            }
            other => panic!("after {after:?}: {other:?}\n{}", cells.rendered()),
        }
        // Where all were stopped, the machine has become slower.
        if k % 36 == 35 && done == 0 {
            whole *= 2;
        }
        assert!(time < HANG, "{after:?}: {time:?}");
    }
    println!("{stopped} stopped, {done} done");
    cells.shows("kept", "[1, 2, 3]");
    cells.shows(&format!("n > {done} && n <= {}", 1 + done + stopped), "true");
}

#[test]
fn a_replay_can_be_stopped_and_keeps_what_is_back() {
    let mut cells = Conversation::start();
    cells.ok("let a = 1; let mut n = 0;");
    // Slow when it is replayed only, or the test would be slow too.
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("slow");
    let reached = folder.path().join("reached");
    cells.ok(&format!(
        "let b = 2; if std::path::Path::new({file:?}).exists() {{ std::fs::write({reached:?}, \"\")?; loop {{ check_interrupt(); }} }}"
    ));
    cells.ok("n += 1; static S: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(4); S.store(5, std::sync::atomic::Ordering::SeqCst);");
    cells.ok("let c = 3;");
    std::fs::write(&file, "").unwrap();
    // The replay is silent, so what says that it has come so far is a file.
    let (interrupter, seen) = (cells.interrupter(), reached.clone());
    let user = std::thread::spawn(move || {
        while !seen.exists() {
            std::thread::sleep(Duration::from_millis(5));
        }
        interrupter.interrupt();
    });
    let loss = loses(&mut cells, "std::process::abort();");
    user.join().unwrap();
    assert_eq!(
        (loss.variables, loss.restored),
        (vec!["b".to_owned(), "c".to_owned()], vec!["a".to_owned(), "n".to_owned()])
    );
    let noted = cells.noted();
    assert!(
        noted.contains("b, c (cell 2 was not replayed") || noted.contains("b (cell 2 was not replayed"),
        "{noted}"
    );
    assert!(
        noted.contains(
            "may differ from before: n, static S (cell 3 was not replayed: the replay was interrupted)"
        ),
        "{noted}"
    );
    cells.shows("(a, n)", "(1, 0)");
    // Statics are there, as they began.
    cells.shows("S.load(std::sync::atomic::Ordering::SeqCst)", "4");
}

#[test]
fn what_does_not_listen_costs_the_worker_and_no_variable() {
    let mut cells = Conversation::start();
    cells.ok("let a = 1;");
    for source in
        ["loop { std::hint::spin_loop(); }", "std::thread::sleep(std::time::Duration::from_secs(3600));"]
    {
        let source = format!("println!(\"started\"); {source}");
        let outcome = cells.interrupted_again(&source);
        let Outcome::Lost(loss) = outcome else { panic!("{source}: {outcome:?}") };
        assert_eq!((loss.restored, loss.variables), (vec!["a".to_owned()], Vec::new()), "{source}");
        assert!(cells.noted().contains("interrupt again to end its process"), "{source}: {}", cells.noted());
        cells.shows("a", "1");
    }
}

/// One of CUDA's does so while kernels are compiled and loaded.
#[test]
fn an_interrupt_is_heard_though_a_library_has_put_the_handler_back_without_its_flags() {
    let mut cells = Conversation::start();
    cells.ok("fn put_back() { unsafe extern \"C\" { fn signal(number: i32, handler: usize) -> usize; } \
         unsafe { let handler = signal(2, 1); signal(2, handler); } }");
    for before in ["", "put_back(); ", "", "put_back(); "] {
        let source = format!("{before}println!(\"on\"); loop {{ let _ = arange(0..10).sum().item(); }}");
        let (outcome, _) = cells.interrupted(&source, &[Duration::from_millis(50)]);
        assert!(matches!(outcome, Outcome::Interrupted), "{outcome:?}");
    }
}

#[test]
fn an_interrupt_lets_destructors_that_use_arrays_come_to_their_end() {
    let mut cells = Conversation::start();
    cells.ok("let kept = 1; let module = SourceModule::new(\"__global__ void k(int *a) { a[threadIdx.x] += 1; }\")?; \
         let k = module.get_function(\"k\")?;");
    cells.ok("struct Uses<'a>(&'a Function); impl Drop for Uses<'_> { fn drop(&mut self) { \
         let a = to_gpu(&[1, 2, 3]); self.0.launch(1, 3, &a).unwrap(); \
         assert_eq!(a.to_vec(), [2, 3, 4]); println!(\"sum {}\", (&a + &a).sum().item()); } }");
    let source = "{ let _uses = Uses(&k); println!(\"started\"); loop { check_interrupt(); } };";
    let (outcome, _) = cells.interrupted(source, &[Duration::from_millis(100), HANG]);
    assert_eq!(outcome, Outcome::Interrupted, "{}", cells.rendered());
    assert_eq!(String::from_utf8_lossy(cells.stdout()), "started\nsum 18\n");
    cells.shows("kept", "1");
}

#[test]
fn a_question_that_is_interrupted_shows_no_value_and_costs_no_variable() {
    let mut cells = Conversation::keeping_results();
    cells.interrupt_at_question();
    let outcome = cells
        .run("let mut line = String::new(); let count = std::io::stdin().read_line(&mut line)?; count + 1");
    assert_eq!(outcome, Outcome::Interrupted, "{}", cells.rendered());
    assert!(cells.results().is_empty(), "{:?}", cells.results());
    cells.fails_with("_", "no stored value");
    cells.shows("(line.clone(), count)", "(\"\", 0)");
    super::loses_nothing(&mut cells, "std::process::abort();");
    cells.shows("(line.clone(), count)", "(\"\", 0)");
}
