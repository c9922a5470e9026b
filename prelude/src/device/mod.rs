//! Devices: where arrays live and kernels run.
//!
//! Two devices stand behind one contract, `Backend`: CUDA, through the
//! driver, and the host, through the system's C++ compiler. Everything above
//! this module speaks to the contract; all `unsafe` of arrays and kernels lies
//! below it.
//!
//! What the contract promises: addresses are never read or written outside of
//! the `Buffer`s that a task names, because every backend checks the extent
//! of a view (`Strided::check`) before it touches memory. A user's own
//! kernel is the one thing that can break this; see `Backend::compile_module`.

mod attributes;
mod autoinit;
mod buffer;
pub(crate) mod cache;
mod context;
mod copies;
pub(crate) mod cuda;
pub(crate) mod debug;
mod event;
mod graph;
pub(crate) mod host;
mod host_memory;
pub(crate) mod image;
pub(crate) mod includes;
pub mod nvtx;
mod order;
mod properties;
mod stream;
pub(crate) mod summary;
mod symbols;
mod task;

pub use attributes::DeviceAttribute;
pub use context::{Context, ContextFlags, Limit, Scheduling, synchronize};
pub use copies::{Advice, AttachFlags, MemoryLocation, PageLockedFlags};
pub(crate) use event::EventInner;
pub use event::{Event, EventFlags, timed};
pub use graph::Graph;
pub(crate) use graph::{capture_id, keep_for_capture, outside_capture};
pub use properties::{Device, device};
pub use stream::{Stream, StreamFlags};
pub(crate) use stream::{StreamInner, in_use as streams_in_use, refuse_in_capture};

pub(crate) use autoinit::{reports, retained};
pub(crate) use buffer::{Buffer, Watcher, Watchers, hold};
pub(crate) use context::{current, in_use};
pub(crate) use copies::{Copies, Corner, Fill, RectangleCopy, Side};
pub(crate) use host::use_large_pages;
pub(crate) use host_memory::{Foreign, HostMemory};
pub(crate) use order::Order;
pub(crate) use summary::{Figures, Summary};
pub(crate) use task::{Elementwise, Launch, Random, RandomKind, Reduction, Strided, Structure};

use std::path::PathBuf;
use std::sync::Arc;

use gpurepl_kernels::mangled::ParameterType;
use gpurepl_kernels::preprocessor::{Environment, Headers};
use gpurepl_kernels::signature::Signature;
use gpurepl_kernels::{DType, ElementwiseSpec, ReductionSpec};

use crate::error::{Error, Problem, Result};
use crate::scalar::ScalarBytes;

/// Whether a device is a GPU or this machine's CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DeviceKind {
    /// An NVIDIA GPU.
    Cuda,
    /// This machine's CPU.
    Host,
}

/// What is fixed about a device.
#[derive(Clone, Debug)]
pub(crate) struct Description {
    pub(crate) kind: DeviceKind,
    pub(crate) number: usize,
    /// How `GPUREPL_DEVICE` names it: `cuda:0`.
    pub(crate) id: String,
    pub(crate) name: String,
    /// What else is worth a line: architecture, cores, versions.
    pub(crate) detail: String,
    pub(crate) total_memory: u64,
    pub(crate) limits: Limits,
    /// The architecture of a CUDA device: 9.0 for Hopper.
    pub(crate) compute_capability: Option<(i32, i32)>,
}

/// The most that a launch can ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Limits {
    /// In blocks.
    pub(crate) grid: [u64; 3],
    /// In threads.
    pub(crate) block: [u64; 3],
    pub(crate) threads_per_block: u64,
    /// In bytes, shared memory of a block without asking for more.
    pub(crate) shared_memory: u64,
    /// In bytes, the most that a kernel can ask for.
    pub(crate) shared_memory_optin: u64,
}

/// What a device must be able to do.
///
/// Work is done in the order of the calls. It may be done later, as on a GPU;
/// downloads wait for it and errors of it may come with a later call.
pub(crate) trait Backend: Send + Sync {
    fn description(&self) -> Description;

    /// Reserves memory, aligned for any element; its contents are any bytes,
    /// zeros among them. `bytes` is not zero.
    ///
    /// The memory is for work on the current stream; for another one, as soon
    /// as that waits.
    fn allocate(&self, bytes: usize) -> Result<u64>;

    /// Gives memory back, after the work of those streams that use it. It
    /// cannot fail: a device that is lost has no memory to give back.
    ///
    /// # Safety
    ///
    /// The address came from [`Backend::allocate`] with as many bytes, is
    /// given back once, and nothing that is asked for later uses it.
    unsafe fn release(&self, address: u64, bytes: usize, order: &Order);

    /// Free and total memory in bytes.
    fn memory(&self) -> Result<(u64, u64)>;

    fn upload(&self, to: &Buffer, offset: usize, from: &[u8]) -> Result<()>;

    fn download(&self, from: &Buffer, offset: usize, to: &mut [u8]) -> Result<()>;

    /// Copies bytes, `(buffer, offset)`, from one buffer to another one.
    fn copy(&self, to: (&Buffer, usize), from: (&Buffer, usize), bytes: usize) -> Result<()>;

    /// Evaluates a fused expression.
    fn evaluate(&self, task: &Elementwise<'_>) -> Result<()>;

    /// Reduces a fused expression to one element.
    fn reduce(&self, task: &Reduction<'_>) -> Result<()>;

    /// Leaves the figures of a fused expression, for displays.
    fn summarize(&self, task: &Summary<'_>) -> Result<()>;

    /// Fills a buffer with random numbers.
    fn random(&self, task: &Random<'_>) -> Result<()>;

    /// Compiles a user's source.
    ///
    /// Its kernels may do anything, also write where they must not. On a GPU
    /// that is caught by the hardware; on the host a wild write can end the
    /// process, which a session survives because the process is a worker.
    fn compile_module(&self, request: &ModuleSource<'_>) -> Result<Box<dyn Module>>;

    fn compile_loop(&self, spec: &ElementwiseSpec) -> Result<Box<dyn LoopKernel>>;

    fn compile_fold(&self, spec: &ReductionSpec) -> Result<Box<dyn FoldKernel>>;

    /// Reserves memory for an image; its contents are any.
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

    /// Nothing new is asked of the context; it goes with the last thing that
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
pub(crate) trait Streams {
    /// Has this thread's next calls go to this context again, after calls of
    /// another one.
    fn bind(&self) -> Result<()>;

    /// The driver's handle of a new stream.
    fn create(&self, flags: StreamFlags, priority: i32) -> Result<u64>;

    /// Called once, when nobody has the stream any more.
    fn destroy(&self, stream: &StreamInner);

    /// The same for a stream of someone else's.
    fn retire(&self, stream: &StreamInner);

    /// The lowest and the highest priority; lower numbers go first.
    fn priorities(&self) -> Result<(i32, i32)>;

    fn synchronize(&self, stream: &StreamInner) -> Result<()>;

    fn is_done(&self, stream: &StreamInner) -> Result<bool>;

    /// Has the first stream wait for what the second has been asked to do.
    fn wait_for_stream(&self, waiting: &StreamInner, other: &StreamInner) -> Result<()>;

    /// Calls a function on a thread of the driver's after the stream's work.
    fn call(&self, stream: &StreamInner, function: Box<dyn FnOnce() + Send>) -> Result<()>;

    fn create_event(&self, flags: EventFlags) -> Result<u64>;

    /// Called once, when nobody has the event any more.
    fn destroy_event(&self, event: &EventInner);

    fn record(&self, event: &EventInner, stream: &StreamInner) -> Result<()>;

    fn event_is_done(&self, event: &EventInner) -> Result<bool>;

    fn synchronize_event(&self, event: &EventInner) -> Result<()>;

    fn wait_for_event(&self, waiting: &StreamInner, event: &EventInner) -> Result<()>;

    /// In milliseconds.
    fn elapsed(&self, start: &EventInner, end: &EventInner) -> Result<f32>;

    /// From now on what the stream is asked to do is recorded instead.
    fn begin_capture(&self, stream: &StreamInner) -> Result<()>;

    /// What has been recorded, ready to be launched.
    fn end_capture(&self, stream: &StreamInner) -> Result<Box<dyn Recording>>;
}

/// Work that has been recorded.
pub(crate) trait Recording: Send + Sync {
    /// The number of operations.
    fn len(&self) -> usize;

    fn launch(&self, stream: &StreamInner) -> Result<()>;
}

/// A device's allocator: what is given back is kept for the next array.
pub(crate) trait Pool {
    fn figures(&self) -> PoolFigures;

    /// The most bytes that may be in use; none for as many as there are.
    fn set_limit(&self, bytes: Option<u64>);

    /// Gives what nobody uses back to the system.
    fn free_held(&self) -> Result<()>;
}

/// What an allocator holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct PoolFigures {
    pub(crate) active_blocks: usize,
    pub(crate) active_bytes: u64,
    pub(crate) held_blocks: usize,
    pub(crate) held_bytes: u64,
    pub(crate) limit: Option<u64>,
}

/// What a source is compiled to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// Machine code for the device in use.
    Cubin,
    /// A text that drivers compile for any device.
    Ptx,
}

impl Target {
    /// As PyCUDA calls it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Target::Cubin => "cubin",
            Target::Ptx => "ptx",
        }
    }
}

/// One thing to link.
#[derive(Clone, Debug)]
pub(crate) struct LinkPart {
    /// What messages call it.
    pub(crate) name: String,
    pub(crate) data: Vec<u8>,
}

/// The most bytes that arrays may take: `GPUREPL_MEMORY_LIMIT`, in MiB.
pub(crate) fn memory_limit() -> Option<u64> {
    let text = std::env::var("GPUREPL_MEMORY_LIMIT").ok()?;
    text.trim().parse::<u64>().ok().map(|mebibytes| mebibytes.saturating_mul(1 << 20))
}

/// A user's source, to be compiled.
#[derive(Clone, Copy)]
pub(crate) struct ModuleSource<'a> {
    pub(crate) source: &'a str,
    /// The source once the preprocessor has run, as far as that is known.
    pub(crate) preprocessed: &'a str,
    /// The kernels that the source seems to have.
    pub(crate) signatures: &'a [Signature],
    pub(crate) options: &'a [String],
    /// Kernels that the text seems to have but the compiler does not see: see
    /// [`crate::error::CompileError::left_out`].
    pub(crate) left_out: &'a [String],
    /// Instances of kernel templates: `reduce<float, 256>`.
    pub(crate) instances: &'a [String],
    /// Whether the host device looks up every access before it is made.
    pub(crate) is_checked: bool,
}

/// What the preprocessor knows when a device compiles a source.
pub(crate) fn environment<'a>(
    capability: Option<(i32, i32)>,
    options: &[String],
    headers: Headers<'a>,
) -> Environment<'a> {
    let mut environment = match capability {
        Some((major, minor)) => Environment::cuda(u32::try_from(10 * major + minor).unwrap_or(0)),
        None => Environment::host(),
    };
    environment.options(options);
    environment.with_headers(headers)
}

/// A compiled source.
pub(crate) trait Module: Send + Sync {
    /// The kernel of this name; the caller knows that the source has it.
    fn function(&self, name: &str) -> Result<Box<dyn Entry>>;

    /// The address of the variable of this qualified name, and its size in
    /// bytes; the caller knows that the source seems to have it. It stays
    /// where it is while the module lives.
    fn global(&self, name: &str) -> Result<(u64, usize)>;

    /// The types of a kernel's parameters, by its qualified name, as the
    /// compiler has them.
    fn parameter_types(&self, _name: &str) -> Option<Vec<ParameterType>> {
        None
    }

    /// What a loaded module itself says about the arguments of a kernel.
    fn parameters(&self, _name: &str) -> Option<Vec<LoadedParameter>> {
        None
    }

    /// The names of a loaded module's variables, as far as they are known.
    fn variables(&self) -> Vec<String> {
        Vec::new()
    }
}

/// An argument of a kernel that has no source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LoadedParameter {
    pub(crate) bytes: usize,
    /// The type of a float; other types cannot be told from addresses.
    pub(crate) dtype: Option<DType>,
}

/// That a variable stands in the text, but not in what was compiled.
#[cold]
pub(crate) fn left_out_global(name: &str) -> Error {
    let message = "the preprocessor or the compiler leaves this variable out".to_owned();
    Problem::Argument { kernel: name.to_owned(), message }.into()
}

/// That a kernel stands in the text, but not in what was compiled.
#[cold]
pub(crate) fn left_out(kernel: &str) -> Error {
    let message = "the preprocessor leaves this kernel out, or there are several of its name".to_owned();
    Problem::Argument { kernel: kernel.to_owned(), message }.into()
}

/// A kernel of a compiled source.
pub(crate) trait Entry: Send + Sync {
    /// The size in bytes of each argument, where the compiler says so.
    fn argument_sizes(&self) -> Option<Vec<usize>>;

    /// The most threads that a block of this kernel can have.
    fn max_threads_per_block(&self) -> u64;

    fn launch(&self, launch: &Launch<'_>) -> Result<()>;

    /// One of the numbers that are known about a compiled kernel.
    fn attribute(&self, attribute: Attribute) -> Result<i32>;

    /// Changes what can be changed about a kernel.
    fn set_attribute(&self, attribute: Attribute, value: i32) -> Result<()>;

    fn set_cache_config(&self, config: CacheConfig) -> Result<()>;

    /// How many blocks of so many threads, with so much dynamic shared memory,
    /// run on one multiprocessor at once.
    fn max_active_blocks_per_multiprocessor(&self, threads: u32, dynamic_shared: usize) -> Result<usize>;

    /// The number of threads a block that fills the device best, and how many
    /// blocks it takes: `(grid, block)`.
    fn suggested_block_size(&self, dynamic_shared: usize) -> Result<(usize, usize)>;

    /// Makes sure that a launch can have so much dynamic shared memory: asks
    /// the device for it where that is needed, once.
    fn allow_shared_memory(&self, kernel: &str, bytes: usize) -> Result<()>;

    /// A launch whose blocks all run at once.
    fn launch_cooperative(&self, launch: &Launch<'_>) -> Result<()>;
}

/// What is known about a compiled kernel, by the driver's names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Attribute {
    SharedSizeBytes,
    ConstSizeBytes,
    LocalSizeBytes,
    NumRegs,
    PtxVersion,
    BinaryVersion,
    MaxDynamicSharedSizeBytes,
    PreferredSharedMemoryCarveout,
}

/// What a multiprocessor's memory is to be, where a kernel has a choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CacheConfig {
    /// As the driver likes.
    PreferNone,
    /// More shared memory.
    PreferShared,
    /// More of a first-level cache.
    PreferL1,
    /// As much of one as of the other.
    PreferEqual,
}

/// That a launch asks for more shared memory than a block can have.
#[cold]
pub(crate) fn too_much_shared_memory(kernel: &str, dynamic: usize, declared: u64, allowed: u64) -> Error {
    let message = format!(
        "{dynamic} bytes of dynamic shared memory and {declared} of `__shared__` variables; a block can have \
         {allowed} together"
    );
    Problem::Launch { kernel: kernel.to_owned(), message }.into()
}

/// A user's loop over elements.
pub(crate) trait LoopKernel: Send + Sync {
    fn run(&self, arguments: &[ScalarBytes], buffers: &[&Buffer], count: usize) -> Result<()>;
}

/// A user's reduction. The answer goes to the start of `output`.
pub(crate) trait FoldKernel: Send + Sync {
    fn run(
        &self,
        arguments: &[ScalarBytes],
        buffers: &[&Buffer],
        count: usize,
        output: &Buffer,
    ) -> Result<()>;
}
