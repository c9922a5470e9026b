//! The prompt as it is drawn, keys typed.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use gpurepl_tests::Screen;
use vt100::Color;

const UP: &str = "\x1b[A";
const DOWN: &str = "\x1b[B";
const RIGHT: &str = "\x1b[C";
const CTRL_R: &str = "\x12";
const ESCAPE: &str = "\x1b";

fn home() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

fn start(home: &tempfile::TempDir) -> Screen {
    let screen = Screen::start(home.path(), &[], &[]);
    screen.prompt(1);
    screen
}

/// Writes a file of the configuration.
fn configure(home: &tempfile::TempDir, name: &str, text: &str) {
    let folder = home.path().join("config/gpurepl");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join(name), text).unwrap();
}

/// An editor that puts a text in the place of another, or behind all others.
fn editor(home: &Path, script: &str) -> String {
    let path = home.join("editor");
    std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn words_have_colours_while_they_are_typed() {
    let home = home();
    let mut screen = start(&home);
    screen.types("let v: Vec<u8> = half(\"text\", 17, 'x'");
    screen.sees("17, 'x'");
    let colour = |text: &str| screen.cell_of(text).fgcolor();
    assert_eq!(colour("In [1]"), Color::Idx(2));
    assert_eq!(colour("let"), Color::Idx(13));
    assert_eq!(colour("Vec"), Color::Idx(14));
    assert_eq!(colour("\"text\""), Color::Idx(10));
    assert_eq!(colour("17"), Color::Idx(11));
    assert_eq!(colour("half"), Color::Default);
    // What is typed stands where it is without colours.
    assert_eq!(screen.text().lines().last().unwrap(), "In [1]: let v: Vec<u8> = half(\"text\", 17, 'x'");
    // The bracket that a closing one belongs to.
    screen.types(")");
    screen.waits("marked bracket", |_| screen.cell_of("(\"text").underline());
    screen.types("\x15r#\"__global__ void f() { return; }");
    screen.sees("__global__");
    assert_eq!(screen.cell_of("__global__").fgcolor(), Color::Idx(13));
    assert_eq!(screen.cell_of("return").fgcolor(), Color::Idx(13));
    screen.types("\x15:vars\r");
    screen.sees("no variables");
    assert_eq!(screen.cell_of(":vars").fgcolor(), Color::Idx(12));
    assert_eq!(screen.leave(), 0);
}

#[test]
fn who_wants_no_colours_gets_none() {
    let home = home();
    for (name, value) in [("NO_COLOR", "1"), ("CLICOLOR", "0")] {
        let mut screen = Screen::start(home.path(), &[], &[(name, value)]);
        screen.prompt(1);
        screen.types("let text = \"t\"; wrong\r");
        screen.sees("error[E0425]");
        screen.prompt(2);
        for text in ["let", "error", "In [1]"] {
            let cell = screen.cell_of(text);
            assert_eq!((cell.fgcolor(), cell.bold()), (Color::Default, false), "{name}: {text}");
        }
        screen.leave();
    }
    configure(&home, "config.toml", "theme = \"mono\"\n");
    let mut screen = start(&home);
    screen.types("let x");
    screen.sees("let x");
    let cell = screen.cell_of("let");
    assert_eq!((cell.fgcolor(), cell.bold()), (Color::Default, true));
    screen.types("\x15");
    screen.leave();
}

#[test]
fn lines_are_indented_as_they_are_typed() {
    let home = home();
    let mut screen = start(&home);
    screen.types("fn twice(x: i32) -> i32 {\rif x > 0 {\rx * 2\r}\r");
    screen.types("else {\r0\r}\r}\r");
    let text = screen.prompt(2);
    let typed: Vec<&str> = text.lines().filter(|line| !line.starts_with("gpurepl")).collect();
    let typed = typed.join("\n");
    let expected = "In [1]: fn twice(x: i32) -> i32 {\n    if x > 0 {\n        x * 2\n    }\n    else {\n        0\n    }\n}\nIn [2]:";
    assert!(typed.contains(expected), "{typed}");
    // Tab at a line's start goes a step in, Shift-Tab a step out.
    screen.types("{\r\t1\x1b[Z");
    screen.types("\r}\r");
    screen.sees("Out[2]: 1");
    assert!(screen.text().contains("In [2]: {\n    1\n}"), "{}", screen.text());
    screen.leave();
}

#[test]
fn what_is_pasted_stays_as_it_is() {
    let home = home();
    let mut screen = start(&home);
    screen.types(
        "\x1b[200~fn f() -> i32 {\n  if true {\n\t7\n  } else { 8 }\n}\nlet text = \"a\n  b {\";\x1b[201~\r",
    );
    screen.prompt(2);
    assert!(screen.text().contains("In [1]: fn f() -> i32 {\n  if true {"), "{}", screen.text());
    screen.types("(f(), text)\r");
    screen.sees("Out[2]: (7, \"a\\n  b {\")");
    screen.leave();
}

#[test]
fn the_history_is_searched_and_hinted() {
    let home = home();
    let mut screen = start(&home);
    for (number, line) in ["let alpha = 1;", "let beta = 2;", "alpha + beta"].iter().enumerate() {
        screen.types(&format!("{line}\r"));
        screen.prompt(number + 2);
    }
    // Up finds what begins alike; Down comes back to what was typed.
    screen.types(&format!("let {UP}{UP}"));
    screen.sees("In [4]: let alpha = 1;");
    screen.types(DOWN);
    screen.sees("In [4]: let beta = 2;");
    screen.types(&format!("{DOWN}{DOWN}"));
    screen.waits("the start", |text| {
        text.lines().last().is_some_and(|line| line.trim_end().starts_with("In [4]: let") && line.len() < 40)
    });
    screen.types("\x15");
    // A hint, taken by an arrow.
    screen.types("alp");
    screen.sees("In [4]: alpha + beta");
    assert!(screen.cell_of("ha + beta").dim());
    screen.types(&format!("{RIGHT}\r"));
    screen.sees("Out[4]: 3");
    screen.prompt(5);
    screen.types(&format!("{CTRL_R}beta ="));
    screen.sees("(reverse-i-search)`beta =': let beta = 2;");
    screen.types("\r");
    screen.prompt(6);
    screen.types(":history -g BETA\r");
    screen.sees("nothing contains `BETA`");
    // It outlives a crash, and cells of several lines are whole.
    screen.types("\x1b[200~let gamma = (\n    3,\n    4,\n);\x1b[201~\r");
    screen.prompt(7);
    drop(screen);
    let mut screen = start(&home);
    screen.types(&format!("let g{UP}\r"));
    screen.prompt(2);
    screen.types("gamma.1\r");
    screen.sees("Out[2]: 4");
    screen.leave();
}

#[test]
fn vi_has_its_modes() {
    let home = home();
    configure(&home, "config.toml", "edit-mode = \"vi\"\n");
    let mut screen = start(&home);
    screen.types("let a = 12;");
    screen.sees("12;");
    let column = |screen: &Screen| screen.look(|screen| screen.cursor_position().1);
    let before = column(&screen);
    screen.types(ESCAPE);
    // It leaves the mode, in which the cursor is on the last character and not
    // behind it. A key that came with it would be taken for Alt and that key.
    screen.waits("step back", |_| column(&screen) < before);
    // Back over `;` and `12`, which is changed.
    screen.types("bcw345");
    screen.sees("let a = 345;");
    screen.types("\r");
    screen.prompt(2);
    screen.types("fn f() {\r1;\r}\r");
    screen.sees("In [2]: fn f() {\n    1;\n}\n");
    screen.types("a\r");
    screen.sees("Out[3]: 345");
    screen.leave();
    let screen = Screen::start(home.path(), &["--edit-mode", "emacs"], &[]);
    screen.prompt(1);
    screen.leave();
}

#[test]
fn the_users_editor_takes_a_text_and_brings_it_back() {
    let home = home();
    let editor = editor(home.path(), "sed -i 's/one/1/' \"$1\"; echo '+ 41' >> \"$1\"");
    let mut screen = Screen::start(home.path(), &[], &[("VISUAL", &editor), ("EDITOR", "false")]);
    screen.prompt(1);
    screen.types("one");
    screen.sees("In [1]: one");
    screen.types("\x18\x05");
    let text = screen.sees("+ 41");
    assert!(text.contains("In [1]: 1\n+ 41"), "{text}");
    assert_eq!(text.matches("In [1]").count(), 1, "the prompt before is gone: {text}");
    screen.types("\r");
    screen.sees("Out[1]: 42");
    screen.types("one\x1be");
    screen.sees("In [2]: 1\n+ 41");
    screen.types("\r");
    screen.sees("Out[2]: 42");
    // An earlier cell, and a new one.
    screen.types(":edit 1\r");
    screen.sees("In [3]: 1\n+ 41\n+ 41");
    screen.sees("Out[3]: 83");
    screen.types(":edit\r");
    screen.sees("In [4]: + 41");
    screen.sees("leading `+` is not supported");
    // A file is kept, and its cells are run.
    let file = home.path().join("cells.rs");
    std::fs::write(&file, "// %%\nlet a = one;\n// %%\na\n").unwrap();
    screen.types(&format!(":edit {}\r", file.display()));
    screen.sees("Out[6]: 42");
    assert!(std::fs::read_to_string(&file).unwrap().contains("let a = 1;\n// %%\na\n+ 41"));
    screen.types(":history\r");
    screen.sees("3: 1\n   + 41\n   + 41");
    screen.leave();
    let mut screen = Screen::start(home.path(), &[], &[("EDITOR", "false")]);
    screen.prompt(1);
    screen.types("kept\x18\x05");
    screen.sees("the editor `false` has failed");
    screen.waits("the text", |text| text.trim_end().ends_with("In [1]: kept"));
    screen.types("\x15");
    screen.leave();
}

#[test]
fn commands_of_the_system_have_the_terminal() {
    let home = home();
    let mut screen = start(&home);
    screen.types("!test -t 0 && test -t 1 && echo is\" \"a\" \"terminal; exit 3\r");
    screen.sees("is a terminal\nexit status 3\n");
    screen.types("!printf 'your name? '; read name; echo hello $name\r");
    screen.sees("your name? ");
    screen.types("Ada\r");
    screen.sees("hello Ada");
    // Ctrl-C is the command's, and cells go on afterwards.
    screen.types("let kept = 5;\r");
    screen.prompt(2);
    screen.types("!echo begins; read never\r");
    screen.sees("\nbegins");
    screen.types("\x03");
    screen.sees("interrupted");
    screen.types("kept\r");
    screen.sees("Out[2]: 5");
    screen.leave();
}

#[test]
fn a_startup_script_runs_before_the_prompt() {
    let home = home();
    configure(
        &home,
        "startup.rs",
        "use std::collections::HashMap;\nlet answer = 42;\nprintln!(\"ready\");\nanswer\n",
    );
    let mut screen = Screen::start(home.path(), &[], &[]);
    let text = screen.sees("In [");
    assert!(text.contains("\nready\n") && !text.contains("Out["), "{text}");
    screen.types("HashMap::from([(1, answer)])\r");
    screen.sees("{1: 42}");
    screen.leave();
    let mut screen = Screen::start(home.path(), &["--no-startup"], &[]);
    screen.prompt(1);
    screen.types("answer\r");
    screen.sees("error[E0425]");
    screen.leave();
    configure(&home, "startup.rs", "let wrong: u8 = 1.5;\n");
    let screen = Screen::start(home.path(), &[], &[]);
    screen.sees("startup.rs:1:17");
    screen.prompt(2);
    screen.leave();
}

#[test]
fn a_script_can_leave_its_user_at_the_prompt() {
    let home = home();
    let file = home.path().join("some.rs");
    std::fs::write(&file, "// %%\nlet a = 20;\n// %%\npanic!(\"oh\")\n").unwrap();
    let mut screen = Screen::start(home.path(), &["-i", file.to_str().unwrap()], &[]);
    screen.sees("panic: oh");
    screen.prompt(3);
    screen.types("a + 1\r");
    screen.sees("Out[3]: 21");
    assert_eq!(screen.leave(), 0);
}

#[test]
fn threads_print_above_what_is_being_typed() {
    let home = home();
    let mut screen = start(&home);
    let cell = "std::thread::spawn(|| for k in 0..3 { std::thread::sleep(std::time::Duration::from_millis(700)); println!(\"tick {k}\"); eprint!(\"half {k}\"); });";
    screen.types(&format!("{cell}\r"));
    screen.prompt(2);
    screen.types("1 + half");
    screen.sees("tick 2");
    let text = screen
        .waits("the last half", |text| text.contains("half 2") && text.trim_end().ends_with("1 + half"));
    let places: Vec<usize> = ["tick 0", "half 0", "tick 1", "half 1", "tick 2", "half 2", "In [2]: 1 + half"]
        .map(|word| text.find(word).unwrap_or_else(|| panic!("no {word} in\n{text}")))
        .into();
    assert!(places.is_sorted(), "{text}");
    screen.types("\x7f\x7f\x7f\x7f1\r");
    screen.sees("Out[2]: 2");
    screen.leave();
}

#[test]
fn a_cell_that_spoils_the_terminal_is_cleaned_up_after() {
    let home = home();
    let mut screen = start(&home);
    screen
        .types("println!(\"\\x1b[31mred\\x1b[?25l\\x1b(0\"); print!(\"\\x1b[?1049hother\\x1b]0;title\");\r");
    screen.prompt(2);
    assert!(!screen.look(vt100::Screen::alternate_screen) && !screen.look(vt100::Screen::hide_cursor));
    screen.types("\"plain\"\r");
    screen.sees("Out[2]: \"plain\"");
    assert_eq!(screen.cell_of("\"plain\"").fgcolor(), Color::Default);
    // Raw mode: keys would not be echoed, lines would not start at the left.
    screen.types("!stty raw -echo; false\r");
    screen.sees("exit status 1");
    screen.prompt(3);
    screen.types("!stty -a | tr ' ' '\\n' | grep -c -x -e -echo -e -icanon -e -opost\r");
    screen.sees("exit status 1");
    screen.types("(0..2000).collect::<Vec<_>>().len()\r");
    screen.sees("Out[3]: 2000");
    screen.leave();
}

#[test]
fn bytes_that_are_not_utf8_are_left_out_and_nothing_else_happens() {
    let home = home();
    let mut screen = start(&home);
    // Typed, in Latin-1.
    screen.types("let a = 1");
    screen.sees("let a = 1");
    screen.sends(b"\xff");
    screen.sees("what was typed is not UTF-8");
    screen.waits("line as it was", |text| text.ends_with("In [1]: let a = 1"));
    screen.types("2;\r");
    screen.prompt(2);
    // A line that is sent at once, one that is cut off.
    screen.sends(b"let a = \"caf\xe9\"; panic!();\r");
    // Its own prompt, too: until the editor reads, Ctrl-U is the terminal's.
    screen.waits("second refusal", |text| {
        text.matches("is not UTF-8").count() == 2 && text.ends_with("In [2]: let a = \"caf")
    });
    screen.types("\x15a\r");
    screen.sees("12");
    screen.prompt(3);
    // Pasted: all of it, though the lines after the byte would be cells.
    screen.sends(b"\x1b[200~let a = 5;\nlet b = \"\xe9\";\npanic!();\r\npanic!();\n\x1b[201~");
    screen.sees("what was pasted is not UTF-8");
    screen.waits("an empty prompt", |text| text.ends_with("In [3]:"));
    screen.types("a + 1\r");
    screen.sees("13");
    screen.prompt(4);
    assert!(!screen.text().contains("panic"), "{}", screen.text());
    assert_eq!(screen.leave(), 0);
}

#[test]
fn a_history_with_a_byte_that_is_not_utf8_is_read_and_added_to() {
    let home = home();
    let folder = home.path().join("state/gpurepl");
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("history");
    std::fs::write(&file, b"#V2\nlet first = \"\xe9\";\nlet second = 2;\n").unwrap();
    let mut screen = start(&home);
    screen.types(UP);
    screen.sees("let second = 2;");
    screen.types("\r");
    screen.prompt(2);
    screen.types("second + 1\r");
    screen.sees("3");
    assert_eq!(screen.leave(), 0);
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(text.contains("let first") && text.ends_with("second + 1\n"), "{text}");
}

#[test]
fn a_startup_script_that_is_not_utf8_is_named_and_the_prompt_comes() {
    let home = home();
    let folder = home.path().join("config/gpurepl");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("startup.rs"), b"let a = \"\xe9\";").unwrap();
    let screen = start(&home);
    assert!(screen.text().contains("startup.rs"), "{}", screen.text());
    assert_eq!(screen.leave(), 0);
}
