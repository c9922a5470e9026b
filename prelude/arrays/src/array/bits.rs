//! The same memory as elements of another type, as windows, and whether arrays
//! share it.

use std::sync::Arc;

use gpurepl_kernels::{DType, ReduceOp};

use super::axis::axis_of;
use super::layout::Layout;
use super::math::{AsArray, TypeOf};
use super::node::{Node, Place};
use super::raw::Raw;
use super::transfer::download;
use super::{Elem, GpuArray};
use crate::error::{OrRaise as _, Problem, Result};
use crate::shape::{Dims, IntoShape, MAX_RANK, Shape};

impl<T: Elem> GpuArray<T> {
    /// The bytes of the elements as another type, in the same memory. For a type
    /// of another size the last axis, whose elements must lie side by side, gets
    /// longer or shorter.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![1.0f32].view(u32).to_vec(), [0x3f80_0000]);
    /// assert_eq!(gpu![1_u16, 2].view(u8).to_vec(), [1, 0, 2, 0]);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if the last axis is not as it must be, or
    /// bytes other than 0 and 1 are to be `bool`.
    #[track_caller]
    pub fn view<U: Elem>(&self, _dtype: fn() -> TypeOf<U>) -> GpuArray<U> {
        GpuArray::wrap(viewed_as(&self.raw, U::DTYPE).or_raise())
    }

    /// Whether the memory of the arrays, from the first to the last byte of each,
    /// has bytes in common: then writing to one may change the other. Two views
    /// may interleave without a common element.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let a = arange(0..4);
    /// assert!(a.may_share_memory(&a.t()));
    /// assert!(!a.slice(..2).may_share_memory(&a.slice(2..)));
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if an array is an expression and
    /// evaluating it fails.
    #[track_caller]
    pub fn may_share_memory<U: Elem>(&self, other: impl AsArray<U>) -> bool {
        may_share(&self.raw, &other.as_array().raw).or_raise()
    }

    /// Every window of this shape: a view whose first axes are the places where a
    /// window begins, and whose last axes are those of a window. It cannot be
    /// written, because windows have elements in common; `copy()` can.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let windows = arange(0..5).sliding_window_view(3);
    /// assert_eq!(windows.to_string(), "[[0 1 2]\n [1 2 3]\n [2 3 4]]");
    /// assert_eq!(windows.mean_axis(-1).to_vec(), [1.0, 2.0, 3.0]);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if there is not a length for each axis, or
    /// one is longer than the axis.
    #[track_caller]
    pub fn sliding_window_view(&self, window: impl IntoShape) -> GpuArray<T> {
        GpuArray::wrap(windows(&self.raw, &window.into_dims(), None).or_raise())
    }

    /// [`GpuArray::sliding_window_view`] along some axes. An axis may be named
    /// twice.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(zeros::<f32>((3, 4)).sliding_window_view_axis(2, 1).shape(), [3, 3, 2]);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if there is no such axis, or a window is
    /// longer than its axis.
    #[track_caller]
    pub fn sliding_window_view_axis(&self, window: impl IntoShape, axes: impl IntoShape) -> GpuArray<T> {
        GpuArray::wrap(windows(&self.raw, &window.into_dims(), Some(&axes.into_dims())).or_raise())
    }
}

/// The shape that arrays of two shapes give together, as by arithmetic.
///
/// ```
/// use gpurepl_prelude::*;
/// assert_eq!(array::broadcast_shapes((3, 1), 4), [3, 4]);
/// ```
///
/// # Panics
///
/// With an [`Error`](crate::Error), if they do not broadcast.
#[track_caller]
pub fn broadcast_shapes(first: impl IntoShape, second: impl IntoShape) -> Vec<usize> {
    together(&first.into_dims(), &second.into_dims()).or_raise().lengths().to_vec()
}

fn together(first: &Dims, second: &Dims) -> Result<Shape> {
    let operation = "broadcast_shapes";
    first.shape(operation, 1)?.broadcast(second.shape(operation, 1)?, operation)
}

/// The greatest of some bytes.
fn greatest(bytes: &Raw) -> Result<Option<u8>> {
    if bytes.size() == 0 {
        return Ok(None);
    }
    Ok(download(&bytes.try_reduce(ReduceOp::Maximum, DType::UInt8)?)?.first().copied())
}

fn viewed_as(raw: &Raw, dtype: DType) -> Result<Raw> {
    let operation = "view";
    let (own, shape) = (raw.dtype(), raw.shape());
    let refuse = |message: String| Err(Problem::Invalid { operation, message }.into());
    if dtype == DType::Bool && own != DType::Bool {
        let bytes = viewed_as(raw, DType::UInt8)?;
        if let Some(byte) = greatest(&bytes)?.filter(|byte| *byte > 1) {
            return refuse(format!(
                "bytes of a bool are 0 or 1, and these of {own} go up to {byte}\n  = help: `a.ne(0)` is true where \
                 elements are not 0"
            ));
        }
        return Ok(Raw::new(Node::ready(bytes.shape(), dtype, bytes.place()?)));
    }
    let (from, to) = (own.size(), dtype.size());
    let place = raw.place()?;
    let apart = || {
        refuse(format!(
            "elements of {dtype} lie at multiples of their {to} bytes, and these of {own} do not\n  \
             = help: `a.copy().view({dtype})`"
        ))
    };
    // Memory that was made elsewhere is aligned for the elements that it was given with.
    if shape.size() > 0 && !place.buffer.address().is_multiple_of(dtype.real().size() as u64) {
        return apart();
    }
    if from == to {
        return Ok(Raw::new(Node::ready(shape, dtype, place)));
    }
    let Some((&last, outer)) = shape.lengths().split_last() else {
        // NumPy's words, here and below.
        return refuse(format!(
            "Changing the dtype of a 0d array is only supported if the itemsize is unchanged: {own} has {from} bytes, \
             {dtype} has {to}"
        ));
    };
    let inner = outer.len();
    if last != 1 && shape.size() > 0 && place.strides[inner] != 1 {
        return refuse(format!(
            "To change to a dtype of a different size, the last axis must be contiguous: {own} to {dtype}\n  \
             = help: `a.copy().view({dtype})`"
        ));
    }
    let bytes = last * from;
    if !bytes.is_multiple_of(to) {
        return refuse(format!(
            "When changing to a larger dtype, its size must be a divisor of the total size in bytes of the last axis \
             of the array: {bytes} bytes of {own} are not a whole number of {dtype}, of {to}"
        ));
    }
    // Strides of axes that are not walked may be anything.
    let is_walked = |axis: usize| outer[axis] > 1 && shape.size() > 0;
    let is_whole = |elements: usize| (elements * from).is_multiple_of(to);
    let offset = if shape.size() == 0 { 0 } else { place.offset };
    if !is_whole(offset)
        || (0..inner).any(|axis| is_walked(axis) && !is_whole(place.strides[axis].unsigned_abs()))
    {
        return apart();
    }
    let mut strides = [0; MAX_RANK];
    for axis in (0..inner).filter(|axis| is_walked(*axis)) {
        strides[axis] = place.strides[axis] * from as isize / to as isize;
    }
    strides[inner] = 1;
    let mut lengths = shape.lengths().to_vec();
    lengths[inner] = bytes / to;
    let place = Place { offset: offset * from / to, strides, ..place };
    Ok(Raw::new(Node::ready(Shape::new(&lengths), dtype, place)))
}

/// The bytes from the first to behind the last element of at least one.
fn extent(place: &Place, shape: Shape, dtype: DType) -> (isize, isize) {
    let (mut first, mut last) = (place.offset as isize, place.offset as isize);
    for (length, stride) in shape.lengths().iter().zip(place.strides) {
        let walked = (*length as isize - 1) * stride;
        if walked < 0 { first += walked } else { last += walked }
    }
    let size = dtype.size() as isize;
    (first * size, (last + 1) * size)
}

pub(crate) fn may_share(one: &Raw, other: &Raw) -> Result<bool> {
    if one.size() == 0 || other.size() == 0 {
        return Ok(false);
    }
    let (place, place_of_other) = (one.place()?, other.place()?);
    let (first, last) = extent(&place, one.shape(), one.dtype());
    let (first_of_other, last_of_other) = extent(&place_of_other, other.shape(), other.dtype());
    let is_same = Arc::ptr_eq(&place.buffer, &place_of_other.buffer);
    Ok(is_same && first < last_of_other && first_of_other < last)
}

fn windows(raw: &Raw, window: &Dims, axes: Option<&Dims>) -> Result<Raw> {
    let operation = "sliding_window_view";
    let (window, shape) = (window.shape(operation, 1)?, raw.shape());
    let refuse = |message: String| Err(Problem::Shape { operation, message }.into());
    let axes: Vec<usize> = match axes {
        Some(axes) => {
            let numbers = axes.numbers(operation)?;
            numbers.iter().map(|axis| axis_of(operation, shape, *axis as isize)).collect::<Result<_>>()?
        }
        None => (0..shape.rank()).collect(),
    };
    if axes.len() != window.rank() {
        // NumPy's words, here and below.
        return refuse(format!(
            "Must provide matching length window_shape and axis; got {} window_shape elements and {} axes elements",
            window.rank(),
            axes.len()
        ));
    }
    let mut layout = Layout::of(raw)?;
    for (axis, length) in axes.into_iter().zip(window.lengths()) {
        let (own, stride) = layout.axes[axis];
        let Some(shorter) = own.checked_sub(*length) else {
            return refuse(format!(
                "window shape cannot be larger than input array shape: {length} of axis {axis}, which has {own} left of {shape:?}"
            ));
        };
        layout.axes[axis].0 = shorter + 1;
        layout.axes.push((*length, stride));
    }
    layout.view(operation, raw)
}
