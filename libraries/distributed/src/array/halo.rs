//! Rows beside a rank's own, as stencils read them.

use std::ops::Range;

use gpurepl_extend::arrays::{self, concatenate};
use gpurepl_extend::group::{Function, rank, ranks};
use gpurepl_extend::{AnyArray, Elem, GpuArray, Result, error};

use super::{DistArray, Split, rest_of};
use crate::call;

/// What lies beyond the first and the last row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Edge<T> {
    /// The rows of the other end.
    Periodic,
    /// The nearest row again: NumPy's `edge` of `pad`.
    Nearest,
    /// Rows of one number.
    Constant(T),
}

/// Where a row beside a rank's own comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    Row(usize),
    Constant,
}

/// The row at a place that may lie outside.
fn source<T>(place: isize, rows: usize, edge: &Edge<T>) -> Source {
    match edge {
        _ if (0..rows as isize).contains(&place) => Source::Row(place as usize),
        Edge::Constant(_) => Source::Constant,
        _ if rows == 0 => Source::Constant,
        Edge::Periodic => Source::Row(place.rem_euclid(rows as isize) as usize),
        Edge::Nearest => Source::Row(place.clamp(0, rows as isize - 1) as usize),
    }
}

/// The rows that a rank needs beside its own: before them, and behind.
fn needed<T>(split: &Split, of: usize, width: usize, edge: &Edge<T>) -> [Vec<Source>; 2] {
    let (own, rows) = (split.of(of), split.shape()[0]);
    let at = |places: Range<isize>| places.map(|place| source(place, rows, edge)).collect();
    let (start, end, width) = (own.start as isize, own.end as isize, width as isize);
    [at(start - width..start), at(end..end + width)]
}

/// The rows among them, in their order.
fn rows_of(needed: &[Vec<Source>; 2]) -> impl Iterator<Item = usize> {
    needed.iter().flatten().filter_map(|source| match source {
        Source::Row(row) => Some(*row),
        Source::Constant => None,
    })
}

/// Numbers that follow one another, together.
fn runs(numbers: impl IntoIterator<Item = usize>) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for number in numbers {
        match runs.last_mut() {
            Some(run) if run.end == number => run.end += 1,
            _ => runs.push(number..number + 1),
        }
    }
    runs
}

impl<T: Elem> DistArray<T> {
    /// This rank's rows with `width` rows before and behind them, which other ranks have, or the edge says.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// use distributed::{DistArray, Edge};
    /// let a = DistArray::from_whole(&arange(0.0..8.0))?;
    /// let wide = a.with_halo(1, Edge::Periodic)?;
    /// assert_eq!(wide.size(), a.local().size() + 2);
    /// assert_eq!(wide.to_vec()[0], (a.rows().start + 7) as f64 % 8.0);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`all_to_all`](crate::all_to_all); if the ranks ask for other widths, or there are fewer rows than that.
    pub fn with_halo(&self, width: usize, edge: Edge<T>) -> Result<GpuArray<T>> {
        let rows = self.shape()[0];
        if width > rows {
            let message =
                format!("a width of {width} is more than the {rows} rows that there are; give at most that");
            return Err(error::invalid("with_halo", message));
        }
        // Whatever is made lies beside it.
        AnyArray::of(&self.local).context()?.scope(|| self.widened(width, edge))?
    }

    fn widened(&self, width: usize, edge: Edge<T>) -> Result<GpuArray<T>> {
        let split = &self.split;
        let (local, row) = (AnyArray::of(&self.local), split.row());
        let needs: Vec<[Vec<Source>; 2]> = (0..ranks()).map(|of| needed(split, of, width, &edge)).collect();
        // How many rows go from where to where.
        let mut counts = vec![vec![0; ranks()]; ranks()];
        for (to, needed) in needs.iter().enumerate() {
            rows_of(needed).for_each(|row| counts[split.owner(row)][to] += 1);
        }
        let rows = |a: &AnyArray, range: Range<usize>| a.narrowed(0, range.start, range.len())?.typed::<T>();
        let own = split.own();
        let mut sent: Vec<GpuArray<T>> = Vec::new();
        for needed in &needs {
            for run in runs(rows_of(needed).filter(|row| own.contains(row))) {
                sent.push(rows(&local, run.start - own.start..run.end - own.start)?);
            }
        }
        let sent = match &sent.iter().collect::<Vec<_>>()[..] {
            [] => AnyArray::empty(0, T::DTYPE)?,
            all => AnyArray::of(&concatenate(all)),
        };
        let elements: Vec<Vec<usize>> =
            counts.iter().map(|counts| counts.iter().map(|rows| rows * row).collect()).collect();
        let received = call::deal(Function::Halo, &sent.reshaped(&[sent.size()])?, &split.rows(), &elements)?;
        // From each rank in the order of the places, so that the next of its rows is the next place's.
        let mine = &needs[rank()];
        let mut next: Vec<usize> = Vec::new();
        let mut total = 0;
        for counts in &counts {
            next.push(total);
            total += counts[rank()];
        }
        let received = received.reshaped(&[&[total], &split.shape()[1..]].concat())?;
        let mut parts: Vec<GpuArray<T>> = Vec::new();
        for (side, sources) in mine.iter().enumerate() {
            let is_constant = sources.iter().filter(|source| **source == Source::Constant).count();
            let places = sources.iter().filter_map(|source| match source {
                Source::Row(row) => {
                    let place = &mut next[split.owner(*row)];
                    *place += 1;
                    Some(*place - 1)
                }
                Source::Constant => None,
            });
            let found: Vec<Range<usize>> = runs(places);
            let found = found.into_iter().map(|run| rows(&received, run)).collect::<Result<Vec<_>>>()?;
            let outside = match (&edge, is_constant) {
                (_, 0) => None,
                (Edge::Constant(value), count) => {
                    let shape = [&[count], &split.shape()[1..]].concat();
                    Some(AnyArray::of(&arrays::full((), *value)).broadcast_to(&shape)?.typed()?)
                }
                // There are no rows at all.
                (_, count) => {
                    Some(AnyArray::zeros([&[count], &split.shape()[1..]].concat(), T::DTYPE)?.typed()?)
                }
            };
            // What is outside lies before the first row, or behind the last.
            if side == 0 {
                parts.extend(outside);
                parts.extend(found);
                parts.push(local.typed()?);
            } else {
                parts.extend(found);
                parts.extend(outside);
            }
        }
        Ok(concatenate(&parts.iter().collect::<Vec<_>>()[..]))
    }

    /// What a function makes of this rank's rows and `width` rows on either side of them ([`DistArray::with_halo`]): as
    /// many rows as this rank has.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// use distributed::{DistArray, Edge};
    /// // Half of the way to the mean of the neighbours.
    /// let a = DistArray::from_whole(&gpu![0.0, 0.0, 8.0, 0.0, 0.0])?;
    /// let b = a.stencil(1, Edge::Constant(0.0), |a| {
    ///     let n = a.size() as i64;
    ///     0.5 * a.slice(s![1..n - 1]) + 0.25 * (a.slice(s![..n - 2]) + a.slice(s![2..]))
    /// })?;
    /// assert_eq!(b.all_gather()?.to_vec(), [0.0, 2.0, 4.0, 2.0, 0.0]);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`DistArray::with_halo`]; if the function makes another number of rows, which each rank sees by itself.
    pub fn stencil<U: Elem>(
        &self,
        width: usize,
        edge: Edge<T>,
        make: impl FnOnce(&GpuArray<T>) -> GpuArray<U>,
    ) -> Result<DistArray<U>> {
        let local = make(&self.with_halo(width, edge)?);
        let rest = rest_of("stencil", local.shape(), self.rows().len())?;
        Ok(DistArray { split: self.split.with_rest(&rest), local })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_say_what_lies_outside() {
        let at = |edge: Edge<f64>| (-2..6).map(|place| source(place, 4, &edge)).collect::<Vec<_>>();
        let rows = |rows: [usize; 8]| rows.map(Source::Row).to_vec();
        assert_eq!(at(Edge::Periodic), rows([2, 3, 0, 1, 2, 3, 0, 1]));
        assert_eq!(at(Edge::Nearest), rows([0, 0, 0, 1, 2, 3, 3, 3]));
        let constant = at(Edge::Constant(0.0));
        assert_eq!(
            (constant[1], constant[2], constant[6]),
            (Source::Constant, Source::Row(0), Source::Constant)
        );
        assert_eq!(source(3, 0, &Edge::<f64>::Periodic), Source::Constant);
    }

    #[test]
    fn runs_are_ranges() {
        assert_eq!(runs([3, 4, 5, 1, 2, 9]), [3..6, 1..3, 9..10]);
        assert!(runs([]).is_empty());
    }
}
