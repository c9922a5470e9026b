//! Fused expressions evaluated into an array.

use std::borrow::Cow;

use gpurepl_kernels::{FUSED_BLOCK, Generated, Program, View, Walk};

use super::{Kept, Operands, number};
use crate::error::Result;
use crate::host::{BLOCK, BLOCKS_AT_ONCE, Machine, ranges, scatter};
use crate::scalar::ScalarBytes;
use crate::{Buffer, DeviceKind, GeneratedLaunch, Gpu, Operation, Strided};

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

/// A last axis of at least so many elements is walked in rows.
const ROW: usize = 256;

/// An axis of at least so many elements is a side of squares.
const SQUARE: usize = 16;

/// The most blocks of a walk whose kernel counts them in 32 bits.
const MOST_BLOCKS: usize = i32::MAX as usize;

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
        let (walk, blocks) = walk(&self.operands);
        let text = Generated::Fused(Cow::Borrowed(program), walk);
        let mut arguments = self.operands.first_arguments();
        arguments.push(ScalarBytes::address(self.output.address(program.dtype())));
        arguments.push(number(shape.size()));
        let context = self.output.buffer.context();
        self.operands.push_last_arguments(&mut arguments, Some(&self.output), context)?;
        let launch = GeneratedLaunch {
            text: &text,
            entry: "gpurepl_fused",
            grid: (blocks, 1),
            block: FUSED_BLOCK,
            arguments: &arguments,
        };
        // SAFETY: these are the arguments of `Program::to_cuda`, in its order, and
        // the blocks of this walk; `check` has made sure that no element lies
        // outside of its buffer.
        unsafe { gpu.launch(&launch) }
    }

    fn kept(&self) -> Box<dyn Fn() -> Result<()> + Send + Sync> {
        let (kept, output) = (self.operands.kept(), Kept::new(&self.output));
        Box::new(move || {
            kept.with(|operands| Elementwise { operands: *operands, output: output.strided() }.on_host())
        })
    }
}

/// The text that a device runs for a fused expression: a kernel of CUDA C with its
/// launch, or the steps of the host's loop.
pub fn source(operands: &Operands<'_>, kind: DeviceKind) -> String {
    let Operands { program, shape, .. } = operands;
    if kind == DeviceKind::Cuda {
        let (walk, blocks) = walk(operands);
        let launch = format!("// {} elements: {blocks} blocks of {FUSED_BLOCK} threads\n", shape.size());
        return launch + &Generated::Fused(Cow::Borrowed(*program), walk).to_cuda();
    }
    let scalars: Vec<String> = operands.scalars.iter().map(ToString::to_string).collect();
    format!("# {} elements, in blocks of {BLOCK}\n{}", shape.size(), program.to_listing(&scalars))
}

/// How a GPU walks through the elements, and the blocks that this takes.
fn walk(operands: &Operands<'_>) -> (Walk, usize) {
    let Operands { program, inputs, shape, .. } = operands;
    let (lengths, tile) = (shape.lengths(), program.tile());
    let is_strided =
        program.output == View::Strided || program.inputs.iter().any(|(_, view)| *view == View::Strided);
    let elements = (Walk::Elements, shape.size().div_ceil(tile));
    let Some(last) = lengths.len().checked_sub(1).filter(|last| is_strided && *last > 0) else {
        return elements;
    };
    let walks = squares(program, inputs, lengths).into_iter().chain((lengths[last] >= ROW).then(|| {
        let rows: usize = lengths[..last].iter().product();
        (Walk::Rows, rows * lengths[last].div_ceil(tile))
    }));
    walks.into_iter().find(|(_, blocks)| *blocks <= MOST_BLOCKS).unwrap_or(elements)
}

/// A walk in squares, if the neighbours of an input lie along another axis than
/// the last.
fn squares(program: &Program, inputs: &[Strided<'_>], lengths: &[usize]) -> Option<(Walk, usize)> {
    let last = lengths.len() - 1;
    let is_across = |k: usize, axis: usize| {
        program.inputs[k].1 == View::Strided
            && inputs[k].strides[axis].unsigned_abs() == 1
            && inputs[k].strides[last].unsigned_abs() > 1
    };
    let numbers = 0..inputs.len().min(u64::BITS as usize);
    let sides = (0..last).filter(|axis| lengths[*axis] >= SQUARE && lengths[last] >= SQUARE);
    let (axis, side) =
        sides.filter(|axis| numbers.clone().any(|k| is_across(k, *axis))).find_map(|axis| {
            let across = numbers.clone().filter(|k| is_across(*k, axis));
            Some((axis, Walk::side(across.map(|k| program.inputs[k].0.size()))?))
        })?;
    let through = numbers.filter(|k| is_across(*k, axis)).fold(0, |bits, k| bits | 1 << k);
    let others: usize = (0..last).filter(|other| *other != axis).map(|other| lengths[other]).product();
    let blocks = others * lengths[axis].div_ceil(side) * lengths[last].div_ceil(side);
    Some((Walk::Squares { axis, through, side }, blocks))
}
