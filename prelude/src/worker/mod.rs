//! The process that runs cells, seen from inside.
//!
//! A session starts its own binary as a worker; that binary loads this
//! library and calls [`gpurepl_serve`] with its end of the side channel. From
//! then on commands come in and frames go out there, while file descriptors 1
//! and 2 are the user's.

mod answers;
mod load;

use std::fs::File;
use std::os::fd::{FromRawFd as _, OwnedFd};
use std::os::unix::fs::FileTypeExt as _;
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel as queue};
use std::time::Instant;

use gpurepl_wire::{Command, Done, Failure, FailureKind, Frame, Setting, receive};

use gpurepl_arrays::{array, random};
use gpurepl_device::{self as device, activity, nvtx};
use gpurepl_display as display;
use gpurepl_display::results;
use gpurepl_ground::streams::channel::{self, frame};
use gpurepl_ground::streams::{
    descriptors, flush, input, note_folder, notice, origin, plugins, readers, signals,
};
use gpurepl_ground::{ending, group, interrupt};

use crate::cell;

/// Cells run on a stack as large as this: variables are moved there whole,
/// arrays by value among them.
const STACK: usize = 64 << 20;

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
    gpurepl_extend::use_plugin_for_products();
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

/// Tries variants of a kernel, for a worker at the other end of standard input, until that closes. Returns the exit
/// status.
#[unsafe(no_mangle)]
pub extern "C" fn gpurepl_try_variants() -> i32 {
    gpurepl_tune::serve()
}

/// Builds `core` for GPUs beside this library, and says on standard error
/// what went wrong. Returns the exit status.
#[unsafe(no_mangle)]
pub extern "C" fn gpurepl_build_core() -> i32 {
    match device::rust::build_core_in_store() {
        Ok(()) => 0,
        Err(error) => {
            eprintln!("{error}");
            1
        }
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
            Ok(Some(Command::Plugin { request, answer })) => plugins::answer(request, answer),
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
    // The cell that ran last: what a function of its shows later is its own.
    let mut last = 0;
    // Orders are counted on both sides: an interrupt says which one it is for.
    for number in 1.. {
        let Ok(command) = orders.recv() else { break };
        signals::keep_informed();
        interrupt::begin(number);
        group::begin(number);
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
                ranks,
            } => {
                last = cell;
                note_folder(&library);
                if let Some(random) = random {
                    random::set_state(random);
                }
                let random = random::state();
                cell::note_lines(lines);
                cell::set_fingerprints(fingerprints);
                drop(cell::take_put());
                results::begin(keeps_result.then_some(cell));
                display::set_rich(is_rich);
                let mark = activity::begin(is_timed);
                let start = Instant::now();
                let range = match group::ranks() {
                    1 => nvtx::range(&title),
                    _ => nvtx::range(&format!("[{}] {title}", group::rank())),
                };
                begin(cell);
                let is_own = ranks.is_none_or(|ranks| ranks.contains(&group::rank()));
                let failure = if is_own { run(&library, &function) } else { load_only(&library, &function) };
                let failure = end(failure);
                drop(range);
                let nanoseconds = u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX);
                // Before the variables that the cell has moved out of are dropped.
                let activity = mark.end();
                let (variables, put) = (cell::names(), cell::take_put());
                let (is_rescued, restored) = (cell::has_kept(), cell::take_restored());
                let (result, dropped_results) = results::finish();
                let done = Done {
                    cell,
                    failure,
                    variables,
                    put,
                    is_rescued,
                    restored,
                    result,
                    dropped_results,
                    nanoseconds,
                    random,
                    activity,
                    ranks: Vec::new(),
                };
                frame(&Frame::Done(done));
            }
            Command::Interact { id, settings } => {
                results::begin(None);
                display::set_rich(true);
                begin(last);
                let failure = interact(id, &settings);
                let failure = end(failure);
                frame(&Frame::Interacted { failure });
            }
            Command::End => break,
            other => obey(other),
        }
        group::end(number);
    }
    0
}

/// Calls a function with other settings, and shows what it returns.
fn interact(id: u64, settings: &[Setting]) -> Option<Failure> {
    drop(cell::take_failure());
    let statements = Box::new(|| {
        let Some(bundle) = display::interaction::called(id, settings) else {
            return Err("the function is not there any more; run the cell again".into());
        };
        display::show(bundle, true);
        Ok(())
    });
    cell::guard(statements);
    let failure = cell::take_failure();
    finish(failure)
}

/// Everything but cells and the end, on the cell thread.
fn obey(command: Command) {
    match command {
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
        Command::Finish => {
            ending::run();
            flush::now();
            frame(&Frame::Finished);
        }
        Command::Held => {
            frame(&Frame::Held { variables: cell::held(), results: results::held() });
        }
        Command::Devices => {
            frame(&Frame::Devices(device::reports()));
        }
        Command::Cache { clear } => {
            frame(&Frame::Cache(if clear { device::cache::clear() } else { device::cache::report() }));
        }
        Command::Tuned { clear } => {
            frame(&Frame::Tuned(gpurepl_tune::list(clear)));
        }
        Command::Ask(question) => {
            frame(&Frame::Answer(answers::answer(question)));
        }
        // Answers to cells are taken as they arrive.
        Command::Run { .. }
        | Command::Interact { .. }
        | Command::Input { .. }
        | Command::Plugin { .. }
        | Command::End => {}
    }
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
    finish(failure)
}

/// Loads a cell that other ranks run.
fn load_only(library: &Path, function: &str) -> Option<Failure> {
    load::cell(library, function).err().map(|message| Failure::new(FailureKind::NotRun, message))
}

/// Ends the work of devices, which may fail as well.
fn finish(failure: Option<Failure>) -> Option<Failure> {
    // After an interrupt the expressions that are left may still be wanted.
    interrupt::clear();
    if failure.as_ref().is_none_or(|failure| failure.kind != FailureKind::DeviceLost) {
        let settled = array::settle().and_then(|()| match device::in_use() {
            Some(context) => context.finish(),
            None => Ok(()),
        });
        if let Err(error) = settled {
            cell::fail_with(&error);
        } else if let Some(note) = device::overflow_note() {
            notice(note);
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
    plugins::set_running(true);
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
    plugins::set_running(false);
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
