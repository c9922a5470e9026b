//! Reading by indices: `take` and `take_axis`.

use super::axis::axis_of;
use super::chosen::{self, Selection};
use super::indices::{Choice, IndexArray};
use super::raw::Raw;
use super::{Elem, GpuArray};
use crate::device::operations::Indexing;
use crate::error::{OrRaise as _, Result};
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
