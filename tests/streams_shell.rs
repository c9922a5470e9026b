//! What cells show and ask at a terminal: the screen is followed by a terminal
//! of the tests' own.

use std::process::Command;

use gpurepl_tests::{leave, program};
use rexpect::session::{PtySession, spawn_with_options};

/// The shell in a terminal.
struct Terminal {
    session: PtySession,
    _home: tempfile::TempDir,
}

impl Terminal {
    fn start() -> Terminal {
        let home = tempfile::tempdir().unwrap();
        let mut command = Command::new(program());
        command
            .env("TERM", "xterm-256color")
            .env("XDG_STATE_HOME", home.path())
            .env("GPUREPL_DEVICE", gpurepl_tests::device())
            .env("NO_COLOR", "1");
        // Sequences are kept: they are what is tested here.
        let options =
            rexpect::reader::Options::new().timeout_ms(Some(300_000)).strip_ansi_escape_codes(false);
        let mut terminal = Terminal { session: spawn_with_options(command, options).unwrap(), _home: home };
        terminal.sees("In [1]: ");
        terminal
    }

    /// Waits for a text; returns what came before.
    #[track_caller]
    fn sees(&mut self, text: &str) -> String {
        self.session.exp_string(text).unwrap_or_else(|error| panic!("`{text}`: {error}"))
    }

    /// Waits until a question is open: the line editor has taken over the keys.
    fn asks(&mut self) {
        use nix::sys::termios::{LocalFlags, tcgetattr};
        let keys = self.session.process().get_file_handle().unwrap();
        let end = std::time::Instant::now() + std::time::Duration::from_secs(300);
        while tcgetattr(&keys).unwrap().local_flags.contains(LocalFlags::ICANON) {
            assert!(std::time::Instant::now() < end, "nothing is asked");
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
    }

    /// Types a cell; waits until the line editor has shown all of it.
    fn enters(&mut self, line: &str) {
        self.session.send(&format!("{line}\r")).unwrap();
        self.session.flush().unwrap();
    }

    fn leave(mut self) {
        leave(&mut self.session);
    }
}

#[test]
fn a_cell_asks_its_user() {
    let mut terminal = Terminal::start();
    terminal.enters(
        "print!(\"na{}\", \"me? \"); let mut s = String::new(); std::io::stdin().read_line(&mut s)?;",
    );
    terminal.sees("name? ");
    terminal.enters("Ada");
    terminal.sees("In [2]: ");
    terminal.enters("s");
    terminal.sees("Out[2]: \"Ada\\n\"");
    terminal.sees("In [3]: ");
    // The answer is not a cell, and not history: up is the cell before.
    terminal.enters("let word = input_password(\"wo\\u{72}d? \"); (input(\"mo\\u{72}e? \"), word.len())");
    terminal.sees("word? ");
    terminal.enters("hidden");
    let seen = terminal.sees("more? ");
    assert!(!seen.contains("hidden"), "{seen:?}");
    terminal.enters("yes");
    terminal.sees("Out[3]: (\"yes\", 6)");
    terminal.sees("In [4]: ");
    // Ctrl-D is the end of the input, Ctrl-C of the cell.
    terminal.enters("println!(\"{}\", \"rea\".to_owned() + \"ds\"); std::io::stdin().lines().count()");
    terminal.sees("reads");
    terminal.asks();
    terminal.session.send_control('d').unwrap();
    terminal.sees("Out[4]: 0");
    terminal.sees("In [5]: ");
    terminal.enters("input(&(\"as\".to_owned() + \"ks? \"))");
    terminal.sees("asks? ");
    terminal.asks();
    terminal.session.send_control('c').unwrap();
    terminal.sees("interrupted");
    terminal.sees("In [6]: ");
    terminal.enters("s.len()");
    terminal.sees("Out[6]: 4");
    terminal.leave();
}

#[test]
fn progress_and_displays_are_redrawn_in_place() {
    let mut terminal = Terminal::start();
    // What names the device would come between a display and its update.
    terminal.enters("let _ = device().kind();");
    terminal.sees("In [2]: ");
    let sleep = "std::thread::sleep(std::time::Duration::from_millis(150));";
    terminal.enters(&format!("for k in progress(0..4).message(&\"wo\\u{{72}}king\") {{ if k == 2 {{ println!(\"{{}}\", \"bet\".to_owned() + \"ween\"); }} {sleep} }}"));
    // The bar is removed before it is drawn again, and for printed output.
    terminal.sees("working   0% [");
    terminal.sees("\x1b[1A\r\x1b[J");
    terminal.sees("working  25% [======>");
    terminal.sees("\x1b[1A\r\x1b[Jbetween\r\n");
    let after = terminal.sees("In [3]: ");
    // Its last state stays, without the time that is left.
    let last = after.rsplit("\x1b[1A\r\x1b[J").next().unwrap_or_default();
    assert!(last.starts_with("working 100% [========================] 4/4"), "{after:?}");
    assert!(!last.contains("left"), "{after:?}");
    terminal.enters(&format!("let shown = display_handle(&vec![1]); {sleep} shown.update(&vec![2, 3]);"));
    terminal.sees("[1]\r\n");
    terminal.sees("\x1b[1A\r\x1b[J[2, 3]\r\n");
    terminal.sees("In [4]: ");
    // From a later cell it is shown again; a panic leaves no bar behind.
    terminal.enters("shown.update(&vec![4]);");
    terminal.sees("[updated]\r\n[4]\r\n");
    terminal.sees("In [5]: ");
    terminal.enters("for k in progress(0..9) { if k == 1 { panic!(\"now\") } }");
    terminal.sees("stopped after");
    terminal.sees("panic: now");
    terminal.sees("In [6]: ");
    terminal.enters("println!(\"{}\", \"go\".to_owned() + \"ne\"); clear_output(false); println!(\"{}\", \"st\".to_owned() + \"ays\");");
    terminal.sees("gone\r\n\x1b[1A\r\x1b[Jstays\r\n");
    terminal.leave();
}

#[test]
fn a_thread_of_an_earlier_cell_is_told_apart() {
    let mut terminal = Terminal::start();
    terminal.enters("let (to, from) = std::sync::mpsc::channel::<u8>(); let t = std::thread::spawn(move || { let _ = from.recv(); println!(\"{}\", \"la\".to_owned() + \"te\") });");
    terminal.sees("In [2]: ");
    terminal.enters("println!(\"{}\", \"ow\".to_owned() + \"n\"); to.send(1)?; t.join().unwrap();");
    terminal.sees("own\r\n");
    terminal.sees("[cell 1] late\r\n");
    terminal.sees("In [3]: ");
    terminal.leave();
}

#[test]
fn in_a_pipe_only_what_is_final_is_shown() {
    let finished = gpurepl_tests::Finished::of(&mut gpurepl_tests::gpurepl(&[
        "-e",
        "let shown = display_handle(\"first\"); println!(\"printed\"); shown.update(\"last\");",
        "-e",
        "for _ in progress(0..3).message(\"work\") { std::thread::sleep(std::time::Duration::from_millis(150)); }",
        "-e",
        "let mut s = String::new(); std::io::stdin().read_line(&mut s)?",
    ]));
    assert_eq!(finished.stdout, "printed\n\"last\"\n0\n");
    let lines: Vec<&str> = finished.stderr.lines().collect();
    assert_eq!(lines.len(), 2, "{}", finished.stderr);
    assert!(lines[0].starts_with("work   0%") && lines[1].starts_with("work 100%"), "{}", finished.stderr);
    // Cells that come through a pipe have no other input.
    let cells = b"let mut s = String::new(); std::io::stdin().read_line(&mut s)?\nprint!(\"x\")\n";
    let finished = gpurepl_tests::run_with_input(&mut gpurepl_tests::gpurepl(&[]), cells);
    assert_eq!((finished.stdout.as_str(), finished.status), ("0\nx", Some(0)), "{}", finished.stderr);
}
