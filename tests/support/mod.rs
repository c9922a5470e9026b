//! What the tests of gpurepl from outside have in common: the program, and
//! conversations with a session.
//!
//! `GPUREPL_BIN` names a program that is built already: on a machine without
//! cargo the tests run with it.
#![warn(missing_docs)]

mod conversation;
mod ending;
mod program;
mod screen;

pub use conversation::{Conversation, Streamed, Timed};
pub use ending::leave;
pub use program::{Finished, checkout, gpurepl, program, run_with_input, target};
pub use screen::Screen;

/// The device of these tests: what `GPUREPL_DEVICE` says, else the host.
pub fn device() -> String {
    std::env::var("GPUREPL_DEVICE").unwrap_or_else(|_| "host".to_owned())
}

/// Whether the device of these tests is the host.
pub fn is_on_host() -> bool {
    device() == "host"
}
