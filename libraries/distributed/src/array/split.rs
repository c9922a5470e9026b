//! Which rows each rank has.

use std::ops::Range;
use std::sync::Arc;

use gpurepl_extend::group::{Function, rank, ranks};

use crate::call::{Call, Rows};
use crate::plan;

/// The shape of a distributed array, and the first row of each rank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Split {
    shape: Vec<usize>,
    /// One more than there are ranks: the last is the number of rows.
    starts: Arc<[usize]>,
}

impl Split {
    /// The rows in equal parts, as `scatter` divides them.
    pub(crate) fn even(shape: &[usize]) -> Split {
        Split::of_counts(&plan::split(shape[0], ranks()), &shape[1..])
    }

    /// So many rows for each rank, and the lengths of the other axes.
    pub(crate) fn of_counts(counts: &[usize], rest: &[usize]) -> Split {
        let mut starts = vec![0];
        for count in counts {
            starts.push(starts[starts.len() - 1] + count);
        }
        let rows = starts[starts.len() - 1];
        Split { shape: [&[rows], rest].concat(), starts: starts.into() }
    }

    /// The same rows, of other lengths.
    pub(crate) fn with_rest(&self, rest: &[usize]) -> Split {
        Split { shape: [&self.shape[..1], rest].concat(), starts: self.starts.clone() }
    }

    pub(crate) fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Elements of a row.
    pub(crate) fn row(&self) -> usize {
        self.shape[1..].iter().product()
    }

    /// A rank's rows.
    pub(crate) fn of(&self, rank: usize) -> Range<usize> {
        self.starts[rank]..self.starts[rank + 1]
    }

    /// This rank's rows.
    pub(crate) fn own(&self) -> Range<usize> {
        self.of(rank())
    }

    /// The shape of this rank's part.
    pub(crate) fn own_shape(&self) -> Vec<usize> {
        [&[self.own().len()], &self.shape[1..]].concat()
    }

    /// How many rows each rank has.
    pub(crate) fn counts(&self) -> Vec<usize> {
        self.starts.windows(2).map(|pair| pair[1] - pair[0]).collect()
    }

    /// The rank that has a row.
    pub(crate) fn owner(&self, row: usize) -> usize {
        self.starts.partition_point(|start| *start <= row) - 1
    }

    /// Whether another array's rows lie on the same ranks.
    pub(crate) fn is_like(&self, other: &Split) -> bool {
        self.starts == other.starts
    }

    /// A call for an array of these rows.
    pub(crate) fn call(&self, function: Function) -> Call {
        self.rows().call(function, &[])
    }

    pub(crate) fn rows(&self) -> Rows<'_> {
        Rows { shape: &self.shape, starts: &self.starts }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_have_owners() {
        let split = Split::of_counts(&[2, 0, 3, 1], &[5]);
        assert_eq!((split.shape(), split.row()), (&[6, 5][..], 5));
        assert_eq!((0..6).map(|row| split.owner(row)).collect::<Vec<_>>(), [0, 0, 2, 2, 2, 3]);
        assert_eq!(split.counts(), [2, 0, 3, 1]);
        assert_eq!(split.of(2), 2..5);
        assert_eq!(split.with_rest(&[]).shape(), [6]);
    }
}
