//! The board: a block of words for each rank, which that rank alone writes.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::mark::Mark;
use crate::segment;
use crate::staging::UNITS;
use crate::state::{Activity, State, count_in, counted};

/// Words of a description.
pub const POST: usize = 20;

/// What a rank says of the function that it calls, to be compared with the others'.
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
const MARKS: usize = POSTS + 4 * POST;
const COUNTS: usize = MARKS + UNITS;

/// The places of a block that are read before its others, and written after them: whoever sees a step or a count sees
/// what was written before it.
pub(crate) const LAST: [usize; 2] = [STEP, STATE];
pub(crate) const MARKED: std::ops::Range<usize> = MARKS..COUNTS;

/// The words of all ranks.
#[derive(Clone, Copy, Debug)]
pub struct Board {
    words: &'static [AtomicU64],
    ranks: usize,
}

/// A rank as another one sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seen {
    /// What it says of itself.
    pub state: State,
    /// The steps of all ranks together that it has taken in the order that it is seen from.
    pub step: u64,
    /// If it waits for a peer: whether that one has come as far, so that it goes on once it learns that.
    pub is_met: bool,
}

/// Whose post.
#[derive(Clone, Copy, Debug)]
pub enum Posted {
    /// Of a meeting, by the parity of its number.
    Meeting(usize),
    /// Of a rank that sends.
    Sent,
    /// Of a rank that receives.
    Received,
}

// Everything here is in one total order, which costs little: a step is some microseconds of waiting anyway.
const ORDERING: Ordering = Ordering::SeqCst;

impl Board {
    /// Maps the board of a group, which is made if there is none.
    ///
    /// # Errors
    ///
    /// If there is no memory for it, in words for the user.
    pub fn open(folder: &Path, ranks: usize) -> Result<Board, String> {
        let words = segment::shared(&folder.join("board"), Board::block(ranks) * ranks);
        let words = words.map_err(|error| {
            let folder = folder.display();
            format!("the memory that the ranks share cannot be made in {folder}: {error}; free some there, and start the workers again")
        })?;
        Ok(Board { words, ranks })
    }

    /// Words of a rank.
    pub(crate) fn block(ranks: usize) -> usize {
        (COUNTS + 2 * ranks).next_multiple_of(8)
    }

    pub(crate) fn word(&self, rank: usize, place: usize) -> &'static AtomicU64 {
        assert!(rank < self.ranks && place < Board::block(self.ranks));
        &self.words[rank * Board::block(self.ranks) + place]
    }

    /// How many ranks there are.
    pub fn ranks(&self) -> usize {
        self.ranks
    }

    /// Says what a rank does.
    pub fn set_state(&self, rank: usize, state: State) {
        self.word(rank, STATE).store(state.pack(), ORDERING);
    }

    /// Says that a rank has taken a step. What it has written before, elements among it, is seen by whoever sees this.
    pub fn set_step(&self, rank: usize, order: u64, step: u64) {
        self.word(rank, STEP).store(counted(order, step), ORDERING);
    }

    /// The steps that a rank has taken in an order.
    pub fn step(&self, rank: usize, order: u64) -> u64 {
        count_in(self.word(rank, STEP).load(ORDERING), order)
    }

    /// Whether all ranks have taken a step of an order.
    pub fn have_all(&self, order: u64, step: u64) -> bool {
        (0..self.ranks).all(|rank| self.step(rank, order) >= step)
    }

    /// Says which function a rank calls, by its number, for the messages of others.
    pub fn set_function(&self, rank: usize, number: u64) {
        self.word(rank, FUNCTION).store(number, ORDERING);
    }

    /// The number of the function that a rank has called last.
    pub fn function(&self, rank: usize) -> u64 {
        self.word(rank, FUNCTION).load(ORDERING)
    }

    /// Says what lies in a unit of a rank's; a step or a count then says that it may be read.
    pub fn set_mark(&self, rank: usize, unit: usize, mark: Mark) {
        assert!(unit < UNITS);
        self.word(rank, MARKS + unit).store(mark.pack(), ORDERING);
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
    pub fn set_post(&self, rank: usize, posted: Posted, post: &Post) {
        let first = Board::post_place(posted);
        for (k, word) in post.iter().enumerate() {
            self.word(rank, first + k).store(*word, Ordering::Relaxed);
        }
    }

    /// The description that a rank has written last.
    pub fn post(&self, rank: usize, posted: Posted) -> Post {
        let first = Board::post_place(posted);
        std::array::from_fn(|k| self.word(rank, first + k).load(Ordering::Relaxed))
    }

    /// Says how many steps a rank has taken with a peer that it sends to.
    pub fn set_sent(&self, rank: usize, peer: usize, order: u64, count: u64) {
        self.word(rank, COUNTS + peer).store(counted(order, count), ORDERING);
    }

    /// The steps of a rank with a peer that it sends to.
    pub fn sent(&self, rank: usize, peer: usize, order: u64) -> u64 {
        count_in(self.word(rank, COUNTS + peer).load(ORDERING), order)
    }

    /// Says how many steps a rank has taken with a peer that it receives from.
    pub fn set_received(&self, rank: usize, peer: usize, order: u64, count: u64) {
        self.word(rank, COUNTS + self.ranks + peer).store(counted(order, count), ORDERING);
    }

    /// The steps of a rank with a peer that it receives from.
    pub fn received(&self, rank: usize, peer: usize, order: u64) -> u64 {
        count_in(self.word(rank, COUNTS + self.ranks + peer).load(ORDERING), order)
    }

    /// All ranks at one moment; none if one of them has changed while they were looked at.
    ///
    /// Each state has a version and each step is counted on, so two looks that are equal have a moment between them at
    /// which everything was so.
    ///
    /// That holds for the ranks of this machine. What is seen of another one was so once. A rank is to be taken for one
    /// that goes on if, by the numbers that are seen here, what it waits for has come: it may not have learnt it yet.
    /// Ranks that wait for each other by that have stood still at the moments at which they are seen, and stand still
    /// now: the first one of them to go on after its moment would have needed another one that had gone on before.
    pub fn look(&self, order: u64) -> Option<Vec<Seen>> {
        let look = |rank: usize| {
            let state = State::unpack(self.word(rank, STATE).load(ORDERING));
            let is_met = match state.activity {
                Activity::Sending if state.peer < self.ranks => {
                    self.received(state.peer, rank, order) >= self.sent(rank, state.peer, order)
                }
                Activity::Receiving if state.peer < self.ranks => {
                    self.sent(state.peer, rank, order) >= self.received(rank, state.peer, order)
                }
                _ => false,
            };
            Seen { state, step: self.step(rank, order), is_met }
        };
        let first: Vec<Seen> = (0..self.ranks).map(look).collect();
        let is_same = first.iter().enumerate().all(|(rank, seen)| look(rank) == *seen);
        is_same.then_some(first)
    }
}
