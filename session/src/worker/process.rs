//! One worker, wherever its process is.

use std::os::unix::process::ExitStatusExt as _;
use std::process::ExitStatus;
use std::time::{Duration, Instant};

use gpurepl_wire::{CHANNEL_LOST, Command as Order};
use serde::{Deserialize, Serialize};

use super::pump::Line;
use crate::interrupt::Target;

/// A worker has ended.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Ended {
    /// How: `signal 11 (SIGSEGV)`, `exit status 3`.
    pub(crate) cause: String,
    /// The exit status, if the process has ended itself.
    pub(crate) status: Option<i32>,
}

/// The cause where somebody else is told how the process has ended.
const UNKNOWN: &str = "its process has ended";

impl Ended {
    /// It is told to somebody else how.
    pub(super) fn unknown() -> Ended {
        Ended { cause: UNKNOWN.to_owned(), status: None }
    }

    /// Whether it is not known how.
    pub(super) fn is_unknown(&self) -> bool {
        self.cause == UNKNOWN
    }

    /// With this status.
    pub(super) fn with(status: ExitStatus) -> Ended {
        if status.code() == Some(CHANNEL_LOST) {
            let cause = "a cell has closed or replaced file descriptors that are not its own, the channel to the \
                         session among them";
            return Ended { cause: cause.to_owned(), status: None };
        }
        let cause = match status.signal() {
            Some(signal) => {
                let name =
                    nix::sys::signal::Signal::try_from(signal).map_or("unknown", |signal| signal.as_str());
                format!("signal {signal} ({name})")
            }
            None => format!("exit status {}", status.code().unwrap_or(-1)),
        };
        Ended { cause, status: status.code() }
    }
}

/// What a process is to its session.
pub(super) trait Body: std::fmt::Debug + Send {
    /// What is to be signalled to interrupt it.
    fn target(&self) -> Target<'_>;

    /// Its number, for its user to look at.
    fn number(&self) -> i32;

    /// What its machine is called, if something else than the session has started it there.
    fn host(&self) -> Option<&str> {
        None
    }

    /// Sends an order. Should the process have ended, waiting for it says how.
    fn send(&mut self, order: &Order);

    /// Whether the process has ended. Not to be asked while interrupts are accepted.
    fn has_ended(&mut self) -> bool;

    /// How it has ended, if it has.
    fn end_of(&mut self) -> Option<Ended>;

    /// How long it may take to end if it is watched by something that is to see it end; none if it is not.
    fn watched(&self) -> Option<Duration>;

    /// Ends it, at once.
    fn kill(&mut self);
}

/// How long a process that is about to end may take: one that has a GPU gives back what it has there.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);

/// How long a rank that MPI has started may take to end, which may have it wait for others.
pub(super) const MPI: Duration = Duration::from_secs(10);

/// A running worker.
#[derive(Debug)]
pub(super) struct Process {
    /// What stands on the line that the cell has printed last: its question,
    /// if it then reads.
    pub(super) line: Line,
    /// How many lines the cell that runs has been given.
    pub(super) answered: usize,
    /// Whether it counts as ended.
    is_given_up: bool,
    body: Box<dyn Body>,
}

impl Process {
    pub(super) fn new(body: impl Body + 'static) -> Process {
        Process { line: Line::default(), answered: 0, is_given_up: false, body: Box::new(body) }
    }

    /// What is to be signalled to interrupt it.
    pub(super) fn target(&self) -> Target<'_> {
        self.body.target()
    }

    /// Its number, for its user to look at.
    pub(super) fn number(&self) -> i32 {
        self.body.number()
    }

    /// What its machine is called, if something else than the session has started it there.
    pub(super) fn host(&self) -> Option<&str> {
        self.body.host()
    }

    /// Sends an order. Should the process have ended, waiting for it says how.
    pub(super) fn send(&mut self, order: &Order) {
        self.body.send(order);
    }

    /// Whether the process has ended. Not to be asked while interrupts are
    /// accepted.
    pub(super) fn has_ended(&mut self) -> bool {
        self.is_given_up || self.body.has_ended()
    }

    /// Has it count as ended: it is ended when it is waited for.
    pub(super) fn give_up(&mut self) {
        self.is_given_up = true;
    }

    /// How long it may take to end once its channel is closed.
    pub(super) fn patience(&self) -> Duration {
        self.body.watched().unwrap_or(PATIENCE)
    }

    /// How the process has ended, which it does within that time; with `why` it is ended now. `drain` lets go of
    /// what it still says. Not to be called while interrupts are accepted.
    pub(super) fn ended(&mut self, why: Option<String>, patience: Duration, drain: impl FnMut()) -> Ended {
        if self.is_given_up {
            self.kill();
            let cause = "it has been ended, because another rank had failed".to_owned();
            return Ended { cause, status: None };
        }
        if let Some(cause) = why {
            self.kill();
            return Ended { cause, status: None };
        }
        self.wait_for_end(patience, drain).unwrap_or_else(|| {
            // It closed the channel and lives on: no use to anybody.
            self.kill();
            Ended { cause: "it stopped answering".to_owned(), status: None }
        })
    }

    /// Ends it, at once.
    pub(super) fn kill(&mut self) {
        self.body.kill();
    }

    /// Waits for the process to end, and lets go of what it still says.
    fn wait_for_end(&mut self, time: Duration, mut drain: impl FnMut()) -> Option<Ended> {
        let start = Instant::now();
        loop {
            if let Some(ended) = self.body.end_of() {
                return Some(ended);
            }
            if start.elapsed() >= time {
                return None;
            }
            drain();
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Ends it, in the usual way if something runs it: that has to see it end, to write its report.
    pub(super) fn end(&mut self, drain: impl FnMut()) {
        if let Some(patience) = self.body.watched() {
            self.send(&Order::End);
            self.wait_for_end(patience, drain);
        }
        // It ends by itself when the channel closes; a cell that still runs
        // does not have to be waited for.
        self.kill();
    }
}
