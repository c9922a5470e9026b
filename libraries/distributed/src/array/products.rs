//! Products of matrices, by blocks.

use gpurepl_extend::arrays::{Promote, untyped};
use gpurepl_extend::group::{Function, ranks};
use gpurepl_extend::{AnyArray, BinaryOp, Elem, Result, error};

use super::DistArray;
use crate::call;

impl<T: Elem> DistArray<T> {
    /// The product of a matrix with a matrix or vector, whose rows lie on the ranks too. The blocks of the right factor
    /// come to all ranks one after the other, so that each holds one besides its own.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// use distributed::DistArray;
    /// let a = DistArray::from_whole(&arange(0.0..12.0).reshape((4, 3)))?;
    /// let b = DistArray::from_whole(&arange(0.0..6.0).reshape((3, 2)))?;
    /// let c = a.matmul(&b)?;
    /// assert!(array_equal(&c.all_gather()?, &a.all_gather()?.matmul(&b.all_gather()?)));
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// With a factor that all ranks have whole, nothing has to be sent: `a.map(|rows| rows.matmul(&b))?`.
    ///
    /// # Errors
    ///
    /// As [`broadcast`](crate::broadcast); if the lengths do not fit.
    pub fn matmul<U: Elem>(&self, other: &DistArray<U>) -> Result<DistArray<T::Out>>
    where
        T: Promote<U>,
    {
        let (&[_, inner], &[rows, ref columns @ ..]) = (self.shape(), other.shape()) else {
            return Err(misfit(self.shape(), other.shape()));
        };
        if inner != rows || columns.len() > 1 {
            return Err(misfit(self.shape(), other.shape()));
        }
        let local = AnyArray::of(&self.local);
        let mut sum: Option<AnyArray> = None;
        for root in 0..ranks() {
            let block = other.split.of(root);
            if block.is_empty() {
                continue;
            }
            let call = other.split.call(Function::MatMul);
            let right = call::broadcast_for(call, &AnyArray::of(&other.local), root)?.typed::<U>()?;
            let left = local.narrowed(1, block.start, block.len())?.typed::<T>()?;
            let part = AnyArray::of(&left.matmul(&right));
            // Evaluated, so that a block's memory is free before the next one comes.
            sum = Some(match sum {
                None => part,
                Some(sum) => {
                    AnyArray::of_raw(untyped::binary(BinaryOp::Add, sum.raw(), part.raw())?).contiguous()?
                }
            });
        }
        let split = self.split.with_rest(columns);
        let local = match sum {
            Some(sum) => sum,
            None => AnyArray::zeros(split.own_shape(), T::Out::DTYPE)?,
        };
        Ok(DistArray { local: local.typed()?, split })
    }
}

fn misfit(left: &[usize], right: &[usize]) -> gpurepl_extend::Error {
    let message = format!(
        "shapes {left:?} and {right:?} do not fit; a matrix of n columns is multiplied with a matrix or vector of n rows"
    );
    error::shape("matmul", message)
}
