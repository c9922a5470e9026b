//! Reductions that leave out NaN.
//!
//! They are made of the others: what is NaN becomes a number that changes
//! nothing, in the kernel of the reduction. Types that have no NaN are reduced
//! as they are.

use gpurepl_kernels::{BinaryOp, DType, ReduceOp};

use super::node::{Node, Place};
use super::over::{Over, accumulated};
use super::raw::{Raw, Value};
use super::variance::{DEVIATION, Spread, VARIANCE, Variance, Wide};
use super::{Elem, GpuArray, expression, extremes, reduce, rules};
use crate::error::{OrRaise as _, Result};
use crate::scalar::Scalar;
use crate::shape::{Dims, IntoShape, Shape};

/// A reduction of all elements, and along axes.
macro_rules! reductions {
    ($(
        $(#[$doc:meta])*
        $name:ident, $(#[$axis_doc:meta])* $along:ident -> $out:ty: $compute:expr;
    )*) => {
        /// Reductions that leave out NaN, as NumPy's functions of these names. A
        /// complex number is left out if one of its parts is NaN.
        ///
        /// They panic with an [`Error`](crate::Error) if there is no such axis,
        /// there is no answer (the maximum of no elements) or the device reports
        /// an error.
        impl<T: Elem> GpuArray<T> {
            $(
                $(#[$doc])*
                #[track_caller]
                pub fn $name(&self) -> GpuArray<$out> {
                    let compute: fn(&Raw, DType, Option<Dims>) -> Result<Raw> = $compute;
                    GpuArray::wrap(compute(&self.raw, <$out as Elem>::DTYPE, None).or_raise())
                }

                $(#[$axis_doc])*
                ///
                /// # Panics
                ///
                /// As [`GpuArray::sum_axis`].
                #[track_caller]
                pub fn $along(&self, axes: impl IntoShape) -> GpuArray<$out> {
                    let compute: fn(&Raw, DType, Option<Dims>) -> Result<Raw> = $compute;
                    let axes = Some(axes.into_dims());
                    GpuArray::wrap(compute(&self.raw, <$out as Elem>::DTYPE, axes).or_raise())
                }
            )*
        }
    };
}

reductions! {
    /// The sum of what is not NaN; zero if nothing is.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let a = gpu![[1.0, f64::NAN], [3.0, 4.0]];
    /// assert_eq!(a.nansum().item(), 8.0);
    /// assert_eq!(a.nansum_axis(0).to_vec(), [4.0, 4.0]);
    /// ```
    nansum,
    /// The sums along an axis of what is not NaN.
    nansum_axis -> T::Sum: nansum;
    /// The product of what is not NaN; one if nothing is.
    nanprod,
    /// The products along an axis of what is not NaN.
    nanprod_axis -> T::Sum: nanprod;
    /// The mean of what is not NaN; NaN if nothing is.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![1.0, f64::NAN, 4.0].nanmean().item(), 2.5);
    /// ```
    nanmean,
    /// The means along an axis of what is not NaN.
    nanmean_axis -> T::Quotient: nanmean;
    /// The largest element that is not NaN; NaN if all are.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![1.0, f64::NAN, 4.0].nanmax().item(), 4.0);
    /// ```
    nanmax,
    /// The largest elements along an axis that are not NaN.
    nanmax_axis -> T: nanmax;
    /// The smallest element that is not NaN; NaN if all are.
    nanmin,
    /// The smallest elements along an axis that are not NaN.
    nanmin_axis -> T: nanmin;
    /// The variance of what is not NaN; see [`GpuArray::var`]. It is NaN where
    /// no more elements are numbers than are taken off.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![1.0, f64::NAN, 3.0].nanvar().item(), 1.0);
    /// ```
    nanvar,
    /// The variances along an axis of what is not NaN.
    nanvar_axis -> Variance<T>: |raw, dtype, axes| nanvar(&VARIANCE, raw, axes, 0, dtype);
    /// The standard deviation of what is not NaN.
    nanstd,
    /// The standard deviations along an axis of what is not NaN.
    nanstd_axis -> Variance<T>: |raw, dtype, axes| nanvar(&DEVIATION, raw, axes, 0, dtype);
    /// The place of the greatest element that is not NaN, counted in C order; of
    /// equal ones the first.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![f64::NAN, 2.0, 5.0].nanargmax().item(), 2);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if there are no elements or all are NaN:
    /// that is looked at, so this waits for the device.
    nanargmax,
    /// The places of the greatest elements along an axis that are not NaN; of an
    /// axis alone.
    nanargmax_axis -> i64: |raw, _, axes| extremes::number_of(raw, extremes::GREATEST, axes);
    /// The place of the least element that is not NaN, counted in C order.
    ///
    /// # Panics
    ///
    /// As [`GpuArray::nanargmax`].
    nanargmin,
    /// The places of the least elements along an axis that are not NaN; of an
    /// axis alone.
    nanargmin_axis -> i64: |raw, _, axes| extremes::number_of(raw, extremes::LEAST, axes);
}

/// Variances with another divisor.
impl<T: Elem> GpuArray<T> {
    /// The variance of what is not NaN, with a divisor less by `ddof`.
    #[track_caller]
    pub fn nanvar_ddof(&self, ddof: usize) -> GpuArray<Variance<T>> {
        GpuArray::wrap(nanvar(&VARIANCE, &self.raw, None, ddof, Variance::<T>::DTYPE).or_raise())
    }

    /// The variances along an axis of what is not NaN, with a divisor less by
    /// `ddof`.
    ///
    /// # Panics
    ///
    /// As [`GpuArray::sum_axis`].
    #[track_caller]
    pub fn nanvar_axis_ddof(&self, axes: impl IntoShape, ddof: usize) -> GpuArray<Variance<T>> {
        let axes = Some(axes.into_dims());
        GpuArray::wrap(nanvar(&VARIANCE, &self.raw, axes, ddof, Variance::<T>::DTYPE).or_raise())
    }

    /// The standard deviation of what is not NaN, with a divisor less by `ddof`.
    #[track_caller]
    pub fn nanstd_ddof(&self, ddof: usize) -> GpuArray<Variance<T>> {
        GpuArray::wrap(nanvar(&DEVIATION, &self.raw, None, ddof, Variance::<T>::DTYPE).or_raise())
    }

    /// The standard deviations along an axis of what is not NaN, with a divisor
    /// less by `ddof`.
    ///
    /// # Panics
    ///
    /// As [`GpuArray::sum_axis`].
    #[track_caller]
    pub fn nanstd_axis_ddof(&self, axes: impl IntoShape, ddof: usize) -> GpuArray<Variance<T>> {
        let axes = Some(axes.into_dims());
        GpuArray::wrap(nanvar(&DEVIATION, &self.raw, axes, ddof, Variance::<T>::DTYPE).or_raise())
    }
}

pub(super) fn has_nan(dtype: DType) -> bool {
    dtype.is_float() || dtype.is_complex()
}

/// Whether each element is a number.
fn is_number(raw: &Raw) -> Result<Raw> {
    Raw::try_binary(BinaryOp::Equal, raw, raw, raw.dtype(), DType::Bool)
}

/// The elements of `raw` where those of `judged` are numbers, and `other`
/// elsewhere.
fn where_number(judged: &Raw, raw: &Raw, other: Scalar) -> Result<Raw> {
    Raw::try_select(&is_number(judged)?, Value::Array(raw.clone()), Value::Scalar(other), raw.dtype())
}

/// The elements with a number in the place of NaN.
pub(super) fn replaced(raw: &Raw, number: Scalar) -> Result<Raw> {
    if has_nan(raw.dtype()) { where_number(raw, raw, number) } else { Ok(raw.clone()) }
}

fn nansum(raw: &Raw, dtype: DType, axes: Option<Dims>) -> Result<Raw> {
    let wide = accumulated(dtype);
    let sum = Over::of("nansum", raw, axes)?.reduce(&replaced(raw, Scalar::Int(0))?, ReduceOp::Sum, wide)?;
    Ok(sum.cast(dtype))
}

fn nanprod(raw: &Raw, dtype: DType, axes: Option<Dims>) -> Result<Raw> {
    let over = Over::of("nanprod", raw, axes)?;
    over.reduce(&replaced(raw, Scalar::Int(1))?, ReduceOp::Product, dtype)
}

/// How many elements are numbers.
fn count_numbers(over: &Over, raw: &Raw) -> Result<Raw> {
    over.reduce(&is_number(raw)?, ReduceOp::Sum, DType::Int64)
}

/// NaN in a new array, which NumPy gives for what is left of nothing.
pub(super) fn all_nan(raw: &Raw, shape: Shape, dtype: DType) -> Result<Raw> {
    let context = raw.context().map_or_else(crate::device::current, Ok)?;
    let place = Place::within(context, shape, dtype)?;
    let nan = if dtype.is_complex() { Scalar::Complex(f64::NAN, f64::NAN) } else { Scalar::Float(f64::NAN) };
    if shape.size() > 0 {
        expression::fill(shape, rules::number(nan, dtype)?, &place)?;
    }
    Ok(Raw::new(Node::ready(shape, dtype, place)))
}

fn nanmean(raw: &Raw, dtype: DType, axes: Option<Dims>) -> Result<Raw> {
    let (over, wide) = (Over::of("nanmean", raw, axes)?, accumulated(dtype));
    if over.count() == 0 {
        return all_nan(raw, over.left(), dtype);
    }
    if !has_nan(raw.dtype()) {
        return reduce::mean(raw, dtype, axes);
    }
    let raw = raw.computed()?;
    let sum = over.reduce(&replaced(&raw, Scalar::Int(0))?, ReduceOp::Sum, wide)?;
    let count = count_numbers(&over, &raw)?;
    Ok(Raw::try_binary(BinaryOp::Divide, &sum, &count, wide, wide)?.cast(dtype))
}

/// The number below all, or above all.
pub(super) fn beyond(dtype: DType, op: ReduceOp) -> Scalar {
    let far = if op == ReduceOp::Maximum { f64::NEG_INFINITY } else { f64::INFINITY };
    if dtype.is_complex() { Scalar::Complex(far, far) } else { Scalar::Float(far) }
}

fn nanmax(raw: &Raw, dtype: DType, axes: Option<Dims>) -> Result<Raw> {
    extreme("nanmax", ReduceOp::Maximum, raw, dtype, axes)
}

fn nanmin(raw: &Raw, dtype: DType, axes: Option<Dims>) -> Result<Raw> {
    extreme("nanmin", ReduceOp::Minimum, raw, dtype, axes)
}

fn extreme(name: &'static str, op: ReduceOp, raw: &Raw, dtype: DType, axes: Option<Dims>) -> Result<Raw> {
    let over = Over::of(name, raw, axes)?;
    if !has_nan(dtype) {
        return over.reduce(raw, op, dtype);
    }
    let raw = raw.computed()?;
    let values = over.reduce(&replaced(&raw, beyond(dtype, op))?, op, dtype)?;
    let has_number = over.reduce(&is_number(&raw)?, ReduceOp::Any, DType::Bool)?;
    let nan = if dtype.is_complex() { Scalar::Complex(f64::NAN, f64::NAN) } else { Scalar::Float(f64::NAN) };
    Raw::try_select(&has_number, Value::Array(values), Value::Scalar(nan), dtype)
}

fn nanvar(spread: &Spread, raw: &Raw, axes: Option<Dims>, ddof: usize, dtype: DType) -> Result<Raw> {
    let over = Over::of(spread.nan_name, raw, axes)?;
    if over.count() == 0 {
        return all_nan(raw, over.left(), dtype);
    }
    if !has_nan(raw.dtype()) {
        return spread.of(raw, axes, ddof, dtype);
    }
    let (raw, wide) = (raw.computed()?, Wide::of(raw.dtype()));
    let count = count_numbers(&over, &raw)?;
    let sum = over.reduce(&replaced(&raw, Scalar::Int(0))?, ReduceOp::Sum, wide.element)?;
    let mean = Raw::try_binary(BinaryOp::Divide, &sum, &count, wide.element, wide.element)?;
    let mean = over.stretched(&mean)?;
    let squares = where_number(&raw, &wide.squares(&raw, &mean)?, Scalar::Int(0))?;
    let sum = over.reduce(&squares, ReduceOp::Sum, wide.real)?;
    let ddof = Scalar::Int(i64::try_from(ddof).unwrap_or(i64::MAX));
    let (long, real) = (DType::Int64, wide.real);
    let divisor = Raw::try_scalar(BinaryOp::Subtract, &count, ddof, false, long, long)?;
    let has_answer = Raw::try_scalar(BinaryOp::Greater, &divisor, Scalar::Int(0), false, long, DType::Bool)?;
    let variance = Raw::try_binary(BinaryOp::Divide, &sum, &divisor, real, real)?;
    let nan = Value::Scalar(Scalar::Float(f64::NAN));
    let variance = Raw::try_select(&has_answer, Value::Array(variance), nan, real)?;
    Ok(spread.rooted(variance, real).cast(dtype))
}
