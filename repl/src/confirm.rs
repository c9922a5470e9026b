//! Questions that are answered by yes or no.

use std::io;
use std::os::fd::AsFd as _;

use nix::poll::{PollFd, PollFlags, poll};

use crate::terminal::Terminal;

/// How long to wait before looking whether the user has interrupted, in
/// milliseconds.
const STEP: u16 = 100;

/// Asks until the answer is one. The end of the input and an interrupt mean no.
pub fn confirm(question: &str, terminal: &mut Terminal) -> bool {
    loop {
        terminal.question(&format!("{question} [y/n] "));
        let Some(line) = line(terminal) else {
            terminal.question("\n");
            return false;
        };
        if let Some(answer) = answer(&line) {
            return answer;
        }
    }
}

/// The next line of the keyboard; none at its end, and after an interrupt. A
/// terminal outside the line editor hands out whole lines, so one that can be
/// read does not have to be waited for, and nothing behind it is taken.
fn line(terminal: &Terminal) -> Option<String> {
    let stdin = io::stdin();
    loop {
        if terminal.is_interrupted() {
            return None;
        }
        let mut polled = [PollFd::new(stdin.as_fd(), PollFlags::POLLIN)];
        match poll(&mut polled, STEP) {
            Ok(0) | Err(nix::errno::Errno::EINTR) => continue,
            Ok(_) => {}
            Err(_) => return None,
        }
        let mut line = String::new();
        return match stdin.read_line(&mut line) {
            Ok(count) if count > 0 => Some(line),
            _ => None,
        };
    }
}

/// What a line answers, if it does.
fn answer(line: &str) -> Option<bool> {
    match line.trim().to_lowercase().as_str() {
        "y" | "yes" => Some(true),
        "n" | "no" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::answer;

    #[test]
    fn answers_are_yes_or_no() {
        assert_eq!(
            (answer("y\n"), answer(" YES "), answer("n"), answer("No\r\n")),
            (Some(true), Some(true), Some(false), Some(false))
        );
        assert_eq!((answer(""), answer("perhaps")), (None, None));
    }
}
