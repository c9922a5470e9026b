//! Fused expressions evaluated into an array.

use std::borrow::Cow;

use gpurepl_kernels::{Generated, View};

use super::{Kept, Operands, grid, number};
use crate::error::Result;
use crate::host::{BLOCK, BLOCKS_AT_ONCE, Machine, ranges, scatter};
use crate::scalar::ScalarBytes;
use crate::{Buffer, GeneratedLaunch, Gpu, Operation, Strided};

/// A fused expression to evaluate: arrays of one shape in, one of it out.
///
/// An input may be the output itself, element for element; it must not
/// overlap it in any other way.
pub struct Elementwise<'a> {
    /// The expression.
    pub operands: Operands<'a>,
    /// Where the elements go.
    pub output: Strided<'a>,
}

/// Threads of a block on a GPU.
const THREADS: usize = 256;

impl Operation for Elementwise<'_> {
    fn name(&self) -> &'static str {
        "an array expression"
    }

    fn for_each_buffer(&self, visit: &mut dyn FnMut(&Buffer, bool) -> Result<()>) -> Result<()> {
        self.operands.for_each_buffer(self.output.buffer, visit)
    }

    fn check(&self) {
        self.operands.check();
        self.output.check(self.operands.shape, self.operands.program.dtype());
    }

    fn on_host(&self) -> Result<()> {
        let Operands { program, shape, .. } = self.operands;
        let locked = self.operands.lock(self.output.buffer);
        let output = locked.output(self.output.buffer);
        let task = self.operands.task(&locked, Some((self.output.buffer, output)));
        let size = program.dtype().size();
        ranges(shape.size(), BLOCK * BLOCKS_AT_ONCE, |range| {
            let mut machine = Machine::new(&task, range.len());
            for start in range.clone().step_by(BLOCK) {
                let count = BLOCK.min(range.end - start);
                if program.output == View::Strided {
                    let values = machine.run(start, count);
                    scatter(&self.output, shape, size, start, values, |at, value| {
                        // SAFETY: blocks are disjoint, and no two elements of a
                        // result share a place.
                        unsafe { output.slice(at, size) }.copy_from_slice(value);
                    });
                } else {
                    // SAFETY: ranges are disjoint, and within one the blocks are;
                    // an input that lies in this buffer is the result itself, and
                    // `run_into` has read its block when it asks for this slice.
                    machine.run_into(start, count, || unsafe {
                        output.slice((self.output.offset + start) * size, count * size)
                    });
                }
            }
        })
    }

    fn on_gpu(&self, gpu: &dyn Gpu) -> Result<()> {
        let Operands { program, shape, .. } = self.operands;
        let text = Generated::Fused(Cow::Borrowed(program));
        let count = shape.size();
        let mut arguments = self.operands.first_arguments();
        arguments.push(ScalarBytes::address(self.output.address(program.dtype())));
        arguments.push(number(count));
        let context = self.output.buffer.context();
        self.operands.push_last_arguments(&mut arguments, Some(&self.output), context)?;
        let grid = (grid(count, THREADS, gpu), 1);
        let launch = GeneratedLaunch {
            text: &text,
            entry: "gpurepl_fused",
            grid,
            block: THREADS,
            arguments: &arguments,
        };
        // SAFETY: these are the arguments of `Program::to_cuda`, in its order;
        // `check` has made sure that no element lies outside of its buffer.
        unsafe { gpu.launch(&launch) }
    }

    fn kept(&self) -> Box<dyn Fn() -> Result<()> + Send + Sync> {
        let (kept, output) = (self.operands.kept(), Kept::new(&self.output));
        Box::new(move || {
            kept.with(|operands| Elementwise { operands: *operands, output: output.strided() }.on_host())
        })
    }
}
