//! The kernel: channels, the thread that evaluates, and the end.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use gpurepl_session::analysis::{Analysis, Project};
use gpurepl_session::{Interrupter, MemoryReport, Options, ReplayPolicy, Session, SessionFolder};
use jupyter_protocol::{ConnectionInfo, ExecuteInput, Status};
use tokio::sync::Notify;

use crate::channel::{self, Address, iopub::Broadcast, stdin::Disturb};
use crate::comms::Comms;
use crate::connection;
use crate::error::StartError;
use crate::execution::{self, Job, Queue, outlet::Outlet};
use crate::history::History;
use crate::message::{Origin, Signature};
use crate::{log, parent};

/// What all parts of a kernel share.
pub struct Kernel {
    /// Everybody who listens.
    pub broadcast: Arc<Broadcast>,
    /// What waits for the thread that evaluates.
    pub queue: Queue,
    /// Ends a cell's waiting for the user.
    disturb: OnceLock<Disturb>,
    state: Mutex<State>,
    /// The cell that is being evaluated. Nothing is sent about it without
    /// this lock, so that "idle" is the last word.
    running: Mutex<Option<Arc<Origin>>>,
    history: History,
    comms: Mutex<Comms>,
    stop: Notify,
}

#[derive(Default)]
struct State {
    interrupter: Option<Interrupter>,
    analysis: Option<Analysis>,
    /// Where the session's files lie.
    folder: Option<PathBuf>,
    /// When the cell was first interrupted.
    interrupted: Option<Instant>,
    /// A command of the system's that runs for a cell.
    child: Option<i32>,
    memory: Option<MemoryReport>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Two interrupts within this time are one that was requested twice: the
/// second one of a cell ends the worker.
const IMPATIENCE: Duration = Duration::from_secs(1);

/// The stack of threads that read texts of the user's.
const STACK: usize = 64 << 20;

impl Kernel {
    fn new() -> Kernel {
        Kernel {
            broadcast: Arc::default(),
            queue: Queue::default(),
            disturb: OnceLock::new(),
            state: Mutex::default(),
            running: Mutex::default(),
            history: History::start(crate::history::file()),
            comms: Mutex::default(),
            stop: Notify::new(),
        }
    }

    /// Takes note of a session that has been started.
    pub fn has_session(&self, session: &Session) {
        let mut state = lock(&self.state);
        state.interrupter = Some(session.interrupter());
        state.analysis = Some(session.analysis());
        state.folder = Some(session.folder().to_owned());
    }

    /// Completion and documentation. Before there is a session they know what
    /// the tables hold.
    pub fn analysis(&self) -> Analysis {
        lock(&self.state).analysis.get_or_insert_with(|| Analysis::new(Project::default())).clone()
    }

    /// Earlier cells.
    pub fn history(&self) -> &History {
        &self.history
    }

    /// What front ends have opened.
    pub fn comms(&self) -> MutexGuard<'_, Comms> {
        lock(&self.comms)
    }

    /// A cell begins; its text is sent with its number, unless it is silent.
    pub fn begin(&self, origin: &Arc<Origin>, input: Option<(&str, u64)>) {
        lock(&self.state).interrupted = None;
        let mut running = lock(&self.running);
        *running = Some(Arc::clone(origin));
        self.broadcast.status(Status::busy(), Some(origin));
        if let Some((code, count)) = input {
            let execution_count = jupyter_protocol::ExecutionCount::new(usize::try_from(count).unwrap_or(0));
            let content = ExecuteInput { code: code.to_owned(), execution_count };
            self.broadcast.publish(content, Some(origin));
        }
    }

    /// A cell has ended.
    pub fn end(&self, origin: &Arc<Origin>) {
        let mut running = lock(&self.running);
        *running = None;
        self.broadcast.status(Status::idle(), Some(origin));
    }

    /// Something else was answered, and the answer ended with "idle": front
    /// ends show the last word, so a running cell has to be announced again.
    pub fn is_still_busy(&self) {
        if let Some(origin) = &*lock(&self.running) {
            self.broadcast.status(Status::busy(), Some(origin));
        }
    }

    /// Whether a cell is being evaluated.
    pub fn is_busy(&self) -> bool {
        lock(&self.running).is_some()
    }

    /// Names a command of the system's that an interrupt ends. Returns
    /// whether there was an interrupt.
    pub fn set_child(&self, child: Option<i32>) -> bool {
        let mut state = lock(&self.state);
        state.child = child;
        state.interrupted.is_some()
    }

    /// Interrupts the cell that is being evaluated, and its questions.
    pub fn interrupt(&self) {
        if !self.is_busy() {
            return;
        }
        let mut state = lock(&self.state);
        let is_again = state.interrupted.is_some_and(|time| time.elapsed() < IMPATIENCE);
        state.interrupted.get_or_insert_with(Instant::now);
        if is_again {
            return;
        }
        if let Some(interrupter) = &state.interrupter {
            interrupter.interrupt();
        }
        if let Some(child) = state.child {
            let group = nix::unistd::Pid::from_raw(child);
            let _ = nix::sys::signal::killpg(group, nix::sys::signal::Signal::SIGINT);
        }
        if let Some(disturb) = self.disturb.get() {
            disturb.stop();
        }
    }

    /// Asks for the device's memory. While a cell runs it is what was known
    /// before.
    pub async fn memory(&self) -> Option<MemoryReport> {
        const PATIENCE: Duration = Duration::from_millis(500);
        let is_free = !self.is_busy() && self.queue.is_empty() && lock(&self.state).interrupter.is_some();
        if is_free {
            let (sender, answer) = tokio::sync::oneshot::channel();
            self.queue.push(Job::Memory(sender));
            if let Ok(Ok(Ok(report))) = tokio::time::timeout(PATIENCE, answer).await {
                lock(&self.state).memory = Some(report);
            }
        }
        lock(&self.state).memory.clone()
    }

    /// Ends the kernel.
    pub fn stop(&self) {
        self.stop.notify_one();
    }
}

/// Runs a kernel until it is ended.
///
/// # Errors
///
/// If it cannot be started.
pub fn run(file: &Path, device: Option<String>) -> Result<(), StartError> {
    let connection = connection::read(file)?;
    let folder = folder().map_err(StartError::Folder)?;
    let session = uuid::Uuid::new_v4().to_string();
    let kernel = Arc::new(Kernel::new());
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .thread_stack_size(STACK)
        .enable_all()
        .build();
    let runtime = runtime.map_err(StartError::Thread)?;
    channel::heartbeat::start(&connection, folder.path())?;
    let asking = runtime.block_on(open(&connection, folder.path(), &session, &kernel))?;
    signals(&kernel).map_err(StartError::Thread)?;
    parent::watch(&kernel);
    let common = execution::Common {
        outlet: Outlet::start(Arc::clone(&kernel.broadcast)),
        session: session[..8].to_owned(),
        origins: Mutex::default(),
    };
    let options = Options {
        device,
        arguments: vec!["gpurepl".into()],
        keeps_results: true,
        replay: ReplayPolicy::On,
        is_rich: true,
        ..Options::default()
    };
    let (sender, over) = std::sync::mpsc::channel();
    let evaluating = Arc::clone(&kernel);
    let thread = std::thread::Builder::new().name("evaluator".to_owned());
    // Cells nest as deep as their authors like.
    let thread = thread.stack_size(STACK).spawn(move || {
        execution::run(&evaluating, common, options, asking);
        let _ = sender.send(());
    });
    thread.map_err(StartError::Thread)?;
    runtime.block_on(kernel.stop.notified());
    finish(&kernel, &over);
    // What has been answered last is on its way through the doors.
    kernel.broadcast.drain(Duration::from_millis(300));
    std::thread::sleep(Duration::from_millis(50));
    // Nobody waits for what the analyser is still thinking about.
    runtime.shutdown_background();
    Ok(())
}

/// A folder for sockets that only the user can enter. The path of a socket
/// may have no more than about a hundred bytes.
fn folder() -> std::io::Result<SessionFolder> {
    const MOST: usize = 60;
    let usual = std::env::temp_dir();
    let is_short = usual.as_os_str().len() <= MOST;
    let parent = if is_short { usual } else { PathBuf::from("/tmp") };
    SessionFolder::named(&parent, "jupyter-")
}

async fn open(
    connection: &ConnectionInfo,
    folder: &Path,
    session: &str,
    kernel: &Arc<Kernel>,
) -> Result<channel::stdin::Asking, StartError> {
    let signature = Arc::new(Signature::new(&connection.key));
    let address = Address { connection, folder, session };
    channel::iopub::start(&address, Arc::clone(&kernel.broadcast)).await?;
    kernel.broadcast.status(Status::starting(), None);
    let (asking, disturb) = channel::stdin::start(&address, Arc::clone(&signature)).await?;
    let _ = kernel.disturb.set(disturb);
    channel::control::start(&address, Arc::clone(&signature), Arc::clone(kernel)).await?;
    channel::shell::start(&address, signature, Arc::clone(kernel)).await?;
    Ok(asking)
}

/// Ends what runs, in steps: Jupyter kills a kernel that takes five seconds.
fn finish(kernel: &Kernel, over: &std::sync::mpsc::Receiver<()>) {
    let interrupter = {
        kernel.queue.close();
        kernel.interrupt();
        lock(&kernel.state).interrupter.clone()
    };
    if over.recv_timeout(Duration::from_millis(1200)).is_ok() {
        return;
    }
    if let Some(interrupter) = interrupter {
        // It did not listen.
        interrupter.interrupt();
        interrupter.interrupt();
    }
    if over.recv_timeout(Duration::from_millis(800)).is_err() {
        log::line("what runs did not end in time; the worker ends with the kernel");
        if let Some(folder) = &lock(&kernel.state).folder {
            let _ = std::fs::remove_dir_all(folder);
        }
    }
}

/// SIGINT interrupts, as the message does; other signals end the kernel.
fn signals(kernel: &Arc<Kernel>) -> std::io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let mut signals = signal_hook::iterator::Signals::new([SIGINT, SIGTERM, SIGHUP])?;
    let kernel = Arc::clone(kernel);
    let thread = std::thread::Builder::new().name("signals".to_owned());
    let thread = thread.spawn(move || {
        for signal in &mut signals {
            if signal == SIGINT { kernel.interrupt() } else { kernel.stop() }
        }
    });
    thread.map(drop)
}
