//! Functions that two ranks call.

use gpurepl_board::{Activity, Board, For, GivenUp, Post, Posted, SENDING, Staging};

use super::collective::{failed, staging};
use super::function::Function;
use super::membership;
use super::own::{Own, entered, own};
use super::wait::{Leave, Until, wait};
use crate::error::Result;

/// A call of `send` that has met one of `recv`, or the other way round.
///
/// Both count the steps that they take with each other. Elements go in pieces through two units of the staging of the
/// rank that sends, which are for this alone.
pub struct Pair {
    peer: usize,
    is_sender: bool,
    board: Board,
    staging: Staging,
    post: Post,
    /// Steps of this rank before the first piece.
    base: u64,
    /// Pieces that this rank has passed on or taken.
    pieces: u64,
    is_over: bool,
}

impl Pair {
    /// Waits until a rank receives from this one, and tells each what the other has posted.
    ///
    /// # Errors
    ///
    /// If it cannot be called here; if the other rank does not come; at the user's interrupt.
    pub fn send(to: usize, post: &Post) -> Result<Pair> {
        Pair::meet(to, true, post)
    }

    /// Waits until a rank sends to this one, and tells each what the other has posted.
    ///
    /// # Errors
    ///
    /// As [`Pair::send`].
    pub fn receive(from: usize, post: &Post) -> Result<Pair> {
        Pair::meet(from, false, post)
    }

    fn meet(peer: usize, is_sender: bool, post: &Post) -> Result<Pair> {
        let function = function(is_sender);
        let (mut own, board) = entered(function.name())?;
        let staging = staging(function)?;
        let (mine, theirs, activity) = match is_sender {
            true => (Posted::Sent, Posted::Received, Activity::Sending),
            false => (Posted::Received, Posted::Sent, Activity::Receiving),
        };
        board.set_function(membership().rank, function.number());
        board.set_post(membership().rank, mine, post);
        let count = step(&mut own, &board, peer, is_sender);
        own.publish(activity, peer);
        wait_for(&mut own, &board, peer, is_sender, count)?;
        own.publish(Activity::Idle, peer);
        let post = board.post(peer, theirs);
        // Neither may post anything else before the other has read this.
        let base = step(&mut own, &board, peer, is_sender);
        wait_for(&mut own, &board, peer, is_sender, base)?;
        Ok(Pair { peer, is_sender, board, staging, post, base, pieces: 0, is_over: false })
    }

    /// What the other rank has posted.
    pub fn post(&self) -> &Post {
        &self.post
    }

    /// Bytes of the largest piece.
    pub fn piece(&self) -> usize {
        self.staging.unit()
    }

    /// Passes a piece on.
    ///
    /// # Errors
    ///
    /// If the other rank has given up; at the user's interrupt.
    pub fn pass(&mut self, bytes: &[u8]) -> Result<()> {
        // The unit is free once the piece before the last one has been taken.
        if self.pieces >= 2 {
            self.wait_for(self.base + self.pieces - 1)?;
        }
        self.staging.write(membership().rank, self.unit(), 0, bytes);
        let mut own = own();
        own.mark(&self.board, self.unit(), For::One(self.peer), bytes.len());
        self.pieces += 1;
        step(&mut own, &self.board, self.peer, true);
        Ok(())
    }

    /// Takes a piece.
    ///
    /// # Errors
    ///
    /// As [`Pair::pass`].
    pub fn take(&mut self, bytes: &mut [u8]) -> Result<()> {
        self.wait_for(self.base + self.pieces + 1)?;
        self.staging.read(self.peer, self.unit(), 0, bytes);
        self.pieces += 1;
        step(&mut own(), &self.board, self.peer, false);
        Ok(())
    }

    fn unit(&self) -> usize {
        SENDING + (self.pieces % 2) as usize
    }

    /// Waits until the other rank has taken as many pieces.
    ///
    /// # Errors
    ///
    /// As [`Pair::pass`].
    pub fn finish(mut self) -> Result<()> {
        if self.is_sender {
            self.wait_for(self.base + self.pieces)?;
        }
        self.is_over = true;
        Ok(())
    }

    fn wait_for(&mut self, count: u64) -> Result<()> {
        let mut own = own();
        if let Err(error) = crate::interrupt::check() {
            self.is_over = true;
            own.give_up(GivenUp::Interrupted, function(self.is_sender).name());
            return Err(error);
        }
        let waited = wait_for(&mut own, &self.board, self.peer, self.is_sender, count);
        // It has given up already.
        self.is_over = waited.is_err();
        waited
    }
}

impl Drop for Pair {
    fn drop(&mut self) {
        if !self.is_over {
            failed(&mut own(), function(self.is_sender));
        }
    }
}

fn function(is_sender: bool) -> Function {
    if is_sender { Function::Send } else { Function::Recv }
}

/// Counts a step on, and returns how many they are.
fn step(own: &mut Own, board: &Board, peer: usize, is_sender: bool) -> u64 {
    let (rank, order) = (membership().rank, own.order);
    let count = if is_sender { &mut own.sent[peer] } else { &mut own.received[peer] };
    *count += 1;
    let count = *count;
    if is_sender {
        board.set_sent(rank, peer, order, count);
    } else {
        board.set_received(rank, peer, order, count);
    }
    count
}

fn wait_for(own: &mut Own, board: &Board, peer: usize, is_sender: bool, count: u64) -> Result<()> {
    let until = if is_sender { Until::Received(peer, count) } else { Until::Sent(peer, count) };
    wait(own, board, function(is_sender), until, Leave::Yes)
}
