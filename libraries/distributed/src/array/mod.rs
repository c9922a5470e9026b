//! Arrays whose rows lie on several ranks.

mod display;
mod fft;
mod files;
mod halo;
mod moving;
mod operators;
mod products;
mod random;
mod reductions;
mod sort;
pub(crate) mod split;

use std::ops::Range;

use gpurepl_extend::arrays::{self, IntoShape, ToGpu};
use gpurepl_extend::group;
use gpurepl_extend::{AnyArray, DType, Elem, GpuArray, Result, error};

use crate::call;
pub use fft::{fft2, ifft2};
pub use halo::Edge;
pub(crate) use split::Split;

/// An array whose rows, the places of its first axis, lie on several ranks: each has some that follow one another, in
/// the order of ranks. With one rank it is an array with all its rows.
///
/// ```
/// use gpurepl_prelude::*;
/// use distributed::DistArray;
///
/// let x = DistArray::from_fn(1000, |rows| arange(rows.start as f64..rows.end as f64))?;
/// let y = 2.0 * &x + 1.0;
/// assert_eq!(y.sum()?, 1_000_000.0);
/// // This rank's part is an array like any other.
/// assert_eq!(y.local().size(), y.rows().len());
/// # Ok::<(), Error>(())
/// ```
///
/// Expressions, [`map`](DistArray::map) and what else concerns each row by itself are done by each rank with its part,
/// as on its arrays. What needs the rows of others is a function that all ranks call, as those of this module are; its
/// result is a [`Result`]. All ranks hold the same `DistArray` variables, with the same shapes.
pub struct DistArray<T: Elem> {
    local: GpuArray<T>,
    split: Split,
}

impl<T: Elem> Clone for DistArray<T> {
    /// Another handle to the same memory, as of an array.
    fn clone(&self) -> DistArray<T> {
        DistArray { local: self.local.clone(), split: self.split.clone() }
    }
}

/// The lengths of a shape that has an axis to divide.
fn lengths(operation: &'static str, shape: impl IntoShape, dtype: DType) -> Result<Vec<usize>> {
    let shape = shape.into_dims().shape(operation, dtype.size())?.lengths().to_vec();
    call::needs_axis(operation, &shape)?;
    Ok(shape)
}

impl<T: Elem> DistArray<T> {
    /// The parts of all ranks, in their order, as one array. They may have any number of rows.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// use distributed::DistArray;
    /// let a = DistArray::from_local(&full(rank() + 1, rank() as f32))?;
    /// assert_eq!(a.shape(), [ranks() * (ranks() + 1) / 2]);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`all_gather`](crate::all_gather).
    pub fn from_local(part: &impl ToGpu<Elem = T>) -> Result<DistArray<T>> {
        let part = AnyArray::given(part)?;
        let counts = call::rows_of_all(&part)?;
        let split = Split::of_counts(&counts, &part.shape()[1..]);
        Ok(DistArray { local: part.copied()?.typed()?, split })
    }

    /// An array of this shape, in equal parts, of which each rank makes its own: `make` is given the numbers of its
    /// rows.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// use distributed::DistArray;
    /// // x² on a grid of 100 points.
    /// let square = DistArray::from_fn(100, |rows| {
    ///     let x = arange(rows.start as f64..rows.end as f64) / 99.0;
    ///     &x * &x
    /// })?;
    /// assert!(square.max()? == 1.0);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the shape has no axes, or what is made has not these rows.
    pub fn from_fn(
        shape: impl IntoShape,
        make: impl FnOnce(Range<usize>) -> GpuArray<T>,
    ) -> Result<DistArray<T>> {
        let split = Split::even(&lengths("from_fn", shape, T::DTYPE)?);
        let local = make(split.own());
        let wanted = split.own_shape();
        if local.shape() != wanted {
            let message = format!(
                "rank {} makes an array of shape {:?}, and its part has {wanted:?}; make as many rows as the range says",
                group::rank(),
                local.shape()
            );
            return Err(error::shape("from_fn", message));
        }
        Ok(DistArray { local, split })
    }

    /// The rows of an array that all ranks have, each of which keeps its own.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// use distributed::DistArray;
    /// let a = DistArray::from_whole(&arange::<i64>(0..10).reshape((5, 2)))?;
    /// assert_eq!(a.sum()?, 45);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If it has no axes.
    pub fn from_whole(a: &impl ToGpu<Elem = T>) -> Result<DistArray<T>> {
        let a = AnyArray::given(a)?;
        call::needs_axis("from_whole", a.shape())?;
        let split = Split::even(a.shape());
        let own = split.own();
        Ok(DistArray { local: a.narrowed(0, own.start, own.len())?.copied()?.typed()?, split })
    }

    /// Rank `root`'s array, of which each rank gets its part.
    ///
    /// # Errors
    ///
    /// As [`scatter`](fn@crate::scatter).
    pub fn scatter(a: Option<&GpuArray<T>>, root: usize) -> Result<DistArray<T>> {
        DistArray::from_local(&crate::scatter(a, root)?)
    }

    /// Zeros, in equal parts.
    ///
    /// # Errors
    ///
    /// If the shape has no axes, or the device no room.
    pub fn zeros(shape: impl IntoShape) -> Result<DistArray<T>> {
        let split = Split::even(&lengths("zeros", shape, T::DTYPE)?);
        Ok(DistArray { local: AnyArray::zeros(split.own_shape(), T::DTYPE)?.typed()?, split })
    }

    /// The same number everywhere, in equal parts.
    ///
    /// # Errors
    ///
    /// As [`DistArray::zeros`].
    pub fn full(shape: impl IntoShape, value: T) -> Result<DistArray<T>> {
        let split = Split::even(&lengths("full", shape, T::DTYPE)?);
        let one = AnyArray::given(&arrays::full((), value))?;
        Ok(DistArray { local: one.broadcast_to(&split.own_shape())?.copied()?.typed()?, split })
    }

    /// The type of the elements.
    pub fn dtype(&self) -> DType {
        T::DTYPE
    }

    /// The shape of the whole.
    pub fn shape(&self) -> &[usize] {
        self.split.shape()
    }

    /// The number of elements of the whole.
    pub fn size(&self) -> usize {
        self.shape().iter().product()
    }

    /// The numbers of this rank's rows.
    pub fn rows(&self) -> Range<usize> {
        self.split.own()
    }

    /// The numbers of a rank's rows.
    ///
    /// # Panics
    ///
    /// If there is no such rank.
    pub fn rows_of(&self, rank: usize) -> Range<usize> {
        self.split.of(rank)
    }

    /// This rank's rows.
    pub fn local(&self) -> &GpuArray<T> {
        &self.local
    }

    /// Has a function write this rank's rows: by `set!`, `+=`, or a kernel that takes them as `&mut`. Their shape stays.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// use distributed::DistArray;
    /// let mut a = DistArray::<f64>::zeros(8)?;
    /// a.update(|rows| *rows += 1.5)?;
    /// assert_eq!(a.sum()?, 12.0);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If it puts an array of another shape there, which is dropped.
    pub fn update(&mut self, write: impl FnOnce(&mut GpuArray<T>)) -> Result<()> {
        let mut local = AnyArray::of(&self.local).typed()?;
        write(&mut local);
        let wanted = self.split.own_shape();
        if local.shape() != wanted {
            let message = format!(
                "the function leaves an array of shape {:?}, and this rank's part has {wanted:?}; write its elements",
                local.shape()
            );
            return Err(error::shape("update", message));
        }
        self.local = local;
        Ok(())
    }

    /// This rank's rows, as an array of its own.
    pub fn into_local(self) -> GpuArray<T> {
        self.local
    }

    /// What a function makes of this rank's rows, on all ranks: as many rows. It may call any function of arrays, and
    /// kernels.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// use distributed::DistArray;
    /// let a = DistArray::<f64>::full((8, 3), 4.0)?;
    /// let roots = a.map(|rows| rows.sqrt())?;
    /// let sums = roots.map(|rows| rows.sum_axis(1))?;
    /// assert_eq!((sums.shape(), sums.sum()?), (&[8][..], 48.0));
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the number of rows changes. This is seen on each rank by itself.
    pub fn map<U: Elem>(&self, make: impl FnOnce(&GpuArray<T>) -> GpuArray<U>) -> Result<DistArray<U>> {
        self.with_local("map", make(&self.local))
    }

    /// What a function makes of the rows of two arrays that lie on the same ranks.
    ///
    /// # Errors
    ///
    /// As [`DistArray::map`], and if the rows lie on other ranks.
    pub fn zip_map<U: Elem, V: Elem>(
        &self,
        other: &DistArray<U>,
        make: impl FnOnce(&GpuArray<T>, &GpuArray<U>) -> GpuArray<V>,
    ) -> Result<DistArray<V>> {
        check_like("zip_map", &self.split, &other.split)?;
        self.with_local("zip_map", make(&self.local, &other.local))
    }

    /// [`DistArray::map`] of a function that may fail: `a.try_map(|rows| fft::rfft(rows))?`.
    ///
    /// # Errors
    ///
    /// The function's, on the ranks where it fails, and as [`DistArray::map`].
    pub fn try_map<U: Elem>(
        &self,
        make: impl FnOnce(&GpuArray<T>) -> Result<GpuArray<U>>,
    ) -> Result<DistArray<U>> {
        self.with_local("try_map", make(&self.local)?)
    }

    /// Parts that are known to lie so.
    pub(crate) fn of_parts(local: GpuArray<T>, split: Split) -> DistArray<T> {
        debug_assert_eq!(local.shape(), split.own_shape());
        DistArray { local, split }
    }

    pub(crate) fn split(&self) -> &Split {
        &self.split
    }

    /// An array of other parts with the same rows.
    fn with_local<U: Elem>(&self, operation: &'static str, local: GpuArray<U>) -> Result<DistArray<U>> {
        let rest = rest_of(operation, local.shape(), self.rows().len())?;
        Ok(DistArray { split: self.split.with_rest(&rest), local })
    }

    /// The rows of all ranks, on rank `root`: `Some` there, and `None` on the others.
    ///
    /// # Errors
    ///
    /// As [`gather`](crate::gather).
    pub fn gather(&self, root: usize) -> Result<Option<GpuArray<T>>> {
        crate::gather(&self.local, root)
    }

    /// The rows of all ranks, on all ranks.
    ///
    /// # Errors
    ///
    /// As [`all_gather`](crate::all_gather).
    pub fn all_gather(&self) -> Result<GpuArray<T>> {
        crate::all_gather(&self.local)
    }

    /// The same elements in memory of their own.
    ///
    /// # Errors
    ///
    /// If the device has no room.
    pub fn copy(&self) -> Result<DistArray<T>> {
        Ok(DistArray { local: AnyArray::of(&self.local).copied()?.typed()?, split: self.split.clone() })
    }

    /// The values in another type.
    #[must_use]
    pub fn astype<U: Elem>(&self, dtype: fn() -> arrays::TypeOf<U>) -> DistArray<U> {
        DistArray { local: self.local.astype(dtype), split: self.split.clone() }
    }
}

/// The lengths of the other axes, of an array that has so many rows.
fn rest_of(operation: &'static str, shape: &[usize], rows: usize) -> Result<Vec<usize>> {
    match shape.split_first() {
        Some((first, rest)) if *first == rows => Ok(rest.to_vec()),
        _ => {
            let message = format!(
                "the function makes shape {shape:?} of the {rows} rows of rank {}; give as many rows back",
                group::rank()
            );
            Err(error::shape(operation, message))
        }
    }
}

/// Makes sure that two arrays have their rows on the same ranks. Each rank sees it by itself, and all see the same.
pub(crate) fn check_like(operation: &'static str, one: &Split, other: &Split) -> Result<()> {
    if one.is_like(other) {
        return Ok(());
    }
    if one.shape()[0] != other.shape()[0] {
        let message =
            format!("shapes {:?} and {:?} have different numbers of rows", one.shape(), other.shape());
        return Err(error::shape(operation, message));
    }
    let message = format!(
        "the ranks have {:?} rows of the first and {:?} of the second array; divide both in the same way: call \
         `rebalance` on both",
        one.counts(),
        other.counts()
    );
    Err(error::ranks(operation, message))
}
