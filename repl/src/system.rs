//! Commands of the system: `!make test`.

use std::os::unix::process::ExitStatusExt as _;
use std::process::Command;

use crate::terminal::Terminal;

/// A command for a shell of the system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Script {
    /// The shell: `sh` or `bash`.
    pub shell: &'static str,
    /// What it is to do.
    pub text: String,
}

/// The command that a cell begins with, and what follows it. A line that
/// starts with `!` is one; it goes on after a backslash at its end. After
/// `%%sh` or `%%bash` the whole cell is one.
///
/// Within a cell `!` is Rust's negation, and so is `(!x)` at its start.
pub fn leading(source: &str) -> Option<(Script, &str)> {
    let typed = source.trim_start();
    if let Some(magic) = typed.strip_prefix("%%") {
        let (name, text) = magic.split_once('\n').unwrap_or((magic, ""));
        let shell = ["sh", "bash"].into_iter().find(|shell| *shell == name.trim())?;
        return Some((Script { shell, text: text.trim().to_owned() }, ""));
    }
    let mut rest = typed.strip_prefix('!')?;
    let mut text = String::new();
    loop {
        let (line, after) = rest.split_once('\n').unwrap_or((rest, ""));
        text.push_str(line);
        rest = after;
        if !line.ends_with('\\') || after.is_empty() {
            return Some((Script { shell: "sh", text: text.trim().to_owned() }, rest));
        }
        text.push('\n');
    }
}

/// Whether what is typed is a command that goes on.
pub fn goes_on(source: &str) -> bool {
    source.ends_with('\\')
}

/// Runs a command, with this process's own terminal or
/// files, and says how it ended if it failed.
pub fn run(script: &Script, terminal: &mut Terminal) {
    let Script { shell, text } = script;
    if text.is_empty() {
        terminal.error("which command? `!COMMAND`, such as `!ls`");
        return;
    }
    match Command::new(shell).arg("-c").arg(text).status() {
        Ok(status) => {
            // What it has printed was not seen here.
            terminal.restore_modes(status.success());
            match (status.code(), status.signal()) {
                (Some(0), _) if text.split_whitespace().next() == Some("cd") => {
                    terminal.aside("a command runs in a separate process, so its folder has no effect here")
                }
                (Some(0), _) => {}
                (Some(status @ 127), _) => terminal.aside(&format!("exit status {status}; {NEGATION}")),
                // A shell does not understand it.
                (Some(status @ 2), _) if is_value(text) => {
                    terminal.aside(&format!("exit status {status}; {NEGATION}"));
                }
                (Some(status), _) => terminal.aside(&format!("exit status {status}")),
                (None, Some(nix::libc::SIGINT)) => terminal.interrupted(),
                (None, signal) => terminal.aside(&format!("ended by signal {}", signal.unwrap_or_default())),
            }
        }
        Err(error) => terminal.error(&format!("`{shell}` cannot be started: {error}")),
    }
}

const NEGATION: &str = "to negate a value, write `(!value)`";

/// Whether a text begins as a value of Rust does: `x.gt(0)`, `all(1)`, `m[0]`.
fn is_value(text: &str) -> bool {
    let rest = text.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_');
    rest.len() < text.len() && rest.starts_with(['.', '(', '['])
}

/// Runs a program of our own that has the terminal meanwhile.
pub fn with_terminal(command: &mut Command, terminal: &mut Terminal) {
    match command.status() {
        Ok(status) => terminal.restore_modes(status.success()),
        Err(error) => {
            terminal.error(&format!("{} cannot be started: {error}", command.get_program().display()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_told_from_programs() {
        for value in ["x.gt(0)", "m.sum()", "all(1)", "mask[0]"] {
            assert!(is_value(value), "{value}");
        }
        for program in ["ls -l", "./run", "make", "(cd a; ls)", ""] {
            assert!(!is_value(program), "{program}");
        }
    }

    #[test]
    fn lines_with_an_exclamation_mark_are_commands() {
        let sh = |text: &str| Script { shell: "sh", text: text.to_owned() };
        assert_eq!(leading("!ls -l"), Some((sh("ls -l"), "")));
        assert_eq!(leading("  ! ls\nlet a = 1;"), Some((sh("ls"), "let a = 1;")));
        assert_eq!(leading("!a \\\n b\n1"), Some((sh("a \\\n b"), "1")));
        assert_eq!(leading("!a \\"), Some((sh("a \\"), "")));
        assert_eq!(
            leading("%%bash\na\n!b\n"),
            Some((Script { shell: "bash", text: "a\n!b".to_owned() }, ""))
        );
        assert_eq!(leading("%%basic\na"), None);
        assert_eq!(leading("(!a)"), None);
        assert_eq!(leading("let a = !b;"), None);
    }
}
