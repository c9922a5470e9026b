//! Lines that people write who come from NumPy, PyCUDA, CuPy, Python or C, and
//! what leads them to the right one.
//!
//! The tables are the text files beside this one. A row:
//!
//! ```text
//! wrong: m.sum(0)                     the line; `\n` starts another one
//!  says: `m.get().sum_axis(..)`       what the message contains; may be repeated
//! never: remove                       what it does not contain; may be repeated
//! right: m.get().sum_axis(..)         the line that it leads to: it compiles and runs,
//! gives: array([4., 6.])              and its value is shown so
//! ```
//!
//! `given:` is run before each line from there on. What stands in backquotes in
//! the message must be a part of the right line, so that the advice is what is
//! evaluated. `warns:` in the place of `wrong:` is a line that runs, with a
//! warning.

use gpurepl_session::Outcome;
use gpurepl_tests::Conversation;

/// What no message says: names of generated code, files and switches that a
/// session does not have, advice that would lose data.
const NEVER: &[&str] = &[
    "__gr",
    "ctx::",
    "gpurepl_prelude",
    "remove the extra argument",
    "provide the argument",
    "long-type",
    "--verbose",
    "RUST_BACKTRACE",
    "std::option::Option",
    "std::string::String",
    "std::vec::Vec<",
    "ShowDebug",
    "KernelArgs",
    "a function cannot see the variables of cells",
    "and 1 others",
];

#[derive(Clone, Debug, Default)]
struct Row {
    given: String,
    wrong: String,
    warns: bool,
    says: Vec<String>,
    never: Vec<String>,
    right: String,
    gives: Option<String>,
}

fn rows(table: &str) -> Vec<Row> {
    let (mut given, mut rows) = (String::new(), Vec::<Row>::new());
    for line in table.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty()) {
        let (key, value) = line.split_once(": ").unwrap_or_else(|| panic!("not a line of a row: {line}"));
        // A newline that a text of the cell spells has two signs.
        let value = value.replace("\\\\n", "\u{0}").replace("\\n", "\n").replace('\u{0}', "\\n");
        let last = rows.last_mut();
        match (key.trim(), last) {
            ("given", _) => given = value,
            ("wrong" | "warns", _) => {
                rows.push(Row {
                    given: given.clone(),
                    wrong: value,
                    warns: key == "warns",
                    ..Row::default()
                });
            }
            ("says", Some(row)) => row.says.push(value),
            ("never", Some(row)) => row.never.push(value),
            ("right", Some(row)) => row.right = value,
            ("gives", Some(row)) => row.gives = Some(value),
            (key, _) => panic!("{key} is no key of a row: {line}"),
        }
    }
    rows
}

/// What stands in backquotes.
fn codes(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

fn squeezed(text: &str) -> String {
    text.split_whitespace().collect()
}

/// Whether a line has what is advised, in which `{ .. }` stands for anything.
fn is_part(code: &str, line: &str) -> bool {
    let mut rest = line;
    code.trim_end_matches(';').split("{..}").all(|piece| match rest.split_once(piece) {
        Some((_, after)) => {
            rest = after;
            true
        }
        None => false,
    })
}

/// Whether cells are compiled by another rustc than the rows were written for (`tests/toolchains`). A mistake that it
/// words otherwise may lose its advice: rustc's own message stands then, which is all that is asked.
fn is_other_compiler() -> bool {
    std::env::var_os("GPUREPL_TEST_OTHER_COMPILER").is_some_and(|value| !value.is_empty())
}

/// What is wrong with a row, if anything.
fn check(cells: &mut Conversation, row: &Row) -> Result<(), String> {
    cells.ok(&row.given);
    let outcome = cells.run(&row.wrong);
    let rendered = cells.rendered();
    let problem = |what: &str| Err(format!("{}: {what}\n{rendered}", row.wrong));
    match (&outcome, row.warns) {
        (Outcome::Failed(_), false) => {}
        (Outcome::Done(_), true) if rendered.contains("warning") => {}
        _ => return problem("it does not fail, or does not warn"),
    }
    let count = rendered.lines().filter(|line| line.starts_with("error")).count();
    let is_advised = count == 1 && row.says.iter().all(|text| rendered.contains(text));
    if is_other_compiler() && !row.warns && !is_advised && count > 0 {
        println!("{}: rustc's own message\n{rendered}", row.wrong);
        return Ok(());
    }
    if !row.warns && count != 1 {
        return problem(&format!("{count} errors for one cause"));
    }
    if row.says.is_empty() || row.right.is_empty() {
        return problem("the row is not complete");
    }
    if let Some(missing) = row.says.iter().find(|text| !rendered.contains(*text)) {
        return problem(&format!("it does not say {missing}"));
    }
    let never = NEVER.iter().copied().chain(row.never.iter().map(String::as_str));
    if let Some(found) = never.into_iter().find(|text| rendered.contains(*text)) {
        return problem(&format!("it says {found}"));
    }
    // What is advised is what is evaluated below.
    let right = squeezed(&row.right);
    let mut advised = row.says.iter().flat_map(|text| codes(text)).map(squeezed);
    if !advised.any(|code| code.len() > 1 && is_part(&code, &right)) {
        return problem(&format!("nothing that it must say in backquotes is part of {}", row.right));
    }
    let outcome = cells.run(&row.right);
    let shown = cells.results().join("\n");
    if !outcome.is_done() {
        return Err(format!("{}: what is advised fails: {}\n{}", row.wrong, row.right, cells.rendered()));
    }
    match &row.gives {
        Some(gives) if *gives != shown => {
            Err(format!("{}: {} gives {shown}, not {gives}", row.wrong, row.right))
        }
        _ => Ok(()),
    }
}

fn check_all(table: &str) {
    let mut cells = Conversation::start();
    let wrong: Vec<String> = rows(table).iter().filter_map(|row| check(&mut cells, row).err()).collect();
    assert!(wrong.is_empty(), "{} lines:\n\n{}", wrong.len(), wrong.join("\n\n"));
}

macro_rules! tables {
    ($($name:ident)*) => {
        $(
            #[test]
            fn $name() {
                check_all(include_str!(concat!(stringify!($name), ".txt")));
            }
        )*

        #[test]
        fn there_are_at_least_150_lines() {
            let tables = [$(include_str!(concat!(stringify!($name), ".txt"))),*];
            let all: Vec<Row> = tables.iter().flat_map(|table| rows(table)).collect();
            assert!(all.len() >= 150, "{}", all.len());
            let lines: std::collections::BTreeSet<&str> = all.iter().map(|row| row.wrong.as_str()).collect();
            assert_eq!(lines.len(), all.len(), "a line stands twice");
        }
    };
}
tables!(reductions indexing operators creation functions numpy python c kernels plots figures sparse printing lists);
