//! The library's own kernels on the host: fused expressions, reductions and
//! random numbers, as loops over blocks of elements.
//!
//! A program is run instruction by instruction over a block that fits in the
//! first-level cache, so intermediate values never reach memory: for arrays
//! larger than the caches the time is that of reading the inputs and writing
//! the result, as for a loop compiled for the expression.

mod machine;
mod random;
mod summary;
mod walk;

pub(super) use random::random;
pub(super) use summary::summarize;

use std::sync::{Mutex, PoisonError};

use gpurepl_kernels::View;
use smallvec::SmallVec;

use super::memory::Locked;
use super::parallel;
use crate::error::Result;
use crate::{Elementwise, Reduction};
pub(crate) use gpurepl_native::Folder;
pub(crate) use machine::{BLOCK, Machine, Task};

/// Blocks that one core takes at a time.
pub(crate) const BLOCKS_AT_ONCE: usize = 32;

/// Evaluates an expression.
pub(super) fn evaluate(task: &Elementwise<'_>) -> Result<()> {
    task.check();
    let reads: SmallVec<[_; 4]> = task.inputs.iter().map(|input| input.buffer).collect();
    let locked = Locked::new(&reads, &[task.output.buffer]);
    let output = locked.output(task.output.buffer);
    let work = Task {
        program: task.program,
        inputs: task.inputs,
        scalars: task.scalars,
        shape: task.shape,
        locked: &locked,
        output: Some((task.output.buffer, output)),
    };
    let size = task.program.dtype().size();
    parallel::ranges(task.shape.size(), BLOCK * BLOCKS_AT_ONCE, |range| {
        let mut machine = Machine::new(&work, range.len());
        for start in range.clone().step_by(BLOCK) {
            let count = BLOCK.min(range.end - start);
            if task.program.output == View::Strided {
                let values = machine.run(start, count);
                walk::scatter(&task.output, task.shape, size, start, values, |at, value| {
                    // SAFETY: blocks are disjoint, and no two elements of a
                    // result share a place.
                    unsafe { output.slice(at, size) }.copy_from_slice(value);
                });
            } else {
                // SAFETY: ranges are disjoint, and within one the blocks are;
                // an input that lies in this buffer is the result itself, and
                // `run_into` has read its block when it asks for this slice.
                machine.run_into(start, count, || unsafe {
                    output.slice((task.output.offset + start) * size, count * size)
                });
            }
        }
    })
}

/// Reduces an expression to one element, as a tree: the values of blocks are
/// combined in the order of the elements, so that the answer does not depend
/// on how many cores there are.
pub(super) fn reduce(task: &Reduction<'_>) -> Result<()> {
    task.check();
    let dtype = task.program.dtype();
    let reads: SmallVec<[_; 4]> = task.inputs.iter().map(|input| input.buffer).collect();
    let locked = Locked::new(&reads, &[task.output]);
    let work = Task {
        program: task.program,
        inputs: task.inputs,
        scalars: task.scalars,
        shape: task.shape,
        locked: &locked,
        output: None,
    };
    let parts: Mutex<Vec<(usize, [u8; 16])>> = Mutex::new(Vec::new());
    parallel::ranges(task.shape.size(), BLOCK * BLOCKS_AT_ONCE, |range| {
        let mut machine = Machine::new(&work, range.len());
        let folder = Folder::new(task.op, dtype);
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
    let value = Folder::new(task.op, dtype).fold_values(&values);
    locked.write(task.output, 0, &value[..dtype.size()]);
    Ok(())
}
