//! The end of a program at a terminal.

use std::time::{Duration, Instant};

use rexpect::process::WaitStatus;
use rexpect::session::PtySession;

/// How long a test waits for the end.
const PATIENCE: Duration = Duration::from_secs(300);

/// Ends a shell by Ctrl-D. While a cell runs the key belongs to the terminal, which
/// forgets it, so it is typed until the shell has read it.
///
/// # Panics
///
/// If the program does not end.
#[track_caller]
pub fn leave(session: &mut PtySession) {
    let end = Instant::now() + PATIENCE;
    while session.process().status() == Some(WaitStatus::StillAlive) {
        assert!(Instant::now() < end, "the program goes on");
        // It may have ended meanwhile.
        let _ = session.send_control('d');
        std::thread::sleep(Duration::from_millis(100));
    }
}
