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

mod autoinit;
mod buffer;
mod cache;
pub(crate) mod cuda;
pub(crate) mod host;
pub(crate) mod image;
pub mod nvtx;
mod symbols;
mod task;

pub(crate) use autoinit::{current, in_use, reports};
pub(crate) use buffer::{Buffer, Watcher, Watchers};
pub(crate) use task::{Elementwise, Launch, Random, RandomKind, Reduction, Strided};

use std::sync::Arc;

use gpurepl_kernels::{ElementwiseSpec, ReductionSpec};

use crate::elem::ScalarBytes;
use crate::error::{Error, OrRaise as _, Problem, Result};

/// Whether a device is a GPU or this machine's CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DeviceKind {
    /// An NVIDIA GPU.
    Cuda,
    /// This machine's CPU.
    Host,
}

/// A device that arrays live on and kernels run on.
///
/// There is one for the whole process, chosen at the first use: by
/// `GPUREPL_DEVICE` (`host`, `cuda`, `cuda:1`), else by `CUDA_DEVICE` (a
/// number), else the first CUDA device that works, else the host.
///
/// ```
/// use gpurepl_prelude::*;
/// println!("{}", device().name());
/// assert!(device().total_memory() > 0);
/// ```
pub struct Device {
    pub(crate) backend: Box<dyn Backend>,
    description: Description,
}

/// What is fixed about a device.
#[derive(Clone, Debug)]
pub(crate) struct Description {
    pub(crate) kind: DeviceKind,
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
    /// In bytes, dynamic shared memory without asking for more.
    pub(crate) shared_memory: u64,
}

/// The device in use.
///
/// # Panics
///
/// With an [`Error`], if the device that the environment names
/// cannot be used. [`Device::current`] returns it instead.
#[track_caller]
pub fn device() -> &'static Device {
    current().or_raise()
}

impl Device {
    pub(crate) fn new(backend: Box<dyn Backend>) -> Device {
        let description = backend.description();
        Device { backend, description }
    }

    /// The device in use; at the first call it is chosen and made ready.
    ///
    /// # Errors
    ///
    /// If the device that the environment names does not exist or does not
    /// work. The answer is the same at each call.
    pub fn current() -> Result<&'static Device> {
        current()
    }

    /// Whether it is a GPU or the host.
    pub fn kind(&self) -> DeviceKind {
        self.description.kind
    }

    /// How to choose it: `cuda:0`, `host`.
    pub fn id(&self) -> &str {
        &self.description.id
    }

    /// Its name: `NVIDIA H200`.
    pub fn name(&self) -> &str {
        &self.description.name
    }

    /// Its memory in bytes.
    pub fn total_memory(&self) -> u64 {
        self.description.total_memory
    }

    /// The architecture of a CUDA device, such as `(9, 0)`; none for the host.
    pub fn compute_capability(&self) -> Option<(i32, i32)> {
        self.description.compute_capability
    }

    /// Waits until the device has done all its work.
    ///
    /// # Errors
    ///
    /// If any of that work failed.
    pub fn synchronize(&self) -> Result<()> {
        self.backend.synchronize()
    }

    /// The longest that a kernel may run on the host device before it is
    /// stopped; nothing for as long as it likes. At the start it is what
    /// `GPUREPL_KERNEL_TIMEOUT` says, in seconds. A GPU's kernels have the
    /// limit that the driver sets, if any.
    pub fn set_kernel_timeout(&self, limit: Option<std::time::Duration>) {
        host::set_kernel_timeout(limit);
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.description.limits
    }

    pub(crate) fn description(&self) -> &Description {
        &self.description
    }
}

impl std::fmt::Debug for Device {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "Device({}: {}, {}, {})",
            self.id(),
            self.name(),
            self.description.detail,
            crate::error::Bytes(self.total_memory())
        )
    }
}

/// What a device must be able to do.
///
/// Work is done in the order of the calls. It may be done later, as on a GPU;
/// downloads wait for it and errors of it may come with a later call.
pub(crate) trait Backend: Send + Sync {
    fn description(&self) -> Description;

    /// Reserves memory, aligned for any element; its contents are any bytes,
    /// zeros among them. `bytes` is not zero.
    fn allocate(&self, bytes: usize) -> Result<u64>;

    /// Gives memory back. It cannot fail: a device that is lost has no memory
    /// to give back.
    ///
    /// # Safety
    ///
    /// The address came from [`Backend::allocate`] with as many bytes, is
    /// given back once, and nothing uses it any more.
    unsafe fn release(&self, address: u64, bytes: usize);

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
    fn image(&self, device: &'static Device, layout: &image::Layout) -> Result<Arc<dyn image::Image>>;

    /// A texture over a buffer's elements. Whoever holds the texture holds the
    /// buffer.
    fn linear_texture(
        &self,
        from: &image::Linear<'_>,
        sampling: &image::Sampling,
    ) -> Result<Box<dyn image::Object>>;

    fn synchronize(&self) -> Result<()>;
}

/// A user's source, to be compiled.
#[derive(Clone, Copy)]
pub(crate) struct ModuleSource<'a> {
    pub(crate) source: &'a str,
    pub(crate) options: &'a [String],
    /// Kernels that the text seems to have but the compiler does not see: see
    /// [`crate::kernel::CompileError::left_out`].
    pub(crate) left_out: &'a [String],
    /// Instances of kernel templates: `reduce<float, 256>`.
    pub(crate) instances: &'a [String],
    /// Whether the host device looks up every access before it is made.
    pub(crate) is_checked: bool,
}

/// A compiled source.
pub(crate) trait Module: Send + Sync {
    /// The kernel of this name; the caller knows that the source has it.
    fn function(&self, name: &str) -> Result<Box<dyn Entry>>;

    /// The address of the variable of this qualified name, and its size in
    /// bytes; the caller knows that the source seems to have it. It stays
    /// where it is while the module lives.
    fn global(&self, name: &str) -> Result<(u64, usize)>;
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
