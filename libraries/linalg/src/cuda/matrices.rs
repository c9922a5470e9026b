//! Batches of matrices: their lengths, how they lie, and how many the libraries get at once.
//!
//! The libraries' matrices lie column by column. So does the exchanged view of a matrix in C order, and an exchanged
//! view of what they write is the result, without another copy.

use std::ffi::c_int;

use gpurepl_extend::{AnyArray, DType, Result, error};

/// A type of numbers, as the libraries name it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Number {
    pub dtype: DType,
    /// Its place among the functions of a [`Four`](super::library::Four).
    pub index: usize,
    /// `cudaDataType`.
    pub code: c_int,
    /// The type of absolute values: of singular values.
    pub real: DType,
    /// Its `cudaDataType`.
    pub real_code: c_int,
    /// The type of what may be complex: of eigenvalues.
    pub complex: DType,
    /// Its `cudaDataType`.
    pub complex_code: c_int,
}

impl Number {
    pub(super) fn of(name: &'static str, dtype: DType) -> Result<Number> {
        let (index, code) = match dtype {
            DType::Float32 => (0, 0),
            DType::Float64 => (1, 1),
            DType::Complex64 => (2, 4),
            DType::Complex128 => (3, 5),
            _ => {
                let message =
                    format!("matrices of {dtype} are not factored; convert them to {}", DType::Float64);
                return Err(error::dtype(name, message));
            }
        };
        let (real, real_code, complex, complex_code) = match index % 2 {
            0 => (DType::Float32, 0, DType::Complex64, 4),
            _ => (DType::Float64, 1, DType::Complex128, 5),
        };
        Ok(Number { dtype, index, code, real, real_code, complex, complex_code })
    }

    pub(super) fn is_complex(self) -> bool {
        self.dtype == self.complex
    }

    pub(super) fn size(self) -> usize {
        self.dtype.size()
    }
}

/// The lengths of an array of matrices.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Matrices {
    /// The axes before the last two.
    pub batch: Vec<usize>,
    /// How many matrices there are.
    pub count: usize,
    pub rows: usize,
    pub columns: usize,
}

impl Matrices {
    pub(super) fn of(a: &AnyArray) -> Matrices {
        Matrices::of_shape(a.shape())
    }

    fn of_shape(shape: &[usize]) -> Matrices {
        let (batch, last) = shape.split_at(shape.len() - 2);
        Matrices { batch: batch.to_vec(), count: batch.iter().product(), rows: last[0], columns: last[1] }
    }

    /// The shorter side: as many pivots, reflectors, singular values.
    pub(super) fn shorter(&self) -> usize {
        self.rows.min(self.columns)
    }

    /// The shape of an array with other lengths behind the batch's.
    pub(super) fn shape(&self, lengths: &[usize]) -> Vec<usize> {
        [&self.batch, lengths].concat()
    }
}

/// A new array in C order whose last axes are exchanged: the matrices, column by column.
pub(super) fn column_major(a: &AnyArray) -> Result<AnyArray> {
    exchanged(a)?.copied()
}

/// A view with the last two axes exchanged.
pub(super) fn exchanged(a: &AnyArray) -> Result<AnyArray> {
    a.permuted(&exchange(a.shape().len()))
}

fn exchange(rank: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..rank).collect();
    order.swap(rank - 2, rank - 1);
    order
}

/// The order of many small matrices, in which a kernel for all of them is faster than one call for each.
const SMALL: usize = 64;
/// The same if there are a good number of them.
const MEDIUM: usize = 256;
const MANY: usize = 8;

/// Whether square matrices are better given to a routine for batches.
pub(super) fn is_batched(count: usize, order: usize) -> bool {
    (count > 1 && order <= SMALL) || (count >= MANY && order <= MEDIUM)
}

/// The most matrices of a call, and their elements: the libraries count both in 32 bits, and workspaces grow with
/// them.
const MOST_MATRICES: usize = 1 << 15;
const MOST_ELEMENTS: usize = 1 << 26;

/// The first matrix and the number of each call for a batch, given the elements of a matrix.
pub(super) fn pieces(count: usize, elements: usize) -> Vec<(usize, usize)> {
    let most = (MOST_ELEMENTS / elements.max(1)).clamp(1, MOST_MATRICES);
    (0..count).step_by(most).map(|first| (first, most.min(count - first))).collect()
}

/// A length as the functions take it that count in 32 bits.
pub(super) fn number(name: &'static str, length: usize) -> Result<c_int> {
    c_int::try_from(length).map_err(|_| {
        let message =
            format!("a length of {length} is more than the library counts; use at most {}", c_int::MAX);
        error::invalid(name, message)
    })
}

/// `cublasFillMode_t`.
pub(super) fn triangle(is_upper: bool) -> c_int {
    c_int::from(is_upper)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_have_their_real_and_complex_ones() {
        let number = Number::of("svd", DType::Complex64).unwrap();
        assert_eq!((number.index, number.code, number.real, number.real_code), (2, 4, DType::Float32, 0));
        assert!(number.is_complex());
        let number = Number::of("eig", DType::Float64).unwrap();
        assert_eq!(
            (number.index, number.code, number.complex, number.complex_code),
            (1, 1, DType::Complex128, 5)
        );
        assert!(!number.is_complex());
        assert!(Number::of("eig", DType::Int32).unwrap_err().to_string().contains("eig"));
    }

    #[test]
    fn the_last_two_axes_are_the_matrices() {
        assert_eq!(exchange(2), [1, 0]);
        assert_eq!(exchange(4), [0, 1, 3, 2]);
        let matrices = Matrices::of_shape(&[2, 0, 3, 4]);
        assert_eq!((matrices.count, matrices.rows, matrices.columns, matrices.shorter()), (0, 3, 4, 3));
        assert_eq!(matrices.shape(&[7]), [2, 0, 7]);
        assert_eq!(Matrices::of_shape(&[3, 4]).count, 1);
    }

    #[test]
    fn batches_are_taken_in_pieces() {
        assert_eq!(pieces(0, 16), []);
        assert_eq!(pieces(5, 16), [(0, 5)]);
        assert_eq!(pieces(40000, 16), [(0, 32768), (32768, 7232)]);
        assert_eq!(pieces(3, 1 << 28), [(0, 1), (1, 1), (2, 1)]);
        assert_eq!(pieces(2, 1 << 40), [(0, 1), (1, 1)]);
    }

    #[test]
    fn small_matrices_go_together() {
        assert!(is_batched(2, 64) && is_batched(8, 256));
        assert!(!is_batched(1, 4) && !is_batched(4, 256) && !is_batched(100, 512));
    }
}
