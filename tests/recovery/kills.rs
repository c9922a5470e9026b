//! The worker is killed, in each phase of its life.

use std::time::Duration;

use gpurepl_session::Options;
use gpurepl_tests::{Conversation, program};

use super::{KILL_ME, kill, loses, loses_nothing};

/// A session with variables, and its worker.
fn start() -> (Conversation, i32) {
    let mut cells = Conversation::start();
    cells.ok("let a = to_gpu(&[1, 2, 3]); let mut n = 1;");
    cells.ok("n += 1;");
    let worker = cells.worker();
    (cells, worker)
}

#[track_caller]
fn goes_on(cells: &mut Conversation) {
    cells.shows("(a.to_vec(), n)", "([1, 2, 3], 2)");
}

/// Waits until only the number of a process is left: its threads end one by
/// one.
fn wait_for_end(process: i32) {
    let folder = std::path::Path::new("/proc").join(process.to_string());
    let is_there = || {
        let text = std::fs::read_to_string(folder.join("stat")).unwrap_or_default();
        let threads = std::fs::read_dir(folder.join("task")).map_or(0, Iterator::count);
        threads > 1 || (threads == 1 && !text.contains(") Z "))
    };
    while is_there() {
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn while_idle() {
    let (mut cells, worker) = start();
    kill(worker);
    wait_for_end(worker);
    // The next cell runs as if nothing had been.
    goes_on(&mut cells);
    assert!(cells.rendered().contains("while no cell ran: signal 9 (SIGKILL)"), "{}", cells.rendered());
    assert!(cells.rendered().contains("memory runs out"), "{}", cells.rendered());
    // Also if the prompt sees it first, and if the session is asked something else.
    for ask in ["drain", ":device", "fn f() {}"] {
        let worker = cells.worker();
        kill(worker);
        wait_for_end(worker);
        match ask {
            "drain" => drop(cells.drained()),
            source => cells.ok(source),
        }
        assert!(cells.noted().contains("back: a, n"), "{ask}: {}", cells.noted());
        goes_on(&mut cells);
    }
}

#[test]
fn while_a_cell_compiles() {
    for delay in [5, 30, 60, 90] {
        let (mut cells, worker) = start();
        let other = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(delay));
            kill(worker);
        });
        let outcome = cells.run("let b = n + 1; std::thread::sleep(std::time::Duration::from_millis(150));");
        other.join().unwrap();
        // On a machine that is quick the cell has begun.
        match outcome {
            gpurepl_session::Outcome::Done(_) => cells.shows("b", "3"),
            gpurepl_session::Outcome::Lost(loss) => assert!(loss.variables.is_empty(), "{loss:?}"),
            other => panic!("{other:?}"),
        }
        goes_on(&mut cells);
    }
}

#[test]
fn while_a_cell_is_loaded() {
    let (mut cells, _) = start();
    let source = "extern \"C\" fn crash() { unsafe { std::ptr::null_mut::<i32>().write_volatile(1) } }\n\
                  #[unsafe(link_section = \".init_array\")] #[used] static CRASH: extern \"C\" fn() = crash;\n1";
    let loss = loses_nothing(&mut cells, source);
    assert!(loss.cause.contains("SIGSEGV"), "{}", loss.cause);
    goes_on(&mut cells);
}

#[test]
fn while_a_cell_runs() {
    let (mut cells, _) = start();
    let loss = loses_nothing(&mut cells, &format!("n += 10; {KILL_ME}"));
    assert!(loss.cause.contains("SIGKILL"), "{}", loss.cause);
    goes_on(&mut cells);
}

#[test]
fn while_it_prints_and_shows() {
    let (mut cells, worker) = start();
    let folder = tempfile::tempdir().unwrap();
    let printing = folder.path().join("printing");
    let source = format!(
        "for k in 0.. {{ println!(\"{{}}\", \"x\".repeat(1000)); display(&\"y\".repeat(1000)); if k == 20 {{ std::fs::write({printing:?}, \"\")?; }} }}"
    );
    let other = std::thread::spawn(move || {
        while !printing.exists() {
            std::thread::sleep(Duration::from_millis(5));
        }
        kill(worker);
    });
    loses_nothing(&mut cells, &source);
    other.join().unwrap();
    goes_on(&mut cells);
    let source = format!(
        "struct Deadly; impl std::fmt::Debug for Deadly {{ fn fmt(&self, _: &mut std::fmt::Formatter) -> std::fmt::Result {{ {KILL_ME} }} }}\nDeadly"
    );
    loses_nothing(&mut cells, &source);
    goes_on(&mut cells);
}

#[test]
fn while_variables_are_dropped() {
    let (mut cells, _) = start();
    cells.ok(&format!(
        "struct Deadly; impl Drop for Deadly {{ fn drop(&mut self) {{ {KILL_ME} }} }} let d = Deadly;"
    ));
    loses_nothing(&mut cells, "struct Deadly(i32);");
    assert!(cells.rendered().contains("dropping variables for cell 5 has ended"), "{}", cells.rendered());
    goes_on(&mut cells);
    cells.fails("d");
}

#[test]
fn while_it_replays() {
    let (mut cells, _) = start();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("worker");
    // A cell that prints its process and takes its time.
    cells.ok(&format!(
        "std::fs::write({file:?}, std::process::id().to_string())?; let slow = 1; if n == 2 {{ std::thread::sleep(std::time::Duration::from_millis(800)); }}"
    ));
    let first = std::fs::read_to_string(&file).unwrap();
    let other = std::thread::spawn(move || {
        loop {
            let process = std::fs::read_to_string(&file).unwrap();
            if process != first && !process.is_empty() {
                return kill(process.parse().unwrap());
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    });
    let loss = loses(&mut cells, "std::process::abort();");
    other.join().unwrap();
    assert_eq!(loss.variables, ["slow"]);
    assert!(
        cells.noted().contains("cell 4 ended the worker when it was replayed: signal 9"),
        "{}",
        cells.noted()
    );
    goes_on(&mut cells);
}

#[test]
fn while_the_session_ends() {
    let (mut cells, _) = start();
    cells.ok(&format!(
        "struct Deadly; impl Drop for Deadly {{ fn drop(&mut self) {{ {KILL_ME} }} }} let d = Deadly;"
    ));
    cells.finish();
    assert!(cells.noted().contains("signal 9"), "{}", cells.noted());
    // Also a reset, after which there is a session still.
    let (mut cells, worker) = start();
    kill(worker);
    wait_for_end(worker);
    cells.ok(":reset");
    cells.shows("1 + 1", "2");
    cells.fails("a");
}

#[test]
fn two_sessions_side_by_side() {
    let sessions: Vec<_> = (0..2)
        .map(|k| {
            std::thread::spawn(move || {
                let (mut cells, _) = start();
                cells.ok(&format!("let own = {k};"));
                for _ in 0..3 {
                    loses_nothing(&mut cells, "std::process::abort();");
                    cells.shows("own", &k.to_string());
                }
                goes_on(&mut cells);
            })
        })
        .collect();
    sessions.into_iter().for_each(|session| session.join().unwrap());
}

#[test]
fn a_worker_that_cannot_be_started_any_more_is_an_error_each_time() {
    let folder = tempfile::tempdir().unwrap();
    let (copy, away) = (folder.path().join("gpurepl"), folder.path().join("away"));
    std::fs::copy(program(), &copy).unwrap();
    let mut cells = Conversation::with_options(Options { worker: Some(copy.clone()), ..Options::default() });
    cells.ok("let a = 1;");
    std::fs::rename(&copy, &away).unwrap();
    let loss = loses(&mut cells, "std::process::abort();");
    assert_eq!(loss.variables, ["a"]);
    assert!(
        cells.noted().contains("nothing was replayed: the worker could not be started"),
        "{}",
        cells.noted()
    );
    for _ in 0..2 {
        cells.fails_with("1 + 1", "the worker could not be started");
    }
    cells.fails_with(":replay now", "the worker could not be started");
    std::fs::rename(&away, &copy).unwrap();
    cells.shows("1 + 1", "2");
    cells.ok(":replay now");
    cells.shows("a", "1");
}
