//! Overflow of 32-bit integers: collected while work is done, reported at the end
//! of the cell.
//!
//! The host sets bits of [`Overflow`] here. Kernels of a GPU set them in four
//! bytes of its memory, which are read once, after the wait that ends a cell.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use gpurepl_kernels::Overflow;

use super::{Buffer, Context, graph, stream};
use crate::error::Result;

/// What has been found on the host since the last cell.
static FOUND: AtomicU32 = AtomicU32::new(0);

/// The memory that kernels of this cell set bits in, of each context that has
/// run one.
static FLAGS: Mutex<Vec<Arc<Buffer>>> = Mutex::new(Vec::new());

/// Whether programs that are built now report overflow. A graph runs again in
/// later cells, whose memory for it would be another, so it does not.
pub fn reports_overflow() -> bool {
    !graph::is_capturing()
}

/// Notes an overflow.
pub(super) fn found(overflow: Overflow) {
    FOUND.fetch_or(overflow.bit(), Ordering::Relaxed);
}

/// Whether an overflow has been noted: then nobody need look for it.
pub(super) fn is_found(overflow: Overflow) -> bool {
    FOUND.load(Ordering::Relaxed) & overflow.bit() != 0
}

/// The memory that kernels of a context set bits in, zero when it is new.
pub(super) fn flags(context: Context) -> Result<Arc<Buffer>> {
    let mut all = FLAGS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(flags) = all.iter().find(|flags| flags.context() == context) {
        return Ok(Arc::clone(flags));
    }
    let flags = Buffer::new(context, size_of::<u32>())?;
    context.backend().upload(&flags, 0, &[0; size_of::<u32>()])?;
    if stream::in_use() {
        // Kernels of other streams do not wait for the zeros.
        context.backend().synchronize()?;
    }
    all.push(Arc::clone(&flags));
    Ok(flags)
}

/// Takes what the kernels of a context have found, and frees its memory.
pub(super) fn leave(context: Context) {
    let mut all = FLAGS.lock().unwrap_or_else(PoisonError::into_inner);
    let (own, others) = std::mem::take(&mut *all).into_iter().partition(|flags| flags.context() == context);
    *all = others;
    drop(all);
    take(own);
}

/// Adds the bits that lie in the memory of GPUs to those of the host.
fn take(all: Vec<Arc<Buffer>>) {
    for flags in all {
        let mut found = [0; size_of::<u32>()];
        let context = flags.context();
        // An error is one of the work itself, and is reported elsewhere.
        let backend = context.backend();
        let read = backend.synchronize().and_then(|()| backend.download(&flags, 0, &mut found));
        if read.is_ok() {
            FOUND.fetch_or(u32::from_ne_bytes(found), Ordering::Relaxed);
        }
    }
}

/// The note about overflow since the last call, whose work is done.
pub fn overflow_note() -> Option<String> {
    take(std::mem::take(&mut *FLAGS.lock().unwrap_or_else(PoisonError::into_inner)));
    let bits = FOUND.swap(0, Ordering::Relaxed);
    let names: Vec<&str> =
        Overflow::ALL.into_iter().filter(|overflow| bits & overflow.bit() != 0).map(operator).collect();
    (!names.is_empty()).then(|| {
        format!(
            "i32 overflow in {}: results that need more than 32 bits wrapped around\n  = help: integers such as `2` \
             and `arange(0..10)` are i32; `.astype(i64)` before the operation gives exact results, and \
             `.astype(u32)` wraps without this note",
            names.join(", ")
        )
    })
}

/// How a cell writes the operation.
fn operator(overflow: Overflow) -> &'static str {
    match overflow {
        Overflow::Add => "`+`",
        Overflow::Subtract => "`-`",
        // A small power is repeated multiplication.
        Overflow::Multiply => "`*` or `pow`",
        Overflow::Power => "`pow` by an array",
    }
}
