//! `gpurepl tutorial`: the chapters of the course at the prompt, cell by cell.

mod markdown;
mod progress;
#[cfg(test)]
mod tests;
mod walk;

use anstyle::Style;
use gpurepl_book::{Cell, CellKind, Chapter, chapter, chapters};
use gpurepl_session::Session;

use crate::terminal::Terminal;
use crate::{Status, batch};
use progress::Progress;
pub use walk::walk;

/// Lists the chapters, and how far the reader is in each.
pub fn list(terminal: &mut Terminal) {
    let progress = Progress::read();
    terminal.line(
        "The course. `gpurepl tutorial 1` begins it, `gpurepl-jupyter tutorial` copies its notebooks.",
        Style::new(),
    );
    terminal.text("\n");
    let width = chapters().iter().map(|chapter| chapter.title().chars().count()).max().unwrap_or(0);
    for chapter in chapters() {
        let number = chapter.number().unwrap_or_default();
        let state = state(&chapter, &progress);
        let title = chapter.title();
        let line = format!("{number:>4}  {title:<width$}  {state}");
        terminal.line(line.trim_end(), Style::new());
    }
}

fn state(chapter: &Chapter, progress: &Progress) -> String {
    let cells = chapter.cells().len();
    match progress.of(chapter.name()) {
        0 => String::new(),
        at if at >= cells => "done".to_owned(),
        at => format!("{} %", (100 * at / cells).max(1)),
    }
}

/// The chapter that somebody means.
///
/// # Errors
///
/// If there is none, or more than one.
pub fn find(what: &str) -> Result<Chapter, String> {
    chapter(what).ok_or_else(|| {
        format!("`{what}` is not one chapter\n  = help: `gpurepl tutorial` lists them; say a number, or words of a title")
    })
}

/// Shows a chapter and runs all of its cells, one after the other, where nobody is at the keyboard.
pub fn run_all(chapter: &Chapter, session: &mut Session, terminal: &mut Terminal) -> Status {
    for (number, cell) in chapter.cells().into_iter().enumerate() {
        if cell.kind == CellKind::Text {
            markdown::show(&cell.text, terminal);
            continue;
        }
        // What makes sure that the chapter is right is no part of it.
        if cell.kind != CellKind::Check {
            show_code(&cell, session, terminal);
            terminal.number_results(session.next_cell());
        }
        let name = format!("{}, cell {}", chapter.name(), number + 1);
        let status = batch::evaluate(cell.text, name, session, terminal);
        if status != Status::Succeeded || session.has_ended() {
            return status;
        }
    }
    Status::Succeeded
}

fn show_code(cell: &Cell, session: &Session, terminal: &mut Terminal) {
    let prompt = format!("In [{}]: ", session.next_cell());
    let text = if terminal.has_colours() {
        let theme = terminal.theme();
        format!("{0}{prompt}{0:#}{1}", theme.prompt, crate::highlight::paint(&cell.text, &[], theme))
    } else {
        format!("{prompt}{}", cell.text)
    };
    terminal.text("\n");
    terminal.line(&text, Style::new());
}
