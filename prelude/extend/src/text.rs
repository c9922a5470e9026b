//! Texts of kernels that a library makes.

#[doc(inline)]
pub use gpurepl_arrays::kernel::{
    KernelValue, KernelValues, Origin, Part, SourceModule, SourceModuleBuilder,
};
