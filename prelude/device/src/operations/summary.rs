//! The figures of an array: the least, the greatest and the sum of each part of
//! it, in one pass.

use std::borrow::Cow;
use std::sync::{Mutex, PoisonError};

use gpurepl_kernels::{Cells, FIGURES_BYTES, Generated, SUMMARY_BLOCK, Wide, summary_shift};

use super::{Figures, Operands, add_to_cells, number, numbers};
use crate::error::Result;
use crate::host::{BLOCK, BLOCKS_AT_ONCE, Machine, ranges};
use crate::scalar::ScalarBytes;
use crate::{Buffer, GeneratedLaunch, Gpu, Operation};

/// A fused expression without scalars whose figures go to the start of
/// `output`, those of each part of the cells.
pub struct Summary<'a> {
    /// The expression.
    pub operands: Operands<'a>,
    /// How the elements are divided.
    pub cells: Cells,
    /// Where the figures go.
    pub output: &'a Buffer,
}

/// Ranges that an array is divided into on the host, at most: each has figures
/// of all cells.
const RANGES: usize = 64;

impl Operation for Summary<'_> {
    fn name(&self) -> &'static str {
        "the figures of an array"
    }

    fn for_each_buffer(&self, visit: &mut dyn FnMut(&Buffer, bool) -> Result<()>) -> Result<()> {
        self.operands.for_each_buffer(self.output, visit)
    }

    fn check(&self) {
        self.operands.check();
        assert!(self.operands.scalars.is_empty() && !self.operands.program.reports_overflow);
        assert_eq!(self.cells.rows * self.cells.columns, self.operands.shape.size());
        assert!(self.output.bytes() >= self.cells.parts() * FIGURES_BYTES);
    }

    /// Leaves the figures of each cell in its first part. The ranges do not
    /// depend on how many cores there are, so sums do not either.
    fn on_host(&self) -> Result<()> {
        let Operands { program, shape, .. } = self.operands;
        let dtype = program.dtype();
        let wide = Wide::of(dtype);
        let locked = self.operands.lock(self.output);
        let task = self.operands.task(&locked, None);
        let count = shape.size();
        let step = count.div_ceil(RANGES).next_multiple_of(BLOCK).max(BLOCK * BLOCKS_AT_ONCE);
        let found: Mutex<Vec<(usize, Vec<Figures>)>> = Mutex::new(Vec::new());
        ranges(count, step, |range| {
            let mut machine = Machine::new(&task, range.len());
            let mut figures = vec![Figures::none(wide); self.cells.count()];
            for start in range.clone().step_by(BLOCK) {
                if crate::interrupt::is_pending() {
                    break;
                }
                let values = machine.run(start, BLOCK.min(range.end - start));
                add_to_cells(&mut figures, &self.cells, dtype, start, values);
            }
            found.lock().unwrap_or_else(PoisonError::into_inner).push((range.start, figures));
        })?;
        crate::interrupt::check()?;
        let mut found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
        found.sort_unstable_by_key(|(start, _)| *start);
        let parts = self.cells.parts_of_a_cell();
        let mut all = vec![Figures::none(wide); self.cells.parts()];
        for (_, figures) in &found {
            for (cell, figures) in figures.iter().enumerate() {
                all[cell * parts].add(figures, wide);
            }
        }
        locked.write(self.output, 0, bytemuck::cast_slice(&all));
        Ok(())
    }

    /// One kernel, a block of threads for each part.
    fn on_gpu(&self, gpu: &dyn Gpu) -> Result<()> {
        let text = Generated::Summary(Cow::Borrowed(self.operands.program));
        let cells = &self.cells;
        let mut arguments = self.operands.first_arguments();
        arguments.push(ScalarBytes::address(self.output.address()));
        arguments.extend(numbers([cells.rows, cells.columns, cells.down, cells.across]));
        arguments.extend(numbers([cells.row_parts, cells.column_parts]));
        arguments.push(number(summary_shift(cells) as usize));
        self.operands.push_last_arguments(&mut arguments, None, self.output.context())?;
        let launch = GeneratedLaunch {
            text: &text,
            entry: "gpurepl_summary",
            grid: (cells.parts(), 1),
            block: SUMMARY_BLOCK,
            arguments: &arguments,
        };
        // SAFETY: these are the arguments of `Program::to_cuda_summary`, in its
        // order; `check` has made sure that the output has room for all parts, that
        // rows and columns are those of the shape, and that no element lies outside
        // of its buffer.
        unsafe { gpu.launch(&launch) }
    }

    fn kept(&self) -> Box<dyn Fn() -> Result<()> + Send + Sync> {
        let (kept, cells, output) = (self.operands.kept(), self.cells, self.output.handle());
        Box::new(move || {
            kept.with(|operands| Summary { operands: *operands, cells, output: &output }.on_host())
        })
    }
}
