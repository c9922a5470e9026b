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
        let cuts = cuts(&sorted, self.split())?;
        // All are told how many go where.
        let mine: Vec<i64> = cuts.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let call = self.split().call(Function::Sort);
        let all = call::all_gather_for(call, &AnyArray::given(&mine)?)?.typed::<i64>()?.to_vec();
        let counts: Vec<Vec<usize>> =
            all.chunks(ranks()).map(|row| row.iter().map(|count| *count as usize).collect()).collect();
        let sorted = AnyArray::of(&sorted);
        let dealt = call::deal(Function::Sort, &sorted, &self.split.rows(), &counts)?.typed::<T>()?.sort();
        let after: Vec<usize> = (0..ranks()).map(|to| counts.iter().map(|row| row[to]).sum()).collect();
        DistArray { local: dealt, split: Split::of_counts(&after, &[]) }.rebalance()
    }
}

/// Elements that all ranks tell the others, for each of them and each that they go to.
const SAMPLES: usize = 32;

/// Where this rank's elements are cut: the first is 0, the last their number.
fn cuts<T: Elem>(sorted: &GpuArray<T>, split: &Split) -> Result<Vec<i64>> {
    let (ranks, count, total) = (ranks(), sorted.size(), split.shape()[0]);
    // As many as its share of all elements.
    let share = count as f64 / total.max(1) as f64;
    let samples = ((share * (SAMPLES * ranks * ranks) as f64).ceil() as usize).min(count);
    let places: Vec<i64> = (0..samples).map(|k| (count * (2 * k + 1) / (2 * samples)) as i64).collect();
    let own = if samples > 0 { sorted.take(&places) } else { AnyArray::empty(0, T::DTYPE)?.typed()? };
    let all = call::all_gather_for(split.call(Function::Sort), &AnyArray::of(&own))?.typed::<T>()?.sort();
    let total = all.size();
    if total == 0 || ranks == 1 {
        return Ok([vec![0; ranks], vec![count as i64]].concat());
    }
    let places: Vec<i64> = (1..ranks).map(|k| (total * k / ranks) as i64).collect();
    let splitters = all.take(&places);
    let first = sorted.searchsorted(&splitters).to_vec();
    let behind = sorted.searchsorted_right(&splitters).to_vec();
    Ok(parted(&first, &behind, count as i64))
}

/// Where to cut, given where the elements equal to each splitter begin and end. Equal splitters divide their elements.
fn parted(first: &[i64], behind: &[i64], count: i64) -> Vec<i64> {
    let mut cuts = vec![0];
    for (k, (first_place, end)) in first.iter().zip(behind).enumerate() {
        // Splitters with the same places are equal, or have nothing between them here.
        let is_like = |other: &usize| first[*other] == *first_place && behind[*other] == *end;
        let before = (0..k).rev().take_while(is_like).count() as i64;
        let all = before + (k..first.len()).take_while(is_like).count() as i64;
        cuts.push(if all > 1 {
            first_place + (end - first_place) * (before + 1) / (all + 1)
        } else {
            *first_place
        });
    }
    cuts.push(count);
    cuts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_elements_are_divided() {
        assert_eq!(parted(&[2, 5], &[3, 6], 9), [0, 2, 5, 9]);
        // All of one value, for four ranks.
        assert_eq!(parted(&[0, 0, 0], &[8, 8, 8], 8), [0, 2, 4, 6, 8]);
        assert_eq!(parted(&[1, 1, 7], &[7, 7, 9], 9), [0, 3, 5, 7, 9]);
        assert_eq!(parted(&[0, 0], &[0, 0], 0), [0, 0, 0, 0]);
    }
}
