//! Arrays of any element type, and where they lie.

use std::fmt;

use gpurepl_arrays::array::{self, Elem, GpuArray, IntoShape, Node, Place, Raw, ToGpu, untyped};
use gpurepl_device::{self as device, Context};
use gpurepl_ground::Result;
use gpurepl_ground::shape::Shape;
use gpurepl_kernels::{DType, View};

use crate::error;

/// An array of any element type: what the functions of a library take that
/// are not generic. A clone is another handle to the same memory.
///
/// ```
/// use gpurepl_prelude::extend::AnyArray;
/// use gpurepl_prelude::*;
/// let a = AnyArray::of(&gpu![[1.0f32, 2.0], [3.0, 4.0]].t());
/// assert_eq!((a.shape(), a.dtype(), a.is_contiguous()?), (&[2, 2][..], DType::Float32, false));
/// assert_eq!(a.typed::<f32>()?.to_vec(), [1.0, 3.0, 2.0, 4.0]);
/// assert!(a.typed::<f64>().is_err());
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone)]
pub struct AnyArray {
    raw: Raw,
    shape: Shape,
}

/// Where an array lies.
#[derive(Clone, Debug, PartialEq)]
pub struct Extent {
    /// The address of the first element: the device's on a GPU, the program's
    /// on the host.
    pub address: u64,
    /// The lengths of the axes.
    pub shape: Vec<usize>,
    /// The steps along the axes, in elements; they may be zero or negative.
    pub strides: Vec<isize>,
    /// The type of the elements.
    pub dtype: DType,
    /// The context of the memory.
    pub context: Context,
}

impl AnyArray {
    /// An array without its type.
    pub fn of<T: Elem>(array: &GpuArray<T>) -> AnyArray {
        AnyArray::of_raw(array.raw.clone())
    }

    /// What a user has given: an array, or data of the host, which is copied.
    ///
    /// # Errors
    ///
    /// If the device has no room, or vectors in a vector differ in length.
    pub fn given<A: ToGpu>(data: &A) -> Result<AnyArray> {
        data.upload().map(AnyArray::of_raw)
    }

    /// An array by its handle.
    #[doc(hidden)]
    pub fn of_raw(raw: Raw) -> AnyArray {
        AnyArray { shape: raw.shape(), raw }
    }

    /// A new array in the current context, whose elements have not been set.
    ///
    /// # Errors
    ///
    /// If the shape is impossible or the device has no room.
    pub fn empty(shape: impl IntoShape, dtype: DType) -> Result<AnyArray> {
        array::uninitialized("empty", shape.into_dims(), dtype).map(AnyArray::of_raw)
    }

    /// A new array of zeros.
    ///
    /// # Errors
    ///
    /// As [`AnyArray::empty`].
    pub fn zeros(shape: impl IntoShape, dtype: DType) -> Result<AnyArray> {
        untyped::zeros(shape.into_dims(), dtype).map(AnyArray::of_raw)
    }

    /// A stack of matrices with ones on the diagonal and zeros elsewhere.
    ///
    /// # Errors
    ///
    /// As [`AnyArray::empty`].
    pub fn identity(stack: &[usize], n: usize, dtype: DType) -> Result<AnyArray> {
        let one = untyped::identity(n, dtype).map(AnyArray::of_raw)?;
        if stack.is_empty() { Ok(one) } else { one.broadcast_to(&[stack, &[n, n]].concat())?.copied() }
    }

    /// A copy of elements of the host, given by their bytes in C order.
    ///
    /// # Errors
    ///
    /// As [`AnyArray::empty`], or if there are not as many bytes as the elements
    /// have.
    pub fn from_host(shape: impl IntoShape, dtype: DType, bytes: &[u8]) -> Result<AnyArray> {
        let dims = shape.into_dims();
        let shape = dims.shape("from_host", dtype.size())?;
        let needed = shape.size() * dtype.size();
        if bytes.len() != needed {
            let message = format!(
                "an array of shape {shape:?} and type {dtype} has {needed} bytes, {} are given; give the elements \
                 in C order",
                bytes.len()
            );
            return Err(error::invalid("from_host", message));
        }
        array::upload(dims, dtype, bytes).map(AnyArray::of_raw)
    }

    /// The bytes of all elements, in C order, once they have been computed.
    ///
    /// # Errors
    ///
    /// If the device reports one.
    pub fn to_host(&self) -> Result<Vec<u8>> {
        array::download(&self.raw)
    }

    /// The array with its type.
    ///
    /// # Errors
    ///
    /// If its elements have another type.
    pub fn typed<T: Elem>(&self) -> Result<GpuArray<T>> {
        self.check_type(T::DTYPE)?;
        Ok(GpuArray::from_untyped(self.raw.clone()))
    }

    fn check_type(&self, wanted: DType) -> Result<()> {
        let dtype = self.dtype();
        if dtype == wanted {
            return Ok(());
        }
        let message = format!("an array of {dtype} is not one of {wanted}; ask for {}", dtype.rust());
        Err(error::dtype("typed", message))
    }

    /// The lengths of the axes.
    pub fn shape(&self) -> &[usize] {
        self.shape.lengths()
    }

    /// The number of elements.
    pub fn size(&self) -> usize {
        self.shape.size()
    }

    /// The type of the elements.
    pub fn dtype(&self) -> DType {
        self.raw.dtype()
    }

    /// The context of its memory.
    ///
    /// # Errors
    ///
    /// If there is no device.
    pub fn context(&self) -> Result<Context> {
        self.raw.context().map_or_else(device::current, Ok)
    }

    /// Where the array lies. An expression is evaluated first.
    ///
    /// The address is for work that [`perform`](crate::perform) puts in order:
    /// whoever uses it elsewhere may read what has not been computed.
    ///
    /// # Errors
    ///
    /// If evaluating it fails.
    pub fn extent(&self) -> Result<Extent> {
        Ok(self.extent_of(&self.raw.place()?))
    }

    pub(crate) fn extent_of(&self, place: &Place) -> Extent {
        let dtype = self.dtype();
        Extent {
            address: place.buffer.address() + (place.offset * dtype.size()) as u64,
            shape: self.shape().to_vec(),
            strides: place.strides[..self.shape.rank()].to_vec(),
            dtype,
            context: place.buffer.context(),
        }
    }

    /// Whether the elements lie in C order, one behind the other.
    ///
    /// # Errors
    ///
    /// As [`AnyArray::extent`].
    pub fn is_contiguous(&self) -> Result<bool> {
        Ok(self.is_contiguous_at(&self.raw.place()?))
    }

    pub(crate) fn is_contiguous_at(&self, place: &Place) -> bool {
        let strided = device::Strided { buffer: &place.buffer, offset: place.offset, strides: place.strides };
        strided.view(self.shape) == View::Contiguous
    }

    /// The array with its elements in C order: itself, or a copy.
    ///
    /// # Errors
    ///
    /// As [`AnyArray::extent`], or if the device has no room for a copy.
    pub fn contiguous(&self) -> Result<AnyArray> {
        let place = self.raw.contiguous()?;
        // Axes of one element may have any step; libraries are given C's.
        let place = Place { strides: self.shape.strides(), ..place };
        Ok(AnyArray { raw: Raw::new(Node::ready(self.shape, self.dtype(), place)), shape: self.shape })
    }

    /// A view with the axes in reverse order.
    ///
    /// # Errors
    ///
    /// As [`AnyArray::extent`].
    pub fn t(&self) -> Result<AnyArray> {
        array::transposed(&self.raw).map(AnyArray::of_raw)
    }

    /// A view with the axes in another order, in which each is named once.
    ///
    /// # Errors
    ///
    /// As [`AnyArray::extent`], or if the order is no order of the axes.
    pub fn permuted(&self, order: &[usize]) -> Result<AnyArray> {
        let mut sorted = order.to_vec();
        sorted.sort_unstable();
        if !sorted.iter().copied().eq(0..self.shape().len()) {
            let message = format!("{order:?} is no order of the axes of shape {:?}", self.shape());
            return Err(error::invalid("permuted", message));
        }
        untyped::permuted(&self.raw, order).map(AnyArray::of_raw)
    }

    /// A view of the places of an axis from `start` on.
    ///
    /// # Errors
    ///
    /// As [`AnyArray::extent`], or if the axis does not have these places.
    pub fn narrowed(&self, axis: usize, start: usize, length: usize) -> Result<AnyArray> {
        let has = self.shape().get(axis).copied().unwrap_or(0);
        if start.checked_add(length).is_none_or(|end| end > has) {
            let message =
                format!("{length} places from {start} on are not in axis {axis} of shape {:?}", self.shape());
            return Err(error::invalid("narrowed", message));
        }
        untyped::narrowed(&self.raw, axis, start, length).map(AnyArray::of_raw)
    }

    /// A view in which axes of one element, and axes that are not there, repeat.
    ///
    /// # Errors
    ///
    /// As [`AnyArray::extent`], or if the shapes do not broadcast.
    pub fn broadcast_to(&self, lengths: &[usize]) -> Result<AnyArray> {
        untyped::broadcast(&self.raw, lengths).map(AnyArray::of_raw)
    }

    /// The first places of an axis, with zeros behind those that it has.
    ///
    /// # Errors
    ///
    /// As [`AnyArray::empty`], or if there is no such axis.
    pub fn resized(&self, axis: usize, length: usize) -> Result<AnyArray> {
        if axis >= self.shape().len() {
            return Err(error::invalid(
                "resized",
                format!("there is no axis {axis} in shape {:?}", self.shape()),
            ));
        }
        untyped::resized(&self.raw, axis, length).map(AnyArray::of_raw)
    }

    /// The elements moved on by some places along an axis; the last ones come first.
    ///
    /// # Errors
    ///
    /// As [`AnyArray::empty`], or if there is no such axis.
    pub fn rolled(&self, axis: usize, by: usize) -> Result<AnyArray> {
        if axis >= self.shape().len() {
            return Err(error::invalid(
                "rolled",
                format!("there is no axis {axis} in shape {:?}", self.shape()),
            ));
        }
        untyped::rolled(&self.raw, axis, by).map(AnyArray::of_raw)
    }

    /// The elements in C order in another shape, which has as many.
    ///
    /// # Errors
    ///
    /// If it has not.
    pub fn reshaped(&self, lengths: &[usize]) -> Result<AnyArray> {
        untyped::reshaped(&self.raw, lengths).map(AnyArray::of_raw)
    }

    /// A copy with its elements in C order.
    ///
    /// # Errors
    ///
    /// As [`AnyArray::extent`], or if the device has no room for it.
    pub fn copied(&self) -> Result<AnyArray> {
        untyped::copied(&self.raw).map(AnyArray::of_raw)
    }

    /// The values in another type; the array itself if it has that type.
    #[must_use]
    pub fn cast(&self, dtype: DType) -> AnyArray {
        AnyArray::of_raw(self.raw.cast(dtype))
    }

    /// Every element times a number, as an expression.
    ///
    /// # Errors
    ///
    /// If elements of the type are not multiplied.
    pub fn multiplied(&self, factor: f64) -> Result<AnyArray> {
        untyped::multiplied(&self.raw, factor).map(AnyArray::of_raw)
    }

    /// The complex conjugates, as an expression.
    #[must_use]
    pub fn conjugated(&self) -> AnyArray {
        AnyArray::of_raw(untyped::conjugated(&self.raw))
    }

    /// The real parts, as an expression.
    #[must_use]
    pub fn real_part(&self) -> AnyArray {
        AnyArray::of_raw(untyped::real_part(&self.raw))
    }

    /// Its handle.
    #[doc(hidden)]
    pub fn raw(&self) -> &Raw {
        &self.raw
    }

    pub(crate) fn place(&self) -> Result<Place> {
        self.raw.place()
    }
}

impl fmt::Debug for AnyArray {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AnyArray({}, {:?})", self.dtype(), self.shape())
    }
}
