//! What devices are had to do: counted always, measured where it is asked for.
//!
//! Everything that a cell has a device do passes through [`work`]: launches,
//! and copies by way of the methods of `Context` in `traffic`. Counting is two
//! relaxed additions. Measuring is off but for cells that ask for it
//! (`%time`, `:profile`): on the host device it reads a clock twice, since
//! calls there have done their work when they return; on a GPU it records two
//! events on the stream of the work, and reads them when the cell has ended.

mod events;
mod kernels;
mod traffic;

pub use kernels::{Compilation, Launchable, Record, compiling, reports as kernel_reports};

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use gpurepl_wire::{Activity, Work};

use crate::error::Result;
use crate::{self as device, Context, DeviceKind};

/// What kind of work it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Kernel,
    ToDevice,
    FromDevice,
    WithinDevice,
}

static LAUNCHES: AtomicU64 = AtomicU64::new(0);
static BYTES_TO_DEVICE: AtomicU64 = AtomicU64::new(0);
static BYTES_FROM_DEVICE: AtomicU64 = AtomicU64::new(0);
static BYTES_WITHIN_DEVICE: AtomicU64 = AtomicU64::new(0);

/// Whether work is measured.
static IS_TIMED: AtomicBool = AtomicBool::new(false);

/// What was measured since it was last begun, in the order of first calls.
static MEASURED: Mutex<Vec<Work>> = Mutex::new(Vec::new());

/// Has a device do something that is counted when it has been asked for. What
/// a graph records is not work yet.
#[inline]
pub fn work<R>(
    context: Context,
    kind: Kind,
    name: &str,
    bytes: usize,
    act: impl FnOnce() -> Result<R>,
) -> Result<R> {
    if IS_TIMED.load(Ordering::Relaxed) {
        return timed(context, kind, name, bytes, act);
    }
    let result = act()?;
    count(kind, bytes);
    Ok(result)
}

#[inline]
fn count(kind: Kind, bytes: usize) {
    let (counter, number) = match kind {
        Kind::Kernel => (&LAUNCHES, 1),
        Kind::ToDevice => (&BYTES_TO_DEVICE, bytes as u64),
        Kind::FromDevice => (&BYTES_FROM_DEVICE, bytes as u64),
        Kind::WithinDevice => (&BYTES_WITHIN_DEVICE, bytes as u64),
    };
    counter.fetch_add(number, Ordering::Relaxed);
}

#[cold]
fn timed<R>(
    context: Context,
    kind: Kind,
    name: &str,
    bytes: usize,
    act: impl FnOnce() -> Result<R>,
) -> Result<R> {
    if device::capture_id() != 0 {
        return act();
    }
    let name = without_article(name);
    let result = match context.device().kind() {
        DeviceKind::Host => {
            let start = Instant::now();
            let result = act()?;
            note(kind, name, bytes, start.elapsed());
            result
        }
        DeviceKind::Cuda => events::around(context, kind, name, bytes, act)?,
    };
    count(kind, bytes);
    Ok(result)
}

/// How a list names what messages call "an array expression".
fn without_article(name: &str) -> &str {
    ["a ", "an ", "the "].into_iter().find_map(|article| name.strip_prefix(article)).unwrap_or(name)
}

/// Adds one measured call.
fn note(kind: Kind, name: &str, bytes: usize, time: Duration) {
    let (is_transfer, time) = (kind != Kind::Kernel, u64::try_from(time.as_nanos()).unwrap_or(u64::MAX));
    let mut measured = MEASURED.lock().unwrap_or_else(PoisonError::into_inner);
    let same = |work: &&mut Work| work.is_transfer == is_transfer && work.name == name;
    match measured.iter_mut().find(same) {
        Some(work) => {
            work.calls += 1;
            work.bytes += bytes as u64;
            work.total = work.total.saturating_add(time);
            (work.min, work.max) = (work.min.min(time), work.max.max(time));
        }
        None => measured.push(Work {
            name: name.to_owned(),
            is_transfer,
            calls: 1,
            bytes: bytes as u64,
            total: time,
            min: time,
            max: time,
        }),
    }
}

/// The counters at some moment.
#[doc(hidden)]
pub struct Mark {
    counts: [u64; 4],
    memory: Option<u64>,
    is_timed: bool,
}

/// Begins to watch: [`Mark::end`] returns what is measured from now on.
pub fn begin(is_timed: bool) -> Mark {
    MEASURED.lock().unwrap_or_else(PoisonError::into_inner).clear();
    events::forget();
    IS_TIMED.store(is_timed, Ordering::Relaxed);
    Mark { counts: counts(), memory: memory(), is_timed }
}

impl Mark {
    /// What was done since. All work has been waited for.
    pub fn end(self) -> Activity {
        IS_TIMED.store(false, Ordering::Relaxed);
        events::read();
        let now = counts();
        let since = |k: usize| now[k].saturating_sub(self.counts[k]);
        Activity {
            launches: since(0),
            bytes_to_device: since(1),
            bytes_from_device: since(2),
            bytes_within_device: since(3),
            // A device that the cell itself has chosen had nothing before.
            memory: memory().map(|after| (self.memory.unwrap_or(0), after)),
            times: self
                .is_timed
                .then(|| std::mem::take(&mut *MEASURED.lock().unwrap_or_else(PoisonError::into_inner))),
        }
    }
}

/// Does something that is measured, and returns what that has had devices do.
/// A measurement around it continues afterwards.
pub fn measured<R>(act: impl FnOnce() -> R) -> (R, Activity) {
    let was_timed = IS_TIMED.load(Ordering::Relaxed);
    events::read();
    let before = std::mem::take(&mut *MEASURED.lock().unwrap_or_else(PoisonError::into_inner));
    let mark = begin(true);
    let result = act();
    let activity = mark.end();
    *MEASURED.lock().unwrap_or_else(PoisonError::into_inner) = before;
    IS_TIMED.store(was_timed, Ordering::Relaxed);
    (result, activity)
}

fn counts() -> [u64; 4] {
    [&LAUNCHES, &BYTES_TO_DEVICE, &BYTES_FROM_DEVICE, &BYTES_WITHIN_DEVICE]
        .map(|counter| counter.load(Ordering::Relaxed))
}

/// Bytes in use on the current device, if one has been chosen.
fn memory() -> Option<u64> {
    device::in_use().map(|context| context.backend().pool().figures().active_bytes)
}
