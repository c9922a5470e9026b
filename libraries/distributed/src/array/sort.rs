//! Sorting by samples.

use gpurepl_extend::group::{Function, ranks};
use gpurepl_extend::{AnyArray, Elem, GpuArray, Result, error};

use super::{DistArray, Split};
use crate::call;

impl<T: Elem> DistArray<T> {
    /// The elements of a vector in ascending order, NaN at the end as in NumPy, in equal parts.
    ///
    /// Each rank sorts its part and tells all a few of its elements; by these the ranks divide the range of values
    /// (J. S. Huang and Y. C. Chow, "Parallel sorting and data partitioning by sampling", 1983). The parts then go to
    /// their ranks, which sort them.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// use distributed::DistArray;
    /// let a = DistArray::<f32>::rand(1000)?;
    /// let sorted = a.sort()?;
    /// assert!(array_equal(&sorted.all_gather()?, &a.all_gather()?.sort()));
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`all_to_all`](crate::all_to_all); if it has several axes, or is of complex numbers.
    pub fn sort(&self) -> Result<DistArray<T>> {
        if self.shape().len() != 1 {
            let message = format!(
                "an array of shape {:?} is not sorted across ranks; rows by themselves are: \
                 `a.map(|rows| rows.sort())?`",
                self.shape()
            );
            return Err(error::shape("sort", message));
        }
        if T::DTYPE.is_complex() {
            let message = format!("{} has no order across ranks; sort by `a.real()` or `a.abs()`", T::DTYPE);
            return Err(error::dtype("sort", message));
        }
        let sorted = self.local.sort();
        let cuts = cuts(&sorted)?;
        // All are told how many go where.
        let mine: Vec<i64> = cuts.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let all = crate::all_gather(&mine)?.to_vec();
        let counts: Vec<Vec<usize>> =
            all.chunks(ranks()).map(|row| row.iter().map(|count| *count as usize).collect()).collect();
        let sorted = AnyArray::of(&sorted);
        let dealt = call::deal(Function::Sort, &sorted, &self.split.rows(), &counts)?.typed::<T>()?.sort();
        let after: Vec<usize> = (0..ranks()).map(|to| counts.iter().map(|row| row[to]).sum()).collect();
        DistArray { local: dealt, split: Split::of_counts(&after, &[]) }.rebalance()
    }
}

/// Elements that a rank tells the others, for each rank.
const SAMPLES: usize = 32;

/// Where this rank's elements are cut: the first is 0, the last their number.
fn cuts<T: Elem>(sorted: &GpuArray<T>) -> Result<Vec<i64>> {
    let (ranks, count) = (ranks(), sorted.size());
    let samples = (SAMPLES * ranks).min(count);
    let places: Vec<i64> = (0..samples).map(|k| (count * (2 * k + 1) / (2 * samples)) as i64).collect();
    let own = if samples > 0 { sorted.take(&places) } else { AnyArray::empty(0, T::DTYPE)?.typed()? };
    let all = crate::all_gather(&own)?.sort();
    let total = all.size();
    if total == 0 {
        return Ok(vec![0; ranks + 1]);
    }
    let places: Vec<i64> = (1..ranks).map(|k| (total * k / ranks) as i64).collect();
    let mut cuts = vec![0];
    if ranks > 1 {
        let splitters = all.take(&places);
        cuts.extend(sorted.searchsorted(&splitters).to_vec());
    }
    cuts.push(count as i64);
    Ok(cuts)
}
