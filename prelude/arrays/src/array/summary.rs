//! The figures of an array, for displays: one pass over it on the device, of
//! which some kilobytes are copied.

use gpurepl_kernels::{Cells, DType, FIGURES_BYTES, Wide};

use super::expression;
use super::raw::Raw;
use crate::device;
use crate::device::operations::Figures;
use crate::error::Result;

/// The figures of all elements, and of each cell.
#[derive(Clone, Debug)]
#[doc(hidden)]
pub struct Summary {
    pub wide: Wide,
    pub cells: Cells,
    /// How many elements there are.
    pub count: usize,
    pub all: Figures,
    /// The figures of each cell, row by row.
    pub each: Vec<Figures>,
}

impl Summary {
    /// Puts the figures of parts together.
    pub fn new(dtype: DType, cells: Cells, parts: &[Figures]) -> Summary {
        let wide = Wide::of(dtype);
        let total = |figures: &[Figures]| {
            let mut all = Figures::none(wide);
            figures.iter().for_each(|part| all.add(part, wide));
            all
        };
        let each: Vec<Figures> = parts.chunks(parts.len() / cells.count()).map(total).collect();
        Summary { wide, cells, count: cells.rows * cells.columns, all: total(&each), each }
    }

    /// How many elements a cell has.
    pub(crate) fn count_of(&self, cell: usize) -> usize {
        let length = |length, count, k| Cells::start(length, count, k + 1) - Cells::start(length, count, k);
        let cells = &self.cells;
        length(cells.rows, cells.down, cell / cells.across)
            * length(cells.columns, cells.across, cell % cells.across)
    }

    /// The mean of a cell's finite elements, if it has any.
    pub fn mean_of(&self, cell: usize) -> Option<f64> {
        mean(&self.each[cell], self.count_of(cell))
    }

    /// The mean of all finite elements, if there are any.
    pub fn mean(&self) -> Option<f64> {
        mean(&self.all, self.count)
    }

    /// Whether there is a least and a greatest element: not if all are NaN.
    pub fn has_ends(&self) -> bool {
        self.all.nan < self.count as u64
    }
}

fn mean(figures: &Figures, count: usize) -> Option<f64> {
    let finite = (count as u64).saturating_sub(figures.nan + figures.infinite);
    (finite > 0).then(|| figures.sum() / finite as f64)
}

/// The figures of an array of at least one element, whose places, in order,
/// are those of the cells' table.
///
/// # Errors
///
/// If the device reports one, or while a graph is captured.
pub fn summarize(raw: &Raw, cells: Cells) -> Result<Summary> {
    crate::interrupt::check()?;
    device::refuse_in_capture("showing an array")?;
    let place = expression::summarize(&raw.node(), cells)?;
    let mut parts: Vec<Figures> = bytemuck::zeroed_vec(cells.parts());
    let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut parts);
    debug_assert_eq!(bytes.len(), cells.parts() * FIGURES_BYTES);
    place.buffer.context().download(&place.buffer, 0, bytes)?;
    Ok(Summary::new(raw.dtype(), cells, &parts))
}
