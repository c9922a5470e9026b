//! Measuring on a GPU: a pair of events around each piece of work.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::Kind;
use crate::error::Result;
use crate::{Context, Event};

/// Work whose events have been recorded and not read.
struct Pending {
    kind: Kind,
    name: String,
    bytes: usize,
    start: Event,
    end: Event,
}

static PENDING: Mutex<Vec<Pending>> = Mutex::new(Vec::new());

/// Pairs that wait at most: then they are read, which waits for the work.
const MOST: usize = 4096;

/// Does something between two events. What cannot be measured is done all the
/// same.
pub(super) fn around<R>(
    context: Context,
    kind: Kind,
    name: &str,
    bytes: usize,
    act: impl FnOnce() -> Result<R>,
) -> Result<R> {
    let pair = Event::marked(context).and_then(|start| Ok((start, Event::unmarked(context)?)));
    let result = act()?;
    if let Ok((start, end)) = pair
        && end.mark().is_ok()
    {
        let mut pending = PENDING.lock().unwrap_or_else(PoisonError::into_inner);
        pending.push(Pending { kind, name: name.to_owned(), bytes, start, end });
        let is_full = pending.len() >= MOST;
        drop(pending);
        if is_full {
            read();
        }
    }
    Ok(result)
}

/// Lets go of what nobody has read.
pub(super) fn forget() {
    drop(take());
}

/// Reads all pairs. Those of work that failed have no time.
pub(super) fn read() {
    for pending in take() {
        let time = pending.end.synchronize().and_then(|end| end.time_since(&pending.start));
        if let Ok(milliseconds) = time {
            let time = Duration::from_secs_f64(f64::from(milliseconds.max(0.0)) / 1e3);
            super::note(pending.kind, &pending.name, pending.bytes, time);
        }
    }
}

fn take() -> Vec<Pending> {
    std::mem::take(&mut *PENDING.lock().unwrap_or_else(PoisonError::into_inner))
}
