//! A worker on this machine: a child of the session, or a rank that `mpiexec` has started.

use std::ffi::OsString;
use std::io;
use std::os::fd::{AsFd as _, AsRawFd as _, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use gpurepl_wire::worker_mode::WORKER;
use gpurepl_wire::{Command as Order, send};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::WorkerOptions;
use super::group;
use super::process::{Body, Ended, MPI};
use super::pump::Pump;
use super::queue::Sender;
use super::settings::Settings;
use super::wrapper;
use crate::interrupt::{Interrupter, Target, signal_descriptor};
use crate::launch::{Joined, Meeting, Start};
use crate::output::Sink;
use crate::store::Prelude;
use crate::toolchain::Toolchain;

/// What a worker is started with.
#[derive(Clone, Copy)]
pub(super) struct Parts<'a> {
    pub(super) options: &'a WorkerOptions,
    pub(super) settings: &'a Settings,
    pub(super) toolchain: &'a Toolchain,
    pub(super) prelude: &'a Prelude,
    pub(super) interrupter: &'a Interrupter,
}

impl Parts<'_> {
    /// The command that starts a worker, but for its channel.
    fn command(&self, environment: &[(String, String)], sink: &mut dyn Sink) -> Command {
        let mut command = command(self.options, self.settings, sink);
        command.env(WORKER[1], &self.toolchain.std_library).env(WORKER[2], self.prelude.library());
        // Kernels in Rust are compiled where they are launched.
        command.env("GPUREPL_RUSTC", &self.toolchain.rustc);
        group::clear(&mut command);
        command.envs(environment.iter().map(|(name, value)| (name, value)));
        command
    }
}

/// The variables that a worker is given that is started elsewhere, which finds the rest out where it is.
pub(super) fn command_environment(parts: Parts<'_>) -> Vec<(OsString, Option<OsString>)> {
    let options = parts.options.environment.iter().map(|(name, value)| (name, Some(value)));
    let settings = parts.settings.environment.iter().map(|(name, value)| (name, value.as_ref()));
    let mut environment: Vec<(OsString, Option<OsString>)> =
        options.chain(settings).map(|(name, value)| (name.into(), value.map(Into::into))).collect();
    environment.push(("GPUREPL_RUSTC".into(), Some(parts.toolchain.rustc.clone().into())));
    environment
}

/// A running process, and this end of its channel.
#[derive(Debug)]
pub(super) struct Here {
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
}

impl Here {
    /// Starts a worker, which says that it is ready by a frame. What comes from it goes to the sender.
    ///
    /// `environment` is what this one has besides the options': its rank, say.
    pub(super) fn start(
        parts: Parts<'_>,
        environment: &[(String, String)],
        sender: Sender,
        sink: &mut dyn Sink,
    ) -> Result<Here, String> {
        let failed = |error: io::Error| format!("the worker could not be started: {error}");
        let options = parts.options;
        let is_wrapped = !options.wrapper.command.is_empty();
        let mut command = parts.command(environment, sink);
        let (mut child, ours, process) = if is_wrapped {
            wrapper::spawn(&mut command, options.wrapper.patience())?
        } else {
            let (child, ours) = spawn(&mut command).map_err(failed)?;
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
        Ok(Here { child, process, descriptor, wrapped, orders: ours })
    }

    /// Makes a worker of a rank that `mpiexec` has started.
    pub(super) fn join(
        (meeting, rank): (&Meeting, usize),
        parts: Parts<'_>,
        environment: &[(String, String)],
        sender: Sender,
        sink: &mut dyn Sink,
    ) -> Result<Here, String> {
        let command = parts.command(environment, sink);
        let Joined { frames, stdout, stderr, process } =
            meeting.start(rank, &Start::of(&command, &parts.options.arguments), parts.interrupter)?;
        let failed = |error: io::Error| format!("the worker could not be started: {error}");
        read(&frames, stdout, stderr, sender).map_err(failed)?;
        Ok(Here {
            child: None,
            process,
            descriptor: wrapper::descriptor(process),
            wrapped: Some(MPI),
            orders: frames,
        })
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
}

impl Body for Here {
    fn target(&self) -> Target<'_> {
        match &self.descriptor {
            Some(descriptor) => Target::Descriptor(self.process, descriptor.as_fd()),
            None => Target::Process(self.process),
        }
    }

    fn number(&self) -> i32 {
        self.process
    }

    fn send(&mut self, order: &Order) {
        let _ = send(&mut self.orders, order);
    }

    fn has_ended(&mut self) -> bool {
        match &mut self.child {
            Some(child) => matches!(child.try_wait(), Ok(Some(_))),
            None => self.is_gone(),
        }
    }

    fn watched(&self) -> Option<Duration> {
        self.wrapped
    }

    fn kill(&mut self) {
        if let Some(child) = &mut self.child {
            let _ = child.kill();
            let _ = child.wait();
        } else if let Some(descriptor) = &self.descriptor {
            // Its number may be another's once `mpiexec` has been told of its end.
            signal_descriptor(descriptor.as_raw_fd(), libc::SIGKILL, 0);
        } else if !self.is_gone() {
            let _ = kill(Pid::from_raw(self.process), Signal::SIGKILL);
        }
    }

    /// The status is not known of one that somebody else waits for.
    fn end_of(&mut self) -> Option<Ended> {
        match &mut self.child {
            Some(child) => match child.try_wait() {
                Ok(Some(status)) => Some(Ended::with(status)),
                _ => None,
            },
            None => self.is_gone().then(Ended::unknown),
        }
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

/// Starts a worker, and returns this end of its channel.
pub(super) fn spawn(command: &mut Command) -> io::Result<(Child, UnixStream)> {
    let (ours, theirs) = UnixStream::pair()?;
    let descriptor = theirs.as_raw_fd();
    command.env(WORKER[0], descriptor.to_string());
    // SAFETY: between fork and exec only calls that are safe in a signal handler are allowed; `keep_open` makes one,
    // and allocates nothing.
    unsafe { command.pre_exec(move || keep_open(descriptor)) };
    Ok((command.spawn()?, ours))
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
