//! Checked builds: every access of a kernel is looked up before it is made.
//!
//! Compiled with `-fsanitize=thread`, each access calls a function of the shim
//! (`shim/instrumented.hpp`), which looks at one shadow byte for eight bytes of
//! memory (K. Serebryany et al., "AddressSanitizer: a fast address sanity
//! checker", USENIX ATC 2012). Here the shadow of everything is closed, and a
//! launch opens that of its arrays, its module's variables, stacks and shared
//! memory: an access anywhere else is reported by the thread that makes it.
//! `races.rs` has what is remembered of those that are allowed.

use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::lines::Code;
use super::pool;
use crate::error::{Problem, Result};

/// As `GPUREPL_SHADOW` of the shim has it.
pub(super) const SHADOW: usize = 0x2000_0000_0000;

/// Shadow of all addresses of 47 bits.
const SHADOW_BYTES: usize = 1 << 44;

const PAGE: usize = 4096;

/// Memory of this alignment and a multiple of this size has pages of shadow that
/// no other memory has.
pub(super) const APART: usize = 8 * PAGE;

/// Bytes between shared variables.
pub(super) const GAP: usize = 32;

/// A shadow byte that says no.
const CLOSED: u8 = 0xff;

static ONE_AT_A_TIME: Mutex<Option<bool>> = Mutex::new(None);

/// Memory beside arrays that kernels use: descriptions of textures, memory that
/// something else has made.
static READABLE: Mutex<Vec<Range<usize>>> = Mutex::new(Vec::new());

/// Memory that checked builds may read as long as this lives.
pub(super) struct Readable(Range<usize>);

impl Readable {
    pub(super) fn new<T>(of: &T) -> Readable {
        let start = std::ptr::from_ref(of) as usize;
        Readable::range(start..start + size_of::<T>())
    }

    /// Memory that kernels may write as well.
    pub(super) fn range(range: Range<usize>) -> Readable {
        READABLE.lock().unwrap_or_else(PoisonError::into_inner).push(range.clone());
        Readable(range)
    }
}

/// Closes what [`Readable::range`] has opened for good.
pub(super) fn close(range: Range<usize>) {
    drop(Readable(range));
}

impl Drop for Readable {
    fn drop(&mut self) {
        let mut readable = READABLE.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(place) = readable.iter().position(|range| *range == self.0) {
            readable.swap_remove(place);
        }
    }
}

/// What a launch of a checked build may touch, before it begins.
pub(super) struct Plan {
    one_at_a_time: MutexGuard<'static, Option<bool>>,
    open: Vec<Range<usize>>,
}

impl Plan {
    /// A module's code may touch all arrays, its variables, and `others`.
    ///
    /// # Errors
    ///
    /// If the system does not reserve the addresses of the shadow.
    pub(super) fn new(code: &Code, others: &[Range<usize>]) -> Result<Plan> {
        let one_at_a_time = ready()?;
        let mut open: Vec<Range<usize>> =
            pool::used().into_iter().map(|range| range.start as usize..range.end as usize).collect();
        open.extend_from_slice(others);
        open.extend(READABLE.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned());
        open.extend(super::heap::used());
        open.push(code.data().clone());
        open.push(super::simulator::contract_memory());
        open.sort_by_key(|range| range.start);
        Ok(Plan { one_at_a_time, open })
    }

    /// Opens the shadow of it, and of nothing else. Takes no lock: a copy of
    /// the process can do it.
    pub(super) fn begin(self) -> Checks {
        let mut opened_to = 0;
        // SAFETY: the shadow is reserved, and nobody else uses it while the
        // lock is held.
        unsafe {
            map(libc::PROT_NONE, libc::MAP_FIXED);
            for range in self.open.iter().filter(|range| !range.is_empty()) {
                open_shadow(range, &mut opened_to);
            }
        }
        Checks { _one_at_a_time: self.one_at_a_time }
    }
}

/// The shadow of one launch of a checked build, closed when it is dropped.
pub(super) struct Checks {
    _one_at_a_time: MutexGuard<'static, Option<bool>>,
}

impl Drop for Checks {
    fn drop(&mut self) {
        // SAFETY: the range is the one that `ready` has reserved.
        unsafe { map(libc::PROT_READ, libc::MAP_FIXED) };
        super::heap::sweep();
    }
}

/// Opens memory of a worker that takes part in a checked launch, or that a
/// kernel has allocated in it; whole pages of shadow are its own.
pub(super) fn open_own(range: &Range<usize>, parts: &[Range<usize>]) {
    let is_whole = |address: usize| address.is_multiple_of(APART);
    assert!(is_whole(range.start) && is_whole(range.end));
    let shadow = SHADOW + range.start / 8..SHADOW + range.end / 8;
    // SAFETY: the shadow is reserved while a checked launch is under way, and
    // this part of it belongs to the caller's worker.
    unsafe {
        libc::mprotect(shadow.start as *mut libc::c_void, shadow.len(), libc::PROT_READ | libc::PROT_WRITE);
        if parts.is_empty() {
            return; // Fresh pages hold zeros: all is open.
        }
        std::ptr::write_bytes(shadow.start as *mut u8, CLOSED, shadow.len());
        parts.iter().for_each(|part| clear(part));
    }
}

/// Closes memory that [`open_own`] has opened, or a plan has.
pub(super) fn close_own(range: &Range<usize>) {
    let shadow = SHADOW + range.start / 8..SHADOW + range.end / 8;
    // SAFETY: as in `open_own`; pages of shadow that hold what is written are
    // open for writing, or become so.
    unsafe {
        libc::mprotect(shadow.start as *mut libc::c_void, shadow.len(), libc::PROT_READ | libc::PROT_WRITE);
        std::ptr::write_bytes(shadow.start as *mut u8, CLOSED, shadow.len());
    }
}

/// Opens the shadow of a range; ranges come in order, and `opened_to` is where
/// the pages end that are open.
///
/// # Safety
///
/// The shadow is reserved, and the caller's alone.
unsafe fn open_shadow(range: &Range<usize>, opened_to: &mut usize) {
    let (start, end) = (SHADOW + range.start / 8, SHADOW + range.end.div_ceil(8));
    // Some of what lies around is closed rather than missing: who steps there
    // is told what the access was.
    let first = ((start - 1) & !(PAGE - 1)).max(*opened_to);
    let last = (end + 1).next_multiple_of(PAGE);
    // SAFETY: the caller's promise; only pages that were opened are written.
    unsafe {
        if last > first {
            libc::mprotect(first as *mut libc::c_void, last - first, libc::PROT_READ | libc::PROT_WRITE);
            // Fresh pages hold zeros, which are open: only the rest is written.
            if start > first {
                std::ptr::write_bytes(first as *mut u8, CLOSED, start - first);
            }
            std::ptr::write_bytes(end as *mut u8, CLOSED, last - end);
            *opened_to = last;
        }
        let closed_before = first.min(end);
        if start < closed_before {
            std::ptr::write_bytes(start as *mut u8, 0, closed_before - start);
        }
        clear_end(range.end);
    }
}

/// # Safety
///
/// The shadow of the range is open for writing.
unsafe fn clear(range: &Range<usize>) {
    let start = SHADOW + range.start / 8;
    // SAFETY: the caller's promise.
    unsafe {
        std::ptr::write_bytes(start as *mut u8, 0, range.end.div_ceil(8) - range.start / 8);
        clear_end(range.end);
    }
}

/// The last eight bytes may be open in part.
///
/// # Safety
///
/// The shadow of the byte before `end` is open for writing.
unsafe fn clear_end(end: usize) {
    if !end.is_multiple_of(8) {
        // SAFETY: the caller's promise.
        unsafe { ((SHADOW + end / 8) as *mut u8).write((end % 8) as u8) }
    }
}

/// Reserves the shadow. Between launches it holds zeros, which allow all: a
/// module's initialisers are instrumented as well.
///
/// # Errors
///
/// If the system does not reserve the addresses.
pub(super) fn ready() -> Result<MutexGuard<'static, Option<bool>>> {
    let mut guard = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    // SAFETY: nothing is mapped there, or the call fails.
    let is_reserved =
        *guard.get_or_insert_with(|| unsafe { map(libc::PROT_READ, libc::MAP_FIXED_NOREPLACE) });
    if is_reserved {
        return Ok(guard);
    }
    Err(Problem::Unsupported {
        message:
            "a checked build needs 16 TiB of addresses (no memory), which this system does not reserve\n  \
                  = help: raise the limit of virtual memory (`ulimit -v unlimited`), or unset GPUREPL_CHECK"
                .to_owned(),
    }
    .into())
}

/// # Safety
///
/// The shadow's addresses are free or reserved for it.
unsafe fn map(protection: libc::c_int, fixed: libc::c_int) -> bool {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | fixed;
    // SAFETY: the caller's promise.
    let address = unsafe { libc::mmap(SHADOW as *mut libc::c_void, SHADOW_BYTES, protection, flags, -1, 0) };
    address as usize == SHADOW
}

/// The address that a fault in the shadow is about.
pub(super) fn address_of_shadow(address: usize) -> usize {
    address.wrapping_sub(SHADOW) << 3
}
