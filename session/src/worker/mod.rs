//! The worker, seen from the session: a process of the same binary that owns
//! the user's variables and the device.

mod child;
mod wrapper;

pub use child::run_if_worker;

use std::ffi::OsString;
use std::io::{self, Read as _};
use std::os::fd::{AsFd as _, AsRawFd as _, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::PathBuf;
use std::process::{Child, ChildStderr, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TryRecvError, sync_channel};
use std::time::{Duration, Instant};

use gpurepl_wire::{Command as Order, Decoder, Frame, send};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use crate::engine::Interrupter;
use crate::output::{Sink, Stream};
use crate::store::Prelude;
use crate::toolchain::Toolchain;

/// The environment variables that make the binary a worker: its end of the
/// channel, as a number, or the path of a socket to connect to; the standard
/// library; the prelude. Its arguments are the user's.
const WORKER: [&str; 3] = ["GPUREPL_WORKER", "GPUREPL_WORKER_STD", "GPUREPL_WORKER_PRELUDE"];

/// How a worker is started.
#[derive(Clone, Debug)]
pub struct WorkerOptions {
    /// The binary to start: the front end's own.
    pub program: PathBuf,
    /// Environment variables to set: `GPUREPL_DEVICE`, say.
    pub environment: Vec<(String, String)>,
    /// What cells see as their program's arguments, its name first.
    pub arguments: Vec<OsString>,
    /// Whether cells read what the front end would read; else they read
    /// nothing.
    pub inherits_stdin: bool,
    /// A program that runs the worker, and its arguments; none if empty.
    pub wrapper: Vec<OsString>,
}

/// A running worker.
#[derive(Debug)]
pub(crate) struct Worker {
    child: Child,
    /// The worker itself: another process than `child` if something runs it.
    process: i32,
    is_wrapped: bool,
    orders: UnixStream,
    events: Receiver<Event>,
    interrupter: Interrupter,
}

/// What comes from a worker.
#[derive(Debug)]
enum Event {
    Output(Stream, Vec<u8>),
    Frame(Frame),
    /// The worker has closed its end: it has ended, or is about to.
    Closed,
}

/// The worker has ended.
#[derive(Debug)]
pub(crate) struct Ended {
    /// How: `signal 11 (SIGSEGV)`, `exit status 3`.
    pub(crate) cause: String,
    /// The exit status, if the process has ended itself.
    pub(crate) status: Option<i32>,
}

/// How long an interrupt may go unheard before the user is told.
const PATIENCE: Duration = Duration::from_secs(1);

/// Watches an interrupt that goes unheard.
#[derive(Default)]
struct Patience {
    since: Option<Instant>,
    is_told: bool,
}

impl Patience {
    /// How long to wait for the worker before looking at the time.
    fn step(&self) -> Duration {
        Duration::from_millis(if self.is_told { 10_000 } else { 200 })
    }

    /// To be asked while an interrupt goes unheard; true once.
    fn is_at_its_end(&mut self) -> bool {
        let since = *self.since.get_or_insert_with(Instant::now);
        let is_over = !self.is_told && since.elapsed() >= PATIENCE;
        self.is_told |= is_over;
        is_over
    }
}

/// Output waits here until the front end takes it: then user code waits.
const QUEUE: usize = 1024;

impl Worker {
    /// Starts a worker and waits until it takes orders.
    pub(crate) fn start(
        options: &WorkerOptions,
        toolchain: &Toolchain,
        prelude: &Prelude,
        interrupter: Interrupter,
        sink: &mut dyn Sink,
    ) -> Result<Worker, String> {
        let failed = |error: io::Error| format!("the worker could not be started: {error}");
        let mut command = match options.wrapper.split_first() {
            None => Command::new(&options.program),
            Some((wrapper, arguments)) => {
                let mut command = Command::new(wrapper);
                command.args(arguments).arg(&options.program);
                command
            }
        };
        let is_wrapped = !options.wrapper.is_empty();
        if let Some((name, rest)) = options.arguments.split_first() {
            if !is_wrapped {
                command.arg0(name);
            }
            command.args(rest);
        }
        command
            .env(WORKER[1], &toolchain.std_library)
            .env(WORKER[2], prelude.library())
            .envs(options.environment.iter().map(|(name, value)| (name, value)))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        if options.inherits_stdin {
            // Of a terminal only the group in its foreground may read. Ctrl-C
            // comes from both sides then, which is the same as from one.
            command.stdin(Stdio::inherit());
        } else {
            // Ctrl-C in a terminal goes to the front end alone, which decides.
            command.stdin(Stdio::null()).process_group(0);
        }
        let (mut child, ours, process) = if is_wrapped {
            wrapper::spawn(&mut command)?
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
        let (sender, events) = sync_channel(QUEUE);
        let (Some(stdout), Some(stderr)) = (child.stdout.take(), child.stderr.take()) else {
            return Err("the worker has no output".to_owned());
        };
        let frames = ours.try_clone().map_err(failed)?;
        let pump = Pump { frames, stdout, stderr, decoder: Decoder::default(), sender };
        std::thread::Builder::new()
            .name("worker output".to_owned())
            .spawn(move || pump.run())
            .map_err(failed)?;
        let mut worker = Worker { child, process, is_wrapped, orders: ours, events, interrupter };
        match worker.wait_for(sink, |frame| matches!(frame, Frame::Ready).then_some(())) {
            Ok(()) => Ok(worker),
            Err(ended) => Err(format!("the worker ended before its first cell: {}", ended.cause)),
        }
    }

    pub(crate) fn process(&self) -> i32 {
        self.process
    }

    /// Gives an order and waits for its answer; what comes before is passed
    /// on to the sink.
    pub(crate) fn order<R>(
        &mut self,
        order: &Order,
        sink: &mut dyn Sink,
        answer: impl FnMut(&Frame) -> Option<R>,
    ) -> Result<R, Ended> {
        // Should the worker have ended, waiting says how.
        let _ = send(&mut self.orders, order);
        self.wait_for(sink, answer)
    }

    fn wait_for<R>(
        &mut self,
        sink: &mut dyn Sink,
        mut answer: impl FnMut(&Frame) -> Option<R>,
    ) -> Result<R, Ended> {
        let mut patience = Patience::default();
        loop {
            match self.events.recv_timeout(patience.step()) {
                Ok(Event::Frame(frame)) => match answer(&frame) {
                    Some(result) => return Ok(result),
                    None => pass_on(frame, sink),
                },
                Ok(Event::Output(stream, bytes)) => sink.output(stream, &bytes),
                Ok(Event::Closed) | Err(RecvTimeoutError::Disconnected) => return Err(self.ended()),
                Err(RecvTimeoutError::Timeout) => {}
            }
            if self.interrupter.was_asked() && patience.is_at_its_end() {
                sink.note(
                    "the cell has not stopped: it calls nothing that listens; interrupt again to end its \
                     process, which loses all variables",
                );
            }
        }
    }

    /// Passes on what has come since the last order.
    pub(crate) fn drain(&mut self, sink: &mut dyn Sink) {
        loop {
            match self.events.try_recv() {
                Ok(Event::Frame(frame)) => pass_on(frame, sink),
                Ok(Event::Output(stream, bytes)) => sink.output(stream, &bytes),
                // Found out at the next order.
                Ok(Event::Closed) | Err(TryRecvError::Empty | TryRecvError::Disconnected) => return,
            }
        }
    }

    /// Passes on what comes until the device is known, or known not to work,
    /// or some time is up.
    pub(crate) fn wait_for_device(&mut self, time: Duration, sink: &mut dyn Sink) {
        let end = Instant::now() + time;
        while let Ok(event) = self.events.recv_timeout(end.saturating_duration_since(Instant::now())) {
            match event {
                Event::Frame(frame) => {
                    let is_device = matches!(frame, Frame::DeviceChosen { .. } | Frame::NoDevice { .. });
                    pass_on(frame, sink);
                    if is_device {
                        return;
                    }
                }
                Event::Output(stream, bytes) => sink.output(stream, &bytes),
                Event::Closed => return,
            }
        }
    }

    /// How the process has ended, which it does as soon as its end of the
    /// channel is closed.
    fn ended(&mut self) -> Ended {
        // Not to be signalled once it has been waited for.
        self.interrupter.set_worker(0);
        let patience = if self.is_wrapped { wrapper::PATIENCE } else { PATIENCE };
        if let Some(status) = self.wait_for_end(patience) {
            return Ended { cause: describe(status), status: status.code() };
        }
        // It closed the channel and lives on: no use to anybody.
        let _ = self.child.kill();
        let _ = self.child.wait();
        Ended { cause: "it stopped answering".to_owned(), status: None }
    }

    /// Waits for the process to end, and lets go of what it still says.
    fn wait_for_end(&mut self, time: Duration) -> Option<ExitStatus> {
        let end = Instant::now() + time;
        while Instant::now() < end {
            if let Ok(Some(status)) = self.child.try_wait() {
                return Some(status);
            }
            while self.events.try_recv().is_ok() {}
            std::thread::sleep(Duration::from_millis(5));
        }
        None
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        if self.is_wrapped {
            // What runs it has to see it end, to write its report.
            let _ = send(&mut self.orders, &Order::End);
            self.wait_for_end(wrapper::PATIENCE);
        }
        // It ends by itself when the channel closes; a cell that still runs
        // does not have to be waited for.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn pass_on(frame: Frame, sink: &mut dyn Sink) {
    match frame {
        Frame::Display(display) => sink.display(&display.bundle, display.is_result),
        Frame::Notice { text } => sink.note(&text),
        Frame::DeviceChosen { id, name, rule } => sink.device(&id, &name, &rule),
        Frame::NoDevice { problem } => sink.no_device(&problem),
        // Answers to orders that nobody waits for any more.
        Frame::Ready
        | Frame::Loaded { .. }
        | Frame::Done(_)
        | Frame::Forgotten { .. }
        | Frame::Devices(_)
        | Frame::Cache(_) => {}
    }
}

fn describe(status: std::process::ExitStatus) -> String {
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

/// Reads everything that comes from a worker, on a thread of its own.
struct Pump {
    frames: UnixStream,
    stdout: ChildStdout,
    stderr: ChildStderr,
    decoder: Decoder,
    sender: SyncSender<Event>,
}

impl Pump {
    fn run(mut self) {
        // Output is read until there is none at the moment, so reading must
        // not wait.
        let _ = set_nonblocking(self.stdout.as_fd().try_clone_to_owned());
        let _ = set_nonblocking(self.stderr.as_fd().try_clone_to_owned());
        let (mut has_stdout, mut has_stderr) = (true, true);
        loop {
            let mut ready = [false; 3];
            {
                let watch = |is_open| if is_open { PollFlags::POLLIN } else { PollFlags::empty() };
                let mut polled = [
                    PollFd::new(self.frames.as_fd(), PollFlags::POLLIN),
                    PollFd::new(self.stdout.as_fd(), watch(has_stdout)),
                    PollFd::new(self.stderr.as_fd(), watch(has_stderr)),
                ];
                match poll(&mut polled, PollTimeout::NONE) {
                    Err(nix::errno::Errno::EINTR) => continue,
                    Err(_) => return,
                    Ok(_) => {}
                }
                for (ready, polled) in ready.iter_mut().zip(&polled) {
                    *ready = polled.revents().is_some_and(|events| !events.is_empty());
                }
            }
            // Output comes first: a frame may say that all of it is there.
            if ready[1] && has_stdout {
                has_stdout = pass_output(&mut self.stdout, Stream::Stdout, &self.sender);
            }
            if ready[2] && has_stderr {
                has_stderr = pass_output(&mut self.stderr, Stream::Stderr, &self.sender);
            }
            if ready[0] && !self.read_frames(&mut has_stdout, &mut has_stderr) {
                pass_output(&mut self.stdout, Stream::Stdout, &self.sender);
                pass_output(&mut self.stderr, Stream::Stderr, &self.sender);
                let _ = self.sender.send(Event::Closed);
                return;
            }
        }
    }

    /// Reads frames; false at the end of the channel.
    fn read_frames(&mut self, has_stdout: &mut bool, has_stderr: &mut bool) -> bool {
        let mut bytes = [0; 1 << 16];
        match self.frames.read(&mut bytes) {
            Ok(0) => return false,
            Ok(count) => self.decoder.push(&bytes[..count]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => return true,
            Err(_) => return false,
        }
        loop {
            match self.decoder.take::<Frame>() {
                Ok(Some(frame)) => {
                    // What was printed before a frame was sent is in the pipes
                    // by now, and belongs before it.
                    if *has_stdout {
                        *has_stdout = pass_output(&mut self.stdout, Stream::Stdout, &self.sender);
                    }
                    if *has_stderr {
                        *has_stderr = pass_output(&mut self.stderr, Stream::Stderr, &self.sender);
                    }
                    if self.sender.send(Event::Frame(frame)).is_err() {
                        return false;
                    }
                }
                Ok(None) => return true,
                // Not our worker's words; it is of no use any more.
                Err(_) => return false,
            }
        }
    }
}

/// Passes on what a pipe holds at the moment; false at its end.
fn pass_output(pipe: &mut impl io::Read, stream: Stream, sender: &SyncSender<Event>) -> bool {
    let mut bytes = [0; 1 << 16];
    loop {
        match pipe.read(&mut bytes) {
            Ok(0) => return false,
            Ok(count) => {
                if sender.send(Event::Output(stream, bytes[..count].to_vec())).is_err() {
                    return false;
                }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return error.kind() == io::ErrorKind::WouldBlock,
        }
    }
}

fn set_nonblocking(descriptor: io::Result<OwnedFd>) -> io::Result<()> {
    use nix::fcntl::{FcntlArg, OFlag, fcntl};
    let descriptor = descriptor?;
    let flags = OFlag::from_bits_truncate(fcntl(&descriptor, FcntlArg::F_GETFL)?);
    fcntl(&descriptor, FcntlArg::F_SETFL(flags | OFlag::O_NONBLOCK))?;
    Ok(())
}
