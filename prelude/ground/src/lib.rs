//! What every other crate of the prelude stands on: errors, interrupts, the
//! streams of cells, numbers as values, shapes.
//!
//! Cells see of it what `gpurepl_prelude` passes on.
#![warn(missing_docs)]

#[doc(hidden)]
pub mod ending;
pub mod error;
pub mod group;
#[doc(hidden)]
pub mod interrupt;
pub mod scalar;
pub mod shape;
#[doc(hidden)]
pub mod streams;
mod tuples;

pub use error::{Error, ErrorKind, Result};
pub use interrupt::check_interrupt;
