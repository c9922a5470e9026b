//! The worker, seen from the session: a process of the same binary that owns
//! the user's variables and the device.

mod child;
mod pump;
mod queue;
mod settings;
mod wrapper;

pub use child::run_if_worker;
pub use queue::Background;
pub(crate) use settings::{Settings, written};

use std::ffi::OsString;
use std::io;
use std::os::fd::{AsFd, AsRawFd as _, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{RecvTimeoutError, TryRecvError};
use std::time::{Duration, Instant};

use gpurepl_wire::{CHANNEL_LOST, Command as Order, Frame, PluginAnswer, send};

use crate::interrupt::Interrupter;
use crate::output::{InputRequest, Sink, Stream};
use crate::store::{Prelude, plugin};
use crate::toolchain::Toolchain;
use gpurepl_wire::worker_mode::WORKER;
use pump::{Event, Line, Pump};
use queue::{Receiver, queue};
pub use wrapper::Wrapper;

/// How a worker is started.
#[derive(Clone, Debug)]
pub struct WorkerOptions {
    /// The binary to start: the front end's own.
    pub program: PathBuf,
    /// Environment variables to set: `GPUREPL_DEVICE`, say.
    pub environment: Vec<(String, String)>,
    /// What cells see as their program's arguments, its name first.
    pub arguments: Vec<OsString>,
    /// Whether cells read what the front end would read; else the front end
    /// is asked when they read.
    pub inherits_stdin: bool,
    /// What runs the worker, if anything does.
    pub wrapper: Wrapper,
}

/// A running worker.
#[derive(Debug)]
pub(crate) struct Worker {
    child: Child,
    /// The worker itself: another process than `child` if something runs it.
    process: i32,
    /// Means that process for good, where it is not `child` and so may be
    /// waited for by something else.
    descriptor: Option<OwnedFd>,
    /// How long what runs it may take to end; none if nothing does.
    wrapped: Option<Duration>,
    /// Orders given so far: the worker counts them too.
    given: u64,
    orders: UnixStream,
    events: Receiver,
    interrupter: Interrupter,
    /// What plugins are built with, and kept beside.
    toolchain: Toolchain,
    prelude: Prelude,
    /// The cell that runs; none while one compiles, and between cells.
    running: Option<u64>,
    /// What stands on the line that the cell has printed last: its question,
    /// if it then reads.
    line: Line,
    /// The lines that the last cell was given.
    answers: Vec<String>,
    /// Whether it has said which device it has, or that there is none.
    is_device_known: bool,
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

/// Output waits here until the front end takes it: then user code waits. Each
/// is 64 KiB at most: an interrupt does not leave much to be shown.
const QUEUE: usize = 32;

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

impl Worker {
    /// Starts a worker and waits until it takes orders.
    pub(crate) fn start(
        options: &WorkerOptions,
        settings: &Settings,
        toolchain: &Toolchain,
        prelude: &Prelude,
        interrupter: Interrupter,
        sink: &mut dyn Sink,
    ) -> Result<Worker, String> {
        let failed = |error: io::Error| format!("the worker could not be started: {error}");
        let is_wrapped = !options.wrapper.command.is_empty();
        let mut command = command(options, settings, sink);
        command.env(WORKER[1], &toolchain.std_library).env(WORKER[2], prelude.library());
        // Kernels in Rust are compiled where they are launched.
        command.env("GPUREPL_RUSTC", &toolchain.rustc);
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
        let (sender, events) = queue(QUEUE);
        let (stdout, stderr) = match (child.stdout.take(), child.stderr.take()) {
            (Some(stdout), Some(stderr)) => (stdout, stderr),
            _ => (closed()?.into(), closed()?.into()),
        };
        let frames = ours.try_clone().map_err(failed)?;
        let pump = Pump::new(frames, stdout, stderr, sender);
        std::thread::Builder::new()
            .name("worker output".to_owned())
            .spawn(move || pump.run())
            .map_err(failed)?;
        let descriptor = if is_wrapped { wrapper::descriptor(process) } else { None };
        let (line, answers) = (Line::default(), Vec::new());
        let mut worker = Worker {
            child,
            process,
            descriptor,
            wrapped: is_wrapped.then(|| options.wrapper.patience()),
            given: 0,
            orders: ours,
            events,
            interrupter,
            toolchain: toolchain.clone(),
            prelude: prelude.clone(),
            running: None,
            line,
            answers,
            is_device_known: false,
        };
        match worker.wait_for(sink, |frame| matches!(frame, Frame::Ready).then_some(())) {
            Ok(()) => Ok(worker),
            Err(ended) => Err(format!("the worker ended before its first cell: {}", ended.cause)),
        }
    }

    /// Lets the user interrupt the order that is given next, until its end or
    /// [`Worker::refuse_interrupts`].
    pub(crate) fn accept_interrupts(&self) {
        let descriptor = self.descriptor.as_ref().map(AsFd::as_fd);
        self.interrupter.set_worker(self.process, descriptor, self.given + 1);
    }

    pub(crate) fn refuse_interrupts(&self) {
        self.interrupter.clear_worker();
    }

    /// Whether the process has ended. Not to be asked while interrupts are
    /// accepted.
    pub(crate) fn has_ended(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(Some(_)))
    }

    /// Gives an order and waits for its answer; what comes before is passed
    /// on to the sink.
    pub(crate) fn order<R>(
        &mut self,
        order: &Order,
        sink: &mut dyn Sink,
        answer: impl FnMut(&Frame) -> Option<R>,
    ) -> Result<R, Ended> {
        let is_cell = matches!(order, Order::Run { .. });
        if let Order::Run { cell, .. } = order {
            self.running = Some(*cell);
            sink.begun();
            self.answers.clear();
            self.line = Line::default();
        }
        // Should the worker have ended, waiting says how.
        self.given += 1;
        let _ = send(&mut self.orders, order);
        let result = self.wait_for(sink, answer);
        self.running = None;
        if is_cell {
            sink.settled();
        }
        result
    }

    /// The lines that the last cell has read, as they were given.
    pub(crate) fn answers(&self) -> &[String] {
        &self.answers
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
                    None => self.pass_on(*frame, sink),
                },
                Ok(Event::Output(stream, bytes)) => self.output(stream, &bytes, sink),
                Ok(Event::Closed(why)) => return Err(self.ended(why)),
                Err(RecvTimeoutError::Disconnected) => return Err(self.ended(None)),
                Err(RecvTimeoutError::Timeout) => {}
            }
            if self.interrupter.was_asked() && patience.is_at_its_end() {
                sink.note(
                    "the cell has not stopped: it calls nothing that listens; interrupt again to end its \
                     process, and with it what cannot be replayed",
                );
            }
        }
    }

    /// Passes on what has come since the last order.
    pub(crate) fn drain(&mut self, sink: &mut dyn Sink) {
        loop {
            match self.events.try_recv() {
                // The cell that has read has ended.
                Ok(Event::Frame(frame)) if matches!(*frame, Frame::Input { prompt: None, .. }) => {}
                Ok(Event::Frame(frame)) => self.pass_on(*frame, sink),
                Ok(Event::Output(stream, bytes)) => self.output(stream, &bytes, sink),
                // Found out at the next order.
                Ok(Event::Closed(_)) | Err(TryRecvError::Empty | TryRecvError::Disconnected) => return,
            }
        }
    }

    /// What threads of these cells print is not passed on: they are cells that
    /// run for the second time.
    pub(crate) fn mute(&self, cells: impl Iterator<Item = u64>) {
        self.events.mute(cells);
    }

    /// Lets another thread pass on what comes while there is no order.
    pub(crate) fn background(&self) -> Background {
        self.events.background()
    }

    /// Passes on what comes until the device is known, or known not to work,
    /// or some time is up.
    pub(crate) fn wait_for_device(&mut self, time: Duration, sink: &mut dyn Sink) {
        if self.is_device_known {
            return;
        }
        let end = Instant::now() + time;
        while let Ok(event) = self.events.recv_timeout(end.saturating_duration_since(Instant::now())) {
            match event {
                Event::Frame(frame) => {
                    self.pass_on(*frame, sink);
                    if self.is_device_known {
                        return;
                    }
                }
                Event::Output(stream, bytes) => self.output(stream, &bytes, sink),
                Event::Closed(_) => return,
            }
        }
    }

    /// How the process has ended, which it does as soon as its end of the
    /// channel is closed.
    pub(crate) fn ended(&mut self, why: Option<String>) -> Ended {
        // Not to be signalled once it has been waited for.
        self.interrupter.clear_worker();
        let patience = self.wrapped.unwrap_or(PATIENCE);
        if let Some(cause) = why {
            let _ = self.child.kill();
            let _ = self.child.wait();
            return Ended { cause, status: None };
        }
        if let Some(status) = self.wait_for_end(patience) {
            if status.code() == Some(CHANNEL_LOST) {
                let cause = "a cell has closed or replaced file descriptors that are not its own, the \
                             channel to the session among them";
                return Ended { cause: cause.to_owned(), status: None };
            }
            return Ended { cause: describe(status), status: status.code() };
        }
        // It closed the channel and lives on: no use to anybody.
        let _ = self.child.kill();
        let _ = self.child.wait();
        Ended { cause: "it stopped answering".to_owned(), status: None }
    }

    /// Waits for the process to end, and lets go of what it still says.
    fn wait_for_end(&mut self, time: Duration) -> Option<ExitStatus> {
        let start = Instant::now();
        while start.elapsed() < time {
            if let Ok(Some(status)) = self.child.try_wait() {
                return Some(status);
            }
            while self.events.try_recv().is_ok() {}
            std::thread::sleep(Duration::from_millis(5));
        }
        None
    }
}

/// What goes on to the front end.
impl Worker {
    fn output(&mut self, stream: Stream, bytes: &[u8], sink: &mut dyn Sink) {
        self.line.add(bytes);
        sink.output(stream, bytes);
    }

    fn pass_on(&mut self, frame: Frame, sink: &mut dyn Sink) {
        self.is_device_known |= matches!(frame, Frame::DeviceChosen { .. } | Frame::NoDevice { .. });
        match frame {
            Frame::Input { request, prompt, is_password } => self.ask(request, prompt, is_password, sink),
            Frame::InterruptTaken => self.interrupter.begin(),
            Frame::Plugin { request, name } => self.bring_plugin(request, &name, sink),
            frame => pass_on(frame, self.running, sink),
        }
    }

    /// Has a plugin built if it is not there. The cell waits meanwhile; what its
    /// threads print waits in the pipes.
    fn bring_plugin(&mut self, request: u64, name: &str, sink: &mut dyn Sink) {
        let interrupter = Some(&self.interrupter);
        let answer = match plugin::ready(&self.toolchain, &self.prelude, name, interrupter, sink) {
            Ok(library) => PluginAnswer::Library(library),
            Err(error) => {
                let text = error.to_string();
                let (message, help) = text.split_once("\n  = help: ").unwrap_or((&text, ""));
                PluginAnswer::Problem { message: message.to_owned(), help: help.to_owned() }
            }
        };
        let _ = send(&mut self.orders, &Order::Plugin { request, answer });
    }

    /// Has the front end ask its user, and passes the answer on.
    fn ask(&mut self, request: u64, prompt: Option<String>, is_password: bool, sink: &mut dyn Sink) {
        let is_shown = prompt.is_none();
        let prompt = prompt.unwrap_or_else(|| self.line.text());
        // Whoever has interrupted wants no more questions.
        let text = if self.interrupter.was_asked() {
            None
        } else {
            sink.input(&InputRequest { prompt, is_shown, is_password }).map(|text| {
                let line = text.split(['\n', '\r']).next().unwrap_or_default();
                line.to_owned()
            })
        };
        self.answers.extend(text.clone());
        // The terminal is at the start of a line again.
        self.line = Line::default();
        let is_interrupted = self.interrupter.was_asked();
        let _ = send(&mut self.orders, &Order::Input { request, text, is_interrupted });
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // Not to be signalled once it has been waited for.
        self.interrupter.clear_worker();
        if let Some(patience) = self.wrapped {
            // What runs it has to see it end, to write its report.
            let _ = send(&mut self.orders, &Order::End);
            self.wait_for_end(patience);
        }
        // It ends by itself when the channel closes; a cell that still runs
        // does not have to be waited for.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Passes a frame on to the sink of the cell that runs, if one does. What
/// threads of that cell show is the cell's own; else it is passed on as that
/// of the cell that the frame names, also while the next one compiles.
fn pass_on(frame: Frame, running: Option<u64>, sink: &mut dyn Sink) {
    let other = |cell: Option<u64>| cell.filter(|cell| running != Some(*cell));
    match frame {
        Frame::Display(display) => match (display.id, display.is_update, other(display.cell)) {
            (Some(id), true, _) => sink.update_display(id, &display.bundle),
            (id, _, Some(cell)) => sink.display_of(cell, id, &display.bundle),
            (Some(id), false, None) => sink.display_by_id(id, &display.bundle),
            (None, _, None) => sink.display(&display.bundle, display.is_result),
        },
        Frame::Output { cell, is_stderr, text } => {
            let stream = if is_stderr { Stream::Stderr } else { Stream::Stdout };
            match other(Some(cell)) {
                Some(cell) => sink.output_of(cell, stream, text.as_bytes()),
                None => sink.output(stream, text.as_bytes()),
            }
        }
        Frame::ClearOutput { wait, cell } => match other(cell) {
            Some(cell) => sink.clear_output_of(cell, wait),
            None => sink.clear_output(wait),
        },
        Frame::Notice { text } => sink.note(&text),
        Frame::DeviceChosen { id, name, rule } => sink.device(&id, &name, &rule),
        Frame::NoDevice { problem } => sink.no_device(&problem),
        // Answers to orders that nobody waits for any more, and questions of
        // cells that have ended.
        Frame::Ready
        | Frame::Done(_)
        | Frame::Forgotten { .. }
        | Frame::Finished
        | Frame::Devices(_)
        | Frame::Cache(_)
        | Frame::Tuned(_)
        | Frame::InterruptTaken
        | Frame::Interacted { .. }
        | Frame::Loaded { .. }
        | Frame::Held { .. }
        | Frame::Answer(_)
        | Frame::Input { .. }
        | Frame::Plugin { .. } => {}
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
