//! The crates whose types the prelude's own functions take and return. A cell
//! that asks for one of them by `:dep` gets this very copy, at once: types of
//! another copy would be others.
//!
//! `plotters` is there for its own sake: what plots are drawn with.
//!
//! The session reads this list: one crate a line.

pub use half;
pub use ndarray;
pub use num_complex;
pub use plotters;
