//! Where the first rank meets the others.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io::{self, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::net::{UnixListener, UnixStream};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use nix::sys::socket::{getsockopt, sockopt::PeerCredentials};

use super::talk::{END, Hello, Start, check_user, pass_pipes, read_line, write_line};
use super::{HELP, PATIENCE};
use crate::interrupt::Interrupter;

/// How long a rank may take to say a line.
const LINE: Duration = Duration::from_secs(5);

/// Where the first rank meets the others. Those that are not needed are told when it is dropped.
#[derive(Debug)]
pub struct Meeting {
    /// None once all have come: what is started next by the job meets anew.
    listener: Mutex<Option<UnixListener>>,
    ranks: usize,
    own: Hello,
    /// Those that have come and were not asked for yet.
    waiting: Mutex<Vec<(usize, UnixStream)>>,
    /// Those that have become workers.
    started: Mutex<BTreeSet<usize>>,
    /// Until when all are to have come; from when the first one was asked for.
    deadline: OnceLock<Instant>,
}

/// A rank that has become a worker.
#[derive(Debug)]
pub(crate) struct Joined {
    pub(crate) frames: UnixStream,
    pub(crate) stdout: OwnedFd,
    pub(crate) stderr: OwnedFd,
    /// Its process.
    pub(crate) process: i32,
}

impl Meeting {
    pub(super) fn new(listener: UnixListener, ranks: usize) -> io::Result<Meeting> {
        listener.set_nonblocking(true)?;
        Ok(Meeting {
            listener: Mutex::new(Some(listener)),
            ranks,
            own: Hello::of(0),
            waiting: Mutex::default(),
            started: Mutex::default(),
            deadline: OnceLock::new(),
        })
    }

    /// How many ranks there are, the first one included.
    pub fn ranks(&self) -> usize {
        self.ranks
    }

    /// Has a rank become a worker.
    pub(crate) fn start(
        &self,
        rank: usize,
        start: &Start,
        interrupter: &Interrupter,
    ) -> Result<Joined, String> {
        if lock(&self.started).contains(&rank) {
            return Err(format!(
                "rank {rank} of this job has been a worker and has ended\n  = help: start the job again"
            ));
        }
        let failed = |error: io::Error| format!("rank {rank} of this job could not be started: {error}");
        let frames = self.connection(rank, interrupter).map_err(failed)?;
        let process = getsockopt(&frames, PeerCredentials).map_err(|error| failed(error.into()))?.pid();
        if process <= 0 {
            let message = format!("it runs in a container of its own, where it cannot be signalled; {HELP}");
            return Err(failed(io::Error::other(message)));
        }
        let line = serde_json::to_vec(start).map_err(|error| failed(io::Error::other(error)))?;
        let ((stdout, its_stdout), (stderr, its_stderr)) =
            io::pipe().and_then(|stdout| Ok((stdout, io::pipe()?))).map_err(failed)?;
        pass_pipes(&frames, &its_stdout, &its_stderr).map_err(failed)?;
        write_line(&frames, &line).map_err(failed)?;
        let mut started = lock(&self.started);
        started.insert(rank);
        if started.len() + 1 == self.ranks {
            lock(&self.listener).take();
        }
        Ok(Joined { frames, stdout: stdout.into(), stderr: stderr.into(), process })
    }

    fn connection(&self, rank: usize, interrupter: &Interrupter) -> io::Result<UnixStream> {
        let deadline = *self.deadline.get_or_init(|| Instant::now() + PATIENCE);
        loop {
            let mut waiting = lock(&self.waiting);
            if let Some(at) = waiting.iter().position(|(other, _)| *other == rank) {
                return Ok(waiting.swap_remove(at).1);
            }
            drop(waiting);
            if interrupter.was_asked() {
                return Err(io::Error::other("interrupted"));
            }
            if Instant::now() > deadline {
                let message = format!("it has not come within {} s; {HELP}", PATIENCE.as_secs());
                return Err(io::Error::other(message));
            }
            if !self.take_one()? {
                std::thread::sleep(Duration::from_millis(5));
            }
        }
    }

    /// Takes a connection, if there is one.
    fn take_one(&self) -> io::Result<bool> {
        let listener = lock(&self.listener);
        let Some(listener) = &*listener else { return Ok(false) };
        match listener.accept() {
            Ok((stream, _)) => match self.hello(&stream) {
                Ok(rank) => lock(&self.waiting).push((rank, stream)),
                Err(error) if error.kind() == io::ErrorKind::Unsupported => return Err(error),
                // Somebody else's.
                Err(_) => {}
            },
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(false),
            Err(error) => return Err(error),
        }
        Ok(true)
    }

    fn hello(&self, stream: &UnixStream) -> io::Result<usize> {
        stream.set_nonblocking(false)?;
        check_user(stream)?;
        let hello: Hello =
            serde_json::from_slice(&read_line(stream, Some(LINE))?).map_err(io::Error::other)?;
        let rank = hello.rank;
        if rank == 0 || rank >= self.ranks {
            return Err(io::Error::other("there is no such rank"));
        }
        let unlike = |what: String| Err(io::Error::new(io::ErrorKind::Unsupported, what));
        let own = &self.own;
        if (&hello.version, hello.size) != (&own.version, own.size) {
            return unlike(format!(
                "rank {rank} is another gpurepl ({}) than rank 0 ({}); start one program on all",
                hello.version, own.version
            ));
        }
        if hello.arguments != own.arguments {
            let told = hello.arguments.join(OsStr::new(" "));
            let message =
                format!("rank {rank} was started with other arguments, `{}`; {HELP}", told.display());
            return unlike(message);
        }
        Ok(rank)
    }
}

impl Drop for Meeting {
    fn drop(&mut self) {
        // Those that have come in vain: there was nothing to run.
        while matches!(self.take_one(), Ok(true)) {}
        for (_, mut stream) in lock(&self.waiting).drain(..) {
            let _ = stream.write_all(&[END]);
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
