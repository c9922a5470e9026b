//! Other shapes for the same elements, and copies.

use super::GpuArray;
use super::node::{Node, Place};
use super::raw::Raw;
use crate::array::Elem;
use crate::error::{OrRaise as _, Result};
use crate::shape::{Dims, IntoShape, MAX_RANK, Shape};

impl<T: Elem> GpuArray<T> {
    /// The same elements in another shape; one length may be -1, which is
    /// worked out. A view if the elements lie in order, else a copy.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(arange(0..6).reshape((-1, 2)).shape(), [3, 2]);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if the shape has another number of
    /// elements.
    #[track_caller]
    pub fn reshape<S: IntoShape>(&self, shape: S) -> GpuArray<T> {
        GpuArray::wrap(reshape(&self.raw, shape.into_dims()))
    }

    /// [`GpuArray::reshape`] that returns errors.
    ///
    /// # Errors
    ///
    /// If the shape has another number of elements.
    pub fn try_reshape<S: IntoShape>(&self, shape: S) -> Result<GpuArray<T>> {
        self.raw.try_reshape(shape.into_dims()).map(GpuArray::wrap)
    }

    /// The elements along one axis, in C order.
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if the device reports one.
    #[track_caller]
    pub fn ravel(&self) -> GpuArray<T> {
        GpuArray::wrap(reshape(&self.raw, (-1).into_dims()))
    }

    /// A view with the axes in reverse order.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let a = arange(0..6).reshape((2, 3));
    /// assert_eq!(a.t().shape(), [3, 2]);
    /// assert_eq!(a.t().to_vec(), [0, 3, 1, 4, 2, 5]);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if the device reports one.
    #[track_caller]
    pub fn t(&self) -> GpuArray<T> {
        GpuArray::wrap(transposed(&self.raw).or_raise())
    }

    /// A view without the axes of length 1.
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if the device reports one.
    #[track_caller]
    pub fn squeeze(&self) -> GpuArray<T> {
        GpuArray::wrap(squeezed(&self.raw).or_raise())
    }

    /// A copy with memory of its own.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let a = gpu![1, 2, 3];
    /// let (mut same, mut other) = (a.clone(), a.copy());
    /// same.set(0, 10);
    /// other.set(1, 20);
    /// assert_eq!(a.to_vec(), [10, 2, 3]);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if the device does not have enough memory.
    #[track_caller]
    pub fn copy(&self) -> GpuArray<T> {
        GpuArray::wrap(copied(&self.raw).or_raise())
    }
}

#[track_caller]
fn reshape(raw: &Raw, dims: Dims) -> Raw {
    // -1 of nothing cannot be worked out by dividing; it is nothing.
    let dims = if raw.shape().size() == 0 && dims == (-1).into_dims() { 0.into_dims() } else { dims };
    raw.try_reshape(dims).or_raise()
}

#[doc(hidden)]
pub fn transposed(raw: &Raw) -> Result<Raw> {
    let (place, shape) = (raw.place()?, raw.shape());
    let lengths: Vec<usize> = shape.lengths().iter().rev().copied().collect();
    let mut strides = [0; MAX_RANK];
    for (axis, stride) in strides[..shape.rank()].iter_mut().enumerate() {
        *stride = place.strides[shape.rank() - 1 - axis];
    }
    Ok(Raw::new(Node::ready(Shape::new(&lengths), raw.dtype(), Place { strides, ..place })))
}

fn squeezed(raw: &Raw) -> Result<Raw> {
    let (place, shape) = (raw.place()?, raw.shape());
    let mut strides = [0; MAX_RANK];
    let mut lengths = Vec::with_capacity(MAX_RANK);
    for (axis, length) in shape.lengths().iter().enumerate().filter(|(_, length)| **length != 1) {
        strides[lengths.len()] = place.strides[axis];
        lengths.push(*length);
    }
    Ok(Raw::new(Node::ready(Shape::new(&lengths), raw.dtype(), Place { strides, ..place })))
}

pub(super) fn copied(raw: &Raw) -> Result<Raw> {
    Ok(Raw::new(Node::ready(raw.shape(), raw.dtype(), raw.copied()?)))
}
