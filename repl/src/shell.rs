//! The prompt.

use gpurepl_session::{Deaf, Outcome, Session, command, script};
use rustyline::error::ReadlineError;

use crate::config::Startup;
use crate::history::Record;
use crate::keyboard::{Input, Typed};
use crate::terminal::Terminal;
use crate::{editor, highlight, system};

/// The lines that greet.
pub fn banner(terminal: &mut Terminal) {
    let version = env!("CARGO_PKG_VERSION");
    let style = terminal.theme().aside;
    terminal
        .line(&format!("gpurepl {version}: Rust cells on the GPU. :help for help, Ctrl-D to leave"), style);
}

/// Runs a script before the first prompt. Of its values and notes nothing is
/// shown. One that fails ends there, and the prompt comes all the same.
pub fn start_up(startup: &Startup, session: &mut Session, terminal: &mut Terminal) {
    let name = startup.path.display().to_string();
    terminal.set_quiet(true);
    for cell in script::program(&startup.text) {
        if !session.run_named(&cell.source, &name, cell.first_line, terminal).is_done() {
            break;
        }
    }
    terminal.set_quiet(false);
}

/// Reads cells and evaluates them until the user leaves.
///
/// # Errors
///
/// If the terminal cannot be read.
pub fn run(
    input: &mut dyn Input,
    session: &mut Session,
    terminal: &mut Terminal,
) -> Result<(), ReadlineError> {
    Shell::new(input, session, terminal).run()
}

/// A prompt.
pub struct Shell<'s> {
    /// Where cells come from.
    pub input: &'s mut dyn Input,
    /// Where they go.
    pub session: &'s mut Session,
    /// Where what they say is shown.
    pub terminal: &'s mut Terminal,
    record: Record,
}

impl<'s> Shell<'s> {
    /// A prompt at which nothing has been typed.
    pub fn new(input: &'s mut dyn Input, session: &'s mut Session, terminal: &'s mut Terminal) -> Shell<'s> {
        Shell { input, session, terminal, record: Record::default() }
    }

    fn run(&mut self) -> Result<(), ReadlineError> {
        // What the next prompt begins with.
        let mut text = String::new();
        while !self.session.has_ended() && !self.terminal.is_closed() {
            self.session.drain(self.terminal);
            self.terminal.prepare_prompt();
            match self.input.read(&std::mem::take(&mut text), self.session, self.terminal)? {
                Typed::Cell(source) if source.trim().is_empty() => {}
                Typed::Cell(source) => {
                    self.input.remember(source.trim_end());
                    self.obey(&source);
                }
                Typed::Edit(source) => text = self.edited(&source).unwrap_or(source),
                Typed::Nothing => {}
                Typed::End => break,
            }
        }
        Ok(())
    }

    /// Does what was typed: a cell, a command of the session's, of the
    /// prompt's, of the system's. Returns whether it has succeeded.
    pub fn obey(&mut self, source: &str) -> bool {
        if let Some((command, rest)) = system::leading(source) {
            system::run(&command, self.terminal);
            return rest.trim().is_empty() || self.obey(rest);
        }
        if let Some((name, arguments)) = own_command(source) {
            let done = match name {
                "edit" => self.edit(arguments),
                "debug" => self.debug(arguments),
                _ => self.history(arguments),
            };
            if let Err(problem) = &done {
                self.terminal.error(problem);
            }
            return done.is_ok();
        }
        self.evaluate(source)
    }

    fn evaluate(&mut self, source: &str) -> bool {
        let number = self.session.next_cell();
        if !command::is_command(source) {
            self.record.push(number, source);
        }
        self.terminal.number_results(number);
        let outcome = self.session.run(source, self.terminal);
        if outcome == Outcome::Interrupted {
            self.terminal.interrupted();
        }
        outcome.is_done()
    }

    /// What the user's editor makes of a text.
    pub fn edited(&mut self, source: &str) -> Option<String> {
        match editor::edit(source) {
            Ok(text) => Some(text),
            Err(problem) => {
                self.terminal.error(&problem);
                None
            }
        }
    }

    fn history(&mut self, arguments: &str) -> Result<(), String> {
        let earlier = self.input.history();
        // The question itself is not an answer.
        let earlier = earlier.into_iter().filter(|text| !text.starts_with(":history"));
        let text = self.record.answer(arguments, earlier)?;
        let text = if self.terminal.has_colours() && arguments.starts_with("-g") {
            highlight::paint(&text, &[], self.terminal.theme())
        } else {
            text
        };
        self.terminal.line(&text, anstyle::Style::new());
        Ok(())
    }

    /// `:debug`: the cells that have succeeded, and another one, under a debugger
    /// that has the terminal meanwhile.
    fn debug(&mut self, code: &str) -> Result<(), String> {
        if code.is_empty() {
            return Err(
                "`:debug` needs a cell to run under the debugger: `:debug twice.launch(1, 32, &mut a)?`"
                    .to_owned(),
            );
        }
        let device = self.session.devices(&mut Deaf)?.into_iter().find(|device| device.is_default);
        let script = self.session.folder().join("debug.rs");
        let earlier = self.session.script()?;
        std::fs::write(&script, format!("{earlier}// %%\n{code}\n"))
            .map_err(|error| format!("cannot write {}: {error}", script.display()))?;
        let program =
            std::env::current_exe().map_err(|error| format!("cannot locate this executable: {error}"))?;
        let mut command = std::process::Command::new(program);
        command.arg("debug").args(device.into_iter().flat_map(|device| ["--device".to_owned(), device.id]));
        system::with_terminal(command.arg(&script), self.terminal);
        Ok(())
    }

    /// `:edit`: a new cell, an earlier one, or a file; what it has become is
    /// run.
    fn edit(&mut self, arguments: &str) -> Result<(), String> {
        let earlier = match arguments.parse() {
            Ok(number) => match self.record.cell(number) {
                Some(entry) => entry.source.clone(),
                None => return Err(format!("there is no cell {number}; `:history` lists them")),
            },
            Err(_) if arguments.is_empty() => String::new(),
            Err(_) => return self.edit_file(arguments),
        };
        let Some(source) = self.edited(&earlier) else { return Ok(()) };
        if source.trim().is_empty() {
            self.terminal.aside("nothing to run");
            return Ok(());
        }
        self.show(&source);
        self.input.remember(&source);
        self.obey(&source);
        Ok(())
    }

    fn edit_file(&mut self, name: &str) -> Result<(), String> {
        editor::open(name.as_ref())?;
        let text = std::fs::read_to_string(name).map_err(|error| format!("reading {name}: {error}"))?;
        let cells = script::file(name, &text).map_err(|error| error.to_string())?;
        for cell in cells {
            self.terminal.number_results(self.session.next_cell());
            let outcome =
                self.session.run_named(&cell.source, &cell.name(name), cell.first_line, self.terminal);
            if outcome == Outcome::Interrupted {
                self.terminal.interrupted();
            }
            if !outcome.is_done() {
                break;
            }
        }
        Ok(())
    }

    /// Shows a cell that was not typed here as if it had been.
    fn show(&mut self, source: &str) {
        let prompt = format!("In [{}]: ", self.session.next_cell());
        let text = if self.terminal.has_colours() {
            let theme = self.terminal.theme();
            format!("{0}{prompt}{0:#}{1}", theme.prompt, highlight::paint(source, &[], theme))
        } else {
            format!("{prompt}{source}")
        };
        self.terminal.line(&text, anstyle::Style::new());
    }
}

/// A command that is the prompt's own, and what follows it.
fn own_command(source: &str) -> Option<(&'static str, &str)> {
    let line = source.trim().strip_prefix(':')?;
    let (name, arguments) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let known = command::COMMANDS.iter().find(|known| known.name == name || known.aliases.contains(&name))?;
    ["debug", "edit", "history"].into_iter().find(|own| *own == known.name).map(|own| (own, arguments.trim()))
}

#[cfg(test)]
pub(crate) mod tests;
