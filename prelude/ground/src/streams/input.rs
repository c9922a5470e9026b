//! Standard input of cells: a pipe within this process, into which the
//! session's answers go.
//!
//! A thread looks whether somebody waits for the pipe (`readers`), has the
//! session ask its user, and writes the answer. `input()` asks by itself.

use std::collections::{HashMap, VecDeque};
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::sync::atomic::Ordering;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use gpurepl_wire::Frame;

use super::{channel, descriptors, flush, readers};

/// What a question has come to.
pub enum Answer {
    /// A line, without its end.
    Line(String),
    /// There is no more input.
    Ended,
    /// Nobody is asked: standard input is to be read itself.
    Unasked,
}

#[derive(Default)]
struct State {
    /// The end that answers are written to; none at the end of the input.
    writer: Option<OwnedFd>,
    /// Whether standard input is this pipe.
    is_ours: bool,
    is_running: bool,
    /// When the cell began, or was answered last.
    since: Option<Instant>,
    /// The last question's number, and whether it is still open.
    request: u64,
    is_open: bool,
    /// Whether it was asked by `input()`, which takes the answer itself.
    is_explicit: bool,
    answers: HashMap<u64, Option<String>>,
    /// What is to be written to the pipe.
    pending: VecDeque<u8>,
    was_interrupted: bool,
}

static STATE: Mutex<Option<State>> = Mutex::new(None);
static CHANGED: Condvar = Condvar::new();

fn state() -> MutexGuard<'static, Option<State>> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes standard input a pipe of our own.
pub fn start() {
    let Some(writer) = new_pipe() else { return };
    *state() = Some(State { writer: Some(writer), is_ours: true, ..State::default() });
    drop(std::thread::Builder::new().name("input".to_owned()).spawn(run));
}

/// Makes standard input a new pipe, and returns the end to write to.
fn new_pipe() -> Option<OwnedFd> {
    let mut ends = [-1; 2];
    // SAFETY: the array has room for two.
    if unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) } != 0 {
        return None;
    }
    let [reader, writer] = ends.map(channel::owned);
    let (reader, writer) = (reader.ok()?, writer.ok()?);
    let (reader, writer) =
        (descriptors::high(reader.as_raw_fd()).ok()?, descriptors::high(writer.as_raw_fd()).ok()?);
    // SAFETY: only this end does not wait: nobody else knows of it.
    unsafe { libc::fcntl(writer.as_raw_fd(), libc::F_SETFL, libc::O_NONBLOCK) };
    descriptors::set(0, reader);
    channel::INPUT.store(writer.as_raw_fd(), Ordering::Relaxed);
    Some(writer)
}

/// A cell begins.
pub fn begin() {
    let mut state = state();
    let Some(state) = state.as_mut() else { return };
    if state.is_ours && state.writer.is_none() {
        state.writer = new_pipe();
        flush::reopen_c_input();
    }
    (state.is_running, state.was_interrupted) = (true, false);
    state.since = Some(Instant::now());
    CHANGED.notify_all();
}

/// A cell has ended. What was answered and not read is nobody's. True if the
/// user has interrupted it instead of answering.
pub fn end() -> bool {
    let mut state = state();
    let Some(state) = state.as_mut() else { return false };
    state.is_running = false;
    state.pending.clear();
    state.is_open &= state.is_explicit;
    discard();
    std::mem::take(&mut state.was_interrupted)
}

/// Whether the user has interrupted the cell instead of answering it.
pub fn was_interrupted() -> bool {
    state().as_ref().is_some_and(|state| state.was_interrupted)
}

/// Throws away what the pipe holds.
fn discard() {
    let path = format!("/proc/self/fd/{}", descriptors::kept(0));
    let flags = std::os::unix::fs::OpenOptionsExt::custom_flags;
    // Opened again, so that only this reader does not wait.
    let mut options = std::fs::OpenOptions::new();
    if let Ok(mut pipe) = flags(options.read(true), libc::O_NONBLOCK).open(path) {
        let mut bytes = [0; 4096];
        while matches!(std::io::Read::read(&mut pipe, &mut bytes), Ok(count) if count > 0) {}
    }
}

/// The session has answered.
pub fn answer(request: u64, text: Option<String>, is_interrupted: bool) {
    let mut state = state();
    let Some(state) = state.as_mut() else { return };
    if !state.is_open || state.request != request {
        return;
    }
    state.is_open = false;
    state.was_interrupted |= is_interrupted;
    state.since = Some(Instant::now());
    if state.is_explicit {
        state.answers.insert(request, text);
    } else if let Some(text) = text {
        state.pending.extend(text.bytes());
        state.pending.push_back(b'\n');
    } else {
        // Who reads finds the end of the input, until the next cell.
        channel::INPUT.store(-1, Ordering::Relaxed);
        state.writer = None;
    }
    CHANGED.notify_all();
}

/// Asks the user for a line.
pub fn ask(prompt: &str, is_password: bool) -> Answer {
    if channel::is_copy() {
        return Answer::Ended;
    }
    let mut guard = state();
    if guard.is_none() {
        return Answer::Unasked;
    }
    let mut own = None;
    loop {
        let Some(state) = guard.as_mut() else { return Answer::Unasked };
        match own {
            Some(request) => {
                if let Some(answer) = state.answers.remove(&request) {
                    return answer.map_or(Answer::Ended, Answer::Line);
                }
            }
            None if state.writer.is_none() => return Answer::Ended,
            // One question after the other.
            None if state.is_open => {}
            None => {
                state.request += 1;
                (state.is_open, state.is_explicit) = (true, true);
                let request = state.request;
                own = Some(request);
                drop(guard);
                flush::now();
                let prompt = Some(prompt.to_owned());
                channel::frame(&Frame::Input { request, prompt, is_password });
                guard = self::state();
                continue;
            }
        }
        guard = CHANGED.wait_timeout(guard, INTERRUPT_LOOK).unwrap_or_else(PoisonError::into_inner).0;
        if crate::interrupt::is_pending() {
            if let (Some(state), true) = (guard.as_mut(), own.is_some()) {
                state.is_open = false;
            }
            drop(guard);
            crate::check_interrupt();
            return Answer::Ended;
        }
    }
}

/// How often a wait for an answer looks whether the user has interrupted.
const INTERRUPT_LOOK: Duration = Duration::from_millis(50);

/// How long until the next look at who reads: soon in a young cell, seldom in
/// one that has computed for long.
fn interval(since: Option<Instant>) -> Duration {
    match since.map_or(Duration::ZERO, |since| since.elapsed()) {
        age if age < Duration::from_secs(2) => Duration::from_millis(20),
        age if age < Duration::from_secs(30) => Duration::from_millis(50),
        _ => Duration::from_millis(200),
    }
}

fn run() {
    // Who waited at the last look.
    let mut before: Option<String> = None;
    let mut looks = 0_u32;
    let mut is_known_blind = false;
    loop {
        {
            let mut guard = state();
            loop {
                let Some(state) = guard.as_mut() else { return };
                if !write_pending(state) && state.is_running {
                    let pause = interval(state.since);
                    guard = CHANGED.wait_timeout(guard, pause).unwrap_or_else(PoisonError::into_inner).0;
                    break;
                }
                let pause = Duration::from_millis(if state.pending.is_empty() { 60_000 } else { 5 });
                guard = CHANGED.wait_timeout(guard, pause).unwrap_or_else(PoisonError::into_inner).0;
            }
            let Some(state) = guard.as_mut() else { return };
            if !state.is_running || state.is_open || state.writer.is_none() || !state.pending.is_empty() {
                before = None;
                continue;
            }
        }
        looks = looks.wrapping_add(1);
        // Those besides the thread of the cell less often: they may be many.
        match readers::find(descriptors::kept(0), looks.is_multiple_of(3) || before.is_some()) {
            Ok(found) if found.is_some() && found == before => {
                before = None;
                // The question may be a partial line.
                flush::now();
                request();
            }
            Ok(found) => before = found,
            Err(error) if !is_known_blind => {
                is_known_blind = true;
                super::notice(format!(
                    "/proc does not tell whether a cell waits for input ({error}): standard input is empty; \
                     `input(\"...\")` asks all the same"
                ));
            }
            Err(_) => {
                if let Some(state) = state().as_mut() {
                    state.is_ours = false;
                    descriptors::empty_input();
                }
                return;
            }
        }
    }
}

/// Asks the session for a line, unless something has changed meanwhile.
fn request() {
    let mut guard = state();
    let Some(state) = guard.as_mut() else { return };
    if !state.is_running || state.is_open || state.writer.is_none() {
        return;
    }
    state.request += 1;
    (state.is_open, state.is_explicit) = (true, false);
    let request = state.request;
    drop(guard);
    channel::frame(&Frame::Input { request, prompt: None, is_password: false });
}

/// Writes what fits into the pipe; true if there is more.
fn write_pending(state: &mut State) -> bool {
    let Some(writer) = &state.writer else {
        state.pending.clear();
        return false;
    };
    while !state.pending.is_empty() {
        let (bytes, _) = state.pending.as_slices();
        // SAFETY: the bytes are alive, and the descriptor is open.
        let written = unsafe { libc::write(writer.as_raw_fd(), bytes.as_ptr().cast(), bytes.len()) };
        match usize::try_from(written) {
            Ok(count) if count > 0 => drop(state.pending.drain(..count)),
            _ => return true,
        }
    }
    false
}
