//! LU factors with partial pivoting.
//!
//! Our own instead of faer's: of a singular matrix, faer's factors are not
//! numbers, and it tells neither LAPACK's pivots nor which one is zero. The
//! recursion over columns is S. Toledo's, "Locality of reference in LU
//! decomposition with partial pivoting" (1997), as in LAPACK's `getrf2`; all
//! but the narrow panels at its end is faer's products and triangular solves.

use faer::linalg::triangular_solve::solve_unit_lower_triangular_in_place;
use faer::reborrow::{Reborrow, ReborrowMut};
use faer::traits::pulp::Arch;
use faer::{Accum, MatMut, Par};
use gpurepl_plugin::Array;
use num_complex::ComplexFloat;

use crate::arguments::{Routine, fill, fill_whole, matrices, read};
use crate::batches::{each, pieces, pieces_mut};
use crate::product::multiply;
use crate::scalar::Scalar;

/// Columns of a panel, which is copied and factored column by column.
const PANEL: usize = 8;

/// `lu`: the factors, packed as LAPACK's `getrf` leaves them, and its pivots from 0.
pub struct Lu;

impl Routine for Lu {
    const NAME: &'static str = "lu";

    fn arrays(_: &[i64]) -> &'static [&'static str] {
        &["a", "lu", "pivots", "info"]
    }

    fn run<T: Scalar>(arrays: &mut [Array<'_>], _: &[i64]) -> Result<(), String> {
        let [a, lu, pivots, info] = arrays else { return Err("lu takes four arrays".to_owned()) };
        let shape = matrices("a", a)?;
        let (rows, columns, count) = (shape.rows, shape.columns, shape.count);
        shape.fit("lu", lu, &[rows, columns])?;
        shape.fit("pivots", pivots, &[rows.min(columns)])?;
        shape.fit("info", info, &[])?;
        let (a, lu) = (read::<T>("a", a)?, fill::<T>("lu", lu)?);
        let (pivots, info) = (fill_whole("pivots", pivots)?, fill_whole("info", info)?);
        let outputs = pieces_mut(lu, count).zip(pieces_mut(pivots, count)).zip(info);
        each(pieces(a, count).zip(outputs), rows.max(columns), |(a, ((lu, pivots), info)), par| {
            lu.copy_from_slice(a);
            *info = factor(lu, rows, columns, pivots, par);
            Ok(())
        })
    }
}

/// Factors a row-major matrix in place. Row `i` was exchanged with row
/// `pivots[i]` in the end. Returns LAPACK's `info`: the first pivot, from 1,
/// that is exactly zero, else 0.
pub fn factor<T: Scalar>(a: &mut [T], rows: usize, columns: usize, pivots: &mut [i64], par: Par) -> i64 {
    let matrix = Matrix { rows, columns, par };
    matrix.factor(a, 0, columns, pivots).map_or(0, |index| index as i64 + 1)
}

struct Matrix {
    rows: usize,
    columns: usize,
    par: Par,
}

impl Matrix {
    /// Factors the columns of a range, below the row of the same number as
    /// the first; those on the left have been applied to them. Returns the
    /// first zero pivot.
    fn factor<T: Scalar>(&self, a: &mut [T], begin: usize, end: usize, pivots: &mut [i64]) -> Option<usize> {
        let size = (self.rows - begin).min(end - begin);
        if size == 0 {
            return None;
        }
        let (half, first) = if size <= PANEL {
            (size, self.panel(a, begin, size, &mut pivots[..size]))
        } else {
            // Whole panels, so that none is narrow.
            let half = (size / 2).next_multiple_of(PANEL).min(size);
            (half, self.factor(a, begin, begin + half, &mut pivots[..half]))
        };
        let middle = begin + half;
        if middle == end {
            return first;
        }
        self.exchange(a, begin, &pivots[..half], middle, end);
        let width = self.columns;
        let all = MatMut::from_row_major_slice_mut(a, self.rows, width);
        let below = all.submatrix_mut(begin, begin, self.rows - begin, end - begin);
        let (upper_left, mut upper_right, lower_left, lower_right) = below.split_at_mut(half, half);
        solve_unit_lower_triangular_in_place(upper_left.rb(), upper_right.rb_mut(), self.par);
        let minus_one = T::zero() - T::one();
        multiply(lower_right, Accum::Add, lower_left.rb(), upper_right.rb(), minus_one, self.par);
        let second = self.factor(a, middle, end, &mut pivots[half..size]);
        self.exchange(a, middle, &pivots[half..size], begin, middle);
        first.or(second)
    }

    /// Exchanges rows as pivots say, between two columns. The first one is that of row `begin`.
    fn exchange<T: Scalar>(&self, a: &mut [T], begin: usize, pivots: &[i64], from: usize, to: usize) {
        for (row, &other) in (begin..).zip(pivots) {
            let other = other as usize;
            if other != row {
                let (above, below) = a.split_at_mut(other * self.columns);
                above[row * self.columns..][from..to].swap_with_slice(&mut below[from..to]);
            }
        }
    }

    /// Factors a panel in a copy where its columns are contiguous.
    fn panel<T: Scalar>(&self, a: &mut [T], begin: usize, width: usize, pivots: &mut [i64]) -> Option<usize> {
        let height = self.rows - begin;
        let mut panel = vec![T::zero(); height * width];
        for (row, elements) in a.chunks_exact(self.columns).skip(begin).enumerate() {
            for (column, &element) in elements[begin..begin + width].iter().enumerate() {
                panel[column * height + row] = element;
            }
        }
        let zero = Arch::new().dispatch(|| factor_panel(&mut panel, height, pivots));
        for (row, elements) in a.chunks_exact_mut(self.columns).skip(begin).enumerate() {
            for (column, element) in elements[begin..begin + width].iter_mut().enumerate() {
                *element = panel[column * height + row];
            }
        }
        pivots.iter_mut().for_each(|pivot| *pivot += begin as i64);
        zero.map(|index| begin + index)
    }
}

/// LAPACK's `getf2` of a column-major panel. Inlined, for the instructions of its caller.
#[inline(always)]
fn factor_panel<T: Scalar>(panel: &mut [T], height: usize, pivots: &mut [i64]) -> Option<usize> {
    let mut zero = None;
    for (step, place) in pivots.iter_mut().enumerate() {
        let pivot = largest(&panel[step * height..][step..height]) + step;
        *place = pivot as i64;
        if panel[step * height + pivot] == T::zero() {
            zero = zero.or(Some(step));
            continue;
        }
        if pivot != step {
            panel.chunks_exact_mut(height).for_each(|column| column.swap(step, pivot));
        }
        let (done, rest) = panel.split_at_mut((step + 1) * height);
        let (head, tail) = done[step * height..][step..].split_at_mut(1);
        let inverse = ComplexFloat::recip(head[0]);
        if ComplexFloat::is_finite(inverse) {
            tail.iter_mut().for_each(|element| *element *= inverse);
        } else {
            tail.iter_mut().for_each(|element| *element = element.quotient(head[0]));
        }
        for column in rest.chunks_exact_mut(height) {
            let (head, column) = column[step..].split_at_mut(1);
            for (element, &factor) in column.iter_mut().zip(&*tail) {
                *element -= factor * head[0];
            }
        }
    }
    zero
}

/// Where |re| + |im| is largest, as BLAS's `iamax` has it.
#[inline(always)]
fn largest<T: Scalar>(column: &[T]) -> usize {
    let mut found = (0, column[0].l1_norm());
    for (index, element) in column.iter().enumerate().skip(1) {
        let size = element.l1_norm();
        if size > found.1 {
            found = (index, size);
        }
    }
    found.0
}
