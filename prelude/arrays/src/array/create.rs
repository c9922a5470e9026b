//! New arrays.

use std::ops::Range;

use gpurepl_kernels::DType;

use super::GpuArray;
use super::expression;
use super::math::AsArray;
use super::node::{Node, Place};
use super::raw::Raw;
use super::rules::number;
use crate::array::Elem;
use crate::error::{OrRaise as _, Problem, Result};
use crate::scalar::Scalar;
use crate::shape::{Dims, IntoShape, Shape};

/// An array whose elements have not been set: any values, often zeros.
///
/// # Panics
///
/// With an [`Error`](crate::Error), if the shape is not valid or the device
/// does not have enough memory. So do all functions that create arrays.
#[track_caller]
pub fn empty<T: Elem>(shape: impl IntoShape) -> GpuArray<T> {
    GpuArray::wrap(new("empty", shape.into_dims(), T::DTYPE, None))
}

/// An array of zeros.
///
/// ```
/// use gpurepl_prelude::*;
/// let a = zeros::<f32>((2, 3));
/// let b: GpuArray<f64> = zeros(5);
/// assert_eq!((a.size(), b.size()), (6, 5));
/// ```
///
/// # Panics
///
/// With an [`Error`](crate::Error), as [`empty`]: if the device does not have
/// enough memory, or the shape is not valid.
#[track_caller]
pub fn zeros<T: Elem>(shape: impl IntoShape) -> GpuArray<T> {
    GpuArray::wrap(new("zeros", shape.into_dims(), T::DTYPE, Some(constant(T::DTYPE, 0))))
}

/// An array of ones.
///
/// # Panics
///
/// With an [`Error`](crate::Error), as [`empty`]: if the device does not have
/// enough memory, or the shape is not valid.
#[track_caller]
pub fn ones<T: Elem>(shape: impl IntoShape) -> GpuArray<T> {
    GpuArray::wrap(new("ones", shape.into_dims(), T::DTYPE, Some(constant(T::DTYPE, 1))))
}

/// An array in which every element is `value`.
///
/// ```
/// use gpurepl_prelude::*;
/// assert_eq!(full(3, 7.5f32).to_vec(), [7.5, 7.5, 7.5]);
/// ```
///
/// # Panics
///
/// With an [`Error`](crate::Error), as [`empty`]: if the device does not have
/// enough memory, or the shape is not valid.
#[track_caller]
pub fn full<T: Elem>(shape: impl IntoShape, value: T) -> GpuArray<T> {
    GpuArray::wrap(new("full", shape.into_dims(), T::DTYPE, Some(value.to_scalar())))
}

/// [`empty`] with another array's shape and type.
///
/// # Panics
///
/// With an [`Error`](crate::Error), as [`empty`]: if the device does not have
/// enough memory, or the shape is not valid.
#[track_caller]
pub fn empty_like<T: Elem>(array: impl AsArray<T>) -> GpuArray<T> {
    GpuArray::wrap(like(&array.as_array().raw, None))
}

/// [`zeros`] with another array's shape and type.
///
/// # Panics
///
/// With an [`Error`](crate::Error), as [`empty`]: if the device does not have
/// enough memory, or the shape is not valid.
#[track_caller]
pub fn zeros_like<T: Elem>(array: impl AsArray<T>) -> GpuArray<T> {
    GpuArray::wrap(like(&array.as_array().raw, Some(constant(T::DTYPE, 0))))
}

/// [`ones`] with another array's shape and type.
///
/// # Panics
///
/// With an [`Error`](crate::Error), as [`empty`]: if the device does not have
/// enough memory, or the shape is not valid.
#[track_caller]
pub fn ones_like<T: Elem>(array: impl AsArray<T>) -> GpuArray<T> {
    GpuArray::wrap(like(&array.as_array().raw, Some(constant(T::DTYPE, 1))))
}

/// [`full`] with another array's shape and type.
///
/// # Panics
///
/// With an [`Error`](crate::Error), as [`empty`]: if the device does not have
/// enough memory, or the shape is not valid.
#[track_caller]
pub fn full_like<T: Elem>(array: impl AsArray<T>, value: T) -> GpuArray<T> {
    GpuArray::wrap(like(&array.as_array().raw, Some(value.to_scalar())))
}

/// Evenly spaced numbers: `0..10`, `0.0..1.0`, or with a step.
///
/// They have the type of the range. Integers without a suffix are `i32`, as
/// anywhere in Rust, where NumPy has `int64`: `arange(0..100_000).pow(2)` wraps
/// around. `arange(0_i64..100_000)` does not.
///
/// ```
/// use gpurepl_prelude::*;
/// assert_eq!(arange(0..4).to_vec(), [0, 1, 2, 3]);
/// assert_eq!(arange(0_i64..100_000).pow(2).max().item(), 9_999_800_001);
/// assert_eq!(arange((0.0..1.0).by(0.25)).to_vec(), [0.0, 0.25, 0.5, 0.75]);
/// assert_eq!(arange((10..0).by(-3)).to_vec(), [10, 7, 4, 1]);
/// ```
///
/// # Panics
///
/// As [`empty`], or if the step is zero.
#[track_caller]
pub fn arange<T: Elem>(range: impl Arange<T>) -> GpuArray<T> {
    let (start, end, step) = range.limits();
    GpuArray::wrap(arranged(T::DTYPE, start, end, step).or_raise())
}

/// `count` numbers from `start` to `end`, both included.
///
/// ```
/// use gpurepl_prelude::*;
/// assert_eq!(linspace(0.0, 1.0, 5).to_vec(), [0.0, 0.25, 0.5, 0.75, 1.0]);
/// ```
///
/// # Panics
///
/// With an [`Error`](crate::Error), as [`empty`]: if the device does not have
/// enough memory, or the shape is not valid.
#[track_caller]
pub fn linspace<T: Elem<Quotient = T>>(start: T, end: T, count: usize) -> GpuArray<T> {
    GpuArray::wrap(spaced(T::DTYPE, start.to_scalar(), end.to_scalar(), count, true).or_raise())
}

/// Something that [`arange`] takes: a range, or a range with a step.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a range of numbers that an array can hold",
    note = "write `arange(0..10)`, `arange(0.0..1.0)` or `arange((0.0..1.0).by(0.1))`"
)]
pub trait Arange<T: Elem> {
    #[doc(hidden)]
    fn limits(self) -> (Scalar, Scalar, Scalar);
}

/// A range with a step, made by [`By::by`].
#[derive(Clone, Debug, PartialEq)]
pub struct Stepped<T> {
    range: Range<T>,
    step: T,
}

/// Gives a range a step: `(0.0..1.0).by(0.1)`.
pub trait By<T> {
    /// This range in steps of `step`, which may be negative.
    fn by(self, step: T) -> Stepped<T>;
}

impl<T> By<T> for Range<T> {
    fn by(self, step: T) -> Stepped<T> {
        Stepped { range: self, step }
    }
}

impl<T: Elem + PartialOrd> Arange<T> for Range<T> {
    fn limits(self) -> (Scalar, Scalar, Scalar) {
        (self.start.to_scalar(), self.end.to_scalar(), Scalar::Int(1))
    }
}

impl<T: Elem + PartialOrd> Arange<T> for Stepped<T> {
    fn limits(self) -> (Scalar, Scalar, Scalar) {
        (self.range.start.to_scalar(), self.range.end.to_scalar(), self.step.to_scalar())
    }
}

pub(super) fn constant(dtype: DType, value: i64) -> Scalar {
    if dtype == DType::Bool { Scalar::Bool(value != 0) } else { Scalar::Int(value) }
}

#[track_caller]
fn new(operation: &'static str, dims: Dims, dtype: DType, value: Option<Scalar>) -> Raw {
    dims.shape(operation, dtype.size()).and_then(|shape| filled(shape, dtype, value)).or_raise()
}

#[track_caller]
fn like(array: &Raw, value: Option<Scalar>) -> Raw {
    filled(array.shape(), array.dtype(), value).or_raise()
}

/// An untyped array whose elements have not been set, in the current context.
#[doc(hidden)]
pub fn uninitialized(operation: &'static str, dims: Dims, dtype: DType) -> Result<Raw> {
    dims.shape(operation, dtype.size()).and_then(|shape| filled(shape, dtype, None))
}

pub(super) fn filled(shape: Shape, dtype: DType, value: Option<Scalar>) -> Result<Raw> {
    let place = Place::new(shape, dtype)?;
    if let Some(value) = value {
        expression::fill(shape, number(value, dtype)?, &place)?;
    }
    Ok(Raw::new(Node::ready(shape, dtype, place)))
}

pub(super) fn arranged(dtype: DType, start: Scalar, end: Scalar, step: Scalar) -> Result<Raw> {
    let wrong = |message: String| Problem::Invalid { operation: "arange", message };
    let count = match (start, end, step) {
        (Scalar::Float(start), Scalar::Float(end), step) => {
            let step = step.real().unwrap_or(f64::NAN);
            // In the array's own precision, as NumPy divides: `0.01` of single
            // precision is a little less, and a hundred of it are not 1.
            let count = (end - start) / step;
            let count = if dtype == DType::Float64 { count } else { f64::from(count as f32) }.ceil();
            if step == 0.0 || !count.is_finite() {
                return Err(wrong(format!("{start:?} to {end:?} in steps of {step:?} never ends")).into());
            }
            count.max(0.0) as usize
        }
        _ => {
            let (start, end, step) = (whole(start), whole(end), whole(step));
            if step == 0 {
                return Err(wrong(format!("{start} to {end} in steps of 0 never ends")).into());
            }
            let distance = if step > 0 { end - start } else { start - end };
            distance.max(0).unsigned_abs().div_ceil(step.unsigned_abs()) as usize
        }
    };
    let shape = count.into_dims().shape("arange", dtype.size())?;
    let place = Place::new(shape, dtype)?;
    // A step of an unsigned type counts up, so it always fits.
    // A half can count to 2048 only.
    let wide = if dtype == DType::Float16 { DType::Float32 } else { dtype };
    expression::arrange(shape, dtype, number(start, wide)?, number(step, wide)?, &place)?;
    Ok(Raw::new(Node::ready(shape, dtype, place)))
}

/// Evenly spaced numbers, with the end or without it.
pub(super) fn spaced(dtype: DType, start: Scalar, end: Scalar, count: usize, has_end: bool) -> Result<Raw> {
    let shape = count.into_dims().shape("linspace", dtype.size())?;
    let gaps = count.saturating_sub(usize::from(has_end)).max(1) as f64;
    let step = match (start, end) {
        (Scalar::Complex(a, b), Scalar::Complex(c, d)) => Scalar::Complex((c - a) / gaps, (d - b) / gaps),
        _ => Scalar::Float((end.real().unwrap_or(f64::NAN) - start.real().unwrap_or(f64::NAN)) / gaps),
    };
    let place = Place::new(shape, dtype)?;
    // As NumPy: in double precision, rounded once.
    let wide = if dtype.is_float() { DType::Float64 } else { dtype };
    expression::arrange(shape, dtype, number(start, wide)?, number(step, wide)?, &place)?;
    if has_end && count > 1 {
        // The last is the end itself, whatever the steps added up to.
        let last = Place { offset: place.offset + count - 1, ..place.clone() };
        expression::fill(Shape::SCALAR, number(end, dtype)?, &last)?;
    }
    Ok(Raw::new(Node::ready(shape, dtype, place)))
}

fn whole(scalar: Scalar) -> i128 {
    match scalar {
        Scalar::Bool(value) => value.into(),
        Scalar::Int(value) => value.into(),
        Scalar::UInt(value) => value.into(),
        // Only reached with whole numbers.
        Scalar::Float(value) | Scalar::Complex(value, _) => value as i128,
    }
}
