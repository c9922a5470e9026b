//! Variants that are tried in a process of their own, so that one that crashes, or never ends, takes
//! nothing with it.
//!
//! The process is this program once more. It talks through its standard input, a socket: what kernels print
//! goes elsewhere. Each message is a length of eight bytes and MessagePack.

use std::fs;
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use gpurepl_ground::error::Problem;
use gpurepl_ground::streams::channel;
use gpurepl_ground::{Error, ErrorKind, Result, interrupt};
use gpurepl_wire::worker_mode::{TUNES, WORKER};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::bench::Bench;
use crate::task::Task;
use crate::variant::{Failure, FailureKind, Outcome, Variant};

/// What the process answers to a variant.
#[derive(Debug, Serialize, Deserialize)]
enum Answer {
    /// It has the arguments on the device.
    Ready,
    Done(Outcome),
    /// The device cannot be used any more: the process ends.
    Lost(String),
    /// No variant can be tried, this one or another.
    Cannot(String),
}

/// How long the process may take to begin.
const START: Duration = Duration::from_secs(120);

/// How long a process that says nothing any more may take to end.
const PATIENCE: Duration = Duration::from_millis(500);

/// How often a wait for an answer looks after interrupts.
const LOOK: Duration = Duration::from_millis(50);

fn message<T: Serialize>(message: &T) -> io::Result<Vec<u8>> {
    let bytes = rmp_serde::to_vec(message).map_err(io::Error::other)?;
    let mut all = (bytes.len() as u64).to_le_bytes().to_vec();
    all.extend(bytes);
    Ok(all)
}

fn receive<T: DeserializeOwned>(stream: &mut impl io::Read) -> io::Result<T> {
    let mut length = [0; 8];
    stream.read_exact(&mut length)?;
    let mut bytes = vec![0; usize::try_from(u64::from_le_bytes(length)).map_err(io::Error::other)?];
    stream.read_exact(&mut bytes)?;
    rmp_serde::from_slice(&bytes).map_err(io::Error::other)
}

/// Why a wait has come to its end without what it waited for.
enum Ended {
    Interrupted,
    TooLong,
    /// The other side is gone.
    Gone,
}

/// Looks after interrupts and the time, now and then.
struct Patience {
    start: Instant,
    limit: Duration,
}

impl Patience {
    fn new(limit: Duration) -> Patience {
        Patience { start: Instant::now(), limit }
    }

    fn check(&self) -> std::result::Result<(), Ended> {
        if interrupt::is_pending() {
            return Err(Ended::Interrupted);
        }
        if self.start.elapsed() > self.limit { Err(Ended::TooLong) } else { Ok(()) }
    }

    /// Writes bytes; both sides of a socket may be slow.
    fn write(&self, mut stream: &UnixStream, mut bytes: &[u8]) -> std::result::Result<(), Ended> {
        while !bytes.is_empty() {
            match stream.write(&bytes[..bytes.len().min(1 << 20)]) {
                Ok(0) => return Err(Ended::Gone),
                Ok(count) => bytes = &bytes[count..],
                Err(error) if is_later(&error) => self.check()?,
                Err(_) => return Err(Ended::Gone),
            }
        }
        Ok(())
    }

    /// Waits for an answer.
    fn read(&self, stream: &mut BufReader<UnixStream>) -> std::result::Result<Answer, Ended> {
        loop {
            match stream.fill_buf() {
                Ok([]) => return Err(Ended::Gone),
                Ok(_) => break,
                Err(error) if is_later(&error) => self.check()?,
                Err(_) => return Err(Ended::Gone),
            }
        }
        // What has begun to come is there at once.
        let answer = stream.get_ref().set_read_timeout(None).and_then(|()| receive(stream));
        let _ = stream.get_ref().set_read_timeout(Some(LOOK));
        answer.map_err(|_| Ended::Gone)
    }
}

/// A process, and its folder for what it does not clean up.
struct Running {
    child: Child,
    stream: BufReader<UnixStream>,
    _folder: tempfile::TempDir,
}

/// There can be no process for the variants.
fn broken(message: String) -> Error {
    refused(&format!("{message}\n  = help: `.isolated(false)` tries variants in the session itself"))
}

/// What the process says against all variants, which has its own next step.
fn refused(message: &str) -> Error {
    let message = message.strip_prefix("tune: ").unwrap_or(message).to_owned();
    Problem::Invalid { operation: "tune", message }.into()
}

/// The process, seen from outside.
pub struct Isolated {
    task: Task,
    limit: Duration,
    running: Option<Running>,
    /// The first variant that has worked: what the others are compared with.
    first: Option<Variant>,
}

impl Isolated {
    /// Whether there can be one: only a worker of a session knows how it was started.
    pub fn is_possible() -> bool {
        channel::is_open() && !channel::is_copy() && libraries().is_some()
    }

    pub fn new(task: Task, limit: Duration) -> Isolated {
        Isolated { task, limit, running: None, first: None }
    }

    /// Has a variant tried; as [`Bench::attempt`].
    pub fn attempt(&mut self, variant: &Variant) -> Result<Outcome> {
        if self.running.is_none() {
            self.start()?;
            if let Some(first) = self.first.clone() {
                // Its results are what the others are compared with: without them nothing can be said.
                if let Err(failure) = self.ask(&first)? {
                    let message =
                        format!("the first variant worked once, and not again: {}", failure.first_line());
                    return Err(broken(message));
                }
            }
        }
        let result = self.ask(variant)?;
        if self.first.is_none() && result.is_ok() {
            self.first = Some(variant.clone());
        }
        Ok(result)
    }

    fn start(&mut self) -> Result<()> {
        let cannot = |error: io::Error| broken(format!("a process for the variants: {error}"));
        let Some((standard, prelude)) = libraries() else {
            return Err(cannot(io::Error::other("the prelude was not found")));
        };
        let (ours, theirs) = UnixStream::pair().map_err(cannot)?;
        let folder = tempfile::tempdir().map_err(cannot)?;
        let device = gpurepl_device::current()?.device();
        let mut command = Command::new("/proc/self/exe");
        command
            .env(WORKER[0], TUNES)
            .env(WORKER[1], standard)
            .env(WORKER[2], prelude)
            .env("GPUREPL_DEVICE", device.id())
            // What a compiler leaves that is ended with it goes with the folder.
            .env("TMPDIR", folder.path())
            // Ctrl-C is the worker's affair.
            .process_group(0)
            .stdin(Stdio::from(OwnedFd::from(theirs)))
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let child = command.spawn().map_err(cannot)?;
        // Of the two ends the process has one alone.
        drop(command);
        ours.set_read_timeout(Some(LOOK))
            .and_then(|()| ours.set_write_timeout(Some(LOOK)))
            .map_err(cannot)?;
        self.running = Some(Running { child, stream: BufReader::new(ours), _folder: folder });
        let Some(running) = &mut self.running else { unreachable!("it was set") };
        let patience = Patience::new(START);
        let task = message(&self.task).map_err(cannot)?;
        let given = patience.write(running.stream.get_ref(), &task).and_then(|()| {
            self.task.elements().try_for_each(|one| patience.write(running.stream.get_ref(), &one.bytes))
        });
        match given.and_then(|()| patience.read(&mut running.stream)) {
            Ok(Answer::Ready) => Ok(()),
            Ok(Answer::Cannot(message) | Answer::Lost(message)) => {
                self.end(false);
                Err(refused(&message))
            }
            Ok(Answer::Done(_)) => Err(broken("the process for the variants is another one".to_owned())),
            Err(Ended::Interrupted) => {
                self.end(true);
                interrupt::check()?;
                Err(broken("interrupted".to_owned()))
            }
            Err(Ended::TooLong | Ended::Gone) => {
                let failure = self.crashed();
                Err(broken(format!("it did not begin: {}", failure.message)))
            }
        }
    }

    fn ask(&mut self, variant: &Variant) -> Result<Outcome> {
        let Some(running) = &mut self.running else {
            return Ok(Err(Failure::new(FailureKind::Crashes, "the process that tries variants has ended")));
        };
        let patience = Patience::new(self.limit);
        let asked = message(variant).map_err(|_| Ended::Gone);
        let asked = asked.and_then(|bytes| patience.write(running.stream.get_ref(), &bytes));
        match asked.and_then(|()| patience.read(&mut running.stream)) {
            Ok(Answer::Done(result)) => Ok(result),
            Ok(Answer::Lost(message)) => {
                self.end(false);
                Ok(Err(Failure::new(FailureKind::Fails, message)))
            }
            Ok(Answer::Cannot(message)) => {
                self.end(false);
                Err(refused(&message))
            }
            Err(Ended::Interrupted) => {
                self.end(true);
                interrupt::check()?;
                Ok(Err(Failure::new(FailureKind::Fails, "interrupted")))
            }
            Err(Ended::TooLong) => {
                self.end(true);
                let message = format!("no result after {} s", self.limit.as_secs_f64());
                Ok(Err(Failure::new(FailureKind::TakesTooLong, message)))
            }
            Ok(Answer::Ready) | Err(Ended::Gone) => {
                let failure = self.crashed();
                interrupt::check()?;
                Ok(Err(failure))
            }
        }
    }

    fn crashed(&mut self) -> Failure {
        let message = match self.end(false) {
            Some(status) => match status.signal() {
                Some(signal) => format!("the process that tried it was ended by signal {signal}"),
                None => format!("the process that tried it has ended ({status})"),
            },
            None => "the process that tried it has ended".to_owned(),
        };
        Failure::new(FailureKind::Crashes, message)
    }

    /// Ends the process: at once, or if it has not ended by itself a moment later.
    fn end(&mut self, at_once: bool) -> Option<ExitStatus> {
        let Running { mut child, stream, _folder } = self.running.take()?;
        drop(stream);
        let until = Instant::now() + PATIENCE;
        while !at_once && Instant::now() < until {
            if let Ok(Some(status)) = child.try_wait() {
                return Some(status);
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        let _ = child.kill();
        child.wait().ok()
    }
}

impl Drop for Isolated {
    fn drop(&mut self) {
        self.end(true);
    }
}

fn is_later(error: &io::Error) -> bool {
    use io::ErrorKind::{Interrupted, TimedOut, WouldBlock};
    matches!(error.kind(), WouldBlock | TimedOut | Interrupted)
}

/// The files of the standard library and of the prelude that this process has loaded.
fn libraries() -> Option<(PathBuf, PathBuf)> {
    let maps = fs::read_to_string("/proc/self/maps").ok()?;
    let find = |start: &str| {
        let mut paths = maps.lines().filter_map(|line| line.find('/').map(|at| &line[at..]));
        let found = paths.find(|path| path.rsplit('/').next().is_some_and(|name| name.starts_with(start)));
        found.map(PathBuf::from)
    };
    Some((find("libstd-")?, find("libgpurepl_prelude")?))
}

/// The process, seen from inside: tries variants until nobody asks any more. Returns its exit status.
pub fn serve() -> i32 {
    end_with_parent();
    let Ok(stream) = io::stdin().as_fd().try_clone_to_owned().map(UnixStream::from) else { return 3 };
    let mut reader = BufReader::new(stream);
    let Ok(mut task) = receive::<Task>(&mut reader) else { return 3 };
    for elements in task.elements_mut() {
        elements.bytes = vec![0; elements.size()];
        if reader.read_exact(&mut elements.bytes).is_err() {
            return 3;
        }
    }
    let answer = |reader: &BufReader<UnixStream>, answer: &Answer| {
        message(answer).and_then(|bytes| reader.get_ref().write_all(&bytes)).is_ok()
    };
    let mut bench = match Bench::new(task) {
        Ok(bench) => bench,
        Err(error) => {
            answer(&reader, &Answer::Cannot(error.to_string()));
            return 1;
        }
    };
    if !answer(&reader, &Answer::Ready) {
        return 1;
    }
    while let Ok(variant) = receive::<Variant>(&mut reader) {
        let (result, is_over) = match bench.attempt(&variant) {
            Ok(result) => (Answer::Done(result), false),
            Err(error) if error.kind() == ErrorKind::DeviceLost => (Answer::Lost(error.to_string()), true),
            Err(error) => (Answer::Cannot(error.to_string()), true),
        };
        if !answer(&reader, &result) || is_over {
            return 1;
        }
    }
    0
}

/// A kernel that never ends would outlive a worker that was killed.
fn end_with_parent() {
    let parent = std::os::unix::process::parent_id();
    std::thread::spawn(move || {
        loop {
            std::thread::sleep(Duration::from_millis(250));
            if std::os::unix::process::parent_id() != parent {
                channel::end_copy();
            }
        }
    });
}
