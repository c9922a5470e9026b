//! What waits for the thread that evaluates.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use gpurepl_session::MemoryReport;
use jupyter_protocol::ExecuteRequest;
use tokio::sync::oneshot;

use crate::channel::Replies;
use crate::comms::Told;
use crate::message::Origin;

/// Something for the thread that has the session.
pub enum Job {
    /// A cell.
    Execute {
        /// Who wants it.
        origin: Arc<Origin>,
        /// What to do.
        cell: Box<ExecuteRequest>,
        /// Where the answer goes.
        replies: Replies,
        /// Whether its start has been announced.
        is_announced: bool,
    },
    /// A function of `interact` is to be called again: a control was moved.
    Interact {
        /// Who has moved it.
        origin: Arc<Origin>,
        /// The number by which it was shown.
        number: u64,
    },
    /// A front end tells a cell something about a comm.
    Call {
        /// Who has sent it.
        origin: Arc<Origin>,
        /// What it is told.
        told: Told,
    },
    /// How much of the device's memory is used.
    Memory(oneshot::Sender<Result<MemoryReport, String>>),
}

/// Jobs in the order in which they came.
#[derive(Default)]
pub struct Queue {
    state: Mutex<State>,
    filled: Condvar,
}

#[derive(Default)]
struct State {
    jobs: VecDeque<Job>,
    is_closed: bool,
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a job, unless the kernel is about to end.
    pub fn push(&self, job: Job) {
        let mut state = self.lock();
        if !state.is_closed {
            state.jobs.push_back(job);
            self.filled.notify_all();
        }
    }

    /// Ends the work: what waits is not done any more.
    pub fn close(&self) {
        let mut state = self.lock();
        state.is_closed = true;
        state.jobs.clear();
        self.filled.notify_all();
    }

    /// Whether nothing waits.
    pub fn is_empty(&self) -> bool {
        self.lock().jobs.is_empty()
    }

    /// The next job, once there is one; none when the work has ended.
    pub fn pop(&self) -> Option<Job> {
        let mut state = self.lock();
        loop {
            if state.is_closed {
                return None;
            }
            if let Some(job) = state.jobs.pop_front() {
                return Some(job);
            }
            state = self.filled.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Does something with the cell that is next, if there is one. It stays.
    pub fn with_next<R>(&self, act: impl FnOnce(&Arc<Origin>, &ExecuteRequest, &mut bool) -> R) -> Option<R> {
        let mut state = self.lock();
        let next = state.jobs.iter_mut().find_map(|job| match job {
            Job::Execute { origin, cell, is_announced, .. } => Some((&*origin, &**cell, is_announced)),
            _ => None,
        });
        next.map(|(origin, cell, is_announced)| act(origin, cell, is_announced))
    }

    /// The text of the cell that is next, if nothing else is.
    pub fn upcoming(&self) -> Option<String> {
        match self.lock().jobs.front() {
            Some(Job::Execute { cell, .. }) if cell.store_history && !cell.silent => Some(cell.code.clone()),
            _ => None,
        }
    }

    /// Takes all cells out.
    pub fn take_cells(&self) -> Vec<(Arc<Origin>, Replies)> {
        let mut state = self.lock();
        let (cells, others): (Vec<Job>, Vec<Job>) =
            state.jobs.drain(..).partition(|job| matches!(job, Job::Execute { .. }));
        state.jobs.extend(others);
        let cell = |job| match job {
            Job::Execute { origin, replies, .. } => Some((origin, replies)),
            _ => None,
        };
        cells.into_iter().filter_map(cell).collect()
    }
}
