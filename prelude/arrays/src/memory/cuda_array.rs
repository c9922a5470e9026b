//! Arrays for textures and surfaces: CUDA's arrays, by PyCUDA's names.

use std::sync::Arc;

use gpurepl_kernels::DType;
use ndarray::{ArrayBase, Data, Dimension};

use super::host_data::{HostData, HostDataMut};
use crate::array::Order;
use crate::array::{Elem, GpuArray, Raw, transposed};
use crate::device;
use crate::device::image::{ArrayFormat, Axes, Image, Layout};
use crate::error::{Bytes, Error, Problem, Result};

/// The most elements along each axis: a Hopper GPU's, so that what works on
/// the host works there.
const MOST: [(Axes, [usize; 3]); 5] = [
    (Axes::One, [131_072, 1, 1]),
    (Axes::Two, [131_072, 65_536, 1]),
    (Axes::Three, [16_384, 16_384, 16_384]),
    (Axes::OneLayered, [32_768, 1, 2048]),
    (Axes::TwoLayered, [32_768, 32_768, 2048]),
];

/// What else an array is for; `|` joins them. PyCUDA's `array3d_flags`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ArrayFlags(u32);

impl ArrayFlags {
    /// An array for textures.
    pub const NONE: ArrayFlags = ArrayFlags(0);
    /// Layers: the last axis that a kernel names is an index, which nothing is
    /// filtered along.
    pub const LAYERED: ArrayFlags = ArrayFlags(1);
    /// Kernels may write to it through surfaces.
    pub const SURFACE_LDST: ArrayFlags = ArrayFlags(2);

    /// Whether all of `other` is among these.
    pub fn contains(self, other: ArrayFlags) -> bool {
        self.0 & other.0 == other.0
    }
}

impl std::ops::BitOr for ArrayFlags {
    type Output = ArrayFlags;

    fn bitor(self, other: ArrayFlags) -> ArrayFlags {
        ArrayFlags(self.0 | other.0)
    }
}

/// The size of a [`CudaArray`] and what it holds: PyCUDA's
/// `ArrayDescriptor3D`. A height of zero makes one axis, a depth of zero two;
/// with [`ArrayFlags::LAYERED`] the depth is the number of layers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArrayDescriptor {
    /// Elements along x.
    pub width: usize,
    /// Elements along y, or zero.
    pub height: usize,
    /// Elements along z or layers, or zero.
    pub depth: usize,
    /// The numbers that an element is made of.
    pub format: ArrayFormat,
    /// How many numbers an element has: 1, 2 or 4.
    pub num_channels: usize,
    /// Layers, surfaces.
    pub flags: ArrayFlags,
}

impl ArrayDescriptor {
    fn layout(&self) -> Result<Layout> {
        let &ArrayDescriptor { width, height, depth, format, num_channels, flags } = self;
        let is_layered = flags.contains(ArrayFlags::LAYERED);
        let axes = match (height, depth) {
            (0, 0) => Axes::One,
            (0, _) if is_layered => Axes::OneLayered,
            (_, 0) => Axes::Two,
            _ if is_layered => Axes::TwoLayered,
            _ => Axes::Three,
        };
        let lengths = [width, height.max(1), depth.max(1)];
        let most = MOST.iter().find(|(known, _)| *known == axes).map_or([0; 3], |(_, most)| *most);
        let has_layers = matches!(axes, Axes::OneLayered | Axes::TwoLayered);
        if is_layered && !has_layers {
            return Err(invalid("layers need a depth, which is their number".to_owned()));
        }
        if height == 0 && depth > 0 && !is_layered {
            return Err(invalid(format!("a depth of {depth} needs a height as well")));
        }
        if width == 0 || lengths.iter().zip(most).any(|(length, most)| *length > most) {
            let [x, y, z] = most;
            let message = format!(
                "{width} x {height} x {depth} elements; there must be one at least, and {x} x {y} x {z} at most"
            );
            return Err(invalid(message));
        }
        let channels = u32::try_from(num_channels).ok().filter(|channels| [1, 2, 4].contains(channels));
        let channels =
            channels.ok_or_else(|| invalid(format!("{num_channels} channels; an element has 1, 2 or 4")))?;
        Ok(Layout { axes, lengths, format, channels, surfaces: flags.contains(ArrayFlags::SURFACE_LDST) })
    }
}

fn invalid(message: String) -> Error {
    Problem::Invalid { operation: "CudaArray", message }.into()
}

/// Elements in the device's memory that textures read and surfaces write.
/// Clones are the same array; it is freed with the last of them and of what is
/// bound to it.
///
/// ```
/// use gpurepl_prelude::*;
/// let array = np_to_array(&ndarray::array![[1.0f32, 2.0], [3.0, 4.0]], Order::C, ArrayFlags::NONE)?;
/// let module = SourceModule::new(
///     "__global__ void middle(cudaTextureObject_t t, float *a) { a[0] = tex2D<float>(t, 1, 1); }",
/// )?;
/// let linear = TextureDescriptor { filter_mode: FilterMode::Linear, ..Default::default() };
/// let texture = TextureObject::new(&array, linear)?;
/// let mut a = [0.0f32];
/// module.get_function("middle")?.launch(1, 1, (&texture, Out(&mut a)))?;
/// assert_eq!(a, [2.5]);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone)]
pub struct CudaArray {
    image: Arc<dyn Image>,
    layout: Layout,
    descriptor: ArrayDescriptor,
}

impl CudaArray {
    /// Allocates memory for an array. Its contents are undefined.
    ///
    /// # Errors
    ///
    /// If a GPU has no arrays of these sizes or channels, or there is no
    /// room.
    pub fn new(descriptor: &ArrayDescriptor) -> Result<CudaArray> {
        let (context, layout) = (device::current()?, descriptor.layout()?);
        let image = context.backend().image(context, &layout)?;
        Ok(CudaArray { image, layout, descriptor: *descriptor })
    }

    /// Its size and what it holds.
    pub fn descriptor(&self) -> &ArrayDescriptor {
        &self.descriptor
    }

    /// Its size in bytes.
    pub fn nbytes(&self) -> usize {
        self.layout.bytes()
    }

    /// Copies from the host: all elements, those along x beside each other,
    /// an element's channels together.
    ///
    /// # Errors
    ///
    /// If there are more or fewer bytes than the array has.
    pub fn copy_from<A: HostData + ?Sized>(&mut self, from: &A) -> Result<()> {
        upload(self, &from.data()?.bytes)
    }

    /// Copies all elements to the host.
    ///
    /// # Errors
    ///
    /// If there is room for more or fewer bytes than the array has.
    pub fn copy_to<A: HostDataMut + ?Sized>(&self, to: &mut A) -> Result<()> {
        to.receive(&|bytes| download(bytes, self))
    }

    pub(crate) fn image(&self) -> &Arc<dyn Image> {
        &self.image
    }

    pub(crate) fn layout(&self) -> &Layout {
        &self.layout
    }
}

impl std::fmt::Debug for CudaArray {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let ArrayDescriptor { width, height, depth, num_channels, flags, .. } = self.descriptor;
        write!(f, "CudaArray({width} x {height} x {depth}, {num_channels} x {}", self.layout.format.numpy())?;
        for (flag, word) in [(ArrayFlags::LAYERED, "layered"), (ArrayFlags::SURFACE_LDST, "for surfaces")] {
            if flags.contains(flag) {
                write!(f, ", {word}")?;
            }
        }
        write!(f, ")")
    }
}

fn check_bytes(operation: &'static str, array: &CudaArray, given: usize) -> Result<()> {
    let has = array.nbytes();
    if given == has {
        return Ok(());
    }
    let message = format!(
        "{} of data for an array of {}; both must have the same size",
        Bytes(given as u64),
        Bytes(has as u64)
    );
    Err(Problem::Invalid { operation, message }.into())
}

fn upload(to: &CudaArray, bytes: &[u8]) -> Result<()> {
    check_bytes("copy_from", to, bytes.len())?;
    to.image.upload(bytes)
}

fn download(to: &mut [u8], from: &CudaArray) -> Result<()> {
    check_bytes("copy_to", from, to.len())?;
    from.image.download(to)
}

/// Arrays whose elements can be copied to a [`CudaArray`]: those of `ndarray`,
/// and [`GpuArray`].
#[diagnostic::on_unimplemented(
    message = "textures cannot be made of `{Self}`",
    note = "use an `ndarray` array, a `GpuArray`, or `CudaArray::new` and `copy_from`"
)]
pub trait ArrayData {
    #[doc(hidden)]
    fn to_array(&self, order: Order, flags: ArrayFlags, multichannel: bool) -> Result<CudaArray>;
}

impl<T: Elem, S: Data<Elem = T>, D: Dimension> ArrayData for ArrayBase<S, D> {
    fn to_array(&self, order: Order, flags: ArrayFlags, multichannel: bool) -> Result<CudaArray> {
        let turned = match order {
            Order::C => self.view(),
            Order::F => self.t(),
        };
        let turned = turned.as_standard_layout();
        // In the standard layout there is a slice.
        let bytes = T::as_bytes(turned.as_slice().unwrap_or_default());
        let array = reserve(T::DTYPE, turned.shape(), flags, multichannel)?;
        upload(&array, bytes)?;
        Ok(array)
    }
}

impl<T: Elem> ArrayData for GpuArray<T> {
    fn to_array(&self, order: Order, flags: ArrayFlags, multichannel: bool) -> Result<CudaArray> {
        from_device(&self.raw, order, flags, multichannel)
    }
}

fn from_device(raw: &Raw, order: Order, flags: ArrayFlags, multichannel: bool) -> Result<CudaArray> {
    let turned;
    let raw = match order {
        Order::C => raw,
        Order::F => {
            turned = transposed(raw)?;
            &turned
        }
    };
    let array = reserve(raw.dtype(), raw.shape().lengths(), flags, multichannel)?;
    let place = raw.contiguous()?;
    array.image.copy_from(&place.buffer, place.offset * raw.dtype().size())?;
    Ok(array)
}

/// An array for elements in C order.
fn reserve(dtype: DType, shape: &[usize], flags: ArrayFlags, multichannel: bool) -> Result<CudaArray> {
    let (format, parts) = ArrayFormat::of(dtype).ok_or_else(|| {
        let message = format!("an array for textures cannot hold {dtype}");
        Error::from(Problem::DType { operation: "CudaArray", message })
    })?;
    let (shape, channels) = match shape.split_last() {
        Some((channels, rest)) if multichannel => (rest, *channels),
        _ => (shape, 1),
    };
    // PyCUDA's arrays of one layer: whoever asks for layers gets some.
    let one_layer = usize::from(flags.contains(ArrayFlags::LAYERED));
    let (width, height, depth) = match *shape {
        [width] => (width, 0, one_layer),
        [height, width] => (width, height, one_layer),
        [depth, height, width] => (width, height, depth),
        _ => {
            let message = format!(
                "{} axes; an array for textures has one, two or three: `reshape` the data",
                shape.len()
            );
            return Err(Problem::Shape { operation: "CudaArray", message }.into());
        }
    };
    if shape.contains(&0) {
        let message = format!("an array of shape {shape:?} has no elements; each axis needs one at least");
        return Err(Problem::Shape { operation: "CudaArray", message }.into());
    }
    let num_channels = channels * parts as usize;
    CudaArray::new(&ArrayDescriptor { width, height, depth, format, num_channels, flags })
}

/// Copies an array of `ndarray` with one to three axes to a new [`CudaArray`].
///
/// With [`ArrayFlags::LAYERED`] the first of three axes counts layers, and
/// fewer axes are one layer. PyCUDA's `allowSurfaceBind=True` is
/// [`ArrayFlags::SURFACE_LDST`] for three axes, with `LAYERED` for two.
///
/// Elements of 8, 16 and 32 bits are held as they are, `Complex32` as two
/// floats. `f64` is held as two integers and `Complex64` as four, which
/// `fp_tex2D` and its like of `pycuda-helpers.hpp` read.
///
/// # Errors
///
/// If there are more axes, the elements are 64-bit integers, or there is no
/// room.
pub fn np_to_array<T: Elem, S: Data<Elem = T>, D: Dimension>(
    array: &ArrayBase<S, D>,
    order: Order,
    flags: ArrayFlags,
) -> Result<CudaArray> {
    array.to_array(order, flags, false)
}

/// [`np_to_array`] of an array on the device.
///
/// # Errors
///
/// As [`np_to_array`].
pub fn gpuarray_to_array<T: Elem>(array: &GpuArray<T>, order: Order, flags: ArrayFlags) -> Result<CudaArray> {
    array.to_array(order, flags, false)
}

/// Copies a matrix to a new [`CudaArray`] for textures.
///
/// # Errors
///
/// As [`np_to_array`].
pub fn matrix_to_array<A: ArrayData + ?Sized>(matrix: &A, order: Order) -> Result<CudaArray> {
    matrix.to_array(order, ArrayFlags::NONE, false)
}

/// Copies a matrix whose elements are vectors to a new [`CudaArray`] for
/// textures such as `texture<float4, 2>`. In C order the shape is (height,
/// width, channels), else (channels, width, height).
///
/// # Errors
///
/// As [`np_to_array`], or if there are not 1, 2 or 4 channels.
pub fn make_multichannel_2d_array<A: ArrayData + ?Sized>(array: &A, order: Order) -> Result<CudaArray> {
    array.to_array(order, ArrayFlags::NONE, true)
}
