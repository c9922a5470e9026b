//! Cells that print anything, and do anything to the descriptors that they
//! print on: the next cell works, and what it prints is its own.

use gpurepl_session::Outcome;
use gpurepl_tests::{Conversation, Streamed};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use crate::soak::is_alone;

/// C's functions, and a way to try everything.
const DECLARATIONS: &str = "unsafe extern \"C\" { fn write(fd: i32, from: *const u8, count: usize) -> isize; fn close(fd: i32) -> i32; fn dup2(from: i32, to: i32) -> i32; fn fork() -> i32; fn fcntl(fd: i32, what: i32, ...) -> i32; fn waitpid(pid: i32, status: *mut i32, options: i32) -> i32; fn _exit(status: i32) -> !; fn puts(text: *const std::ffi::c_char) -> i32; }\nuse std::io::Write as _; use std::process::{Command, Stdio};";

fn start() -> Conversation {
    let mut cells = Conversation::start();
    cells.ok(DECLARATIONS);
    cells
}

/// The next cell is as good as ever: what it prints and shows is its own.
#[track_caller]
fn is_well(cells: &mut Conversation, number: u32) {
    cells.ok(&format!(
        "print!(\"a{number}\"); unsafe {{ puts(c\"c\".as_ptr()) }}; eprint!(\"b{number}\"); display(&{number}); println!(\"d\"); {number}"
    ));
    assert_eq!(String::from_utf8_lossy(cells.stdout()), format!("a{number}c\nd\n"));
    assert_eq!(cells.stderr(), format!("b{number}"));
    assert_eq!(cells.results(), [number.to_string()]);
    assert_eq!(cells.displays().len(), 1);
    let order: Vec<u8> = cells
        .streamed()
        .iter()
        .map(|piece| match piece {
            Streamed::Stdout(bytes) => bytes[0],
            Streamed::Stderr(_) => b'e',
            _ => b'D',
        })
        .collect();
    assert_eq!(String::from_utf8_lossy(&order), "aeDd");
}

#[test]
fn any_bytes_pass_and_shift_nothing() {
    let mut cells = start();
    cells.ok("fn emit(bytes: &[u8], stream: u8) { let result = match stream { 0 => std::io::stdout().write_all(bytes), 1 => std::io::stderr().write_all(bytes), _ => { unsafe { write(1, bytes.as_ptr(), bytes.len()) }; Ok(()) } }; result.unwrap() }");
    let pieces = prop_oneof![
        prop::collection::vec(any::<u8>(), 0..300),
        // Half a character, what looks like a message, what a terminal obeys.
        Just(b"\xe2\x82".to_vec()),
        Just(b"\xf5gr\x01\x10\x00\x00\x00{\"Done\":{\"cell\":1}}".to_vec()),
        Just(b"{\"Display\":{\"is_result\":true,\"bundle\":{}}}".to_vec()),
        Just(b"\x1b[2J\x1b]0;title\x07\x1b[?1049h\x9b5n".to_vec()),
        Just(vec![0; 5000]),
        Just(vec![b'\n'; 3000]),
        Just(vec![b'y'; 200_000]),
    ];
    let strategy = prop::collection::vec((pieces, 0..3_u8), 1..6);
    let config = Config { cases: 12, max_shrink_iters: 8, failure_persistence: None, ..Config::default() };
    let mut number = 0;
    let cells = std::cell::RefCell::new((cells, &mut number));
    TestRunner::new(config)
        .run(&strategy, |pieces| {
            let (cells, number) = &mut *cells.borrow_mut();
            // The bytes go by a file: a cell of so many literals takes long.
            let mut file = tempfile::NamedTempFile::new().unwrap();
            let mut calls = String::new();
            let (mut stdout, mut stderr, mut at) = (Vec::new(), Vec::new(), 0);
            for (bytes, stream) in &pieces {
                std::io::Write::write_all(&mut file, bytes).unwrap();
                calls.push_str(&format!("emit(&bytes[{at}..{}], {stream});", at + bytes.len()));
                // Raw writes come before what the stream holds back.
                if *stream == 2 {
                    calls.insert_str(
                        calls.len() - format!("emit(&bytes[{at}..{}], 2);", at + bytes.len()).len(),
                        "std::io::stdout().flush()?;",
                    );
                }
                at += bytes.len();
                if *stream == 1 { &mut stderr } else { &mut stdout }.extend_from_slice(bytes);
            }
            cells.ok(&format!("let bytes = std::fs::read({:?})?; {calls}", file.path()));
            prop_assert_eq!(cells.stdout(), &stdout[..]);
            prop_assert_eq!(cells.stderr(), String::from_utf8_lossy(&stderr));
            **number += 1;
            is_well(cells, **number);
            Ok(())
        })
        .unwrap();
}

#[test]
fn ten_mebibytes_at_once_are_all_there() {
    let mut cells = start();
    cells.ok("let big = vec![b'x'; 10 << 20]; std::io::stdout().write_all(&big)?; std::thread::scope(|s| { for _ in 0..50 { s.spawn(|| println!(\"{}\", \"t\".repeat(1000))); } });");
    let count = |byte| cells.stdout().iter().filter(|own| **own == byte).count();
    assert_eq!((count(b'x'), count(b't'), count(b'\n')), (10 << 20, 50_000, 50));
    is_well(&mut cells, 1);
}

#[test]
fn descriptors_that_are_closed_or_redirected_are_whole_again() {
    let mut cells = start();
    let file = tempfile::NamedTempFile::new().unwrap();
    let path = file.path().display();
    let cases = [
        "unsafe { close(1) }; println!(\"nowhere\");".to_owned(),
        "unsafe { close(1); close(2); close(0) };".to_owned(),
        format!(
            "let f = std::fs::File::create(\"{path}\")?; unsafe {{ dup2(std::os::fd::AsRawFd::as_raw_fd(&f), 1) }}; println!(\"into the file\");"
        ),
        "unsafe { dup2(2, 1) }; println!(\"to stderr\");".to_owned(),
        // O_NONBLOCK, by F_SETFL.
        "unsafe { fcntl(1, 4, 0o4000) };".to_owned(),
        // Files that take the numbers.
        "unsafe { close(1) }; let f = std::fs::File::open(\"/dev/null\")?; std::mem::forget(f);".to_owned(),
        "unsafe { close(1) }; let kept = std::fs::File::open(\"/dev/null\")?;".to_owned(),
        "drop(kept);".to_owned(),
    ];
    for (number, case) in (10..).zip(&cases) {
        cells.ok(case);
        if case.contains("close(1)") {
            assert!(cells.noted().contains("standard output"), "{case}: {}", cells.noted());
        }
        is_well(&mut cells, number);
    }
    assert_eq!(std::fs::read_to_string(file.path()).unwrap(), "into the file\n");
}

#[test]
fn children_and_copies_of_the_process_disturb_nothing() {
    let mut cells = start();
    // One that keeps the streams, and prints later.
    let folder = tempfile::tempdir().unwrap();
    let printed = folder.path().join("printed").display().to_string();
    cells.ok(&format!(
        "let mut child = Command::new(\"sh\").args([\"-c\", \"echo now; touch {printed}; exec sleep 600\"]).stdin(Stdio::null()).spawn()?; while !std::path::Path::new({printed:?}).exists() {{ std::thread::yield_now(); }}"
    ));
    assert_eq!(cells.stdout(), b"now\n");
    is_well(&mut cells, 1);
    // A copy that runs to the end of the cell, prints, panics, or is ended.
    for (number, what) in (2..).zip([
        "println!(\"copy\");",
        "panic!(\"in the copy\");",
        "display(&1); let _ = 5;",
        "unsafe { _exit(3) };",
        "println!(\"{:?}\", try_input(\"? \").is_err());",
    ]) {
        cells.ok(&format!(
            "let pid = unsafe {{ fork() }}; if pid == 0 {{ {what} }} else {{ unsafe {{ waitpid(pid, std::ptr::null_mut(), 0) }}; }}"
        ));
        is_well(&mut cells, number);
    }
    cells.ok("child.kill()?; child.wait()?;");
    is_well(&mut cells, 9);
}

#[test]
fn garbage_at_every_number_reaches_no_channel() {
    let mut cells = start();
    cells.ok("for fd in 3..64 { unsafe { write(fd, b\"garbage\\n\".as_ptr(), 8) }; }");
    is_well(&mut cells, 1);
    cells.ok("for fd in 3..64 { unsafe { close(fd) }; }");
    is_well(&mut cells, 2);
}

/// The worker is lost, and the session says why.
#[track_caller]
fn loses(cells: &mut Conversation, source: &str, why: &str) {
    match cells.run(source) {
        Outcome::Lost(loss) => assert!(loss.cause.contains(why), "{source}: {}", loss.cause),
        other => panic!("{source}: {other:?}"),
    }
    is_well(cells, 7);
}

#[test]
fn a_channel_that_is_spoilt_ends_the_worker_with_a_reason() {
    let mut cells = start();
    let all = |what: &str| {
        format!(
            "for entry in std::fs::read_dir(\"/proc/self/fd\")? {{ let fd: i32 = entry?.file_name().to_string_lossy().parse()?; if fd > 2 {{ unsafe {{ {what} }}; }} }}"
        )
    };
    for garbage in [
        "\\n",
        "garbage",
        "    {}    ",
        "\\xf5gr\\x01\\xff\\xff\\xff\\x00{}",
        "\\xf5gr\\x01\\x02\\x00\\x00\\x00[]",
    ] {
        let source = all(&format!("let text = b\"{garbage}\"; write(fd, text.as_ptr(), text.len())"));
        match cells.run(&source) {
            Outcome::Lost(loss) => {
                assert!(loss.cause.contains("written into the channel"), "{garbage}: {}", loss.cause)
            }
            other => panic!("{garbage}: {other:?}"),
        }
        is_well(&mut cells, 3);
    }
    loses(&mut cells, &all("close(fd)"), "descriptors that are not its own");
    loses(
        &mut cells,
        "for fd in 3..20_000 { unsafe { close(fd) }; } println!(\"still here\");",
        "not its own",
    );
    loses(
        &mut cells,
        "let null = std::fs::File::open(\"/dev/null\")?; for fd in 100..2000 { unsafe { dup2(std::os::fd::AsRawFd::as_raw_fd(&null), fd) }; }",
        "not its own",
    );
}

/// The compilers that a session of this process keeps waiting, by their numbers.
fn compilers() -> Vec<i32> {
    let own = std::process::id();
    let is_own = |process: &i32| {
        let Ok(stat) = std::fs::read_to_string(format!("/proc/{process}/stat")) else { return false };
        // Behind the name, which may hold anything: the state and the parent.
        let Some((name, rest)) = stat.rsplit_once(')') else { return false };
        let parent = rest.split_whitespace().nth(1).and_then(|parent| parent.parse::<u32>().ok());
        name.ends_with("(rustc") && parent == Some(own)
    };
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    entries.filter_map(|entry| entry.file_name().to_string_lossy().parse().ok()).filter(is_own).collect()
}

#[test]
fn a_compiler_that_was_killed_took_the_cell_with_it() {
    // The compilers of a process of its own are those of one session.
    if !is_alone("engine::hostile::a_compiler_that_was_killed_took_the_cell_with_it") {
        return;
    }
    let mut cells = Conversation::start();
    cells.ok("let kept = 41;");
    let waiting = compilers();
    assert!(!waiting.is_empty(), "no compiler waits for the next cell");
    for process in waiting {
        kill(Pid::from_raw(process), Signal::SIGKILL).unwrap();
    }
    cells.ok("kept + 1");
    assert_eq!(cells.results(), ["42"]);
}
