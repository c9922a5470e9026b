//! One worker process.

use std::io;
use std::os::fd::{AsFd as _, AsRawFd as _, BorrowedFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use gpurepl_wire::worker_mode::WORKER;
use gpurepl_wire::{CHANNEL_LOST, Command as Order, send};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::WorkerOptions;
use super::pump::{Line, Pump};
use super::queue::Sender;
use super::settings::Settings;
use super::wrapper;
use crate::interrupt::{Interrupter, signal_descriptor};
use crate::launch::{Joined, Meeting, Start};
use crate::output::Sink;
use crate::store::Prelude;
use crate::toolchain::Toolchain;

/// A worker has ended.
#[derive(Debug)]
pub(crate) struct Ended {
    /// How: `signal 11 (SIGSEGV)`, `exit status 3`.
    pub(crate) cause: String,
    /// The exit status, if the process has ended itself.
    pub(crate) status: Option<i32>,
}

/// The cause where somebody else is told how the process has ended.
const UNKNOWN: &str = "its process has ended";

impl Ended {
    /// Whether it is not known how.
    pub(super) fn is_unknown(&self) -> bool {
        self.cause == UNKNOWN
    }
}

/// How long a process that is about to end may take.
const PATIENCE: Duration = Duration::from_secs(1);

/// What a worker is started with.
#[derive(Clone, Copy)]
pub(super) struct Parts<'a> {
    pub(super) options: &'a WorkerOptions,
    pub(super) settings: &'a Settings,
    pub(super) toolchain: &'a Toolchain,
    pub(super) prelude: &'a Prelude,
}

impl Parts<'_> {
    /// The command that starts a worker, but for its channel.
    fn command(&self, environment: &[(String, String)], sink: &mut dyn Sink) -> Command {
        let mut command = command(self.options, self.settings, sink);
        command.env(WORKER[1], &self.toolchain.std_library).env(WORKER[2], self.prelude.library());
        // Kernels in Rust are compiled where they are launched.
        command.env("GPUREPL_RUSTC", &self.toolchain.rustc);
        // A program that a worker has started is not that worker.
        if std::env::var_os("GPUREPL_GROUP").is_some() {
            for name in ["GPUREPL_RANK", "GPUREPL_RANKS", "GPUREPL_LOCAL_RANK", "GPUREPL_GROUP"] {
                command.env_remove(name);
            }
        }
        command.envs(environment.iter().map(|(name, value)| (name, value)));
        command
    }
}

/// How long a rank of `mpiexec` may take to end, which MPI may have it wait for others.
const LAUNCHED: Duration = Duration::from_secs(10);

/// A running process, and this end of its channel.
#[derive(Debug)]
pub(super) struct Process {
    /// None if `mpiexec` has started it.
    child: Option<Child>,
    /// The worker itself: another process than `child` if something runs it.
    process: i32,
    /// Means that process for good, where it is not `child` and so may be
    /// waited for by something else.
    descriptor: Option<OwnedFd>,
    /// How long what runs it may take to end; none if nothing does.
    wrapped: Option<Duration>,
    orders: UnixStream,
    /// What stands on the line that the cell has printed last: its question,
    /// if it then reads.
    pub(super) line: Line,
    /// How many lines the cell that runs has been given.
    pub(super) answered: usize,
    /// Whether it counts as ended.
    is_given_up: bool,
}

impl Process {
    /// Starts a worker, which says that it is ready by a frame. What comes from it goes to the sender.
    ///
    /// `environment` is what this one has besides the options': its rank, say.
    pub(super) fn start(
        parts: Parts<'_>,
        environment: &[(String, String)],
        sender: Sender,
        sink: &mut dyn Sink,
    ) -> Result<Process, String> {
        let failed = |error: io::Error| format!("the worker could not be started: {error}");
        let options = parts.options;
        let is_wrapped = !options.wrapper.command.is_empty();
        let mut command = parts.command(environment, sink);
        let (mut child, ours, process) = if is_wrapped {
            wrapper::spawn(&mut command, options.wrapper.patience())?
        } else {
            let (ours, theirs) = UnixStream::pair().map_err(failed)?;
            let descriptor = theirs.as_raw_fd();
            command.env(WORKER[0], descriptor.to_string());
            // SAFETY: between fork and exec only calls that are safe in a
            // signal handler are allowed; `keep_open` makes one, and allocates
            // nothing.
            unsafe { command.pre_exec(move || keep_open(descriptor)) };
            let child = command.spawn().map_err(failed)?;
            let process = i32::try_from(child.id()).unwrap_or(0);
            (child, ours, process)
        };
        let (stdout, stderr) = match (child.stdout.take(), child.stderr.take()) {
            (Some(stdout), Some(stderr)) => (stdout.into(), stderr.into()),
            _ => (closed()?, closed()?),
        };
        read(&ours, stdout, stderr, sender).map_err(failed)?;
        let descriptor = if is_wrapped { wrapper::descriptor(process) } else { None };
        let wrapped = is_wrapped.then(|| options.wrapper.patience());
        let child = Some(child);
        Ok(Process {
            child,
            process,
            descriptor,
            wrapped,
            orders: ours,
            line: Line::default(),
            answered: 0,
            is_given_up: false,
        })
    }

    /// Makes a worker of a rank that `mpiexec` has started.
    pub(super) fn join(
        (meeting, rank): (&Meeting, usize),
        parts: Parts<'_>,
        environment: &[(String, String)],
        interrupter: &Interrupter,
        sender: Sender,
        sink: &mut dyn Sink,
    ) -> Result<Process, String> {
        let command = parts.command(environment, sink);
        let Joined { frames, stdout, stderr, process } =
            meeting.start(rank, &Start::of(&command, &parts.options.arguments), interrupter)?;
        let failed = |error: io::Error| format!("the worker could not be started: {error}");
        read(&frames, stdout, stderr, sender).map_err(failed)?;
        Ok(Process {
            child: None,
            process,
            descriptor: wrapper::descriptor(process),
            wrapped: Some(LAUNCHED),
            orders: frames,
            line: Line::default(),
            answered: 0,
            is_given_up: false,
        })
    }

    /// What is to be signalled to interrupt it.
    pub(super) fn target(&self) -> (i32, Option<BorrowedFd<'_>>) {
        (self.process, self.descriptor.as_ref().map(std::os::fd::AsFd::as_fd))
    }

    /// Its number, for its user to look at.
    pub(super) fn number(&self) -> i32 {
        self.process
    }

    /// Sends an order. Should the process have ended, waiting for it says how.
    pub(super) fn send(&mut self, order: &Order) {
        let _ = send(&mut self.orders, order);
    }

    /// Whether the process has ended. Not to be asked while interrupts are
    /// accepted.
    pub(super) fn has_ended(&mut self) -> bool {
        let is_over = match &mut self.child {
            Some(child) => matches!(child.try_wait(), Ok(Some(_))),
            None => self.is_gone(),
        };
        is_over || self.is_given_up
    }

    /// Has it count as ended: it is ended when it is waited for.
    pub(super) fn give_up(&mut self) {
        self.is_given_up = true;
    }

    /// Whether a process that somebody else waits for has ended.
    fn is_gone(&self) -> bool {
        match &self.descriptor {
            // It is ready from the process's end on.
            Some(descriptor) => {
                let mut polled = [PollFd::new(descriptor.as_fd(), PollFlags::POLLIN)];
                matches!(poll(&mut polled, PollTimeout::ZERO), Ok(1..))
            }
            None => kill(Pid::from_raw(self.process), None).is_err(),
        }
    }

    /// How long it may take to end once its channel is closed.
    pub(super) fn patience(&self) -> Duration {
        self.wrapped.unwrap_or(PATIENCE)
    }

    /// How the process has ended, which it does within that time; with `why` it is ended now. `drain` lets go of
    /// what it still says. Not to be called while interrupts are accepted.
    pub(super) fn ended(&mut self, why: Option<String>, patience: Duration, drain: impl FnMut()) -> Ended {
        if self.is_given_up {
            self.kill();
            return Ended {
                cause: "it has been ended, because another rank had failed".to_owned(),
                status: None,
            };
        }
        if let Some(cause) = why {
            self.kill();
            return Ended { cause, status: None };
        }
        if let Some(status) = self.wait_for_end(patience, drain) {
            let Some(status) = status else {
                return Ended { cause: UNKNOWN.to_owned(), status: None };
            };
            if status.code() == Some(CHANNEL_LOST) {
                let cause = "a cell has closed or replaced file descriptors that are not its own, the \
                             channel to the session among them";
                return Ended { cause: cause.to_owned(), status: None };
            }
            return Ended { cause: describe(status), status: status.code() };
        }
        // It closed the channel and lives on: no use to anybody.
        self.kill();
        Ended { cause: "it stopped answering".to_owned(), status: None }
    }

    pub(super) fn kill(&mut self) {
        if let Some(child) = &mut self.child {
            let _ = child.kill();
            let _ = child.wait();
        } else if let Some(descriptor) = &self.descriptor {
            // Its number may be another's once `mpiexec` has been told of its end.
            signal_descriptor(descriptor.as_raw_fd(), libc::SIGKILL);
        } else if !self.is_gone() {
            let _ = kill(Pid::from_raw(self.process), Signal::SIGKILL);
        }
    }

    /// Waits for the process to end, and lets go of what it still says. Its status is not known of one that somebody
    /// else waits for.
    fn wait_for_end(&mut self, time: Duration, mut drain: impl FnMut()) -> Option<Option<ExitStatus>> {
        let start = Instant::now();
        loop {
            if let Some(child) = &mut self.child {
                if let Ok(Some(status)) = child.try_wait() {
                    return Some(Some(status));
                }
            } else if self.is_gone() {
                return Some(None);
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
        if let Some(patience) = self.wrapped {
            self.send(&Order::End);
            self.wait_for_end(patience, drain);
        }
        // It ends by itself when the channel closes; a cell that still runs
        // does not have to be waited for.
        self.kill();
    }
}

/// Has a thread read all that comes from a worker.
fn read(orders: &UnixStream, stdout: OwnedFd, stderr: OwnedFd, sender: Sender) -> io::Result<()> {
    let pump = Pump::new(orders.try_clone()?, stdout, stderr, sender);
    std::thread::Builder::new().name("worker output".to_owned()).spawn(move || pump.run())?;
    Ok(())
}

/// The command that starts a worker, but for what it is to load.
fn command(options: &WorkerOptions, settings: &Settings, sink: &mut dyn Sink) -> Command {
    let mut command = match options.wrapper.command.split_first() {
        None => Command::new(&options.program),
        Some((wrapper, arguments)) => {
            let mut command = Command::new(wrapper);
            command.args(arguments).arg(&options.program);
            command
        }
    };
    if let Some((name, rest)) = options.arguments.split_first() {
        if options.wrapper.command.is_empty() {
            command.arg0(name);
        }
        command.args(rest);
    }
    // A debugger talks to its user, and so do the cells beneath it.
    let stream = || if options.wrapper.is_interactive { Stdio::inherit() } else { Stdio::piped() };
    command
        .envs(options.environment.iter().map(|(name, value)| (name, value)))
        .stdout(stream())
        .stderr(stream());
    for (name, value) in &settings.environment {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    match &settings.folder {
        Some(folder) if folder.is_dir() => {
            command.current_dir(folder);
        }
        Some(folder) => sink.note(&format!("{} is not there any more", folder.display())),
        None => {}
    }
    if options.inherits_stdin {
        // Of a terminal only the group in its foreground may read. Ctrl-C
        // comes from both sides then, which is the same as from one.
        command.stdin(Stdio::inherit());
    } else {
        // Ctrl-C in a terminal goes to the front end alone, which decides.
        command.stdin(Stdio::null()).process_group(0).env(WORKER[3], "1");
    }
    command
}

/// The end of a pipe that nothing comes from.
fn closed() -> Result<OwnedFd, String> {
    let (read, _) = io::pipe().map_err(|error| format!("the worker has no output: {error}"))?;
    Ok(read.into())
}

pub(super) fn describe(status: ExitStatus) -> String {
    match status.signal() {
        Some(signal) => {
            let name = nix::sys::signal::Signal::try_from(signal).map_or("unknown", |signal| signal.as_str());
            format!("signal {signal} ({name})")
        }
        None => format!("exit status {}", status.code().unwrap_or(-1)),
    }
}

/// Lets a descriptor live on through exec.
fn keep_open(descriptor: RawFd) -> io::Result<()> {
    // SAFETY: `fcntl` with these arguments touches no memory; the descriptor
    // is open, being the other end of a pair that the parent holds.
    if unsafe { libc::fcntl(descriptor, libc::F_SETFD, 0) } < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}
