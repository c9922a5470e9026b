//! The prompt over an engine that needs no compiler, with keys that nobody
//! types.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::io::Write;
use std::path::Path;
use std::rc::Rc;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use gpurepl_session::engine::{Cell, Engine};
use gpurepl_session::{Definitions, Diagnostic, Interrupter, MimeBundle, Report, Sink, Stream, Variable};

use super::*;

/// An engine whose cells show their own text. A cell says by its first word
/// what becomes of it.
#[derive(Clone, Default)]
pub(crate) struct FakeEngine {
    pub(crate) cells: Arc<Mutex<Vec<(String, String)>>>,
}

impl Engine for FakeEngine {
    fn evaluate(&mut self, cell: &Cell, sink: &mut dyn Sink) -> Outcome {
        self.cells.lock().unwrap().push((cell.name.clone(), cell.source.clone()));
        match cell.source.split_whitespace().next() {
            Some("print") => sink.output(Stream::Stdout, cell.source.as_bytes()),
            Some("warn") => sink.note("a note"),
            Some("fail") => {
                let diagnostic = Diagnostic::error("it failed");
                sink.diagnostic(&diagnostic);
                return Outcome::Failed(Box::new(diagnostic));
            }
            Some("stop") => return Outcome::Interrupted,
            _ => sink.display(&MimeBundle::text(cell.source.as_str()), true),
        }
        Outcome::Done(Report::default())
    }

    fn variables(&self) -> Vec<Variable> {
        Vec::new()
    }

    fn items(&self) -> Vec<String> {
        Vec::new()
    }

    fn definitions(&self) -> Definitions {
        Definitions::default()
    }

    fn reset(&mut self, _: &mut dyn Sink) -> Result<(), String> {
        Ok(())
    }

    fn drain(&mut self, _: &mut dyn Sink) {}

    fn interrupter(&self) -> Interrupter {
        Interrupter::default()
    }

    fn folder(&self) -> &Path {
        Path::new("")
    }

    fn warm_up(&mut self, _: Duration, _: &mut dyn Sink) -> Result<(), String> {
        Ok(())
    }

    fn finish(&mut self, _: &mut dyn Sink) {}
}

/// A user who types what a test says.
#[derive(Default)]
pub(crate) struct Script {
    pub(crate) typed: VecDeque<Typed>,
    /// What the prompts began with.
    pub(crate) began: Vec<String>,
    pub(crate) remembered: Vec<String>,
}

impl Input for Script {
    fn read(&mut self, text: &str, _: &Session, _: &mut Terminal) -> Result<Typed, ReadlineError> {
        self.began.push(text.to_owned());
        Ok(self.typed.pop_front().unwrap_or(Typed::End))
    }

    fn remember(&mut self, source: &str) {
        self.remembered.push(source.to_owned());
    }

    fn history(&self) -> Vec<String> {
        self.remembered.clone()
    }
}

#[derive(Clone, Default)]
pub(crate) struct Screen(pub(crate) Rc<RefCell<Vec<u8>>>);

impl Write for Screen {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.borrow_mut().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// What was seen, which cells were run, and the user.
struct Visit {
    screen: String,
    cells: Vec<(String, String)>,
    user: Script,
}

fn visit(typed: impl IntoIterator<Item = Typed>) -> Visit {
    let (engine, screen) = (FakeEngine::default(), Screen::default());
    let mut session = Session::with_engine(Box::new(engine.clone()));
    let mut terminal = Terminal::to(screen.clone());
    let mut user = Script { typed: typed.into_iter().collect(), ..Script::default() };
    run(&mut user, &mut session, &mut terminal).unwrap();
    let screen = String::from_utf8(screen.0.borrow().clone()).unwrap();
    let cells = engine.cells.lock().unwrap().clone();
    Visit { screen, cells, user }
}

fn types(cells: &[&str]) -> Visit {
    visit(cells.iter().map(|cell| Typed::Cell((*cell).to_owned())))
}

#[test]
fn results_have_the_number_of_their_cell() {
    let seen = types(&["one", "", "  \n", "two\nlines", ":vars", "three"]);
    assert_eq!(seen.screen, "Out[1]: one\nOut[2]:\ntwo\nlines\nno variables\nOut[3]: three\n");
    assert_eq!(seen.user.remembered, ["one", "two\nlines", ":vars", "three"]);
}

#[test]
fn failures_and_interrupts_leave_the_prompt() {
    let seen = types(&["fail", "stop", "print no end", "1"]);
    assert_eq!(seen.screen, "error: it failed\ninterrupted\nprint no end\nOut[4]: 1\n");
    assert!(seen.user.typed.is_empty());
}

#[test]
fn a_user_can_leave_and_drop_a_line() {
    let seen = visit([Typed::Nothing, Typed::Cell("1".to_owned()), Typed::End, Typed::Cell("2".to_owned())]);
    assert_eq!(seen.cells.len(), 1);
    let seen = types(&[":quit", "2"]);
    assert_eq!(seen.cells, []);
}

#[test]
fn the_history_lists_cells_and_searches_all() {
    let seen = types(&[
        "let a = 1;",
        "fn f() {\n    2\n}",
        ":history",
        ":hist 1",
        ":history -g LET",
        ":history -g let",
    ]);
    let listed = "1: let a = 1;\n2: fn f() {\n       2\n   }\n2: fn f() {\n       2\n   }\nnothing contains `LET`\nlet a = 1;\n";
    assert!(seen.screen.ends_with(listed), "{}", seen.screen);
    let seen = types(&[":history x"]);
    assert!(seen.screen.contains("error: `:history`"), "{}", seen.screen);
}

#[test]
fn commands_of_the_system_run_and_say_how_they_ended() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("made");
    let seen = types(&[&format!("!touch {}", file.display()), "!exit 3", "!", "! true\nafter"]);
    assert!(file.exists());
    assert_eq!(
        seen.screen,
        "exit status 3\nerror: which command? `!COMMAND`, such as `!ls`\nOut[1]: after\n"
    );
    assert_eq!(seen.cells.len(), 1);
}

#[test]
fn what_is_asked_for_and_not_there_is_an_error() {
    let seen = types(&[":edit 7"]);
    assert!(seen.screen.contains("there is no cell 7; `:history` lists them"), "{}", seen.screen);
    let seen = types(&[":help edit", ":nonsense"]);
    assert!(seen.screen.contains(":edit [N|FILE]"), "{}", seen.screen);
    assert!(seen.screen.contains("there is no command `:nonsense`"), "{}", seen.screen);
}

#[test]
fn a_startup_script_shows_what_it_prints_and_its_errors() {
    let (engine, screen) = (FakeEngine::default(), Screen::default());
    let mut session = Session::with_engine(Box::new(engine.clone()));
    let mut terminal = Terminal::to(screen.clone());
    let text = "// %%\nwarn\n// %%\nshown\n// %%\nprint this\n// %%\nfail\n// %%\nnever\n".to_owned();
    start_up(&Startup { path: "startup.rs".into(), text }, &mut session, &mut terminal);
    terminal.note("later");
    let seen = String::from_utf8(screen.0.borrow().clone()).unwrap();
    assert_eq!(seen, "print this\nerror: it failed\nnote: later\n");
    let cells = engine.cells.lock().unwrap();
    assert_eq!(cells.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["startup.rs"; 4]);
}
