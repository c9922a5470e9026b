//! What is printed, in pieces that are worth a message.
//!
//! A message for each line would be slow to read, so what comes within a
//! moment goes out as one. Bytes that are not UTF-8 are replaced; a character
//! that comes in two pieces is not.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use gpurepl_session::Stream;
use jupyter_protocol::{JupyterMessageContent, Stdio, StreamContent};

use crate::channel::iopub::Broadcast;
use crate::message::Origin;

/// How long what is printed waits for more.
const INTERVAL: Duration = Duration::from_millis(25);

/// So many bytes do not wait.
const ENOUGH: usize = 64 << 10;

/// The way out for all that cells print and show.
pub struct Outlet {
    broadcast: Arc<Broadcast>,
    state: Mutex<State>,
    filled: Condvar,
}

#[derive(Default)]
struct State {
    /// Whose cell has printed.
    origin: Option<Arc<Origin>>,
    is_stderr: bool,
    text: String,
    /// The start of a character.
    begun: Vec<u8>,
    since: Option<Instant>,
}

impl Outlet {
    /// A way out, and the thread that empties it.
    pub fn start(broadcast: Arc<Broadcast>) -> Arc<Outlet> {
        let outlet = Arc::new(Outlet { broadcast, state: Mutex::default(), filled: Condvar::new() });
        let shared = Arc::downgrade(&outlet);
        // Without it output comes later, with the next or at the end of the cell.
        let _ = std::thread::Builder::new().name("streams".to_owned()).spawn(move || {
            while let Some(outlet) = shared.upgrade() {
                outlet.empty_soon();
            }
        });
        outlet
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Passes on what waits for long enough, or waits a little for something.
    fn empty_soon(&self) {
        let mut state = self.lock();
        let Some(since) = state.since else {
            let waited = self.filled.wait_timeout(state, Duration::from_secs(1));
            drop(waited.unwrap_or_else(PoisonError::into_inner));
            return;
        };
        match INTERVAL.checked_sub(since.elapsed()) {
            Some(left) if !left.is_zero() => {
                drop(state);
                std::thread::sleep(left);
            }
            _ => self.empty(&mut state),
        }
    }

    fn empty(&self, state: &mut State) {
        state.since = None;
        let text = std::mem::take(&mut state.text);
        if text.is_empty() {
            return;
        }
        let name = if state.is_stderr { Stdio::Stderr } else { Stdio::Stdout };
        self.broadcast.publish_patiently(StreamContent { name, text }, state.origin.as_deref());
    }

    /// What a cell has printed.
    pub fn write(&self, origin: &Arc<Origin>, stream: Stream, bytes: &[u8]) {
        let mut state = self.lock();
        let is_stderr = stream == Stream::Stderr;
        let is_same = state.origin.as_ref().is_some_and(|own| Arc::ptr_eq(own, origin));
        if !is_same || state.is_stderr != is_stderr {
            self.end(&mut state);
            (state.origin, state.is_stderr) = (Some(Arc::clone(origin)), is_stderr);
        }
        let state = &mut *state;
        decode(&mut state.begun, bytes, &mut state.text);
        if state.text.len() >= ENOUGH {
            self.empty(state);
        } else if state.since.is_none() {
            state.since = Some(Instant::now());
            self.filled.notify_all();
        }
    }

    /// Passes on all that waits, half a character among it.
    fn end(&self, state: &mut State) {
        if !std::mem::take(&mut state.begun).is_empty() {
            state.text.push(char::REPLACEMENT_CHARACTER);
        }
        self.empty(state);
    }

    /// Passes on all that waits.
    pub fn flush(&self) {
        self.end(&mut self.lock());
    }

    /// Passes on all that waits but this end of it; false if that is not what
    /// it ends with.
    pub fn flush_without(&self, tail: &str) -> bool {
        let mut state = self.lock();
        let is_there = !tail.is_empty() && !state.is_stderr && state.text.ends_with(tail);
        if is_there {
            let length = state.text.len() - tail.len();
            state.text.truncate(length);
        }
        self.end(&mut state);
        is_there
    }

    /// Shows something, after what was printed before it.
    pub fn publish(&self, content: impl Into<JupyterMessageContent>, origin: &Origin) {
        let mut state = self.lock();
        self.end(&mut state);
        self.broadcast.publish_patiently(content, Some(origin));
    }
}

/// Adds bytes to a text. The start of a character stays behind.
fn decode(begun: &mut Vec<u8>, bytes: &[u8], text: &mut String) {
    let joined;
    let bytes = if begun.is_empty() {
        bytes
    } else {
        begun.extend_from_slice(bytes);
        joined = std::mem::take(begun);
        &joined
    };
    let mut chunks = bytes.utf8_chunks().peekable();
    while let Some(chunk) = chunks.next() {
        text.push_str(chunk.valid());
        let invalid = chunk.invalid();
        let is_begun = std::str::from_utf8(invalid).is_err_and(|error| error.error_len().is_none());
        if chunks.peek().is_none() && is_begun {
            *begun = invalid.to_vec();
        } else if !invalid.is_empty() {
            text.push(char::REPLACEMENT_CHARACTER);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn bytes_that_are_no_text_are_replaced() {
        let (mut begun, mut text) = (Vec::new(), String::new());
        decode(&mut begun, b"a\xffb \xc3", &mut text);
        assert_eq!((text.as_str(), begun.as_slice()), ("a\u{fffd}b ", b"\xc3".as_slice()));
        decode(&mut begun, b"\xa9 50%\r", &mut text);
        assert_eq!((text.as_str(), begun.as_slice()), ("a\u{fffd}b é 50%\r", b"".as_slice()));
        decode(&mut begun, b"\xe2\x82", &mut text);
        decode(&mut begun, b"x", &mut text);
        assert_eq!(text, "a\u{fffd}b é 50%\r\u{fffd}x");
    }

    proptest! {
        #[test]
        fn pieces_make_the_same_text(expected in "\\PC{0,40}", size in 1usize..5) {
            let (mut begun, mut text) = (Vec::new(), String::new());
            for piece in expected.as_bytes().chunks(size) {
                decode(&mut begun, piece, &mut text);
            }
            prop_assert!(begun.is_empty());
            prop_assert_eq!(text, expected);
        }
    }
}
