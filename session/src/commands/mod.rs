//! The table of commands: lines that start with a colon. What each does is in
//! [`command`](crate::command). Magics stand at the start of cells, and have their own table.

pub mod magic;
mod manual;

pub(crate) use manual::help;
pub use manual::{Argument, PAGES, Page, Subject, takes};

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
}

/// Every command, in the order of the help.
pub const COMMANDS: &[Command] = &[
    Command {
        name: "help",
        aliases: &["h", "?"],
        arguments: "[COMMAND|TOPIC]",
        help: "lists the commands, explains one, or finds a topic in the documentation",
    },
    Command {
        name: "vars",
        aliases: &[],
        arguments: "[NAME...]",
        help: "lists the variables, their types and sizes",
    },
    Command {
        name: "items",
        aliases: &[],
        arguments: "",
        help: "lists the functions, types and other items that cells have defined",
    },
    Command {
        name: "dep",
        aliases: &[],
        arguments: "[NAME [= VERSION]]",
        help: "adds a crate for cells to use; alone, lists them",
    },
    Command {
        name: "reset",
        aliases: &[],
        arguments: "[vars|items [NAME...]]",
        help: "forgets variables, items, or everything",
    },
    Command {
        name: "workers",
        aliases: &[],
        arguments: "[NUMBER]",
        help: "lists the workers, or has so many of them run each cell",
    },
    Command {
        name: "rank",
        aliases: &[],
        arguments: "RANKS",
        help: "shows the last value of a cell on these workers",
    },
    Command {
        name: "time",
        aliases: &[],
        arguments: "on|off|CODE",
        help: "shows where the time of each cell went, or of one",
    },
    Command {
        name: "timeit",
        aliases: &[],
        arguments: "[-n LOOPS] [-r RUNS] CODE",
        help: "runs code in loops and shows how long one takes",
    },
    Command {
        name: "profile",
        aliases: &[],
        arguments: "CODE",
        help: "runs code and shows how long each kernel and copy took",
    },
    Command {
        name: "type",
        aliases: &["t"],
        arguments: "EXPR",
        help: "shows the type of an expression without evaluating it",
    },
    Command {
        name: "doc",
        aliases: &[],
        arguments: "NAME",
        help: "explains a name; also `?name`, `name?`, and `??name` with its source",
    },
    Command {
        name: "device",
        aliases: &["devices"],
        arguments: "[info]",
        help: "lists the devices of this machine, or describes the one in use",
    },
    Command {
        name: "mem",
        aliases: &["memory"],
        arguments: "",
        help: "shows how much of the device's memory is used, and by what",
    },
    Command {
        name: "kernels",
        aliases: &[],
        arguments: "",
        help: "lists the kernels that were compiled in this session",
    },
    Command {
        name: "cache",
        aliases: &[],
        arguments: "[info|clear]",
        help: "shows or empties the cache of compiled kernels",
    },
    Command {
        name: "tuned",
        aliases: &[],
        arguments: "[list|clear]",
        help: "lists or forgets the best variants of kernels that were tuned",
    },
    Command {
        name: "load",
        aliases: &[],
        arguments: "FILE",
        help: "runs the cells of a script or a notebook",
    },
    Command {
        name: "debug",
        aliases: &[],
        arguments: "CODE",
        help: "runs this session's cells, then CODE, under a debugger for kernels",
    },
    Command {
        name: "edit",
        aliases: &["e"],
        arguments: "[N|FILE]",
        help: "opens a new cell, cell N or a file in your editor, and runs the result",
    },
    Command {
        name: "history",
        aliases: &["hist"],
        arguments: "[N|-g PATTERN]",
        help: "lists this session's cells; -g searches all sessions",
    },
    Command {
        name: "opt",
        aliases: &[],
        arguments: "[0|1|2|3]",
        help: "shows or sets how much cells are optimised",
    },
    Command {
        name: "replay",
        aliases: &[],
        arguments: "[on|ask|off|now]",
        help: "shows or sets whether the cells of a lost worker are run again",
    },
    Command {
        name: "run",
        aliases: &[],
        arguments: "FILE",
        help: "runs a script or a notebook in this session, as `:load` does",
    },
    Command {
        name: "save",
        aliases: &[],
        arguments: "FILE.rs|FILE.ipynb|FOLDER/ [N-M...] [--all] [-f]",
        help: "saves cells as a script, a notebook or a cargo project",
    },
    Command { name: "cd", aliases: &[], arguments: "[FOLDER]", help: "changes the current folder" },
    Command { name: "pwd", aliases: &[], arguments: "", help: "shows the current folder" },
    Command {
        name: "env",
        aliases: &[],
        arguments: "NAME=VALUE",
        help: "sets an environment variable for cells",
    },
    Command { name: "clear", aliases: &["cls"], arguments: "", help: "clears the screen" },
    Command { name: "quit", aliases: &["q", "exit"], arguments: "", help: "ends the session" },
];

impl Command {
    /// Whether Rust follows its name.
    pub fn takes_code(&self) -> bool {
        ["EXPR", "NAME", "CODE", "CELL"].iter().any(|word| self.arguments.contains(word))
    }
}

/// Whether a text is a command rather than a cell: `:time CODE` is a cell.
pub fn is_command(source: &str) -> bool {
    let text = source.trim_start();
    text.starts_with(['?', ':']) && !text.starts_with("::") && !magic::is_in_command(source)
}

pub(crate) fn find(name: &str) -> Option<&'static Command> {
    COMMANDS.iter().find(|command| command.name == name || command.aliases.contains(&name))
}

pub(crate) fn unknown(name: &str) -> String {
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
