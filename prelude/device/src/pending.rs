//! Work that has been written down, but not passed to a device yet: array
//! expressions. The layer that has some registers how it is asked for, and
//! devices see to it before anything is waited for, recorded or captured.

use std::sync::OnceLock;

use crate::error::Result;

/// How a layer's pending work is asked for.
#[doc(hidden)]
pub struct Pending {
    /// The number of what this thread writes down next.
    pub next: fn() -> u64,
    /// Asks for what this thread has written down, from a number on.
    pub settle_since: fn(u64) -> Result<()>,
}

static PENDING: OnceLock<Pending> = OnceLock::new();

/// Registers a layer, to be called before it has pending work. The first one
/// stays: there is one layer of arrays.
pub fn before_waiting(layer: Pending) {
    let _ = PENDING.set(layer);
}

/// The number of what this thread writes down next.
pub(super) fn next() -> u64 {
    // Before anything was written down, all of it is yet to come.
    PENDING.get().map_or(0, |layer| (layer.next)())
}

/// Asks for what this thread has written down, from a number on.
///
/// # Errors
///
/// If any of it fails.
pub(super) fn settle_since(first: u64) -> Result<()> {
    PENDING.get().map_or(Ok(()), |layer| (layer.settle_since)(first))
}
