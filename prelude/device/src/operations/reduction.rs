//! Fused expressions reduced to one element.

use std::borrow::Cow;
use std::sync::{Mutex, PoisonError};

use gpurepl_kernels::{Generated, REDUCTION_BLOCK, ReduceOp};

use super::{BLOCKS_PER_MULTIPROCESSOR, Operands, number};
use crate::error::Result;
use crate::host::{BLOCK, BLOCKS_AT_ONCE, Folder, Machine, ranges};
use crate::scalar::ScalarBytes;
use crate::{Buffer, GeneratedLaunch, Gpu, Operation};

/// A fused expression to reduce to the first element of `output`.
pub struct Reduction<'a> {
    /// The expression.
    pub operands: Operands<'a>,
    /// How two elements become one.
    pub op: ReduceOp,
    /// Where the result goes.
    pub output: &'a Buffer,
}

impl Operation for Reduction<'_> {
    fn name(&self) -> &'static str {
        "an array reduction"
    }

    fn for_each_buffer(&self, visit: &mut dyn FnMut(&Buffer, bool) -> Result<()>) -> Result<()> {
        self.operands.for_each_buffer(self.output, visit)
    }

    fn check(&self) {
        self.operands.check();
        assert!(self.output.bytes() >= self.operands.program.dtype().size());
    }

    /// As a tree: the values of blocks are combined in the order of the
    /// elements, so that the answer does not depend on how many cores there are.
    fn on_host(&self) -> Result<()> {
        let Operands { program, shape, .. } = self.operands;
        let dtype = program.dtype();
        let locked = self.operands.lock(self.output);
        let task = self.operands.task(&locked, None);
        let parts: Mutex<Vec<(usize, [u8; 16])>> = Mutex::new(Vec::new());
        ranges(shape.size(), BLOCK * BLOCKS_AT_ONCE, |range| {
            let mut machine = Machine::new(&task, range.len());
            let folder = Folder::new(self.op, dtype);
            let mut values = Vec::with_capacity(BLOCKS_AT_ONCE);
            for start in range.clone().step_by(BLOCK) {
                let count = BLOCK.min(range.end - start);
                values.push(folder.fold(machine.run(start, count)));
            }
            let value = folder.fold_values(&values);
            parts.lock().unwrap_or_else(PoisonError::into_inner).push((range.start, value));
        })?;
        let mut parts = parts.into_inner().unwrap_or_else(PoisonError::into_inner);
        parts.sort_unstable_by_key(|(start, _)| *start);
        let values: Vec<[u8; 16]> = parts.into_iter().map(|(_, value)| value).collect();
        let value = Folder::new(self.op, dtype).fold_values(&values);
        locked.write(self.output, 0, &value[..dtype.size()]);
        Ok(())
    }

    fn on_gpu(&self, gpu: &dyn Gpu) -> Result<()> {
        let Operands { program, shape, .. } = self.operands;
        let text = Generated::Reduction(Cow::Borrowed(program), self.op);
        let (arguments, walk) = self.operands.arguments(self.output.context())?;
        let stages = TwoStages {
            arguments,
            walk,
            count: shape.size(),
            output: self.output,
            size: program.dtype().size(),
            multiprocessors: gpu.multiprocessors(),
        };
        stages.launch(|stage, blocks, arguments| {
            let entry = ["gpurepl_reduce_stage1", "gpurepl_reduce_stage2"][stage];
            let grid = (blocks, 1);
            let launch = GeneratedLaunch { text: &text, entry, grid, block: REDUCTION_BLOCK, arguments };
            // SAFETY: these are the arguments of `Program::to_cuda_reduction`, in
            // its order; `check` has made sure that no element lies outside of its
            // buffer, and there is room for a value of each block.
            unsafe { gpu.launch(&launch) }
        })
    }

    fn kept(&self) -> Box<dyn Fn() -> Result<()> + Send + Sync> {
        let (kept, op, output) = (self.operands.kept(), self.op, self.output.handle());
        Box::new(move || {
            kept.with(|operands| Reduction { operands: *operands, op, output: &output }.on_host())
        })
    }
}

/// A reduction on a GPU: blocks leave a value each, which another block
/// combines.
pub(crate) struct TwoStages<'a> {
    /// What the first kernel takes before the address of its results and the
    /// count.
    pub(crate) arguments: Vec<ScalarBytes>,
    /// What it takes after them.
    pub(crate) walk: Vec<ScalarBytes>,
    /// How many elements there are.
    pub(crate) count: usize,
    /// The result goes to its start.
    pub(crate) output: &'a Buffer,
    /// The size of a value in bytes.
    pub(crate) size: usize,
    pub(crate) multiprocessors: usize,
}

impl TwoStages<'_> {
    /// Calls `launch(stage, blocks, arguments)` for stage 0, and for stage 1 if
    /// there are several blocks.
    pub(crate) fn launch(self, launch: impl Fn(usize, usize, &[ScalarBytes]) -> Result<()>) -> Result<()> {
        let TwoStages { mut arguments, walk, count, output, size, multiprocessors } = self;
        let most = multiprocessors * BLOCKS_PER_MULTIPROCESSOR / 2;
        let blocks = count.div_ceil(REDUCTION_BLOCK).clamp(1, most);
        if blocks == 1 {
            arguments.extend([ScalarBytes::address(output.address()), number(count)]);
            arguments.extend(walk);
            return launch(0, 1, &arguments);
        }
        // Freed after the second launch, on the same stream.
        let partial = Buffer::new(output.context(), blocks * size)?;
        partial.enter(true)?;
        let partial = ScalarBytes::address(partial.address());
        arguments.extend([partial, number(count)]);
        arguments.extend(walk);
        launch(0, blocks, &arguments)?;
        launch(1, 1, &[partial, ScalarBytes::address(output.address()), number(blocks)])
    }
}
