//! The process that runs cells, seen from inside.
//!
//! A session starts its own binary as a worker; that binary loads this
//! library and calls [`gpurepl_serve`] with its end of the side channel. From
//! then on commands come in and frames go out there, while file descriptors 1
//! and 2 are the user's.

mod load;
mod signals;

pub(crate) use signals::last_words;

use std::fs::File;
use std::io::Write as _;
use std::os::fd::{AsRawFd as _, FromRawFd as _, OwnedFd};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use gpurepl_wire::{Command, Display, Done, Failure, FailureKind, Frame, MimeBundle, receive, send};

use crate::{array, cell, device, interrupt, nvtx};

/// The way out to the session; none in a program of its own.
static CHANNEL: Mutex<Option<File>> = Mutex::new(None);

/// Cells run on a stack as large as this: variables are moved there whole,
/// arrays by value among them.
const STACK: usize = 64 << 20;

/// Sends a frame to the session. False if there is none.
fn frame(frame: &Frame) -> bool {
    let mut channel = CHANNEL.lock().unwrap_or_else(PoisonError::into_inner);
    match channel.as_mut() {
        // A session that has gone needs no answer; the worker ends by itself.
        Some(channel) => {
            let _ = send(channel, frame);
            true
        }
        None => false,
    }
}

/// The folder of the session's own files, which it removes when it ends; none
/// in a program of its own, and before the first cell.
pub(crate) fn folder() -> Option<std::path::PathBuf> {
    FOLDER.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

static FOLDER: Mutex<Option<std::path::PathBuf>> = Mutex::new(None);

/// Tells the session something that is no output. In a program of its own
/// there is nobody to tell.
pub(crate) fn notice(text: String) {
    frame(&Frame::Notice { text });
}

/// Tells the session which device has been chosen, and why.
pub(crate) fn device_chosen(id: &str, name: &str, rule: &str) {
    let (id, name, rule) = (id.to_owned(), name.to_owned(), rule.to_owned());
    frame(&Frame::DeviceChosen { id, name, rule });
}

/// Shows a value; a program of its own prints it.
pub(crate) fn show(bundle: MimeBundle, is_result: bool) {
    // What has been printed so far comes first.
    let _ = std::io::stdout().flush();
    let text = bundle.get("text/plain").map(str::to_owned);
    if !frame(&Frame::Display(Display { is_result, bundle }))
        && let Some(text) = text
    {
        println!("{text}");
    }
}

/// Runs the worker: answers commands until the session closes its end.
/// Returns the exit status.
///
/// # Safety
///
/// `channel` is an open file descriptor of a stream socket that nothing else
/// in this process uses or closes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gpurepl_serve(channel: i32) -> i32 {
    // SAFETY: the caller's promise.
    let channel = File::from(unsafe { OwnedFd::from_raw_fd(channel) });
    // What a cell starts would keep the channel open after this process.
    // SAFETY: the descriptor is open; the call touches no memory.
    unsafe { libc::fcntl(channel.as_raw_fd(), libc::F_SETFD, libc::FD_CLOEXEC) };
    let Ok(outgoing) = channel.try_clone() else { return 3 };
    *CHANNEL.lock().unwrap_or_else(PoisonError::into_inner) = Some(outgoing);
    signals::handle();
    watch(&channel);
    // The device gets ready while the first cell compiles.
    let early = std::thread::Builder::new().name("device".to_owned()).spawn(|| {
        if let Err(error) = device::current() {
            frame(&Frame::NoDevice { problem: error.to_string() });
        }
    });
    drop(early);
    let cells = std::thread::Builder::new().name("cell".to_owned()).stack_size(STACK);
    match cells.spawn(move || serve(channel)).map(std::thread::JoinHandle::join) {
        Ok(Ok(status)) => status,
        _ => 3,
    }
}

/// The cell thread: one command after the other.
fn serve(mut channel: File) -> i32 {
    cell::install_panic_hook();
    signals::watch_stack();
    frame(&Frame::Ready);
    loop {
        match receive::<Command>(&mut channel) {
            Ok(Some(Command::Run { cell, title, library, function, fingerprints, lines })) => {
                interrupt::clear();
                *FOLDER.lock().unwrap_or_else(PoisonError::into_inner) = library.parent().map(Into::into);
                cell::note_lines(lines);
                cell::set_fingerprints(fingerprints);
                drop(cell::take_put());
                let start = Instant::now();
                let range = nvtx::range(&title);
                let failure = run(&library, &function);
                drop(range);
                let nanoseconds = u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX);
                let (variables, put) = (cell::names(), cell::take_put());
                frame(&Frame::Done(Done { cell, failure, variables, put, nanoseconds }));
            }
            Ok(Some(Command::Load { library, function })) => {
                let problem = load::dependencies(&library, function.as_deref()).err();
                frame(&Frame::Loaded { problem });
            }
            Ok(Some(Command::Forget { names })) => {
                let problems = cell::forget(&names);
                flush();
                frame(&Frame::Forgotten { problems });
            }
            Ok(Some(Command::Devices)) => {
                frame(&Frame::Devices(device::reports()));
            }
            Ok(Some(Command::Cache { clear })) => {
                frame(&Frame::Cache(if clear { device::cache::clear() } else { device::cache::report() }));
            }
            // The session has closed its end, or is one of another version.
            Ok(Some(Command::End) | None) | Err(_) => return 0,
        }
    }
}

/// Runs a compiled cell to its very end: expressions evaluated, the device
/// idle, everything printed written out.
fn run(library: &std::path::Path, function: &str) -> Option<Failure> {
    let entry = match load::cell(library, function) {
        Ok(entry) => entry,
        Err(message) => return Some(Failure { kind: FailureKind::NotRun, message, location: None }),
    };
    // What a cell before this one left, if anything, is not this one's.
    drop(cell::take_failure());
    entry();
    let failure = cell::take_failure();
    // After an interrupt the expressions that are left may still be wanted.
    interrupt::clear();
    if failure.as_ref().is_none_or(|failure| failure.kind != FailureKind::DeviceLost) {
        let settled = array::settle().and_then(|()| match device::in_use() {
            Some(device) => device.synchronize(),
            None => Ok(()),
        });
        if let Err(error) = settled {
            cell::fail_with(&error);
        }
    }
    flush();
    let after = cell::take_failure();
    // A lost device is the news, whatever else went wrong: the session has to
    // start another process.
    let is_lost = |failure: &Failure| failure.kind == FailureKind::DeviceLost;
    if after.as_ref().is_some_and(is_lost) { after } else { failure.or(after) }
}

/// Writes out what Rust and C hold back.
fn flush() {
    let _ = std::io::stdout().flush();
    let _ = std::io::stderr().flush();
    // SAFETY: a null pointer means every open stream of C.
    unsafe { libc::fflush(std::ptr::null_mut()) };
}

/// Ends the process when the session has gone, also while a cell runs.
fn watch(channel: &File) {
    let descriptor = channel.as_raw_fd();
    let watcher = std::thread::Builder::new().name("watch".to_owned()).spawn(move || {
        loop {
            let mut poll = libc::pollfd { fd: descriptor, events: libc::POLLRDHUP, revents: 0 };
            // SAFETY: one valid structure; the descriptor stays open as long
            // as the process, whose way out is a copy of it.
            let ready = unsafe { libc::poll(&raw mut poll, 1, -1) };
            if ready > 0 && poll.revents & (libc::POLLRDHUP | libc::POLLHUP | libc::POLLERR) != 0 {
                // Destructors of the user's variables do not run: the cell
                // thread may be using them.
                // SAFETY: ends the process, and has no preconditions.
                unsafe { libc::_exit(0) };
            }
        }
    });
    drop(watcher);
}
