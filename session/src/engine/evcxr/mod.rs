//! The second engine: cells are evaluated by evcxr, in a process of the
//! analyser's. `docs/engines.md` says how it differs.

mod definitions;
mod ending;
mod folder;
mod process;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use gpurepl_wire::analysis::{EvcxrError, EvcxrOrder, EvcxrReply};

use super::{Cell, Definitions, Engine, Loss, Outcome, Report, Variable};
use crate::diagnostic::{Diagnostic, Label, Source};
use crate::interrupt::{Interrupter, Target};
use crate::output::{Sink, Stream};
use crate::session_folder::SessionFolder;
use crate::toolchain::Toolchain;
use definitions::Defined;
use ending::Ending;
use folder::Folder;
use process::Process;

/// The engine that has evcxr evaluate cells.
#[derive(Debug)]
pub struct EvcxrEngine {
    process: Option<Process>,
    options: EvcxrOptions,
    interrupter: Interrupter,
    variables: Vec<Variable>,
    items: Vec<String>,
    defined: Defined,
    /// Where evcxr builds, if that is kept; this session's from its first cell
    /// to its end.
    builds: Option<Folder>,
    /// Removed with the session.
    files: SessionFolder,
}

/// How evcxr is started.
#[derive(Clone, Debug, Default)]
pub struct EvcxrOptions {
    /// The workspace with the sources of the prelude; none for plain Rust.
    pub prelude: Option<PathBuf>,
    /// The toolchain that compiles cells; without one, what the environment names.
    pub toolchain: Option<Toolchain>,
    /// Environment variables for cells.
    pub environment: Vec<(String, String)>,
}

/// What an order has left.
#[derive(Default)]
struct Answer {
    errors: Vec<EvcxrError>,
    lost: Option<String>,
}

impl EvcxrEngine {
    /// An engine; evcxr itself is started with the first cell, or before by
    /// [`Engine::warm_up`].
    ///
    /// # Errors
    ///
    /// If there is no folder for the session's files.
    pub fn new(options: EvcxrOptions) -> std::io::Result<EvcxrEngine> {
        let files = SessionFolder::create(&std::env::temp_dir())?;
        Ok(EvcxrEngine {
            process: None,
            options,
            interrupter: Interrupter::default(),
            variables: Vec::new(),
            items: Vec::new(),
            defined: Defined::default(),
            builds: None,
            files,
        })
    }

    /// Starts evcxr, if it does not run.
    fn ensure(&mut self, sink: &mut dyn Sink) -> Result<(), String> {
        if self.process.is_some() {
            return Ok(());
        }
        if self.builds.is_none() {
            self.builds = self.options.prelude.as_deref().and_then(Folder::take);
        }
        let is_compiled = self.builds.as_ref().is_some_and(Folder::is_used);
        sink.note(match &self.options.prelude {
            Some(_) if is_compiled => "starting evcxr, which takes a few seconds",
            Some(_) => {
                "starting evcxr: it compiles the prelude for itself the first time, which takes minutes"
            }
            None => "starting evcxr",
        });
        let builds = self.builds.as_ref().map(Folder::path);
        let process = Process::start(&self.options, self.files.path(), builds)?;
        self.process = Some(process);
        let order = EvcxrOrder::Open { prelude: self.options.prelude.clone() };
        let answer = self.order(&order, 0, sink)?;
        match answer.lost {
            None => Ok(()),
            Some(how) => {
                self.process = None;
                let words = answer.errors.into_iter().map(|error| error.message);
                Err(std::iter::once(how).chain(words).collect::<Vec<_>>().join("\n"))
            }
        }
    }

    /// Gives an order and passes on what comes until it is done.
    fn order(&mut self, order: &EvcxrOrder, cell: u64, sink: &mut dyn Sink) -> Result<Answer, String> {
        let process = self.process.as_mut().ok_or("evcxr does not run")?;
        process.send(order)?;
        let mut answer = Answer::default();
        loop {
            match process.receive() {
                Some(EvcxrReply::Child(child)) => self.interrupter.set_workers(&[Target::Process(child)], 0),
                Some(EvcxrReply::Output { is_error, text }) => {
                    let stream = if is_error { Stream::Stderr } else { Stream::Stdout };
                    sink.output(stream, text.as_bytes());
                }
                Some(EvcxrReply::Value(bundle)) => sink.display(&bundle, true),
                Some(EvcxrReply::Error(error)) => answer.errors.push(error),
                Some(EvcxrReply::Done { variables, items, lost }) => {
                    let known = std::mem::take(&mut self.variables);
                    let cell_of = |name: &str, of: &str| {
                        let before = known.iter().find(|known| known.name == name && known.type_name == of);
                        before.map_or(cell, |known| known.cell)
                    };
                    self.variables = variables
                        .into_iter()
                        .map(|(name, type_name)| Variable {
                            cell: cell_of(&name, &type_name),
                            // evcxr does not say, and lets every variable change.
                            is_mutable: true,
                            name,
                            type_name,
                        })
                        .collect();
                    self.items = items;
                    answer.lost = lost;
                    return Ok(answer);
                }
                None => {
                    let how = process.end();
                    self.process = None;
                    self.interrupter.clear_workers();
                    self.defined = Defined::default();
                    return Err(format!("evcxr's process has ended: {how}"));
                }
            }
        }
    }

    /// What is reported about variables that went with evcxr's process.
    fn lose(&mut self, cause: String, before: Vec<Variable>) -> Outcome {
        let cause = if self.interrupter.was_asked() {
            "the interrupt has ended the process that runs cells".to_owned()
        } else {
            cause
        };
        Outcome::Lost(Loss {
            cause,
            status: None,
            variables: before.into_iter().map(|variable| variable.name).collect(),
            restored: Vec::new(),
        })
    }
}

impl Engine for EvcxrEngine {
    fn evaluate(&mut self, cell: &Cell, sink: &mut dyn Sink) -> Outcome {
        self.interrupter.begin();
        if let Err(problem) = self.ensure(sink) {
            let diagnostic = Diagnostic::error(problem);
            sink.diagnostic(&diagnostic);
            return Outcome::Failed(Box::new(diagnostic));
        }
        let before = self.variables.clone();
        let start = Instant::now();
        let ending = Ending::of(&cell.source);
        let order = EvcxrOrder::Evaluate { source: ending.source.clone(), tells_end: ending.is_told };
        let answer = match self.order(&order, cell.id, sink) {
            Ok(answer) => answer,
            Err(cause) => {
                self.variables.clear();
                return self.lose(cause, before);
            }
        };
        if let Some(cause) = answer.lost {
            return self.lose(cause, before);
        }
        let diagnostics: Vec<Diagnostic> =
            answer.errors.into_iter().map(|error| diagnostic(error, cell, &ending)).collect();
        for diagnostic in &diagnostics {
            sink.diagnostic(diagnostic);
        }
        match diagnostics.into_iter().next() {
            Some(first) => Outcome::Failed(Box::new(first)),
            None => {
                self.defined.add(&cell.source, cell.id);
                Outcome::Done(Report { run: start.elapsed(), ..Report::default() })
            }
        }
    }

    fn variables(&self) -> Vec<Variable> {
        self.variables.clone()
    }

    fn items(&self) -> Vec<String> {
        self.items.clone()
    }

    fn definitions(&self) -> Definitions {
        self.defined.definitions()
    }

    fn reset(&mut self, _: &mut dyn Sink) -> Result<(), String> {
        // The next cell starts another one: `:clear` would forget the prelude.
        self.interrupter.clear_workers();
        self.process = None;
        self.defined = Defined::default();
        self.variables.clear();
        self.items.clear();
        Ok(())
    }

    fn drain(&mut self, _: &mut dyn Sink) {}

    fn interrupter(&self) -> Interrupter {
        self.interrupter.clone()
    }

    fn folder(&self) -> &Path {
        self.files.path()
    }

    fn warm_up(&mut self, _: Duration, sink: &mut dyn Sink) -> Result<(), String> {
        self.ensure(sink)
    }

    fn finish(&mut self, _: &mut dyn Sink) {
        self.interrupter.clear_workers();
        self.process = None;
    }
}

/// An error of evcxr's on the user's own lines.
fn diagnostic(error: EvcxrError, cell: &Cell, ending: &Ending) -> Diagnostic {
    let mut diagnostic = Diagnostic::error(error.message);
    diagnostic.code = error.code;
    diagnostic.helps = error.helps;
    let is_placed = !error.places.is_empty();
    for (number, (line, start, end, text)) in error.places.into_iter().enumerate() {
        let range = range(&cell.source, ending.line(line), start, end);
        diagnostic.labels.push(Label { cell: cell.id, range, text, is_primary: number == 0 });
    }
    if is_placed {
        diagnostic.sources.push(Source {
            cell: cell.id,
            name: cell.name.clone(),
            text: cell.source.clone(),
            first_line: cell.first_line,
        });
    }
    diagnostic
}

/// The bytes of a place in characters, from one.
fn range(source: &str, line: u32, start: u32, end: u32) -> std::ops::Range<usize> {
    let mut offset = 0;
    for (number, text) in source.split('\n').enumerate() {
        if number + 1 == line as usize {
            let byte = |column: u32| {
                let column = column.saturating_sub(1) as usize;
                offset + text.char_indices().nth(column).map_or(text.len(), |(at, _)| at)
            };
            return byte(start)..byte(end.max(start));
        }
        offset += text.len() + 1;
    }
    source.len()..source.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_in_characters_are_found_in_bytes() {
        let source = "let ä = 1;\nlet b: u8 = \"x\";";
        assert_eq!(&source[range(source, 1, 5, 6)], "ä");
        assert_eq!(&source[range(source, 2, 13, 16)], "\"x\"");
        assert_eq!(&source[range(source, 2, 13, u32::MAX)], "\"x\";");
        assert_eq!(range(source, 9, 1, 2), source.len()..source.len());
    }
}
