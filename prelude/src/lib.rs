//! What a gpurepl cell sees: devices, arrays, kernels and displays.
//!
//! ```
//! use gpurepl_prelude::*;
//!
//! let a = randn::<f32>((4, 4));
//! let module = SourceModule::new(
//!     "__global__ void twice(float *a) { a[threadIdx.x + threadIdx.y*4] *= 2; }",
//! )?;
//! let mut doubled = a.copy();
//! module.get_function("twice")?.launch(1, (4, 4), &mut doubled)?;
//! assert!(array_equal(&doubled, &(2.0 * &a)));
//! # Ok::<(), Error>(())
//! ```
//!
//! In a session this crate is one shared library that every cell is compiled
//! against; the device, the variables and the caches live in its statics.
//! Everything that a cell needs comes from here, `ndarray` among it: a second
//! copy of a crate would have types of its own.
//!
//! | module | what it holds |
//! |---|---|
//! | [`device`](mod@device) | the contract of a device, CUDA and the host behind it |
//! | [`array`](mod@array) | [`GpuArray`]: creation, arithmetic, indexing, reductions |
//! | [`kernel`] | [`SourceModule`], [`ElementwiseKernel`], [`ReductionKernel`] |
//! | [`memory`] | [`DeviceAllocation`], [`PageLocked`], [`Managed`], copies, fills, pools |
//! | [`nvtx`](mod@nvtx) | ranges and marks in the timelines of NVIDIA's profilers |
//! | `plot` | [`plot()`](plot()), [`scatter`], [`hist`], [`imshow`], [`contour`], [`bar`], [`surface`]: [`Figure`] |
//! | `random` | [`rand`], [`randn`], [`seed`] |
//! | `display` | [`Render`], [`display()`](display()), [`progress`](progress()), [`input`](input()) |
//! | [`cell`] | what generated code calls; not for users |
#![warn(missing_docs)]

mod activity;
#[doc(hidden)]
pub mod crates;
mod display;
mod elem;
mod error;
mod interrupt;
mod macros;
mod plot;
mod random;
mod shape;
mod streams;
mod worker;

pub mod array;
#[doc(hidden)]
pub mod cell;
pub mod device;
pub mod kernel;
pub mod memory;

pub use array::types::*;
pub use array::{
    By, GpuArray, HostDot, SliceItem, Slices, allclose, arange, array_equal, clip, cumath, empty, empty_like,
    full, full_like, linspace, maximum, minimum, ones, ones_like, power, to_gpu, try_to_gpu, where_, zeros,
    zeros_like,
};
pub use device::{
    CacheConfig, Context, ContextFlags, Device, DeviceAttribute, DeviceKind, Event, EventFlags, Graph, Limit,
    Scheduling, Stream, StreamFlags, device, nvtx, synchronize, timed,
};
pub use display::{
    DisplayHandle, Progress, ProgressIter, Render, ShowDebug, ShowKept, ShowName, ShowRender, Shown,
    clear_output, display, display_handle, input, input_password, is_rich, progress, try_input,
};
pub use elem::Elem;
pub use error::{CudaError, Error, ErrorKind, Result};
pub use gpurepl_kernels::DType;
pub use gpurepl_wire::MimeBundle;
pub use half::f16;
pub use interrupt::check_interrupt;
#[doc(hidden)]
pub use kernel::layout_of_c;
pub use kernel::{
    AddressMode, ArrayDescriptor, ArrayFlags, ArrayFormat, CompileError, CudaArray, DynamicModule,
    DynamicSourceModule, ElementwiseKernel, FaultKind, FilterMode, Function, In, InOut, KernelData,
    KernelFault, LoadedModule, Order, Out, PreparedFunction, ReadMode, ReductionKernel, SourceModule,
    SourceModuleBuilder, Struct, SurfaceObject, SurfaceReference, TextureDescriptor, TextureObject,
    TextureReference, TypedKernel, bind_array_to_texref, compile, gpuarray_to_array,
    make_multichannel_2d_array, matrix_to_array, matrix_to_texref, module_from_buffer, module_from_file,
    np_to_array,
};
pub use memory::{
    Advice, AlignedArray, AttachFlags, DeviceAllocation, Managed, MappedPointer, Memcpy2D, Memcpy3D,
    MemoryLocation, MemoryPool, PageLocked, PageLockedFlags, PointerHolder, aligned_empty, from_device,
    from_device_like, managed_empty, managed_from, managed_zeros, mem_alloc, mem_alloc_like, mem_alloc_pitch,
    mem_get_info, memcpy_dtod, memcpy_dtod_async, memcpy_dtoh, memcpy_dtoh_async, memcpy_htod,
    memcpy_htod_async, memcpy_peer, memcpy_peer_async, memory_pool, memset_d2d8, memset_d2d8_async,
    memset_d2d16, memset_d2d16_async, memset_d2d32, memset_d2d32_async, memset_d8, memset_d8_async,
    memset_d16, memset_d16_async, memset_d32, memset_d32_async, pagelocked_empty, pagelocked_from,
    pagelocked_pool, pagelocked_zeros, register_host_memory, to_device,
};
pub use ndarray;
pub use num_complex::{Complex, Complex32, Complex64};
pub use plot::{Figure, IntoSeries, PlotData, Theme, bar, contour, hist, imshow, plot, scatter, surface};
pub use random::{rand, randn, seed};
