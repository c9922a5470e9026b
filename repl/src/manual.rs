//! What other programs want to know of the command line: completions for
//! shells, and the manual page.

use std::io::{self, Write as _};

use clap::CommandFactory as _;
use clap_complete::Shell;

use crate::Status;
use crate::arguments::Arguments;
use crate::terminal::Terminal;

/// Prints a shell's script that completes the command line.
pub fn completions(shell: Shell, terminal: &mut Terminal) -> Status {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "gpurepl", &mut text);
    print(&text, terminal)
}

/// Prints the manual page: of the program, then of its subcommands.
pub fn page(terminal: &mut Terminal) -> Status {
    let mut text = Vec::new();
    match render(&mut text) {
        Ok(()) => print(&text, terminal),
        Err(error) => failed(&error, terminal),
    }
}

fn render(text: &mut Vec<u8>) -> io::Result<()> {
    let command = Arguments::command();
    let manual = clap_mangen::Man::new(command).manual("User Commands");
    manual.render(text)
}

fn print(text: &[u8], terminal: &mut Terminal) -> Status {
    match io::stdout().write_all(text).and_then(|()| io::stdout().flush()) {
        Ok(()) => Status::Succeeded,
        // `gpurepl man | head` is not an error.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Status::Succeeded,
        Err(error) => failed(&error, terminal),
    }
}

fn failed(error: &io::Error, terminal: &mut Terminal) -> Status {
    terminal.error(&format!("writing to the standard output: {error}"));
    Status::Failed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_tells_of_options_and_of_the_environment() {
        let mut text = Vec::new();
        render(&mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        for word in ["\\-\\-edit\\-mode", "GPUREPL_DEVICE", "config.toml", "sanitize"] {
            assert!(text.contains(word), "{word} is not in\n{text}");
        }
    }
}
