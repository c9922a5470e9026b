//! Displays on their way to the session, in order with what is printed.

use std::sync::atomic::{AtomicU32, Ordering};

use gpurepl_wire::{Display, Frame, MimeBundle};

use super::results;
use crate::streams::channel::{self, frame};
use crate::streams::{flush, input, origin};

/// Sends a bundle to the session; a program without one prints the text.
pub fn show(bundle: MimeBundle, is_result: bool) {
    show_as(bundle, is_result, None, false);
}

/// A number for a display that can be updated: no other one has it, in this
/// worker or in those before and after it.
pub(super) fn display_id() -> u64 {
    static LAST: AtomicU32 = AtomicU32::new(0);
    u64::from(std::process::id()) << 32 | u64::from(LAST.fetch_add(1, Ordering::Relaxed))
}

/// Shows a value by a number, or again by the number that it has.
pub(super) fn show_as(bundle: MimeBundle, is_result: bool, id: Option<u64>, is_update: bool) {
    // The cell has found the end of its input, and gone on to a value that
    // whoever has interrupted it does not want.
    if is_result && input::was_interrupted() {
        // Nor is it kept.
        results::begin(None);
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
/// False if there is no front end to see it.
pub(super) fn show_progress(bundle: MimeBundle, id: u64, is_update: bool) -> bool {
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
pub(super) fn clear_output(wait: bool) {
    flush::now();
    if frame(&Frame::ClearOutput { wait, cell: origin::cell() }) {
        channel::wait_until_taken();
    }
}
