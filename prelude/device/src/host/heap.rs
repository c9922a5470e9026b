//! Memory that kernels allocate, by `malloc` and `new`. It lives until a kernel
//! frees it, as on a GPU, so a launch may use what an earlier one has made.

use std::alloc::Layout;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::checked;

/// What kernels have allocated, by address, and what a checked launch has
/// freed: its memory stays until the launch has ended, so that no thread gets
/// what another one may still use.
struct Heap {
    blocks: BTreeMap<usize, Block>,
    freed: Vec<(usize, Layout)>,
}

#[derive(Clone, Copy)]
struct Block {
    bytes: usize,
    layout: Layout,
    /// Whether a checked launch has allocated it, with pages of its shadow that
    /// no other memory has.
    is_apart: bool,
}

static HEAP: Mutex<Heap> = Mutex::new(Heap { blocks: BTreeMap::new(), freed: Vec::new() });

fn heap() -> MutexGuard<'static, Heap> {
    HEAP.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Memory for a kernel, of a checked build or not; null if there is none.
pub(super) fn allocate(bytes: usize, alignment: usize, is_checked: bool) -> *mut u8 {
    let alignment = if is_checked { alignment.max(checked::APART) } else { alignment.max(16) };
    let size =
        if is_checked { bytes.max(1).checked_next_multiple_of(checked::APART) } else { Some(bytes.max(1)) };
    let Some(layout) = size.and_then(|size| Layout::from_size_align(size, alignment).ok()) else {
        return std::ptr::null_mut();
    };
    // SAFETY: the size is not zero.
    let memory = unsafe { std::alloc::alloc(layout) };
    let start = memory as usize;
    if memory.is_null() {
        return memory;
    }
    if is_checked {
        let asked_for = start..start + bytes;
        checked::open_own(&(start..start + layout.size()), std::slice::from_ref(&asked_for));
    }
    heap().blocks.insert(start, Block { bytes, layout, is_apart: is_checked });
    memory
}

/// Frees memory of [`allocate`]; whether it was that.
pub(super) fn release(start: usize, is_checked: bool) -> bool {
    let Some(block) = heap().blocks.remove(&start) else { return false };
    if is_checked && block.is_apart {
        checked::close_own(&(start..start + block.layout.size()));
    }
    if is_checked {
        heap().freed.push((start, block.layout));
    } else {
        free(start, block.layout);
    }
    true
}

/// Frees what the checked launch that has ended has given back.
pub(super) fn sweep() {
    let freed = std::mem::take(&mut heap().freed);
    freed.into_iter().for_each(|(start, layout)| free(start, layout));
}

/// What kernels have allocated, in order.
pub(super) fn used() -> Vec<Range<usize>> {
    heap().blocks.iter().map(|(start, block)| *start..*start + block.bytes).collect()
}

fn free(start: usize, layout: Layout) {
    // SAFETY: it was allocated with this layout, and was in the list until now:
    // nobody else frees it.
    unsafe { std::alloc::dealloc(start as *mut u8, layout) }
}
