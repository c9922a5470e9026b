//! Commands of the system: `!make test`.

use std::os::unix::process::ExitStatusExt as _;
use std::process::Command;

use crate::terminal::Terminal;

/// The commands that a cell begins with, and what follows them. A line that
/// starts with `!` is one; it goes on after a backslash at its end.
///
/// Within a cell `!` is Rust's negation, and so is `(!x)` at its start.
pub fn leading(source: &str) -> Option<(String, &str)> {
    let start = source.len() - source.trim_start().len();
    let mut rest = source[start..].strip_prefix('!')?;
    let mut command = String::new();
    loop {
        let (line, after) = rest.split_once('\n').unwrap_or((rest, ""));
        command.push_str(line);
        rest = after;
        if !line.ends_with('\\') || after.is_empty() {
            return Some((command.trim().to_owned(), rest));
        }
        command.push('\n');
    }
}

/// Whether what is typed is a command that goes on.
pub fn goes_on(source: &str) -> bool {
    source.ends_with('\\')
}

/// Runs a command by the system's shell, with this process's own terminal or
/// files, and says how it ended if it failed.
pub fn run(command: &str, terminal: &mut Terminal) {
    if command.is_empty() {
        terminal.error("which command? `!COMMAND`, such as `!ls`");
        return;
    }
    match Command::new("sh").arg("-c").arg(command).status() {
        Ok(status) => {
            // What it has printed was not seen here.
            terminal.restore_modes(status.success());
            match (status.code(), status.signal()) {
                (Some(0), _) if command.split_whitespace().next() == Some("cd") => terminal
                    .aside("a command runs in a process of its own, so its folder changes nothing here"),
                (Some(0), _) => {}
                (Some(127), _) => terminal.aside("exit status 127; to negate a value, write `(!value)`"),
                (Some(status), _) => terminal.aside(&format!("exit status {status}")),
                (None, Some(nix::libc::SIGINT)) => terminal.interrupted(),
                (None, signal) => terminal.aside(&format!("ended by signal {}", signal.unwrap_or_default())),
            }
        }
        Err(error) => terminal.error(&format!("`sh` cannot be started: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_with_an_exclamation_mark_are_commands() {
        assert_eq!(leading("!ls -l"), Some(("ls -l".to_owned(), "")));
        assert_eq!(leading("  ! ls\nlet a = 1;"), Some(("ls".to_owned(), "let a = 1;")));
        assert_eq!(leading("!a \\\n b\n1"), Some(("a \\\n b".to_owned(), "1")));
        assert_eq!(leading("!a \\"), Some(("a \\".to_owned(), "")));
        assert_eq!(leading("(!a)"), None);
        assert_eq!(leading("let a = !b;"), None);
    }
}
