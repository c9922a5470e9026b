//! Textures and surfaces: PyCUDA's references, and objects.
//!
//! A [`CudaArray`](crate::CudaArray) holds elements for them. A *reference* is declared in a
//! source, as `texture<float, 2> tex;`, found by its name and bound to an
//! array from outside. CUDA 12 has taken references away; here they are
//! variables that hold an object, so one text serves both devices. An *object*
//! is passed to a kernel as an argument, a `cudaTextureObject_t`.
//!
//! What is bound, or passed, is kept alive as long as it is.

mod binding;
mod handles;
mod object;
mod reference;

pub use handles::{SurfaceReference, TextureReference, bind_array_to_texref, matrix_to_texref};
pub use object::{SurfaceObject, TextureDescriptor, TextureObject};

pub use crate::device::image::{AddressMode, ArrayFormat, FilterMode, ReadMode};

pub(super) use binding::Bound;
pub(super) use reference::{References, ready};
