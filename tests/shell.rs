//! The program at a terminal, keys typed.

use std::process::Command;

use gpurepl_tests::{leave, program};
use rexpect::session::{PtySession, spawn_with_options};

/// A terminal with the shell in it, and a history of its own.
struct Terminal {
    session: PtySession,
    _home: tempfile::TempDir,
}

const CTRL_C: char = 'c';

impl Terminal {
    fn start() -> Terminal {
        Terminal::start_with(&[], tempfile::tempdir().unwrap())
    }

    fn start_with(arguments: &[&str], home: tempfile::TempDir) -> Terminal {
        let mut command = Command::new(program());
        command
            .args(arguments)
            .env("TERM", "xterm-256color")
            .env("XDG_STATE_HOME", home.path())
            .env("GPUREPL_DEVICE", gpurepl_tests::device())
            .env_remove("NO_COLOR");
        let options = rexpect::reader::Options::new().timeout_ms(Some(300_000)).strip_ansi_escape_codes(true);
        let session = spawn_with_options(command, options).unwrap();
        Terminal { session, _home: home }
    }

    /// Waits for a prompt of this number.
    #[track_caller]
    fn prompt(&mut self, number: usize) -> String {
        self.sees(&format!("In [{number}]: "))
    }

    /// Waits for a text on the screen; returns what came before.
    #[track_caller]
    fn sees(&mut self, text: &str) -> String {
        self.session.exp_string(text).unwrap_or_else(|error| panic!("`{text}`: {error}"))
    }

    fn types(&mut self, keys: &str) {
        self.session.send(keys).unwrap();
        self.session.flush().unwrap();
    }

    fn enters(&mut self, line: &str) {
        self.types(&format!("{line}\r"));
    }

    fn leave(mut self) -> tempfile::TempDir {
        leave(&mut self.session);
        self._home
    }
}

#[test]
fn a_first_cell() {
    let mut terminal = Terminal::start();
    terminal.sees("gpurepl");
    let mut screen = terminal.prompt(1);
    terminal.enters("let a = arange(0..3);");
    screen += &terminal.prompt(2);
    // The prompt does not wait for a device that takes long to start.
    assert!(screen.contains("device: "), "{screen}");
    terminal.enters("&a * 2");
    terminal.sees("Out[2]: array([0, 2, 4], dtype=int32)");
    terminal.prompt(3);
    terminal.leave();
}

#[test]
fn a_cell_of_several_lines() {
    let mut terminal = Terminal::start();
    terminal.prompt(1);
    terminal.enters("fn twice(x: i32) -> i32 {");
    terminal.enters("    x * 2");
    terminal.enters("}");
    terminal.prompt(2);
    terminal.enters("twice(21)");
    terminal.sees("Out[2]: 42");
    // Two blank lines end what would go on.
    terminal.prompt(3);
    terminal.enters("fn open(");
    terminal.enters("");
    terminal.enters("");
    terminal.sees("error");
    terminal.prompt(4);
    terminal.leave();
}

#[test]
fn a_pasted_cell_is_one() {
    let mut terminal = Terminal::start();
    terminal.prompt(1);
    terminal.types("\x1b[200~let a = 1;\nlet b = a + 1;\n\na + b\x1b[201~\r");
    terminal.sees("Out[1]: 3");
    terminal.prompt(2);
    terminal.leave();
}

#[test]
fn errors_and_panics_leave_the_prompt_alive() {
    let mut terminal = Terminal::start();
    terminal.prompt(1);
    terminal.enters("let a = 5;");
    terminal.prompt(2);
    terminal.enters("a + \"text\"");
    terminal.sees("error[E0277]");
    terminal.sees("cell 2:1:3");
    terminal.prompt(3);
    terminal.enters("panic!(\"oh no\")");
    terminal.sees("panic: oh no");
    terminal.prompt(4);
    terminal.enters("std::process::abort()");
    terminal.sees("cell 4 has ended the worker process");
    terminal.sees("back: a");
    terminal.prompt(5);
    terminal.enters("1 + 1");
    terminal.sees("Out[5]: 2");
    terminal.leave();
}

#[test]
fn control_c_drops_a_line_and_stops_a_cell() {
    let mut terminal = Terminal::start();
    terminal.prompt(1);
    // What is typed behind it at once is not dropped with it.
    terminal.types("let unfinished = \x03let mut n = 0_u64;\r");
    terminal.prompt(2);
    terminal.enters("println!(\"sta{}\", \"rted\"); loop { n += 1; check_interrupt(); }");
    terminal.sees("started");
    terminal.session.send_control(CTRL_C).unwrap();
    terminal.sees("interrupted");
    terminal.prompt(3);
    terminal.enters("n > 0");
    terminal.sees("Out[3]: true");
    // What does not listen is ended by the second.
    terminal.enters("println!(\"de{}\", \"af\"); loop { std::hint::spin_loop(); }");
    terminal.sees("deaf");
    terminal.session.send_control(CTRL_C).unwrap();
    terminal.sees("interrupt again");
    terminal.session.send_control(CTRL_C).unwrap();
    terminal.sees("did not respond");
    terminal.prompt(5);
    terminal.leave();
}

#[test]
fn a_replay_is_asked_for_if_the_user_wants_it_so() {
    let mut terminal = Terminal::start();
    terminal.prompt(1);
    terminal.enters(":replay ask");
    terminal.sees("you are asked");
    terminal.prompt(1);
    terminal.enters("let a = 5;");
    for (k, (answer, then)) in [("perhaps\ry", "back: a"), ("n", "`:replay now` tries")].iter().enumerate() {
        terminal.prompt(2 + k);
        terminal.enters("std::process::abort()");
        terminal.sees("to bring the variables back? [y/n]");
        terminal.enters(answer);
        terminal.sees(then);
    }
    terminal.prompt(4);
    terminal.enters(":replay now");
    terminal.sees("replayed 1 cell");
    terminal.enters("a + 1");
    terminal.sees("Out[4]: 6");
    // Ctrl-C means no.
    terminal.prompt(5);
    terminal.enters("std::process::abort()");
    terminal.sees("[y/n]");
    terminal.session.send_control(CTRL_C).unwrap();
    terminal.sees("lost with it: a");
    terminal.prompt(6);
    terminal.leave();
}

#[test]
fn an_interrupt_that_nobody_hears_says_what_to_do() {
    let mut terminal = Terminal::start();
    terminal.prompt(1);
    terminal.enters("println!(\"de{}\", \"af\"); loop { std::hint::spin_loop(); }");
    terminal.sees("deaf");
    terminal.session.send_control(CTRL_C).unwrap();
    terminal.sees("interrupt again to end its process");
    terminal.session.send_control(CTRL_C).unwrap();
    terminal.sees("did not respond");
    terminal.prompt(2);
    terminal.leave();
}

#[test]
fn half_a_line_does_not_shift_the_prompt() {
    let mut terminal = Terminal::start();
    terminal.prompt(1);
    terminal.enters("print!(\"ha{}\", \"lf\");");
    assert!(terminal.sees("half\r\n").len() > 10);
    terminal.prompt(2);
    terminal.enters("print!(\"be{}\", \"fore\"); 7");
    terminal.sees("before\r\n");
    terminal.sees("Out[2]: 7");
    terminal.leave();
}

#[test]
fn tab_completes_and_commands_answer() {
    let mut terminal = Terminal::start();
    terminal.prompt(1);
    terminal.enters("let weights = ones::<f32>(2);");
    terminal.prompt(2);
    terminal.types("weig\t.mi\t().item()\r");
    terminal.sees("Out[2]: 1.0");
    terminal.prompt(3);
    terminal.types(":he\t\r");
    terminal.sees("lists the commands");
    terminal.prompt(3);
    terminal.enters(":vars");
    terminal.sees("weights  GpuArray<f32>");
    terminal.enters(":nonsense");
    terminal.sees("there is no command `:nonsense`");
    terminal.enters(":device");
    terminal.sees("* ");
    terminal.enters(":quit");
    terminal.session.exp_eof().unwrap();
}

#[test]
fn history_outlives_the_shell() {
    let mut terminal = Terminal::start();
    terminal.prompt(1);
    terminal.enters("let remembered = 40 + 2;");
    terminal.prompt(2);
    terminal.enters("remembered");
    terminal.sees("Out[2]: 42");
    terminal.prompt(3);
    let home = terminal.leave();
    let mut terminal = Terminal::start_with(&[], home);
    terminal.prompt(1);
    // Twice up: the line before the last.
    terminal.types("\x1b[A\x1b[A\r");
    terminal.prompt(2);
    terminal.enters("remembered + 1");
    terminal.sees("Out[2]: 43");
    terminal.leave();
}

#[test]
fn the_device_can_be_chosen() {
    let mut terminal = Terminal::start_with(&["--device", "host"], tempfile::tempdir().unwrap());
    terminal.sees("device: host, chosen by GPUREPL_DEVICE");
    terminal.prompt(1);
    terminal.leave();
}

#[test]
fn a_script_at_a_terminal_can_ask_its_user() {
    let code = "println!(\"na{}\", \"me?\"); let mut name = String::new(); std::io::stdin().read_line(&mut name)?; println!(\"hello {}\", name.trim());";
    let mut terminal = Terminal::start_with(&["-e", code], tempfile::tempdir().unwrap());
    terminal.sees("name?");
    terminal.types("Ada\n");
    terminal.sees("hello Ada");
    terminal.session.exp_eof().unwrap();
}

/// Types a notebook's cells, each as it would be typed: line by line, and on
/// to the next when the prompt is back. What is shown must come in order.
fn types_notebook(name: &str, shown: &[&str]) {
    let path = gpurepl_tests::checkout().join("notebooks").join(name);
    let text = std::fs::read_to_string(path).unwrap();
    let mut terminal = Terminal::start();
    terminal.prompt(1);
    let mut number = 1;
    let mut screen = String::new();
    let notebook: serde_json::Value = serde_json::from_str(&text).unwrap();
    for cell in notebook["cells"].as_array().unwrap().iter().filter(|cell| cell["cell_type"] == "code") {
        let source: String =
            cell["source"].as_array().unwrap().iter().filter_map(|line| line.as_str()).collect();
        let mut typed = String::new();
        for line in source.lines().filter(|line| !line.trim().is_empty()) {
            typed.push_str(line);
            typed.push('\n');
            terminal.enters(line);
            let is_command = gpurepl_session::command::is_command(&typed);
            if is_command || gpurepl_session::completeness(&typed) == gpurepl_session::Completeness::Complete
            {
                typed.clear();
                // A command is no cell.
                number += usize::from(!is_command);
                screen += &terminal.prompt(number);
            }
        }
        assert_eq!(typed, "", "{name}: a cell that does not end");
    }
    // One of them prints an error that it has made on purpose.
    let printed = screen.matches("error: ").count();
    assert!(
        !screen.contains("error[") && printed <= usize::from(name == "02_source_modules.ipynb"),
        "{name}: {screen}"
    );
    let mut rest = screen.as_str();
    for text in shown {
        rest = rest.split_once(text).unwrap_or_else(|| panic!("{name}: no `{text}` in {rest}")).1;
    }
    terminal.leave();
}

#[test]
fn what_is_typed_ahead_is_not_lost() {
    let mut terminal = Terminal::start();
    terminal.prompt(1);
    terminal.types("let a = 1;\rlet b = a + 1;\rlet c = b + 1;\rc + 1\r");
    terminal.sees("Out[4]: 4");
    terminal
        .enters("println!(\"be{}\", \"gun\"); std::thread::sleep(std::time::Duration::from_millis(600));");
    terminal.sees("begun");
    terminal.types("a + 10\rb + 10\r");
    terminal.sees("Out[6]: 11");
    terminal.sees("Out[7]: 12");
    terminal.leave();
}

#[test]
fn first_steps_typed() {
    types_notebook(
        "01_first_steps.ipynb",
        &[
            "array([[-0.5700831 ,  1.3062268 , -1.2896442 ,  0.2180483 ],",
            "array([[-1.1401662 ,  2.6124537 , -2.5792885 ,  0.4360966 ],",
            "(Float32, [4, 4], 4)",
            "[ 1.7703941 , -0.15289807]], dtype=float32)",
        ],
    );
}

#[test]
fn arrays_like_numpy_typed() {
    types_notebook(
        "04_arrays_like_numpy.ipynb",
        &[
            "([3, 4], Float64, 6)",
            "[ 41.5,  52. ,  63. ,  74. ]",
            "[4, 5, 6, 0]",
            "[ 4.01661652,  1.00115033]",
            "[3000, 2]",
        ],
    );
}

#[test]
fn source_modules_typed() {
    types_notebook(
        "02_source_modules.ipynb",
        &[
            "result: [  0.   2.   4.",
            "hello from thread",
            "array([ 1.,  8., 27.], dtype=float32)",
            "a[threadIdx.x] = b;",
            "goodbye: the source has no kernel of this name; it has hello",
            "hello: block.x is 5000 threads",
            "argument 4 `side` is `int`",
        ],
    );
}

#[test]
fn four_ways_typed() {
    types_notebook(
        "03_four_ways.ipynb",
        &["Success", "Success", "Success", "Success", "memory by hand", "an array"],
    );
}
