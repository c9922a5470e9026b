//! Products of large matrices, by all threads.
//!
//! faer's products by several threads reach 1.5 times those by one on two cores, because each of its threads
//! takes a part of every block. Here a thread has a part of the result to itself, and faer's product by one.

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use gpurepl_plugin::Array;

use crate::arguments::{Routine, fill, read};
use crate::batches::awake;
use crate::scalar::Scalar;

/// Of fewer products of elements a part is not worth a thread: they take 20 to 50 microseconds.
const LEAST: usize = 1 << 21;

/// Rows or columns of a part are a multiple of this, but for the last one's, which are at least as many: faer has
/// other sums for a few.
const BLOCK: usize = 16;

/// Adds `factor` times the product of two matrices to a third one, or replaces it; in as many parts as there are
/// threads, as far as they are worth one.
pub fn multiply<T: Scalar>(
    to: MatMut<'_, T>,
    accum: Accum,
    left: MatRef<'_, T>,
    right: MatRef<'_, T>,
    factor: T,
    par: Par,
) {
    let parts = match par {
        Par::Seq => 1,
        Par::Rayon(threads) => threads.get(),
    };
    let (rows, columns) = (to.nrows(), to.ncols());
    let products = rows.saturating_mul(columns).saturating_mul(left.ncols());
    let length = rows.max(columns);
    if parts < 2 || products < 2 * LEAST || length < 2 * BLOCK {
        matmul(to, accum, left, right, factor, Par::Seq);
        return;
    }
    // A part for each thread: one that is half as long again would be waited for.
    let at = (length * (parts / 2) / parts / BLOCK * BLOCK).max(BLOCK);
    let threads = |parts| if parts < 2 { Par::Seq } else { Par::rayon(parts) };
    let (one, other) = (threads(parts / 2), threads(parts - parts / 2));
    if rows >= columns {
        let ((first, second), (above, below)) = (to.split_at_row_mut(at), left.split_at_row(at));
        rayon::join(
            || multiply(first, accum, above, right, factor, one),
            || multiply(second, accum, below, right, factor, other),
        );
    } else {
        let ((first, second), (before, after)) = (to.split_at_col_mut(at), right.split_at_col(at));
        rayon::join(
            || multiply(first, accum, left, before, factor, one),
            || multiply(second, accum, left, after, factor, other),
        );
    }
}

/// `product`: a product of matrices in column-major order, as BLAS's `gemm` has them. The arrays are the elements of
/// the factors and of the result, in one axis. The numbers are rows, columns and what is summed over, and for each
/// factor whether it is transposed, and the elements from one column to the next as it lies.
pub struct Product;

/// A matrix among the elements; none if it does not lie within them.
fn matrix<T>(
    elements: &[T],
    is_transposed: bool,
    leading: usize,
    rows: usize,
    columns: usize,
) -> Option<MatRef<'_, T>> {
    let (down, across) = if is_transposed { (columns, rows) } else { (rows, columns) };
    let needed = across.checked_sub(1)?.checked_mul(leading)?.checked_add(down)?;
    if needed > elements.len() || leading < down {
        return None;
    }
    let matrix = MatRef::from_column_major_slice_with_stride(elements, down, across, leading);
    Some(if is_transposed { matrix.transpose() } else { matrix })
}

impl Routine for Product {
    const NAME: &'static str = "product";

    fn arrays(_: &[i64]) -> &'static [&'static str] {
        &["a", "b", "c"]
    }

    const NUMBERS: usize = 7;

    fn run<T: Scalar>(arrays: &mut [Array<'_>], numbers: &[i64]) -> Result<(), String> {
        let [a, b, c] = arrays else { return Err("product takes three arrays".to_owned()) };
        let numbers: Option<Vec<usize>> =
            numbers.iter().map(|number| usize::try_from(*number).ok()).collect();
        let Some(&[rows, columns, inner, left_turned, left_leading, right_turned, right_leading]) =
            numbers.as_deref()
        else {
            return Err("a size is negative".to_owned());
        };
        let (left, right, result) = (read::<T>("a", a)?, read::<T>("b", b)?, fill::<T>("c", c)?);
        let outside = |name: &str| format!("the matrix does not lie within `{name}`");
        let left = matrix(left, left_turned != 0, left_leading, rows, inner).ok_or_else(|| outside("a"))?;
        let right =
            matrix(right, right_turned != 0, right_leading, inner, columns).ok_or_else(|| outside("b"))?;
        if rows.checked_mul(columns) != Some(result.len()) {
            return Err(outside("c"));
        }
        let result = MatMut::from_column_major_slice_mut(result, rows, columns);
        awake(|| multiply(result, Accum::Replace, left, right, T::one(), Par::rayon(0)));
        Ok(())
    }
}
