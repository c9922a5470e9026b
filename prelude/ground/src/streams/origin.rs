//! Which cell a thread belongs to: the one that ran, or had run last, when the
//! thread was started.
//!
//! The kernel knows when a thread was started, so nothing has to be noted
//! while threads come and go, whoever starts them. It counts in hundredths of
//! a second; between two cells there is a compiler's run.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// When each cell was started, in ticks since the system was, and its number.
static STARTS: Mutex<Vec<(u64, u64)>> = Mutex::new(Vec::new());

/// The cell that runs or has run last; none if zero.
static CURRENT: AtomicU64 = AtomicU64::new(0);

/// The thread that runs cells, and what no cell has started: what they print
/// is the current cell's.
const EVERY: u64 = u64::MAX;

const UNKNOWN: u64 = 0;

/// In the place of the current cell, where there is none.
const BETWEEN: u64 = u64::MAX - 2;

thread_local! {
    static ORIGIN: Cell<u64> = const { Cell::new(UNKNOWN) };
}

/// This thread runs cells.
pub fn this_runs_cells() {
    ORIGIN.set(EVERY);
}

/// Whether this thread runs cells.
pub fn is_cell_thread() -> bool {
    ORIGIN.try_with(Cell::get) == Ok(EVERY)
}

/// A cell begins.
pub fn begin(cell: u64) {
    let mut starts = STARTS.lock().unwrap_or_else(PoisonError::into_inner);
    starts.push((now(), cell));
    CURRENT.store(cell, Ordering::Relaxed);
}

/// No cell is the current one: what a thread prints is that of the cell that
/// has started it.
pub fn end() {
    if CURRENT.load(Ordering::Relaxed) != 0 {
        CURRENT.store(BETWEEN, Ordering::Relaxed);
    }
}

/// The cell that has started this thread, also if it is the current one; none
/// for the thread that runs cells and for threads that no cell has started.
pub fn cell() -> Option<u64> {
    let current = CURRENT.load(Ordering::Relaxed);
    let cell = ORIGIN.try_with(|origin| {
        if origin.get() == UNKNOWN && current != 0 {
            let started = started();
            let starts = STARTS.lock().unwrap_or_else(PoisonError::into_inner);
            origin.set(started.and_then(|tick| cell_at(&starts, tick)).unwrap_or(EVERY - 1));
        }
        origin.get()
    });
    cell.ok().filter(|cell| *cell < EVERY - 1 && *cell != UNKNOWN)
}

/// The cell that this thread belongs to, if that is an earlier one.
pub fn earlier_cell() -> Option<u64> {
    cell().filter(|cell| *cell != CURRENT.load(Ordering::Relaxed))
}

/// The last cell that was started before the end of a tick.
fn cell_at(starts: &[(u64, u64)], tick: u64) -> Option<u64> {
    let after = starts.partition_point(|(start, _)| *start <= tick);
    Some(starts.get(after.checked_sub(1)?)?.1)
}

/// Now, in the kernel's ticks.
fn now() -> u64 {
    // SAFETY: writes one structure; `sysconf` has no preconditions.
    let (time, ticks) = unsafe {
        let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        libc::clock_gettime(libc::CLOCK_BOOTTIME, &raw mut time);
        (time, libc::sysconf(libc::_SC_CLK_TCK))
    };
    let ticks = u64::try_from(ticks).ok().filter(|ticks| *ticks > 0).unwrap_or(100);
    time.tv_sec as u64 * ticks + time.tv_nsec as u64 / (1_000_000_000 / ticks)
}

/// When this thread was started.
fn started() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/thread-self/stat").ok()?;
    // The name, in parentheses, may be anything.
    let (_, rest) = text.rsplit_once(") ")?;
    rest.split(' ').nth(19)?.parse().ok().filter(|tick| *tick > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_belongs_to_the_cell_that_ran_when_it_started() {
        let starts = [(100, 1), (150, 2), (150, 3), (900, 7)];
        let cells: Vec<Option<u64>> =
            [99, 100, 149, 150, 899, 900, 5000].into_iter().map(|tick| cell_at(&starts, tick)).collect();
        assert_eq!(cells, [None, Some(1), Some(1), Some(3), Some(3), Some(7), Some(7)]);
    }

    #[test]
    fn the_kernels_clock_is_this_one() {
        let before = now();
        let started = std::thread::spawn(started).join().unwrap();
        assert!((before..=now()).contains(&started.unwrap()), "{started:?}");
    }
}
