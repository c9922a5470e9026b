//! The commands of a session: lines that start with a colon.
//!
//! One table holds all there is to know of each: its name, its help and what
//! it does.

mod device;
mod files;
mod inspect;
mod variables;

use std::fmt::Write as _;

use crate::engine::Outcome;
use crate::engine::Report;
use crate::output::Sink;
use crate::session::Session;
use crate::{Diagnostic, MimeBundle};

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
        arguments: "",
        help: "lists the variables and their types",
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
        name: "type",
        aliases: &["t"],
        arguments: "EXPR",
        help: "names the type of an expression, which is not evaluated",
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
        arguments: "",
        help: "lists the devices of this machine",
        act: device::device,
    },
    Command {
        name: "cache",
        aliases: &[],
        arguments: "[info|clear]",
        help: "tells about the cache of compiled kernels, or empties it",
        act: device::cache,
    },
    Command {
        name: "load",
        aliases: &[],
        arguments: "FILE",
        help: "runs the cells of a script",
        act: files::load,
    },
    Command {
        name: "reset",
        aliases: &["clear"],
        arguments: "",
        help: "forgets all variables and items",
        act: reset,
    },
    Command { name: "quit", aliases: &["q", "exit"], arguments: "", help: "ends the session", act: quit },
];

impl Command {
    /// Whether Rust follows its name.
    pub fn takes_code(&self) -> bool {
        ["EXPR", "NAME", "CODE", "CELL"].iter().any(|word| self.arguments.contains(word))
    }
}

/// Whether a text is a command rather than a cell.
pub fn is_command(source: &str) -> bool {
    let source = source.trim_start();
    source.starts_with(['?', ':']) && !source.starts_with("::")
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
    let distance = |command: &&Command| strsim::damerau_levenshtein(command.name, name);
    match COMMANDS.iter().min_by_key(distance).filter(|command| distance(command) <= 2) {
        Some(near) => format!("there is no command `:{name}`; did you mean `:{}`?", near.name),
        None => format!("there is no command `:{name}`; `:help` lists them"),
    }
}

fn superfluous(command: &Command) -> String {
    if command.name == "device" {
        return "`:device` lists devices; one is chosen when the session starts: `gpurepl --device cuda:0`, or \
                GPUREPL_DEVICE"
            .to_owned();
    }
    format!("nothing can follow `:{}`", command.name)
}

fn show(text: String, sink: &mut dyn Sink) -> Result<(), String> {
    sink.display(&MimeBundle::text(text.trim_end()), false);
    Ok(())
}

fn help(_: &mut Session, name: &str, sink: &mut dyn Sink) -> Result<(), String> {
    if let Some(command) = find(name.trim_start_matches(':')) {
        let mut text = format!(":{} {}\n  {}", command.name, command.arguments, command.help);
        if !command.aliases.is_empty() {
            let _ = write!(text, "\n  also: :{}", command.aliases.join(", :"));
        }
        return show(text, sink);
    }
    if !name.is_empty() {
        return Err(unknown(name));
    }
    let mut text = String::from(
        "A cell is Rust: items, statements, and a last expression that is shown.\n\
         Arrays, kernels and the device are there already: zeros, to_gpu, SourceModule, ...\n\
         A cell at a prompt has no standard input: the prompt reads the keyboard.\n\n",
    );
    for command in COMMANDS {
        let _ =
            writeln!(text, "  {:<18} {}", format!(":{} {}", command.name, command.arguments), command.help);
    }
    show(text, sink)
}

fn reset(session: &mut Session, _: &str, sink: &mut dyn Sink) -> Result<(), String> {
    session.reset(sink);
    Ok(())
}

fn quit(session: &mut Session, _: &str, _: &mut dyn Sink) -> Result<(), String> {
    session.end();
    Ok(())
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
    fn paths_are_no_commands() {
        assert!(is_command("  :vars"));
        assert!(!is_command("::std::process::id()"));
        assert!(!is_command("1 + 1"));
    }
}
