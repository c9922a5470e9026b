//! The commands of a session: lines that start with a colon.
//!
//! One table holds all there is to know of each: its name, its help and what
//! it does.

mod dependencies;
mod device;
mod environment;
mod files;
mod inspect;
mod manual;
mod prompt;
mod replay;
mod save;
mod table;
mod time;
mod variables;

pub use manual::{Argument, PAGES, Page, Subject, takes};
pub(crate) use time::tell;

use crate::dependencies as dependencies_of_cells;
use crate::engine::Outcome;
use crate::engine::Report;
use crate::output::Sink;
use crate::session::Session;
use crate::{Diagnostic, MimeBundle, magic};

/// A command.
pub struct Command {
    /// Its name, without the colon.
    pub name: &'static str,
    /// Other names.
    pub aliases: &'static [&'static str],
    /// What follows the name; empty for nothing.
    pub arguments: &'static str,
    /// What it does, in a line.
    pub help: &'static str,
    act: fn(&mut Session, &str, &mut dyn Sink) -> Result<(), String>,
}

/// Every command, in the order of the help.
pub const COMMANDS: &[Command] = &[
    Command {
        name: "help",
        aliases: &["h", "?"],
        arguments: "[COMMAND]",
        help: "lists the commands, or explains one",
        act: help,
    },
    Command {
        name: "vars",
        aliases: &[],
        arguments: "[NAME...]",
        help: "lists the variables, their types and sizes",
        act: variables::vars,
    },
    Command {
        name: "items",
        aliases: &[],
        arguments: "",
        help: "lists the functions, types and other items that cells have defined",
        act: variables::items,
    },
    Command {
        name: "dep",
        aliases: &[],
        arguments: "[NAME [= VERSION]]",
        help: "adds a crate for cells to use; alone, lists them",
        act: dependencies::dep,
    },
    Command {
        name: "reset",
        aliases: &[],
        arguments: "[vars|items [NAME...]]",
        help: "forgets variables, items, or everything",
        act: variables::reset,
    },
    Command {
        name: "time",
        aliases: &[],
        arguments: "on|off|CODE",
        help: "shows where the time of each cell went, or of one",
        act: time::time,
    },
    Command {
        name: "timeit",
        aliases: &[],
        arguments: "[-n LOOPS] [-r RUNS] CODE",
        help: "runs code in loops and shows how long one takes",
        act: time::needs_code,
    },
    Command {
        name: "profile",
        aliases: &[],
        arguments: "CODE",
        help: "runs code and shows how long each kernel and copy took",
        act: time::needs_code,
    },
    Command {
        name: "type",
        aliases: &["t"],
        arguments: "EXPR",
        help: "shows the type of an expression without evaluating it",
        act: inspect::type_of,
    },
    Command {
        name: "doc",
        aliases: &[],
        arguments: "NAME",
        help: "explains a name; also `?name`, `name?`, and `??name` with its source",
        act: inspect::doc,
    },
    Command {
        name: "device",
        aliases: &["devices"],
        arguments: "[info]",
        help: "lists the devices of this machine, or describes the one in use",
        act: device::device,
    },
    Command {
        name: "mem",
        aliases: &["memory"],
        arguments: "",
        help: "shows how much of the device's memory is used, and by what",
        act: variables::mem,
    },
    Command {
        name: "kernels",
        aliases: &[],
        arguments: "",
        help: "lists the kernels that were compiled in this session",
        act: device::kernels,
    },
    Command {
        name: "cache",
        aliases: &[],
        arguments: "[info|clear]",
        help: "shows or empties the cache of compiled kernels",
        act: device::cache,
    },
    Command {
        name: "load",
        aliases: &[],
        arguments: "FILE",
        help: "runs the cells of a script or a notebook",
        act: files::load,
    },
    Command {
        name: "edit",
        aliases: &["e"],
        arguments: "[N|FILE]",
        help: "opens a new cell, cell N or a file in your editor, and runs the result",
        act: prompt::only,
    },
    Command {
        name: "history",
        aliases: &["hist"],
        arguments: "[N|-g PATTERN]",
        help: "lists this session's cells; -g searches all sessions",
        act: prompt::only,
    },
    Command {
        name: "opt",
        aliases: &[],
        arguments: "[0|1|2|3]",
        help: "shows or sets how much cells are optimised",
        act: opt,
    },
    Command {
        name: "replay",
        aliases: &[],
        arguments: "[on|ask|off|now]",
        help: "shows or sets whether the cells of a lost worker are run again",
        act: replay::replay,
    },
    Command {
        name: "run",
        aliases: &[],
        arguments: "FILE",
        help: "runs a script or a notebook in this session, as `:load` does",
        act: files::run,
    },
    Command {
        name: "save",
        aliases: &[],
        arguments: "FILE.rs|FILE.ipynb|FOLDER/ [N-M...] [--all] [-f]",
        help: "saves cells as a script, a notebook or a cargo project",
        act: save::save,
    },
    Command {
        name: "cd",
        aliases: &[],
        arguments: "[FOLDER]",
        help: "changes the current folder",
        act: environment::cd,
    },
    Command {
        name: "pwd",
        aliases: &[],
        arguments: "",
        help: "shows the current folder",
        act: environment::pwd,
    },
    Command {
        name: "env",
        aliases: &[],
        arguments: "NAME=VALUE",
        help: "sets an environment variable for cells",
        act: environment::env,
    },
    Command { name: "clear", aliases: &["cls"], arguments: "", help: "clears the screen", act: clear },
    Command { name: "quit", aliases: &["q", "exit"], arguments: "", help: "ends the session", act: quit },
];

pub(crate) use dependencies::add as add_dependencies;

impl Command {
    /// Whether Rust follows its name.
    pub fn takes_code(&self) -> bool {
        ["EXPR", "NAME", "CODE", "CELL"].iter().any(|word| self.arguments.contains(word))
    }
}

/// Whether a text is a command rather than a cell: `:time CODE` is a cell.
pub fn is_command(source: &str) -> bool {
    let text = source.trim_start();
    text.starts_with(['?', ':']) && !text.starts_with("::") && !crate::magic::is_in_command(source)
}

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
        Some(command) => (command.act)(session, arguments.trim(), sink),
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

pub(crate) fn find(name: &str) -> Option<&'static Command> {
    COMMANDS.iter().find(|command| command.name == name || command.aliases.contains(&name))
}

fn unknown(name: &str) -> String {
    if name.is_empty() {
        return "a command is expected after `:`; `:help` lists them".to_owned();
    }
    let distance = |command: &&Command| strsim::damerau_levenshtein(command.name, name);
    // Of a short name every short name is near.
    let limit = (name.chars().count() / 3).min(2);
    match COMMANDS.iter().min_by_key(distance).filter(|command| distance(command) <= limit) {
        Some(near) => format!("there is no command `:{name}`; did you mean `:{}`?", near.name),
        None => format!("there is no command `:{name}`; `:help` lists them"),
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
    show(manual::help(name)?, sink)
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
    use std::collections::HashSet;

    #[test]
    fn the_table_holds_together() {
        let mut names = HashSet::new();
        for command in COMMANDS {
            for name in std::iter::once(&command.name).chain(command.aliases) {
                assert!(names.insert(*name), "{name} stands twice");
                assert!(!name.contains(' ') && !name.starts_with(':'));
            }
            assert!(!command.help.is_empty() && !command.help.ends_with('.'), "{}", command.name);
        }
    }

    #[test]
    fn a_name_is_guessed_from_most_of_its_letters() {
        assert!(unknown("tiem").contains("did you mean `:time`?"));
        assert!(unknown("histroy").contains("did you mean `:history`?"));
        for name in ["", "x", "zz", "xyz"] {
            let text = unknown(name);
            assert!(!text.contains("did you mean") && text.contains("`:help` lists them"), "{text}");
        }
    }

    #[test]
    fn paths_are_no_commands() {
        assert!(is_command("  :vars"));
        assert!(!is_command("::std::process::id()"));
        assert!(!is_command("1 + 1"));
        assert!(is_command(":time on") && !is_command(":time f()"));
    }
}
