//! Points counted in cells of a plane: rectangles between edges, and hexagons.

use super::{host, in_order, or_on_host, readable, values, with};
use crate::array::{Elem as _, Raw, to_gpu, zeros};
use crate::error::Result;

/// How many points lie between edges across and up, the lowest row first. The
/// last cells have both their edges, as NumPy's `histogram2d`.
pub(crate) fn counts(x: &Raw, y: &Raw, (across, up): (&[f64], &[f64])) -> Result<Vec<u32>> {
    let (count, columns, rows) = (y.shape().size(), across.len() - 1, up.len() - 1);
    if count == 0 {
        return Ok(vec![0; columns * rows]);
    }
    or_on_host(
        || {
            with(y, |y, device| {
                let x = in_order(&readable(x))?;
                let (edges, tops, counts) = (to_gpu(across), to_gpu(up), zeros::<u32>(columns * rows));
                let kernel = device.kernel("plane", y.dtype(), Some(x.dtype()))?;
                let (grid, block) = device.shares(count);
                kernel.launch(
                    grid,
                    block,
                    (&x, y, count, &edges, columns as i32, &tops, rows as i32, &counts),
                )?;
                u32::download(&counts.raw)
            })
        },
        || Ok(host::plane(&values(x)?, &values(y)?, across, up)),
    )
}

/// Hexagons side by side and above each other that cover a rectangle: two
/// lattices of middles, of which the second stands in the gaps of the first.
/// (Carr, Littlefield, Nicholson and Littlefield: Scatterplot matrix techniques
/// for large N, 1987; as many and in the place of Matplotlib's `hexbin`.)
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Hexagons {
    /// Where the first lattice begins.
    pub(crate) from: (f64, f64),
    /// Between the middles of one lattice.
    pub(crate) step: (f64, f64),
    /// Columns and rows of the second lattice; the first has one more of each.
    pub(crate) size: (usize, usize),
}

impl Hexagons {
    /// So many hexagons side by side, with points from one end to the other of
    /// both axes.
    pub(crate) fn over(x: (f64, f64), y: (f64, f64), columns: usize) -> Hexagons {
        // So high that they are regular where the rectangle is a square.
        let rows = ((columns as f64 / 3f64.sqrt()) as usize).max(1);
        // No point at an end is beyond it by rounding.
        let wide = |(low, high): (f64, f64)| {
            let (low, high) = if low < high { (low, high) } else { (low - 0.5, high + 0.5) };
            let pad = 1e-9 * (high - low);
            (low - pad, high + pad)
        };
        let (x, y) = (wide(x), wide(y));
        Hexagons {
            from: (x.0, y.0),
            step: ((x.1 - x.0) / columns as f64, (y.1 - y.0) / rows as f64),
            size: (columns, rows),
        }
    }

    /// How many there are, of both lattices.
    pub(crate) fn cells(&self) -> usize {
        let (columns, rows) = self.size;
        (columns + 1) * (rows + 1) + columns * rows
    }

    /// The middle of each.
    pub(crate) fn middle(&self, cell: usize) -> (f64, f64) {
        let (columns, rows) = self.size;
        let first = (columns + 1) * (rows + 1);
        let (column, row, half) = match cell.checked_sub(first) {
            None => (cell % (columns + 1), cell / (columns + 1), 0.0),
            Some(cell) => (cell % columns, cell / columns, 0.5),
        };
        (self.from.0 + (column as f64 + half) * self.step.0, self.from.1 + (row as f64 + half) * self.step.1)
    }

    /// How many points lie in each.
    pub(crate) fn counts(&self, x: &Raw, y: &Raw) -> Result<Vec<u32>> {
        let count = y.shape().size();
        if count == 0 {
            return Ok(vec![0; self.cells()]);
        }
        or_on_host(
            || {
                with(y, |y, device| {
                    let x = in_order(&readable(x))?;
                    let counts = zeros::<u32>(self.cells());
                    let kernel = device.kernel("hexagons", y.dtype(), Some(x.dtype()))?;
                    let (grid, block) = device.shares(count);
                    let ((left, bottom), (across, up), (columns, rows)) = (self.from, self.step, self.size);
                    let arguments =
                        (&x, y, count, left, bottom, across, up, columns as i32, rows as i32, &counts);
                    kernel.launch(grid, block, arguments)?;
                    u32::download(&counts.raw)
                })
            },
            || Ok(host::hexagons(&values(x)?, &values(y)?, self)),
        )
    }
}
