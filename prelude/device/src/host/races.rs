//! Races: what `GPUREPL_CHECK=1` remembers of who has used which memory.
//!
//! For every four bytes that a launch touches, `shim/instrumented.hpp` keeps
//! the last write and two reads: by whom, and when by the clocks of the
//! threads. Here is the memory for it, by pages of 64 KiB of the arrays, and
//! what a record says.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ffi::c_void;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Bytes of memory that one page of records stands for.
const PAGE: usize = 1 << 16;

/// Bytes of a record of four bytes: `gpurepl_cell`.
const CELL: usize = 40;

const PAGE_BYTES: usize = PAGE / 4 * CELL;

/// Places for pages: a power of two.
const PLACES: usize = 1 << 16;

/// Places for what atomic functions leave: the shim's hash has so many bits.
const MEETINGS: usize = 1 << 16;

/// How often a place is taken that another page has.
const TRIES: usize = 64;

#[repr(C)]
struct Place {
    key: AtomicUsize,
    cells: AtomicUsize,
}

/// `gpurepl_races` of the shim: what it reads.
#[repr(C)]
pub(super) struct Table {
    places: *const Place,
    mask: usize,
    meetings: *const AtomicU64,
}

/// The records of one launch.
pub(super) struct Races {
    table: Table,
    places: Box<[Place]>,
    _meetings: Box<[AtomicU64]>,
    pages: Mutex<Vec<*mut u8>>,
    /// Pages that may still be allocated.
    left: AtomicUsize,
}

// SAFETY: the pointers of the table lead into the boxes; pages are touched by
// atomic accesses of the shim alone, until the launch has ended.
unsafe impl Send for Races {}
// SAFETY: as above.
unsafe impl Sync for Races {}

impl Races {
    /// Room for records of as much memory as a quarter of this machine's holds
    /// the records of.
    pub(super) fn new() -> Box<Races> {
        let places: Box<[Place]> =
            (0..PLACES).map(|_| Place { key: AtomicUsize::new(0), cells: AtomicUsize::new(0) }).collect();
        let meetings: Box<[AtomicU64]> = (0..MEETINGS).map(|_| AtomicU64::new(0)).collect();
        let table = Table { places: places.as_ptr(), mask: PLACES - 1, meetings: meetings.as_ptr() };
        let most = usize::try_from(super::memory::total()).unwrap_or(usize::MAX) / 4 / PAGE_BYTES;
        Box::new(Races {
            table,
            places,
            _meetings: meetings,
            pages: Mutex::default(),
            left: AtomicUsize::new(most),
        })
    }

    pub(super) fn table(&self) -> *const Table {
        &raw const self.table
    }

    /// The records of a page of memory; null where there is no more room, and
    /// races in that page are not found.
    pub(super) fn page(&self, key: usize) -> *mut c_void {
        let mut pages = self.pages.lock().unwrap_or_else(PoisonError::into_inner);
        // The shim looks at the same places in the same order.
        let first = (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) & (PLACES - 1);
        for step in 0..TRIES {
            let place = &self.places[(first + step) & (PLACES - 1)];
            match place.key.load(Ordering::Acquire) {
                0 if self.left.load(Ordering::Relaxed) == 0 => return std::ptr::null_mut(),
                0 => {
                    // SAFETY: the layout is not empty.
                    let cells = unsafe { alloc_zeroed(layout()) };
                    if cells.is_null() {
                        return std::ptr::null_mut();
                    }
                    self.left.fetch_sub(1, Ordering::Relaxed);
                    pages.push(cells);
                    place.cells.store(cells as usize, Ordering::Relaxed);
                    place.key.store(key, Ordering::Release);
                    return cells.cast();
                }
                known if known == key => return place.cells.load(Ordering::Relaxed) as *mut c_void,
                _ => {}
            }
        }
        std::ptr::null_mut()
    }
}

impl Drop for Races {
    fn drop(&mut self) {
        for page in self.pages.get_mut().unwrap_or_else(PoisonError::into_inner).drain(..) {
            // SAFETY: allocated by `page` with this layout; the launch has ended.
            unsafe { dealloc(page, layout()) }
        }
    }
}

fn layout() -> Layout {
    Layout::from_size_align(PAGE_BYTES, 4096).expect("a page of records has a size")
}

/// Who used some memory: what a record of the shim says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct User {
    /// The thread's number in its block.
    pub(super) thread: u32,
    /// The low 20 bits of the block's number in its grid.
    pub(super) block: u32,
}

impl User {
    pub(super) fn of(record: u64) -> User {
        User { thread: (record >> 50) as u32 & 0x3ff, block: (record >> 30) as u32 & 0xf_ffff }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_has_its_records_once() {
        let races = Races::new();
        let (a, b) = (races.page(5), races.page(6));
        assert!(!a.is_null() && !b.is_null() && a != b);
        assert_eq!((races.page(5), races.page(6)), (a, b));
        races.left.store(0, Ordering::Relaxed);
        assert!(races.page(7).is_null());
    }

    #[test]
    fn a_record_says_who_it_was() {
        let record = 15 << 60 | 1023 << 50 | 77 << 30 | 5 << 12 | 3;
        assert_eq!(User::of(record), User { thread: 1023, block: 77 });
    }
}
