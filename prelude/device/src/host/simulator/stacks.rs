//! The stacks that kernels run on, in slots of one size and alignment.

use std::sync::atomic::{AtomicUsize, Ordering};

use corosensei::stack::{Stack, StackPointer};

use super::contract::{CONTEXT, Context};
use super::worker::Worker;

/// Bytes of a slot: what `gpurepl_here` in `shim/thread.hpp` takes it to be.
/// Only the pages that a thread touches are real.
pub(in crate::host) const SLOT: usize = 256 << 10;

/// Bytes at the low end of a slot that nobody may touch. A function with a
/// larger frame touches every page of it (`-fstack-clash-protection`).
pub(super) const GUARD: usize = 16 << 10;

/// Bytes of stack that a thread of a kernel has.
pub(in crate::host) const STACK: usize = SLOT - GUARD;

/// A block's threads, at most.
const SLOTS: usize = 1024;

/// Threads of the operating system that can run kernels at once.
const AREAS: usize = 1024;

/// Where areas start, for the signal handler; zero for none.
static KNOWN: [AtomicUsize; AREAS] = [const { AtomicUsize::new(0) }; AREAS];

/// Whose areas they are: kept apart from the stacks, on which a kernel may
/// write anything.
static OWNERS: [AtomicUsize; AREAS] = [const { AtomicUsize::new(0) }; AREAS];

/// Guards that split a mapping, at most: the system allows a process some
/// 65 000 mappings. What is beyond has none, and an overflow runs into the next
/// slot.
const SPLITTING_GUARDS: usize = 24_000;

/// Puts up a guard.
///
/// # Safety
///
/// The pages are the caller's, and nobody uses them.
unsafe fn guard(low: *mut libc::c_void) {
    // Linux 6.13 and later guard pages without a mapping of their own.
    const MADV_GUARD_INSTALL: libc::c_int = 102;
    static SPLITTING: AtomicUsize = AtomicUsize::new(0);
    // SAFETY: the caller's promise.
    unsafe {
        if libc::madvise(low, GUARD, MADV_GUARD_INSTALL) != 0
            && SPLITTING.fetch_add(1, Ordering::Relaxed) < SPLITTING_GUARDS
        {
            libc::mprotect(low, GUARD, libc::PROT_NONE);
        }
    }
}

/// The slots of one worker.
pub(super) struct Stacks {
    mapping: *mut libc::c_void,
    mapped: usize,
    base: usize,
    place: usize,
    /// Slots below this number have their guards.
    guarded: std::cell::Cell<usize>,
}

impl Stacks {
    pub(super) fn new() -> Option<Stacks> {
        let mapped = SLOT * (SLOTS + 1);
        // SAFETY: a new mapping, of no file, where the system likes.
        let mapping = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                mapped,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
                -1,
                0,
            )
        };
        if mapping == libc::MAP_FAILED {
            return None;
        }
        let base = (mapping as usize).next_multiple_of(SLOT);
        let free = |place: &AtomicUsize| {
            place.compare_exchange(0, base, Ordering::AcqRel, Ordering::Relaxed).is_ok()
        };
        let Some(place) = KNOWN.iter().position(free) else {
            // SAFETY: the mapping was made above, and nothing uses it.
            unsafe { libc::munmap(mapping, mapped) };
            return None;
        };
        Some(Stacks { mapping, mapped, base, place, guarded: std::cell::Cell::new(0) })
    }

    /// Says whose they are.
    pub(super) fn belong_to(&self, worker: *const Worker) {
        OWNERS[self.place].store(worker as usize, Ordering::Release);
    }

    /// The stack of a slot, whose guard is up from then on.
    pub(super) fn slot(&self, number: usize) -> Slot {
        assert!(number < SLOTS);
        let low = self.base + number * SLOT;
        if number >= self.guarded.get() {
            // SAFETY: the pages belong to this mapping, at the end of a slot
            // that no coroutine has used yet.
            unsafe { guard(low as *mut libc::c_void) };
            self.guarded.set(number + 1);
        }
        // The hot ends of all stacks would fall into the same lines of a
        // cache if they were a multiple of its size apart.
        let colour = number * 192 % 4096;
        Slot { top: low + SLOT - CONTEXT - colour, limit: low + GUARD }
    }

    /// All slots.
    pub(super) fn range(&self) -> std::ops::Range<usize> {
        self.base..self.base + SLOT * SLOTS
    }

    pub(super) fn context(&self, number: usize) -> *mut Context {
        (self.base + (number + 1) * SLOT - CONTEXT) as *mut Context
    }
}

impl Drop for Stacks {
    fn drop(&mut self) {
        KNOWN[self.place].store(0, Ordering::Release);
        OWNERS[self.place].store(0, Ordering::Release);
        // SAFETY: the worker gives up its coroutines before its stacks.
        unsafe { libc::munmap(self.mapping, self.mapped) };
    }
}

/// One stack. The memory belongs to [`Stacks`].
pub(super) struct Slot {
    top: usize,
    limit: usize,
}

// SAFETY: the range is mapped as long as the worker lives, which outlives its
// coroutines; `top` is a multiple of 16, as `CONTEXT` and colours are; below
// `limit` lies the guard.
unsafe impl Stack for Slot {
    fn base(&self) -> StackPointer {
        StackPointer::new(self.top).expect("an address is not zero")
    }

    fn limit(&self) -> StackPointer {
        StackPointer::new(self.limit).expect("an address is not zero")
    }
}

/// The context of the slot that a stack pointer lies in, if it lies in one,
/// and the worker that the slot belongs to. Safe to call in a signal handler.
pub(super) fn context_at(stack_pointer: usize) -> Option<(*mut Context, *const Worker)> {
    KNOWN.iter().zip(&OWNERS).find_map(|(base, owner)| {
        let base = base.load(Ordering::Acquire);
        let is_within = base != 0 && (base..base + SLOT * SLOTS).contains(&stack_pointer);
        let worker = owner.load(Ordering::Acquire) as *const Worker;
        let context = || ((stack_pointer | (SLOT - 1)) + 1 - CONTEXT) as *mut Context;
        (is_within && !worker.is_null()).then(|| (context(), worker))
    })
}

/// What the simulator's own functions may need of a kernel's stack.
const ROOM: usize = 16 << 10;

/// Whether there is room left below a stack pointer.
pub(super) fn has_room(context: *const Context, stack_pointer: usize) -> bool {
    stack_pointer >= context as usize + CONTEXT - SLOT + GUARD + ROOM
}

/// Whether an address lies in the guard of the slot of a context.
pub(super) fn is_guard_of(context: *const Context, address: usize) -> bool {
    let low = context as usize + CONTEXT - SLOT;
    (low.saturating_sub(64)..low + GUARD).contains(&address)
}
