//! Texture and surface objects: arguments of kernels.

use std::sync::Arc;

use super::binding::{Binding, Bound, memory};
use crate::array::Elem;
use crate::array::{GpuArray, Raw};
use crate::device::image::{AddressMode, ArrayFormat, FilterMode, ReadMode, Sampling};
use crate::error::{Error, Problem, Result};
use crate::memory::CudaArray;

/// How a [`TextureObject`] reads: CUDA's `cudaTextureDesc`. The default reads
/// single elements as they are, at the edge what is beyond it, and takes
/// coordinates in elements.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TextureDescriptor {
    /// What lies outside, for x, y and z.
    pub address_mode: [AddressMode; 3],
    /// Single elements, or between them.
    pub filter_mode: FilterMode,
    /// Integers as they are, or as floats.
    pub read_mode: ReadMode,
    /// Whether coordinates run from 0 to 1 rather than in elements.
    pub normalized_coordinates: bool,
    /// What [`AddressMode::Border`] reads.
    pub border_color: [f32; 4],
}

impl TextureDescriptor {
    pub(super) fn sampling(&self) -> Sampling {
        Sampling {
            address: self.address_mode,
            filter: self.filter_mode,
            read: self.read_mode,
            normalized_coordinates: self.normalized_coordinates,
            border: self.border_color,
        }
    }
}

/// A texture that a kernel takes as a `cudaTextureObject_t`. It holds its
/// array.
///
/// A kernel reads with `tex2D<float>(texture, x, y)` and its like: `tex1D`,
/// `tex3D`, `tex1DLayered`, `tex2DLayered`, and `tex1Dfetch` from
/// [`TextureObject::linear`].
#[derive(Clone)]
pub struct TextureObject(Arc<Bound>);

impl TextureObject {
    /// A texture over an array.
    ///
    /// # Errors
    ///
    /// If its elements cannot be read in this way: filtered integers, say.
    pub fn new(array: &CudaArray, descriptor: TextureDescriptor) -> Result<TextureObject> {
        let binding = Binding::Array(array.clone());
        Bound::texture("TextureObject", binding, descriptor.sampling()).map(TextureObject)
    }

    /// A texture over the memory of an array on the device, for `tex1Dfetch`:
    /// element `i` is made of `num_channels` elements of the array.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let source = "__global__ void f(cudaTextureObject_t t, float *a)
    ///               { a[threadIdx.x] = tex1Dfetch<float2>(t, threadIdx.x).y; }";
    /// let (f, x) = (SourceModule::new(source)?.get_function("f")?, gpu![f32; 1, 2, 3, 4]);
    /// let mut a = zeros::<f32>(3);
    /// f.launch(1, 3, (&TextureObject::linear(&x, 2)?, &mut a))?;
    /// assert_eq!(a.to_vec(), [2.0, 4.0, 0.0]); // There is nothing beyond the end.
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If a texture cannot hold such elements, or not this number of channels,
    /// or the elements do not lie in order.
    pub fn linear<T: Elem>(array: &GpuArray<T>, num_channels: usize) -> Result<TextureObject> {
        linear(&array.raw, num_channels)
    }

    pub(in crate::kernel) fn bound(&self) -> &Arc<Bound> {
        &self.0
    }
}

fn linear(raw: &Raw, num_channels: usize) -> Result<TextureObject> {
    let operation = "TextureObject";
    let (format, parts) = ArrayFormat::of(raw.dtype()).ok_or_else(|| {
        let message = format!("a texture cannot hold {}", raw.dtype());
        Error::from(Problem::DType { operation, message })
    })?;
    let channels = u32::try_from(num_channels).ok().and_then(|channels| channels.checked_mul(parts));
    let Some(channels) = channels.filter(|channels| [1, 2, 4].contains(channels)) else {
        let message = format!(
            "{num_channels} channels of {} are not valid; an element of a texture has 1, 2 or 4",
            raw.dtype()
        );
        return Err(Problem::Invalid { operation, message }.into());
    };
    let memory = memory(operation, raw)?;
    let bytes = raw.shape().size() * raw.dtype().size();
    let binding = Binding::linear(operation, memory, bytes, format, channels)?;
    Bound::texture(operation, binding, TextureDescriptor::default().sampling()).map(TextureObject)
}

/// A surface that a kernel takes as a `cudaSurfaceObject_t`, to read and write
/// the elements of an array: `surf2Dwrite(value, surface, x * sizeof(float), y)`
/// and its like. It holds its array.
#[derive(Clone)]
pub struct SurfaceObject(Arc<Bound>);

impl SurfaceObject {
    /// A surface over an array.
    ///
    /// # Errors
    ///
    /// If the array was not made with
    /// `ArrayFlags::SURFACE_LDST`.
    pub fn new(array: &CudaArray) -> Result<SurfaceObject> {
        Bound::surface("SurfaceObject", array).map(SurfaceObject)
    }

    pub(in crate::kernel) fn bound(&self) -> &Arc<Bound> {
        &self.0
    }
}

impl std::fmt::Debug for TextureObject {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "TextureObject({:#x})", self.0.handle())
    }
}

impl std::fmt::Debug for SurfaceObject {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "SurfaceObject({:#x})", self.0.handle())
    }
}
