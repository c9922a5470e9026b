//! What all parts of a kernel share: what runs and what waits.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use gpurepl_session::analysis::{Analysis, Project};
use gpurepl_session::{Interrupter, MemoryReport, Session};
use jupyter_protocol::{ExecuteInput, Status};
use tokio::sync::Notify;

use crate::channel::{iopub::Broadcast, stdin::Disturb};
use crate::comms::Comms;
use crate::history::History;
use crate::message::Origin;
use crate::queue::{Job, Queue};
use crate::widgets::Widgets;

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
    comms: Arc<Mutex<Comms>>,
    widgets: Arc<Mutex<Widgets>>,
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

impl Kernel {
    /// A kernel without a session, to which nobody listens yet.
    pub fn new() -> Kernel {
        Kernel {
            broadcast: Arc::default(),
            queue: Queue::default(),
            disturb: OnceLock::new(),
            state: Mutex::default(),
            running: Mutex::default(),
            history: History::start(crate::history::file()),
            comms: Arc::default(),
            widgets: Arc::default(),
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

    /// What front ends and cells have opened.
    pub fn shared_comms(&self) -> Arc<Mutex<Comms>> {
        Arc::clone(&self.comms)
    }

    /// The controls that cells have shown, to ask about them.
    pub fn widgets_lock(&self) -> MutexGuard<'_, Widgets> {
        lock(&self.widgets)
    }

    /// The controls that cells have shown.
    pub fn widgets(&self) -> Arc<Mutex<Widgets>> {
        Arc::clone(&self.widgets)
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

    /// Notes how the waiting of a cell for its user is ended.
    pub fn set_disturb(&self, disturb: Disturb) {
        let _ = self.disturb.set(disturb);
    }

    /// A way to interrupt the session, once there is one.
    pub fn interrupter(&self) -> Option<Interrupter> {
        lock(&self.state).interrupter.clone()
    }

    /// The folder of the session's files, once there is a session.
    pub fn folder(&self) -> Option<PathBuf> {
        lock(&self.state).folder.clone()
    }

    /// Ends the kernel.
    pub fn stop(&self) {
        self.stop.notify_one();
    }

    /// Waits until someone ends the kernel.
    pub async fn stopped(&self) {
        self.stop.notified().await;
    }
}
