//! Phases without jumps: `unwrap`.

use gpurepl_kernels::{BinaryOp, DType, Kind, UnaryOp};

use super::differences::{differences, part};
use super::elem::RealScalar;
use super::layout::narrowed;
use super::math::{AsArray, RealElem};
use super::raw::{Raw, Value};
use super::repeat::{beside, copy_to};
use super::running::SUMS;
use super::{Elem, GpuArray, axis};
use crate::error::{OrRaise as _, Problem, Result};
use crate::scalar::Scalar;

/// Phases in radians along the last axis, with jumps of more than half a turn
/// replaced by their complement to whole turns: NumPy's `np.unwrap(p)`. It is a
/// function, because a method of this name is Rust's for results.
///
/// ```
/// use gpurepl_prelude::*;
/// let phases = gpu![0.0, 3.0, -3.0];
/// assert!(allclose(&array::unwrap(&phases), &gpu![0.0, 3.0, 3.2831853]));
/// ```
///
/// # Panics
///
/// With an [`Error`](crate::Error), if the array has no axis or the device
/// reports an error.
#[track_caller]
pub fn unwrap<T: RealElem>(phases: impl AsArray<T>) -> GpuArray<T::Quotient> {
    unwrap_axis(phases, -1)
}

/// [`unwrap`] along an axis.
///
/// # Panics
///
/// As [`unwrap`], or if there is no such axis.
#[track_caller]
pub fn unwrap_axis<T: RealElem>(phases: impl AsArray<T>, axis: isize) -> GpuArray<T::Quotient> {
    let turn = Scalar::Float(std::f64::consts::TAU);
    GpuArray::wrap(unwrapped(&phases.as_array().raw, axis, None, turn, T::Quotient::DTYPE).or_raise())
}

/// [`unwrap`] along an axis of numbers with another period, in their own type.
/// Only jumps of at least `discont` are replaced, and of half a period:
/// `np.unwrap(p, discont, axis, period=4)`.
///
/// ```
/// use gpurepl_prelude::*;
/// let hours = gpu![22, 23, 0, 1];
/// assert_eq!(array::unwrap_period(&hours, 0, None, 24).to_vec(), [22, 23, 24, 25]);
/// ```
///
/// # Panics
///
/// As [`unwrap_axis`], or if the elements are unsigned, or integers whose period
/// is not an integer.
#[track_caller]
pub fn unwrap_period<T: RealElem>(
    phases: impl AsArray<T>,
    axis: isize,
    discont: impl Into<Option<f64>>,
    period: impl RealScalar,
) -> GpuArray<T> {
    let period = period.real_scalar();
    GpuArray::wrap(unwrapped(&phases.as_array().raw, axis, discont.into(), period, T::DTYPE).or_raise())
}

fn unwrapped(raw: &Raw, axis: isize, discont: Option<f64>, period: Scalar, dtype: DType) -> Result<Raw> {
    let operation = "unwrap";
    let axis = axis::axis_of(operation, raw.shape(), axis)?;
    if !dtype.is_float() && dtype.kind() != Kind::Signed {
        let message = format!("not for {dtype}, whose differences have no sign\n  = help: `a.astype(f64)`");
        return Err(Problem::DType { operation, message }.into());
    }
    let (half, is_exact) = match period {
        Scalar::Int(period) if !dtype.is_float() => (Scalar::Int(period.div_euclid(2)), period % 2 == 0),
        Scalar::Int(_) | Scalar::Float(_) if dtype.is_float() => {
            (Scalar::Float(period.real().unwrap_or(f64::NAN) / 2.0), true)
        }
        _ => {
            let message = format!("elements are {dtype}, and the period is not\n  = help: `a.astype(f64)`");
            return Err(Problem::DType { operation, message }.into());
        }
    };
    let half_turn = period.real().unwrap_or(f64::NAN) / 2.0;
    let length = raw.lengths()[axis];
    let raw = raw.computed()?;
    let steps = differences(operation, &raw, axis as isize, 1)?.cast(dtype);
    let with = |op, raw: &Raw, number, to| Raw::try_scalar(op, raw, number, false, dtype, to);
    let turned = with(BinaryOp::Remainder, &with(BinaryOp::Add, &steps, half, dtype)?, period, dtype)?;
    let mut near = with(BinaryOp::Subtract, &turned, half, dtype)?;
    if is_exact {
        // Half a period ahead and half a period back are the same; the sign decides.
        let low = match half {
            Scalar::Int(half) => Scalar::Int(-half),
            other => Scalar::Float(-other.real().unwrap_or(f64::NAN)),
        };
        let lowest = with(BinaryOp::Equal, &near, low, DType::Bool)?;
        let ahead = with(BinaryOp::Greater, &steps, Scalar::Int(0), DType::Bool)?;
        let both = Raw::try_binary(BinaryOp::And, &lowest, &ahead, DType::Bool, DType::Bool)?;
        near = Raw::try_select(&both, Value::Scalar(half), Value::Array(near), dtype)?;
    }
    let moves = Raw::try_binary(BinaryOp::Subtract, &near, &steps, dtype, dtype)?;
    let sizes = Raw::unary(UnaryOp::Absolute, &steps, dtype, dtype);
    let small =
        Raw::try_compare(BinaryOp::Less, &sizes, Value::Scalar(Scalar::Float(discont.unwrap_or(half_turn))))?;
    let moves = Raw::try_select(&small, Value::Scalar(Scalar::Int(0)), Value::Array(moves), dtype)?;
    let answer = beside(&raw.cast(dtype), raw.shape())?;
    if length > 0 {
        copy_to(&narrowed(&answer, axis, 0, 1)?, &part(&raw, axis, 0, 1)?)?;
        let sums = SUMS.along(&moves, dtype.accumulator(), axis as isize)?.cast(dtype);
        let later = part(&raw, axis, 1, length - 1)?;
        let sum = Raw::try_binary(BinaryOp::Add, &later, &sums, dtype, dtype)?;
        copy_to(&narrowed(&answer, axis, 1, length - 1)?, &sum)?;
    }
    Ok(answer)
}
