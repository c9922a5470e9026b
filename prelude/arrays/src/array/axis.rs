//! Reductions and running sums along an axis.

use gpurepl_kernels::{BinaryOp, DType, ReduceOp};
use smallvec::SmallVec;

use super::node::{Node, Place};
use super::raw::Raw;
use super::{Elem, GpuArray, expression};
use crate::error::{OrRaise as _, Problem, Result};
use crate::scalar::Scalar;
use crate::shape::{Dims, MAX_RANK, Shape};

/// Reductions along an axis, which the result does not have any more: NumPy's
/// `a.sum(axis=0)`. Negative axes count from the last.
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
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if there is no such axis.
    #[track_caller]
    pub fn sum_axis(&self, axis: isize) -> GpuArray<T::Sum> {
        GpuArray::wrap(reduce(&self.raw, ReduceOp::Sum, T::Sum::DTYPE, axis).or_raise())
    }

    /// The products along an axis, in the type of [`GpuArray::sum`].
    ///
    /// # Panics
    ///
    /// As [`GpuArray::sum_axis`].
    #[track_caller]
    pub fn prod_axis(&self, axis: isize) -> GpuArray<T::Sum> {
        GpuArray::wrap(reduce(&self.raw, ReduceOp::Product, T::Sum::DTYPE, axis).or_raise())
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
    pub fn max_axis(&self, axis: isize) -> GpuArray<T> {
        GpuArray::wrap(reduce(&self.raw, ReduceOp::Maximum, T::DTYPE, axis).or_raise())
    }

    /// The smallest elements along an axis; NaN where there is one.
    ///
    /// # Panics
    ///
    /// As [`GpuArray::max_axis`].
    #[track_caller]
    pub fn min_axis(&self, axis: isize) -> GpuArray<T> {
        GpuArray::wrap(reduce(&self.raw, ReduceOp::Minimum, T::DTYPE, axis).or_raise())
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
    pub fn mean_axis(&self, axis: isize) -> GpuArray<T::Quotient> {
        GpuArray::wrap(mean(&self.raw, T::Quotient::DTYPE, axis).or_raise())
    }

    /// Whether any element along an axis is not zero.
    ///
    /// # Panics
    ///
    /// As [`GpuArray::sum_axis`].
    #[track_caller]
    pub fn any_axis(&self, axis: isize) -> GpuArray<bool> {
        GpuArray::wrap(reduce(&self.raw, ReduceOp::Any, DType::Bool, axis).or_raise())
    }

    /// Whether all elements along an axis are not zero.
    ///
    /// # Panics
    ///
    /// As [`GpuArray::sum_axis`].
    #[track_caller]
    pub fn all_axis(&self, axis: isize) -> GpuArray<bool> {
        GpuArray::wrap(reduce(&self.raw, ReduceOp::All, DType::Bool, axis).or_raise())
    }

    /// The running sums of all elements in C order, in the type of
    /// [`GpuArray::sum`]: an array with one axis.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![[1, 2], [3, 4]].cumsum().to_vec(), [1i64, 3, 6, 10]);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if the device reports one.
    #[track_caller]
    pub fn cumsum(&self) -> GpuArray<T::Sum> {
        GpuArray::wrap(scan_all(&self.raw, T::Sum::DTYPE).or_raise())
    }

    /// The running sums along an axis, in the array's shape: NumPy's
    /// `a.cumsum(axis=0)`.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![[1, 2], [3, 4]].cumsum_axis(0).to_vec(), [1i64, 2, 4, 6]);
    /// ```
    ///
    /// # Panics
    ///
    /// As [`GpuArray::sum_axis`].
    #[track_caller]
    pub fn cumsum_axis(&self, axis: isize) -> GpuArray<T::Sum> {
        GpuArray::wrap(scan(&self.raw, T::Sum::DTYPE, "cumsum", axis).or_raise())
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
pub(super) fn distinct_axes(
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

/// Half precision cannot hold the sum of many.
fn accumulated(dtype: DType) -> DType {
    if dtype == DType::Float16 { DType::Float32 } else { dtype }
}

/// Reduces an array along an axis, in type `dtype`.
pub(super) fn reduce(raw: &Raw, op: ReduceOp, dtype: DType, axis: isize) -> Result<Raw> {
    let shape = raw.shape();
    let axis = axis_of(op.name(), shape, axis)?;
    super::rules::check_defined(op.combining(), dtype)?;
    let (left, wide) = (shape.without(axis), accumulated(dtype));
    if shape.lengths()[axis] == 0 && left.size() > 0 && !op.has_identity() {
        let message =
            format!("axis {axis} of shape {shape:?} is empty, and no elements have a {}", op.name());
        return Err(Problem::Shape { operation: op.name(), message }.into());
    }
    let place = if shape.size() == 0 {
        // The value of no elements, for each that is left.
        let neutral = matches!(op, ReduceOp::Product | ReduceOp::All);
        let neutral = if wide == DType::Bool { Scalar::Bool(neutral) } else { Scalar::Int(neutral.into()) };
        let context = raw.context().map_or_else(crate::device::current, Ok)?;
        let place = Place::within(context, left, wide)?;
        expression::fill(left, super::rules::number(neutral, wide)?, &place)?;
        place
    } else {
        expression::reduce_axis(&raw.node(), op, wide, axis)?
    };
    Ok(Raw::new(Node::ready(left, wide, place)).cast(dtype))
}

/// A result along an axis with that axis again, of length 1: it broadcasts with
/// the array that was reduced.
pub(super) fn with_axis(reduced: &Raw, whole: Shape, axis: usize) -> Result<Raw> {
    let mut lengths: SmallVec<[usize; MAX_RANK]> = SmallVec::from_slice(whole.lengths());
    lengths[axis] = 1;
    let shape = Shape::new(&lengths);
    let place = Place { strides: shape.strides(), ..reduced.contiguous()? };
    Ok(Raw::new(Node::ready(shape, reduced.dtype(), place)))
}

fn mean(raw: &Raw, dtype: DType, axis: isize) -> Result<Raw> {
    let at = axis_of("mean", raw.shape(), axis)?;
    let (wide, length) = (accumulated(dtype), raw.shape().lengths()[at]);
    if length == 0 {
        let message = format!("axis {at} of shape {:?} is empty, and no elements have a mean", raw.shape());
        return Err(Problem::Shape { operation: "mean", message }.into());
    }
    let sum = reduce(raw, ReduceOp::Sum, wide, axis)?;
    let count = Scalar::Float(length as f64);
    Ok(Raw::try_scalar(BinaryOp::Divide, &sum, count, false, wide, wide)?.cast(dtype))
}

fn scan(raw: &Raw, dtype: DType, operation: &'static str, axis: isize) -> Result<Raw> {
    let (shape, wide) = (raw.shape(), accumulated(dtype));
    let axis = axis_of(operation, shape, axis)?;
    let place = if shape.size() == 0 {
        let context = raw.context().map_or_else(crate::device::current, Ok)?;
        Place::within(context, shape, wide)?
    } else {
        expression::scan(&raw.node(), wide, axis)?
    };
    Ok(Raw::new(Node::ready(shape, wide, place)).cast(dtype))
}

fn scan_all(raw: &Raw, dtype: DType) -> Result<Raw> {
    // An array of one axis need not be in memory for it.
    if raw.shape().rank() == 1 {
        return scan(raw, dtype, "cumsum", 0);
    }
    let size = Shape::new(&[raw.size()]);
    let flat = Place { strides: size.strides(), ..raw.contiguous()? };
    scan(&Raw::new(Node::ready(size, raw.dtype(), flat)), dtype, "cumsum", 0)
}
