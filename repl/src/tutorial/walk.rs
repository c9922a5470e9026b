//! One chapter at the prompt: its texts are shown, and its code stands at the prompt, to be run or changed.

use anstyle::Style;
use gpurepl_book::{Cell, CellKind, Chapter};
use gpurepl_session::{Deaf, Session};
use rustyline::error::ReadlineError;

use super::markdown;
use super::progress::Progress;
use crate::keyboard::{Input, Typed};
use crate::shell::Shell;
use crate::terminal::Terminal;

const HELP: &str = "Enter runs the cell at the prompt, as it is or as you change it. `:next`, typed behind it, leaves it out, `:back` goes \
                    back, `:solution` shows one of an exercise. Ctrl-C empties the prompt for a cell of your own, and Enter at an \
                    empty prompt goes on. Ctrl-D leaves; `gpurepl tutorial` knows where you were.";

/// Walks through a chapter, from where the reader was; `is_new` begins at its start.
///
/// # Errors
///
/// If the terminal cannot be read.
pub fn walk(
    chapter: &Chapter,
    is_new: bool,
    input: &mut dyn Input,
    session: &mut Session,
    terminal: &mut Terminal,
) -> Result<(), ReadlineError> {
    walk_with(chapter, is_new, Progress::read(), input, session, terminal)
}

pub(super) fn walk_with(
    chapter: &Chapter,
    is_new: bool,
    progress: Progress,
    input: &mut dyn Input,
    session: &mut Session,
    terminal: &mut Terminal,
) -> Result<(), ReadlineError> {
    let cells = chapter.cells();
    let known = progress.of(chapter.name());
    let start = if is_new || known >= cells.len() { 0 } else { known };
    let mut walk = Walk { chapter, cells, progress, at: start, shell: Shell::new(input, session, terminal) };
    walk.shell.terminal.aside(HELP);
    walk.catch_up(start);
    walk.run()
}

struct Walk<'s> {
    chapter: &'s Chapter,
    cells: Vec<Cell>,
    progress: Progress,
    /// The next cell.
    at: usize,
    shell: Shell<'s>,
}

/// What the reader wants next.
enum Next {
    /// The next cell.
    On,
    /// The cell again, or another one, with its text shown.
    Again,
    /// The prompt, empty or with a text.
    Prompt(String),
    End,
}

/// A cell that stood at the prompt, and a command that was typed behind it.
fn apart(source: &str) -> (&str, Option<&str>) {
    let source = source.trim_end();
    let is_ours = |before: &str| !before.trim().is_empty() && !before.ends_with(':');
    COMMANDS
        .iter()
        .find_map(|command| {
            let before = source.strip_suffix(command).filter(|before| is_ours(before))?;
            Some((before.trim_end(), Some(*command)))
        })
        .unwrap_or((source, None))
}

/// What is typed behind a cell that stands at the prompt.
const COMMANDS: [&str; 7] = [":next", ":skip", ":back", ":solution", ":help", ":quit", ":exit"];

impl Walk<'_> {
    /// Runs what came before, without a word.
    fn catch_up(&mut self, end: usize) {
        let steps: Vec<usize> = (0..end).filter(|at| self.cells[*at].kind == CellKind::Code).collect();
        if steps.is_empty() {
            return;
        }
        self.shell.terminal.aside(&format!("the {} cells before this one are run first", steps.len()));
        for at in steps {
            if !self.shell.session.run(&self.cells[at].text, &mut Deaf).is_done() {
                let number = self.chapter.number().unwrap_or_default();
                self.shell.terminal.aside(&format!(
                    "one of them has failed, and the chapter goes on there; `gpurepl tutorial {number} --restart` begins anew"
                ));
                self.at = at;
                break;
            }
        }
    }

    fn run(&mut self) -> Result<(), ReadlineError> {
        while self.at < self.cells.len() && !self.is_over() {
            let cell = self.cells[self.at].clone();
            match cell.kind {
                CellKind::Text => {
                    markdown::show(&cell.text, self.shell.terminal);
                    self.go_on();
                }
                CellKind::Check => {
                    if !self.shell.session.run(&cell.text, &mut Deaf).is_done() {
                        self.shell
                            .terminal
                            .aside("a check of this step fails: something differs from the chapter's cells");
                    }
                    self.go_on();
                }
                CellKind::Code => {
                    if !self.at_prompt(cell.text)? {
                        return Ok(());
                    }
                }
                CellKind::Solution => {
                    self.shell.terminal.aside("your turn; `:solution` shows one, `:next` goes on");
                    if !self.at_prompt(String::new())? {
                        return Ok(());
                    }
                }
            }
        }
        if self.at >= self.cells.len() {
            let next =
                self.chapter.number().and_then(|number| gpurepl_book::chapter(&(number + 1).to_string()));
            let text = match next {
                Some(next) => format!("The end of this chapter. The next one is \"{}\".", next.title()),
                None => "The end of the course.".to_owned(),
            };
            self.shell.terminal.text("\n");
            self.shell.terminal.line(&text, Style::new());
        }
        Ok(())
    }

    fn is_over(&self) -> bool {
        self.shell.session.has_ended() || self.shell.terminal.is_closed()
    }

    fn go_on(&mut self) {
        self.at += 1;
        self.progress.note(self.chapter.name(), self.at);
    }

    /// Has the reader at the prompt until the cell is done; false if the reader leaves.
    fn at_prompt(&mut self, text: String) -> Result<bool, ReadlineError> {
        let is_exercise = text.is_empty();
        let (mut prefilled, cell) = (text.clone(), text);
        loop {
            if self.is_over() {
                return Ok(false);
            }
            let shell = &mut self.shell;
            shell.session.drain(shell.terminal);
            shell.terminal.prepare_prompt();
            let was_given = !prefilled.trim().is_empty();
            let typed = shell.input.read(&std::mem::take(&mut prefilled), shell.session, shell.terminal)?;
            let next = match typed {
                Typed::End => Next::End,
                Typed::Nothing => Next::Prompt(String::new()),
                Typed::Edit(source) => Next::Prompt(shell.edited(&source).unwrap_or(source)),
                // An exercise may be passed over by a word alone.
                Typed::Cell(source) if source.trim().is_empty() && is_exercise => Next::Prompt(String::new()),
                Typed::Cell(source) if source.trim().is_empty() => Next::Prompt(cell.clone()),
                Typed::Cell(source) => self.obey(&source, was_given && !is_exercise),
            };
            match next {
                Next::End => return Ok(false),
                Next::Prompt(text) => prefilled = text,
                Next::On => {
                    self.go_on();
                    return Ok(true);
                }
                Next::Again => return Ok(true),
            }
        }
    }

    /// Does what was typed; `is_step` if it stood at the prompt.
    fn obey(&mut self, source: &str, is_step: bool) -> Next {
        let (cell, command) = apart(source);
        if is_step && let Some(command) = command {
            return match self.obey(command, false) {
                Next::Prompt(text) if text.is_empty() => Next::Prompt(cell.to_owned()),
                next => next,
            };
        }
        match source.trim() {
            ":next" | ":skip" => return Next::On,
            ":back" => {
                self.back();
                return Next::Again;
            }
            ":solution" => return self.solution(),
            _ => {}
        }
        self.shell.input.remember(source.trim_end());
        let is_done = self.shell.obey(source);
        match (is_done, is_step) {
            (true, true) => Next::On,
            // To be mended.
            (false, true) => Next::Prompt(source.to_owned()),
            (_, false) => Next::Prompt(String::new()),
        }
    }

    /// Goes to the code before this, and to the text above it.
    fn back(&mut self) {
        let is_step = |cell: &Cell| matches!(cell.kind, CellKind::Code | CellKind::Solution);
        let Some(step) = self.cells[..self.at].iter().rposition(is_step) else {
            self.at = 0;
            return;
        };
        let texts = self.cells[..step].iter().rev().take_while(|cell| cell.kind == CellKind::Text).count();
        self.at = step - texts;
    }

    fn solution(&mut self) -> Next {
        match self.cells.get(self.at) {
            Some(cell) if cell.kind == CellKind::Solution => Next::Prompt(cell.text.clone()),
            _ => {
                self.shell.terminal.aside(
                    "there is no exercise here; the cell itself comes back with Enter at an empty prompt",
                );
                Next::Prompt(String::new())
            }
        }
    }
}
