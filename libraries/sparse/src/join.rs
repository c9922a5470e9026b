//! Matrices of several matrices.

use gpurepl_extend::{AnyArray, DType, Result, error};

use crate::compressed::{Compressed, check_counts};
use crate::entry::beside;
use crate::number::Field;
use crate::triplets::Triplets;
use crate::{Csr, SparseMatrix};

/// Matrices below one another: SciPy's `vstack`.
///
/// ```
/// use gpurepl_prelude::*;
/// let (a, b) = (sparse::eye::<f64>(2)?, sparse::csr(&gpu![[3.0, 4.0]])?);
/// assert_eq!(sparse::vstack(&[&a, &b])?.to_dense().to_vec(), [1.0, 0.0, 0.0, 1.0, 3.0, 4.0]);
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
///
/// If there is none, they have different numbers of columns, or there would be too many elements.
pub fn vstack<T: Field>(matrices: &[&dyn SparseMatrix<T>]) -> Result<Csr<T>> {
    joined("vstack", &by_rows(matrices)?, [true, false]).map(Csr::of)
}

/// Matrices beside one another: SciPy's `hstack`.
///
/// ```
/// use gpurepl_prelude::*;
/// let (a, b) = (sparse::eye::<f64>(2)?, sparse::csr(&gpu![[3.0], [4.0]])?);
/// assert_eq!(sparse::hstack(&[&a, &b])?.to_dense().to_vec(), [1.0, 0.0, 3.0, 0.0, 1.0, 4.0]);
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
///
/// If there is none, they have different numbers of rows, or there would be too many elements.
pub fn hstack<T: Field>(matrices: &[&dyn SparseMatrix<T>]) -> Result<Csr<T>> {
    joined("hstack", &by_rows(matrices)?, [false, true]).map(Csr::of)
}

/// Matrices along the diagonal, with nothing beside them: SciPy's `block_diag`.
///
/// ```
/// use gpurepl_prelude::*;
/// let (a, b) = (sparse::eye::<f64>(1)?, sparse::csr(&gpu![[3.0, 4.0]])?);
/// assert_eq!(sparse::block_diag(&[&a, &b])?.to_dense().to_vec(), [1.0, 0.0, 0.0, 0.0, 3.0, 4.0]);
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
///
/// If there is none, or there would be too many elements.
pub fn block_diag<T: Field>(matrices: &[&dyn SparseMatrix<T>]) -> Result<Csr<T>> {
    joined("block_diag", &by_rows(matrices)?, [true, true]).map(Csr::of)
}

fn by_rows<T: Field>(matrices: &[&dyn SparseMatrix<T>]) -> Result<Vec<Compressed>> {
    matrices.iter().map(|matrix| matrix.by_rows()).collect()
}

/// One matrix; each begins where the one before ends, along the axes that are told.
fn joined(operation: &'static str, matrices: &[Compressed], along: [bool; 2]) -> Result<Compressed> {
    let Some(first) = matrices.first() else {
        let message = "there must be at least one matrix".to_owned();
        return Err(error::invalid(operation, message));
    };
    let mut shape = first.shape();
    for matrix in &matrices[1..] {
        for (axis, name) in ["rows", "columns"].into_iter().enumerate() {
            let length = matrix.shape()[axis];
            if along[axis] {
                shape[axis] = shape[axis].saturating_add(length);
            } else if length != shape[axis] {
                let message =
                    format!("shapes {:?} and {:?} differ in their {name}", first.shape(), matrix.shape());
                return Err(error::shape(operation, message));
            }
        }
    }
    let count = matrices.iter().map(Compressed::count).sum();
    check_counts(operation, shape, count)?;
    beside(first.values(), || {
        let places = || AnyArray::empty(count, DType::UInt32);
        let all = Triplets {
            shape,
            rows: places()?,
            columns: places()?,
            values: AnyArray::empty(count, first.dtype())?,
        };
        let (mut start, mut corner) = (0, [0; 2]);
        for matrix in matrices {
            let part = matrix.triplets()?;
            let length = part.values.size();
            for (to, from, offset) in
                [(&all.rows, &part.rows, corner[0]), (&all.columns, &part.columns, corner[1])]
            {
                let moved = AnyArray::of(&(from.typed::<u32>()? + offset as u32));
                to.narrowed(0, start, length)?.assign(&moved)?;
            }
            all.values.narrowed(0, start, length)?.assign(&part.values)?;
            start += length;
            for axis in 0..2 {
                corner[axis] += if along[axis] { matrix.shape()[axis] } else { 0 };
            }
        }
        all.compressed(false)
    })
}
