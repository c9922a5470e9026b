//! Kernels: CUDA C as text, launched with checked arguments.
//!
//! | | |
//! |---|---|
//! | [`SourceModule`] | kernels in CUDA C, with grids and blocks |
//! | [`DynamicModule`], [`module_from_buffer`] | machine code, loaded and linked |
//! | [`ElementwiseKernel`], `elementwise!` | a statement for each element |
//! | [`ReductionKernel`], `reduction!` | many elements become one |
//! | [`ScanKernel`], [`InclusiveScanKernel`], [`ExclusiveScanKernel`], `scan!` | running results |
//! | [`rust`] | kernels that are written in Rust |
//! | `DeviceAllocation` | memory without a type |
//! | [`CudaArray`], [`TextureReference`], [`TextureObject`] | textures; [`SurfaceReference`] and [`SurfaceObject`] write |
//! | [`KernelValues`] | what a text of a kernel is made with, by names |
//! | [`In`], [`Out`], [`InOut`] | host data that travels with a launch |

pub mod algorithm;
mod argument;
mod checked;
mod convert;
mod described;
mod dynamic_module;
mod elements;
mod elementwise;
mod function;
mod globals;
mod ignored_options;
mod inspection;
mod launch;
mod listed;
mod loaded_module;
mod origin;
mod outputs;
mod prepared;
mod prepared_argument;
mod reduced;
mod reduction;
mod repeated;
mod roofline;
pub mod rust;
mod scan;
mod source_builder;
mod source_module;
mod submit;
mod texture;
mod typed;
mod values;

pub use crate::array::{KernelData, Struct, define_in_c, layout_of_c};
pub use crate::error::{CompileError, FaultKind, KernelFault, Message, Severity};
pub use crate::memory::{
    ArrayData, ArrayDescriptor, ArrayFlags, CudaArray, HostBytes, HostData, HostDataMut, Order,
    gpuarray_to_array, make_multichannel_2d_array, matrix_to_array, np_to_array,
};
pub use argument::{ArgumentList, In, InOut, KernelArg, KernelArgs, Out};
pub use dynamic_module::{DynamicModule, DynamicSourceModule, compile};
pub use elementwise::ElementwiseKernel;
pub use launch::{Dim3, IntoDim3};
pub use loaded_module::{LoadedModule, module_from_buffer, module_from_file};
pub use origin::{Origin, Part};
pub use outputs::Outputs;
pub use prepared::{Packer, PreparedFunction};
pub use prepared_argument::{PreparedArg, PreparedArgs};
pub use reduced::{ReducedValues, ReductionValue, structure_type};
pub use reduction::ReductionKernel;
#[doc(hidden)]
pub use repeated::Given;
pub use roofline::{Roofline, roofline};
pub use scan::{ExclusiveScanKernel, InclusiveScanKernel, ScanKernel};
pub use source_builder::SourceModuleBuilder;
pub use source_module::{Function, SourceModule};
pub use texture::{
    AddressMode, ArrayFormat, FilterMode, ReadMode, SurfaceObject, SurfaceReference, TextureDescriptor,
    TextureObject, TextureReference, bind_array_to_texref, matrix_to_texref,
};
pub use typed::{ElementwiseCore, ReductionCore, ScanCore, TypedKernel};
pub use values::{KernelValue, KernelValues};
