//! Indices that lie outside of their axis, as kernels of a GPU note them.
//!
//! The host checks indices before it uses them. A GPU's kernel does so while it
//! runs: a wrong index reads and writes nothing, and the first one is noted in a
//! few words of page-locked memory, which the host reads in place after each
//! wait. So nothing waits for the sake of the check.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use gpurepl_kernels::{DType, Kind, OUTSIDE_NOTED, OUTSIDE_WORDS};

use super::{Context, HostMemory, PageLockedFlags, PerContext};
use crate::error::{Problem, Result};

/// An operation that reads or writes by indices, for messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Indexing {
    /// One of [`NAMES`].
    operation: u8,
    /// The axis; none for the elements in C order.
    axis: Option<u8>,
}

/// What operations are called.
const NAMES: [&str; 10] = [
    "take",
    "take_axis",
    "take_along_axis",
    "indexing",
    "set",
    "put",
    "put_along_axis",
    "compress",
    "choose",
    "add_at",
];

impl Indexing {
    /// An operation, one of those listed above, and its axis; none for the
    /// elements in C order.
    ///
    /// # Panics
    ///
    /// If the operation is not listed.
    pub fn new(operation: &str, axis: Option<usize>) -> Indexing {
        let number = NAMES.iter().position(|name| *name == operation).expect("an operation that is listed");
        Indexing { operation: number as u8, axis: axis.map(|axis| axis as u8) }
    }

    /// What the operation is called.
    pub fn name(self) -> &'static str {
        NAMES[usize::from(self.operation)]
    }

    /// The error for an index, and its place among the indices.
    pub(crate) fn error(self, index: i128, place: u64, size: usize) -> crate::Error {
        let (operation, index) = (self.name(), index.to_string());
        Problem::Outside { operation, index, place, axis: self.axis, size }.into()
    }

    /// The number that a kernel notes for the operation and the type of its
    /// indices.
    pub(crate) fn number(self, index: DType) -> usize {
        let axis = self.axis.map_or(0, |axis| usize::from(axis) + 1);
        let is_signed = index.kind() == Kind::Signed;
        usize::from(self.operation) | axis << 8 | usize::from(is_signed) << 16
    }

    /// The operation of a number, and whether its indices are signed.
    fn of_number(number: u64) -> (Indexing, bool) {
        let axis = (number >> 8) as u8;
        let operation = (number as u8).min(NAMES.len() as u8 - 1);
        (Indexing { operation, axis: axis.checked_sub(1) }, number >> 16 != 0)
    }
}

/// The words of each context that has used some, [`SLOTS`] times.
static WORDS: PerContext<(), Arc<HostMemory>> = PerContext::keeping(1);

/// Threads note in words of their own, so that the thread that wrote an index is
/// told. Of so many threads two share theirs.
const SLOTS: usize = 256;

/// Whether any context has: nothing is read before.
static ANY: AtomicBool = AtomicBool::new(false);

/// What was found, and where: the operation, the index, its place among the
/// indices, the size of the axis.
type Found = (Indexing, i128, u64, usize);

thread_local! {
    /// This thread's words.
    static SLOT: usize = {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        NEXT.fetch_add(1, Ordering::Relaxed) % SLOTS
    };
    /// What was reported last.
    static LAST: Cell<Option<Found>> = const { Cell::new(None) };
    /// What has to be reported again.
    static AGAIN: Cell<Option<Found>> = const { Cell::new(None) };
}

/// The address of this thread's words in a context, for kernels.
pub(crate) fn words(context: Context) -> Result<u64> {
    let bytes = OUTSIDE_WORDS * size_of::<u64>();
    let memory = WORDS.get_or_make(context, (), || {
        let flags = PageLockedFlags { mapped: true, ..PageLockedFlags::default() };
        let mut memory = HostMemory::page_locked(context, SLOTS * bytes, flags)?;
        memory.bytes_mut()?.fill(0);
        Ok(Arc::new(memory))
    })?;
    ANY.store(true, Ordering::Release);
    let first = context.backend().copies().device_pointer(memory.buffer().address())?;
    Ok(first + (SLOT.with(|slot| *slot) * bytes) as u64)
}

/// Reports what kernels of this thread have noted since the last report: to be
/// called after their work was waited for.
///
/// # Errors
///
/// If one of them has found an index outside of its axis.
pub(super) fn report(context: Context) -> Result<()> {
    if !ANY.load(Ordering::Acquire) {
        return Ok(());
    }
    let found = match AGAIN.take() {
        Some(found) => Some(found),
        None => noted(context, SLOT.with(|slot| *slot)),
    };
    let Some((indexing, index, place, size)) = found else { return Ok(()) };
    LAST.set(found);
    Err(indexing.error(index, place, size))
}

/// [`report`] for all threads.
pub(super) fn report_all(context: Context) -> Result<()> {
    report(context)?;
    if ANY.load(Ordering::Acquire) {
        for slot in 0..SLOTS {
            if let Some((indexing, index, place, size)) = noted(context, slot) {
                return Err(indexing.error(index, place, size));
            }
        }
    }
    Ok(())
}

/// An error that was reported is reported again, if it is of an index: it was
/// seen by what cannot fail, a text of an array.
pub fn report_again(error: &crate::Error) {
    let last = LAST.take();
    let is_same = last.is_some_and(|(indexing, index, place, size)| {
        indexing.error(index, place, size).to_string() == error.to_string()
    });
    AGAIN.set(last.filter(|_| is_same));
}

/// What is noted in a thread's words, which are free then.
fn noted(context: Context, slot: usize) -> Option<Found> {
    let memory = WORDS.get(context, &())?;
    let first = memory.buffer().address() as *mut u64;
    let word = |number: usize| {
        assert!(number < OUTSIDE_WORDS && slot < SLOTS);
        // SAFETY: the memory has so many words, is page-locked, which is aligned
        // as pages are, and is held here. It is never lent as a slice once
        // kernels know of it, and everyone on the host uses it atomically.
        unsafe { AtomicU64::from_ptr(first.add(slot * OUTSIDE_WORDS + number)) }
    };
    if word(0).load(Ordering::Acquire) != OUTSIDE_NOTED {
        return None;
    }
    let [number, size, index, place] = [1, 2, 3, 4].map(|number| word(number).load(Ordering::Relaxed));
    word(0).store(0, Ordering::Release);
    let (indexing, is_signed) = Indexing::of_number(number);
    let index = if is_signed { i128::from(index as i64) } else { i128::from(index) };
    Some((indexing, index, place, size as usize))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operation_is_known_again_by_its_number() {
        for (k, name) in NAMES.into_iter().enumerate() {
            for axis in [None, Some(0), Some(k)] {
                let indexing = Indexing::new(name, axis);
                for (dtype, is_signed) in [(DType::Int8, true), (DType::UInt64, false)] {
                    let number = indexing.number(dtype) as u64;
                    assert_eq!(Indexing::of_number(number), (indexing, is_signed));
                }
            }
        }
    }
}
