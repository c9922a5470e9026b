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

/// Adds `factor` times the product of two matrices to a third one, or replaces it.
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
    parted(to, accum, left, right, factor, parts);
}

/// The product in so many parts, as far as they are worth a thread.
fn parted<T: Scalar>(
    to: MatMut<'_, T>,
    accum: Accum,
    left: MatRef<'_, T>,
    right: MatRef<'_, T>,
    factor: T,
    parts: usize,
) {
    let (rows, columns) = (to.nrows(), to.ncols());
    let products = rows.saturating_mul(columns).saturating_mul(left.ncols());
    if parts < 2 || products < 2 * LEAST {
        matmul(to, accum, left, right, factor, Par::Seq);
        return;
    }
    // A part for each thread: one that is half as long again would be waited for.
    let first_parts = parts / 2;
    let share = |length: usize| (length * first_parts / parts).next_multiple_of(16).min(length);
    let others = parts - first_parts;
    if rows >= columns {
        let at = share(rows);
        let ((first, second), (above, below)) = (to.split_at_row_mut(at), left.split_at_row(at));
        rayon::join(
            || parted(first, accum, above, right, factor, first_parts),
            || parted(second, accum, below, right, factor, others),
        );
    } else {
        let at = share(columns);
        let ((first, second), (before, after)) = (to.split_at_col_mut(at), right.split_at_col(at));
        rayon::join(
            || parted(first, accum, left, before, factor, first_parts),
            || parted(second, accum, left, after, factor, others),
        );
    }
}

/// `product`: products of matrices in column-major order, as BLAS's batched `gemm` has them. The arrays are
/// the elements of the factors and of the results, in one axis; the numbers are those of [`Sizes`].
pub struct Product;

/// How many products there are, their rows, columns and what is summed over; and for each factor whether it is
/// transposed, the elements from one column to the next as it lies, and those from one matrix to the next.
struct Sizes {
    batches: usize,
    rows: usize,
    columns: usize,
    inner: usize,
    left: Factor,
    right: Factor,
}

struct Factor {
    is_transposed: bool,
    leading: usize,
    batch: usize,
}

impl Sizes {
    fn of(numbers: &[i64]) -> Option<Sizes> {
        let sizes: Vec<usize> =
            numbers.iter().map(|&number| number.try_into().ok()).collect::<Option<_>>()?;
        let factor = |at: usize| Factor {
            is_transposed: sizes[at] != 0,
            leading: sizes[at + 1],
            batch: sizes[at + 2],
        };
        let [batches, rows, columns, inner] = *sizes.first_chunk()?;
        Some(Sizes { batches, rows, columns, inner, left: factor(4), right: factor(7) })
    }
}

impl Factor {
    /// A matrix among the elements; none if it does not lie within them.
    fn matrix<'a, T>(
        &self,
        elements: &'a [T],
        batch: usize,
        rows: usize,
        columns: usize,
    ) -> Option<MatRef<'a, T>> {
        let elements = elements.get(batch.checked_mul(self.batch)?..)?;
        let (down, across) = if self.is_transposed { (columns, rows) } else { (rows, columns) };
        let needed = across.checked_sub(1)?.checked_mul(self.leading)?.checked_add(down)?;
        if needed > elements.len() || self.leading < down {
            return None;
        }
        let matrix = MatRef::from_column_major_slice_with_stride(elements, down, across, self.leading);
        Some(if self.is_transposed { matrix.transpose() } else { matrix })
    }
}

impl Routine for Product {
    const NAME: &'static str = "product";

    fn arrays(_: &[i64]) -> &'static [&'static str] {
        &["a", "b", "c"]
    }

    const NUMBERS: usize = 10;

    fn run<T: Scalar>(arrays: &mut [Array<'_>], numbers: &[i64]) -> Result<(), String> {
        let [a, b, c] = arrays else { return Err("product takes three arrays".to_owned()) };
        let sizes = Sizes::of(numbers).ok_or("a size is negative")?;
        let (left, right, results) = (read::<T>("a", a)?, read::<T>("b", b)?, fill::<T>("c", c)?);
        let outside = |name: &str| format!("the matrices do not lie within `{name}`");
        let size = sizes.rows.checked_mul(sizes.columns).filter(|&size| size > 0);
        let size = size.filter(|size| size.checked_mul(sizes.batches) == Some(results.len()));
        let size = size.ok_or_else(|| outside("c"))?;
        let each = |(batch, result): (usize, &mut [T])| {
            let left = sizes.left.matrix(left, batch, sizes.rows, sizes.inner).ok_or_else(|| outside("a"))?;
            let right =
                sizes.right.matrix(right, batch, sizes.inner, sizes.columns).ok_or_else(|| outside("b"))?;
            let result = MatMut::from_column_major_slice_mut(result, sizes.rows, sizes.columns);
            multiply(result, Accum::Replace, left, right, T::one(), Par::rayon(0));
            Ok(())
        };
        awake(|| results.chunks_exact_mut(size).enumerate().try_for_each(each))
    }
}
