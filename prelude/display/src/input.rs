//! Questions to the user.

use std::io::{self, BufRead as _, Write as _};

use crate::error::{OrRaise as _, Problem, Result};
use crate::streams::{Answer, Hidden, ask};

/// Asks the user for a line, and returns it without its end.
///
/// `std::io::stdin()` can be read as well; this shows its question where the
/// answer is typed.
///
/// # Panics
///
/// With an [`Error`](crate::Error) if the user has ended the input or there is
/// no user to ask; [`try_input`] reports it.
#[track_caller]
pub fn input(prompt: &str) -> String {
    try_input(prompt).or_raise()
}

/// As [`input`], for what is not to be seen while it is typed.
///
/// # Panics
///
/// As [`input`].
#[track_caller]
pub fn input_password(prompt: &str) -> String {
    answer(prompt, true).or_raise()
}

/// Asks the user for a line, and returns it without its end.
///
/// # Errors
///
/// If the user has ended the input or there is no user to ask.
pub fn try_input(prompt: &str) -> Result<String> {
    answer(prompt, false)
}

fn answer(prompt: &str, is_password: bool) -> Result<String> {
    match ask(prompt, is_password) {
        Answer::Line(line) => Ok(line),
        Answer::Ended => Err(ended(io::Error::new(io::ErrorKind::UnexpectedEof, "there is none"))),
        Answer::Unasked => read(prompt, is_password).map_err(ended),
    }
}

fn ended(error: io::Error) -> crate::Error {
    Problem::Io { what: "asking for", path: "input".to_owned(), error }.into()
}

/// Reads a line of standard input, which is the user's own.
fn read(prompt: &str, is_password: bool) -> io::Result<String> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(prompt.as_bytes())?;
    stdout.flush()?;
    drop(stdout);
    let mut line = String::new();
    let mut stdin = io::stdin().lock();
    let hidden = is_password.then(Hidden::new).flatten();
    let count = stdin.read_line(&mut line);
    if hidden.is_some() {
        // The user's Enter has not been seen either.
        let _ = io::stdout().write_all(b"\n");
    }
    drop(hidden);
    if count? == 0 {
        return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "there is none"));
    }
    line.truncate(line.trim_end_matches(['\r', '\n']).len());
    Ok(line)
}
