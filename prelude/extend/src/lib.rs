//! What libraries over the arrays stand on: an FFT, a sparse matrix, files.
//!
//! A library is a crate that uses this one and no other of the prelude. It
//! gets what the arrays' own operations have:
//!
//! | a library needs | it uses |
//! |---|---|
//! | an array's address, shape, steps, type and context | [`AnyArray::extent`] |
//! | an array from data of the host, a new one, its elements | [`AnyArray::from_host`], [`AnyArray::empty`], [`AnyArray::to_host`] |
//! | work in the order of the streams, with one half for each device | [`Operation`], [`perform`] |
//! | the raw handle of a stream, for NVIDIA's libraries | [`Gpu::stream`] |
//! | those libraries, found at run time | [`Vendor`] |
//! | holders of arrays that kernels take | [`kernel`] |
//! | kernels of its own | [`Gpu::launch`] |
//! | something that is kept for each context: a handle, a plan | [`PerContext`] |
//! | something to be done before the process ends | [`at_end`] |
//! | heavy crates on the host, built when they are first wanted | [`plugin`](plugin()) |
//! | texts of kernels that are made: values by names, and where a text comes from | [`text`] |
//! | the system's C++ compiler, and the cache of what was compiled | [`compilers`] |
//! | memory of the host that users pass | [`memory`] |
//! | a note for the user that is not output | [`notice`] |
//! | errors | [`error`] |
//!
//! Functions that users call are thin typed shells over [`AnyArray`]: each cell
//! compiles the generic code that it uses.
//!
//! ```
//! use std::sync::Arc;
//!
//! use gpurepl_prelude::extend::{AnyArray, Argument, DType, Elements, Extent, Gpu, Operation, Result, perform};
//! use gpurepl_prelude::*;
//!
//! /// Elements in reverse order.
//! struct Flip;
//!
//! impl Operation for Flip {
//!     fn name(&self) -> &'static str {
//!         "flip"
//!     }
//!
//!     fn on_host(&self, arguments: &mut [Elements<'_>]) -> Result<()> {
//!         let [from, to] = arguments else { unreachable!("two arguments") };
//!         to.slice_mut::<f32>()?.copy_from_slice(from.slice::<f32>()?);
//!         to.slice_mut::<f32>()?.reverse();
//!         Ok(())
//!     }
//!
//!     fn on_gpu(&self, gpu: &dyn Gpu, arguments: &[Extent]) -> Result<()> {
//!         let _ = (gpu.stream()?, arguments[0].address, arguments[1].address); // for a vendor's library
//!         # Err(extend::error::unsupported("flip: not in this example".to_owned()))
//!     }
//! }
//!
//! fn flip(a: &GpuArray<f32>) -> Result<GpuArray<f32>> {
//!     let a = AnyArray::of(a).contiguous()?;
//!     let mut flipped = AnyArray::empty(a.shape(), DType::Float32)?;
//!     perform(Arc::new(Flip), &[Argument::read(&a), Argument::write(&mut flipped)])?;
//!     flipped.typed()
//! }
//! # if device().kind() == DeviceKind::Host {
//! assert_eq!(flip(&gpu![1.0f32, 2.0, 3.0])?.to_vec(), [3.0, 2.0, 1.0]);
//! # }
//! # Ok::<(), Error>(())
//! ```
#![warn(missing_docs)]

mod arithmetic;
mod array;
pub mod compilers;
pub mod error;
pub mod memory;
mod operation;
mod plugin;
pub mod text;

pub use array::{AnyArray, Extent};
pub use operation::{Argument, Elements, Operation, perform};
#[doc(hidden)]
pub use plugin::use_plugin_for_products;
pub use plugin::{Plugin, plugin, provide};

/// What kernels take as arguments, for a library's own holders of arrays.
pub mod kernel {
    #[doc(hidden)]
    pub use gpurepl_arrays::kernel::rust::RustCall;
    #[doc(inline)]
    pub use gpurepl_arrays::kernel::rust::{RustArgument, View, ViewMut};
    #[doc(inline)]
    pub use gpurepl_arrays::kernel::{ArgumentList, KernelArg, Packer, PreparedArg};
}

/// All that arrays can do: functions, and the traits of their elements.
#[doc(no_inline)]
pub use gpurepl_arrays::array as arrays;
#[doc(inline)]
pub use gpurepl_arrays::array::{Elem, GpuArray, IntoShape, KernelData, MAX_RANK, Struct};
#[doc(hidden)]
pub use gpurepl_arrays::random;
#[doc(inline)]
pub use gpurepl_arrays::random::rand;
#[doc(inline)]
pub use gpurepl_device::operations::{allow_tf32, is_tf32_allowed};
#[doc(inline)]
pub use gpurepl_device::{
    Context, Device, DeviceKind, Event, GeneratedLaunch, Gpu, PerContext, Stream, Vendor, VendorLibrary,
    capture_id, keep_for_capture, refuse_in_capture,
};
#[doc(inline)]
pub use gpurepl_ground::ending::at_end;
#[doc(hidden)]
pub use gpurepl_ground::error::OrRaise;
#[doc(hidden)]
pub use gpurepl_ground::group;
#[doc(inline)]
pub use gpurepl_ground::interrupt;
#[doc(inline)]
pub use gpurepl_ground::interrupt::check as check_interrupt;
#[doc(inline)]
pub use gpurepl_ground::scalar::{Scalar, ScalarBytes};
#[doc(inline)]
pub use gpurepl_ground::streams::notice;
pub use gpurepl_ground::{Error, ErrorKind, Result};
#[doc(hidden)]
pub use gpurepl_kernels::BinaryOp;
#[doc(inline)]
pub use gpurepl_kernels::{DType, Generated, LibraryText};
