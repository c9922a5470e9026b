//! A block's shared memory, with pages around it that nobody may touch.

use std::ops::Range;

use crate::host::checked;

/// As on GPUs of today, for what a kernel declares and what a launch adds,
/// together.
pub(in crate::host) const SHARED_LIMIT: usize = 227 << 10;

/// Bytes on either side that nobody may touch.
const GUARD: usize = AREA;

/// Bytes with pages of shadow of their own in a checked build: the limit, and
/// 48 KiB for variables that a kernel seems not to reach.
pub(in crate::host) const AREA: usize = 288 << 10;

/// What memory holds that belongs to nobody.
const MARK: u8 = 0xa5;

const MAPPED: usize = AREA + 3 * GUARD;

/// The shared memory of the one block that a worker runs.
pub(super) struct SharedMemory {
    mapping: *mut libc::c_void,
}

impl SharedMemory {
    pub(super) fn new() -> Option<SharedMemory> {
        // SAFETY: a new mapping, of no file, where the system likes; then
        // pages within it.
        unsafe {
            let mapping = libc::mmap(
                std::ptr::null_mut(),
                MAPPED,
                libc::PROT_NONE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
                -1,
                0,
            );
            if mapping == libc::MAP_FAILED {
                return None;
            }
            let shared = SharedMemory { mapping };
            let start = shared.start() as *mut libc::c_void;
            (libc::mprotect(start, AREA, libc::PROT_READ | libc::PROT_WRITE) == 0).then_some(shared)
        }
    }

    fn start(&self) -> usize {
        (self.mapping as usize + GUARD).next_multiple_of(AREA)
    }

    /// Where a block's variables start, and where its dynamic memory does:
    /// at the end, so that what runs past it faults at once.
    pub(super) fn place(&self, variables: usize, alignment: usize, dynamic: usize) -> (*mut u8, *mut u8) {
        let variables = variables.next_multiple_of(16);
        let dynamic = dynamic.next_multiple_of(16);
        let end = self.start() + AREA;
        assert!(variables + dynamic + alignment <= AREA, "checked before the launch");
        let dynamic_start = end - dynamic;
        let start = (dynamic_start - variables) & !(alignment - 1);
        (start as *mut u8, dynamic_start as *mut u8)
    }

    /// Lets a checked build touch a block's variables and nothing between
    /// them. What they hold is like nothing that a kernel would write.
    pub(super) fn check(&self, start: *mut u8, variables: &[Range<usize>], dynamic: *mut u8, bytes: usize) {
        let area = self.start()..self.start() + AREA;
        let start = start as usize;
        // SAFETY: what a block uses lies at the end of the area, which is
        // mapped, and no block runs in it now.
        unsafe { std::ptr::write_bytes(start as *mut u8, 0xcd, area.end - start) };
        let mut parts: Vec<Range<usize>> =
            variables.iter().map(|variable| start + variable.start..start + variable.end).collect();
        parts.push(dynamic as usize..dynamic as usize + bytes);
        checked::open_own(&area, &parts);
    }

    /// What lies between a block's memory and the guard or the memory of the
    /// other kind, because memory is aligned.
    fn gaps(start: *mut u8, variables: usize, dynamic: *mut u8, bytes: usize) -> [(*mut u8, usize); 2] {
        let variables_end = start.wrapping_add(variables);
        let end = dynamic.wrapping_add(bytes);
        [
            (variables_end, dynamic as usize - variables_end as usize),
            (end, (end as usize).next_multiple_of(16) - end as usize),
        ]
    }

    /// Marks it before a block runs.
    pub(super) fn mark(&self, start: *mut u8, variables: usize, dynamic: *mut u8, bytes: usize) {
        for (gap, length) in Self::gaps(start, variables, dynamic, bytes) {
            // SAFETY: it lies in the area, which is mapped, and no block runs
            // in it now.
            unsafe { std::ptr::write_bytes(gap, MARK, length) };
        }
    }

    /// Whether the block has left it alone.
    pub(super) fn is_marked(&self, start: *mut u8, variables: usize, dynamic: *mut u8, bytes: usize) -> bool {
        Self::gaps(start, variables, dynamic, bytes).into_iter().all(|(gap, length)| {
            // SAFETY: as in `mark`.
            (0..length).all(|k| unsafe { gap.add(k).read() } == MARK)
        })
    }

    /// All of it, with its guards.
    pub(super) fn range(&self) -> Range<usize> {
        let start = self.mapping as usize;
        start..start + MAPPED
    }
}

impl Drop for SharedMemory {
    fn drop(&mut self) {
        // SAFETY: no block runs: the worker that it belongs to ends.
        unsafe { libc::munmap(self.mapping, MAPPED) };
    }
}
