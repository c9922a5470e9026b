//! Graphs on the host: what a device is asked to do, kept to be done again.

use std::cell::RefCell;
use std::sync::Arc;

use gpurepl_kernels::{DType, Program, ReduceOp};

use super::native;
use crate::error::Result;
use crate::scalar::ScalarBytes;
use crate::shape::{Shape, Strides};
use crate::{Buffer, Elementwise, Launch, Random, Recording, Reduction, StreamInner, Strided, Structure};

type Operation = Box<dyn Fn() -> Result<()> + Send + Sync>;

thread_local! {
    static OPERATIONS: RefCell<Option<Vec<Operation>>> = const { RefCell::new(None) };
}

/// Whether work of this thread is recorded.
pub(super) fn is_on() -> bool {
    // What is done outside of a capture meanwhile is done.
    OPERATIONS.with_borrow(Option::is_some) && crate::capture_id() != 0
}

pub(super) fn begin() {
    OPERATIONS.set(Some(Vec::new()));
}

pub(super) fn end() -> Box<dyn Recording> {
    Box::new(Recorded(OPERATIONS.take().unwrap_or_default()))
}

struct Recorded(Vec<Operation>);

impl Recording for Recorded {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn launch(&self, _: &StreamInner) -> Result<()> {
        self.0.iter().try_for_each(|operation| operation())
    }
}

/// Keeps an operation. The buffers that it uses, and whether it writes them,
/// are noted for whoever launches the graph.
pub(super) fn push(
    buffers: &[(&Buffer, bool)],
    operation: impl Fn() -> Result<()> + Send + Sync + 'static,
) -> Result<()> {
    for (buffer, writes) in buffers {
        buffer.enter(*writes)?;
    }
    OPERATIONS.with_borrow_mut(|operations| {
        operations.get_or_insert_default().push(Box::new(operation));
    });
    Ok(())
}

/// An array's place that is kept.
struct Kept {
    buffer: Arc<Buffer>,
    offset: usize,
    strides: Strides,
}

impl Kept {
    fn new(strided: &Strided<'_>) -> Kept {
        Kept { buffer: strided.buffer.handle(), offset: strided.offset, strides: strided.strides }
    }

    fn strided(&self) -> Strided<'_> {
        Strided { buffer: &self.buffer, offset: self.offset, strides: self.strides }
    }
}

/// The operands of an expression, kept.
pub(crate) struct Operands {
    pub(crate) program: Program,
    inputs: Vec<Kept>,
    pub(crate) scalars: Vec<ScalarBytes>,
    pub(crate) shape: Shape,
}

impl Operands {
    pub(crate) fn new(
        program: &Program,
        inputs: &[Strided<'_>],
        scalars: &[ScalarBytes],
        shape: Shape,
    ) -> Operands {
        let inputs = inputs.iter().map(Kept::new).collect();
        Operands { program: program.clone(), inputs, scalars: scalars.to_vec(), shape }
    }

    pub(crate) fn inputs(&self) -> Vec<Strided<'_>> {
        self.inputs.iter().map(Kept::strided).collect()
    }
}

fn reads<'a>(inputs: &[Strided<'a>]) -> Vec<(&'a Buffer, bool)> {
    inputs.iter().map(|input| (input.buffer, false)).collect()
}

pub(super) fn evaluate(task: &Elementwise<'_>) -> Result<()> {
    let mut buffers = reads(task.inputs);
    buffers.push((task.output.buffer, true));
    let operands = Operands::new(task.program, task.inputs, task.scalars, task.shape);
    let output = Kept::new(&task.output);
    push(&buffers, move || {
        native::evaluate(&Elementwise {
            program: &operands.program,
            inputs: &operands.inputs(),
            scalars: &operands.scalars,
            shape: operands.shape,
            output: output.strided(),
        })
    })
}

pub(super) fn reduce(task: &Reduction<'_>) -> Result<()> {
    let mut buffers = reads(task.inputs);
    buffers.push((task.output, true));
    let operands = Operands::new(task.program, task.inputs, task.scalars, task.shape);
    let (op, output): (ReduceOp, Arc<Buffer>) = (task.op, task.output.handle());
    push(&buffers, move || {
        native::reduce(&Reduction {
            program: &operands.program,
            op,
            inputs: &operands.inputs(),
            scalars: &operands.scalars,
            shape: operands.shape,
            output: &output,
        })
    })
}

pub(super) fn random(task: &Random<'_>) -> Result<()> {
    let Random { output, dtype, kind, key, stream } = *task;
    let (output, dtype): (Arc<Buffer>, DType) = (output.handle(), dtype);
    push(&[(task.output, true)], move || {
        native::random(&Random { output: &output, dtype, kind, key, stream })
    })
}

/// A launch that is kept.
pub(super) struct KeptLaunch {
    kernel: String,
    grid: [u32; 3],
    block: [u32; 3],
    shared_memory: u32,
    arguments: Vec<ScalarBytes>,
    structures: Vec<Structure>,
    buffers: Vec<(Arc<Buffer>, bool)>,
}

impl KeptLaunch {
    pub(super) fn new(launch: &Launch<'_>) -> KeptLaunch {
        KeptLaunch {
            kernel: launch.kernel.to_owned(),
            grid: launch.grid,
            block: launch.block,
            shared_memory: launch.shared_memory,
            arguments: launch.arguments.to_vec(),
            structures: launch.structures.to_vec(),
            buffers: launch.buffers.iter().map(|(buffer, writes)| (buffer.handle(), *writes)).collect(),
        }
    }

    /// Does something with the launch.
    pub(super) fn with<R>(&self, act: impl FnOnce(&Launch<'_>) -> R) -> R {
        let buffers: Vec<(&Buffer, bool)> =
            self.buffers.iter().map(|(buffer, writes)| (&**buffer, *writes)).collect();
        act(&Launch {
            kernel: &self.kernel,
            grid: self.grid,
            block: self.block,
            shared_memory: self.shared_memory,
            arguments: &self.arguments,
            structures: &self.structures,
            buffers: &buffers,
        })
    }
}

/// Buffers that are kept, for a loop or a reduction over elements.
pub(super) fn keep(buffers: &[&Buffer]) -> Vec<Arc<Buffer>> {
    buffers.iter().map(|buffer| buffer.handle()).collect()
}
