//! Arrays, raw memory and kernels, over any device.
//!
//! Cells see of it what `gpurepl_prelude` passes on.
#![warn(missing_docs)]

pub mod array;
pub mod fields;
pub mod kernel;
pub mod memory;
pub mod random;
pub mod series;

pub(crate) use gpurepl_device::{self as device, activity};
pub(crate) use gpurepl_ground::{error, interrupt, scalar, shape, streams};

use array::{Elem, GpuArray};
use error::{Error, Result};
