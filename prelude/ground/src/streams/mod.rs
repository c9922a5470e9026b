//! The standard streams of cells, and the channel to the session.
//!
//! File descriptors 0, 1 and 2 are the user's: what cells print is seen at
//! once and in order, and what they read is asked for. Frames for the session
//! travel on a socket of their own, so nothing printed is taken for one.
//!
//! A program of its own has no session: its streams are what they are, and
//! frames go nowhere.

pub mod channel;
pub mod descriptors;
pub mod flush;
mod folder;
pub mod input;
pub mod origin;
pub mod panics;
pub mod plugins;
pub mod print;
pub mod readers;
pub mod signals;
mod terminal;

pub use folder::{note_folder, temporary_folder};
pub use input::{Answer, ask};
pub use terminal::Hidden;

use gpurepl_wire::Frame;

/// Sends the session a note that is not output. In a program of its own
/// nobody sees it.
pub fn notice(text: String) {
    channel::frame(&Frame::Notice { text });
}
