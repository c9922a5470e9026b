//! Reading by indices: `take` and `take_axis`, and those that wrap or clip indices.

use gpurepl_kernels::{BinaryOp, DType};

use super::axis::axis_of;
use super::chosen::{self, Selection};
use super::indices::{Choice, IndexArray};
use super::raw::Raw;
use super::{Elem, GpuArray};
use crate::device::operations::Indexing;
use crate::error::{OrRaise as _, Result};
use crate::scalar::Scalar;
use crate::shape::IntoShape as _;

/// Elements by their indices, which count from the end where they are negative.
/// An index that names no element is an error; a GPU reports it with the next
/// result that is read, or at the end of the cell.
impl<T: Elem> GpuArray<T> {
    /// The elements with these numbers in C order, in the shape of the indices.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let a = gpu![[10, 20], [30, 40]];
    /// assert_eq!(a.take(&[3, 0, -2]).to_vec(), [40, 10, 30]);
    /// assert_eq!(a.take(&gpu![[0, 1], [1, 0]]).shape(), [2, 2]);
    /// assert_eq!(a.take(-1).item(), 40);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if an index is out of bounds.
    #[track_caller]
    pub fn take<I: IndexArray>(&self, indices: I) -> GpuArray<T> {
        GpuArray::wrap(take(&self.raw, indices.choice()).or_raise())
    }

    /// [`GpuArray::take`] with indices beyond the ends counted around:
    /// `a.take(indices, mode="wrap")`.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![1, 2, 3].take_wrap(&[-1, 3, 7]).to_vec(), [3, 1, 2]);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if the array is empty and the indices are not.
    #[track_caller]
    pub fn take_wrap<I: IndexArray>(&self, indices: I) -> GpuArray<T> {
        GpuArray::wrap(take_all(&self.raw, indices.choice(), Beyond::Wrap, None).or_raise())
    }

    /// [`GpuArray::take`] with the element at the end for indices beyond it:
    /// `a.take(indices, mode="clip")`. Negative ones are beyond the start.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![1, 2, 3].take_clip(&[-1, 3, 1]).to_vec(), [1, 3, 2]);
    /// ```
    ///
    /// # Panics
    ///
    /// As [`GpuArray::take_wrap`].
    #[track_caller]
    pub fn take_clip<I: IndexArray>(&self, indices: I) -> GpuArray<T> {
        GpuArray::wrap(take_all(&self.raw, indices.choice(), Beyond::Clip, None).or_raise())
    }

    /// [`GpuArray::take_wrap`] along an axis.
    ///
    /// # Panics
    ///
    /// As [`GpuArray::take_wrap`], or if there is no such axis.
    #[track_caller]
    pub fn take_wrap_axis<I: IndexArray>(&self, indices: I, axis: isize) -> GpuArray<T> {
        GpuArray::wrap(take_all(&self.raw, indices.choice(), Beyond::Wrap, Some(axis)).or_raise())
    }

    /// [`GpuArray::take_clip`] along an axis.
    ///
    /// # Panics
    ///
    /// As [`GpuArray::take_wrap_axis`].
    #[track_caller]
    pub fn take_clip_axis<I: IndexArray>(&self, indices: I, axis: isize) -> GpuArray<T> {
        GpuArray::wrap(take_all(&self.raw, indices.choice(), Beyond::Clip, Some(axis)).or_raise())
    }

    /// What has these places along an axis; the axes of the indices are in place
    /// of that axis. NumPy's `a.take(indices, axis)`.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let a = gpu![[1, 2, 3], [4, 5, 6]];
    /// assert_eq!(a.take_axis(&[2, 0], 1).to_vec(), [3, 1, 6, 4]);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if an index is out of bounds, or there is
    /// no such axis.
    #[track_caller]
    pub fn take_axis<I: IndexArray>(&self, indices: I, axis: isize) -> GpuArray<T> {
        GpuArray::wrap(take_axis(&self.raw, indices.choice(), axis).or_raise())
    }
}

/// The elements of a vector with these numbers.
pub(super) fn taken(raw: &Raw, indices: &Raw) -> Result<Raw> {
    Selection::along(raw, 0, indices, Indexing::new("take", None))?.read()
}

/// What an index beyond the ends of an axis names.
#[derive(Clone, Copy)]
pub(super) enum Beyond {
    /// What is as far from the other end.
    Wrap,
    /// What is at the end.
    Clip,
}

impl Beyond {
    /// The indices, from 0 to before a length.
    pub(super) fn within(self, indices: &Raw, length: usize) -> Result<Raw> {
        let length = i64::try_from(length).unwrap_or(i64::MAX).max(1);
        let of_unsigned = |op, number: i64| {
            let dtype = DType::UInt64;
            Ok(Raw::try_scalar(op, indices, Scalar::Int(number), false, dtype, dtype)?.cast(DType::Int64))
        };
        match self {
            // Beyond the largest i64 a cast would change them.
            Beyond::Wrap if indices.dtype() == DType::UInt64 => of_unsigned(BinaryOp::Remainder, length),
            Beyond::Clip if indices.dtype() == DType::UInt64 => of_unsigned(BinaryOp::Minimum, length - 1),
            Beyond::Wrap => chosen::with(BinaryOp::Remainder, &indices.cast(DType::Int64), length),
            Beyond::Clip => {
                let above = chosen::with(BinaryOp::Maximum, &indices.cast(DType::Int64), 0)?;
                chosen::with(BinaryOp::Minimum, &above, length - 1)
            }
        }
    }
}

fn take_all(raw: &Raw, indices: Choice<'_>, beyond: Beyond, axis: Option<isize>) -> Result<Raw> {
    let indices = indices.raw(chosen::context(raw)?)?;
    let (raw, axis) = match axis {
        Some(axis) => (raw.clone(), axis_of("take", raw.shape(), axis)?),
        None => (raw.try_reshape(raw.size().into_dims())?, 0),
    };
    let indices = beyond.within(&indices, raw.lengths()[axis])?;
    Selection::along(&raw, axis, &indices, Indexing::new("take", None))?.read()
}

fn take(raw: &Raw, indices: Choice<'_>) -> Result<Raw> {
    let indices = indices.raw(chosen::context(raw)?)?;
    let flat = raw.try_reshape(raw.size().into_dims())?;
    Selection::along(&flat, 0, &indices, Indexing::new("take", None))?.read()
}

pub(super) fn take_axis(raw: &Raw, indices: Choice<'_>, axis: isize) -> Result<Raw> {
    let axis = axis_of("take_axis", raw.shape(), axis)?;
    let indices = indices.raw(chosen::context(raw)?)?;
    Selection::along(raw, axis, &indices, Indexing::new("take_axis", Some(axis)))?.read()
}
