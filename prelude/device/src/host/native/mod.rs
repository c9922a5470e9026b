//! Programs on the host, run instruction by instruction over blocks of elements.
//!
//! A block fits in the first-level cache, so intermediate values never reach
//! memory: for arrays larger than the caches the time is that of reading the
//! inputs and writing the result, as for a loop compiled for the expression.

mod machine;
mod walk;

pub(crate) use gpurepl_native::Folder;
pub(crate) use machine::{BLOCK, Machine, Task};
pub(crate) use walk::scatter;

/// Blocks that one core takes at a time.
pub(crate) const BLOCKS_AT_ONCE: usize = 32;
