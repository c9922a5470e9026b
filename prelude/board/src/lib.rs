//! The memory that the ranks of a session share: what each says of itself, and the elements that it passes on.
//!
//! A session with several workers gives those of a machine a folder that they share. In it lie two files that all of
//! them map. In the *board* each rank writes a block of its own: the order that it works on, what it waits for, and how
//! far it is. In the *staging* it leaves elements for the others, and a [`Mark`] in its block says which. A rank writes
//! nowhere else, so the memory of one machine can be a copy of another's: a [`Mirror`] tells what the ranks of its
//! machine have written, and writes what it is told of the others.
//!
//! What a rank reads on another machine is late, and never in another order than it was written. Whoever waits for
//! numbers that only grow does not see the difference; see [`Board::look`] for what is asked of those who look at all
//! ranks at once.
//!
//! Ranks use it by the functions of `gpurepl-ground`; a session has it for the mirrors alone.
#![warn(missing_docs)]

mod board;
mod mark;
mod mirror;
mod segment;
mod staging;
mod state;

pub use board::{Board, POST, Post, Posted, Seen};
pub use mark::{For, Mark};
pub use mirror::{Mirror, Update, addressee, joined};
pub use staging::{SENDING, Staging, UNITS};
pub use state::{Activity, GivenUp, ORDERS, State, When};

/// The most ranks that a group has.
pub const MOST: usize = 1024;
