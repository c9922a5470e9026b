//! Memory that has been given back, kept for the next array.
//!
//! The system hands out large pieces page by page, at the first touch of
//! each, which takes longer than a loop over the piece. An expression in a
//! loop makes an array of the same size each time; here it gets the same
//! memory. PyCUDA and CuPy have pools for the same reason.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// Enough for any element and for the widest vectors of a CPU; what a CUDA
/// device gives as well.
const ALIGNMENT: usize = 256;

/// Smaller pieces come from the system's own allocator, which keeps them.
const KEPT_FROM: usize = 128 << 10;

/// Pieces that nobody uses, by their sizes.
#[derive(Default)]
struct Pool {
    pieces: BTreeMap<usize, Vec<u64>>,
    bytes: usize,
}

static POOL: Mutex<Option<Pool>> = Mutex::new(None);

fn pool<R>(act: impl FnOnce(&mut Pool) -> R) -> R {
    act(POOL.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_default())
}

/// The size of the piece for so many bytes: an eighth of a power of two apart,
/// so that arrays of nearly one size share pieces and little is wasted.
fn size_of_piece(bytes: usize) -> Option<usize> {
    if bytes < KEPT_FROM {
        return Some(bytes);
    }
    bytes.checked_next_multiple_of(bytes.checked_next_power_of_two()? / 8)
}

/// Memory that holds zeros or what an earlier array has left, so that reading
/// it before it is written is defined.
pub(super) fn allocate(bytes: usize) -> Option<u64> {
    assert!(bytes > 0, "internal error: an empty allocation");
    let size = size_of_piece(bytes)?;
    let kept = pool(|pool| {
        let piece = pool.pieces.get_mut(&size)?.pop()?;
        pool.bytes -= size;
        Some(piece)
    });
    kept.or_else(|| from_system(size)).or_else(|| {
        clear();
        from_system(size)
    })
}

fn from_system(size: usize) -> Option<u64> {
    let layout = Layout::from_size_align(size, ALIGNMENT).ok()?;
    // SAFETY: the size is not zero.
    let pointer = unsafe { alloc_zeroed(layout) };
    (!pointer.is_null()).then_some(pointer as u64)
}

/// Takes back what [`allocate`] returned, and keeps it if there is room for
/// `limit` bytes.
///
/// # Safety
///
/// As [`crate::device::Backend::release`] says.
pub(super) unsafe fn release(address: u64, bytes: usize, limit: usize) {
    let size = size_of_piece(bytes).expect("it was a size when it was allocated");
    let is_kept = size >= KEPT_FROM
        && pool(|pool| {
            let fits = pool.bytes.saturating_add(size) <= limit;
            if fits {
                pool.pieces.entry(size).or_default().push(address);
                pool.bytes += size;
            }
            fits
        });
    if !is_kept {
        // SAFETY: the caller's promise; the piece has this size.
        unsafe { free(address, size) }
    }
}

/// Returns all that is kept to the system.
pub(super) fn clear() {
    let pieces = pool(std::mem::take).pieces;
    for (size, addresses) in pieces {
        for address in addresses {
            // SAFETY: the piece was released to the pool, which has just
            // given it up.
            unsafe { free(address, size) }
        }
    }
}

/// Bytes that are kept.
pub(super) fn kept() -> usize {
    pool(|pool| pool.bytes)
}

/// # Safety
///
/// The piece came from [`from_system`] with this size, and nobody uses it.
unsafe fn free(address: u64, size: usize) {
    let layout = Layout::from_size_align(size, ALIGNMENT).expect("it was a layout when it was allocated");
    // SAFETY: the caller's promise.
    unsafe { dealloc(address as *mut u8, layout) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_waste_little() {
        for bytes in [1, 1000, KEPT_FROM, KEPT_FROM + 1, 1_000_003, 400_000_000, (1 << 30) + 1] {
            let size = size_of_piece(bytes).unwrap();
            assert!(size >= bytes && size <= bytes + bytes / 4 + 1, "{bytes}: {size}");
            assert_eq!(size_of_piece(size), Some(size), "a size of a piece is one");
        }
        assert_eq!(size_of_piece(usize::MAX), None);
    }

    #[test]
    fn what_is_released_is_used_again_up_to_a_limit() {
        // A size that no other test of this process uses.
        let bytes = 77 << 20;
        let first = allocate(bytes).unwrap();
        // SAFETY: released once, and not used any more.
        unsafe { release(first, bytes, usize::MAX) };
        assert!(kept() >= bytes);
        let second = allocate(bytes - 1).unwrap();
        assert_eq!(second, first, "the same piece");
        // SAFETY: as above.
        unsafe { release(second, bytes - 1, 0) };
        let none_is_kept =
            pool(|pool| pool.pieces.get(&size_of_piece(bytes).unwrap()).is_none_or(Vec::is_empty));
        assert!(none_is_kept);
    }
}
