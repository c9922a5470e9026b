//! A GPU's memory for arrays.
//!
//! Freed memory is kept, by stream and size, so that an array of a size
//! that was there before costs two list operations: a block may be used again
//! on its stream at once, because work there is done in order. Sizes are in
//! steps of a sixteenth of a power of two (PyCUDA's pool has the same). Large
//! blocks go to the driver's stream-ordered pool, which can cut and join them.
//!
//! Tools that look at accesses know blocks, not arrays: with
//! `GPUREPL_MEMORY_POOL=0` every array is a block of the driver's, of its own
//! size, and nothing is kept.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use cudarc::driver::sys::{self, CUdevice, CUdevice_attribute, CUdeviceptr, CUresult, CUstream};

use super::properties;
use crate::error::Result;
use crate::{PoolFigures, memory_limit};

/// The smallest block.
const SMALLEST: usize = 512;

/// Blocks up to this size are kept here, larger ones by the driver.
const LARGEST: usize = 32 << 20;

/// Steps between a power of two and the next one.
const STEPS: usize = 16;

const CLASSES: usize = 1 + (LARGEST / SMALLEST).ilog2() as usize * STEPS;

pub(super) struct Allocator {
    /// The driver's pool of the device, where there is one.
    pool: Option<Pool>,
    /// Whether blocks are as large as what is asked for, and not kept.
    is_exact: bool,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Of the default stream: nearly all.
    plain: Held,
    /// Of other streams, by their ids.
    others: HashMap<u64, Held>,
    /// Blocks that may be used again once all work is done.
    parked: Vec<CUdeviceptr>,
    figures: PoolFigures,
}

/// Unused blocks, by their class. Allocated at its first use.
#[derive(Default)]
struct Held(Vec<Vec<CUdeviceptr>>);

impl Held {
    fn take(&mut self, class: usize) -> Option<CUdeviceptr> {
        self.0.get_mut(class)?.pop()
    }

    fn put(&mut self, class: usize, block: CUdeviceptr) {
        if self.0.is_empty() {
            self.0.resize_with(CLASSES, Vec::new);
        }
        self.0[class].push(block);
    }

    fn blocks(self) -> impl Iterator<Item = CUdeviceptr> {
        self.0.into_iter().flatten()
    }
}

/// The class of a size and the bytes that blocks of the class have; none for
/// those that are too large to be kept here.
fn class(bytes: usize) -> Option<(usize, usize)> {
    if bytes > LARGEST {
        return None;
    }
    if bytes <= SMALLEST {
        return Some((0, SMALLEST));
    }
    // Between 2^power, excluded, and 2^(power + 1).
    let power = (bytes - 1).ilog2();
    let step = (1usize << power) / STEPS;
    let above = bytes - (1 << power);
    let number = above.div_ceil(step);
    let class = (power - SMALLEST.ilog2()) as usize * STEPS + number;
    Some((class, (1 << power) + number * step))
}

/// Where memory is allocated or freed: a stream by its id and handle.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub(super) id: u64,
    pub(super) raw: CUstream,
}

/// Why there is no memory.
pub(super) enum Refusal {
    Driver(CUresult),
    /// More than the limit, which is so many bytes.
    Limit(u64),
}

impl Allocator {
    pub(super) fn without_pools() -> Allocator {
        Allocator { pool: None, is_exact: is_exact(), state: Mutex::default() }
    }

    /// The allocator of a context. Memory of the driver's pools belongs to the
    /// device, so that a context of its own, which is destroyed with its
    /// memory, takes none from there.
    pub(super) fn new(device: CUdevice, is_primary: bool) -> Allocator {
        let allocator = Allocator::without_pools();
        let pool = if is_primary && !allocator.is_exact { Pool::of(device) } else { None };
        let limit = memory_limit();
        allocator.state().figures.limit = limit;
        Allocator { pool, ..allocator }
    }

    /// The class of a size, if blocks of it are kept.
    fn class(&self, bytes: usize) -> Option<(usize, usize)> {
        if self.is_exact { None } else { class(bytes) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Memory that is held for work on a stream, if there is such a block. The
    /// driver is not asked.
    #[inline]
    pub(super) fn take(&self, bytes: usize, place: Place) -> Option<CUdeviceptr> {
        let (class, size) = self.class(bytes)?;
        let mut state = self.state();
        let figures = &state.figures;
        if figures.limit.is_some_and(|limit| figures.active_bytes + size as u64 > limit) {
            return None;
        }
        let held = if place.id == 0 { &mut state.plain } else { state.others.get_mut(&place.id)? };
        let block = held.take(class)?;
        let figures = &mut state.figures;
        figures.held_blocks -= 1;
        figures.held_bytes -= size as u64;
        figures.active_blocks += 1;
        figures.active_bytes += size as u64;
        Some(block)
    }

    /// New memory for work on a stream; the context is current.
    pub(super) fn allocate(&self, bytes: usize, place: Place) -> std::result::Result<CUdeviceptr, Refusal> {
        let size = self.class(bytes).map_or(bytes, |(_, size)| size);
        let state = self.state();
        if let Some(limit) = state.figures.limit
            && state.figures.active_bytes.saturating_add(size as u64) > limit
        {
            return Err(Refusal::Limit(limit));
        }
        drop(state);
        let block = self.ask(size, place.raw).map_err(Refusal::Driver)?;
        let mut state = self.state();
        state.figures.active_blocks += 1;
        state.figures.active_bytes += size as u64;
        Ok(block)
    }

    /// Keeps freed memory, to be used again on a stream. False if it is not
    /// kept: then it must be returned to the driver.
    ///
    /// # Safety
    ///
    /// The block came from `take` or `allocate` for as many bytes, is
    /// freed once, and only work that the stream has been asked to do, or waits
    /// for, uses it.
    #[must_use]
    pub(super) unsafe fn release(&self, block: CUdeviceptr, bytes: usize, place: Place) -> bool {
        let class = self.class(bytes);
        let size = class.map_or(bytes, |(_, size)| size);
        let mut state = self.state();
        state.figures.active_blocks -= 1;
        state.figures.active_bytes -= size as u64;
        let Some((class, _)) = class else { return false };
        state.figures.held_blocks += 1;
        state.figures.held_bytes += size as u64;
        let held = if place.id == 0 { &mut state.plain } else { state.others.entry(place.id).or_default() };
        held.put(class, block);
        true
    }

    /// Keeps memory that may still be in use until all work is done.
    pub(super) fn park(&self, block: CUdeviceptr, bytes: usize) {
        let size = self.class(bytes).map_or(bytes, |(_, size)| size);
        let mut state = self.state();
        state.figures.active_blocks -= 1;
        state.figures.active_bytes -= size as u64;
        state.figures.held_blocks += 1;
        state.figures.held_bytes += size as u64;
        state.parked.push(block);
    }

    /// Takes over what a stream that goes has held. Where the default stream
    /// could not be told to wait for it, its blocks wait for all work.
    pub(super) fn adopt(&self, stream: u64, is_waited_for: bool) {
        let mut state = self.state();
        let Some(held) = state.others.remove(&stream) else { return };
        if !is_waited_for {
            state.parked.extend(held.blocks());
            return;
        }
        for (class, blocks) in held.0.into_iter().enumerate() {
            blocks.into_iter().for_each(|block| state.plain.put(class, block));
        }
    }

    /// Returns all unused memory to the system, once the work that may
    /// use it is done: `synchronize` waits for that. The context is current.
    ///
    /// # Errors
    ///
    /// Those of the work; what was held is held on then.
    pub(super) fn free_held(&self, synchronize: impl FnOnce() -> Result<()>) -> Result<()> {
        let mut state = self.state();
        // Taken first: what is freed from now on is not waited for.
        let plain = std::mem::take(&mut state.plain);
        let others = std::mem::take(&mut state.others);
        let parked = std::mem::take(&mut state.parked);
        let held = (state.figures.held_blocks, state.figures.held_bytes);
        state.figures.held_blocks = 0;
        state.figures.held_bytes = 0;
        drop(state);
        let others = others.into_values().flat_map(Held::blocks);
        let blocks: Vec<CUdeviceptr> = plain.blocks().chain(others).chain(parked).collect();
        if let Err(error) = synchronize() {
            // They may still be in use.
            let mut state = self.state();
            (state.figures.held_blocks, state.figures.held_bytes) = held;
            state.parked.extend(blocks);
            return Err(error);
        }
        for block in blocks {
            // SAFETY: nobody has these blocks, and the work that used them
            // is done.
            unsafe { self.give(block, std::ptr::null_mut()) };
        }
        if let Some(pool) = &self.pool {
            // SAFETY: gives back what is freed once the work that uses it is
            // done: it is. The pool is the device's own. A failure is not an
            // error: what comes next reports that there is no room.
            unsafe {
                let _ = sys::cuStreamSynchronize(std::ptr::null_mut());
                let _ = sys::cuMemPoolTrimTo(pool.0, 0);
            }
        }
        Ok(())
    }

    /// The context is gone, and the memory with it.
    pub(super) fn forget(&self) {
        let mut state = self.state();
        state.plain = Held::default();
        state.others.clear();
        state.parked.clear();
        state.figures.held_blocks = 0;
        state.figures.held_bytes = 0;
    }

    /// What is held and used, here and by the driver's pool.
    pub(super) fn figures(&self) -> PoolFigures {
        let figures = self.state().figures;
        let unused = self.pool.as_ref().map_or(0, Pool::unused);
        PoolFigures { held_bytes: figures.held_bytes + unused, ..figures }
    }

    pub(super) fn set_limit(&self, limit: Option<u64>) {
        self.state().figures.limit = limit;
    }

    fn ask(&self, bytes: usize, stream: CUstream) -> std::result::Result<CUdeviceptr, CUresult> {
        let mut block = 0;
        // SAFETY: the context is current; the pointer is to a valid integer.
        let result = unsafe {
            if self.pool.is_some() {
                sys::cuMemAllocAsync(&raw mut block, bytes, stream)
            } else {
                sys::cuMemAlloc_v2(&raw mut block, bytes)
            }
        };
        if result == CUresult::CUDA_SUCCESS { Ok(block) } else { Err(result) }
    }

    /// Returns memory to the driver; the context is current.
    ///
    /// # Safety
    ///
    /// As for [`Allocator::release`], which does not keep it.
    pub(super) unsafe fn give(&self, block: CUdeviceptr, stream: CUstream) {
        // SAFETY: the caller's promise. An error here is one of earlier work,
        // which the next call reports.
        let _ = unsafe {
            if self.pool.is_some() { sys::cuMemFreeAsync(block, stream) } else { sys::cuMemFree_v2(block) }
        };
    }
}

/// Whether `GPUREPL_MEMORY_POOL` says to keep no memory.
fn is_exact() -> bool {
    std::env::var_os("GPUREPL_MEMORY_POOL").is_some_and(|value| value == "0")
}

/// A device's default memory pool.
struct Pool(sys::CUmemoryPool);

// SAFETY: the driver's functions for pools may be called from any thread.
unsafe impl Send for Pool {}
// SAFETY: as above.
unsafe impl Sync for Pool {}

impl Pool {
    /// The pool of a device, set to keep freed memory rather than to
    /// return it to the system at each synchronisation. None where there are
    /// no pools: they make allocating quick, and everything works without.
    fn of(device: CUdevice) -> Option<Pool> {
        let supported = CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED;
        if !properties::raw_attribute(device, supported).is_ok_and(|value| value != 0) {
            return None;
        }
        let (mut pool, mut threshold) = (std::ptr::null_mut(), u64::MAX);
        let which = sys::CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD;
        let mut address = 0;
        // SAFETY: the device is valid and its context current; the attribute
        // is a 64-bit integer; what is allocated to try the pool is given
        // back at once.
        let works = unsafe {
            sys::cuDeviceGetDefaultMemPool(&raw mut pool, device) == CUresult::CUDA_SUCCESS
                && sys::cuMemPoolSetAttribute(pool, which, (&raw mut threshold).cast())
                    == CUresult::CUDA_SUCCESS
                && sys::cuMemAllocAsync(&raw mut address, 256, std::ptr::null_mut()) == CUresult::CUDA_SUCCESS
                && sys::cuMemFreeAsync(address, std::ptr::null_mut()) == CUresult::CUDA_SUCCESS
        };
        works.then_some(Pool(pool))
    }

    /// Unused bytes of the pool.
    fn unused(&self) -> u64 {
        use sys::CUmemPool_attribute::*;
        let ask = |which| {
            let mut value = 0_u64;
            // SAFETY: the pool is valid; these attributes are 64-bit integers.
            let result = unsafe { sys::cuMemPoolGetAttribute(self.0, which, (&raw mut value).cast()) };
            if result == CUresult::CUDA_SUCCESS { value } else { 0 }
        };
        ask(CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT).saturating_sub(ask(CU_MEMPOOL_ATTR_USED_MEM_CURRENT))
    }
}

/// Allows a GPU to use the memory of another one's pool.
pub(super) fn grant(of: CUdevice, to: CUdevice) {
    let Some(pool) = Pool::of(of) else { return };
    let access = sys::CUmemAccessDesc {
        location: sys::CUmemLocation {
            type_: sys::CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE,
            __bindgen_anon_1: sys::CUmemLocation_st__bindgen_ty_1 { id: to },
        },
        flags: sys::CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_READWRITE,
    };
    // SAFETY: the pool and the device are valid; one descriptor is passed.
    // Where it is refused, a kernel's access fails as it would without.
    let _ = unsafe { sys::cuMemPoolSetAccess(pool.0, &raw const access, 1) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_hold_their_sizes_and_waste_little() {
        let mut last = 0;
        for bytes in (1..20_000).chain((1 << 20)..(1 << 20) + 200_000).chain(LARGEST - 5000..=LARGEST) {
            let (class, size) = class(bytes).unwrap();
            assert!(size >= bytes && class < CLASSES, "{bytes}: {class}, {size}");
            assert!(bytes <= SMALLEST || size - bytes <= bytes / STEPS + 1, "{bytes}: {size}");
            assert_eq!(super::class(size), Some((class, size)), "a class holds its own size");
            assert!(class >= last || bytes == 1 << 20, "{bytes}");
            last = class;
        }
        assert_eq!(super::class(LARGEST).map(|(class, _)| class), Some(CLASSES - 1));
        assert_eq!(super::class(LARGEST + 1), None);
    }

    #[test]
    fn an_exact_allocator_keeps_nothing() {
        let allocator = |is_exact| Allocator { pool: None, is_exact, state: Mutex::default() };
        assert_eq!(allocator(false).class(400), Some((0, SMALLEST)));
        assert_eq!(allocator(true).class(400), None);
    }
}
