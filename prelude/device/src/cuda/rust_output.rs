//! What kernels in Rust print on a GPU.
//!
//! Threads write records into memory of the host (`gpurepl_kernels::rust::printed`), each behind the one before, by a
//! counter in the GPU's memory. Whoever waits for the device prints what is complete, in the
//! order of launches and of blocks. When all of the device's work is done the counter begins again.

use std::io::Write as _;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use cudarc::driver::sys::{self, CUresult};
use gpurepl_kernels::rust::printed::{CAPACITY, Printed, record};

use super::context::Context;
use crate::error::Result;

/// Where the records are.
struct Memory {
    /// [`CAPACITY`] bytes of the host.
    bytes: *mut u8,
    /// Two numbers in the GPU's memory: the bytes that threads have taken, and the texts for which
    /// there was no room.
    counters: u64,
    /// The bytes that have been printed.
    printed: usize,
}

// SAFETY: the memory is kept as long as the process, and whoever uses it holds the lock around it.
unsafe impl Send for Memory {}

/// The texts that a context's kernels print.
pub(super) struct RustOutput {
    memory: Mutex<Option<Memory>>,
    is_used: AtomicBool,
    launches: AtomicU64,
}

impl RustOutput {
    pub(super) fn new() -> RustOutput {
        RustOutput { memory: Mutex::new(None), is_used: AtomicBool::new(false), launches: AtomicU64::new(0) }
    }

    /// The addresses of the counters and of the bytes, both on the GPU; none where the driver has no such
    /// memory.
    pub(super) fn addresses(&self, context: &Context) -> Result<Option<[u64; 2]>> {
        let mut memory = self.memory.lock().unwrap_or_else(PoisonError::into_inner);
        if memory.is_none() {
            *memory = allocate(context)?;
        }
        self.is_used.store(memory.is_some(), Ordering::Release);
        Ok(memory.as_ref().map(|memory| [memory.counters, memory.bytes as u64]))
    }

    /// The number of a launch: the next one.
    pub(super) fn next_launch(&self) -> u32 {
        // Order within one wait is all that it is for.
        (self.launches.fetch_add(1, Ordering::Relaxed) & 0xffff_ffff) as u32
    }

    /// Prints what is complete.
    #[inline]
    pub(super) fn print(&self) {
        if self.is_used.load(Ordering::Acquire) {
            self.print_complete();
        }
    }

    #[cold]
    fn print_complete(&self) {
        let mut memory = self.memory.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(memory) = &mut *memory {
            write(taken(memory), 0);
        }
    }

    /// Prints all, when all of the device's work is done, and begins again.
    pub(super) fn finish(&self, context: &Context) -> Result<()> {
        if !self.is_used.load(Ordering::Acquire) {
            return Ok(());
        }
        let mut memory = self.memory.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(memory) = &mut *memory else { return Ok(()) };
        let records = taken(memory);
        if records.is_empty() && memory.printed == 0 {
            return Ok(());
        }
        let mut counters = [0u64; 2];
        // SAFETY: the counters are two numbers, and the context is current; both copies are done
        // when the calls return.
        let result = unsafe {
            match sys::cuMemcpyDtoH_v2(counters.as_mut_ptr().cast(), memory.counters, 16) {
                CUresult::CUDA_SUCCESS => sys::cuMemsetD32_v2(memory.counters, 0, 4),
                failed => failed,
            }
        };
        memory.printed = 0;
        write(records, counters[1]);
        context.check(result, "printing what kernels have printed")
    }
}

fn allocate(context: &Context) -> Result<Option<Memory>> {
    context.bind()?;
    let (mut bytes, mut counters, mut address) = (std::ptr::null_mut(), 0, 0);
    let flags = sys::CU_MEMHOSTALLOC_PORTABLE | sys::CU_MEMHOSTALLOC_DEVICEMAP;
    // SAFETY: the context is current; the pointer is to a place for a pointer.
    if unsafe { sys::cuMemHostAlloc(&raw mut bytes, CAPACITY, flags) } != CUresult::CUDA_SUCCESS {
        return Ok(None);
    }
    // SAFETY: the memory has just been made, mapped; the pointers are to numbers. What could not be had is
    // given back.
    unsafe {
        bytes.cast::<u8>().write_bytes(0, CAPACITY);
        let mapped = sys::cuMemHostGetDevicePointer_v2(&raw mut address, bytes, 0);
        if mapped != CUresult::CUDA_SUCCESS || address != bytes as u64 {
            let _ = sys::cuMemFreeHost(bytes);
            return Ok(None);
        }
        let result = match sys::cuMemAlloc_v2(&raw mut counters, 16) {
            CUresult::CUDA_SUCCESS => sys::cuMemsetD32_v2(counters, 0, 4),
            failed => failed,
        };
        context.check(result, "allocating memory for what kernels print")?;
    }
    Ok(Some(Memory { bytes: bytes.cast(), counters, printed: 0 }))
}

/// The complete records, whose bytes are zeros afterwards.
fn taken(memory: &mut Memory) -> Vec<Printed> {
    let mut records = Vec::new();
    while memory.printed < CAPACITY {
        // SAFETY: the place lies within the bytes. A thread writes the first word last, with a
        // fence before it, and nothing changes a record after that.
        let rest = unsafe {
            let place = memory.bytes.add(memory.printed);
            if place.cast::<u64>().read_volatile() == 0 {
                break;
            }
            std::slice::from_raw_parts_mut(place, CAPACITY - memory.printed)
        };
        let Some((printed, bytes)) = record(rest) else { break };
        rest[..bytes].fill(0);
        memory.printed += bytes;
        records.push(printed);
    }
    records
}

fn write(mut records: Vec<Printed>, lost: u64) {
    if records.is_empty() && lost == 0 {
        return;
    }
    // Equal numbers stay in the order in which they came.
    records.sort_by_key(|printed| (printed.launch, printed.block));
    let mut stdout = std::io::stdout().lock();
    for printed in &records {
        // Nobody reads any more: the kernel has run all the same.
        let _ = stdout.write_all(printed.text.as_bytes());
    }
    if lost > 0 {
        let _ = writeln!(stdout, "\n[... {lost} more texts were printed than the 4 MiB that are kept]");
    }
    let _ = stdout.flush();
}
