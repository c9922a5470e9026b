//! The memory of arrays: pages with guards around them, kept for the next one.
//!
//! An array ends where its last page ends, so that a kernel that goes one
//! element too far faults there and then instead of changing another array.
//! (Electric Fence, Bruce Perens 1987, does so for `malloc`.) The system hands
//! out pages at the first touch of each, which takes longer than a loop over
//! them, so freed memory is kept: PyCUDA and CuPy have pools as well.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

const PAGE: usize = 4096;

/// Pieces that have guards, at most: the system allows a process some 65 000
/// mappings, and each piece takes two.
const GUARDED: usize = 12_000;

#[derive(Default)]
struct Pool {
    /// Pieces that nobody uses, by their sizes.
    kept: BTreeMap<usize, Vec<u64>>,
    kept_bytes: usize,
    /// What is in use: sizes in bytes by addresses, and whether it has guards.
    used: BTreeMap<u64, (usize, bool)>,
    guarded: usize,
}

/// [`Pool::kept_bytes`], for those who do not need the rest.
static KEPT_BYTES: AtomicUsize = AtomicUsize::new(0);

impl Pool {
    fn set_kept_bytes(&mut self, bytes: usize) {
        self.kept_bytes = bytes;
        KEPT_BYTES.store(bytes, Ordering::Relaxed);
    }
}

static POOL: Mutex<Option<Pool>> = Mutex::new(None);

fn pool<R>(act: impl FnOnce(&mut Pool) -> R) -> R {
    act(POOL.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_default())
}

/// Alignment of an array: 16 bytes for the widest element, 64 where it is
/// large enough for a loop to gain from whole lines of the cache.
fn alignment(bytes: usize) -> usize {
    if bytes < PAGE { 16 } else { 64 }
}

/// The size of the piece for so many bytes: whole pages, of larger pieces an
/// eighth of a power of two apart, so that arrays of nearly one size share
/// pieces and little is wasted.
fn size_of_piece(bytes: usize) -> Option<usize> {
    let pages = bytes.checked_next_multiple_of(alignment(bytes))?.checked_next_multiple_of(PAGE)?;
    let step = pages.checked_next_power_of_two()? / 8;
    pages.checked_next_multiple_of(step.max(PAGE))
}

/// Where an array starts in a piece: its end is the piece's.
fn start_in(piece: u64, size: usize, bytes: usize) -> u64 {
    piece + (size - bytes.next_multiple_of(alignment(bytes))) as u64
}

/// Memory that holds zeros or what an earlier array has left, so that reading
/// it before it is written is defined.
pub(super) fn allocate(bytes: usize) -> Option<u64> {
    assert!(bytes > 0, "internal error: an empty allocation");
    let size = size_of_piece(bytes)?;
    let from_pool = pool(|pool| {
        let piece = pool.kept.get_mut(&size)?.pop()?;
        pool.set_kept_bytes(pool.kept_bytes - size);
        let address = start_in(piece, size, bytes);
        pool.used.insert(address, (bytes, true));
        Some(address)
    });
    if from_pool.is_some() {
        return from_pool;
    }
    let map_one = || {
        if pool(|pool| pool.guarded) >= GUARDED {
            return None;
        }
        let piece = map(size)?;
        pool(|pool| pool.guarded += 1);
        Some(piece)
    };
    let guarded = map_one();
    let (address, has_guards) = match guarded {
        Some(piece) => (start_in(piece, size, bytes), true),
        None => {
            let plain = || {
                let layout = Layout::from_size_align(bytes, 256).ok()?;
                // SAFETY: the size is not zero.
                let pointer = unsafe { alloc_zeroed(layout) };
                (!pointer.is_null()).then_some(pointer as u64)
            };
            let address = plain().or_else(|| {
                clear();
                plain()
            });
            (address?, false)
        }
    };
    pool(|pool| pool.used.insert(address, (bytes, has_guards)));
    Some(address)
}

/// Pieces from this size on use large pages: the system hands them out, and
/// the processor finds them, many times faster.
const LARGE_FROM: usize = 4 << 20;
const LARGE_PAGE: usize = 2 << 20;

/// Pages between two that nobody may touch.
fn map(size: usize) -> Option<u64> {
    // The mapping of a large piece is cut to where a large page starts.
    let slack = if size < LARGE_FROM { 0 } else { LARGE_PAGE };
    let whole = size.checked_add(slack + 2 * PAGE)?;
    // SAFETY: a new mapping, of no file, where the system likes, and then
    // pages within it.
    unsafe {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        let mapping = libc::mmap(std::ptr::null_mut(), whole, libc::PROT_NONE, flags, -1, 0);
        if mapping == libc::MAP_FAILED {
            return None;
        }
        let start = mapping as usize;
        let place = if slack == 0 { start + PAGE } else { (start + PAGE).next_multiple_of(LARGE_PAGE) };
        let piece = place as *mut libc::c_void;
        if libc::mprotect(piece, size, libc::PROT_READ | libc::PROT_WRITE) != 0 {
            libc::munmap(mapping, whole);
            return None;
        }
        if slack > 0 {
            libc::madvise(piece, size, libc::MADV_HUGEPAGE);
            // What lies beyond the pages around the piece goes back.
            let (first, last) = (place - PAGE, place + size + PAGE);
            libc::munmap(mapping, first - start);
            libc::munmap(last as *mut libc::c_void, start + whole - last);
        }
        Some(piece as u64)
    }
}

/// Takes back what [`allocate`] returned, and keeps it if there is room for
/// `limit` bytes.
///
/// # Safety
///
/// As [`crate::Backend::release`] says.
pub(super) unsafe fn release(address: u64, bytes: usize, limit: usize) {
    let size = size_of_piece(bytes).expect("it was a size when it was allocated");
    let kept = pool(|pool| {
        let (_, has_guards) = pool.used.remove(&address)?;
        if !has_guards {
            return Some(false);
        }
        let piece = address + bytes.next_multiple_of(alignment(bytes)) as u64 - size as u64;
        let fits = pool.kept_bytes.saturating_add(size) <= limit;
        if fits {
            pool.kept.entry(size).or_default().push(piece);
            pool.set_kept_bytes(pool.kept_bytes + size);
            return None;
        }
        pool.guarded -= 1;
        // SAFETY: the caller's promise; the piece was mapped by `map`.
        unsafe { unmap(piece, size) };
        None
    });
    if kept == Some(false) {
        let layout = Layout::from_size_align(bytes, 256).expect("it was a layout when it was allocated");
        // SAFETY: the caller's promise; the memory came from `alloc_zeroed`.
        unsafe { dealloc(address as *mut u8, layout) }
    }
}

/// # Safety
///
/// The piece came from [`map`] with this size, and nobody uses it.
unsafe fn unmap(piece: u64, size: usize) {
    // SAFETY: the caller's promise.
    unsafe { libc::munmap((piece as usize - PAGE) as *mut libc::c_void, size + 2 * PAGE) };
}

/// Returns all that is kept to the system.
pub(super) fn clear() {
    pool(|pool| {
        for (size, pieces) in std::mem::take(&mut pool.kept) {
            for piece in pieces {
                pool.guarded -= 1;
                // SAFETY: the piece was released to the pool, which has just
                // given it up.
                unsafe { unmap(piece, size) }
            }
        }
        pool.set_kept_bytes(0);
    });
}

/// Bytes that are kept.
pub(super) fn kept() -> usize {
    KEPT_BYTES.load(Ordering::Relaxed)
}

/// The pieces that are kept: how many, and their bytes.
pub(super) fn held() -> (usize, usize) {
    pool(|pool| (pool.kept.values().map(Vec::len).sum(), pool.kept_bytes))
}

/// What is in use: the bytes of every array.
pub(super) fn used() -> Vec<Range<u64>> {
    pool(|pool| pool.used.iter().map(|(address, (bytes, _))| *address..*address + *bytes as u64).collect())
}

/// The arrays around an address: the one that holds it or ends before it, and
/// the one that starts after it.
pub(super) fn neighbours(address: u64) -> (Option<Range<u64>>, Option<Range<u64>>) {
    let range = |(start, (bytes, _)): (&u64, &(usize, bool))| *start..*start + *bytes as u64;
    pool(|pool| {
        (
            pool.used.range(..=address).next_back().map(range),
            pool.used.range(address.saturating_add(1)..).next().map(range),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_waste_little() {
        for bytes in [1 << 20, (1 << 20) + 1, 10_000_003, 400_000_000, (1 << 30) + 1] {
            let size = size_of_piece(bytes).unwrap();
            assert!(size >= bytes && size <= bytes + bytes / 4 + PAGE, "{bytes}: {size}");
        }
        assert_eq!(
            (size_of_piece(1), size_of_piece(PAGE), size_of_piece(usize::MAX)),
            (Some(PAGE), Some(PAGE), None)
        );
    }

    #[test]
    fn arrays_end_where_their_pages_end() {
        for bytes in [1usize, 16, 4000, 4096, 40_000, 1_000_003] {
            let address = allocate(bytes).unwrap();
            let end = address as usize + bytes;
            assert!(end.next_multiple_of(PAGE) - end < 64, "{bytes}");
            assert_eq!(address % alignment(bytes) as u64, 0);
            assert_eq!(neighbours(address + 5).0.unwrap().start, address);
            // SAFETY: released once, and not used any more.
            unsafe { release(address, bytes, 0) };
        }
    }

    #[test]
    fn what_is_released_is_used_again_up_to_a_limit() {
        // A size that no other test of this process uses.
        let bytes = 77 << 20;
        let first = allocate(bytes).unwrap();
        // SAFETY: released once, and not used any more.
        unsafe { release(first, bytes, usize::MAX) };
        assert!(kept() >= bytes);
        let second = allocate(bytes - 64).unwrap();
        assert_eq!(second, first + 64, "the same piece");
        // SAFETY: as above.
        unsafe { release(second, bytes - 64, 0) };
        let none_is_kept =
            pool(|pool| pool.kept.get(&size_of_piece(bytes).unwrap()).is_none_or(Vec::is_empty));
        assert!(none_is_kept);
    }
}
