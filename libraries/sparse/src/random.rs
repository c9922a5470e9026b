//! Matrices of random numbers.

use gpurepl_extend::arrays::types;
use gpurepl_extend::{AnyArray, DType, GpuArray, Result, error, rand};

use crate::Csr;
use crate::compressed::check_counts;
use crate::entry::returned;
use crate::number::Field;
use crate::triplets::Triplets;

/// A matrix with elements at random places, uniform in `[0, 1)`: SciPy's `random`. A part `density` of all elements is
/// stored, rounded to a whole number of them. `seed(42)` makes it repeat; a complex number has an imaginary part of
/// zero.
///
/// ```
/// use gpurepl_prelude::*;
/// let a = sparse::random::<f64>([100, 50], 0.1)?;
/// assert_eq!((a.shape(), a.nnz()), ([100, 50], 500));
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
///
/// If `density` does not lie within 0 and 1, or there would be too many elements.
pub fn random<T: Field>(shape: [usize; 2], density: f64) -> Result<Csr<T>> {
    returned(|| {
        if !(0.0..=1.0).contains(&density) {
            // SciPy's words.
            return Err(error::invalid(
                "random",
                format!("density expected to be 0 <= density <= 1, not {density}"),
            ));
        }
        let places = shape[0] as f64 * shape[1] as f64;
        let count = (density * places).round() as usize;
        check_counts("random", shape, count)?;
        let keys = distinct(places, count)?;
        let (rows, columns) = keys.divmod(shape[1].max(1) as u64);
        let of = |keys: GpuArray<u64>| AnyArray::of(&keys).cast(DType::UInt32);
        let triplets = Triplets {
            shape,
            rows: of(rows),
            columns: of(columns),
            values: AnyArray::of(&rand::<f64>(count)).cast(T::DTYPE).contiguous()?,
        };
        triplets.compressed(false).map(Csr::of)
    })
}

/// So many of as many places, each once.
fn distinct(places: f64, count: usize) -> Result<GpuArray<u64>> {
    // Nearly all of them: the first ones of a random order. No more memory than four times the result's.
    if count as f64 * 4.0 >= places {
        let order = rand::<f64>(places as usize).argsort();
        return Ok(order.slice(..count).astype(types::u64));
    }
    // Some more than are wanted, since a few come twice; then as many of them, at random.
    let mut spare = count / 8 + 16;
    loop {
        gpurepl_extend::check_interrupt()?;
        let drawn = (rand::<f64>(count + spare) * places).astype(types::u64).unique();
        if drawn.size() >= count {
            let order = rand::<f64>(drawn.size()).argsort();
            return Ok(drawn.take(order.slice(..count)));
        }
        spare *= 2;
    }
}
