//! What this process knows of itself as a rank.

use std::cell::Cell;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::ThreadId;

use gpurepl_board::{Activity, Board, For, GivenUp, Mark, ORDERS, State};

use super::membership;
use crate::error::{Error, Problem, Result};

/// One for the process: it has one rank.
pub(super) struct Own {
    /// The order that it works on, as the board has it.
    pub order: u64,
    /// Steps of all ranks together that it has taken in this order.
    pub step: u64,
    /// Functions of all ranks that it has called in this order.
    pub meetings: usize,
    /// Steps with each other rank, as the one that sends and the one that receives.
    pub sent: Vec<u64>,
    pub received: Vec<u64>,
    activity: Activity,
    peer: usize,
    version: u64,
    /// How often it has left elements for others.
    marks: u64,
    /// Why it takes part in nothing more in this order, and what it was in.
    given_up: Option<(GivenUp, &'static str)>,
    /// None before the first order.
    board: Option<Result<Board, String>>,
    /// The process that mapped it: a copy of that is no rank.
    process: u32,
}

static OWN: Mutex<Own> = Mutex::new(Own {
    order: 0,
    step: 0,
    meetings: 0,
    sent: Vec::new(),
    received: Vec::new(),
    activity: Activity::Idle,
    peer: 0,
    version: 0,
    marks: 0,
    given_up: None,
    board: None,
    process: 0,
});

/// The thread that runs orders; where nobody has said it, the first one that calls a function of ranks.
static RUNNER: OnceLock<ThreadId> = OnceLock::new();

thread_local! {
    static IS_RUNNER: Cell<bool> = const { Cell::new(false) };
}

pub(super) fn own() -> MutexGuard<'static, Own> {
    OWN.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(super) fn begin(order: u64) {
    RUNNER.get_or_init(|| std::thread::current().id());
    IS_RUNNER.set(true);
    own().begin(order & ORDERS);
}

pub(super) fn end(order: u64) {
    let mut own = own();
    // What it has given up says more, and is as final.
    if own.order == order & ORDERS && own.given_up.is_none() {
        own.publish(Activity::Ended, 0);
    }
}

/// Makes sure that a function of several ranks may be called here and now.
pub(super) fn entered(operation: &'static str) -> Result<(MutexGuard<'static, Own>, Board)> {
    let this = std::thread::current().id();
    let is_runner = IS_RUNNER.get() || *RUNNER.get_or_init(|| this) == this;
    if !is_runner {
        let message = "it is called by another thread than the one that runs the cell, whose calls have no order \
                       among those of all ranks; call it where the cell's statements run";
        return Err(refused(operation, message.to_owned()));
    }
    let mut own = own();
    if own.board.is_none() {
        // A program of its own: there is one order, which does not end.
        own.begin(0);
    }
    let board = own.board.clone().unwrap_or_else(|| Err("there is no group".to_owned()));
    let board = board.map_err(|why| refused(operation, why))?;
    if own.process != std::process::id() {
        let message = "this is a copy of a rank's process, which is no rank; call it in the process itself";
        return Err(refused(operation, message.to_owned()));
    }
    if let Some((why, what)) = own.given_up {
        let message = format!(
            "this rank has {} in {what} before, and the others do not know where it is since then; end the cell, and \
             call it on all ranks in the next one",
            why.words()
        );
        return Err(refused(operation, message));
    }
    crate::interrupt::check()?;
    Ok((own, board))
}

/// An error of a function of ranks.
pub(super) fn refused(operation: &'static str, message: String) -> Error {
    Problem::Ranks { operation, message }.into()
}

impl Own {
    fn begin(&mut self, order: u64) {
        let ranks = membership().ranks;
        self.order = order;
        (self.step, self.meetings, self.version) = (0, 0, 0);
        (self.sent, self.received) = (vec![0; ranks], vec![0; ranks]);
        self.given_up = None;
        // It is tried again as long as it fails: there may be room for it meanwhile.
        if !matches!(self.board, Some(Ok(_))) {
            self.board = Some(membership().folder().and_then(|folder| Board::open(folder, ranks)));
            self.process = std::process::id();
        }
        self.publish(Activity::Idle, 0);
    }

    /// Writes what this rank does on the board, if there is one.
    pub(super) fn publish(&mut self, activity: Activity, peer: usize) {
        (self.activity, self.peer) = (activity, peer);
        self.version += 1;
        let given_up = self.given_up.map(|(why, _)| why);
        let state = State { order: self.order, activity, given_up, peer, version: self.version };
        if let Some(Ok(board)) = &self.board {
            board.set_state(membership().rank, state);
        }
    }

    /// Says what it has left in a unit, before it takes the step by which the others learn that.
    pub(super) fn mark(&mut self, board: &Board, unit: usize, to: For, length: usize) {
        self.marks += 1;
        board.set_mark(membership().rank, unit, Mark { number: self.marks, to, length });
    }

    /// Takes part in nothing more in this order. What it was doing stays on the board, so that the others can say it.
    pub(super) fn give_up(&mut self, why: GivenUp, operation: &'static str) {
        self.given_up = Some((why, operation));
        self.publish(self.activity, self.peer);
    }
}
