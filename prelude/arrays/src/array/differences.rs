//! Differences of neighbours, and integrals.

use gpurepl_kernels::{BinaryOp, DType, ReduceOp};
use smallvec::SmallVec;

use super::axis::axis_of;
use super::node::{Node, Place};
use super::operators::Operand;
use super::over::{Over, accumulated};
use super::raw::{Raw, Value};
use super::{Elem, GpuArray};
use crate::error::{OrRaise as _, Problem, Result};
use crate::scalar::Scalar;
use crate::shape::{IntoShape as _, MAX_RANK, Shape};

/// Differences of neighbours, and integrals.
///
/// They panic with an [`Error`](crate::Error) if there is no such axis, shapes
/// do not go together or the device reports an error.
impl<T: Elem> GpuArray<T> {
    /// The differences of neighbours along the last axis, in the array's type:
    /// NumPy's `np.diff(a)`. Booleans are compared.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![1, 2, 4, 7, 0].diff().to_vec(), [1, 2, 3, -7]);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if the array has no axis.
    #[track_caller]
    pub fn diff(&self) -> GpuArray<T> {
        self.diff_axis(-1)
    }

    /// The differences of neighbours along an axis.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![[1, 3], [6, 10]].diff_axis(0).to_vec(), [5, 7]);
    /// ```
    ///
    /// # Panics
    ///
    /// As [`GpuArray::sum_axis`].
    #[track_caller]
    pub fn diff_axis(&self, axis: isize) -> GpuArray<T> {
        self.diff_axis_n(axis, 1)
    }

    /// The differences of the differences and so on, `n` times: NumPy's
    /// `np.diff(a, n=2, axis=0)`.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![1, 2, 4, 7, 0].diff_axis_n(0, 2).to_vec(), [1, 1, -10]);
    /// ```
    ///
    /// # Panics
    ///
    /// As [`GpuArray::sum_axis`].
    #[track_caller]
    pub fn diff_axis_n(&self, axis: isize, n: usize) -> GpuArray<T> {
        GpuArray::wrap(differences("diff", &self.raw, axis, n).or_raise())
    }

    /// The differences of neighbours of all elements in C order: an array with
    /// one axis.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![[1, 2], [4, 8]].ediff1d().to_vec(), [1, 2, 4]);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if the device reports one; booleans have
    /// no difference.
    #[track_caller]
    pub fn ediff1d(&self) -> GpuArray<T> {
        GpuArray::wrap(flat_differences(&self.raw).or_raise())
    }

    /// The integral along the last axis by the trapezoidal rule, of samples that
    /// are `spacing` apart, or at the places `&x`: NumPy's `np.trapezoid(y, x)`.
    /// Places have one axis, as long as the array's last, or the array's shape.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![1, 2, 3].trapezoid(1).item(), 4.0);
    /// assert_eq!(gpu![1, 2, 3].trapezoid(&gpu![4, 6, 8]).item(), 8.0);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if the places do not fit the array.
    #[track_caller]
    pub fn trapezoid<S: Operand<T::Quotient>>(&self, spacing: S) -> GpuArray<S::Out> {
        self.trapezoid_axis(-1, spacing)
    }

    /// The integrals along an axis by the trapezoidal rule; see
    /// [`GpuArray::trapezoid`].
    ///
    /// # Panics
    ///
    /// As [`GpuArray::sum_axis`], or if the places do not fit the array.
    #[track_caller]
    pub fn trapezoid_axis<S: Operand<T::Quotient>>(&self, axis: isize, spacing: S) -> GpuArray<S::Out> {
        GpuArray::wrap(trapezoid(&self.raw, axis, spacing.operand(), S::Out::DTYPE).or_raise())
    }
}

/// A part of an axis of an array in memory, as a view.
pub(super) fn part(raw: &Raw, axis: usize, start: usize, length: usize) -> Result<Raw> {
    let place = raw.place()?;
    let mut lengths: SmallVec<[usize; MAX_RANK]> = SmallVec::from_slice(raw.lengths());
    lengths[axis] = length;
    let shape = Shape::new(&lengths);
    // An empty view names no element; where it starts must not matter.
    let offset = match shape.size() {
        0 => 0,
        _ => place.offset.wrapping_add_signed(start as isize * place.strides[axis]),
    };
    Ok(Raw::new(Node::ready(shape, raw.dtype(), Place { offset, ..place })))
}

/// All but the first along an axis, and all but the last.
fn neighbours(raw: &Raw, axis: usize) -> Result<(Raw, Raw)> {
    let raw = raw.computed()?;
    let left = raw.lengths()[axis].saturating_sub(1);
    Ok((part(&raw, axis, 1, left)?, part(&raw, axis, 0, left)?))
}

pub(super) fn differences(operation: &'static str, raw: &Raw, axis: isize, n: usize) -> Result<Raw> {
    let dtype = raw.dtype();
    if raw.shape().rank() == 0 {
        // NumPy's words.
        let message = "diff requires input that is at least one dimensional".to_owned();
        return Err(Problem::Shape { operation, message }.into());
    }
    let axis = axis_of(operation, raw.shape(), axis)?;
    let op = if dtype == DType::Bool { BinaryOp::NotEqual } else { BinaryOp::Subtract };
    let mut result = if n == 0 { raw.converted(dtype) } else { raw.clone() };
    for _ in 0..n.min(raw.lengths()[axis]) {
        let (later, earlier) = neighbours(&result, axis)?;
        result = Raw::try_binary(op, &later, &earlier, dtype, dtype)?;
    }
    Ok(result)
}

fn flat_differences(raw: &Raw) -> Result<Raw> {
    super::rules::check_defined(BinaryOp::Subtract, raw.dtype())?;
    differences("ediff1d", &raw.reshaped(Shape::new(&[raw.size()]))?, 0, 1)
}

/// An array of one axis as that axis of another.
pub(super) fn as_axis(raw: &Raw, axis: usize, rank: usize) -> Result<Raw> {
    let mut lengths: SmallVec<[usize; MAX_RANK]> = smallvec::smallvec![1; rank];
    lengths[axis] = raw.size();
    raw.reshaped(Shape::new(&lengths))
}

fn trapezoid(raw: &Raw, axis: isize, spacing: Value, dtype: DType) -> Result<Raw> {
    let (operation, wide) = ("trapezoid", accumulated(dtype));
    let at = axis_of(operation, raw.shape(), axis)?;
    let over = |summed: &Raw| -> Result<Raw> {
        Over::axes(operation, summed, at.into_dims())?.reduce(summed, ReduceOp::Sum, wide)
    };
    let (later, earlier) = neighbours(raw, at)?;
    let halved =
        |sums: &Raw| Raw::try_scalar(BinaryOp::Multiply, sums, Scalar::Float(0.5), false, wide, wide);
    let areas = match spacing {
        Value::Scalar(spacing) => {
            let sums = Raw::try_binary(BinaryOp::Add, &later, &earlier, wide, wide)?;
            halved(&Raw::try_scalar(BinaryOp::Multiply, &sums, spacing, false, wide, wide)?)?
        }
        Value::Array(places) => {
            if places.shape().rank() > 1 && places.shape() != raw.shape()
                || places.shape().rank() == 1 && places.size() != raw.lengths()[at]
                || places.shape().rank() == 0
            {
                return Err(places_differ(operation, &places, raw.shape(), at));
            }
            let widths = if places.shape().rank() == 1 {
                as_axis(&differences(operation, &places.cast(wide), 0, 1)?, at, raw.shape().rank())?
            } else {
                differences(operation, &places.cast(wide), at as isize, 1)?
            };
            let sums = Raw::try_binary(BinaryOp::Add, &later, &earlier, wide, wide)?;
            halved(&Raw::try_binary(BinaryOp::Multiply, &sums, &widths, wide, wide)?)?
        }
    };
    Ok(over(&areas)?.cast(dtype))
}

pub(super) fn places_differ(
    operation: &'static str,
    places: &Raw,
    shape: Shape,
    axis: usize,
) -> crate::Error {
    let message = format!(
        "places of shape {:?} do not fit axis {axis} of shape {shape:?}\n  = help: they have one axis of length {}",
        places.shape(),
        shape.lengths()[axis]
    );
    Problem::Shape { operation, message }.into()
}
