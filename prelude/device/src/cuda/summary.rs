//! The figures of an array on a GPU: one kernel, a block of threads for each
//! part.

use std::borrow::Cow;
use std::sync::Arc;

use gpurepl_kernels::{Generated, SUMMARY_BLOCK, View, summary_shift};

use super::context::Context;
use super::generated::{enter, fused, inputs, number, pointers, walk_arguments};
use crate::Summary;
use crate::error::Result;
use crate::scalar::ScalarBytes;

pub(super) fn summarize(context: &Arc<Context>, task: &Summary<'_>) -> Result<()> {
    let kernel = fused(context, &Generated::Summary(Cow::Borrowed(task.program)), "gpurepl_summary")?;
    let mut arguments = inputs(task.inputs, &task.program.inputs, &[]);
    arguments.push(ScalarBytes::address(task.output.address()));
    let cells = &task.cells;
    let numbers = [cells.rows, cells.columns, cells.down, cells.across, cells.row_parts, cells.column_parts];
    arguments.extend(numbers.map(number));
    arguments.push(number(summary_shift(cells) as usize));
    let views = task.program.inputs.iter().map(|(_, view)| *view);
    walk_arguments(&mut arguments, task.shape, &views.zip(task.inputs).collect::<Vec<(View, _)>>());
    enter(task.inputs, task.output)?;
    context.note_generated("the figures of an array");
    // SAFETY: these are the arguments of `Program::to_cuda_summary`, in its
    // order; `check` has made sure that the output has room for all parts, that
    // rows and columns are those of the shape, and that no element lies outside
    // of its buffer.
    unsafe {
        kernel.launch(
            [cells.parts() as u32, 1, 1],
            [SUMMARY_BLOCK as u32, 1, 1],
            0,
            &mut pointers(&arguments),
        )
    }
}
