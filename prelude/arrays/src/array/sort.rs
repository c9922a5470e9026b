//! Sorted copies, and the order that sorts.

use gpurepl_kernels::DType;

use super::axis::axis_of;
use super::node::{Node, Place};
use super::raw::{Raw, Value};
use super::{Elem, GpuArray};
use crate::device::operations::Sort;
use crate::error::{OrRaise as _, Result};
use crate::shape::{MAX_RANK, Shape};

/// Sorting, in NumPy's order: NaN comes last, complex numbers are compared by
/// their real parts and then by their imaginary ones. Every sort is stable:
/// equal elements stay in order, and zeros of both signs are equal.
///
/// They panic with an [`Error`](crate::Error) if there is no such axis or the
/// device reports an error.
impl<T: Elem> GpuArray<T> {
    /// A copy whose elements are sorted along the last axis, as `np.sort(a)`.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![3, 1, 2].sort().to_vec(), [1, 2, 3]);
    /// assert_eq!(gpu![[3, 1], [2, 0]].sort().to_vec(), [1, 3, 0, 2]);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if the array has no axes.
    #[must_use = "`sort` returns a sorted copy; `sort_in_place` sorts the array itself"]
    #[track_caller]
    pub fn sort(&self) -> GpuArray<T> {
        self.sort_axis(-1)
    }

    /// A copy whose elements are sorted along an axis: `np.sort(a, axis=0)`.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![[3, 1], [2, 0]].sort_axis(0).to_vec(), [2, 0, 3, 1]);
    /// ```
    ///
    /// # Panics
    ///
    /// As [`GpuArray::sum_axis`].
    #[must_use = "`sort_axis` returns a sorted copy; `sort_axis_in_place` sorts the array itself"]
    #[track_caller]
    pub fn sort_axis(&self, axis: isize) -> GpuArray<T> {
        GpuArray::wrap(sorted(&self.raw, axis).or_raise())
    }

    /// Sorts the array itself along the last axis: NumPy's `a.sort()`.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let mut a = gpu![3, 1, 2];
    /// a.sort_in_place();
    /// assert_eq!(a.to_vec(), [1, 2, 3]);
    /// ```
    ///
    /// # Panics
    ///
    /// As [`GpuArray::sort`].
    #[track_caller]
    pub fn sort_in_place(&mut self) {
        self.sort_axis_in_place(-1);
    }

    /// Sorts the array itself along an axis: NumPy's `a.sort(axis=0)`.
    ///
    /// # Panics
    ///
    /// As [`GpuArray::sum_axis`].
    #[track_caller]
    pub fn sort_axis_in_place(&mut self, axis: isize) {
        let sorted = sorted(&self.raw, axis).or_raise();
        self.raw.try_store(Value::Array(sorted)).or_raise();
    }

    /// Where the elements of the sorted array are, along the last axis:
    /// `np.argsort(a, stable=True)`.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![30.0, 10.0, 20.0].argsort().to_vec(), [1, 2, 0]);
    /// ```
    ///
    /// # Panics
    ///
    /// As [`GpuArray::sort`].
    #[track_caller]
    pub fn argsort(&self) -> GpuArray<i64> {
        self.argsort_axis(-1)
    }

    /// Where the elements of the sorted array are, along an axis:
    /// `np.argsort(a, axis=0, stable=True)`.
    ///
    /// # Panics
    ///
    /// As [`GpuArray::sum_axis`].
    #[track_caller]
    pub fn argsort_axis(&self, axis: isize) -> GpuArray<i64> {
        GpuArray::wrap(order(&self.raw, axis).or_raise())
    }
}

/// Elements sorted along an axis, in C order.
pub(crate) fn sorted(raw: &Raw, axis: isize) -> Result<Raw> {
    let axis = axis_of("sort", raw.shape(), axis)?;
    Ok(along(raw, axis, true, false)?.0.expect("values are wanted"))
}

/// Where the sorted elements are along an axis.
pub(super) fn order(raw: &Raw, axis: isize) -> Result<Raw> {
    let axis = axis_of("argsort", raw.shape(), axis)?;
    Ok(along(raw, axis, false, true)?.1.expect("places are wanted"))
}

/// The sorted elements along an axis, and where they were, each if it is wanted.
pub(super) fn along(
    raw: &Raw,
    axis: usize,
    values: bool,
    places: bool,
) -> Result<(Option<Raw>, Option<Raw>)> {
    let last = raw.shape().rank() - 1;
    // Rows are sorted: other axes become the last, and go back afterwards.
    let turned = swapped(raw, axis, last)?;
    let (shape, input) = (turned.shape(), turned.contiguous()?);
    let context = input.buffer.context();
    let result =
        |is_wanted: bool, dtype: DType| is_wanted.then(|| Place::within(context, shape, dtype)).transpose();
    let (values, places) = (result(values, raw.dtype())?, result(places, DType::Int64)?);
    if shape.size() > 0 {
        let length = shape.lengths()[last];
        let buffer = |place: &Option<Place>| place.as_ref().map(|place| place.buffer.clone());
        let sort = Sort {
            dtype: raw.dtype(),
            input: input.buffer.clone(),
            offset: input.offset,
            rows: shape.size() / length,
            length,
            values: buffer(&values),
            places: buffer(&places),
        };
        context.perform(&sort.operation()?)?;
    }
    let back = |place: Option<Place>, dtype: DType| {
        let of_place = |place| {
            let turned = swapped(&Raw::new(Node::ready(shape, dtype, place)), axis, last)?;
            Ok::<_, crate::Error>(Raw::new(Node::ready(turned.shape(), dtype, turned.contiguous()?)))
        };
        place.map(of_place).transpose()
    };
    Ok((back(values, raw.dtype())?, back(places, DType::Int64)?))
}

/// A view with two axes exchanged.
fn swapped(raw: &Raw, a: usize, b: usize) -> Result<Raw> {
    if a == b {
        return Ok(raw.clone());
    }
    let place = raw.place()?;
    let mut lengths = [0; MAX_RANK];
    lengths[..raw.shape().rank()].copy_from_slice(raw.shape().lengths());
    lengths.swap(a, b);
    let mut strides = place.strides;
    strides.swap(a, b);
    let shape = Shape::new(&lengths[..raw.shape().rank()]);
    Ok(Raw::new(Node::ready(shape, raw.dtype(), Place { strides, ..place })))
}
