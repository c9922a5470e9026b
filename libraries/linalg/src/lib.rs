//! Linear algebra of dense matrices, under the names of `numpy.linalg` and some of `scipy.linalg`: on a GPU by
//! cuSOLVER and cuBLAS, on the host by the crate faer.
//!
//! ```
//! use gpurepl_prelude::*;
//! # extend::provide("linalg", gpurepl_linalg_host::gpurepl_plugin)?;
//! let a = gpu![[3.0, 1.0], [1.0, 2.0]];
//! let x = linalg::solve(&a, &gpu![9.0, 8.0])?;
//! assert!(allclose(&a.matmul(&x), &gpu![9.0, 8.0]));
//! let (values, vectors) = linalg::eigh(&a)?;
//! assert!(allclose(&a.matmul(&vectors), &(&vectors * &values)));
//! # Ok::<(), Error>(())
//! ```
//!
//! The last two axes are those of matrices; axes before make a stack of them, which is computed at once. Integers
//! are computed as `f64`, `f16` as `f32`. What depends on the elements, as whether a matrix is singular, is an
//! error and no panic.
#![warn(missing_docs)]

mod cuda;
mod decompositions;
mod factors;
mod functions;
mod host;
mod norms;
mod number;
mod precision;
mod shapes;
mod systems;
mod typed;

pub use decompositions::{
    Lu, cholesky, cholesky_upper, eig, eigh, eigh_upper, eigvals, eigvalsh, lu, lu_factor, qr, qr_complete,
    qr_r, svd, svd_reduced, svdvals,
};
pub use functions::{expm, matmul, matrix_power, multi_dot};
pub use norms::{Order, cond, cond_order, matrix_norm, norm_order, vector_norm};
pub use number::{Field, Number};
pub use precision::{allow_tf32, is_tf32_allowed};
pub use systems::{
    LeastSquares, Triangle, det, inv, lstsq, lstsq_rcond, matrix_rank, matrix_rank_tol, pinv, pinv_rcond,
    slogdet, solve, solve_triangular, tensorinv, tensorsolve,
};
