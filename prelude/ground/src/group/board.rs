//! The board: a block of words for each rank, which that rank alone writes.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use super::function::Function;
use super::segment;
use super::state::{State, count_in, counted};

/// Words of a description.
pub const POST: usize = 20;

/// What a rank says of the function that it calls, to be compared with the others': the first word is
/// [`Function::number`](super::Function::number), the others are the caller's.
pub type Post = [u64; POST];

/// Places of a block. State and step are looked at again and again, so they lie on cache lines of their own.
const STATE: usize = 0;
const STEP: usize = 8;
const FUNCTION: usize = 9;
const POSTS: usize = 16;
/// Two for meetings, which alternate: whoever posts the next but one has been met by all at the next, so nobody still
/// reads this one. One for what is sent, one for what is received.
const SENT_POST: usize = 2;
const RECEIVED_POST: usize = 3;
const COUNTS: usize = POSTS + 4 * POST;

/// The words of all ranks.
#[derive(Clone, Copy)]
pub(super) struct Board {
    words: &'static [AtomicU64],
    ranks: usize,
}

/// A rank as another one sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Seen {
    pub state: State,
    /// The steps of all ranks together that it has taken in the order that it is seen from.
    pub step: u64,
}

/// Whose post.
#[derive(Clone, Copy, Debug)]
pub(super) enum Posted {
    /// Of a meeting, by the parity of its number.
    Meeting(usize),
    Sent,
    Received,
}

// Everything here is in one total order, which costs little: a step is some microseconds of waiting anyway.
const ORDERING: Ordering = Ordering::SeqCst;

impl Board {
    /// Maps the board of a group.
    pub(super) fn open(folder: &Path, ranks: usize) -> Result<Board, String> {
        let words = segment::shared(&folder.join("board"), Board::block(ranks) * ranks);
        let words = words.map_err(|error| {
            let folder = folder.display();
            format!("the memory that the ranks share cannot be made in {folder}: {error}; free some there, and start the workers again")
        })?;
        Ok(Board { words, ranks })
    }

    fn block(ranks: usize) -> usize {
        (COUNTS + 2 * ranks).next_multiple_of(8)
    }

    fn word(&self, rank: usize, place: usize) -> &'static AtomicU64 {
        assert!(rank < self.ranks && place < Board::block(self.ranks));
        &self.words[rank * Board::block(self.ranks) + place]
    }

    pub(super) fn ranks(&self) -> usize {
        self.ranks
    }

    pub(super) fn set_state(&self, rank: usize, state: State) {
        self.word(rank, STATE).store(state.pack(), ORDERING);
    }

    /// Says that a rank has taken a step. What it has written before, elements among it, is seen by whoever sees this.
    pub(super) fn set_step(&self, rank: usize, order: u64, step: u64) {
        self.word(rank, STEP).store(counted(order, step), ORDERING);
    }

    pub(super) fn step(&self, rank: usize, order: u64) -> u64 {
        count_in(self.word(rank, STEP).load(ORDERING), order)
    }

    /// Whether all ranks have taken a step of an order.
    pub(super) fn have_all(&self, order: u64, step: u64) -> bool {
        (0..self.ranks).all(|rank| self.step(rank, order) >= step)
    }

    /// Says which function a rank calls, for the messages of others.
    pub(super) fn set_function(&self, rank: usize, function: Function) {
        self.word(rank, FUNCTION).store(function.number(), ORDERING);
    }

    /// The function that a rank has called last.
    pub(super) fn function(&self, rank: usize) -> Option<Function> {
        Function::of_number(self.word(rank, FUNCTION).load(ORDERING))
    }

    fn post_place(posted: Posted) -> usize {
        let number = match posted {
            Posted::Meeting(number) => number % 2,
            Posted::Sent => SENT_POST,
            Posted::Received => RECEIVED_POST,
        };
        POSTS + number * POST
    }

    /// Writes a description; a step or a count then says that it is there.
    pub(super) fn set_post(&self, rank: usize, posted: Posted, post: &Post) {
        let first = Board::post_place(posted);
        for (k, word) in post.iter().enumerate() {
            self.word(rank, first + k).store(*word, Ordering::Relaxed);
        }
    }

    pub(super) fn post(&self, rank: usize, posted: Posted) -> Post {
        let first = Board::post_place(posted);
        std::array::from_fn(|k| self.word(rank, first + k).load(Ordering::Relaxed))
    }

    /// Says how many steps a rank has taken with a peer that it sends to.
    pub(super) fn set_sent(&self, rank: usize, peer: usize, order: u64, count: u64) {
        self.word(rank, COUNTS + peer).store(counted(order, count), ORDERING);
    }

    pub(super) fn sent(&self, rank: usize, peer: usize, order: u64) -> u64 {
        count_in(self.word(rank, COUNTS + peer).load(ORDERING), order)
    }

    /// Says how many steps a rank has taken with a peer that it receives from.
    pub(super) fn set_received(&self, rank: usize, peer: usize, order: u64, count: u64) {
        self.word(rank, COUNTS + self.ranks + peer).store(counted(order, count), ORDERING);
    }

    pub(super) fn received(&self, rank: usize, peer: usize, order: u64) -> u64 {
        count_in(self.word(rank, COUNTS + self.ranks + peer).load(ORDERING), order)
    }

    /// All ranks at one moment; none if one of them has changed while they were looked at.
    ///
    /// Each state has a version and each step is counted on, so two looks that are equal have a moment between them at
    /// which everything was so.
    pub(super) fn look(&self, order: u64) -> Option<Vec<Seen>> {
        let look = |rank: usize| {
            let (state, step) = (self.word(rank, STATE).load(ORDERING), self.step(rank, order));
            Seen { state: State::unpack(state), step }
        };
        let first: Vec<Seen> = (0..self.ranks).map(look).collect();
        let is_same = first.iter().enumerate().all(|(rank, seen)| look(rank) == *seen);
        is_same.then_some(first)
    }
}
