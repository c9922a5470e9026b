//! What a text is, and its evaluation: a cell, a command, a question about a
//! name, lines of `:dep`, or a file of cells.

use crate::command::{self, FileOfCells};
use crate::dependencies;
use crate::diagnostic::Diagnostic;
use crate::engine::{Outcome, Report};
use crate::nesting;
use crate::output::Sink;
use crate::session::Session;

impl Session {
    /// Evaluates a cell, or runs a command (`:help`).
    pub fn run(&mut self, source: &str, sink: &mut dyn Sink) -> Outcome {
        let name = format!("cell {}", self.next_cell());
        self.run_named(source, &name, 1, sink)
    }

    /// Evaluates a cell that is part of a file: messages name the file and
    /// its lines.
    pub fn run_named(&mut self, source: &str, name: &str, first_line: usize, sink: &mut dyn Sink) -> Outcome {
        if let Some(lines) = dependencies::lines(source) {
            let outcome = command::add_dependencies(self, &lines.requests, sink);
            return match outcome.is_done() && !lines.code.is_empty() {
                true => self.run_named(&lines.code, name, first_line, sink),
                false => outcome,
            };
        }
        let run = || self.run_text(source, name, first_line, sink);
        nesting::with_stack(source, run).unwrap_or_else(|| {
            let message = format!(
                "too deeply nested: about {} levels of brackets and operators, and the limit is {}",
                nesting::levels(source),
                nesting::MOST_LEVELS
            );
            let problem = Box::new(Diagnostic::error(message).help("split it, or read data from a file"));
            sink.diagnostic(&problem);
            Outcome::Failed(problem)
        })
    }

    fn run_text(&mut self, source: &str, name: &str, first_line: usize, sink: &mut dyn Sink) -> Outcome {
        if command::is_command(source) || self.is_question(source) {
            return self.run_command(source, sink);
        }
        let (outcome, telling) = self.evaluate(source, name, first_line, sink);
        if let Outcome::Done(report) = &outcome {
            command::tell(report, telling, sink);
        }
        outcome
    }

    fn run_command(&mut self, source: &str, sink: &mut dyn Sink) -> Outcome {
        let result = match command::run(self, source, sink) {
            Ok(Some(file)) => self.run_file(&file, sink),
            Ok(None) => Ok(()),
            Err(problem) => Err(problem),
        };
        match result {
            Ok(()) => Outcome::Done(Report::default()),
            Err(problem) => {
                let diagnostic = Diagnostic::error(problem);
                sink.diagnostic(&diagnostic);
                Outcome::Failed(Box::new(diagnostic))
            }
        }
    }

    fn run_file(&mut self, file: &FileOfCells, sink: &mut dyn Sink) -> Result<(), String> {
        if !self.enter_file() {
            return Err(format!("{} loads itself, directly or through other files", file.path));
        }
        let result = self.run_cells(file, sink);
        self.leave_file();
        result
    }

    fn run_cells(
        &mut self,
        FileOfCells { path, cells }: &FileOfCells,
        sink: &mut dyn Sink,
    ) -> Result<(), String> {
        for cell in cells {
            let name = cell.name(path);
            if cell.is_for_the_system() {
                return Err(format!(
                    "{name} is for the system's shell, which a session does not run: `gpurepl {path}` does"
                ));
            }
            let outcome = self.run_named(&cell.source, &name, cell.first_line, sink);
            let may_go_on = outcome.is_done() || cell.may_fail && matches!(outcome, Outcome::Failed(_));
            if !may_go_on {
                return Err(match cell.number {
                    Some(number) => format!("{path} ended at its cell {number}"),
                    None => format!("{path} ended at the cell that starts on line {}", cell.first_line),
                });
            }
            if self.has_ended() {
                break;
            }
        }
        Ok(())
    }

    /// Whether a text asks about a name, rather than being a cell: `zeros?`.
    pub fn is_question(&self, source: &str) -> bool {
        command::question(source, &self.variables()).is_some()
    }
}
