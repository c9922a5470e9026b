//! Where the greatest and the least elements are.
//!
//! The extreme is found first, and then the first place that has it: two passes
//! over the array, each of them a reduction, and no memory for the places.

use gpurepl_kernels::{BinaryOp, DType, ReduceOp};

use super::axis::{axis_of, reduce, with_axis};
use super::node::Operation;
use super::raw::{Raw, Value};
use super::{Elem, GpuArray};
use crate::error::{OrRaise as _, Problem, Result};
use crate::scalar::Scalar;
use crate::shape::Shape;

/// The places of the greatest and the least elements: of equal ones the first,
/// and the first NaN where there is one. Complex numbers are ordered by their
/// real parts, then by their imaginary parts.
///
/// They panic with an [`Error`](crate::Error) if there are no elements or the
/// device reports an error.
impl<T: Elem> GpuArray<T> {
    /// The place of the greatest element, counted in C order.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![3, 7, 7].argmax().item(), 1);
    /// assert_eq!(gpu![[3.0, f64::NAN], [7.0, 1.0]].argmax().item(), 1);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if there are no elements.
    #[track_caller]
    pub fn argmax(&self) -> GpuArray<i64> {
        GpuArray::wrap(place_of(&self.raw, Extreme::GREATEST).or_raise())
    }

    /// The place of the least element, counted in C order.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![[3, 1], [1, 2]].argmin().item(), 1);
    /// ```
    ///
    /// # Panics
    ///
    /// As [`GpuArray::argmax`].
    #[track_caller]
    pub fn argmin(&self) -> GpuArray<i64> {
        GpuArray::wrap(place_of(&self.raw, Extreme::LEAST).or_raise())
    }

    /// The places of the greatest elements along an axis: NumPy's
    /// `a.argmax(axis=1)`. Negative axes count from the last.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![[1, 9, 9], [4, 5, 3]].argmax_axis(1).to_vec(), [1, 1]);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if there is no such axis, or it is empty.
    #[track_caller]
    pub fn argmax_axis(&self, axis: isize) -> GpuArray<i64> {
        GpuArray::wrap(places_along(&self.raw, Extreme::GREATEST, axis).or_raise())
    }

    /// The places of the least elements along an axis.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![[1, 9, 9], [4, 5, 3]].argmin_axis(0).to_vec(), [0, 1, 1]);
    /// ```
    ///
    /// # Panics
    ///
    /// As [`GpuArray::argmax_axis`].
    #[track_caller]
    pub fn argmin_axis(&self, axis: isize) -> GpuArray<i64> {
        GpuArray::wrap(places_along(&self.raw, Extreme::LEAST, axis).or_raise())
    }
}

/// What is searched for.
#[derive(Clone, Copy)]
struct Extreme {
    /// NumPy's name, for messages.
    name: &'static str,
    op: ReduceOp,
}

impl Extreme {
    const GREATEST: Extreme = Extreme { name: "argmax", op: ReduceOp::Maximum };
    const LEAST: Extreme = Extreme { name: "argmin", op: ReduceOp::Minimum };

    fn of_nothing(self, what: &str) -> crate::Error {
        // NumPy's words.
        let message = format!("attempt to get {} of an empty sequence: {what} has no elements", self.name);
        Problem::Shape { operation: self.name, message }.into()
    }
}

fn place_of(raw: &Raw, extreme: Extreme) -> Result<Raw> {
    if raw.size() == 0 {
        return Err(extreme.of_nothing(&format!("an array of shape {:?}", raw.shape())));
    }
    let raw = raw.computed()?;
    let value = raw.try_reduce(extreme.op, raw.dtype())?;
    places_of(&raw, &value)?.try_reduce(ReduceOp::Minimum, DType::Int64)
}

fn places_along(raw: &Raw, extreme: Extreme, axis: isize) -> Result<Raw> {
    let shape = raw.shape();
    let at = axis_of(extreme.name, shape, axis)?;
    if shape.lengths()[at] == 0 && shape.without(at).size() > 0 {
        return Err(extreme.of_nothing(&format!("axis {at} of shape {shape:?}")));
    }
    let raw = raw.computed()?;
    let values = with_axis(&reduce(&raw, extreme.op, raw.dtype(), axis)?, shape, at)?;
    let places = reduce(&places_of(&raw, &values)?, ReduceOp::Minimum, DType::Int64, axis)?;
    along(places, shape, at)
}

/// The place in C order of each element that is the extreme; of any other a
/// place beyond all.
fn places_of(raw: &Raw, extreme: &Raw) -> Result<Raw> {
    let dtype = raw.dtype();
    let is_extreme = {
        let is_equal = Raw::try_binary(BinaryOp::Equal, raw, extreme, dtype, DType::Bool)?;
        if dtype.is_float() || dtype.is_complex() {
            // Beside a NaN, which is the extreme then and equal to nothing.
            let is_nan = Raw::try_binary(BinaryOp::NotEqual, raw, raw, dtype, DType::Bool)?;
            Raw::try_binary(BinaryOp::Or, &is_equal, &is_nan, DType::Bool, DType::Bool)?
        } else {
            is_equal
        }
    };
    let place = Raw::pending(raw.shape(), DType::Int64, Operation::Index)?;
    let beyond = Value::Scalar(Scalar::Int(i64::MAX));
    Raw::try_select(&is_extreme, Value::Array(place), beyond, DType::Int64)
}

/// Places in C order as places along an axis. In C order the first of those
/// that differ in one axis alone has the least place along it, too.
fn along(places: Raw, shape: Shape, axis: usize) -> Result<Raw> {
    let lengths = shape.lengths();
    let inner: usize = lengths[axis + 1..].iter().product();
    let step = |op, places: &Raw, by: usize| {
        let by = Scalar::Int(i64::try_from(by).unwrap_or(i64::MAX));
        Raw::try_scalar(op, places, by, false, DType::Int64, DType::Int64)
    };
    if shape.size() == 0 {
        return Ok(places);
    }
    let rows = if inner == 1 { places } else { step(BinaryOp::FloorDivide, &places, inner)? };
    step(BinaryOp::Remainder, &rows, lengths[axis])
}
