//! A GPU's context: its properties and its memory.

use std::cell::Cell;
use std::ffi::{CStr, c_int};
use std::sync::{Mutex, PoisonError};

use cudarc::driver::sys::{self, CUcontext, CUdevice, CUdevice_attribute, CUresult};

use super::failure::check;
use super::library;
use crate::device::{Buffer, Description, DeviceKind, Limits};
use crate::error::{Bytes, Problem, Result};

/// A GPU in use by this process, through its primary context: the one that
/// libraries of NVIDIA's use as well.
pub(super) struct Context {
    raw: CUcontext,
    description: Description,
    /// The number of multiprocessors.
    pub(super) multiprocessors: usize,
    /// Where memory comes from, if the device has pools.
    pool: Option<Pool>,
    /// The last kernel that was launched: what an error that comes later is
    /// most likely about.
    last_launch: Mutex<String>,
}

// SAFETY: the driver's functions may be called from any thread; a context is
// made current on each thread before it is used there (`Context::bind`).
unsafe impl Send for Context {}
// SAFETY: as above; the driver locks what it must.
unsafe impl Sync for Context {}

/// Makes sure of the driver and initialises it.
fn initialise() -> Result<()> {
    library::driver()?;
    // SAFETY: the library is there; the function may be called at any time.
    check(unsafe { sys::cuInit(0) }, || "starting the CUDA driver".to_owned()).map_err(|error| {
        // No GPU, none that may be seen, or a driver that does not fit its
        // kernel module: nothing is lost, there is just none.
        let help = "see whether `nvidia-smi` lists a GPU, and CUDA_VISIBLE_DEVICES, or use the host device: \
                    `GPUREPL_DEVICE=host`";
        Problem::Missing { what: error.to_string(), help: help.to_owned() }.into()
    })
}

pub(super) fn count() -> Result<usize> {
    initialise()?;
    let mut count: c_int = 0;
    // SAFETY: the driver is initialised; the pointer is to a valid integer.
    check(unsafe { sys::cuDeviceGetCount(&raw mut count) }, || "counting CUDA devices".to_owned())?;
    Ok(usize::try_from(count).unwrap_or(0))
}

/// What is fixed about a GPU. It is asked without a context, which would take
/// memory on the GPU.
///
/// # Errors
///
/// If there is no such device, or the driver cannot be used.
pub(super) fn describe(number: usize) -> Result<Description> {
    let device = handle(number)?;
    let attribute = |which| attribute(device, which);
    use CUdevice_attribute::*;
    let capability = (
        attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)? as i32,
        attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)? as i32,
    );
    let multiprocessors = attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?;
    let (driver, mut memory) = (driver_version()?, 0usize);
    // SAFETY: the device is valid; the pointer is to a valid integer.
    check(unsafe { sys::cuDeviceTotalMem_v2(&raw mut memory, device) }, || opening(number))?;
    let limits = Limits {
        grid: [
            attribute(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X)?,
            attribute(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y)?,
            attribute(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z)?,
        ],
        block: [
            attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X)?,
            attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y)?,
            attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z)?,
        ],
        threads_per_block: attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?,
        shared_memory: attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK)?,
        shared_memory_optin: attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)?,
    };
    Ok(Description {
        kind: DeviceKind::Cuda,
        id: format!("cuda:{number}"),
        name: device_name(device)?,
        detail: format!(
            "compute capability {}.{}, {multiprocessors} multiprocessors, CUDA {}.{}",
            capability.0,
            capability.1,
            driver / 1000,
            driver % 1000 / 10
        ),
        total_memory: memory as u64,
        limits,
        compute_capability: Some(capability),
    })
}

fn opening(number: usize) -> String {
    format!("opening cuda:{number}")
}

/// The driver's handle of a device.
fn handle(number: usize) -> Result<CUdevice> {
    let count = count()?;
    if number >= count {
        let plural = if count == 1 { "" } else { "s" };
        return Err(Problem::Missing {
            what: format!("there is no cuda:{number}: this machine has {count} CUDA device{plural}"),
            help: "`gpurepl devices` lists what there is".to_owned(),
        }
        .into());
    }
    let mut device: CUdevice = 0;
    // SAFETY: the driver is initialised, the number below the count.
    check(unsafe { sys::cuDeviceGet(&raw mut device, number as c_int) }, || opening(number))?;
    Ok(device)
}

impl Context {
    pub(super) fn new(number: usize) -> Result<Context> {
        let device = handle(number)?;
        let description = describe(number)?;
        let multiprocessors =
            attribute(device, CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?;
        let mut raw: CUcontext = std::ptr::null_mut();
        // SAFETY: the device is valid. The context is kept as long as the
        // process: a device is opened once, and released by its end.
        check(unsafe { sys::cuDevicePrimaryCtxRetain(&raw mut raw, device) }, || opening(number))?;
        let mut context = Context {
            raw,
            description,
            multiprocessors: multiprocessors as usize,
            pool: None,
            last_launch: Mutex::new(String::new()),
        };
        context.bind()?;
        context.pool = Pool::of(device);
        Ok(context)
    }

    pub(super) fn description(&self) -> &Description {
        &self.description
    }

    /// Makes the context current on this thread.
    pub(super) fn bind(&self) -> Result<()> {
        thread_local! {
            static BOUND: Cell<usize> = const { Cell::new(0) };
        }
        if BOUND.get() != self.raw as usize {
            // SAFETY: the context was retained and is never released.
            check(unsafe { sys::cuCtxSetCurrent(self.raw) }, || format!("using {}", self.description.id))?;
            BOUND.set(self.raw as usize);
        }
        Ok(())
    }

    /// An error with the kernel that it is most likely about.
    pub(super) fn check(&self, result: CUresult, operation: &str) -> Result<()> {
        if result == CUresult::CUDA_ERROR_OUT_OF_MEMORY {
            let message = format!("out of memory on {}", self.description.id);
            let help = "drop arrays that are not needed any more".to_owned();
            return Err(Problem::NoRoom { operation: operation.to_owned(), message, help }.into());
        }
        check(result, || {
            let last = self.last_launch.lock().unwrap_or_else(PoisonError::into_inner);
            if last.is_empty() {
                operation.to_owned()
            } else {
                format!("{operation}, after launching {last}")
            }
        })
    }

    pub(super) fn note_launch(&self, kernel: impl FnOnce() -> String) {
        *self.last_launch.lock().unwrap_or_else(PoisonError::into_inner) = kernel();
    }

    pub(super) fn allocate(&self, bytes: usize) -> Result<u64> {
        self.bind()?;
        let mut address = 0;
        let mut attempt = || {
            // SAFETY: the context is current; the pointer is to a valid
            // integer. The null stream is the one that all work goes to.
            unsafe {
                if self.pool.is_some() {
                    sys::cuMemAllocAsync(&raw mut address, bytes, std::ptr::null_mut())
                } else {
                    sys::cuMemAlloc_v2(&raw mut address, bytes)
                }
            }
        };
        let mut result = attempt();
        if result == CUresult::CUDA_ERROR_OUT_OF_MEMORY {
            // Memory that has been given back may still be in use by work on
            // the stream; once that is done it can be had.
            self.synchronize()?;
            self.trim();
            result = attempt();
        }
        if result == CUresult::CUDA_ERROR_OUT_OF_MEMORY {
            let (free, total) = self.memory()?;
            return Err(Problem::OutOfMemory {
                device: self.description.id.clone(),
                asked: Bytes(bytes as u64),
                free: Bytes(free),
                total: Bytes(total),
                help: "\n  = help: drop arrays that are not needed any more",
            }
            .into());
        }
        self.check(result, "allocating memory")?;
        Ok(address)
    }

    /// Gives memory back, after all work that has been asked for so far.
    ///
    /// # Safety
    ///
    /// The address came from [`Context::allocate`], is given back once, and no
    /// later work uses it.
    pub(super) unsafe fn release(&self, address: u64) {
        // An error here is one of earlier work, which the next call reports.
        let _ = self.bind();
        // SAFETY: the caller's promise.
        let _ = unsafe {
            if self.pool.is_some() {
                sys::cuMemFreeAsync(address, std::ptr::null_mut())
            } else {
                sys::cuMemFree_v2(address)
            }
        };
    }

    /// Returns what the pool holds and nobody uses to the system, where code
    /// of kernels and other processes can have it.
    fn trim(&self) {
        if let Some(pool) = &self.pool {
            // SAFETY: the pool is the device's own. Failing to is no error:
            // what comes next reports that there is no room.
            let _ = unsafe { sys::cuMemPoolTrimTo(pool.0, 0) };
        }
    }

    /// Free and total memory. What the pool keeps for later is free.
    pub(super) fn memory(&self) -> Result<(u64, u64)> {
        self.bind()?;
        let (mut free, mut total) = (0usize, 0usize);
        // SAFETY: the context is current; the pointers are to valid integers.
        let result = unsafe { sys::cuMemGetInfo_v2(&raw mut free, &raw mut total) };
        self.check(result, "asking for free memory")?;
        let (free, total) = (free as u64, total as u64);
        let kept = self.pool.as_ref().map_or(0, Pool::unused);
        Ok((free.saturating_add(kept).min(total), total))
    }

    pub(super) fn upload(&self, to: &Buffer, offset: usize, from: &[u8]) -> Result<()> {
        within(to, offset, from.len());
        self.bind()?;
        // SAFETY: the bytes lie within the buffer, which is alive. The call
        // returns when `from` has been read.
        let result =
            unsafe { sys::cuMemcpyHtoD_v2(to.address() + offset as u64, from.as_ptr().cast(), from.len()) };
        self.check(result, "copying to the device")
    }

    pub(super) fn download(&self, from: &Buffer, offset: usize, to: &mut [u8]) -> Result<()> {
        within(from, offset, to.len());
        self.bind()?;
        // SAFETY: the bytes lie within the buffer, which is alive. The call
        // returns when `to` has been written.
        let result =
            unsafe { sys::cuMemcpyDtoH_v2(to.as_mut_ptr().cast(), from.address() + offset as u64, to.len()) };
        self.check(result, "copying from the device")
    }

    pub(super) fn copy(&self, to: (&Buffer, usize), from: (&Buffer, usize), bytes: usize) -> Result<()> {
        within(to.0, to.1, bytes);
        within(from.0, from.1, bytes);
        self.bind()?;
        let (target, source) = (to.0.address() + to.1 as u64, from.0.address() + from.1 as u64);
        // SAFETY: the bytes lie within the buffers, which are given back to
        // the same stream, so after this copy.
        let result = unsafe { sys::cuMemcpyDtoDAsync_v2(target, source, bytes, std::ptr::null_mut()) };
        self.check(result, "copying on the device")
    }

    pub(super) fn synchronize(&self) -> Result<()> {
        self.bind()?;
        // SAFETY: the context is current.
        let result = unsafe { sys::cuStreamSynchronize(std::ptr::null_mut()) };
        self.check(result, "waiting for the device")
    }
}

fn within(buffer: &Buffer, offset: usize, length: usize) {
    let end = offset.checked_add(length);
    assert!(end.is_some_and(|end| end <= buffer.bytes()), "internal error: outside of a buffer");
}

fn attribute(device: CUdevice, which: CUdevice_attribute) -> Result<u64> {
    let mut value: c_int = 0;
    // SAFETY: the device is valid; the pointer is to a valid integer.
    check(unsafe { sys::cuDeviceGetAttribute(&raw mut value, which, device) }, || {
        format!("asking for {which:?}")
    })?;
    Ok(u64::try_from(value).unwrap_or(0))
}

fn device_name(device: CUdevice) -> Result<String> {
    let mut name = [0; 256];
    // SAFETY: the device is valid; the buffer is as long as is said. The
    // driver ends the name with a zero.
    unsafe {
        check(sys::cuDeviceGetName(name.as_mut_ptr(), 256, device), || "asking for a name".to_owned())?;
        Ok(CStr::from_ptr(name.as_ptr()).to_string_lossy().into_owned())
    }
}

/// The CUDA version of the driver: 13000 for 13.0.
pub(super) fn driver_version() -> Result<i32> {
    let mut version: c_int = 0;
    // SAFETY: the driver is there; the pointer is to a valid integer.
    check(unsafe { sys::cuDriverGetVersion(&raw mut version) }, || {
        "asking for the driver's version".to_owned()
    })?;
    Ok(version)
}

/// A device's default memory pool.
struct Pool(sys::CUmemoryPool);

impl Pool {
    /// The pool of a device, told to keep what is given back rather than to
    /// return it to the system at each synchronisation: allocating is then a
    /// list operation. None where there are no pools: they make allocating
    /// quick, and everything works without.
    fn of(device: CUdevice) -> Option<Pool> {
        let supported = CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED;
        if !attribute(device, supported).is_ok_and(|value| value != 0) {
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

    /// Bytes that the pool has and nobody uses.
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
