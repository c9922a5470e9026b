//! Streams between cells and their session: order, live output, threads,
//! questions, displays that change, progress.

use std::time::{Duration, Instant};

use gpurepl_session::{MimeBundle, Outcome};
use gpurepl_tests::{Conversation, Streamed};

/// Standard output as a piece of what was said.
fn out(text: &str) -> Streamed {
    Streamed::Stdout(text.as_bytes().to_vec())
}

fn err(text: &str) -> Streamed {
    Streamed::Stderr(text.as_bytes().to_vec())
}

fn shown(text: &str) -> Streamed {
    Streamed::Display(None, MimeBundle::text(text))
}

/// Cells that read need a C library to do it with.
const SCANF: &str = "unsafe extern \"C\" { fn scanf(format: *const std::ffi::c_char, ...) -> i32; fn printf(format: *const std::ffi::c_char, ...) -> i32; fn getchar() -> i32; fn read(fd: i32, to: *mut u8, count: usize) -> isize; fn write(fd: i32, from: *const u8, count: usize) -> isize; fn close(fd: i32) -> i32; fn dup2(from: i32, to: i32) -> i32; fn fork() -> i32; fn fcntl(fd: i32, what: i32, ...) -> i32; fn waitpid(pid: i32, status: *mut i32, options: i32) -> i32; }";

/// A session in which the functions of C are declared.
fn with_c() -> Conversation {
    let mut cells = Conversation::start();
    cells.ok(SCANF);
    cells.ok("use std::io::{BufRead as _, Read as _, Write as _};");
    cells
}

#[test]
fn a_partial_line_is_seen_while_the_cell_runs() {
    let mut cells = with_c();
    // By the macros, by the stream, by C: each waits to be seen.
    let folder = tempfile::tempdir().unwrap();
    let mut reader = Reader { folder: folder.path().to_owned(), seen: String::new() };
    cells.ok(&format!(
        "fn wait_for(text: &str) {{ let path = std::path::Path::new({:?}).join(text); while !path.exists() {{ std::thread::yield_now(); check_interrupt(); }} }}",
        folder.path()
    ));
    // Each is seen before the next is printed, or the cell would not end.
    let outcome = cells.session().run(
        "for k in 0..3 { print!(\"\\r{k}\"); } wait_for(\"2\"); std::io::stdout().write_all(b\"raw\")?; wait_for(\"raw\"); \
         unsafe { printf(c\"from C\".as_ptr()) }; wait_for(\"from C\"); println!(\"end\");",
        &mut reader,
    );
    assert!(outcome.is_done(), "{outcome:?}");
    assert_eq!(reader.seen, "\r0\r1\r2rawfrom Cend\n");
}

/// A reader who says by files what has been seen.
struct Reader {
    folder: std::path::PathBuf,
    seen: String,
}

impl gpurepl_session::Sink for Reader {
    fn output(&mut self, _: gpurepl_session::Stream, bytes: &[u8]) {
        self.seen.push_str(&String::from_utf8_lossy(bytes));
        for text in ["2", "raw", "from C"] {
            if self.seen.ends_with(text) {
                std::fs::write(self.folder.join(text), "").unwrap();
            }
        }
    }
}

#[test]
fn streams_and_displays_come_in_the_order_written() {
    let mut cells = with_c();
    for _ in 0..5 {
        cells.ok(
            "for k in 0..20 { println!(\"a{k}\"); eprintln!(\"b{k}\"); print!(\"c\"); display(\"d\"); println!(\"e\"); }",
        );
        let mut expected = Vec::new();
        for k in 0..20 {
            let before = if k == 0 { String::new() } else { "e\n".to_owned() };
            expected.extend([
                out(&format!("{before}a{k}\n")),
                err(&format!("b{k}\n")),
                out("c"),
                shown("\"d\""),
            ]);
        }
        expected.push(out("e\n"));
        assert_eq!(cells.streamed(), expected);
    }
    cells.prints("unsafe { printf(c\"one \".as_ptr()) }; print!(\"two \"); unsafe { printf(c\"three \".as_ptr()) }; println!(\"four\");", "one two three four\n");
}

#[test]
fn a_thread_prints_for_the_cell_that_started_it() {
    let mut cells = with_c();
    cells.ok("use std::sync::mpsc::{channel, Sender, Receiver}; let (to, from) = channel::<u8>(); let (done, said) = channel::<()>();");
    // Cell 4: its thread prints while cells 5 and 6 run.
    cells.ok("let t = std::thread::spawn(move || { while from.recv().is_ok() { println!(\"thread\"); eprint!(\"!\"); done.send(()).unwrap(); } });");
    cells.ok("println!(\"own\"); to.send(1)?; said.recv()?; println!(\"own again\"); eprintln!(\"error\");");
    // Its pieces come in their order, and the running cell's may come between.
    let streamed = cells.streamed();
    let of_cell_4 = streamed.iter().filter_map(|piece| match piece {
        Streamed::OfCell(4, text) => Some(text.as_str()),
        _ => None,
    });
    assert_eq!(of_cell_4.collect::<String>(), "thread\n!", "{streamed:?}");
    assert!(!streamed.iter().any(|piece| matches!(piece, Streamed::OfCell(cell, _) if *cell != 4)));
    assert_eq!((cells.stdout(), cells.stderr()), (b"own\nown again\n".as_slice(), "error\n".to_owned()));
    // A thread of this cell belongs to no other.
    cells.ok("std::thread::spawn(|| println!(\"mine\")).join().unwrap();");
    assert_eq!(cells.streamed(), [out("mine\n")]);
    cells.ok("drop(to); t.join().unwrap();");
    // A panic of a thread is reported for its cell too.
    cells.ok("let (to, from) = channel::<u8>(); let t = std::thread::spawn(move || { let _ = from.recv(); panic!(\"late\") });");
    cells.ok("to.send(1)?; let _ = t.join();");
    assert!(
        cells
            .streamed()
            .iter()
            .any(|piece| matches!(piece, Streamed::OfCell(8, text) if text.contains("late"))),
        "{:?}",
        cells.streamed()
    );
}

#[test]
fn what_a_thread_printed_between_two_cells_was_the_second_ones() {
    let folder = tempfile::tempdir().unwrap();
    let (asked, done) = (folder.path().join("asked"), folder.path().join("done"));
    let mut cells = Conversation::start();
    cells.ok(&format!(
        "std::thread::spawn(|| {{ while !std::path::Path::new({asked:?}).exists() {{ std::thread::sleep(std::time::Duration::from_millis(5)); }} \
         println!(\"line\"); print!(\"part\"); eprintln!(\"error\"); std::fs::write({done:?}, \"\").unwrap(); }}); println!(\"own\");"
    ));
    assert_eq!(cells.streamed(), [out("own\n")]);
    std::fs::write(&asked, "").unwrap();
    let start = std::time::Instant::now();
    while !done.exists() {
        assert!(start.elapsed() < std::time::Duration::from_secs(60), "the thread prints");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    cells.ok("println!(\"second\");");
    let of_first = Streamed::OfCell(1, "line\nparterror\n".to_owned());
    assert_eq!(cells.streamed(), [of_first, out("second\n")]);
}

#[test]
fn macros_that_print_are_the_standard_librarys_in_all_else() {
    let mut cells = Conversation::start();
    cells.prints("let (a, w) = (1.5, 8); println!(); println!(\"{a:>w$.2}|{0}|{b:?}\", a, b = \"x\"); print!(\"{{}}\");", "\n    1.50|1.5|\"x\"\n{}");
    cells.fails_with("println!(\"{}\")", "1 positional argument");
    cells.fails_with("struct S; println!(\"{}\", S);", "Display");
    cells.prints("use std::println; println!(\"std's\");", "std's\n");
    cells.prints("macro_rules! println { ($e:expr) => { print!(\"<{}>\", $e) } } println!(1);", "<1>");
    cells.prints("println!(2);", "<2>");
    cells.prints("let print = 3; println!(print);", "<3>");
    // Of a `Display` that prints itself.
    cells.prints("struct L; impl std::fmt::Display for L { fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result { print!(\"in \"); f.write_str(\"L\") } } print!(\"{L}\");", "in L");
}

#[test]
fn whoever_reads_asks_the_user() {
    let mut cells = with_c();
    cells.reply(&["Ada", "36", "x", "y z"]);
    cells
        .ok("print!(\"name? \"); let mut name = String::new(); std::io::stdin().read_line(&mut name)?; name");
    assert_eq!(cells.results(), ["\"Ada\\n\""]);
    let asked = cells.asked();
    assert_eq!((asked.len(), asked[0].prompt.as_str(), asked[0].is_shown), (1, "name? ", true));
    cells.ok("unsafe { printf(c\"number? \".as_ptr()) }; let mut n = 0_i32; unsafe { scanf(c\"%d\".as_ptr(), &raw mut n) }; n");
    assert_eq!(cells.results(), ["36"]);
    assert_eq!(cells.asked()[0].prompt, "number? ");
    // A thread, and another program.
    cells.shows("std::thread::spawn(|| { let mut b = [0; 2]; std::io::stdin().read(&mut b).map(|_| b[0] as char) }).join().unwrap()?", "'x'");
    cells.prints("std::process::Command::new(\"head\").arg(\"-n1\").status()?;", "y z\n");
    // Nobody answers any more: the end of the input, and no hang.
    cells.shows("std::io::stdin().lines().count()", "0");
    cells.shows("let mut n = 0_i32; unsafe { scanf(c\"%d\".as_ptr(), &raw mut n) }", "-1");
    // That was the end for those cells only.
    cells.reply(&["again", "5"]);
    cells.shows("let mut s = String::new(); std::io::stdin().read_line(&mut s)?; s", "\"again\\n\"");
    cells.shows("let mut n = 0_i32; unsafe { scanf(c\"%d\".as_ptr(), &raw mut n) }; n", "5");
}

#[test]
fn several_lines_are_asked_for_one_by_one() {
    let mut cells = with_c();
    cells.reply(&["1", "2", "3"]);
    cells.shows(
        "let mut sum = 0; for line in std::io::stdin().lines() { sum += line?.parse::<i32>()?; print!(\"{sum}> \"); } sum",
        "6",
    );
    let prompts: Vec<String> = cells.asked().into_iter().map(|request| request.prompt).collect();
    assert_eq!(prompts, ["", "1> ", "3> ", "6> "]);
}

#[test]
fn a_question_of_the_librarys_is_asked_where_it_is_answered() {
    let mut cells = with_c();
    cells.reply(&["Ada", "secret", "late"]);
    cells.shows(
        "let name = input(\"Name? \"); let word = input_password(\"Word? \"); (name, word)",
        "(\"Ada\", \"secret\")",
    );
    let asked: Vec<_> =
        cells.asked().into_iter().map(|asked| (asked.prompt, asked.is_shown, asked.is_password)).collect();
    assert_eq!(asked, [("Name? ".to_owned(), false, false), ("Word? ".to_owned(), false, true)]);
    assert_eq!(cells.stdout(), b"");
    cells.shows("std::thread::spawn(|| input(\"From a thread? \")).join().unwrap()", "\"late\"");
    cells.fails_with("input(\"Nobody? \")", "asking for input: there is none");
    cells.shows("try_input(\"\").is_err()", "true");
}

#[test]
fn what_is_long_or_left_over_does_not_hang() {
    let mut cells = with_c();
    // More than a pipe holds, of which one byte is read.
    let long = "x".repeat(300_000);
    cells.reply(&[&long, "next", &long]);
    cells.shows("let mut b = [0]; unsafe { read(0, b.as_mut_ptr(), 1) }; b[0] as char", "'x'");
    cells.shows("let mut b = [0; 100]; let n = unsafe { read(0, b.as_mut_ptr(), 100) }; String::from_utf8_lossy(&b[..n as usize]).into_owned()", "\"next\\n\"");
    cells.shows("let mut s = String::new(); std::io::stdin().read_line(&mut s)?; s.len()", "300001");
}

#[test]
fn an_interrupt_ends_a_cell_that_asks() {
    let mut cells = with_c();
    cells.ok("let kept = 7;");
    for source in [
        "input(\"? \");",
        "let mut s = String::new(); std::io::stdin().read_line(&mut s)?; s.parse::<i32>()?;",
    ] {
        let interrupter = cells.interrupter();
        let reply = Interrupting { interrupter };
        let mut reply = reply;
        assert_eq!(cells.session().run(source, &mut reply), Outcome::Interrupted, "{source}");
    }
    cells.shows("kept", "7");
    cells.reply(&["5"]);
    cells.shows("input(\"\")", "\"5\"");
}

/// A user who interrupts instead of answering.
struct Interrupting {
    interrupter: gpurepl_session::Interrupter,
}

impl gpurepl_session::Sink for Interrupting {
    fn input(&mut self, _: &gpurepl_session::InputRequest) -> Option<String> {
        self.interrupter.interrupt();
        None
    }
}

#[test]
fn a_display_is_updated_by_later_cells_and_by_threads() {
    let mut cells = Conversation::start();
    cells.ok("let shown = display_handle(\"one\"); let other = display_handle(&1); println!(\"between\"); shown.update(\"two\"); println!(\"after\");");
    let streamed = cells.streamed();
    let [
        Streamed::Display(Some(id), first),
        Streamed::Display(Some(other), _),
        between,
        Streamed::Update(updated, second),
        after,
    ] = streamed.as_slice()
    else {
        panic!("{streamed:?}")
    };
    assert!(id == updated && id != other);
    assert_eq!((first.get("text/plain"), second.get("text/plain")), (Some("\"one\""), Some("\"two\"")));
    assert_eq!((between, after), (&out("between\n"), &out("after\n")));
    let id = *id;
    cells.ok("let also = shown.clone(); std::thread::spawn(move || also.update(&vec![3])).join().unwrap(); shown.clear(); clear_output(true); clear_output(false);");
    let expected = [
        Streamed::Update(id, MimeBundle::text("[3]")),
        Streamed::Update(id, MimeBundle::default()),
        Streamed::Clear(true),
        Streamed::Clear(false),
    ];
    assert_eq!(cells.streamed(), expected);
    // Another worker's displays are others.
    cells.run("std::process::abort();");
    cells.ok("display_handle(\"new\");");
    assert!(matches!(&cells.streamed()[..], [Streamed::Display(Some(new), _)] if *new != id));
}

/// The states of progress that were shown, by display.
fn progress_of(cells: &Conversation) -> Vec<(u64, String, String)> {
    let bundles = cells.streamed().into_iter().filter_map(|piece| match piece {
        Streamed::Display(Some(id), bundle) | Streamed::Update(id, bundle) => Some((id, bundle)),
        _ => None,
    });
    let mime = "application/vnd.gpurepl.progress+json";
    bundles
        .map(|(id, bundle)| {
            assert!(bundle.get("text/html").unwrap().contains("<progress"));
            (id, bundle.get(mime).unwrap().to_owned(), bundle.get("text/plain").unwrap().to_owned())
        })
        .collect()
}

#[test]
fn progress_is_shown_at_a_pace_and_to_its_end() {
    let mut cells = Conversation::start();
    let start = Instant::now();
    cells.ok("let mut sum = 0_u64; for k in progress(0..300_000_u64).message(\"summing\") { sum += std::hint::black_box(k); } sum");
    let states = progress_of(&cells);
    assert_eq!(states[0].1, "{\"done\":0,\"total\":300000,\"state\":\"running\"}");
    let last = states.last().unwrap();
    assert_eq!(last.1, "{\"done\":300000,\"total\":300000,\"state\":\"finished\"}");
    assert!(last.2.starts_with("summing 100% [=="), "{last:?}");
    assert!(states.len() as u128 <= 3 + start.elapsed().as_millis() / 100, "{}", states.len());
    // Of unknown length, nested, from threads.
    cells.ok("for _ in progress(0..2) { for _ in progress((0..10).filter(|k| k % 2 == 0)) {} }");
    let states = progress_of(&cells);
    let finished: Vec<&str> = states
        .iter()
        .filter(|(_, state, _)| state.contains("finished"))
        .map(|(_, state, _)| state.as_str())
        .collect();
    let inner = "{\"done\":5,\"total\":null,\"state\":\"finished\"}";
    assert_eq!(finished, [inner, inner, "{\"done\":2,\"total\":2,\"state\":\"finished\"}"]);
    cells.ok("let work = Progress::new(400).message(\"threads\"); std::thread::scope(|s| { for _ in 0..4 { s.spawn(|| (0..100).for_each(|_| work.inc(1))); } }); drop(work);");
    assert_eq!(progress_of(&cells).last().unwrap().1, "{\"done\":400,\"total\":400,\"state\":\"finished\"}");
}

#[test]
fn progress_that_ends_early_says_so() {
    let mut cells = Conversation::start();
    cells.fails("for k in progress(0..10) { if k == 3 { panic!(\"three\") } }");
    assert_eq!(progress_of(&cells).last().unwrap().1, "{\"done\":3,\"total\":10,\"state\":\"stopped\"}");
    let source = "for k in progress(0..) { if k == 3 { println!(\"started\"); } std::thread::sleep(std::time::Duration::from_millis(1)); }";
    let (outcome, _) = cells.interrupted(source, &[Duration::from_millis(300)]);
    assert_eq!(outcome, Outcome::Interrupted);
    assert!(progress_of(&cells).last().unwrap().1.ends_with("\"stopped\"}"));
}

#[test]
fn a_lock_that_is_held_for_ever_holds_up_nothing() {
    let mut cells = with_c();
    // In a variable, and by a thread.
    cells.ok("let mut lock = std::io::stdout().lock();");
    cells.prints("writeln!(lock, \"a line\")?; println!(\"another\");", "a line\nanother\n");
    cells.shows("1 + 1", "2");
    cells.ok("drop(lock);");
    cells.shows("2 + 2", "4");
    cells.ok("let (to, from) = std::sync::mpsc::channel::<()>(); let (locked, is_locked) = std::sync::mpsc::channel::<()>(); let t = std::thread::spawn(move || { let _lock = std::io::stdout().lock(); let _ = locked.send(()); let _ = from.recv(); }); is_locked.recv()?;");
    assert!(cells.noted().contains("the lock of standard output is held"), "{}", cells.noted());
    cells.shows("3", "3");
    cells.ok("to.send(())?; t.join().unwrap();");
    cells.prints("println!(\"free\");", "free\n");
    assert_eq!(cells.noted(), "");
}

/// A user who has seen enough.
struct Overwhelmed {
    interrupter: gpurepl_session::Interrupter,
    /// The worker's process.
    process: String,
    /// Bytes before the interrupt, and after it.
    seen: usize,
    after: usize,
}

impl gpurepl_session::Sink for Overwhelmed {
    fn output(&mut self, _: gpurepl_session::Stream, bytes: &[u8]) {
        if self.seen >= 1 << 20 {
            self.after += bytes.len();
            return;
        }
        self.seen += bytes.len();
        if self.seen >= 1 << 20 {
            self.interrupter.interrupt();
            // Until then it prints, and faster than is shown here on a busy machine.
            while has_signals(&self.process) {
                std::thread::yield_now();
            }
        }
    }
}

/// Whether signals have been sent to a process and not been taken.
fn has_signals(process: &str) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let pending = status.lines().filter_map(|line| line.strip_prefix("ShdPnd:"));
    pending.map(str::trim).any(|signals| signals.bytes().any(|digit| digit != b'0'))
}

#[test]
fn an_endless_printer_is_interrupted() {
    let mut cells = with_c();
    cells.ok("let kept = 1;");
    cells.ok("std::process::id()");
    let process = cells.results()[0].clone();
    let mut user = Overwhelmed { interrupter: cells.interrupter(), process, seen: 0, after: 0 };
    let outcome = cells.session().run("loop { println!(\"{}\", \"line\".repeat(100)); }", &mut user);
    assert_eq!(outcome, Outcome::Interrupted);
    // What was under way is shown, and no more than the queue and a pipe hold.
    assert!(user.seen >= 1 << 20 && user.after < 4 << 20, "{} and {}", user.seen, user.after);
    cells.shows("kept", "1");
    assert_eq!(cells.stdout(), b"");
}
