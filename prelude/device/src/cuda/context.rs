//! A GPU's context: what is made current before every call, and what it holds.

use std::cell::Cell;
use std::ffi::c_int;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use cudarc::driver::sys::{self, CUcontext, CUctx_flags, CUdevice_attribute, CUlimit, CUresult, CUstream};
use gpurepl_kernels::Generated;

use super::allocator::{self, Allocator};
use super::failure::{check, is_sticky};
use super::faults::Faults;
use super::launch::Image;
use super::pinned::PinnedPool;
use super::rust_output::RustOutput;
use super::rust_stop::{Awaited, RustStop};
use super::transfer::Staging;
use super::{older, properties};
use crate::error::{Problem, Result};
use crate::recent::Recent;
use crate::scalar::ScalarBytes;
use crate::{self as device, ContextFlags, Description, Limit, Scheduling, stream};

/// A context of a GPU: the primary one, which libraries of NVIDIA's use as
/// well, or one of its own.
pub(super) struct Context {
    raw: CUcontext,
    number: usize,
    /// The context as everyone else knows it.
    owner: OnceLock<device::Context>,
    description: Description,
    /// The number of multiprocessors.
    pub(super) multiprocessors: usize,
    pub(super) allocator: Allocator,
    pub(super) staging: Staging,
    /// What panics of kernels in Rust and guards of generated ones have left.
    pub(super) faults: Faults,
    pub(super) rust_output: RustOutput,
    pub(super) rust_stop: RustStop,
    /// Machine code of generated kernels, by what their texts are made from.
    pub(super) generated: Mutex<Recent<Generated<'static>, Arc<Image>>>,
    pub(super) pinned: PinnedPool,
    /// The last kernel that was launched: what an error that comes later is
    /// most likely about.
    last_launch: Mutex<LastLaunch>,
    is_primary: bool,
    is_detached: AtomicBool,
    /// Whether it has been destroyed.
    is_gone: AtomicBool,
    /// What lives in the context: memory, modules, streams, events.
    wards: AtomicUsize,
}

// SAFETY: the driver's functions may be called from any thread; a context is
// made current on each thread before it is used there (`Context::bind`).
unsafe impl Send for Context {}
// SAFETY: as above; the driver locks what it must.
unsafe impl Sync for Context {}

/// Generated kernels that are kept: each takes some ten kilobytes of the GPU's
/// memory, and is a file in the user's cache besides.
const MOST_GENERATED: usize = 1024;

/// Arguments that an error shows, at most.
const SHOWN_ARGUMENTS: usize = 8;

/// What was launched, noted in a few nanoseconds and made a text when it is
/// asked for.
enum LastLaunch {
    Nothing,
    Generated(&'static str),
    Over(Arc<str>, usize),
    Kernel {
        name: Arc<str>,
        grid: [u32; 3],
        block: [u32; 3],
        arguments: Box<[ScalarBytes; SHOWN_ARGUMENTS]>,
        count: usize,
    },
}

impl LastLaunch {
    fn describe(&self) -> Option<String> {
        let shown = |[x, y, z]: [u32; 3]| format!("({x}, {y}, {z})");
        match self {
            LastLaunch::Nothing => None,
            LastLaunch::Generated(what) => Some((*what).to_owned()),
            LastLaunch::Over(name, count) => Some(format!("{name} over {count} elements")),
            LastLaunch::Kernel { name, grid, block, arguments, count } => {
                let mut text = format!("{name} with grid {}, block {}", shown(*grid), shown(*block));
                if *count > 0 {
                    let _ = write!(text, " and arguments (");
                    for (k, argument) in arguments.iter().take(*count).enumerate() {
                        let _ = write!(text, "{}{argument}", if k == 0 { "" } else { ", " });
                    }
                    let rest = if *count > SHOWN_ARGUMENTS { ", ...)" } else { ")" };
                    text.push_str(rest);
                }
                Some(text)
            }
        }
    }
}

impl Context {
    /// The primary context of a GPU.
    pub(super) fn primary(number: usize) -> Result<Context> {
        let device = properties::handle(number)?;
        let mut raw: CUcontext = std::ptr::null_mut();
        // SAFETY: the device is valid. The context is kept as long as the
        // process: a device is opened once, and released by its end.
        let result = unsafe { sys::cuDevicePrimaryCtxRetain(&raw mut raw, device) };
        check(result, || properties::opening(number))?;
        Context::of(raw, number, true).inspect_err(|_| {
            // SAFETY: retained above, and used by nobody.
            let _ = unsafe { sys::cuDevicePrimaryCtxRelease_v2(device) };
        })
    }

    /// A context of its own. It is not made current.
    pub(super) fn make(number: usize, flags: ContextFlags) -> Result<Context> {
        let device = properties::handle(number)?;
        let raw = older::create_context(device, bits(flags));
        let raw = raw.map_err(|result| check(result, || properties::opening(number)).unwrap_err())?;
        let mut popped = std::ptr::null_mut();
        // SAFETY: making a context pushes it on this thread's stack in the
        // driver, where it is taken away; `bind` makes current what is used.
        check(unsafe { sys::cuCtxPopCurrent_v2(&raw mut popped) }, || properties::opening(number))?;
        Context::of(raw, number, false)
    }

    fn of(raw: CUcontext, number: usize, is_primary: bool) -> Result<Context> {
        let device = properties::handle(number)?;
        let multiprocessors = CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT;
        let mut context = Context {
            raw,
            number,
            owner: OnceLock::new(),
            description: properties::describe(number)?,
            multiprocessors: properties::raw_attribute(device, multiprocessors)? as usize,
            allocator: Allocator::without_pools(),
            staging: Staging::new(),
            faults: Faults::new(),
            rust_output: RustOutput::new(),
            rust_stop: RustStop::new(),
            generated: Mutex::new(Recent::new(MOST_GENERATED)),
            pinned: PinnedPool::default(),
            last_launch: Mutex::new(LastLaunch::Nothing),
            is_primary,
            is_detached: AtomicBool::new(false),
            is_gone: AtomicBool::new(false),
            wards: AtomicUsize::new(0),
        };
        context.bind()?;
        context.allocator = Allocator::new(device, is_primary);
        Ok(context)
    }

    pub(super) fn description(&self) -> &Description {
        &self.description
    }

    pub(super) fn raw(&self) -> CUcontext {
        self.raw
    }

    /// Makes the context current on this thread. Other code of the program may
    /// have made another one current, so the driver is asked, which costs it a
    /// few nanoseconds.
    #[inline]
    pub(super) fn bind(&self) -> Result<()> {
        let mut current: CUcontext = std::ptr::null_mut();
        // SAFETY: the pointer is to a valid handle.
        let result = unsafe { sys::cuCtxGetCurrent(&raw mut current) };
        let is_current = result == CUresult::CUDA_SUCCESS && current == self.raw;
        if is_current && !self.is_gone.load(Ordering::Relaxed) { Ok(()) } else { self.bind_now() }
    }

    /// [`Context::bind`] for a launch, without asking the driver where this
    /// thread has bound the context before. If other code has made another one
    /// current, the driver refuses the launch: see [`Context::is_elsewhere`].
    #[inline]
    pub(super) fn bind_for_launch(&self) -> Result<()> {
        let is_bound = BOUND.get() == self.raw as usize && !self.is_gone.load(Ordering::Relaxed);
        if is_bound { Ok(()) } else { self.bind_now() }
    }

    /// Whether a launch was refused because another context is current. Then
    /// this one is, and the launch can be tried again.
    #[cold]
    pub(super) fn is_elsewhere(&self, result: CUresult) -> bool {
        let may_be =
            matches!(result, CUresult::CUDA_ERROR_INVALID_HANDLE | CUresult::CUDA_ERROR_INVALID_CONTEXT);
        let mut current: CUcontext = std::ptr::null_mut();
        // SAFETY: the pointer is to a valid handle.
        let asked = unsafe { sys::cuCtxGetCurrent(&raw mut current) };
        may_be && asked == CUresult::CUDA_SUCCESS && current != self.raw && self.bind_now().is_ok()
    }

    #[cold]
    fn bind_now(&self) -> Result<()> {
        if self.is_gone.load(Ordering::Acquire) {
            let message = "the context has been detached and is gone; make another one".to_owned();
            return Err(Problem::Invalid { operation: "using a context", message }.into());
        }
        self.set_current()
    }

    fn set_current(&self) -> Result<()> {
        // SAFETY: the context is alive: a primary one is never released, and
        // one of our own is destroyed after it was detached, which is checked.
        check(unsafe { sys::cuCtxSetCurrent(self.raw) }, || format!("using {}", self.description.id))?;
        BOUND.set(self.raw as usize);
        Ok(())
    }

    /// The stream that work goes to now.
    #[inline]
    pub(super) fn stream(&self) -> CUstream {
        if stream::is_default() {
            std::ptr::null_mut()
        } else {
            stream::current_raw(self.owner().id()) as CUstream
        }
    }

    /// Said once, when the context is made.
    pub(super) fn set_owner(&self, owner: device::Context) {
        let _ = self.owner.set(owner);
    }

    pub(super) fn number(&self) -> usize {
        self.number
    }

    pub(super) fn owner(&self) -> device::Context {
        *self.owner.get().expect("a context in use has its owner")
    }

    /// An error with the kernel that it is most likely about.
    #[inline]
    pub(super) fn check(&self, result: CUresult, operation: &str) -> Result<()> {
        if result == CUresult::CUDA_SUCCESS { Ok(()) } else { self.failed(result, operation) }
    }

    #[cold]
    fn failed(&self, result: CUresult, operation: &str) -> Result<()> {
        if result == CUresult::CUDA_ERROR_OUT_OF_MEMORY {
            let message = format!("out of memory on {}", self.description.id);
            let help = "drop arrays that are no longer needed".to_owned();
            return Err(Problem::NoRoom { operation: operation.to_owned(), message, help }.into());
        }
        check(result, || match self.last_launch() {
            // Other errors are those of the call itself.
            Some(last) if is_sticky(result) => format!("{operation}, after launching {last}"),
            _ => operation.to_owned(),
        })
    }

    /// [`Context::check`] for the launch that has just been noted.
    #[inline]
    pub(super) fn check_launch(&self, result: CUresult) -> Result<()> {
        if result == CUresult::CUDA_SUCCESS { Ok(()) } else { self.launch_failed(result) }
    }

    #[cold]
    fn launch_failed(&self, result: CUresult) -> Result<()> {
        let what = self.last_launch().unwrap_or_else(|| "a kernel".to_owned());
        // A sticky error is one of earlier work, which the driver reports now.
        let operation = format!("launching {what}");
        if is_sticky(result) { check(result, || operation) } else { self.failed(result, &operation) }
    }

    fn last_launch(&self) -> Option<String> {
        self.last_launch.lock().unwrap_or_else(PoisonError::into_inner).describe()
    }

    /// Notes a kernel of the library's own.
    pub(super) fn note_generated(&self, what: &'static str) {
        self.note(LastLaunch::Generated(what));
    }

    /// Notes a kernel of the user's that runs over elements.
    pub(super) fn note_loop(&self, name: &Arc<str>, count: usize) {
        self.note(LastLaunch::Over(Arc::clone(name), count));
    }

    /// Notes a launch of a user's kernel. Most launches are of the kernel
    /// before, whose name is there.
    #[inline]
    pub(super) fn note_launch(
        &self,
        name: &Arc<str>,
        grid: [u32; 3],
        block: [u32; 3],
        arguments: &[ScalarBytes],
    ) {
        let mut last = self.last_launch.lock().unwrap_or_else(PoisonError::into_inner);
        if !matches!(&*last, LastLaunch::Kernel { name: known, .. } if Arc::ptr_eq(known, name)) {
            let arguments = Box::new([ScalarBytes::address(0); SHOWN_ARGUMENTS]);
            *last = LastLaunch::Kernel { name: Arc::clone(name), grid, block, arguments, count: 0 };
        }
        let LastLaunch::Kernel { grid: last_grid, block: last_block, arguments: shown, count, .. } =
            &mut *last
        else {
            return;
        };
        (*last_grid, *last_block, *count) = (grid, block, arguments.len());
        let few = arguments.len().min(SHOWN_ARGUMENTS);
        shown[..few].copy_from_slice(&arguments[..few]);
    }

    fn note(&self, launch: LastLaunch) {
        *self.last_launch.lock().unwrap_or_else(PoisonError::into_inner) = launch;
    }

    /// Waits for all work. Each stream is waited for, since the driver refuses
    /// to wait for a whole context while another thread captures a graph there.
    pub(super) fn synchronize(&self) -> Result<()> {
        self.bind()?;
        let wait = |stream: CUstream| {
            self.rust_stop.wait(self, Awaited::Stream(stream))?;
            // SAFETY: the context is current, and the stream alive.
            let result = unsafe { sys::cuStreamSynchronize(stream) };
            self.check(result, "waiting for the device")
        };
        wait(std::ptr::null_mut())?;
        if stream::in_use() {
            self.owner().streams().iter().try_for_each(|stream| wait(stream.raw() as CUstream))?;
        }
        self.rust_output.finish(self)?;
        self.faults.check()
    }

    pub(super) fn limit(&self, limit: Limit) -> Result<usize> {
        self.bind()?;
        let mut value = 0usize;
        // SAFETY: the context is current; the pointer is to a valid integer.
        let result = unsafe { sys::cuCtxGetLimit(&raw mut value, driver_limit(limit)) };
        self.check(result, &format!("asking for the limit {limit:?}"))?;
        Ok(value)
    }

    pub(super) fn set_limit(&self, limit: Limit, value: usize) -> Result<()> {
        self.bind()?;
        // SAFETY: the context is current.
        let result = unsafe { sys::cuCtxSetLimit(driver_limit(limit), value) };
        self.check(result, &format!("setting the limit {limit:?} to {value}"))
    }

    pub(super) fn enable_peer_access(&self, other: device::Context) -> Result<()> {
        self.bind()?;
        let raw = other.handle() as CUcontext;
        // SAFETY: both contexts are alive, and this one is current.
        let result = unsafe { sys::cuCtxEnablePeerAccess(raw, 0) };
        if result == CUresult::CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED {
            return Ok(());
        }
        self.check(result, &format!("giving {} access to {}", self.description.id, other.device().id()))?;
        // Memory of pools has an access list of its own.
        allocator::grant(properties::handle(other.device().number())?, properties::handle(self.number)?);
        Ok(())
    }

    pub(super) fn disable_peer_access(&self, other: device::Context) -> Result<()> {
        self.bind()?;
        // SAFETY: as above.
        let result = unsafe { sys::cuCtxDisablePeerAccess(other.handle() as CUcontext) };
        self.check(
            result,
            &format!("ending the access of {} to {}", self.description.id, other.device().id()),
        )
    }

    /// The stream priorities that there are: the lowest and the highest.
    pub(super) fn priorities(&self) -> Result<(c_int, c_int)> {
        self.bind()?;
        let (mut least, mut greatest) = (0, 0);
        // SAFETY: the context is current; the pointers are to valid integers.
        let result = unsafe { sys::cuCtxGetStreamPriorityRange(&raw mut least, &raw mut greatest) };
        self.check(result, "asking for the priorities of streams")?;
        Ok((least, greatest))
    }

    /// Notes something that lives in the context.
    #[inline]
    pub(super) fn add_ward(&self) {
        // A primary context stays: nobody needs to count.
        if self.is_primary {
            return;
        }
        self.wards.fetch_add(1, Ordering::AcqRel);
    }

    /// Notes that it is gone. With the last of them goes a context that has
    /// been detached.
    #[inline]
    pub(super) fn remove_ward(&self) {
        if self.is_primary {
            return;
        }
        if self.wards.fetch_sub(1, Ordering::AcqRel) == 1 && self.is_detached.load(Ordering::Acquire) {
            self.destroy();
        }
    }

    /// Nothing new will be made here.
    pub(super) fn detach(&self) {
        // Counted as a ward meanwhile, so that one thread destroys the context.
        self.add_ward();
        self.is_detached.store(true, Ordering::Release);
        // They hold the context, and may be compiled again.
        let empty = Recent::new(MOST_GENERATED);
        let generated =
            std::mem::replace(&mut *self.generated.lock().unwrap_or_else(PoisonError::into_inner), empty);
        drop(generated);
        self.remove_ward();
    }

    #[cold]
    fn destroy(&self) {
        if self.set_current().is_ok() {
            self.free_staging();
            self.free_pinned();
        }
        self.is_gone.store(true, Ordering::Release);
        // SAFETY: the context was made by `make`; nothing lives in it, nothing
        // new can be made since it is detached, and the count comes to zero
        // once. What the allocator holds goes with it. An error would be one
        // of work that nobody waits for.
        let _ = unsafe { sys::cuCtxDestroy_v2(self.raw) };
        self.allocator.forget();
    }
}

thread_local! {
    /// The context that this thread has bound last.
    static BOUND: Cell<usize> = const { Cell::new(0) };
}

fn bits(flags: ContextFlags) -> u32 {
    let scheduling = match flags.scheduling {
        Scheduling::Auto => CUctx_flags::CU_CTX_SCHED_AUTO,
        Scheduling::Spin => CUctx_flags::CU_CTX_SCHED_SPIN,
        Scheduling::Yield => CUctx_flags::CU_CTX_SCHED_YIELD,
        Scheduling::BlockingSync => CUctx_flags::CU_CTX_SCHED_BLOCKING_SYNC,
    };
    let resize =
        if flags.local_memory_resize_to_max { CUctx_flags::CU_CTX_LMEM_RESIZE_TO_MAX as u32 } else { 0 };
    scheduling as u32 | CUctx_flags::CU_CTX_MAP_HOST as u32 | resize
}

fn driver_limit(limit: Limit) -> CUlimit {
    match limit {
        Limit::StackSize => CUlimit::CU_LIMIT_STACK_SIZE,
        Limit::PrintfFifoSize => CUlimit::CU_LIMIT_PRINTF_FIFO_SIZE,
        Limit::MallocHeapSize => CUlimit::CU_LIMIT_MALLOC_HEAP_SIZE,
        Limit::DevRuntimeSyncDepth => CUlimit::CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH,
        Limit::DevRuntimePendingLaunchCount => CUlimit::CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT,
        Limit::MaxL2FetchGranularity => CUlimit::CU_LIMIT_MAX_L2_FETCH_GRANULARITY,
        Limit::PersistingL2CacheSize => CUlimit::CU_LIMIT_PERSISTING_L2_CACHE_SIZE,
    }
}
