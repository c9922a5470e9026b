//! Signals that MPI would take over.
//!
//! Open MPI handles faults and aborts, to print a trace, and replaces handlers that are there. gpurepl's own find out
//! what a kernel on the host device did wrong, and which line of a cell overflowed its stack.

use std::mem::MaybeUninit;

use libc::{SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGINT, SIGQUIT, SIGSEGV, SIGTERM, SIGTRAP, c_int, sigaction};

const KEPT: [c_int; 9] = [SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGINT, SIGQUIT, SIGSEGV, SIGTERM, SIGTRAP];

/// Does something that may install handlers, and puts back those that were there.
pub(super) fn kept<R>(act: impl FnOnce() -> R) -> R {
    let before = KEPT.map(|signal| {
        let mut action = MaybeUninit::<sigaction>::zeroed();
        // SAFETY: without a new action this writes the present one. Zeros are one too, should it fail.
        unsafe {
            let status = sigaction(signal, std::ptr::null(), action.as_mut_ptr());
            (status == 0).then(|| action.assume_init())
        }
    });
    let result = act();
    for (signal, action) in KEPT.into_iter().zip(before) {
        if let Some(action) = action {
            // SAFETY: the action was this signal's, and its handler is still there.
            unsafe { sigaction(signal, &raw const action, std::ptr::null_mut()) };
        }
    }
    result
}
