//! Iteration over an axis: a view for each place.

use std::iter::FusedIterator;
use std::marker::PhantomData;
use std::ops::Range;

use super::axis::axis_of;
use super::layout::Layout;
use super::raw::Raw;
use super::{Elem, GpuArray};
use crate::error::{OrRaise as _, Problem, Result};

/// Views of an array, one for each place along an axis, without that axis. See
/// [`GpuArray::iter_axis`].
pub struct Views<T> {
    array: Raw,
    axis: usize,
    places: Range<usize>,
    element: PhantomData<T>,
}

impl<T: Elem> GpuArray<T> {
    /// The places of an axis, as views without it: columns of a matrix. For the
    /// first axis, its rows, `for row in &a` is the same. Nothing is copied, and
    /// writing to a view writes to the array. For the elements as numbers copy
    /// them to the host: `for x in a.to_vec()`.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let a = gpu![[1, 2], [3, 4]];
    /// let columns: Vec<_> = a.iter_axis(-1).map(|column| column.to_vec()).collect();
    /// assert_eq!(columns, [[1, 3], [2, 4]]);
    /// for mut row in &a {
    ///     row += 10;
    /// }
    /// assert_eq!(a.to_vec(), [11, 12, 13, 14]);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if there is no such axis.
    #[track_caller]
    pub fn iter_axis(&self, axis: isize) -> Views<T> {
        over(along(&self.raw, axis).or_raise())
    }

    /// The places of the first axis as a list of views: NumPy's `np.unstack(a)`.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let rows = gpu![[1, 2], [3, 4]].unstack();
    /// assert_eq!(rows[1].to_vec(), [3, 4]);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if there is no axis.
    #[track_caller]
    pub fn unstack(&self) -> Vec<GpuArray<T>> {
        self.unstack_axis(0)
    }

    /// The places of an axis as a list of views: NumPy's `np.unstack(a, axis=1)`.
    ///
    /// # Panics
    ///
    /// As [`GpuArray::iter_axis`].
    #[track_caller]
    pub fn unstack_axis(&self, axis: isize) -> Vec<GpuArray<T>> {
        self.iter_axis(axis).collect()
    }
}

impl<T: Elem> IntoIterator for &GpuArray<T> {
    type Item = GpuArray<T>;
    type IntoIter = Views<T>;

    /// The places of the first axis: [`GpuArray::iter_axis`].
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if there is no axis.
    #[track_caller]
    fn into_iter(self) -> Views<T> {
        over(along_first(&self.raw).or_raise())
    }
}

impl<T> Iterator for Views<T> {
    type Item = GpuArray<T>;

    fn next(&mut self) -> Option<GpuArray<T>> {
        let place = self.places.next()?;
        Some(GpuArray::wrap(view(&self.array, self.axis, place)))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.places.size_hint()
    }

    fn nth(&mut self, skipped: usize) -> Option<GpuArray<T>> {
        let place = self.places.nth(skipped)?;
        Some(GpuArray::wrap(view(&self.array, self.axis, place)))
    }
}

impl<T> DoubleEndedIterator for Views<T> {
    fn next_back(&mut self) -> Option<GpuArray<T>> {
        let place = self.places.next_back()?;
        Some(GpuArray::wrap(view(&self.array, self.axis, place)))
    }
}

impl<T> ExactSizeIterator for Views<T> {}
impl<T> FusedIterator for Views<T> {}

fn over<T>((array, axis): (Raw, usize)) -> Views<T> {
    let places = 0..array.lengths()[axis];
    Views { array, axis, places, element: PhantomData }
}

fn along_first(raw: &Raw) -> Result<(Raw, usize)> {
    if raw.shape().rank() == 0 {
        // NumPy's words.
        let message = "iteration over a 0-d array\n  = help: `a.item()` is its element".to_owned();
        return Err(Problem::Shape { operation: "iter", message }.into());
    }
    along(raw, 0)
}

fn along(raw: &Raw, axis: isize) -> Result<(Raw, usize)> {
    let axis = axis_of("iter_axis", raw.shape(), axis)?;
    // In memory before the first view, so that all are views of one array.
    Ok((raw.computed()?, axis))
}

fn view(raw: &Raw, axis: usize, place: usize) -> Raw {
    let taken = || {
        let mut layout = Layout::of(raw)?;
        layout.narrow(axis, place, 1);
        layout.axes.remove(axis);
        layout.view("iter", raw)
    };
    taken().expect("a view of an array in memory")
}
