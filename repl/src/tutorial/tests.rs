//! A chapter at the prompt, over an engine that needs no compiler.

use gpurepl_book::Chapter;
use gpurepl_session::Session;

use super::progress::Progress;
use super::walk::walk_with;
use super::{markdown, run_all};
use crate::keyboard::Typed;
use crate::shell::tests::{FakeEngine, Screen, Script};
use crate::terminal::Terminal;

fn chapter() -> Chapter {
    let text = |kind: &str, source: &str| serde_json_cell("markdown", kind, source);
    let code = |kind: &str, source: &str| serde_json_cell("code", kind, source);
    let cells = [
        text("", "# A title\\n\\nWhat it *teaches*."),
        code("", "one"),
        code("check", "hidden"),
        text("", "## More"),
        code("", "two"),
        text("", "### 1. Try"),
        code("solution", "three"),
        text("", "The end."),
    ];
    let text = format!("{{\"cells\": [{}]}}", cells.join(","));
    Chapter::of("99_test", Box::leak(text.into_boxed_str()))
}

fn serde_json_cell(kind: &str, tag: &str, source: &str) -> String {
    let tags = if tag.is_empty() { String::new() } else { format!("\"{tag}\"") };
    format!("{{\"cell_type\": \"{kind}\", \"metadata\": {{\"tags\": [{tags}]}}, \"source\": \"{source}\"}}")
}

/// What was seen, which cells were run, what stood at the prompts, and how far the reader is.
struct Lesson {
    screen: String,
    cells: Vec<String>,
    prompts: Vec<String>,
    at: usize,
}

fn lesson(from: usize, typed: &[Typed]) -> Lesson {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tutorial.toml");
    let mut progress = Progress::of_file(Some(file.clone()));
    progress.note("99_test", from);
    let (engine, screen) = (FakeEngine::default(), Screen::default());
    let mut session = Session::with_engine(Box::new(engine.clone()));
    let mut terminal = Terminal::to(screen.clone());
    let mut user = Script { typed: typed.iter().cloned().collect(), ..Script::default() };
    walk_with(&chapter(), false, progress, &mut user, &mut session, &mut terminal).unwrap();
    let screen = String::from_utf8(screen.0.borrow().clone()).unwrap();
    let cells = engine.cells.lock().unwrap().iter().map(|(_, source)| source.clone()).collect();
    Lesson { screen, cells, prompts: user.began, at: Progress::of_file(Some(file)).of("99_test") }
}

fn cell(text: &str) -> Typed {
    Typed::Cell(text.to_owned())
}

/// The prompt is not empty when a command is typed.
#[test]
fn a_command_behind_a_cell_is_a_command() {
    let seen =
        lesson(0, &[cell("one:next"), cell("two\n:back"), cell("one; :next"), cell("two"), cell(":next")]);
    assert_eq!(seen.prompts, ["one", "two", "one", "two", ""]);
    assert_eq!(seen.cells, ["hidden", "hidden", "two"]);
    let seen = lesson(0, &[cell("a::next"), cell(":next"), cell("two"), cell(":next")]);
    assert_eq!(seen.cells[0], "a::next", "a path is none");
}

#[test]
fn cells_stand_at_the_prompt_and_texts_above_it() {
    let seen = lesson(0, &[cell("one"), cell("two"), cell(":next")]);
    assert_eq!(seen.prompts, ["one", "two", ""]);
    assert_eq!(seen.cells, ["one", "hidden", "two"]);
    let order = [
        "A title",
        "What it teaches.",
        "one",
        "More",
        "two",
        "1. Try",
        "your turn",
        "The end.",
        "The end of",
    ];
    let mut rest = seen.screen.as_str();
    for part in order {
        rest = rest.split_once(part).unwrap_or_else(|| panic!("{part} is not next in {}", seen.screen)).1;
    }
    assert!(!seen.screen.contains("hidden"), "{}", seen.screen);
    assert_eq!(seen.at, 8);
}

#[test]
fn a_cell_may_be_changed_and_one_that_fails_comes_back() {
    let seen = lesson(0, &[cell("fail here"), cell("changed"), Typed::End]);
    assert_eq!(seen.prompts, ["one", "fail here", "two"]);
    assert_eq!(seen.cells, ["fail here", "changed", "hidden"]);
    assert_eq!(seen.at, 4);
}

#[test]
fn cells_of_ones_own_come_between() {
    let seen =
        lesson(0, &[Typed::Nothing, cell("mine"), cell("print mine too"), cell(""), cell("one"), Typed::End]);
    assert_eq!(seen.prompts, ["one", "", "", "", "one", "two"]);
    assert_eq!(seen.cells, ["mine", "print mine too", "one", "hidden"]);
}

#[test]
fn the_reader_goes_back_and_on() {
    let seen =
        lesson(0, &[cell("one"), cell(":back"), cell(":next"), cell(":skip"), cell(":back"), Typed::End]);
    assert_eq!(seen.prompts, ["one", "two", "one", "two", "", "two"]);
    assert_eq!(seen.screen.matches("More").count(), 3, "{}", seen.screen);
}

#[test]
fn a_solution_is_shown_when_it_is_asked_for() {
    let seen = lesson(5, &[cell("my try"), cell(":solution"), cell("three"), cell(":next")]);
    assert_eq!(seen.prompts, ["", "", "three", ""]);
    // What came before is run first, without a word.
    assert_eq!(seen.cells, ["one", "two", "my try", "three"]);
    assert!(!seen.screen.contains("Out[1]") && seen.screen.contains("the 2 cells before"), "{}", seen.screen);
    let seen = lesson(0, &[cell(":solution"), cell(""), cell("one"), Typed::End]);
    assert!(seen.screen.contains("there is no exercise here"), "{}", seen.screen);
    assert_eq!(seen.prompts, ["one", "", "one", "two"]);
}

#[test]
fn a_chapter_runs_through_where_nobody_types() {
    let (engine, screen) = (FakeEngine::default(), Screen::default());
    let mut session = Session::with_engine(Box::new(engine.clone()));
    let mut terminal = Terminal::to(screen.clone());
    assert_eq!(run_all(&chapter(), &mut session, &mut terminal), crate::Status::Succeeded);
    let cells: Vec<String> = engine.cells.lock().unwrap().iter().map(|(_, source)| source.clone()).collect();
    assert_eq!(cells, ["one", "hidden", "two", "three"]);
    let screen = String::from_utf8(screen.0.borrow().clone()).unwrap();
    assert!(screen.contains("In [1]: one\nOut[1]: one\n"), "{screen}");
}

#[test]
fn texts_are_as_wide_as_a_page() {
    let shown = markdown::rendered(
        "# A head\n\nWords of a [link](x.md) that are more than a line, and `code`.\n\n- one\n- two words more than a line\n\n```text\n  as it is\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n$$x^2$$",
        24,
        false,
    );
    let expected = "A head\n\nWords of a link that are\nmore than a line, and\n`code`.\n\n- one\n- two words more than a\n  line\n\n      as it is\n\na | b\n1 | 2\n\n    x^2";
    assert_eq!(shown, expected);
}
