//! The thread that evaluates cells, one after the other.
//!
//! | module | what it holds |
//! |---|---|
//! | `evaluator` | the thread: one request after the other |
//! | `startup` | the session's start, which may take a minute and is shown |
//! | `sink` | output of a cell, as messages |
//! | `box_sink` | output of a function that is called again, as the content of a box |
//! | `outlet` | what is printed, in pieces that are worth a message |
//! | `progress` | how far work of the kernel's own has come |
//! | `failure` | how a cell failed, as messages have it |
//! | `styles` | colours of errors |
//! | `system` | lines that a shell of the system runs |

mod box_sink;
mod evaluator;
mod failure;
pub mod outlet;
mod progress;
mod sink;
mod startup;
mod styles;
mod system;

pub use evaluator::run;
pub use sink::Common;
