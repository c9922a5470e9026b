//! Random arrays: an element depends on the seed and its place alone, not on the number of ranks.

use gpurepl_extend::arrays::IntoShape;
use gpurepl_extend::random::{NormalElem, RandomElem, RandomKind, part};
use gpurepl_extend::{AnyArray, DType, Result};

use super::{DistArray, Split, lengths};

impl<T: RandomElem> DistArray<T> {
    /// Random numbers, as those of [`rand`](gpurepl_extend::rand()): floats in [0, 1), integers over their whole
    /// range. After the same `seed` they are the same with any number of ranks.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// use distributed::DistArray;
    /// seed(5);
    /// let a = DistArray::<f64>::rand(1000)?;
    /// seed(5);
    /// assert!(array_equal(&a.all_gather()?, &rand::<f64>(1000)));
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the shape has no axes, or the device no room.
    pub fn rand(shape: impl IntoShape) -> Result<DistArray<T>> {
        let (local, split) = random(lengths("rand", shape, T::DTYPE)?, T::DTYPE, RandomKind::Uniform)?;
        Ok(DistArray { local: local.typed()?, split })
    }
}

impl<T: NormalElem> DistArray<T> {
    /// Normally distributed random numbers of mean 0 and standard deviation 1, as those of `randn`.
    ///
    /// # Errors
    ///
    /// As [`DistArray::rand`].
    pub fn randn(shape: impl IntoShape) -> Result<DistArray<T>> {
        let (local, split) = random(lengths("randn", shape, T::DTYPE)?, T::DTYPE, RandomKind::Normal)?;
        Ok(DistArray { local: local.typed()?, split })
    }
}

fn random(shape: Vec<usize>, dtype: DType, kind: RandomKind) -> Result<(AnyArray, Split)> {
    let split = Split::even(&shape);
    let (own, row) = (split.own(), split.row());
    let part = AnyArray::of_raw(part(dtype, kind, own.start * row, own.len() * row)?);
    Ok((part.reshaped(&split.own_shape())?, split))
}
