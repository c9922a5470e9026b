//! What the commands of a session do: lines that start with a colon. Their
//! names and their help are in [`commands`](crate::commands).

mod dependencies;
mod device;
mod environment;
mod files;
mod inspect;
mod prompt;
mod replay;
mod save;
mod table;
mod time;
mod variables;

pub use crate::commands::{Argument, COMMANDS, Command, PAGES, Page, Subject, is_command, takes};
pub(crate) use time::tell;

use crate::commands::{find, unknown};
use crate::dependencies as dependencies_of_cells;
use crate::engine::Outcome;
use crate::engine::Report;
use crate::output::Sink;
use crate::session::Session;
use crate::{Diagnostic, MimeBundle, magic};

/// What a command does.
type Act = fn(&mut Session, &str, &mut dyn Sink) -> Result<(), String>;

/// What each command of the table does.
fn act(command: &Command) -> Option<Act> {
    Some(match command.name {
        "help" => help,
        "vars" => variables::vars,
        "items" => variables::items,
        "dep" => dependencies::dep,
        "reset" => variables::reset,
        "time" => time::time,
        "timeit" | "profile" => time::needs_code,
        "type" => inspect::type_of,
        "doc" => inspect::doc,
        "device" => device::device,
        "mem" => variables::mem,
        "kernels" => device::kernels,
        "cache" => device::cache,
        "load" => files::load,
        "edit" | "history" => prompt::only,
        "opt" => opt,
        "replay" => replay::replay,
        "run" => files::run,
        "save" => save::save,
        "cd" => environment::cd,
        "pwd" => environment::pwd,
        "env" => environment::env,
        "clear" => clear,
        "quit" => quit,
        _ => return None,
    })
}

pub(crate) use dependencies::add as add_dependencies;

/// Whether a command needs more lines: a table of `:dep` that is not closed.
pub fn goes_on(source: &str) -> bool {
    dependencies_of_cells::goes_on(source)
}

/// Whether a text begins with `:dep`: several of them, one under another, are
/// one cell.
pub fn is_dependency(source: &str) -> bool {
    dependencies_of_cells::is_request(source)
}

pub(crate) use inspect::question;

/// Runs a command.
pub(crate) fn run(session: &mut Session, source: &str, sink: &mut dyn Sink) -> Outcome {
    let line = source.trim().trim_start_matches(':');
    let (name, arguments) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let result = match find(name) {
        _ if let Some((name, level)) = question(source, &session.variables()) => {
            inspect::explain(&session.analysis(), name, level, sink)
        }
        Some(command) if command.arguments.is_empty() && !arguments.trim().is_empty() => {
            Err(superfluous(command))
        }
        Some(command) => match act(command) {
            Some(act) => act(session, arguments.trim(), sink),
            None => Err(unknown(name)),
        },
        None => Err(unknown(name)),
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

fn superfluous(command: &Command) -> String {
    format!("nothing can follow `:{}`", command.name)
}

/// What is said where a worker of another version answers something else.
const NO_ANSWER: &str = "unexpected answer from the worker";

/// Bytes in a unit that suits them.
fn bytes(count: u64) -> String {
    const UNITS: [&str; 5] = ["KiB", "MiB", "GiB", "TiB", "PiB"];
    if count < 1024 {
        return format!("{count} byte{}", if count == 1 { "" } else { "s" });
    }
    let (mut number, mut unit) = (count as f64 / 1024.0, 0);
    while number >= 1023.95 && unit + 1 < UNITS.len() {
        number /= 1024.0;
        unit += 1;
    }
    format!("{number:.1} {}", UNITS[unit])
}

fn show(text: String, sink: &mut dyn Sink) -> Result<(), String> {
    sink.display(&MimeBundle::text(text.trim_end()), false);
    Ok(())
}

fn help(_: &mut Session, name: &str, sink: &mut dyn Sink) -> Result<(), String> {
    show(crate::commands::help(name)?, sink)
}

fn clear(_: &mut Session, _: &str, sink: &mut dyn Sink) -> Result<(), String> {
    sink.clear_screen();
    Ok(())
}

fn quit(session: &mut Session, _: &str, _: &mut dyn Sink) -> Result<(), String> {
    session.end();
    Ok(())
}

fn opt(session: &mut Session, level: &str, sink: &mut dyn Sink) -> Result<(), String> {
    if !level.is_empty() {
        session.optimisation = magic::optimisation(level)?;
    }
    show(format!("cells are compiled with opt-level {}", session.optimisation), sink)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_does_something() {
        for command in COMMANDS {
            assert!(act(command).is_some(), "{}", command.name);
        }
    }
}
