//! Sums of exponentials: `logsumexp`, `softmax` and `log_softmax`, in the module
//! [`special`](super::special).

use gpurepl_kernels::{BinaryOp, DType, ReduceOp, UnaryOp};

use super::math::{AsArray, RealElem};
use super::over::{Over, accumulated};
use super::raw::{Raw, Value};
use super::{Elem, GpuArray};
use crate::error::{OrRaise as _, Result};
use crate::scalar::Scalar;
use crate::shape::{Dims, IntoShape};

/// The logarithm of the sum of the exponentials of all elements, which does not
/// overflow.
///
/// ```
/// use gpurepl_prelude::*;
/// assert_eq!(special::logsumexp(gpu![1000.0, 1000.0]).item(), 1000.0 + 2.0_f64.ln());
/// ```
///
/// # Panics
///
/// With an [`Error`](crate::Error), if there are no elements, or the device reports
/// an error. So do its relatives, and if there is no such axis.
#[track_caller]
pub fn logsumexp<T: RealElem>(array: impl AsArray<T>) -> GpuArray<T::Floating> {
    GpuArray::wrap(log_of_sum(&array.as_array().raw, None, T::Floating::DTYPE).or_raise())
}

/// [`logsumexp`] along an axis, or several.
///
/// # Panics
///
/// As [`logsumexp`].
#[track_caller]
pub fn logsumexp_axis<T: RealElem>(array: impl AsArray<T>, axes: impl IntoShape) -> GpuArray<T::Floating> {
    let axes = Some(axes.into_dims());
    GpuArray::wrap(log_of_sum(&array.as_array().raw, axes, T::Floating::DTYPE).or_raise())
}

/// The exponentials of all elements, divided by their sum.
///
/// ```
/// use gpurepl_prelude::*;
/// assert_eq!(special::softmax(gpu![1.0, 1.0, 1.0, 1.0]).to_vec(), [0.25; 4]);
/// ```
///
/// # Panics
///
/// As [`logsumexp`].
#[track_caller]
pub fn softmax<T: RealElem>(array: impl AsArray<T>) -> GpuArray<T::Floating> {
    GpuArray::wrap(shares(&array.as_array().raw, None, false, T::Floating::DTYPE).or_raise())
}

/// [`softmax`] along an axis, or several.
///
/// # Panics
///
/// As [`logsumexp`].
#[track_caller]
pub fn softmax_axis<T: RealElem>(array: impl AsArray<T>, axes: impl IntoShape) -> GpuArray<T::Floating> {
    let axes = Some(axes.into_dims());
    GpuArray::wrap(shares(&array.as_array().raw, axes, false, T::Floating::DTYPE).or_raise())
}

/// The logarithm of [`softmax`], also where that is too small for a float.
///
/// ```
/// use gpurepl_prelude::*;
/// assert_eq!(special::log_softmax(gpu![1000.0, 1.0]).to_vec(), [0.0, -999.0]);
/// ```
///
/// # Panics
///
/// As [`logsumexp`].
#[track_caller]
pub fn log_softmax<T: RealElem>(array: impl AsArray<T>) -> GpuArray<T::Floating> {
    GpuArray::wrap(shares(&array.as_array().raw, None, true, T::Floating::DTYPE).or_raise())
}

/// [`log_softmax`] along an axis, or several.
///
/// # Panics
///
/// As [`logsumexp`].
#[track_caller]
pub fn log_softmax_axis<T: RealElem>(array: impl AsArray<T>, axes: impl IntoShape) -> GpuArray<T::Floating> {
    let axes = Some(axes.into_dims());
    GpuArray::wrap(shares(&array.as_array().raw, axes, true, T::Floating::DTYPE).or_raise())
}

/// The logarithm of the gamma function of `d` dimensions.
///
/// ```
/// use gpurepl_prelude::*;
/// let answer: f64 = special::multigammaln(gpu![2.5_f64], 2).item();
/// assert!((answer - 0.8570478133976193).abs() < 1e-14);
/// ```
///
/// # Panics
///
/// With an [`Error`](crate::Error), if the device reports one.
#[track_caller]
pub fn multigammaln<T: RealElem>(a: impl AsArray<T>, d: u32) -> GpuArray<T::Floating> {
    GpuArray::wrap(of_dimensions(&a.as_array().raw, d, T::Floating::DTYPE).or_raise())
}

/// The greatest elements, zero where they are not finite; the elements less these;
/// and the sums of the exponentials.
fn parts(raw: &Raw, over: &Over, wide: DType) -> Result<(Raw, Raw, Raw)> {
    let raw = raw.cast(wide).computed()?;
    let most = over.reduce(&raw, ReduceOp::Maximum, wide)?;
    let is_finite = Raw::unary(UnaryOp::Isfinite, &most, wide, DType::Bool);
    let most =
        Raw::try_select(&is_finite, Value::Array(most), Value::Scalar(Scalar::Int(0)), wide)?.computed()?;
    let moved = Raw::try_binary(BinaryOp::Subtract, &raw, &over.stretched(&most)?, wide, wide)?;
    let sum = over.reduce(&Raw::unary(UnaryOp::Exp, &moved, wide, wide), ReduceOp::Sum, wide)?;
    Ok((most, moved, sum))
}

fn log_of_sum(raw: &Raw, axes: Option<Dims>, dtype: DType) -> Result<Raw> {
    let (over, wide) = (Over::of("logsumexp", raw, axes)?, accumulated(dtype));
    over.check_not_empty()?;
    let (most, _, sum) = parts(raw, &over, wide)?;
    let log = Raw::unary(UnaryOp::Log, &sum, wide, wide);
    Ok(Raw::try_binary(BinaryOp::Add, &log, &most, wide, wide)?.cast(dtype))
}

fn shares(raw: &Raw, axes: Option<Dims>, is_log: bool, dtype: DType) -> Result<Raw> {
    let name = if is_log { "log_softmax" } else { "softmax" };
    let (over, wide) = (Over::of(name, raw, axes)?, accumulated(dtype));
    over.check_not_empty()?;
    let (_, moved, sum) = parts(raw, &over, wide)?;
    let answer = if is_log {
        let log = over.stretched(&Raw::unary(UnaryOp::Log, &sum, wide, wide).computed()?)?;
        Raw::try_binary(BinaryOp::Subtract, &moved, &log, wide, wide)?
    } else {
        let powers = Raw::unary(UnaryOp::Exp, &moved, wide, wide);
        Raw::try_binary(BinaryOp::Divide, &powers, &over.stretched(&sum)?, wide, wide)?
    };
    Ok(answer.cast(dtype))
}

fn of_dimensions(raw: &Raw, d: u32, dtype: DType) -> Result<Raw> {
    let wide = DType::Float64;
    let many = f64::from(d);
    let raw = raw.cast(wide);
    let zero = Raw::try_scalar(BinaryOp::Multiply, &raw, Scalar::Int(0), false, wide, wide)?;
    let constant = Scalar::Float(0.25 * many * (many - 1.0) * std::f64::consts::PI.ln());
    let mut sum = Raw::try_scalar(BinaryOp::Add, &zero, constant, false, wide, wide)?;
    for k in 0..d {
        let step = Scalar::Float(0.5 * f64::from(k));
        let term = Raw::try_scalar(BinaryOp::Subtract, &raw, step, false, wide, wide)?;
        let term = Raw::unary(UnaryOp::Gammaln, &term, wide, wide);
        sum = Raw::try_binary(BinaryOp::Add, &sum, &term, wide, wide)?;
    }
    Ok(sum.cast(dtype))
}
