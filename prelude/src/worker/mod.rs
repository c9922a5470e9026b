//! The process that runs cells, seen from inside.
//!
//! A session starts its own binary as a worker; that binary loads this
//! library and calls [`gpurepl_serve`] with its end of the side channel. From
//! then on commands come in and frames go out there, while file descriptors 1
//! and 2 are the user's.

mod answers;
mod calls;
mod channel;
mod descriptors;
mod flush;
mod input;
mod load;
mod origin;
mod print;
mod readers;
mod signals;
mod terminal;

pub use print::{eprint, eprintln, print, println};

pub(crate) use calls::in_cells;
pub(crate) use input::{Answer, ask};
pub(crate) use signals::last_words;
pub(crate) use terminal::Hidden;

use std::fs::File;
use std::os::fd::{FromRawFd as _, OwnedFd};
use std::os::unix::fs::FileTypeExt as _;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel as queue};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use gpurepl_wire::{Command, Display, Done, Failure, FailureKind, Frame, MimeBundle, receive};

use crate::{activity, array, cell, device, display, interrupt, nvtx, random};
use channel::frame;

/// Cells run on a stack as large as this: variables are moved there whole,
/// arrays by value among them.
const STACK: usize = 64 << 20;

/// The folder of the session's own files, which it removes when it ends; none
/// in a program of its own, and before the first cell.
fn folder() -> Option<std::path::PathBuf> {
    FOLDER.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

static FOLDER: Mutex<Option<std::path::PathBuf>> = Mutex::new(None);

/// A new folder that only this user can enter: in the session's, which is
/// removed also if this process is killed; in a program of its own among
/// temporary files.
pub(crate) fn temporary_folder(prefix: &str) -> std::io::Result<tempfile::TempDir> {
    use std::os::unix::fs::PermissionsExt as _;
    let mut builder = tempfile::Builder::new();
    let builder = builder.permissions(std::fs::Permissions::from_mode(0o700));
    match folder() {
        Some(session) => builder.prefix(prefix).tempdir_in(session),
        None => builder.prefix(&format!("gpurepl-{prefix}")).tempdir(),
    }
}

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
    show_as(bundle, is_result, None, false);
}

/// A number for a display that can be updated: no other one has it, in this
/// worker or in those before and after it.
pub(crate) fn display_id() -> u64 {
    static LAST: AtomicU32 = AtomicU32::new(0);
    u64::from(std::process::id()) << 32 | u64::from(LAST.fetch_add(1, Ordering::Relaxed))
}

/// Shows a value by a number, or anew by the number that it has.
pub(crate) fn show_as(bundle: MimeBundle, is_result: bool, id: Option<u64>, is_update: bool) {
    // The cell has found the end of its input, and gone on to a value that
    // whoever has interrupted it does not want.
    if is_result && input::was_interrupted() {
        // Nor is it kept.
        cell::results::begin(None);
        return;
    }
    // What has been printed so far comes first.
    flush::now();
    let text = bundle.get("text/plain").map(str::to_owned);
    let cell = origin::cell();
    if frame(&Frame::Display(Display { is_result, bundle, id, is_update, cell })) {
        // What is printed from now on comes after it.
        channel::wait_until_taken();
    } else if let Some(text) = text {
        println!("{text}");
    }
}

/// Shows how far work has come, whoever holds the lock of standard output.
/// False if there is nobody to see it.
pub(crate) fn show_progress(bundle: MimeBundle, id: u64, is_update: bool) -> bool {
    if !channel::is_open() {
        return false;
    }
    // A bar stands between what was printed before it and after it.
    let is_first = !is_update && origin::is_cell_thread();
    if is_first {
        flush::now();
    }
    let cell = origin::cell();
    let is_sent = frame(&Frame::Display(Display { is_result: false, bundle, id: Some(id), is_update, cell }));
    if is_first && is_sent {
        channel::wait_until_taken();
    }
    is_sent
}

/// Has the session remove what the cell has shown and printed so far.
pub(crate) fn clear_output(wait: bool) {
    flush::now();
    if frame(&Frame::ClearOutput { wait, cell: origin::cell() }) {
        channel::wait_until_taken();
    }
}

/// Runs the worker: answers commands until the session closes its end.
/// Returns the exit status. `asks` says whether the session answers for
/// standard input, else it is the user's own.
///
/// # Safety
///
/// `channel` is an open file descriptor of a stream socket that nothing else
/// in this process uses or closes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gpurepl_serve(channel: i32, asks: bool) -> i32 {
    // SAFETY: the caller's promise.
    let channel = unsafe { OwnedFd::from_raw_fd(channel) };
    let Ok(channel) = channel::open(channel) else { return 3 };
    descriptors::keep();
    signals::handle();
    flush::start();
    if asks {
        input::start();
    }
    let (sender, orders) = queue();
    let listener = std::thread::Builder::new().name("orders".to_owned());
    if listener.spawn(move || listen(channel, &sender)).is_err() {
        return 3;
    }
    // The device gets ready while the first cell compiles.
    let early = std::thread::Builder::new().name("device".to_owned()).spawn(|| {
        if let Err(error) = device::current() {
            frame(&Frame::NoDevice { problem: error.to_string() });
        }
    });
    drop(early);
    let cells = std::thread::Builder::new().name("cell".to_owned()).stack_size(STACK);
    match cells.spawn(move || serve(orders)).map(std::thread::JoinHandle::join) {
        Ok(Ok(status)) => status,
        _ => 3,
    }
}

/// Receives commands, also while a cell runs: answers to its questions are
/// among them. Ends the process when the session has gone.
fn listen(mut channel: File, orders: &Sender<Command>) {
    loop {
        match receive::<Command>(&mut channel) {
            Ok(Some(Command::Input { request, text, is_interrupted })) => {
                input::answer(request, text, is_interrupted);
            }
            Ok(Some(command)) => {
                if orders.send(command).is_err() {
                    return;
                }
            }
            // A cell has closed the descriptor, or read from it.
            Err(error) if error.kind() != std::io::ErrorKind::ConnectionReset => channel::lost(),
            // It has put another file in its place, which is at its end.
            Ok(None) if !is_socket(&channel) => channel::lost(),
            // The session has closed its end. Destructors of the user's
            // variables do not run: the cell thread may be using them.
            // SAFETY: ends the process, and has no preconditions.
            Ok(None) | Err(_) => unsafe { libc::_exit(0) },
        }
    }
}

/// Whether a file is a socket, as the channel is.
fn is_socket(file: &File) -> bool {
    file.metadata().is_ok_and(|metadata| metadata.file_type().is_socket())
}

/// The cell thread: one command after the other.
fn serve(orders: Receiver<Command>) -> i32 {
    cell::install_panic_hook();
    signals::watch_stack();
    origin::this_runs_cells();
    readers::this_runs_cells();
    frame(&Frame::Ready);
    // Orders are counted on both sides: an interrupt says which one it is for.
    for number in 1.. {
        let Ok(command) = orders.recv() else { break };
        interrupt::begin(number);
        match command {
            Command::Run {
                cell,
                title,
                library,
                function,
                fingerprints,
                lines,
                keeps_result,
                is_timed,
                is_rich,
                random,
            } => {
                note_folder(&library);
                if let Some(random) = random {
                    random::set_state(random);
                }
                let random = random::state();
                cell::note_lines(lines);
                cell::set_fingerprints(fingerprints);
                drop(cell::take_put());
                cell::results::begin(keeps_result.then_some(cell));
                display::set_rich(is_rich);
                let mark = activity::begin(is_timed);
                let start = Instant::now();
                let range = nvtx::range(&title);
                begin(cell);
                let failure = run(&library, &function);
                let failure = end(failure);
                drop(range);
                let nanoseconds = u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX);
                // Before what the cell has moved out of is let go.
                let activity = mark.end();
                let (variables, put) = (cell::names(), cell::take_put());
                let (result, dropped_results) = cell::results::finish();
                let done = Done {
                    cell,
                    failure,
                    variables,
                    put,
                    result,
                    dropped_results,
                    nanoseconds,
                    random,
                    activity,
                };
                frame(&Frame::Done(done));
            }
            Command::Load { library, function } => {
                note_folder(&library);
                let problem = load::cell(&library, &function).err();
                frame(&Frame::Loaded { problem });
            }
            Command::LoadDependencies { library, function } => {
                let problem = load::dependencies(&library, function.as_deref()).err();
                frame(&Frame::Loaded { problem });
            }
            Command::Forget { names } => {
                let problems = cell::forget(&names);
                flush::now();
                frame(&Frame::Forgotten { problems });
            }
            Command::Abandon { names } => {
                cell::abandon(&names);
                frame(&Frame::Forgotten { problems: Vec::new() });
            }
            Command::Held => {
                frame(&Frame::Held { variables: cell::held(), results: cell::results::held() });
            }
            Command::Devices => {
                frame(&Frame::Devices(device::reports()));
            }
            Command::Cache { clear } => {
                frame(&Frame::Cache(if clear { device::cache::clear() } else { device::cache::report() }));
            }
            Command::Ask(question) => {
                frame(&Frame::Answer(answers::answer(question)));
            }
            Command::Input { .. } => {}
            Command::End => break,
        }
    }
    0
}

/// Notes the folder that the session's compiled cells lie in.
fn note_folder(library: &Path) {
    *FOLDER.lock().unwrap_or_else(PoisonError::into_inner) = library.parent().map(Into::into);
}

/// Runs a compiled cell to its very end: expressions evaluated, the device
/// idle, everything printed written out.
fn run(library: &Path, function: &str) -> Option<Failure> {
    let entry = match load::cell(library, function) {
        Ok(entry) => entry,
        Err(message) => return Some(Failure::new(FailureKind::NotRun, message)),
    };
    // What a cell before this one left, if anything, is not this one's.
    drop(cell::take_failure());
    entry();
    if channel::is_copy() {
        channel::end_copy();
    }
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
    let after = cell::take_failure();
    // A lost device is the news, whatever else went wrong: the session has to
    // start another process.
    let is_lost = |failure: &Failure| failure.kind == FailureKind::DeviceLost;
    if after.as_ref().is_some_and(is_lost) { after } else { failure.or(after) }
}

/// Gets the streams ready for a cell.
fn begin(cell: u64) {
    descriptors::repair();
    origin::begin(cell);
    flush::begin();
    input::begin();
}

/// Ends the streams of a cell: everything printed is written out, and standard
/// streams are what they were.
fn end(failure: Option<Failure>) -> Option<Failure> {
    if !flush::end() {
        notice(
            "the lock of standard output is held by a variable or by a thread of a cell: partial lines \
             are seen when it is let go"
                .to_owned(),
        );
    }
    // What the cell's threads print from now on names it, whether the next
    // cell compiles already or nobody has typed one.
    origin::end();
    let repaired = descriptors::repair();
    if !repaired.is_empty() {
        notice(format!(
            "the cell has closed or redirected {}; the next cell has what it was before",
            repaired.join(" and ")
        ));
    }
    let is_lost = failure.as_ref().is_some_and(|failure| failure.kind == FailureKind::DeviceLost);
    if input::end() && !is_lost {
        let message = "interrupted".to_owned();
        return Some(Failure::new(FailureKind::Interrupted, message));
    }
    failure
}
