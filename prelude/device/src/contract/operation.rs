//! Operations: what the library computes with arrays, as values.
//!
//! An operation has its CUDA text and its loop on the host, and
//! [`Backend::perform`](super::Backend::perform) performs it: a new one adds a
//! file to `device/operations/` and no method to the contract.

use gpurepl_kernels::{DType, Generated};

use crate::Buffer;
use crate::error::Result;
use crate::scalar::ScalarBytes;

/// Something to be computed with buffers.
pub trait Operation {
    /// Its name in messages, with an article where English has one: "an array
    /// expression". Lists omit the article.
    fn name(&self) -> &'static str;

    /// Calls `visit` for each buffer that it uses, with whether it writes it.
    ///
    /// # Errors
    ///
    /// The first error of `visit`.
    fn for_each_buffer(&self, visit: &mut dyn FnMut(&Buffer, bool) -> Result<()>) -> Result<()>;

    /// Makes sure that no element lies outside of its buffer.
    ///
    /// # Panics
    ///
    /// If one does: a mistake in this crate, which must not become a wild
    /// read or write.
    fn check(&self);

    /// Computes it on the host. `check` has been called.
    fn on_host(&self) -> Result<()>;

    /// Launches it on a GPU. `check` has been called, and the current stream
    /// waits for its buffers.
    fn on_gpu(&self, gpu: &dyn Gpu) -> Result<()>;

    /// The work on the host, for each launch of a graph.
    fn kept(&self) -> Box<dyn Fn() -> Result<()> + Send + Sync>;
}

/// A GPU, for an operation.
#[doc(hidden)]
pub trait Gpu {
    fn multiprocessors(&self) -> usize;

    /// The driver's handle of the current stream (`CUstream`), and its context
    /// current in the driver on this thread: for the calls of other libraries.
    fn stream(&self) -> Result<u64>;

    /// Launches a generated kernel on the current stream.
    ///
    /// # Safety
    ///
    /// The arguments are those of the kernel, in its order, and the buffers
    /// behind them have the elements that it reads and writes.
    unsafe fn launch(&self, launch: &GeneratedLaunch<'_>) -> Result<()>;

    /// Launches a generated kernel with all its blocks at once; false where the device
    /// cannot have so many.
    ///
    /// # Safety
    ///
    /// As for [`Gpu::launch`].
    unsafe fn launch_resident(&self, launch: &GeneratedLaunch<'_>) -> Result<bool>;

    /// Has NVIDIA's library multiply matrices on the current stream; false where
    /// it is not installed, or cannot.
    ///
    /// # Safety
    ///
    /// The matrices lie within buffers that the operation uses, and the result
    /// lies in no factor's memory.
    unsafe fn multiply(&self, gemm: &Gemm) -> Result<bool>;
}

/// Products of matrices in column-major order, as `cublasGemmStridedBatchedEx`
/// takes them. The results lie one behind the other.
pub struct Gemm {
    /// The type of all, a float or a complex number.
    pub dtype: DType,
    /// How many products there are.
    pub batches: usize,
    /// Of the left factors and the results.
    pub rows: usize,
    /// Of the right factors and the results.
    pub columns: usize,
    /// What is summed over.
    pub inner: usize,
    /// The left factors.
    pub left: GemmFactor,
    /// The right factors.
    pub right: GemmFactor,
    /// Where the first result goes.
    pub output: u64,
    /// Whether `f32` may be rounded to TF32 before it is multiplied.
    pub is_tf32: bool,
}

/// A factor of [`Gemm`].
pub struct GemmFactor {
    /// Its first element.
    pub address: u64,
    /// Whether it lies in row-major order.
    pub is_transposed: bool,
    /// Elements from a column to the next, or from a row to the next of one in
    /// row-major order.
    pub leading: usize,
    /// Elements from a matrix to the next.
    pub batch: isize,
}

/// A launch of a generated kernel.
pub struct GeneratedLaunch<'a> {
    /// The text, compiled once in a context.
    pub text: &'a Generated<'a>,
    /// Which of the text's kernels.
    pub entry: &'static str,
    /// Blocks in `x` and `y`.
    pub grid: (usize, usize),
    /// Threads of a block.
    pub block: usize,
    /// The kernel's arguments, in its order.
    pub arguments: &'a [ScalarBytes],
}
