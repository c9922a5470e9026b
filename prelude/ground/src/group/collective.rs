//! Functions that all ranks call.

use gpurepl_board::{Activity, Board, For, GivenUp, Post, Posted, Staging};

use super::function::Function;
use super::own::{Own, entered, own, refused};
use super::wait::{Leave, Until, wait};
use super::{membership, ranks};
use crate::error::Result;

/// A call of a function that all ranks have called. All take the same steps in it, one after the other.
///
/// Elements go through two units of each rank's staging. A rank writes to its own ones, takes a step, and reads from the
/// others' what they have written before their step. It may write over a unit once all have taken another step since
/// they could read it.
///
/// One that is dropped before [`Collective::finish`] has failed, and the others learn that.
pub struct Collective {
    function: Function,
    board: Board,
    posts: Vec<Post>,
    staging: Option<Staging>,
    /// What has been written to each unit since the last step: for whom, and how many bytes.
    written: [Option<(For, usize)>; 2],
    is_over: bool,
}

/// Which of a rank's units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// One.
    First,
    /// The other one.
    Second,
}

impl Collective {
    /// Waits until all ranks have called a function, and tells each what the others have posted. Whether they have
    /// called the same one is to be seen from that, and it is the same on all ranks.
    ///
    /// # Errors
    ///
    /// If it cannot be called here; if a rank does not come; at the user's interrupt.
    pub fn meet(function: Function, post: &Post, has_elements: bool) -> Result<Collective> {
        let (mut own, board) = entered(function.name())?;
        let staging = if has_elements { Some(staging(function)?) } else { None };
        let rank = membership().rank;
        own.meetings += 1;
        own.step += 1;
        // In this order: what a step says must be there, and a state must not be taken for one of the step before.
        let posted = Posted::Meeting(own.meetings);
        board.set_function(rank, function.number());
        board.set_post(rank, posted, post);
        board.set_step(rank, own.order, own.step);
        own.publish(Activity::Meeting, 0);
        let until = Until::All(own.step);
        wait(&mut own, &board, function, until, Leave::Yes)?;
        own.publish(Activity::Idle, 0);
        let posts = (0..ranks()).map(|rank| board.post(rank, posted)).collect();
        Ok(Collective { function, board, posts, staging, written: [None; 2], is_over: false })
    }

    /// What each rank has posted.
    pub fn posts(&self) -> &[Post] {
        &self.posts
    }

    /// Takes a step, and waits until all have taken it.
    ///
    /// # Errors
    ///
    /// If a rank does not come; at the user's interrupt.
    pub fn step(&mut self) -> Result<()> {
        self.take_step(Leave::Yes)
    }

    /// Takes a step after which every rank is sure that all others go on: neither an interrupt nor a limit ends the
    /// wait for it.
    ///
    /// # Errors
    ///
    /// If a rank has given up before its step.
    pub fn commit(&mut self) -> Result<()> {
        self.take_step(Leave::No)
    }

    fn take_step(&mut self, leave: Leave) -> Result<()> {
        let mut own = own();
        if leave == Leave::Yes
            && let Err(error) = crate::interrupt::check()
        {
            self.is_over = true;
            own.give_up(GivenUp::Interrupted, self.function.name());
            return Err(error);
        }
        own.step += 1;
        for (unit, written) in self.written.iter_mut().enumerate() {
            if let Some((to, length)) = written.take() {
                own.mark(&self.board, unit, to, length);
            }
        }
        self.board.set_step(membership().rank, own.order, own.step);
        let until = Until::All(own.step);
        let waited = wait(&mut own, &self.board, self.function, until, leave);
        // It has given up already.
        self.is_over = waited.is_err();
        waited
    }

    /// Bytes of a unit, a multiple of 4096.
    pub fn unit(&self) -> usize {
        self.staging.map_or(0, |staging| staging.unit())
    }

    /// Bytes of a slot: a unit has one for each rank, in their order.
    pub fn slot(&self) -> usize {
        self.staging.map_or(0, |staging| staging.slot())
    }

    /// Writes to this rank's unit, from its beginning on, what one rank is to read, or all.
    pub fn write(&mut self, unit: Unit, to: Option<usize>, bytes: &[u8]) {
        if let Some(staging) = &self.staging {
            staging.write(membership().rank, unit as usize, 0, bytes);
            self.written[unit as usize] = Some((to.map_or(For::All, For::One), bytes.len()));
        }
    }

    /// Writes to a slot of this rank's unit what the slot's rank is to read.
    ///
    /// # Panics
    ///
    /// If it is longer than a slot.
    pub fn write_slot(&mut self, unit: Unit, to: usize, bytes: &[u8]) {
        if let Some(staging) = &self.staging {
            assert!(bytes.len() <= staging.slot());
            staging.write(membership().rank, unit as usize, to * staging.slot(), bytes);
            let longest = match self.written[unit as usize] {
                Some((For::Each, longest)) => longest,
                _ => 0,
            };
            self.written[unit as usize] = Some((For::Each, longest.max(bytes.len())));
        }
    }

    /// Reads from a rank's unit, from a multiple of eight on.
    pub fn read(&self, rank: usize, unit: Unit, start: usize, bytes: &mut [u8]) {
        if let Some(staging) = &self.staging {
            staging.read(rank, unit as usize, start, bytes);
        }
    }

    /// This rank has done its part, or knows that none can do theirs.
    pub fn finish(mut self) {
        self.is_over = true;
    }
}

impl Drop for Collective {
    fn drop(&mut self) {
        if !self.is_over {
            failed(&mut own(), self.function);
        }
    }
}

/// This rank could not do its part.
pub(super) fn failed(own: &mut Own, function: Function) {
    own.give_up(GivenUp::Failed, function.name());
}

/// The staging of the group, before others are told to come.
pub(super) fn staging(function: Function) -> Result<Staging> {
    let found = membership().folder().and_then(|folder| super::staging::of_group(folder, ranks()));
    found.map_err(|why| refused(function.name(), why))
}
