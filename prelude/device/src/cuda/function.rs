//! A kernel's attributes, and those that can be set.

use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicU64, Ordering};

use cudarc::driver::sys::{self, CUfunc_cache, CUfunction_attribute, CUresult};

use super::launch::Kernel;
use crate::error::{Problem, Result};
use crate::{Attribute, CacheConfig, Launch, Limits, too_much_shared_memory};
use crate::{keep_for_capture, stream};

/// The variable by which kernels know that all their blocks run at once, and
/// meet: see `cooperative_groups.h` of `gpurepl-kernels`.
const GRID_BARRIER: &str = "gpurepl_grid_barrier";

/// How much shared memory a kernel's launches can have.
pub(super) struct SharedMemory {
    /// In bytes, by the kernel's own variables.
    declared: u64,
    /// The most dynamic bytes that the driver takes by now.
    allowed: AtomicU64,
    optin: u64,
}

impl SharedMemory {
    pub(super) fn of(kernel: &Kernel, limits: &Limits) -> Result<SharedMemory> {
        let declared = u64::try_from(kernel.attribute(Attribute::SharedSizeBytes)?).unwrap_or(0);
        let allowed = AtomicU64::new(limits.shared_memory.saturating_sub(declared));
        Ok(SharedMemory { declared, allowed, optin: limits.shared_memory_optin.max(limits.shared_memory) })
    }

    /// Makes sure that a launch can have so many dynamic bytes.
    pub(super) fn allow(&self, kernel: &Kernel, name: &str, bytes: usize) -> Result<()> {
        if bytes as u64 <= self.allowed.load(Ordering::Relaxed) {
            return Ok(());
        }
        if bytes as u64 > self.optin.saturating_sub(self.declared) {
            return Err(too_much_shared_memory(name, bytes, self.declared, self.optin));
        }
        let value = i32::try_from(bytes).unwrap_or(i32::MAX);
        kernel.set_attribute(Attribute::MaxDynamicSharedSizeBytes, value)?;
        // Less than another thread has asked for meanwhile is asked for again.
        self.allowed.store(bytes as u64, Ordering::Relaxed);
        Ok(())
    }

    /// Sets the most, as the user says it.
    pub(super) fn set(&self, kernel: &Kernel, name: &str, value: i32) -> Result<()> {
        let bytes = usize::try_from(value).unwrap_or(0);
        if bytes as u64 > self.optin.saturating_sub(self.declared) {
            return Err(too_much_shared_memory(name, bytes, self.declared, self.optin));
        }
        kernel.set_attribute(Attribute::MaxDynamicSharedSizeBytes, value)?;
        self.allowed.store(bytes as u64, Ordering::Relaxed);
        Ok(())
    }
}

fn driver_name(attribute: Attribute) -> CUfunction_attribute {
    use CUfunction_attribute::*;
    match attribute {
        Attribute::SharedSizeBytes => CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES,
        Attribute::ConstSizeBytes => CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES,
        Attribute::LocalSizeBytes => CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES,
        Attribute::NumRegs => CU_FUNC_ATTRIBUTE_NUM_REGS,
        Attribute::PtxVersion => CU_FUNC_ATTRIBUTE_PTX_VERSION,
        Attribute::BinaryVersion => CU_FUNC_ATTRIBUTE_BINARY_VERSION,
        Attribute::MaxDynamicSharedSizeBytes => CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
        Attribute::PreferredSharedMemoryCarveout => CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT,
    }
}

impl Kernel {
    pub(super) fn attribute(&self, attribute: Attribute) -> Result<i32> {
        self.image.context.bind()?;
        let mut value: c_int = 0;
        // SAFETY: the function is loaded; the pointer is to a valid integer.
        let result = unsafe { sys::cuFuncGetAttribute(&raw mut value, driver_name(attribute), self.raw) };
        self.image.context.check(result, "asking about a kernel")?;
        Ok(value)
    }

    pub(super) fn set_attribute(&self, attribute: Attribute, value: i32) -> Result<()> {
        self.image.context.bind()?;
        // SAFETY: the function is loaded.
        let result = unsafe { sys::cuFuncSetAttribute(self.raw, driver_name(attribute), value) };
        self.image.context.check(result, "setting a kernel's attribute")
    }

    pub(super) fn set_cache_config(&self, config: CacheConfig) -> Result<()> {
        let config = match config {
            CacheConfig::PreferNone => CUfunc_cache::CU_FUNC_CACHE_PREFER_NONE,
            CacheConfig::PreferShared => CUfunc_cache::CU_FUNC_CACHE_PREFER_SHARED,
            CacheConfig::PreferL1 => CUfunc_cache::CU_FUNC_CACHE_PREFER_L1,
            CacheConfig::PreferEqual => CUfunc_cache::CU_FUNC_CACHE_PREFER_EQUAL,
        };
        self.image.context.bind()?;
        // SAFETY: the function is loaded.
        let result = unsafe { sys::cuFuncSetCacheConfig(self.raw, config) };
        self.image.context.check(result, "setting a kernel's cache")
    }

    pub(super) fn max_active_blocks(&self, threads: u32, dynamic_shared: usize) -> Result<usize> {
        self.image.context.bind()?;
        let mut blocks: c_int = 0;
        let threads = c_int::try_from(threads).unwrap_or(c_int::MAX);
        // SAFETY: the function is loaded; the pointer is to a valid integer.
        let result = unsafe {
            sys::cuOccupancyMaxActiveBlocksPerMultiprocessor(
                &raw mut blocks,
                self.raw,
                threads,
                dynamic_shared,
            )
        };
        self.image.context.check(result, "asking for a kernel's occupancy")?;
        Ok(usize::try_from(blocks).unwrap_or(0))
    }

    /// The number of blocks, and of threads a block.
    pub(super) fn suggested_block_size(&self, dynamic_shared: usize) -> Result<(usize, usize)> {
        self.image.context.bind()?;
        let (mut grid, mut block): (c_int, c_int) = (0, 0);
        // SAFETY: the function is loaded; the pointers are to valid integers.
        // Without a function for it, dynamic memory is the same for all sizes;
        // a limit of zero is none.
        let result = unsafe {
            sys::cuOccupancyMaxPotentialBlockSize(
                &raw mut grid,
                &raw mut block,
                self.raw,
                None,
                dynamic_shared,
                0,
            )
        };
        self.image.context.check(result, "asking for a kernel's occupancy")?;
        Ok((usize::try_from(grid).unwrap_or(0), usize::try_from(block).unwrap_or(0)))
    }

    /// Launches the kernel on the current stream with all its blocks at once; false where
    /// this device, or the part of it that this process may use, cannot have so many.
    ///
    /// # Safety
    ///
    /// As for [`Kernel::launch`].
    pub(super) unsafe fn launch_resident(
        &self,
        grid: [u32; 3],
        block: u32,
        pointers: &mut [*mut c_void],
    ) -> Result<bool> {
        let context = &self.image.context;
        let blocks: usize = grid.iter().map(|length| *length as usize).product();
        if blocks > self.max_active_blocks(block, 0)? * context.multiprocessors {
            return Ok(false);
        }
        context.bind_for_launch()?;
        keep_for_capture(&self.image);
        // SAFETY: the driver copies each argument, of the size that the
        // kernel says, before it returns; the caller promises the rest.
        let result = unsafe {
            sys::cuLaunchCooperativeKernel(
                self.raw,
                grid[0],
                grid[1],
                grid[2],
                block,
                1,
                1,
                0,
                context.stream(),
                pointers.as_mut_ptr(),
            )
        };
        if matches!(
            result,
            CUresult::CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE | CUresult::CUDA_ERROR_NOT_SUPPORTED
        ) {
            return Ok(false);
        }
        context.check_launch(result)?;
        Ok(true)
    }

    /// Launches the kernel on the default stream, with all its blocks at once.
    ///
    /// # Safety
    ///
    /// As for [`Kernel::launch`].
    pub(super) unsafe fn launch_cooperative(&self, launch: &Launch<'_>) -> Result<()> {
        let context = &self.image.context;
        let [x, y, z] = launch.block;
        let on_each = self.max_active_blocks(x * y * z, launch.shared_memory as usize)?;
        let asked: u64 = launch.grid.iter().map(|length| u64::from(*length)).product();
        let allowed = (on_each * context.multiprocessors) as u64;
        if asked > allowed {
            let message = format!(
                "a cooperative grid of {asked} blocks; all of them must run at once, and of this kernel, with blocks \
                 of {} threads, this device runs {allowed}: {on_each} on each of {} multiprocessors",
                x * y * z,
                context.multiprocessors
            );
            return Err(Problem::Launch { kernel: launch.kernel.to_owned(), message }.into());
        }
        context.bind()?;
        keep_for_capture(&self.image);
        if stream::in_use() && !stream::is_capturing() {
            // Launches on two streams share the barrier.
            self.image.barrier.enter(context.owner(), context.owner(), true)?;
        }
        // The barrier starts at zero, and says that there is one.
        let barrier = self.image.global(GRID_BARRIER).ok();
        let note = |is_cooperative: u32| -> Result<()> {
            let Some((address, 16)) = barrier else { return Ok(()) };
            // SAFETY: the variable is two numbers of eight bytes in the loaded
            // module. The writes are done in the order of the launches.
            let (first, second) = unsafe {
                (
                    sys::cuMemsetD32Async(address, 0, 4, context.stream()),
                    sys::cuMemsetD32Async(address + 8, is_cooperative, 1, context.stream()),
                )
            };
            context.check(first, "preparing a cooperative launch")?;
            context.check(second, "preparing a cooperative launch")
        };
        note(1)?;
        let mut pointers = launch.pointers();
        // SAFETY: the driver copies each argument, of the size that the
        // kernel says, before it returns; the caller promises the rest.
        let result = unsafe {
            sys::cuLaunchCooperativeKernel(
                self.raw,
                launch.grid[0],
                launch.grid[1],
                launch.grid[2],
                x,
                y,
                z,
                launch.shared_memory,
                context.stream(),
                pointers.as_mut_ptr(),
            )
        };
        if result != CUresult::CUDA_SUCCESS {
            let _ = note(0);
        }
        context.check_launch(result)?;
        note(0)
    }
}
