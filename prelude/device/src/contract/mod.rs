//! What a device must be able to do.
//!
//! What the contract promises: addresses are never read or written outside of
//! the `Buffer`s that a task names, because every backend checks the extent
//! of a view (`Strided::check`) before it touches memory. A user's own
//! kernel is the one thing that can break this; see `Backend::compile_module`.

mod copies;
mod description;
pub mod image;
mod module;
mod operation;
mod task;

pub use copies::{Advice, AttachFlags, MemoryLocation, PageLockedFlags};
pub use description::DeviceKind;
pub use module::CacheConfig;

pub use copies::{Copies, Corner, Fill, RectangleCopy, Side};
pub use description::{Description, Limits, memory_limit};
pub use module::{
    Attribute, Entry, FoldKernel, LinkPart, LoadedParameter, LoopArguments, LoopKernel, Module, ModuleSource,
    RowFoldKernel, Rows, RunningKernel, Target, environment, left_out, left_out_global,
    too_much_shared_memory,
};
pub use operation::{Gemm, GemmFactor, GeneratedLaunch, Gpu, Operation};
pub(crate) use task::pointers;
pub use task::{Launch, Strided, Structure};

use std::path::PathBuf;
use std::sync::Arc;

use gpurepl_kernels::rust::RustKernel;
use gpurepl_kernels::{ElementwiseSpec, ReductionSpec, ScanSpec};

use super::{Buffer, Context, EventFlags, EventInner, Limit, Order, StreamFlags, StreamInner};
use crate::error::Result;
use crate::rust::RustLines;

/// What a device must be able to do.
///
/// Work is done in the order of the calls. It may be done later, as on a GPU;
/// downloads wait for it and errors of it may come with a later call.
#[doc(hidden)]
pub trait Backend: Send + Sync {
    fn description(&self) -> Description;

    /// Allocates memory, aligned for any element; its contents are undefined.
    /// `bytes` is not zero.
    ///
    /// Work on the current stream may use the memory at once, that of another
    /// stream once it waits for this one.
    fn allocate(&self, bytes: usize) -> Result<u64>;

    /// Frees memory, after the work of those streams that use it. It cannot
    /// fail: a device that is lost has no memory to free.
    ///
    /// # Safety
    ///
    /// The address came from [`Backend::allocate`] with as many bytes, is
    /// freed once, and no later work uses it.
    unsafe fn release(&self, address: u64, bytes: usize, order: &Order);

    /// Free and total memory in bytes.
    fn memory(&self) -> Result<(u64, u64)>;

    fn upload(&self, to: &Buffer, offset: usize, from: &[u8]) -> Result<()>;

    fn download(&self, from: &Buffer, offset: usize, to: &mut [u8]) -> Result<()>;

    /// Copies bytes, `(buffer, offset)`, from one buffer to another one.
    fn copy(&self, to: (&Buffer, usize), from: (&Buffer, usize), bytes: usize) -> Result<()>;

    /// Performs an operation: whatever the library computes with elements.
    fn perform(&self, operation: &dyn Operation) -> Result<()>;

    /// Whether matrices of half precision can be multiplied as they are.
    fn multiplies_halves(&self) -> bool {
        false
    }

    /// Compiles a user's source.
    ///
    /// Its kernels may do anything, also write where they must not. On a GPU
    /// that is caught by the hardware; on the host a wild write can end the
    /// process, which a session survives because the process is a worker.
    fn compile_module(&self, request: &ModuleSource<'_>) -> Result<Box<dyn Module>>;

    /// Compiles a kernel in Rust; the module has it by its name. Slices are
    /// checked, and what it does by `unsafe` is as much the user's as a source's text.
    fn compile_rust(&self, kernel: &RustKernel<'_>, lines: &RustLines) -> Result<Box<dyn Module>>;

    fn compile_loop(&self, spec: &ElementwiseSpec) -> Result<Box<dyn LoopKernel>>;

    fn compile_fold(&self, spec: &ReductionSpec) -> Result<Box<dyn FoldKernel>>;

    /// Compiles a reduction that is one of rows.
    fn compile_row_fold(&self, spec: &ReductionSpec) -> Result<Box<dyn RowFoldKernel>>;

    fn compile_scan(&self, spec: &ScanSpec) -> Result<Box<dyn RunningKernel>>;

    /// Allocates memory for an image; its contents are undefined.
    fn image(&self, context: Context, layout: &image::Layout) -> Result<Arc<dyn image::Image>>;

    /// A texture over a buffer's elements. Whoever holds the texture holds the
    /// buffer.
    fn linear_texture(
        &self,
        from: &image::Linear<'_>,
        sampling: &image::Sampling,
    ) -> Result<Box<dyn image::Object>>;

    /// Waits for all work, on every stream.
    fn synchronize(&self) -> Result<()>;

    fn streams(&self) -> &dyn Streams;

    /// A limit of the context, in bytes.
    fn limit(&self, limit: Limit) -> Result<usize>;

    fn set_limit(&self, limit: Limit, bytes: usize) -> Result<()>;

    /// Lets kernels of this context use the memory of another one.
    fn enable_peer_access(&self, other: Context) -> Result<()>;

    fn disable_peer_access(&self, other: Context) -> Result<()>;

    /// The driver's handle of the context; zero on the host.
    fn handle(&self) -> u64;

    /// Ends the use of the context; it is destroyed with the last object that
    /// lives in it.
    fn detach(&self);

    /// What the allocator holds.
    fn pool(&self) -> &dyn Pool;

    /// Compiles a source to bytes, and loads nothing.
    fn compile_to(&self, request: &ModuleSource<'_>, target: Target) -> Result<Vec<u8>>;

    /// Loads machine code or PTX that was made elsewhere.
    ///
    /// What its kernels do is as much the user's as their text would be: see
    /// [`Backend::compile_module`].
    fn load_module(&self, image: &[u8]) -> Result<Box<dyn Module>>;

    /// Links machine code, PTX and libraries to machine code.
    fn link(&self, parts: &[LinkPart]) -> Result<Vec<u8>>;

    /// The path of a library of the toolkit's for kernels: `cudadevrt`.
    fn standard_library(&self, name: &str) -> Result<PathBuf>;

    /// Copies of all kinds, and memory that the host uses in place.
    fn copies(&self) -> &dyn Copies;
}

/// Streams and events. Work of one stream is done in its order; streams
/// overlap.
#[doc(hidden)]
pub trait Streams {
    /// Makes the context current for this thread again, after calls of another
    /// one.
    fn bind(&self) -> Result<()>;

    /// The driver's handle of a new stream.
    fn create(&self, flags: StreamFlags, priority: i32) -> Result<u64>;

    /// Called once, when the last handle of the stream is dropped.
    fn destroy(&self, stream: &StreamInner);

    /// The same for a stream that another library has created.
    fn retire(&self, stream: &StreamInner);

    /// The lowest and the highest priority; lower numbers go first.
    fn priorities(&self) -> Result<(i32, i32)>;

    fn synchronize(&self, stream: &StreamInner) -> Result<()>;

    fn is_done(&self, stream: &StreamInner) -> Result<bool>;

    /// Makes the first stream wait for the work that the second one has so far.
    fn wait_for_stream(&self, waiting: &StreamInner, other: &StreamInner) -> Result<()>;

    /// Calls a function on one of the driver's threads after the stream's work.
    fn call(&self, stream: &StreamInner, function: Box<dyn FnOnce() + Send>) -> Result<()>;

    fn create_event(&self, flags: EventFlags) -> Result<u64>;

    /// Called once, when the last handle of the event is dropped.
    fn destroy_event(&self, event: &EventInner);

    fn record(&self, event: &EventInner, stream: &StreamInner) -> Result<()>;

    fn event_is_done(&self, event: &EventInner) -> Result<bool>;

    fn synchronize_event(&self, event: &EventInner) -> Result<()>;

    fn wait_for_event(&self, waiting: &StreamInner, event: &EventInner) -> Result<()>;

    /// In milliseconds.
    fn elapsed(&self, start: &EventInner, end: &EventInner) -> Result<f32>;

    /// From now on the stream's work is recorded instead of done.
    fn begin_capture(&self, stream: &StreamInner) -> Result<()>;

    /// What has been recorded, ready to be launched.
    fn end_capture(&self, stream: &StreamInner) -> Result<Box<dyn Recording>>;
}

/// Work that has been recorded.
#[doc(hidden)]
#[expect(clippy::len_without_is_empty, reason = "`Graph` has it")]
pub trait Recording: Send + Sync {
    /// The number of operations.
    fn len(&self) -> usize;

    fn launch(&self, stream: &StreamInner) -> Result<()>;
}

/// A device's allocator: memory that is freed is kept for the next array.
#[doc(hidden)]
pub trait Pool {
    fn figures(&self) -> PoolFigures;

    /// The most bytes that may be in use; `None` for no limit.
    fn set_limit(&self, bytes: Option<u64>);

    /// Returns unused memory to the system.
    fn free_held(&self) -> Result<()>;
}

/// What an allocator holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[doc(hidden)]
pub struct PoolFigures {
    pub active_blocks: usize,
    pub active_bytes: u64,
    pub held_blocks: usize,
    pub held_bytes: u64,
    pub limit: Option<u64>,
}
