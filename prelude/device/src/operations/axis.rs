//! Reductions along an axis: the work, and how a GPU does it.

use std::borrow::Cow;

use gpurepl_kernels::{AXIS_BLOCK, DType, Generated, Instruction, Operand, Program, ReduceOp, View};

use super::{Along, BLOCKS_PER_MULTIPROCESSOR, Operands, axis_host, divided, grid, numbers};
use crate::error::Result;
use crate::scalar::ScalarBytes;
use crate::{Buffer, GeneratedLaunch, Gpu, Operation};

/// A fused expression to reduce along an axis; the results go to the start of
/// `output`, in C order of the other axes. There is at least one element.
pub struct AxisReduction<'a> {
    pub operands: Operands<'a>,
    pub along: Along,
    pub op: ReduceOp,
    pub output: &'a Buffer,
}

/// Rows shorter than this are a thread's work, as columns are.
const SHORT: usize = 16;

impl Operation for AxisReduction<'_> {
    fn name(&self) -> &'static str {
        "a reduction along an axis"
    }

    fn for_each_buffer(&self, visit: &mut dyn FnMut(&Buffer, bool) -> Result<()>) -> Result<()> {
        self.operands.for_each_buffer(self.output, visit)
    }

    fn check(&self) {
        self.operands.check_along(self.along, self.output, self.along.count());
    }

    fn on_host(&self) -> Result<()> {
        axis_host::reduce(&self.operands, self.along, self.op, self.output)
    }

    fn kept(&self) -> Box<dyn Fn() -> Result<()> + Send + Sync> {
        let (kept, along, op, output) = (self.operands.kept(), self.along, self.op, self.output.handle());
        Box::new(move || kept.with(|operands| axis_host::reduce(operands, along, op, &output)))
    }

    fn on_gpu(&self, gpu: &dyn Gpu) -> Result<()> {
        let along = self.along;
        let is_rows = along.inner == 1 && along.length > SHORT;
        let threads_each = if is_rows { along.length.next_power_of_two().min(AXIS_BLOCK) } else { 1 };
        let (part, parts) = divided(along, threads_each, gpu.multiprocessors(), 8 * threads_each.max(2));
        if parts == 1 {
            return self.stage(gpu, part, 1, self.output);
        }
        let dtype = self.operands.program.dtype();
        let partial = Buffer::new(self.output.context(), parts * along.count() * dtype.size())?;
        partial.enter(true)?;
        self.stage(gpu, part, parts, &partial)?;
        // The parts' results are an array whose first axis is reduced.
        let text = Generated::AxisReduction(Cow::Owned(identity(dtype)), self.op);
        let mut arguments = vec![ScalarBytes::address(partial.address())];
        arguments.push(ScalarBytes::address(self.output.address()));
        arguments.extend(numbers([1, parts, along.count(), parts]));
        let launch = GeneratedLaunch {
            text: &text,
            entry: "gpurepl_axis_columns",
            grid: (grid(along.count(), AXIS_BLOCK, gpu), 1),
            block: AXIS_BLOCK,
            arguments: &arguments,
        };
        // SAFETY: these are the arguments of `Program::to_cuda_axis_reduction`;
        // `partial` has `parts` results for each of the output, and is given
        // back after the launch on the same stream.
        unsafe { gpu.launch(&launch) }
    }
}

impl AxisReduction<'_> {
    /// Reduces each part.
    fn stage(&self, gpu: &dyn Gpu, part: usize, parts: usize, to: &Buffer) -> Result<()> {
        let Along { outer, length, inner } = self.along;
        let text = Generated::AxisReduction(Cow::Borrowed(self.operands.program), self.op);
        let (mut arguments, after) = self.operands.arguments(self.output.context())?;
        arguments.push(ScalarBytes::address(to.address()));
        arguments.extend(numbers([outer, length, inner, part]));
        arguments.extend(after);
        let (entry, grid, block) = if inner == 1 && length > SHORT {
            let block = part.next_power_of_two().clamp(32, AXIS_BLOCK);
            let blocks = outer.clamp(1, gpu.multiprocessors() * BLOCKS_PER_MULTIPROCESSOR);
            ("gpurepl_axis_rows", blocks, block)
        } else {
            ("gpurepl_axis_columns", grid(outer * inner, AXIS_BLOCK, gpu), AXIS_BLOCK)
        };
        let launch =
            GeneratedLaunch { text: &text, entry, grid: (grid, parts), block, arguments: &arguments };
        // SAFETY: these are the arguments of `Program::to_cuda_axis_reduction`, in
        // its order; `check` has made sure that no element lies outside of its
        // buffer, and `to` has room for a result of each part.
        unsafe { gpu.launch(&launch) }
    }
}

/// A program whose value is the element of its one input.
fn identity(dtype: DType) -> Program {
    Program {
        inputs: vec![(dtype, View::Contiguous)],
        scalars: Vec::new(),
        instructions: vec![Instruction { dtype, operand: Operand::Input(0) }],
        output: View::Contiguous,
        rank: 1,
        reports_overflow: false,
    }
}
