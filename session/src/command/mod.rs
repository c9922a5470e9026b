//! What the commands of a session do: lines that start with a colon. Their
//! names and their help are in [`commands`](crate::commands).
//!
//! A command acts on the session and evaluates no cells. `:load` returns those
//! of its file, and [`Session::run`] evaluates them.

mod book;
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
mod workers;

pub use crate::commands::{Argument, COMMANDS, Command, PAGES, Page, Subject, is_command, takes};
pub(crate) use files::FileOfCells;
pub(crate) use time::tell;

use crate::MimeBundle;
use crate::commands::magic;
use crate::commands::{find, unknown};
use crate::dependencies as dependencies_of_cells;
use crate::output::Sink;
use crate::session::Session;

/// What a command does.
enum Act {
    /// It reads or changes the session.
    Do(fn(&mut Session, &str, &mut dyn Sink) -> Result<(), String>),
    /// It reads cells, which are to be evaluated.
    Read(fn(&str) -> Result<FileOfCells, String>),
}

/// What each command of the table does.
fn act(command: &Command) -> Option<Act> {
    Some(match command.name {
        "help" => Act::Do(help),
        "vars" => Act::Do(variables::vars),
        "items" => Act::Do(variables::items),
        "dep" => Act::Do(dependencies::dep),
        "reset" => Act::Do(variables::reset),
        "time" => Act::Do(time::time),
        "timeit" | "profile" => Act::Do(time::needs_code),
        "type" => Act::Do(inspect::type_of),
        "doc" => Act::Do(inspect::doc),
        "device" => Act::Do(device::device),
        "mem" => Act::Do(variables::mem),
        "kernels" => Act::Do(device::kernels),
        "cache" => Act::Do(device::cache),
        "tuned" => Act::Do(device::tuned),
        "load" => Act::Read(files::load),
        "debug" | "edit" | "history" => Act::Do(prompt::only),
        "opt" => Act::Do(opt),
        "replay" => Act::Do(replay::replay),
        "run" => Act::Read(files::run),
        "save" => Act::Do(save::save),
        "cd" => Act::Do(environment::cd),
        "pwd" => Act::Do(environment::pwd),
        "env" => Act::Do(environment::env),
        "clear" => Act::Do(clear),
        "workers" => Act::Do(workers::workers),
        "rank" => Act::Do(workers::rank),
        "quit" => Act::Do(quit),
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

/// Runs a command. Returns the cells that are to be evaluated next.
///
/// # Errors
///
/// If there is no such command, or it fails.
pub(crate) fn run(
    session: &mut Session,
    source: &str,
    sink: &mut dyn Sink,
) -> Result<Option<FileOfCells>, String> {
    let line = source.trim().trim_start_matches(':');
    let (name, arguments) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    match find(name) {
        _ if let Some((name, level)) = question(source, &session.variables()) => {
            inspect::explain(session, name, level, sink).map(|()| None)
        }
        Some(command) if command.arguments.is_empty() && !arguments.trim().is_empty() => {
            Err(superfluous(command))
        }
        Some(command) => match act(command) {
            Some(Act::Do(act)) => act(session, arguments.trim(), sink).map(|()| None),
            Some(Act::Read(read)) => read(arguments.trim()).map(Some),
            None => Err(unknown(name)),
        },
        None => Err(unknown(name)),
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
    book::help(name, sink)
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
