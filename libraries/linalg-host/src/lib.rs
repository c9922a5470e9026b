//! The plugin `linalg`: dense linear algebra on the host, over [faer](https://codeberg.org/sarah-quinones/faer).
//!
//! Its functions take arrays of float32, float64, complex64 or complex128,
//! all of one precision and contiguous. The last axes are matrices, those
//! before them the batch, alike in all arrays of a call. Outputs are arrays
//! of the caller's. `info` has a whole number for each matrix, 0 or what
//! LAPACK's would be: the matrix then has no result.
#![warn(missing_docs)]

mod arguments;
mod batches;
mod cholesky;
mod crew;
mod eig;
mod eigenvector;
mod eigh;
mod householder;
mod lanes;
mod lu;
mod magnitude;
mod product;
mod qr;
mod scalar;
mod solve;
mod svd;
mod triangle;
mod triangular;
mod tridiagonal;

#[cfg(test)]
mod tests;

use gpurepl_plugin::plugin;

use arguments::dispatch;

plugin! {
    name = "linalg";
    "product" => dispatch::<product::Product>,
    "solve" => dispatch::<solve::Solve>,
    "inverse" => dispatch::<solve::Inverse>,
    "lu" => dispatch::<lu::Lu>,
    "cholesky" => dispatch::<cholesky::Cholesky>,
    "triangular_solve" => dispatch::<triangular::TriangularSolve>,
    "qr" => dispatch::<qr::Qr>,
    "svd" => dispatch::<svd::Svd>,
    "eigh" => dispatch::<eigh::Eigh>,
    "eig" => dispatch::<eig::Eig>,
}
