//! Kernels that are written in Rust.
//!
//! The function that a user has typed is the kernel. Its *text* is known from the cell
//! ([`known_items`]), its types from the compiler: a launch is checked by rustc
//! like the call of a function, and the names of its types are what is compiled for
//! the device when it is launched first.
//!
//! | | |
//! |---|---|
//! | [`Kernel`] | `axpy.launch(grid, block, (2.0, &x, &mut y))` |
//! | `GpuArray::map` and its kin | a function over the elements of arrays |
//! | [`Matrix`], [`View`] | parameters that are arrays of several axes |
//! | [`thread`], [`block`], [`grid`], [`warp`], [`atomic`] | what a kernel names |

mod argument;
mod call;
mod closure;
mod items;
mod map;
mod names;
mod scan;

#[doc(hidden)]
pub use argument::Call as RustCall;
pub use argument::{RustArgument, RustArguments};
pub use call::Kernel;
pub use closure::{Capture, CaptureOther, CaptureSize, CaptureValue, Captured, known_closure};
pub use gpurepl_kernels::rust::views::{Matrix, MatrixMut, View, ViewMut};
pub use items::{DeviceItem, DeviceRoot, known_items};
pub use names::{atomic, block, dynamic_shared, fast, grid, shared, thread, warp};
