//! The terminal's input, where the line editor cannot read it.
//!
//! A byte that is not UTF-8 ends the editor's reading. It throws away what it
//! had taken from the terminal with it, and what comes after would be the rest
//! of a line whose beginning is missing: it must not be run.

use std::os::fd::AsFd as _;

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::termios::{LocalFlags, SetArg, tcgetattr, tcsetattr};

/// What a terminal sends at the end of a text that is pasted.
const PASTE_END: &[u8] = b"\x1b[201~";

/// How long the terminal is quiet, in milliseconds, when all has come that was
/// sent at once.
const QUIET: u16 = 30;

/// The same for a text that is pasted, which ends with [`PASTE_END`]; the editor
/// may have taken that.
const QUIET_PASTE: u16 = 250;

/// Reads what the terminal has sent, and forgets it.
pub fn discard(is_pasting: bool) {
    let stdin = std::io::stdin();
    let Ok(settings) = tcgetattr(&stdin) else { return };
    let mut silent = settings.clone();
    silent.local_flags.remove(LocalFlags::ICANON | LocalFlags::ECHO);
    if tcsetattr(&stdin, SetArg::TCSANOW, &silent).is_err() {
        return;
    }
    let quiet = PollTimeout::from(if is_pasting { QUIET_PASTE } else { QUIET });
    let (mut seen, mut buffer) = (Vec::new(), [0; 4096]);
    loop {
        let mut input = [PollFd::new(stdin.as_fd(), PollFlags::POLLIN)];
        if !matches!(poll(&mut input, quiet), Ok(1..)) {
            break;
        }
        match nix::unistd::read(stdin.as_fd(), &mut buffer) {
            Ok(count @ 1..) => seen.extend_from_slice(&buffer[..count]),
            _ => break,
        }
        if is_pasting && seen.windows(PASTE_END.len()).any(|part| part == PASTE_END) {
            break;
        }
        let start = seen.len().saturating_sub(PASTE_END.len());
        seen.drain(..start);
    }
    let _ = tcsetattr(&stdin, SetArg::TCSANOW, &settings);
}
