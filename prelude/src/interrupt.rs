//! The user's interrupt: a flag that every operation of the library looks at.
//!
//! A session sends its worker SIGINT; the handler sets the flag; the next
//! operation, or the next part of a long one, answers with
//! [`ErrorKind::Interrupted`](crate::ErrorKind::Interrupted), and the cell
//! unwinds with its variables. A loop of the user's own that calls nothing
//! here can look as well: [`check_interrupt`].

use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::{Problem, Result};

static PENDING: AtomicBool = AtomicBool::new(false);

/// Sets the flag. Safe to call in a signal handler.
pub(crate) fn set() {
    PENDING.store(true, Ordering::Relaxed);
}

/// Clears the flag: at the start of a cell, and before what comes after it.
pub(crate) fn clear() {
    PENDING.store(false, Ordering::Relaxed);
}

/// Whether the user has interrupted.
pub(crate) fn is_pending() -> bool {
    PENDING.load(Ordering::Relaxed)
}

/// Ends an operation if the user has interrupted.
pub(crate) fn check() -> Result<()> {
    if is_pending() { Err(Problem::Interrupted.into()) } else { Ok(()) }
}

/// Ends the cell if the user has interrupted it. The library's own operations
/// do this; a long loop that calls none of them can call this.
///
/// ```
/// use gpurepl_prelude::*;
/// let mut sum = 0_u64;
/// for k in 0..1_000_000 {
///     check_interrupt();
///     sum += k;
/// }
/// ```
///
/// # Panics
///
/// With an [`Error`](crate::Error) of kind
/// [`Interrupted`](crate::ErrorKind::Interrupted), which ends the cell and
/// keeps its variables.
#[track_caller]
pub fn check_interrupt() {
    if is_pending() {
        crate::Error::from(Problem::Interrupted).raise();
    }
}

#[cfg(test)]
static TESTS: std::sync::RwLock<()> = std::sync::RwLock::new(());

/// Runs a test with the flag set, and no other that looks at it.
#[cfg(test)]
pub(crate) fn for_tests(test: impl FnOnce()) {
    let _lock = TESTS.write().unwrap_or_else(std::sync::PoisonError::into_inner);
    set();
    test();
    clear();
}

/// Keeps the flag clear for a test that looks at it.
#[cfg(test)]
pub(crate) fn undisturbed() -> std::sync::RwLockReadGuard<'static, ()> {
    TESTS.read().unwrap_or_else(std::sync::PoisonError::into_inner)
}
