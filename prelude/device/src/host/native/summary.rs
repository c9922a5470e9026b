//! The figures of an array on the host: in one pass over its blocks.

use std::sync::{Mutex, PoisonError};

use gpurepl_kernels::Wide;

use super::super::memory::Locked;
use super::super::parallel;
use super::BLOCKS_AT_ONCE;
use super::machine::{BLOCK, Machine, Task};
use crate::Summary;
use crate::error::Result;
use crate::summary::{Figures, add_to_cells};

/// Ranges that an array is divided into, at most: each has figures of all
/// cells.
const RANGES: usize = 64;

/// Leaves the figures of each cell in its first part. The ranges do not depend
/// on how many cores there are, so sums do not either.
pub(in super::super) fn summarize(task: &Summary<'_>) -> Result<()> {
    task.check();
    let dtype = task.program.dtype();
    let wide = Wide::of(dtype);
    let reads: Vec<_> = task.inputs.iter().map(|input| input.buffer).collect();
    let locked = Locked::new(&reads, &[task.output]);
    let work = Task {
        program: task.program,
        inputs: task.inputs,
        scalars: &[],
        shape: task.shape,
        locked: &locked,
        output: None,
    };
    let count = task.shape.size();
    let step = count.div_ceil(RANGES).next_multiple_of(BLOCK).max(BLOCK * BLOCKS_AT_ONCE);
    let ranges: Mutex<Vec<(usize, Vec<Figures>)>> = Mutex::new(Vec::new());
    parallel::ranges(count, step, |range| {
        let mut machine = Machine::new(&work, range.len());
        let mut figures = vec![Figures::none(wide); task.cells.count()];
        for start in range.clone().step_by(BLOCK) {
            if crate::interrupt::is_pending() {
                break;
            }
            let values = machine.run(start, BLOCK.min(range.end - start));
            add_to_cells(&mut figures, &task.cells, dtype, start, values);
        }
        ranges.lock().unwrap_or_else(PoisonError::into_inner).push((range.start, figures));
    })?;
    crate::interrupt::check()?;
    let mut ranges = ranges.into_inner().unwrap_or_else(PoisonError::into_inner);
    ranges.sort_unstable_by_key(|(start, _)| *start);
    let parts = task.cells.parts_of_a_cell();
    let mut all = vec![Figures::none(wide); task.cells.parts()];
    for (_, figures) in &ranges {
        for (cell, figures) in figures.iter().enumerate() {
            all[cell * parts].add(figures, wide);
        }
    }
    locked.write(task.output, 0, bytemuck::cast_slice(&all));
    Ok(())
}
