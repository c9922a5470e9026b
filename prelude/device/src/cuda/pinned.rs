//! Memory of the host that the system may not move, so that a GPU reaches it.

use std::collections::{BTreeMap, HashMap};
use std::ffi::c_void;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock};

use cudarc::driver::sys;

use super::context::Context;
use crate::error::{Problem, Result};
use crate::{PageLockedFlags, PoolFigures};

const PAGE: usize = 4096;

/// What is page-locked or managed now: ends by starts. A slice of it is copied
/// directly.
static KNOWN: RwLock<BTreeMap<u64, u64>> = RwLock::new(BTreeMap::new());

/// How many entries that has: most programs have none.
static COUNT: AtomicUsize = AtomicUsize::new(0);

pub(super) fn note(address: u64, bytes: usize) {
    let mut known = KNOWN.write().unwrap_or_else(PoisonError::into_inner);
    known.insert(address, address + bytes as u64);
    COUNT.store(known.len(), Ordering::Release);
}

pub(super) fn forget(address: u64) {
    let mut known = KNOWN.write().unwrap_or_else(PoisonError::into_inner);
    known.remove(&address);
    COUNT.store(known.len(), Ordering::Release);
}

/// Whether any byte of a slice is page-locked or managed: then a copy of it may go on
/// after the driver's call, and needs no memory in between.
pub(super) fn is_known(bytes: &[u8]) -> bool {
    if COUNT.load(Ordering::Acquire) == 0 {
        return false;
    }
    let start = bytes.as_ptr() as u64;
    let known = KNOWN.read().unwrap_or_else(PoisonError::into_inner);
    let before = known.range(..start + bytes.len() as u64).next_back();
    before.is_some_and(|(_, end)| *end > start)
}

/// Page-locked memory that was freed, kept because it is slow to allocate.
#[derive(Default)]
pub(super) struct PinnedPool(Mutex<State>);

#[derive(Default)]
struct State {
    /// By flags and size.
    held: HashMap<(u32, usize), Vec<u64>>,
    figures: PoolFigures,
}

impl PinnedPool {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The size of a piece: whole pages, and an eighth of a power of two apart.
fn size_of_piece(bytes: usize) -> Option<usize> {
    let pages = bytes.checked_next_multiple_of(PAGE)?;
    let step = pages.checked_next_power_of_two()? / 8;
    pages.checked_next_multiple_of(step.max(PAGE))
}

fn allocation_bits(flags: PageLockedFlags) -> u32 {
    bits(flags) | if flags.write_combined { sys::CU_MEMHOSTALLOC_WRITECOMBINED } else { 0 }
}

/// The flags that registering has as well, which have the same values there.
fn bits(flags: PageLockedFlags) -> u32 {
    let portable = if flags.portable { sys::CU_MEMHOSTALLOC_PORTABLE } else { 0 };
    portable | if flags.mapped { sys::CU_MEMHOSTALLOC_DEVICEMAP } else { 0 }
}

impl Context {
    pub(super) fn allocate_pinned(&self, bytes: usize, flags: PageLockedFlags) -> Result<u64> {
        self.bind()?;
        let size = size_of_piece(bytes).ok_or_else(|| {
            let message = format!("{bytes} bytes exceed any memory; allocate fewer");
            Problem::Invalid { operation: "page-locked memory", message }
        })?;
        let key = (allocation_bits(flags), size);
        let mut state = self.pinned.state();
        let held = state.held.get_mut(&key).and_then(Vec::pop);
        if held.is_some() {
            state.figures.held_blocks -= 1;
            state.figures.held_bytes -= size as u64;
        }
        drop(state);
        let address = match held {
            Some(address) => address,
            None => self.ask_for_pinned(key)?,
        };
        let mut state = self.pinned.state();
        state.figures.active_blocks += 1;
        state.figures.active_bytes += size as u64;
        self.add_ward();
        Ok(address)
    }

    fn ask_for_pinned(&self, (flags, size): (u32, usize)) -> Result<u64> {
        let ask = || {
            let mut memory: *mut c_void = std::ptr::null_mut();
            // SAFETY: the context is current; the pointer is to a valid handle.
            let result = unsafe { sys::cuMemHostAlloc(&raw mut memory, size, flags) };
            (result, memory as u64)
        };
        let (mut result, mut address) = ask();
        if result == sys::CUresult::CUDA_ERROR_OUT_OF_MEMORY {
            self.free_pinned();
            (result, address) = ask();
        }
        if result == sys::CUresult::CUDA_ERROR_OUT_OF_MEMORY {
            let message = format!("the system cannot page-lock {size} bytes");
            let help = "drop page-locked memory that is no longer needed".to_owned();
            return Err(Problem::NoRoom { operation: "page-locked memory".to_owned(), message, help }.into());
        }
        self.check(result, "allocating page-locked memory")?;
        note(address, size);
        Ok(address)
    }

    /// # Safety
    ///
    /// As for `Copies::release_page_locked`.
    pub(super) unsafe fn release_pinned(&self, address: u64, bytes: usize, flags: PageLockedFlags) {
        let size = size_of_piece(bytes).expect("it was a size when it was allocated");
        let mut state = self.pinned.state();
        state.figures.active_blocks -= 1;
        state.figures.active_bytes -= size as u64;
        state.figures.held_blocks += 1;
        state.figures.held_bytes += size as u64;
        state.held.entry((allocation_bits(flags), size)).or_default().push(address);
        drop(state);
        self.remove_ward();
    }

    pub(super) fn pinned_figures(&self) -> PoolFigures {
        self.pinned.state().figures
    }

    /// Returns unused memory to the system.
    pub(super) fn free_pinned(&self) {
        let mut state = self.pinned.state();
        let held = std::mem::take(&mut state.held);
        state.figures.held_blocks = 0;
        state.figures.held_bytes = 0;
        drop(state);
        // A context that is lost has lost them as well.
        let is_bound = self.bind().is_ok();
        for address in held.into_values().flatten() {
            forget(address);
            if !is_bound {
                continue;
            }
            // SAFETY: made by `ask_for_pinned`; whoever had it last has given
            // it back, which was after the device's work on it. Failing to is
            // an error of earlier work.
            let _ = unsafe { sys::cuMemFreeHost(address as *mut c_void) };
        }
    }

    /// # Safety
    ///
    /// As for `Copies::register`.
    pub(super) unsafe fn register_memory(
        &self,
        address: u64,
        bytes: usize,
        flags: PageLockedFlags,
    ) -> Result<()> {
        self.bind()?;
        if flags.write_combined {
            let message =
                "existing memory cannot become write-combined; allocate it so: `PageLocked::with_flags`"
                    .to_owned();
            return Err(Problem::Invalid { operation: "register_host_memory", message }.into());
        }
        // SAFETY: the memory is the caller's and stays where it is.
        let result = unsafe { sys::cuMemHostRegister_v2(address as *mut c_void, bytes, bits(flags)) };
        self.check(result, "register_host_memory")?;
        note(address, bytes);
        self.add_ward();
        Ok(())
    }

    /// # Safety
    ///
    /// As for `Copies::unregister`.
    pub(super) unsafe fn unregister_memory(&self, address: u64) {
        forget(address);
        if self.bind().is_ok() {
            // SAFETY: registered by `register_memory`, and not used any more.
            let _ = unsafe { sys::cuMemHostUnregister(address as *mut c_void) };
        }
        self.remove_ward();
    }

    /// Page-locked memory's address for kernels.
    pub(super) fn mapped_address(&self, address: u64) -> Result<u64> {
        self.bind()?;
        let mut mapped = 0;
        // SAFETY: the context is current; the pointer is to a valid integer.
        let result = unsafe { sys::cuMemHostGetDevicePointer_v2(&raw mut mapped, address as *mut c_void, 0) };
        self.check(result, "asking for the address of page-locked memory")?;
        Ok(mapped)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slice_is_known_by_any_of_its_bytes() {
        let memory = vec![0_u8; 100];
        assert!(!is_known(&memory));
        note(memory[20..].as_ptr() as u64, 30);
        assert!(is_known(&memory) && is_known(&memory[20..21]) && is_known(&memory[49..60]));
        assert!(!is_known(&memory[..20]) && !is_known(&memory[50..]));
        forget(memory[20..].as_ptr() as u64);
        assert!(!is_known(&memory));
    }

    #[test]
    fn pieces_are_whole_pages() {
        assert_eq!(size_of_piece(1), Some(PAGE));
        assert_eq!(size_of_piece(usize::MAX), None);
        for bytes in [PAGE, 5 * PAGE + 1, 10_000_003] {
            let size = size_of_piece(bytes).unwrap();
            assert!(size >= bytes && size <= bytes + bytes / 4 + PAGE, "{bytes}: {size}");
        }
    }
}
