//! `print!`, `println!`, `eprint!` and `eprintln!` as cells have them.
//!
//! They do what the standard library's do, on the same streams, and more: a
//! partial line is seen at once, output and errors stay in order, a thread of
//! an earlier cell says which cell it belongs to, and a loop that prints can
//! be interrupted.
//!
//! A cell imports them by name. A glob that had them would make `println!`
//! ambiguous in every program that uses this crate.

use std::fmt;
use std::io::{self, Write as _};

use gpurepl_wire::Frame;

use super::{channel, descriptors, flush, origin};

thread_local! {
    /// Whether this thread has printed on standard error last.
    static WAS_ERROR: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
}

/// What `print!` calls.
pub fn print(text: fmt::Arguments<'_>) {
    to_stdout(text, false);
}

/// What `println!` calls.
pub fn println(text: fmt::Arguments<'_>) {
    to_stdout(format_args!("{text}\n"), true);
}

/// What `eprint!` calls.
pub fn eprint(text: fmt::Arguments<'_>) {
    to_stderr(text);
}

/// What `eprintln!` calls.
pub fn eprintln(text: fmt::Arguments<'_>) {
    to_stderr(format_args!("{text}\n"));
}

fn to_stdout(text: fmt::Arguments<'_>, is_line: bool) {
    if is_sent(text, false) {
        return;
    }
    // The session reads two pipes: what is in one of them has to be taken
    // before there is more in the other.
    if WAS_ERROR.try_with(|was| was.replace(false)) == Ok(true) {
        wait_for(2);
    }
    flush::flush_c();
    let mut stdout = io::stdout().lock();
    let mut written = stdout.write_fmt(text);
    if written.is_ok() && !is_line && flush::is_at_once() {
        written = stdout.flush();
    }
    if let Err(error) = written {
        panic!("failed printing to stdout: {error}");
    }
}

fn to_stderr(text: fmt::Arguments<'_>) {
    if is_sent(text, true) {
        return;
    }
    let _ = WAS_ERROR.try_with(|was| was.set(true));
    wait_for(1);
    if let Err(error) = io::stderr().lock().write_fmt(text) {
        panic!("failed printing to stderr: {error}");
    }
}

/// Sends what a thread of an earlier cell prints; false if this is none. The
/// thread that runs cells ends its cell here if the user has interrupted.
fn is_sent(text: fmt::Arguments<'_>, is_stderr: bool) -> bool {
    if origin::is_cell_thread() {
        if flush::is_running() && crate::interrupt::is_pending() {
            crate::check_interrupt();
        }
        return false;
    }
    if !channel::is_open() || channel::is_copy() {
        return false;
    }
    let Some(cell) = origin::earlier_cell() else { return false };
    let text = text.to_string();
    text.is_empty() || channel::frame(&Frame::Output { cell, is_stderr, text })
}

/// Waits until the session has read what was printed on a stream.
fn wait_for(number: usize) {
    let pipe = descriptors::kept(number);
    if pipe >= 0 && !channel::is_copy() {
        channel::wait_until_empty(pipe, libc::FIONREAD);
    }
}
