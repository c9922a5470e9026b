//! The user's interrupt: a flag that every operation of the library looks at.
//!
//! A session sends its worker SIGINT with the number of the order that it is
//! for; the handler notes it; the next operation, or the next part of a long
//! one, answers with [`ErrorKind::Interrupted`](crate::ErrorKind::Interrupted),
//! and the cell unwinds with its variables. A loop of the user's own that
//! calls nothing here can look as well: [`check_interrupt`].

use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::{Problem, Result};

/// The order that the worker works on; zero before the first, and in a
/// program of its own.
static CURRENT: AtomicU64 = AtomicU64::new(0);

/// The order that the user has interrupted. It is compared, not cleared when
/// an order begins: an interrupt may be here before the order is, and one that
/// comes late is not for the next.
static INTERRUPTED: AtomicU64 = AtomicU64::new(NONE);

/// The order whose interrupt has been answered by what was found so far.
static ANSWERED: AtomicU64 = AtomicU64::new(NONE);

const NONE: u64 = u64::MAX;

/// Interrupts what runs now. Safe to call in a signal handler.
pub fn set() {
    INTERRUPTED.store(CURRENT.load(Ordering::Relaxed), Ordering::Relaxed);
}

/// Interrupts an order by its number. Safe to call in a signal handler.
pub fn set_for(order: u64) {
    INTERRUPTED.store(order, Ordering::Relaxed);
}

/// Begins an order: interrupts of others are not for it.
pub fn begin(order: u64) {
    CURRENT.store(order, Ordering::Relaxed);
}

/// Takes an interrupt back, before what comes after a cell that it has ended.
pub fn clear() {
    INTERRUPTED.store(NONE, Ordering::Relaxed);
}

/// Takes an interrupt back for an operation that answers it by returning what it has found so far, so that this can
/// be kept and shown. The next operation of the kind ends the order: see [`check_answered`].
pub fn answer() {
    clear();
    ANSWERED.store(CURRENT.load(Ordering::Relaxed), Ordering::Relaxed);
}

/// Ends an operation if the interrupt of this order has been answered by an earlier one: a loop of such operations
/// is to end, and not to go on with what was found so far.
pub fn check_answered() -> Result<()> {
    let is_answered = ANSWERED.load(Ordering::Relaxed) == CURRENT.load(Ordering::Relaxed);
    if is_answered { Err(Problem::Interrupted.into()) } else { Ok(()) }
}

/// Whether the user has interrupted what this thread does. While it unwinds
/// it is not asked any more: a destructor that uses an array is to come to its
/// end, since one that panics then would end the process.
pub fn is_pending() -> bool {
    was_asked() && !std::thread::panicking()
}

/// Whether the user has interrupted, for threads that work for another one.
pub fn was_asked() -> bool {
    INTERRUPTED.load(Ordering::Relaxed) == CURRENT.load(Ordering::Relaxed)
}

/// Ends an operation if the user has interrupted.
pub fn check() -> Result<()> {
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

/// How tests wait for each other: the flag is one for the process.
pub mod exclusive {
    use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

    static TESTS: RwLock<()> = RwLock::new(());

    /// Runs a test with the flag set, and no other that looks at it.
    pub fn interrupted(test: impl FnOnce()) {
        let _lock = alone();
        super::set();
        test();
        super::clear();
    }

    /// Keeps the flag clear for a test that looks at it.
    pub fn undisturbed() -> RwLockReadGuard<'static, ()> {
        TESTS.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets a test of what is one for the process run without those that look.
    pub fn alone() -> RwLockWriteGuard<'static, ()> {
        TESTS.write().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn an_interrupt_is_for_one_order() {
        super::exclusive::interrupted(|| {
            super::begin(7);
            super::set_for(8);
            assert!(!super::is_pending(), "it is for the next one, which it came before");
            super::begin(8);
            assert!(super::is_pending());
            super::begin(9);
            assert!(!super::is_pending(), "it came late");
            super::set();
            assert!(super::is_pending());
            super::clear();
            assert!(!super::is_pending());
            super::begin(0);
        });
    }

    #[test]
    fn a_destructor_that_runs_after_an_interrupt_is_not_interrupted() {
        struct Uses<'a>(&'a std::cell::Cell<Option<bool>>);
        impl Drop for Uses<'_> {
            fn drop(&mut self) {
                super::check_interrupt();
                self.0.set(Some(super::check().is_ok()));
            }
        }
        super::exclusive::interrupted(|| {
            let was_well = std::cell::Cell::new(None);
            let cell = std::panic::AssertUnwindSafe(|| {
                let _uses = Uses(&was_well);
                super::check_interrupt();
            });
            assert!(std::panic::catch_unwind(cell).is_err());
            assert_eq!(was_well.get(), Some(true));
            assert!(super::check().is_err(), "whoever has caught it is interrupted again");
        });
    }
}
