//! Linear algebra on a GPU, by cuSOLVER and cuBLAS.
//!
//! Arrays are of shape `(.., rows, columns)` with any strides, of floats or complex numbers, and alike; the callers
//! have checked that. None is overwritten. A report is zero for a matrix that went well, otherwise LAPACK's `info`.

mod blas_declarations;
mod cholesky;
mod declarations;
mod eigen;
mod general_eigen;
mod handle;
mod kernels;
mod library;
mod lu;
mod matrices;
mod qr;
mod reflectors;
mod solve;
mod svd;
mod svd_batched;
mod svd_fallback;
mod triangular;
mod work;

pub(crate) use cholesky::cholesky;
pub(crate) use eigen::eigh;
pub(crate) use general_eigen::eig;
pub(crate) use lu::lu;
pub(crate) use qr::{qr, qr_r};
pub(crate) use solve::{inverse, solve};
pub(crate) use svd::{Vectors, svd};
pub(crate) use triangular::triangular_solve;
