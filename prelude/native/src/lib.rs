//! The host device's loops over blocks of elements: arithmetic, comparisons,
//! functions, conversions and folds, for every element type.
//!
//! A crate of its own, because these loops are as fast as they can be only if
//! all of them are compiled as one unit: so each is inlined into its loop and
//! becomes vector instructions. The rest of the prelude can be compiled in
//! many units at once.
//!
//! Elements come as bytes, in slices that hold whole elements; their alignment
//! is that of the type.
#![warn(missing_docs)]

mod arithmetic;
mod cast;
mod elementary;
mod fold;
mod half_precision;
mod number;
mod overflow;
mod special;
mod vector_math;

pub use arithmetic::{Binary, Fold, LANES, Ternary, Unary, binary, fold, identity, select, ternary, unary};
pub use cast::{Cast, cast, index};
pub use fold::Folder;
pub use half_precision::half_from_f64;
pub use overflow::{Reporting, reporting};
