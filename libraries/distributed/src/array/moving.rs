//! Rows that go to other ranks.

use gpurepl_extend::arrays::concatenate_axis;
use gpurepl_extend::group::{Function, rank, ranks};
use gpurepl_extend::{AnyArray, Elem, GpuArray, Result, error};

use super::{DistArray, Split};
use crate::call;

/// How many elements of `from` belong to which rank of `to`; `[rank before][rank after]`.
fn overlaps(from: &Split, to: &Split) -> Vec<Vec<usize>> {
    let of = |before: usize, after: usize| {
        let (before, after) = (from.of(before), to.of(after));
        before.end.min(after.end).saturating_sub(before.start.max(after.start)) * from.row()
    };
    (0..ranks()).map(|before| (0..ranks()).map(|after| of(before, after)).collect()).collect()
}

fn flat(a: &AnyArray) -> Result<AnyArray> {
    a.reshaped(&[a.size()])
}

fn rebalanced(local: &AnyArray, split: &Split) -> Result<(AnyArray, Split)> {
    let even = Split::even(split.shape());
    let dealt = call::deal(Function::Rebalance, &flat(local)?, &split.rows(), &overlaps(split, &even))?;
    Ok((dealt.reshaped(&even.own_shape())?, even))
}

impl<T: Elem> DistArray<T> {
    /// The same array, its rows in equal parts: the first ranks have one more if their number is not a multiple of the
    /// ranks'.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// use distributed::DistArray;
    /// // All on rank 0.
    /// let a = DistArray::from_local(&arange(0..if rank() == 0 { 10 } else { 0 }))?;
    /// let b = a.rebalance()?;
    /// assert!(b.local().size() <= 10_usize.div_ceil(ranks()));
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`all_to_all`](crate::all_to_all).
    pub fn rebalance(&self) -> Result<DistArray<T>> {
        let (local, split) = rebalanced(&AnyArray::of(&self.local), &self.split)?;
        Ok(DistArray { local: local.typed()?, split })
    }

    /// The transpose of a matrix, its rows, which were columns, in equal parts. Each rank sends a block to each other.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// use distributed::DistArray;
    /// let a = DistArray::from_whole(&arange(0..12).reshape((4, 3)))?;
    /// let t = a.transpose()?;
    /// assert_eq!(t.shape(), [3, 4]);
    /// assert!(array_equal(&t.all_gather()?, &a.all_gather()?.t()));
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`all_to_all`](crate::all_to_all); if it has not two axes.
    pub fn transpose(&self) -> Result<DistArray<T>> {
        let &[_, columns] = self.shape() else {
            let message = format!("shape {:?} is not that of a matrix; it has two axes", self.shape());
            return Err(error::shape("transpose", message));
        };
        let to = Split::even(&[columns, self.shape()[0]]);
        let (before, after) = (self.split.counts(), to.counts());
        let counts: Vec<Vec<usize>> =
            before.iter().map(|rows| after.iter().map(|columns| rows * columns).collect()).collect();
        // In the order of the columns, which is that of the ranks that get them.
        let turned = AnyArray::of(&self.local).t()?.copied()?;
        let dealt = call::deal(Function::Transpose, &flat(&turned)?, &self.split.rows(), &counts)?;
        drop(turned);
        let own = after[rank()];
        let mut start = 0;
        let mut blocks: Vec<GpuArray<T>> = Vec::new();
        for rows in before {
            blocks.push(dealt.narrowed(0, start, own * rows)?.reshaped(&[own, rows])?.typed()?);
            start += own * rows;
        }
        let blocks: Vec<&GpuArray<T>> = blocks.iter().collect();
        Ok(DistArray { local: concatenate_axis(&blocks[..], 1), split: to })
    }
}
