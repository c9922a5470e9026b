//! Kernels that are generated: fused expressions, reductions, random numbers,
//! and the user's elementwise and reduction kernels.

use std::borrow::Cow;
use std::ffi::c_void;
use std::sync::{Arc, PoisonError};

use gpurepl_kernels::{ENTRY, ElementwiseSpec, Generated, Program, REDUCTION_BLOCK, ReductionSpec, View};
use smallvec::SmallVec;

use super::compile::{Source, compile};
use super::context::Context;
use super::launch::{Image, Kernel};
use crate::error::Result;
use crate::scalar::{Scalar, ScalarBytes};
use crate::shape::Shape;
use crate::{
    Buffer, Elementwise, FoldKernel, GeneratedLaunch, Gpu, LoopKernel, Operation, Random, RandomKind,
    Reduction, Strided, overflow,
};

/// How the compiler names what is generated.
const GENERATED: &str = "generated.cu";

/// Threads of a block of a generated loop.
const BLOCK: usize = 256;

/// Blocks for each multiprocessor: two rounds of a full one, so that none
/// waits for the last.
const BLOCKS_PER_MULTIPROCESSOR: usize = 16;

/// Evaluates a fused expression.
pub(super) fn evaluate(context: &Arc<Context>, task: &Elementwise<'_>) -> Result<()> {
    let kernel = fused(context, &Generated::Fused(Cow::Borrowed(task.program)), "gpurepl_fused")?;
    let count = task.shape.size();
    let mut arguments = inputs(task.inputs, &task.program.inputs, task.scalars);
    arguments.push(ScalarBytes::address(task.output.address(task.program.dtype())));
    arguments.push(number(count));
    let views = task.program.inputs.iter().map(|(_, view)| *view).chain([task.program.output]);
    let walked: Vec<(View, &Strided<'_>)> = views.zip(task.inputs.iter().chain([&task.output])).collect();
    walk_arguments(&mut arguments, task.shape, &walked);
    let flags = overflow_flags(context, task.program)?;
    arguments.extend(flags.as_ref().map(|flags| ScalarBytes::address(flags.address())));
    enter(task.inputs, task.output.buffer)?;
    context.note_generated("an array expression");
    // SAFETY: these are the arguments of `Program::to_cuda`, in its order;
    // `check` has made sure that no element lies outside of its buffer.
    unsafe { kernel.launch(grid(context, count), [BLOCK as u32, 1, 1], 0, &mut pointers(&arguments)) }
}

/// Reduces a fused expression.
pub(super) fn reduce(context: &Arc<Context>, task: &Reduction<'_>) -> Result<()> {
    let text = Generated::Reduction(Cow::Borrowed(task.program), task.op);
    let (stage1, stage2) =
        (fused(context, &text, "gpurepl_reduce_stage1")?, fused(context, &text, "gpurepl_reduce_stage2")?);
    let count = task.shape.size();
    let arguments = inputs(task.inputs, &task.program.inputs, task.scalars);
    let mut walk = Vec::new();
    let views = task.program.inputs.iter().map(|(_, view)| *view);
    walk_arguments(&mut walk, task.shape, &views.zip(task.inputs).collect::<Vec<_>>());
    let flags = overflow_flags(context, task.program)?;
    walk.extend(flags.as_ref().map(|flags| ScalarBytes::address(flags.address())));
    enter(task.inputs, task.output)?;
    context.note_generated("a reduction of an array");
    // SAFETY: these are the arguments of `Program::to_cuda_reduction`, in its
    // order; see `evaluate` for the extents.
    unsafe {
        two_stages(
            context,
            &stage1,
            &stage2,
            arguments,
            &walk,
            count,
            task.output,
            task.program.dtype().size(),
        )
    }
}

/// Where a program reports overflow, if it does. The memory is there until the
/// cell ends, and no two streams need wait for each other's bits.
fn overflow_flags(context: &Context, program: &Program) -> Result<Option<Arc<Buffer>>> {
    program.reports_overflow.then(|| overflow::flags(context.owner())).transpose()
}

/// Runs both kernels of a reduction; the answer goes to the start of `output`.
///
/// # Safety
///
/// `arguments` and `walk` are the kernel's own, before and after the address
/// of the partial results and the count.
#[expect(clippy::too_many_arguments, reason = "what two launches need")]
unsafe fn two_stages(
    context: &Arc<Context>,
    stage1: &Kernel,
    stage2: &Kernel,
    mut arguments: Vec<ScalarBytes>,
    walk: &[ScalarBytes],
    count: usize,
    output: &Buffer,
    size: usize,
) -> Result<()> {
    let blocks =
        count.div_ceil(REDUCTION_BLOCK).clamp(1, context.multiprocessors * BLOCKS_PER_MULTIPROCESSOR / 2);
    let block = [REDUCTION_BLOCK as u32, 1, 1];
    let grid = [blocks as u32, 1, 1];
    if blocks == 1 {
        arguments.extend([ScalarBytes::address(output.address()), number(count)]);
        arguments.extend(walk);
        // SAFETY: the caller's promise; one block leaves one value.
        return unsafe { stage1.launch(grid, block, 0, &mut pointers(&arguments)) };
    }
    let partial = Buffer::new(output.context(), blocks * size)?;
    partial.enter(true)?;
    arguments.extend([ScalarBytes::address(partial.address()), number(count)]);
    arguments.extend(walk);
    let second =
        [ScalarBytes::address(partial.address()), ScalarBytes::address(output.address()), number(blocks)];
    // SAFETY: the caller's promise; `partial` has room for a value of each
    // block and is given back after the second launch on the same stream.
    unsafe {
        stage1.launch(grid, block, 0, &mut pointers(&arguments))?;
        stage2.launch([1; 3], block, 0, &mut pointers(&second))
    }
}

/// Fills a buffer with random numbers.
pub(super) fn random(context: &Arc<Context>, task: &Random<'_>) -> Result<()> {
    let text = Generated::Random { dtype: task.dtype, is_normal: task.kind == RandomKind::Normal };
    let kernel = fused(context, &text, "gpurepl_random")?;
    let count = task.output.bytes() / task.dtype.size();
    let arguments = [
        ScalarBytes::address(task.output.address()),
        number(count),
        ScalarBytes::address(task.key),
        ScalarBytes::address(task.stream),
    ];
    task.output.enter(true)?;
    context.note_generated("the random number generator");
    // SAFETY: these are the arguments of `random::to_cuda`; the buffer has
    // `count` elements.
    unsafe {
        kernel.launch(grid(context, count.div_ceil(2)), [BLOCK as u32, 1, 1], 0, &mut pointers(&arguments))
    }
}

/// To be called before a kernel of an expression is launched.
pub(super) fn enter(inputs: &[Strided<'_>], output: &Buffer) -> Result<()> {
    inputs.iter().try_for_each(|input| input.buffer.enter(false))?;
    output.enter(true)
}

/// Where each argument lies.
pub(super) fn pointers(arguments: &[ScalarBytes]) -> SmallVec<[*mut c_void; 24]> {
    arguments.iter().map(|argument| argument.bytes().as_ptr() as *mut c_void).collect()
}

pub(crate) fn number(value: usize) -> ScalarBytes {
    ScalarBytes::address(value as u64)
}

fn grid(context: &Context, count: usize) -> [u32; 3] {
    let blocks = count.div_ceil(BLOCK).clamp(1, context.multiprocessors * BLOCKS_PER_MULTIPROCESSOR);
    [blocks as u32, 1, 1]
}

/// The addresses of the inputs and the scalars.
pub(crate) fn inputs(
    inputs: &[Strided<'_>],
    types: &[(gpurepl_kernels::DType, View)],
    scalars: &[ScalarBytes],
) -> Vec<ScalarBytes> {
    let addresses =
        inputs.iter().zip(types).map(|(input, (dtype, _))| ScalarBytes::address(input.address(*dtype)));
    addresses.chain(scalars.iter().copied()).collect()
}

/// The lengths of the axes and the strides of what is walked by strides, if
/// anything is.
pub(crate) fn walk_arguments(
    arguments: &mut Vec<ScalarBytes>,
    shape: Shape,
    walked: &[(View, &Strided<'_>)],
) {
    if walked.iter().all(|(view, _)| *view != View::Strided) {
        return;
    }
    arguments.extend(shape.lengths().iter().map(|length| number(*length)));
    for (_, strided) in walked.iter().filter(|(view, _)| *view == View::Strided) {
        arguments.extend(strided.strides[..shape.rank()].iter().map(|stride| {
            Scalar::Int(*stride as i64).to_bytes(gpurepl_kernels::DType::Int64).expect("an i64 is an i64")
        }));
    }
}

/// A kernel of a generated text, compiled once in a context.
pub(super) fn fused(context: &Arc<Context>, text: &Generated<'_>, entry: &str) -> Result<Kernel> {
    let images = || context.generated.lock().unwrap_or_else(PoisonError::into_inner);
    let known = images().get(text);
    let image = match known {
        Some(image) => image,
        None => {
            // Products are not fused with sums: an expression gives the same
            // bits as NumPy and as the host, and its time goes into memory.
            let options = ["--fmad=false".to_owned()];
            let cuda = text.to_cuda();
            let image = load(context, "an array expression", &[(GENERATED, &cuda)], &cuda, &options)?;
            images().insert(text, image)
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

    unsafe fn launch(&self, launch: &GeneratedLaunch<'_>) -> Result<()> {
        let kernel = fused(self.0, launch.text, launch.entry)?;
        let (grid, block) = ([launch.grid.0 as u32, launch.grid.1 as u32, 1], [launch.block as u32, 1, 1]);
        // SAFETY: the caller's promise.
        unsafe { kernel.launch(grid, block, 0, &mut pointers(launch.arguments)) }
    }
}

/// Performs an operation.
pub(super) fn perform(context: &Arc<Context>, operation: &dyn Operation) -> Result<()> {
    for (buffer, writes) in operation.uses() {
        buffer.enter(writes)?;
    }
    context.note_generated(operation.name());
    operation.on_gpu(&OneGpu(context))
}

fn load(
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

struct CudaLoop {
    context: Arc<Context>,
    kernel: Kernel,
    name: Arc<str>,
}

pub(super) fn compile_loop(context: &Arc<Context>, spec: &ElementwiseSpec) -> Result<Box<dyn LoopKernel>> {
    let image = load(context, &spec.name, &spec.texts(), &spec.to_cuda(), &[])?;
    let kernel = image.function(&format!("{ENTRY}{}", spec.name))?;
    Ok(Box::new(CudaLoop { context: Arc::clone(context), kernel, name: spec.name.as_str().into() }))
}

impl LoopKernel for CudaLoop {
    fn run(&self, arguments: &[ScalarBytes], buffers: &[&Buffer], count: usize) -> Result<()> {
        let mut arguments = arguments.to_vec();
        arguments.push(number(count));
        buffers.iter().try_for_each(|buffer| buffer.enter(true))?;
        self.context.note_loop(&self.name, count);
        // SAFETY: the arguments were checked against the spec; every array
        // has `count` elements. The statement itself is the user's text: see
        // `Backend::compile_module`.
        unsafe {
            self.kernel.launch(grid(&self.context, count), [BLOCK as u32, 1, 1], 0, &mut pointers(&arguments))
        }
    }
}

struct CudaFold {
    context: Arc<Context>,
    stage1: Kernel,
    stage2: Kernel,
    name: Arc<str>,
    size: usize,
}

pub(super) fn compile_fold(context: &Arc<Context>, spec: &ReductionSpec) -> Result<Box<dyn FoldKernel>> {
    let image = load(context, &spec.name, &spec.texts(), &spec.to_cuda(), &[])?;
    Ok(Box::new(CudaFold {
        context: Arc::clone(context),
        stage1: image.function(&format!("{}_stage1", spec.name))?,
        stage2: image.function(&format!("{}_stage2", spec.name))?,
        name: spec.name.as_str().into(),
        size: spec.dtype.size(),
    }))
}

impl FoldKernel for CudaFold {
    fn run(
        &self,
        arguments: &[ScalarBytes],
        buffers: &[&Buffer],
        count: usize,
        output: &Buffer,
    ) -> Result<()> {
        buffers.iter().try_for_each(|buffer| buffer.enter(false))?;
        output.enter(true)?;
        self.context.note_loop(&self.name, count);
        // SAFETY: the arguments were checked against the spec; every array
        // has `count` elements, and the output room for one value.
        unsafe {
            two_stages(
                &self.context,
                &self.stage1,
                &self.stage2,
                arguments.to_vec(),
                &[],
                count,
                output,
                self.size,
            )
        }
    }
}
