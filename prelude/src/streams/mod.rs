//! The standard streams of cells, and the channel to the session.
//!
//! File descriptors 0, 1 and 2 are the user's: what cells print is seen at
//! once and in order, and what they read is asked for. Frames for the session
//! travel on a socket of their own, so nothing printed is taken for one.
//!
//! A program of its own has no session: its streams are what they are, and
//! frames go nowhere.

pub(crate) mod channel;
pub(crate) mod descriptors;
pub(crate) mod flush;
mod folder;
pub(crate) mod input;
pub(crate) mod origin;
pub(crate) mod panics;
pub(crate) mod print;
pub(crate) mod readers;
pub(crate) mod signals;
mod terminal;

pub(crate) use folder::{note_folder, temporary_folder};
pub(crate) use input::{Answer, ask};
pub(crate) use terminal::Hidden;

use gpurepl_wire::Frame;

/// Sends the session a note that is not output. In a program of its own
/// nobody sees it.
pub(crate) fn notice(text: String) {
    channel::frame(&Frame::Notice { text });
}
