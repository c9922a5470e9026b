//! Partial lines are seen: what Rust and C hold back is written out every
//! 50 ms while a cell runs, and at its end.
//!
//! Rust's standard output has a lock that can only be waited for, and a cell
//! may keep it in a variable. So a thread of its own waits for it: if it never
//! gets it, nothing else stands still. C's lock can be tried.

use std::io::Write as _;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long a partial line may be held back.
const INTERVAL: Duration = Duration::from_millis(50);

/// How long the end of a cell waits for the lock of standard output.
const PATIENCE: Duration = Duration::from_millis(400);

/// How many partial lines are written out at once before the rest waits for
/// the next interval: a loop that prints a word a million times has to be
/// quick, a question has to be seen.
const AT_ONCE: u32 = 64;

struct State {
    /// How often somebody has asked, and how many of these have been done.
    asked: u64,
    done: u64,
    is_running: bool,
    /// Whether the thread waits for a lock that another thread does not release.
    is_stuck: bool,
    /// Whether the user has been informed.
    is_told: bool,
    has_thread: bool,
}

static STATE: Mutex<State> = Mutex::new(State {
    asked: 0,
    done: 0,
    is_running: false,
    is_stuck: false,
    is_told: false,
    has_thread: false,
});
static CHANGED: Condvar = Condvar::new();

/// Whether a cell runs.
static IS_RUNNING: AtomicBool = AtomicBool::new(false);

/// Partial lines of this interval.
static PARTIAL: AtomicU32 = AtomicU32::new(0);

unsafe extern "C" {
    #[link_name = "stdout"]
    static C_STDOUT: *mut libc::FILE;
    #[link_name = "stdin"]
    static C_STDIN: *mut libc::FILE;
    fn ftrylockfile(file: *mut libc::FILE) -> libc::c_int;
    fn funlockfile(file: *mut libc::FILE);
    fn __fpending(file: *mut libc::FILE) -> libc::size_t;
}

/// What is done in each interval, before output is written.
static EACH_INTERVAL: Mutex<Vec<fn()>> = Mutex::new(Vec::new());

/// Has a function called every 50 ms while a cell runs, and at its end, on a
/// thread that nothing of the cell holds up.
pub fn in_each_interval(call: fn()) {
    EACH_INTERVAL.lock().unwrap_or_else(PoisonError::into_inner).push(call);
}

fn each_interval() {
    let calls = EACH_INTERVAL.lock().unwrap_or_else(PoisonError::into_inner).clone();
    calls.into_iter().for_each(|call| call());
}

fn state() -> MutexGuard<'static, State> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Starts the thread that writes out.
pub fn start() {
    // As at a terminal. SAFETY: nothing has been printed yet, and a null
    // pointer lets C take a buffer of its own.
    unsafe { libc::setvbuf(C_STDOUT, std::ptr::null_mut(), libc::_IOLBF, 1 << 12) };
    let thread = std::thread::Builder::new().name("flush".to_owned()).spawn(run);
    state().has_thread = thread.is_ok();
}

fn run() {
    loop {
        let goal = {
            let mut state = state();
            let start = Instant::now();
            while state.asked == state.done {
                if !state.is_running {
                    state = CHANGED.wait(state).unwrap_or_else(PoisonError::into_inner);
                    continue;
                }
                let Some(left) = INTERVAL.checked_sub(start.elapsed()) else { break };
                state = CHANGED.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
            }
            state.asked
        };
        PARTIAL.store(0, Ordering::Relaxed);
        each_interval();
        flush_c();
        let _ = std::io::stdout().flush();
        let mut state = state();
        state.done = goal;
        state.is_stuck = false;
        CHANGED.notify_all();
    }
}

/// A cell begins.
pub fn begin() {
    PARTIAL.store(0, Ordering::Relaxed);
    IS_RUNNING.store(true, Ordering::Relaxed);
    let mut state = state();
    state.is_running = true;
    CHANGED.notify_all();
}

/// A cell has ended: everything that it has printed is written out. False,
/// once, if somebody holds the lock of standard output.
pub fn end() -> bool {
    let is_done = now();
    IS_RUNNING.store(false, Ordering::Relaxed);
    let mut state = state();
    state.is_running = false;
    is_done | std::mem::replace(&mut state.is_told, !is_done)
}

/// Writes out what Rust and C hold back, unless somebody holds the lock of
/// standard output for long. False if so.
pub fn now() -> bool {
    let mut state = state();
    if !state.has_thread || super::channel::is_copy() {
        drop(state);
        flush_c();
        return std::io::stdout().flush().is_ok();
    }
    state.asked += 1;
    let goal = state.asked;
    CHANGED.notify_all();
    // Whoever has held the lock for long may have let it go just now.
    let end = Instant::now() + if state.is_stuck { PATIENCE / 20 } else { PATIENCE };
    while state.done < goal {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            state.is_stuck = true;
            break;
        }
        state = CHANGED.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
    }
    state.done >= goal
}

/// Whether a cell runs.
pub fn is_running() -> bool {
    IS_RUNNING.load(Ordering::Relaxed)
}

/// Whether a partial line that has just been printed is to be written out by
/// who has printed it; else it will be soon.
pub fn is_at_once() -> bool {
    if PARTIAL.fetch_add(1, Ordering::Relaxed) < AT_ONCE {
        return true;
    }
    if !is_running() {
        let mut state = state();
        state.asked += u64::from(state.asked == state.done);
        CHANGED.notify_all();
    }
    false
}

/// Writes out what C holds back, so that Rust's output comes after it. Not if
/// another thread is in the middle of printing.
pub fn flush_c() {
    // SAFETY: the stream is C's own, which lives as long as the process; it
    // is looked into and written out under its lock.
    unsafe {
        if ftrylockfile(C_STDOUT) == 0 {
            if __fpending(C_STDOUT) > 0 {
                libc::fflush(C_STDOUT);
            }
            funlockfile(C_STDOUT);
        }
    }
}

/// Lets C read on from a standard input that was at its end.
pub fn reopen_c_input() {
    // SAFETY: as above.
    unsafe {
        if ftrylockfile(C_STDIN) == 0 {
            libc::clearerr(C_STDIN);
            funlockfile(C_STDIN);
        }
    }
}
