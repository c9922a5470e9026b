//! Kernels that are generated: those of operations, and the user's elementwise
//! and reduction kernels.

use std::ffi::c_void;
use std::sync::{Arc, PoisonError};

use gpurepl_kernels::options::for_nvrtc;
use gpurepl_kernels::{
    APART, ELEMENTWISE_BLOCK, ELEMENTWISE_TILE, ENTRY, ElementwiseSpec, Generated, Guards, REDUCTION_BLOCK,
    REDUCTION_COLUMNS, ReductionSpec, guards,
};
use smallvec::SmallVec;

use super::compile::{Source, compile};
use super::context::Context;
use super::faults::{Known, Registered};
use super::launch::{Image, Kernel};
use crate::error::Result;
use crate::operations::{TwoStages, number};
use crate::scalar::ScalarBytes;
use crate::{
    Buffer, FoldKernel, Gemm, GeneratedLaunch, Gpu, LoopArguments, LoopKernel, Operation, RowFoldKernel, Rows,
};

/// How the compiler names what is generated.
const GENERATED: &str = "generated.cu";

/// Blocks for each multiprocessor: two rounds of a full one, so that none
/// waits for the last.
const BLOCKS_PER_MULTIPROCESSOR: usize = 16;

/// Where each argument lies.
pub(super) fn pointers(arguments: &[ScalarBytes]) -> SmallVec<[*mut c_void; 24]> {
    arguments.iter().map(|argument| argument.bytes().as_ptr() as *mut c_void).collect()
}

fn grid(context: &Context, count: usize) -> [u32; 3] {
    let blocks =
        count.div_ceil(ELEMENTWISE_BLOCK).clamp(1, context.multiprocessors * BLOCKS_PER_MULTIPROCESSOR);
    [blocks as u32, 1, 1]
}

/// A kernel of a generated text, compiled once in a context.
pub(super) fn fused(context: &Arc<Context>, text: &Generated<'_>, entry: &str) -> Result<Kernel> {
    let images = || context.generated.lock().unwrap_or_else(PoisonError::into_inner);
    let known = images().get(text, |known| known == text);
    let image = match known {
        Some(image) => image,
        None => {
            // Products are not fused with sums: an expression gives the same
            // bits as NumPy and as the host, and its time goes into memory.
            let options = ["--fmad=false".to_owned()];
            let cuda = text.to_cuda();
            let image = load(context, text.name(), &[(GENERATED, &cuda)], &cuda, &options)?;
            // Those that have gone are unloaded without the lock.
            let (image, _gone) = images().insert(text.to_owned(), image);
            image
        }
    };
    image.function(entry)
}

/// The GPU of a context, for an operation.
struct OneGpu<'a>(&'a Arc<Context>);

impl Gpu for OneGpu<'_> {
    fn multiprocessors(&self) -> usize {
        self.0.multiprocessors
    }

    fn stream(&self) -> Result<u64> {
        self.0.bind()?;
        Ok(crate::stream::current_raw(self.0.owner().id()))
    }

    unsafe fn launch(&self, launch: &GeneratedLaunch<'_>) -> Result<()> {
        let kernel = fused(self.0, launch.text, launch.entry)?;
        let (grid, block) = ([launch.grid.0 as u32, launch.grid.1 as u32, 1], [launch.block as u32, 1, 1]);
        // SAFETY: the caller's promise.
        unsafe { kernel.launch(grid, block, 0, &mut pointers(launch.arguments)) }
    }

    unsafe fn launch_resident(&self, launch: &GeneratedLaunch<'_>) -> Result<bool> {
        let kernel = fused(self.0, launch.text, launch.entry)?;
        let (grid, block) = ([launch.grid.0 as u32, launch.grid.1 as u32, 1], launch.block as u32);
        // SAFETY: the caller's promise.
        unsafe { kernel.launch_resident(grid, block, &mut pointers(launch.arguments)) }
    }

    unsafe fn multiply(&self, gemm: &Gemm) -> Result<bool> {
        let stream = self.stream()?;
        // SAFETY: `stream` has made the context current; the rest is the
        // caller's promise, and that the stream waits for the buffers is
        // `perform`'s.
        Ok(unsafe { super::blas::multiply(self.0, stream, gemm) })
    }
}

/// Performs an operation.
pub(super) fn perform(context: &Arc<Context>, operation: &dyn Operation) -> Result<()> {
    operation.for_each_buffer(&mut |buffer, writes| buffer.enter(writes))?;
    context.note_generated(operation.name());
    operation.on_gpu(&OneGpu(context))
}

pub(super) fn load(
    context: &Arc<Context>,
    what: &str,
    texts: &[(&str, &str)],
    text: &str,
    options: &[String],
) -> Result<Arc<Image>> {
    let capability = context.description().compute_capability.unwrap_or_default();
    let compiled =
        compile(&Source { what, texts, text, name: GENERATED, options, kernels: &[] }, capability)?;
    Image::load(context, &compiled.image)
}

/// A kernel of the user's, and what registers it if it is guarded.
pub(super) fn load_guarded(
    context: &Arc<Context>,
    what: &str,
    texts: &[(&str, &str)],
    text: &str,
    options: &[String],
    guards: Guards,
) -> Result<(Arc<Image>, Option<Registered>)> {
    let image = load(context, what, texts, text, options)?;
    if !guards.is_any() {
        return Ok((image, None));
    }
    let texts = texts.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
    let known = Known::Guarded { name: what.to_owned(), texts };
    let registered = Registered::new(context, &image, known, [guards::RECORD, guards::NUMBER])?;
    Ok((image, Some(registered)))
}

struct CudaLoop {
    context: Arc<Context>,
    kernel: Kernel,
    /// The one for arrays that do not overlap, if elements go in tiles.
    apart: Option<Kernel>,
    /// How many of the arguments are arrays.
    arrays: usize,
    name: Arc<str>,
    /// The last: what unloads the kernels waits for them.
    _registered: Option<Registered>,
}

pub(super) fn compile_loop(context: &Arc<Context>, spec: &ElementwiseSpec) -> Result<Box<dyn LoopKernel>> {
    let options = for_nvrtc(&spec.options);
    let (image, registered) =
        load_guarded(context, &spec.name, &spec.texts(), &spec.to_cuda(), &options, spec.guards)?;
    let kernel = |prefix: &str| image.function(&format!("{prefix}{}", spec.name));
    Ok(Box::new(CudaLoop {
        context: Arc::clone(context),
        _registered: registered,
        kernel: kernel(ENTRY)?,
        apart: spec.is_tiled().then(|| kernel(APART)).transpose()?,
        arrays: spec.parameters.iter().filter(|parameter| parameter.is_pointer()).count(),
        name: spec.name.as_str().into(),
    }))
}

impl LoopKernel for CudaLoop {
    fn run(&self, arguments: LoopArguments<'_>, count: usize) -> Result<()> {
        let LoopArguments { buffers, .. } = arguments;
        let owner = self.context.owner();
        buffers.iter().try_for_each(|buffer| buffer.enter_from(owner, true))?;
        self.context.note_loop(&self.name, count);
        let (kernel, grid) = match &self.apart {
            Some(apart) => {
                let blocks = count.div_ceil(ELEMENTWISE_TILE).max(1) as u32;
                let is_apart = buffers.len() == self.arrays && are_apart(buffers);
                (if is_apart { apart } else { &self.kernel }, [blocks, 1, 1])
            }
            None => (&self.kernel, grid(&self.context, count)),
        };
        let count = number(count);
        let mut pointers = arguments.pointers();
        pointers.push(count.bytes().as_ptr() as *mut c_void);
        // SAFETY: the arguments were checked against the spec; every array
        // has `count` elements. The statement itself is the user's text: see
        // `Backend::compile_module`.
        unsafe { kernel.launch(grid, [ELEMENTWISE_BLOCK as u32, 1, 1], 0, &mut pointers) }
    }
}

/// Whether no two buffers overlap.
fn are_apart(buffers: &[&Buffer]) -> bool {
    let ends = |buffer: &Buffer| (buffer.address(), buffer.address() + buffer.bytes() as u64);
    buffers.iter().enumerate().all(|(k, one)| {
        let (start, end) = ends(one);
        buffers[..k].iter().map(|other| ends(other)).all(|(other, last)| last <= start || end <= other)
    })
}

struct CudaFold {
    context: Arc<Context>,
    stage1: Kernel,
    stage2: Kernel,
    name: Arc<str>,
    size: usize,
    /// The last: what unloads the kernels waits for them.
    _registered: Option<Registered>,
}

pub(super) fn compile_fold(context: &Arc<Context>, spec: &ReductionSpec) -> Result<Box<dyn FoldKernel>> {
    let options = for_nvrtc(&spec.options);
    let (image, registered) =
        load_guarded(context, &spec.name, &spec.texts(), &spec.to_cuda(), &options, spec.guards)?;
    Ok(Box::new(CudaFold {
        context: Arc::clone(context),
        _registered: registered,
        stage1: image.function(&format!("{}_stage1", spec.name))?,
        stage2: image.function(&format!("{}_stage2", spec.name))?,
        name: spec.name.as_str().into(),
        size: spec.value.size(),
    }))
}

impl FoldKernel for CudaFold {
    fn run(&self, arguments: LoopArguments<'_>, count: usize, output: &Buffer) -> Result<()> {
        enter(&self.context, arguments, output)?;
        self.context.note_loop(&self.name, count);
        let stages = TwoStages {
            arguments: arguments.values.to_vec(),
            walk: Vec::new(),
            count,
            output,
            size: self.size,
            multiprocessors: self.context.multiprocessors,
        };
        stages.launch(|stage, blocks, values| {
            // The second stage has none of the user's arguments.
            let (kernel, structures) = [(&self.stage1, arguments.structures), (&self.stage2, &[])][stage];
            let (grid, block) = ([blocks as u32, 1, 1], [REDUCTION_BLOCK as u32, 1, 1]);
            let mut pointers = LoopArguments { values, structures, buffers: &[] }.pointers();
            // SAFETY: the arguments were checked against the spec; every array
            // has `count` elements, and there is room for a value of each block.
            unsafe { kernel.launch(grid, block, 0, &mut pointers) }
        })
    }
}

/// Lets the current stream wait for what is read and written.
fn enter(context: &Context, arguments: LoopArguments<'_>, output: &Buffer) -> Result<()> {
    let owner = context.owner();
    arguments.buffers.iter().try_for_each(|buffer| buffer.enter_from(owner, false))?;
    output.enter_from(owner, true)
}

struct CudaRowFold {
    context: Arc<Context>,
    /// A block for each row.
    rows: Kernel,
    /// A block for several rows that lie side by side.
    columns: Kernel,
    /// A thread for each row.
    short: Kernel,
    name: Arc<str>,
    /// The last: what unloads the kernels waits for them.
    _registered: Option<Registered>,
}

pub(super) fn compile_row_fold(
    context: &Arc<Context>,
    spec: &ReductionSpec,
) -> Result<Box<dyn RowFoldKernel>> {
    let options = for_nvrtc(&spec.options);
    let (image, registered) =
        load_guarded(context, &spec.name, &spec.texts(), &spec.to_cuda(), &options, spec.guards)?;
    Ok(Box::new(CudaRowFold {
        context: Arc::clone(context),
        _registered: registered,
        rows: image.function(&format!("{}_rows", spec.name))?,
        columns: image.function(&format!("{}_columns", spec.name))?,
        short: image.function(&format!("{}_short", spec.name))?,
        name: spec.name.as_str().into(),
    }))
}

/// Rows shorter than this get a thread each: most of a block would wait.
const SHORT_ROW: usize = 64;

/// So many rows keep a large GPU busy by [`REDUCTION_COLUMNS`].
const MANY_ROWS: usize = 1 << 10;

impl RowFoldKernel for CudaRowFold {
    fn run(&self, arguments: LoopArguments<'_>, rows: Rows, output: &Buffer) -> Result<()> {
        enter(&self.context, arguments, output)?;
        self.context.note_loop(&self.name, rows.count * rows.length);
        let most = self.context.multiprocessors * BLOCKS_PER_MULTIPROCESSOR;
        let (kernel, rows_of_block) = if rows.length < SHORT_ROW {
            (&self.short, REDUCTION_BLOCK)
        } else if rows.are_side_by_side && rows.count >= MANY_ROWS {
            (&self.columns, REDUCTION_COLUMNS)
        } else {
            (&self.rows, 1)
        };
        let blocks = rows.count.div_ceil(rows_of_block).clamp(1, most);
        let own = [
            ScalarBytes::address(output.address()),
            number(rows.count * rows.length),
            number(rows.count),
            number(rows.length),
        ];
        let mut pointers = arguments.pointers();
        pointers.extend(own.iter().map(|value| value.bytes().as_ptr() as *mut c_void));
        // SAFETY: the arguments were checked against the spec; every array has as many elements
        // as all rows together, and `output` has room for a value of each row.
        unsafe { kernel.launch([blocks as u32, 1, 1], [REDUCTION_BLOCK as u32, 1, 1], 0, &mut pointers) }
    }
}
