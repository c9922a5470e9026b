//! Stopping kernels in Rust that poll: `GPUREPL_POLL=1`.
//!
//! Such kernels look at a flag in the GPU's memory at the ends of loops (`gpurepl_kernels::rust::polled`), and their threads
//! end once it is raised. The context stays, which nothing else that ends a running kernel leaves.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use cudarc::driver::sys::{self, CUevent, CUresult, CUstream};

use super::context::Context;
use crate::error::{Problem, Result};
use crate::interrupt;
use crate::time_limit::time_limit;

/// Between two looks at a stream that is waited for. The first ones follow each other at once.
const PERIOD: Duration = Duration::from_micros(50);

/// For how long a stream is asked without a pause.
const EAGER: Duration = Duration::from_micros(200);

/// How long threads may take to see the flag: what does not poll goes on, and is waited for as usual.
const PATIENCE: Duration = Duration::from_secs(2);

/// What is waited for. Both are alive.
#[derive(Clone, Copy)]
pub(super) enum Awaited {
    /// All work on a stream.
    Stream(CUstream),
    /// The work before an event.
    Event(CUevent),
}

impl Awaited {
    /// Whether it has work left. An error is for whoever waits for it.
    fn is_busy(self) -> bool {
        // SAFETY: the caller has made the context current, and it is alive.
        let result = unsafe {
            match self {
                Awaited::Stream(stream) => sys::cuStreamQuery(stream),
                Awaited::Event(event) => sys::cuEventQuery(event),
            }
        };
        result == CUresult::CUDA_ERROR_NOT_READY
    }
}

/// The flag of a context.
pub(super) struct RustStop {
    /// Its address in the GPU's memory; zero as long as no kernel polls.
    flag: AtomicU64,
    /// Held while the flag is made or raised.
    one: Mutex<()>,
}

impl RustStop {
    pub(super) fn new() -> RustStop {
        RustStop { flag: AtomicU64::new(0), one: Mutex::new(()) }
    }

    /// The flag's address. It is kept as long as the context.
    pub(super) fn address(&self, context: &Context) -> Result<u64> {
        let _one = self.one.lock().unwrap_or_else(PoisonError::into_inner);
        let known = self.flag.load(Ordering::Acquire);
        if known != 0 {
            return Ok(known);
        }
        context.bind()?;
        let mut address = 0;
        // SAFETY: the context is current; the pointer is to a number, and the memory has just been made.
        let result = unsafe {
            match sys::cuMemAlloc_v2(&raw mut address, 4) {
                CUresult::CUDA_SUCCESS => sys::cuMemsetD32_v2(address, 0, 1),
                failed => failed,
            }
        };
        context.check(result, "allocating memory for what stops kernels")?;
        self.flag.store(address, Ordering::Release);
        Ok(address)
    }

    /// Waits for a stream or an event, and stops what runs before it if the user interrupts or the time limit is over. Returns at
    /// once where no kernel polls: the caller waits as usual, which gives the stream's own errors as well.
    ///
    /// # Errors
    ///
    /// If the user has interrupted. A time limit is a fault, which the stopped thread has noted.
    #[inline]
    pub(super) fn wait(&self, context: &Context, awaited: Awaited) -> Result<()> {
        let flag = self.flag.load(Ordering::Acquire);
        if flag == 0 { Ok(()) } else { self.wait_and_look(context, awaited, flag) }
    }

    #[cold]
    fn wait_and_look(&self, context: &Context, awaited: Awaited, flag: u64) -> Result<()> {
        let start = Instant::now();
        let deadline = time_limit().map(|limit| start + limit);
        while awaited.is_busy() {
            let now = Instant::now();
            let is_over = deadline.is_some_and(|deadline| now >= deadline);
            if is_over || interrupt::is_pending() {
                return self.stop(context, awaited, flag, is_over);
            }
            if now.duration_since(start) < EAGER {
                std::hint::spin_loop()
            } else {
                std::thread::sleep(PERIOD)
            }
        }
        Ok(())
    }

    fn stop(&self, context: &Context, awaited: Awaited, flag: u64, is_over: bool) -> Result<()> {
        let _one = self.one.lock().unwrap_or_else(PoisonError::into_inner);
        let result = write(flag, 1);
        context.check(result, "stopping a kernel")?;
        let start = Instant::now();
        while awaited.is_busy() && start.elapsed() < PATIENCE {
            std::thread::sleep(PERIOD);
        }
        // What has not ended does not poll: the caller waits for it, and a second interrupt ends the process.
        let has_ended = !awaited.is_busy();
        let result = write(flag, 0);
        context.check(result, "stopping a kernel")?;
        if has_ended && !is_over {
            // What the threads have noted is told by the interrupt.
            context.faults.forget_stop();
            return Err(Problem::Interrupted.into());
        }
        Ok(())
    }
}

/// Writes the flag while kernels run: on a stream that waits for none, from pinned memory, by a copy engine.
fn write(flag: u64, value: u32) -> CUresult {
    let (mut stream, mut pinned) = (std::ptr::null_mut(), std::ptr::null_mut());
    // SAFETY: the context is current, and all pointers are to places of their own. The copy is waited for before
    // the memory and the stream are given back, and a stream that does not block waits for no other.
    unsafe {
        let created =
            sys::cuStreamCreate(&raw mut stream, sys::CUstream_flags::CU_STREAM_NON_BLOCKING as u32);
        if created != CUresult::CUDA_SUCCESS {
            return created;
        }
        let mut result = sys::cuMemHostAlloc(&raw mut pinned, 4, 0);
        if result == CUresult::CUDA_SUCCESS {
            pinned.cast::<u32>().write(value);
            result = sys::cuMemcpyHtoDAsync_v2(flag, pinned, 4, stream);
            if result == CUresult::CUDA_SUCCESS {
                result = sys::cuStreamSynchronize(stream);
            }
            let _ = sys::cuMemFreeHost(pinned);
        }
        let _ = sys::cuStreamDestroy_v2(stream);
        result
    }
}
