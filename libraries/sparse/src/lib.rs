//! Sparse matrices and iterative solvers, under the names of `scipy.sparse` and `scipy.sparse.linalg`.
//!
//! ```
//! use gpurepl_prelude::*;
//! let n = 100;
//! let a = sparse::diags([n, n], &[(-1, -1.0), (0, 2.0), (1, -1.0)])?.to_csr();
//! let b = ones::<f64>(n);
//! let solution = sparse::cg(&a, &b)?;
//! assert!(solution.is_converged());
//! let residual = (&b - a.matmul(&solution.x)).norm().item();
//! assert!(residual <= 1e-5 * b.norm().item());
//! # Ok::<(), Error>(())
//! ```
//!
//! [`Csr`] is the format to compute with; [`Coo`], [`Csc`] and [`Dia`] are made from it and become it. Elements are
//! `f32`, `f64`, `Complex<f32>` or `Complex<f64>`, indices have 32 bits.
#![warn(missing_docs)]

mod bases;
mod compressed;
mod coo;
mod cores;
mod csc;
mod csr;
mod dia;
mod edit;
mod eigenvalues;
mod entry;
mod factor;
mod files;
mod join;
mod kernels;
mod market;
mod number;
mod operator;
mod preconditioners;
mod product;
mod random;
mod small;
mod solvers;
mod text;
mod triplets;

pub use coo::Coo;
pub use csc::Csc;
pub use csr::Csr;
pub use dia::{Dia, Diagonal, DiagonalFactor, diags};
pub use eigenvalues::{Which, eigsh, eigsh_which, power_iteration};
pub use factor::{Factor, SparseMatrix};
pub use files::{load_npz, save_npz};
pub use join::{block_diag, hstack, vstack};
pub use market::{mmread, mmwrite};
pub use number::Field;
pub use operator::{Closure, LinearOperator, operator};
pub use preconditioners::{Ilu, Jacobi, ilu, jacobi};
pub use random::random;
pub use solvers::{Outcome, Solution, Solver, bicgstab, cg, gmres, solver};

use gpurepl_extend::{GpuArray, Result};

/// The identity matrix of `n` rows: SciPy's `eye`.
///
/// # Errors
///
/// If `n` is too large.
pub fn eye<T: Field>(n: usize) -> Result<Csr<T>> {
    Ok(diags([n, n], &[(0, T::ONE)])?.to_csr())
}

/// The Kronecker product of two matrices: SciPy's `kron`.
///
/// ```
/// use gpurepl_prelude::*;
/// // The Laplace operator on a grid of 3 by 3 points.
/// let line = sparse::diags([3, 3], &[(-1, -1.0), (0, 2.0), (1, -1.0)])?.to_csr();
/// let one = sparse::eye(3)?;
/// let grid = sparse::kron(&one, &line)? + sparse::kron(&line, &one)?;
/// assert_eq!((grid.shape(), grid.nnz()), ([9, 9], 33));
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
///
/// If the product has too many elements.
pub fn kron<T: Field>(a: &impl SparseMatrix<T>, b: &impl SparseMatrix<T>) -> Result<Csr<T>> {
    edit::kron("kron", &a.by_rows()?, &b.by_rows()?).map(Csr::of)
}

/// The array as a sparse matrix: SciPy's `csr_array(a)`.
///
/// # Errors
///
/// If the array does not have two axes.
pub fn csr<T: Field>(a: &GpuArray<T>) -> Result<Csr<T>> {
    Csr::from_dense(a)
}
