//! Reductions along an axis.

use gpurepl_kernels::{DType, ReduceOp};

use super::average::average;
use super::operators::Operand;
use super::over::Over;
use super::raw::Raw;
use super::{Elem, GpuArray, reduce};
use crate::error::{OrRaise as _, Problem, Result};
use crate::shape::{Dims, IntoShape, Shape};

/// Reductions along an axis, which the result does not have any more: NumPy's
/// `a.sum(axis=0)`. Negative axes count from the last. Several axes are a tuple
/// or an array of numbers: `a.sum_axis((0, 2))`.
///
/// NumPy's `keepdims=True` is a view of the result: `a.sum_axis(axes).expand_dims(axes)`
/// has the axes again, of length 1, and broadcasts with `a`.
///
/// NumPy's `where=mask` is `where_(&mask, &a, 0)`, or another number that
/// changes nothing: the choice is made in the kernel of the reduction.
///
/// They panic with an [`Error`](crate::Error) if there is no such axis, there
/// is no answer (the maximum of no elements) or the device reports an error.
impl<T: Elem> GpuArray<T> {
    /// The sums along an axis, in the type of [`GpuArray::sum`].
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let a = gpu![[1, 2, 3], [4, 5, 6]];
    /// assert_eq!(a.sum_axis(0).to_vec(), [5i64, 7, 9]);
    /// assert_eq!(a.sum_axis(-1).to_vec(), [6i64, 15]);
    /// assert_eq!(a.sum_axis((0, 1)).item(), 21i64);
    /// assert_eq!(a.sum_axis(1).expand_dims(1).shape(), [2, 1]);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if there is no such axis.
    #[track_caller]
    pub fn sum_axis(&self, axes: impl IntoShape) -> GpuArray<T::Sum> {
        GpuArray::wrap(along(&self.raw, ReduceOp::Sum, T::Sum::DTYPE, axes.into_dims()).or_raise())
    }

    /// The products along an axis, in the type of [`GpuArray::sum`].
    ///
    /// # Panics
    ///
    /// As [`GpuArray::sum_axis`].
    #[track_caller]
    pub fn prod_axis(&self, axes: impl IntoShape) -> GpuArray<T::Sum> {
        GpuArray::wrap(along(&self.raw, ReduceOp::Product, T::Sum::DTYPE, axes.into_dims()).or_raise())
    }

    /// The largest elements along an axis; NaN where there is one.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![[1, 9], [4, 5]].max_axis(1).to_vec(), [9, 5]);
    /// ```
    ///
    /// # Panics
    ///
    /// As [`GpuArray::sum_axis`], or if the axis is empty.
    #[track_caller]
    pub fn max_axis(&self, axes: impl IntoShape) -> GpuArray<T> {
        GpuArray::wrap(along(&self.raw, ReduceOp::Maximum, T::DTYPE, axes.into_dims()).or_raise())
    }

    /// The smallest elements along an axis; NaN where there is one.
    ///
    /// # Panics
    ///
    /// As [`GpuArray::max_axis`].
    #[track_caller]
    pub fn min_axis(&self, axes: impl IntoShape) -> GpuArray<T> {
        GpuArray::wrap(along(&self.raw, ReduceOp::Minimum, T::DTYPE, axes.into_dims()).or_raise())
    }

    /// The means along an axis; of integers in double precision.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![[1, 2], [4, 6]].mean_axis(0).to_vec(), [2.5, 4.0]);
    /// ```
    ///
    /// # Panics
    ///
    /// As [`GpuArray::max_axis`].
    #[track_caller]
    pub fn mean_axis(&self, axes: impl IntoShape) -> GpuArray<T::Quotient> {
        GpuArray::wrap(reduce::mean(&self.raw, T::Quotient::DTYPE, Some(axes.into_dims())).or_raise())
    }

    /// Whether any element along an axis is not zero.
    ///
    /// # Panics
    ///
    /// As [`GpuArray::sum_axis`].
    #[track_caller]
    pub fn any_axis(&self, axes: impl IntoShape) -> GpuArray<bool> {
        GpuArray::wrap(along(&self.raw, ReduceOp::Any, DType::Bool, axes.into_dims()).or_raise())
    }

    /// Whether all elements along an axis are not zero.
    ///
    /// # Panics
    ///
    /// As [`GpuArray::sum_axis`].
    #[track_caller]
    pub fn all_axis(&self, axes: impl IntoShape) -> GpuArray<bool> {
        GpuArray::wrap(along(&self.raw, ReduceOp::All, DType::Bool, axes.into_dims()).or_raise())
    }

    /// How many elements along an axis are not zero; NaN is not zero.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![[0, 2], [0, 4]].count_nonzero_axis(0).to_vec(), [0, 2]);
    /// ```
    ///
    /// # Panics
    ///
    /// As [`GpuArray::sum_axis`].
    #[track_caller]
    pub fn count_nonzero_axis(&self, axes: impl IntoShape) -> GpuArray<i64> {
        GpuArray::wrap(reduce::count_nonzero(&self.raw, Some(axes.into_dims())).or_raise())
    }

    /// The largest elements along an axis less the smallest: NumPy's `np.ptp`.
    ///
    /// # Panics
    ///
    /// As [`GpuArray::max_axis`]; booleans have no difference.
    #[track_caller]
    pub fn ptp_axis(&self, axes: impl IntoShape) -> GpuArray<T> {
        GpuArray::wrap(reduce::ptp(&self.raw, Some(axes.into_dims())).or_raise())
    }

    /// The square roots of the sums of squares along an axis: NumPy's
    /// `np.linalg.norm(a, axis=0)`, over two axes the norm of Frobenius.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![[3.0, 4.0], [0.0, 2.0]].norm_axis(1).to_vec(), [5.0, 2.0]);
    /// ```
    ///
    /// # Panics
    ///
    /// As [`GpuArray::sum_axis`].
    #[track_caller]
    pub fn norm_axis(&self, axes: impl IntoShape) -> GpuArray<<T::Real as Elem>::Quotient> {
        let dtype = <T::Real as Elem>::Quotient::DTYPE;
        GpuArray::wrap(reduce::norm(&self.raw, dtype, Some(axes.into_dims())).or_raise())
    }

    /// The averages along an axis, in which elements count as much as their
    /// weights say: NumPy's `np.average(a, axis=0, weights=w)`. The weights have
    /// the array's shape, or that of the axes that are named.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let a = gpu![[1.0, 2.0], [3.0, 6.0]];
    /// assert_eq!(a.average_axis(0, gpu![3, 1]).to_vec(), [1.5, 3.0]);
    /// assert_eq!(a.average_axis((0, 1), gpu![[1, 0], [0, 1]]).item(), 3.5);
    /// ```
    ///
    /// # Panics
    ///
    /// As [`GpuArray::sum_axis`], or if the shapes differ, or weights sum to zero.
    #[track_caller]
    pub fn average_axis<W: Operand<T::Quotient>>(
        &self,
        axes: impl IntoShape,
        weights: W,
    ) -> GpuArray<W::Out> {
        let axes = Some(axes.into_dims());
        GpuArray::wrap(average(&self.raw, weights.operand(), W::Out::DTYPE, axes).or_raise())
    }
}

/// The axis of a number that may count from the last.
pub(super) fn axis_of(operation: &'static str, shape: Shape, axis: isize) -> Result<usize> {
    let rank = shape.rank() as isize;
    let found = if axis < 0 { axis + rank } else { axis };
    if (0..rank).contains(&found) {
        return Ok(found as usize);
    }
    // NumPy's words.
    let axes = if rank == 1 { "axis" } else { "axes" };
    let message = format!(
        "axis {axis} is out of bounds for array of dimension {rank}\n  = help: shape {shape:?} has {rank} {axes}, {}",
        match rank {
            0 => "so it is one element: `a.item()`".to_owned(),
            1 => "0, or -1 from the last".to_owned(),
            _ => format!("0 to {}, or -{rank} to -1 from the last", rank - 1),
        }
    );
    Err(Problem::Shape { operation, message }.into())
}

/// Axes of an array, or of a view of it with `rank` axes, each named once.
pub(crate) fn distinct_axes(
    operation: &'static str,
    shape: Shape,
    rank: usize,
    axes: Dims,
) -> Result<Vec<usize>> {
    let mut found = Vec::with_capacity(rank);
    for axis in axes.numbers(operation)? {
        let at = if *axis < 0 { axis.saturating_add(rank as i64) } else { *axis };
        if !(0..rank as i64).contains(&at) {
            // NumPy's words.
            let message = format!(
                "axis {axis} is out of bounds for array of dimension {rank}\n  = help: the shape is {shape:?}"
            );
            return Err(Problem::Shape { operation, message }.into());
        }
        if found.contains(&(at as usize)) {
            let message = format!("repeated axis {axis} in {:?}; name each once", axes.numbers(operation)?);
            return Err(Problem::Shape { operation, message }.into());
        }
        found.push(at as usize);
    }
    Ok(found)
}

/// Reduces an array along axes, in type `dtype`.
fn along(raw: &Raw, op: ReduceOp, dtype: DType, axes: Dims) -> Result<Raw> {
    Over::axes(op.name(), raw, axes)?.reduce(raw, op, dtype)
}
