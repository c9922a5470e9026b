//! Streams, events and graphs of a GPU.

use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};

use cudarc::driver::sys::{
    self, CUevent, CUevent_flags, CUgraph, CUgraphExec, CUresult, CUstream, CUstream_flags,
    CUstreamCaptureMode,
};

use super::context::Context;
use super::older;
use super::rust_stop::Awaited;
use crate::error::Result;
use crate::{EventFlags, EventInner, Recording, StreamFlags, StreamInner, Streams};

pub(super) struct CudaStreams(pub(super) Arc<Context>);

fn handle(stream: &StreamInner) -> CUstream {
    stream.raw() as CUstream
}

fn event_handle(event: &EventInner) -> CUevent {
    event.raw() as CUevent
}

impl CudaStreams {
    fn create_raw_event(&self, flags: u32) -> Result<CUevent> {
        self.0.bind()?;
        let mut event: CUevent = std::ptr::null_mut();
        // SAFETY: the context is current; the pointer is to a valid handle.
        let result = unsafe { sys::cuEventCreate(&raw mut event, flags) };
        self.0.check(result, "making an event")?;
        Ok(event)
    }

    /// Whether something is done; errors of the work are errors.
    fn is_done(&self, result: CUresult, operation: &str) -> Result<bool> {
        if result == CUresult::CUDA_ERROR_NOT_READY {
            return Ok(false);
        }
        self.0.check(result, operation).map(|()| true)
    }
}

impl Streams for CudaStreams {
    fn bind(&self) -> Result<()> {
        self.0.bind()
    }

    fn create(&self, flags: StreamFlags, priority: i32) -> Result<u64> {
        let (lowest, highest) = self.0.priorities()?;
        // The driver takes what it knows, and says nothing of the rest.
        let priority = priority.clamp(highest, lowest);
        let flags = if flags.non_blocking {
            CUstream_flags::CU_STREAM_NON_BLOCKING
        } else {
            CUstream_flags::CU_STREAM_DEFAULT
        };
        let mut stream: CUstream = std::ptr::null_mut();
        // SAFETY: the context is current (`priorities`); the pointer is to a
        // valid handle.
        let result = unsafe { sys::cuStreamCreateWithPriority(&raw mut stream, flags as u32, priority) };
        self.0.check(result, "making a stream")?;
        self.0.add_ward();
        Ok(stream as u64)
    }

    fn destroy(&self, stream: &StreamInner) {
        self.retire(stream);
        if self.0.bind().is_ok() {
            // SAFETY: made by `create`, destroyed once, by the last who has
            // it. The driver finishes its work first.
            let _ = unsafe { sys::cuStreamDestroy_v2(handle(stream)) };
        }
        self.0.remove_ward();
    }

    fn retire(&self, stream: &StreamInner) {
        // What the stream held may be used on the default stream next, and
        // whoever remembers the stream waits for that one.
        let waits = self.0.bind().and_then(|()| {
            let default = self.0.owner().default_stream();
            self.wait_for_stream(default, stream)
        });
        self.0.allocator.adopt(stream.id(), waits.is_ok());
    }

    fn priorities(&self) -> Result<(i32, i32)> {
        self.0.priorities()
    }

    fn synchronize(&self, stream: &StreamInner) -> Result<()> {
        self.0.bind()?;
        self.0.rust_stop.wait(&self.0, Awaited::Stream(handle(stream)))?;
        // SAFETY: the stream is alive, and its context current.
        let result = unsafe { sys::cuStreamSynchronize(handle(stream)) };
        self.0.check(result, "waiting for a stream")?;
        self.0.rust_output.print();
        self.0.faults.check()
    }

    fn is_done(&self, stream: &StreamInner) -> Result<bool> {
        self.0.bind()?;
        // SAFETY: as above.
        let result = unsafe { sys::cuStreamQuery(handle(stream)) };
        self.is_done(result, "asking a stream")
    }

    fn wait_for_stream(&self, waiting: &StreamInner, other: &StreamInner) -> Result<()> {
        let event = self.create_raw_event(CUevent_flags::CU_EVENT_DISABLE_TIMING as u32)?;
        // SAFETY: both streams and the event are alive; the driver keeps an
        // event that is waited for until that is over.
        let result = unsafe {
            let mut result = sys::cuEventRecord(event, handle(other));
            if result == CUresult::CUDA_SUCCESS {
                result = sys::cuStreamWaitEvent(handle(waiting), event, 0);
            }
            let _ = sys::cuEventDestroy_v2(event);
            result
        };
        self.0.check(result, "having a stream wait for another one")
    }

    fn call(&self, stream: &StreamInner, function: Box<dyn FnOnce() + Send>) -> Result<()> {
        self.0.bind()?;
        // A plain pointer to the fat one.
        let data = Box::into_raw(Box::new(function));
        // SAFETY: the stream is alive; the driver calls `call_back` once with
        // the data, or returns an error and does not.
        let result = unsafe { sys::cuLaunchHostFunc(handle(stream), Some(call_back), data.cast()) };
        if result != CUresult::CUDA_SUCCESS {
            // SAFETY: made above, and nobody else has it.
            drop(unsafe { Box::from_raw(data) });
        }
        self.0.check(result, "asking for a call after a stream's work")
    }

    fn create_event(&self, flags: EventFlags) -> Result<u64> {
        let mut bits = CUevent_flags::CU_EVENT_DEFAULT as u32;
        if flags.blocking_sync {
            bits |= CUevent_flags::CU_EVENT_BLOCKING_SYNC as u32;
        }
        if flags.disable_timing {
            bits |= CUevent_flags::CU_EVENT_DISABLE_TIMING as u32;
        }
        let event = self.create_raw_event(bits)?;
        self.0.add_ward();
        Ok(event as u64)
    }

    fn destroy_event(&self, event: &EventInner) {
        if self.0.bind().is_ok() {
            // SAFETY: made by `create_event`, destroyed once, by the last who
            // has it.
            let _ = unsafe { sys::cuEventDestroy_v2(event_handle(event)) };
        }
        self.0.remove_ward();
    }

    fn record(&self, event: &EventInner, stream: &StreamInner) -> Result<()> {
        self.0.bind()?;
        // SAFETY: both are alive, and their context current.
        let result = unsafe { sys::cuEventRecord(event_handle(event), handle(stream)) };
        self.0.check(result, "recording an event")
    }

    fn event_is_done(&self, event: &EventInner) -> Result<bool> {
        self.0.bind()?;
        // SAFETY: the event is alive.
        let result = unsafe { sys::cuEventQuery(event_handle(event)) };
        self.is_done(result, "asking an event")
    }

    fn synchronize_event(&self, event: &EventInner) -> Result<()> {
        self.0.bind()?;
        self.0.rust_stop.wait(&self.0, Awaited::Event(event_handle(event)))?;
        // SAFETY: the event is alive.
        let result = unsafe { sys::cuEventSynchronize(event_handle(event)) };
        self.0.check(result, "waiting for an event")?;
        self.0.rust_output.print();
        self.0.faults.check()
    }

    fn wait_for_event(&self, waiting: &StreamInner, event: &EventInner) -> Result<()> {
        self.0.bind()?;
        // SAFETY: both are alive.
        let result = unsafe { sys::cuStreamWaitEvent(handle(waiting), event_handle(event), 0) };
        self.0.check(result, "having a stream wait for an event")
    }

    fn elapsed(&self, start: &EventInner, end: &EventInner) -> Result<f32> {
        self.0.bind()?;
        // SAFETY: both are alive.
        unsafe { older::elapsed(event_handle(start), event_handle(end)) }
            .or_else(|result| self.0.check(result, "the time between two events").map(|()| 0.0))
    }

    fn begin_capture(&self, stream: &StreamInner) -> Result<()> {
        self.0.bind()?;
        // Relaxed: loading a kernel at its first use is not part of the graph.
        let mode = CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED;
        // SAFETY: the stream is alive, and nobody else uses it.
        let result = unsafe { sys::cuStreamBeginCapture_v2(handle(stream), mode) };
        self.0.check(result, "beginning to capture a graph")
    }

    fn end_capture(&self, stream: &StreamInner) -> Result<Box<dyn Recording>> {
        self.0.bind()?;
        let mut graph: CUgraph = std::ptr::null_mut();
        // SAFETY: the stream is alive and being captured by this thread.
        let result = unsafe { sys::cuStreamEndCapture(handle(stream), &raw mut graph) };
        self.0.check(result, "capturing a graph")?;
        let (mut executable, mut count): (CUgraphExec, usize) = (std::ptr::null_mut(), 0);
        // SAFETY: the graph was made above and is destroyed once; without a
        // list the driver writes the number of nodes.
        let result = unsafe {
            let mut result = sys::cuGraphGetNodes(graph, std::ptr::null_mut(), &raw mut count);
            if result == CUresult::CUDA_SUCCESS {
                result = sys::cuGraphInstantiateWithFlags(&raw mut executable, graph, 0);
            }
            let _ = sys::cuGraphDestroy(graph);
            result
        };
        self.0.check(result, "making a graph ready")?;
        self.0.add_ward();
        Ok(Box::new(CudaGraph { executable: Mutex::new(executable), count, context: Arc::clone(&self.0) }))
    }
}

/// What the driver calls. A panic must not reach it.
unsafe extern "C" fn call_back(data: *mut c_void) {
    // SAFETY: `call` has made the data of a box of this type, for one call.
    let function = unsafe { Box::from_raw(data.cast::<Box<dyn FnOnce() + Send>>()) };
    // The panic hook has reported what happened.
    let _ = catch_unwind(AssertUnwindSafe(function));
}

struct CudaGraph {
    /// The driver wants calls for one graph one after the other.
    executable: Mutex<CUgraphExec>,
    count: usize,
    context: Arc<Context>,
}

// SAFETY: the driver's functions may be called from any thread with the
// context bound; launches of one graph are put in order by the driver.
unsafe impl Send for CudaGraph {}
// SAFETY: as above.
unsafe impl Sync for CudaGraph {}

impl Recording for CudaGraph {
    fn len(&self) -> usize {
        self.count
    }

    fn launch(&self, stream: &StreamInner) -> Result<()> {
        self.context.bind()?;
        self.context.note_generated("a graph");
        let executable = self.executable.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: the graph and the stream are alive; what the graph uses is
        // held by whoever holds the graph (`Capture`).
        let result = unsafe { sys::cuGraphLaunch(*executable, handle(stream)) };
        drop(executable);
        self.context.check(result, "launching a graph")
    }
}

impl Drop for CudaGraph {
    fn drop(&mut self) {
        if self.context.bind().is_ok() {
            let executable = *self.executable.get_mut().unwrap_or_else(PoisonError::into_inner);
            // SAFETY: made by `end_capture`, destroyed once; the driver lets
            // launches that are under way finish.
            let _ = unsafe { sys::cuGraphExecDestroy(executable) };
        }
        self.context.remove_ward();
    }
}
