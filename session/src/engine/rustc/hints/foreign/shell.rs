//! Commands of the system's shell, as IPython runs some without `!`.

use super::super::place::is_name;
use super::Found;

/// Commands that people type.
const COMMANDS: &[&str] = &[
    "cat", "cd", "clear", "conda", "cp", "echo", "git", "ls", "mamba", "mkdir", "mv", "nvidia", "pip",
    "pip3", "pwd", "rm", "touch", "uv", "which",
];

/// Commands that the session has itself.
const OWN: &[&str] = &["cd", "clear", "pwd"];

/// Managers of Python's packages.
const PACKAGES: &[&str] = &["conda", "mamba", "pip", "pip3", "uv"];

/// A line that does not parse: `pip install numpy`, `files = !ls *.npy`.
pub(super) fn line(line: &str) -> Option<Found> {
    let help = advice(line)?;
    Some(Found::new(line, line.trim(), help))
}

/// What is written for a command, or for one whose output is kept.
pub(in super::super) fn advice(line: &str) -> Option<String> {
    let code = line.trim().trim_end_matches(';').trim_end();
    if let Some((name, command)) = code.split_once('=')
        && let Some(command) = command.trim_start().strip_prefix('!')
    {
        let name = name.strip_prefix("let ").unwrap_or(name).trim();
        return (is_name(name) && is_command(command)).then(|| output(name, command));
    }
    if !is_command(code) {
        return None;
    }
    let word = first(code);
    // An assignment, a call, a field and a path are of a variable of that name.
    if code[word.len()..].trim_start().starts_with(['=', '(', ':']) || code[word.len()..].starts_with('.') {
        return None;
    }
    Some(match word {
        word if PACKAGES.contains(&word) => {
            "arrays and plots need no package; a crate is added by `:dep name`".to_owned()
        }
        word if OWN.contains(&word) => format!("it is a command of the session: `:{code}`"),
        _ => format!("a command of the system starts with `!`: `!{code}`"),
    })
}

fn first(code: &str) -> &str {
    code.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default()
}

fn is_command(code: &str) -> bool {
    let word = first(code);
    // Of a name with a hyphen only the first half is a word.
    COMMANDS.contains(&word) && (word != "nvidia" || code.starts_with("nvidia-smi"))
}

/// `files = !ls`
fn output(name: &str, command: &str) -> String {
    let mut words = command.split_whitespace().map(|word| format!("\"{}\"", word.trim_matches(['"', '\''])));
    let program = words.next().unwrap_or_default();
    let arguments: Vec<String> = words.collect();
    let arguments = match &arguments[..] {
        [] => String::new(),
        list => format!(".args([{}])", list.join(", ")),
    };
    format!(
        "what a command prints is read by `let {name} = \
         String::from_utf8(std::process::Command::new({program}){arguments}.output()?.stdout)?;`"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_told_from_variables() {
        for (text, help) in [
            ("ls", "a command of the system starts with `!`: `!ls`"),
            ("ls -la", "a command of the system starts with `!`: `!ls -la`"),
            ("nvidia-smi", "a command of the system starts with `!`: `!nvidia-smi`"),
            ("cd /tmp", "it is a command of the session: `:cd /tmp`"),
            ("pwd", "it is a command of the session: `:pwd`"),
            ("pip install numpy", "arrays and plots need no package; a crate is added by `:dep name`"),
            (
                "let files = !ls -a;",
                "what a command prints is read by `let files = \
                 String::from_utf8(std::process::Command::new(\"ls\").args([\"-a\"]).output()?.stdout)?;`",
            ),
        ] {
            assert_eq!(advice(text).as_deref(), Some(help), "{text}");
        }
        for text in ["ls = 1", "cp.zeros(3)", "rm(x)", "let y = !flag", "nvidia", "lss", "echo::f()"] {
            assert_eq!(advice(text), None, "{text}");
        }
    }
}
