//! Functions that the ranks of a session call together, under the names of MPI's and NCCL's.
//!
//! ```
//! use gpurepl_prelude::*;
//! // Each rank has a part of the numbers; all get the sum of all.
//! let mine = arange::<i64>(0..12).reshape((3, 4)) * (rank() as i64 + 1);
//! let sum = distributed::all_reduce(&mine, distributed::Reduce::Sum)?;
//! let factor: i64 = (1..=ranks() as i64).sum();
//! assert_eq!(sum.to_vec(), (0..12).map(|x| x * factor).collect::<Vec<_>>());
//! # Ok::<(), Error>(())
//! ```
//!
//! All ranks call the same function, in the same order, with arrays of one type. What does not go together is an error
//! on all of them, as is a rank that ends its cell without calling it. With one rank everything means the same.
//!
//! Between GPUs elements go by NCCL, between hosts through memory that the ranks share.
#![warn(missing_docs)]

mod array;
mod call;
mod conjugate;
mod cuda;
mod description;
mod functions;
mod given;
mod host;
mod plan;
mod point;
mod reduce;
mod solve;
mod sparse;
mod work;

pub use array::{DistArray, Edge, fft2, ifft2};
pub use functions::{
    all_gather, all_reduce, all_to_all, barrier, broadcast, gather, reduce, reduce_scatter, scatter,
    set_timeout, timeout,
};
pub use given::Given;
#[doc(inline)]
pub use gpurepl_extend::group::{rank, ranks};
pub use point::{recv, send};
pub use reduce::Reduce;
pub use solve::{DistOperator, DistSolution, DistSolver, cg, solver};
pub use sparse::DistCsr;
