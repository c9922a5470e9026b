//! What there is to say to whoever runs the server: standard error, which
//! Jupyter shows in its own terminal.

use std::io::Write as _;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Writes a line, if it can be read.
pub fn line(text: &str) {
    let _ = writeln!(std::io::stderr(), "[gpurepl-jupyter] {text}");
}

/// Writes a line about something that was sent and cannot be taken. Whoever
/// sends much of it does not fill the log.
pub fn dropped(text: &str) {
    static LIMIT: Mutex<Limit> = Mutex::new(Limit { began: None, count: 0 });
    let say = LIMIT.lock().unwrap_or_else(PoisonError::into_inner).at(Instant::now());
    if let Some(more) = say.before {
        line(&format!("{more} more lines of that kind were left out"));
    }
    if say.is_shown {
        line(text);
    }
    if say.is_last {
        line("that is enough for now: more of that kind is counted and not shown for a minute");
    }
}

/// The most lines in a minute.
const MOST: u64 = 30;
const MINUTE: Duration = Duration::from_secs(60);

/// How many lines there were since a time.
#[derive(Debug)]
struct Limit {
    began: Option<Instant>,
    count: u64,
}

/// What is written of a line.
#[derive(Debug, PartialEq)]
struct Say {
    /// How many were left out before it, if that is to be said.
    before: Option<u64>,
    is_shown: bool,
    /// Whether the next ones are left out.
    is_last: bool,
}

impl Limit {
    /// A line comes at a time.
    fn at(&mut self, now: Instant) -> Say {
        let mut before = None;
        if self.began.is_none_or(|began| now.duration_since(began) >= MINUTE) {
            before = self.count.checked_sub(MOST).filter(|more| *more > 0);
            *self = Limit { began: Some(now), count: 0 };
        }
        self.count += 1;
        Say { before, is_shown: self.count <= MOST, is_last: self.count == MOST }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_message_that_was_dropped_was_a_line_of_the_log() {
        let begin = Instant::now();
        let mut limit = Limit { began: None, count: 0 };
        let said: Vec<Say> = (0..1000).map(|_| limit.at(begin)).collect();
        assert_eq!(said.iter().filter(|say| say.is_shown).count() as u64, MOST);
        assert_eq!(said.iter().position(|say| say.is_last), Some(MOST as usize - 1));
        let later = limit.at(begin + MINUTE);
        assert_eq!(later, Say { before: Some(1000 - MOST), is_shown: true, is_last: false });
        assert_eq!(limit.at(begin + 2 * MINUTE).before, None);
    }
}
