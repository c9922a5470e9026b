//! What goes where, in bytes: the same plan on all ranks.

use gpurepl_extend::DType;

use crate::reduce::Reduce;

/// Which bytes of whose input become whose result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Plan {
    /// Inputs of these lengths one behind the other, on all ranks or on one.
    Join { lengths: Vec<usize>, only: Option<usize> },
    /// Each input in a part for each rank, in their order; `lengths[from][to]`.
    Deal { lengths: Vec<Vec<usize>> },
    /// Elements combined, on all ranks or on one.
    Combine { op: Reduce, dtype: DType, bytes: usize, only: Option<usize> },
    /// Elements combined, in a part of these lengths for each rank.
    CombineParts { op: Reduce, dtype: DType, lengths: Vec<usize> },
}

impl Plan {
    /// Whether a rank gets anything.
    pub(crate) fn has_result(&self, rank: usize) -> bool {
        match self {
            Plan::Join { only, .. } | Plan::Combine { only, .. } => only.is_none_or(|only| only == rank),
            Plan::Deal { .. } | Plan::CombineParts { .. } => true,
        }
    }
}

/// The lengths of an axis in so many parts, as `numpy.array_split` has them: the first ones are one longer.
pub(crate) fn split(length: usize, parts: usize) -> Vec<usize> {
    (0..parts).map(|part| length / parts + usize::from(part < length % parts)).collect()
}

/// Bytes of all that has an index of the first axis.
pub(crate) fn row(shape: &[usize], dtype: DType) -> usize {
    shape.iter().skip(1).product::<usize>() * dtype.size()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_parts_are_one_longer() {
        assert_eq!(split(7, 3), [3, 2, 2]);
        assert_eq!(split(2, 4), [1, 1, 0, 0]);
        assert_eq!(split(0, 2), [0, 0]);
        assert_eq!(split(8, 4), [2; 4]);
    }

    #[test]
    fn a_row_is_all_axes_but_the_first() {
        assert_eq!(row(&[5, 2, 3], DType::Float32), 24);
        assert_eq!(row(&[5], DType::Complex128), 16);
        assert_eq!(row(&[], DType::Bool), 1);
        assert_eq!(row(&[5, 0], DType::Bool), 0);
    }
}
