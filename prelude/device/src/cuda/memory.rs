//! Memory of a GPU's context: allocated and freed, copied to and from.

use cudarc::driver::sys::{self, CUresult};

use super::allocator::{Place, Refusal};
use super::context::Context;
use crate::error::{Bytes, Error, Problem, Result};
use crate::{Buffer, Order, PoolFigures, graph, stream};

impl Context {
    /// The stream that work goes to now, as the allocator names it.
    pub(super) fn place(&self) -> Place {
        if stream::is_default() {
            return Place { id: 0, raw: std::ptr::null_mut() };
        }
        let current = stream::current_of(self.owner());
        Place { id: current.id(), raw: current.raw() as sys::CUstream }
    }

    pub(super) fn allocate(&self, bytes: usize) -> Result<u64> {
        let place = self.place();
        // Most memory has been there before, and the driver is not asked.
        if let Some(address) = self.allocator.take(bytes, place) {
            self.add_ward();
            return Ok(address);
        }
        self.bind()?;
        if stream::is_capturing() {
            return self.allocate_in_capture(bytes);
        }
        let mut result = self.allocator.allocate(bytes, place);
        if let Err(Refusal::Driver(CUresult::CUDA_ERROR_OUT_OF_MEMORY)) = result {
            // Memory that has been freed may still be in use by work of
            // a stream, or be held in pieces of another size.
            self.free_held()?;
            result = self.allocator.allocate(bytes, place);
        }
        let address = result.map_err(|refusal| self.no_memory(bytes, &refusal))?;
        self.add_ward();
        Ok(address)
    }

    /// Memory that a graph uses must not be allocated by the graph: it is allocated
    /// on another stream, and is there at the first launch.
    fn allocate_in_capture(&self, bytes: usize) -> Result<u64> {
        if graph::capture_of_thread().is_some_and(|capture| capture.context() != self.owner()) {
            let message = "a graph of another context is being captured; capture this within `context.scope`";
            let (operation, message) = ("Graph::capture", message.to_owned());
            return Err(Problem::Invalid { operation, message }.into());
        }
        let place = Place { id: 0, raw: std::ptr::null_mut() };
        let address =
            self.allocator.allocate(bytes, place).map_err(|refusal| self.no_memory(bytes, &refusal))?;
        self.add_ward();
        // SAFETY: the memory is ours alone. Until the first launch of the
        // graph it holds zeros and nobody else's data.
        let result = unsafe {
            match sys::cuMemsetD8Async(address, 0, bytes, place.raw) {
                CUresult::CUDA_SUCCESS => sys::cuStreamSynchronize(place.raw),
                failed => failed,
            }
        };
        if result != CUresult::CUDA_SUCCESS {
            self.allocator.park(address, bytes);
            self.remove_ward();
        }
        self.check(result, "clearing memory for a graph")?;
        Ok(address)
    }

    #[cold]
    fn no_memory(&self, bytes: usize, refusal: &Refusal) -> Error {
        let device = self.description().id.clone();
        let help = "\n  = help: drop arrays that are no longer needed";
        match refusal {
            Refusal::Driver(CUresult::CUDA_ERROR_OUT_OF_MEMORY) => {
                let (free, total) = self.memory().unwrap_or_default();
                let (asked, free, total) = (Bytes(bytes as u64), Bytes(free), Bytes(total));
                Problem::OutOfMemory { device, asked, free, total, help }.into()
            }
            Refusal::Driver(result) => match self.check(*result, "allocating memory") {
                Err(error) => error,
                Ok(()) => Problem::Invalid {
                    operation: "allocating memory",
                    message: "the driver returned no memory; try a smaller array".to_owned(),
                }
                .into(),
            },
            Refusal::Limit(limit) => {
                let active = self.allocator.figures().active_bytes;
                let (asked, free) = (Bytes(bytes as u64), Bytes(limit.saturating_sub(active)));
                let help = "\n  = help: drop arrays that are no longer needed, or raise the limit: \
                            GPUREPL_MEMORY_LIMIT, `memory_pool()?.set_limit(..)`";
                Problem::OutOfMemory { device, asked, free, total: Bytes(*limit), help }.into()
            }
        }
    }

    /// Frees memory, after all work so far.
    ///
    /// # Safety
    ///
    /// The address came from [`Context::allocate`] for as many bytes, is
    /// freed once, and no later work uses it.
    pub(super) unsafe fn release(&self, address: u64, bytes: usize, order: &Order) {
        // Errors here are those of earlier work, which the next call reports.
        let is_plain = stream::is_default() && order.is_plain();
        if !is_plain && self.bind().and_then(|()| order.leave(self.owner())).is_err() {
            // It may still be in use, by a stream that cannot be waited for
            // here: within a call of the driver's, say.
            self.allocator.park(address, bytes);
            self.remove_ward();
            return;
        }
        let place = self.place();
        // SAFETY: the caller's promise; the current stream waits for all that
        // use the memory.
        unsafe {
            if !self.allocator.release(address, bytes, place) {
                let _ = self.bind();
                self.allocator.give(address, place.raw);
            }
        }
        self.remove_ward();
    }

    /// Returns unused memory to the system.
    pub(super) fn free_held(&self) -> Result<()> {
        self.bind()?;
        self.allocator.free_held(|| self.synchronize())
    }

    pub(super) fn figures(&self) -> PoolFigures {
        self.allocator.figures()
    }

    /// Free and total memory. What is held for later is free.
    pub(super) fn memory(&self) -> Result<(u64, u64)> {
        self.bind()?;
        let (mut free, mut total) = (0usize, 0usize);
        // SAFETY: the context is current; the pointers are to valid integers.
        let result = unsafe { sys::cuMemGetInfo_v2(&raw mut free, &raw mut total) };
        self.check(result, "asking for free memory")?;
        let (free, total) = (free as u64, total as u64);
        Ok((free.saturating_add(self.allocator.figures().held_bytes).min(total), total))
    }

    pub(super) fn copy(&self, to: (&Buffer, usize), from: (&Buffer, usize), bytes: usize) -> Result<()> {
        within(to.0, to.1, bytes);
        within(from.0, from.1, bytes);
        self.bind()?;
        from.0.enter_from(self.owner(), false)?;
        to.0.enter_from(self.owner(), true)?;
        let (target, source) = (to.0.address() + to.1 as u64, from.0.address() + from.1 as u64);
        // SAFETY: the bytes lie within the buffers, which are given back
        // after this copy: their streams are known (`Order`).
        let result = unsafe {
            if to.0.is_host() || from.0.is_host() {
                // The driver sees where the addresses are.
                sys::cuMemcpyAsync(target, source, bytes, self.stream())
            } else {
                sys::cuMemcpyDtoDAsync_v2(target, source, bytes, self.stream())
            }
        };
        self.check(result, "copying memory")
    }
}

pub(super) fn within(buffer: &Buffer, offset: usize, length: usize) {
    let end = offset.checked_add(length);
    assert!(end.is_some_and(|end| end <= buffer.bytes()), "internal error: outside of a buffer");
}
