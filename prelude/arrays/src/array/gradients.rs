//! Gradients: slopes between samples, along one axis or each.

use gpurepl_kernels::{BinaryOp, DType};

use super::axis::axis_of;
use super::differences::{as_axis, differences, part, places_differ};
use super::node::{Node, Place};
use super::operators::IntoValue;
use super::over::accumulated;
use super::raw::{Raw, Value};
use super::{Elem, GpuArray, write};
use crate::error::{OrRaise as _, Problem, Result};
use crate::scalar::Scalar;

/// How far samples are apart along each axis: one number for all, or a tuple of a
/// number or places for each.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not say how far samples are apart along each axis",
    note = "write a number, or a tuple of numbers and arrays of places: `(0.5, &x)`"
)]
pub trait Spacings<T> {
    #[doc(hidden)]
    fn spacings(self, axes: usize) -> Vec<Value>;
}

macro_rules! numbers {
    ($($t:ty)*) => {$(
        impl<T: Elem> Spacings<T> for $t {
            fn spacings(self, axes: usize) -> Vec<Value> {
                (0..axes).map(|_| Value::Scalar(self.to_scalar())).collect()
            }
        }
    )*};
}
numbers!(i32 i64 f32 f64);

macro_rules! tuples {
    ($(($($name:ident $place:tt),+))*) => {$(
        impl<T: Elem, $($name: IntoValue<T>),+> Spacings<T> for ($($name,)+) {
            fn spacings(self, _axes: usize) -> Vec<Value> {
                vec![$(self.$place.into_value()),+]
            }
        }
    )*};
}
gpurepl_ground::for_tuples!(up to 8, tuples);

/// Gradients.
///
/// They panic with an [`Error`](crate::Error) if there is no such axis, shapes
/// do not go together or the device reports an error.
impl<T: Elem> GpuArray<T> {
    /// The slopes of samples that are `spacing` apart, or at the places `&x`:
    /// NumPy's `np.gradient(y, x)` of an array with one axis. Between neighbours
    /// they are of second order, at both ends of first. They have the array's
    /// type; those of integers are of double precision.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let f = gpu![1.0, 2.0, 4.0, 7.0, 11.0];
    /// assert_eq!(f.gradient(1).to_vec(), [1.0, 1.5, 2.5, 3.5, 4.0]);
    /// assert_eq!(f.gradient(&gpu![0.0, 1.0, 1.5, 3.5, 4.0])[1].item(), 3.0);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if the array has another number of axes,
    /// less than two elements, or places do not fit it.
    #[track_caller]
    pub fn gradient<S: IntoValue<T>>(&self, spacing: S) -> GpuArray<T::Quotient> {
        GpuArray::wrap(only_gradient(&self.raw, spacing.into_value(), T::Quotient::DTYPE).or_raise())
    }

    /// The slopes along an axis: NumPy's `np.gradient(a, x, axis=0)`. See
    /// [`GpuArray::gradient`].
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let a = gpu![[1.0, 2.0, 6.0], [3.0, 4.0, 5.0]];
    /// assert_eq!(a.gradient_axis(0, 1).to_vec(), [2.0, 2.0, -1.0, 2.0, 2.0, -1.0]);
    /// ```
    ///
    /// # Panics
    ///
    /// As [`GpuArray::sum_axis`], or as [`GpuArray::gradient`].
    #[track_caller]
    pub fn gradient_axis<S: IntoValue<T>>(&self, axis: isize, spacing: S) -> GpuArray<T::Quotient> {
        self.gradient_axis_order(axis, spacing, 1)
    }

    /// The slopes along an axis, at both ends of order 1 or 2:
    /// `np.gradient(a, x, axis=0, edge_order=2)`.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let squares = gpu![0.0, 1.0, 4.0, 9.0];
    /// assert_eq!(squares.gradient_axis_order(0, 1, 2).to_vec(), [0.0, 2.0, 4.0, 6.0]);
    /// ```
    ///
    /// # Panics
    ///
    /// As [`GpuArray::gradient_axis`], or if the order is another, or needs more
    /// elements.
    #[track_caller]
    pub fn gradient_axis_order<S: IntoValue<T>>(
        &self,
        axis: isize,
        spacing: S,
        edge_order: usize,
    ) -> GpuArray<T::Quotient> {
        let spacing = spacing.into_value();
        GpuArray::wrap(gradient(&self.raw, axis, spacing, edge_order, T::Quotient::DTYPE).or_raise())
    }

    /// The slopes along each axis, an array for each: NumPy's `np.gradient(a)`,
    /// `np.gradient(a, dx, y)` of an array with several axes.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let a = gpu![[1.0, 2.0, 6.0], [3.0, 4.0, 5.0]];
    /// let slopes = a.gradients((1, &gpu![0.0, 0.5, 1.0]));
    /// assert_eq!(slopes[0].to_vec(), [2.0, 2.0, -1.0, 2.0, 2.0, -1.0]);
    /// assert_eq!(slopes[1].to_vec(), [2.0, 5.0, 8.0, 2.0, 2.0, 2.0]);
    /// ```
    ///
    /// # Panics
    ///
    /// As [`GpuArray::gradient_axis`], or if there is not a spacing for each axis.
    #[track_caller]
    pub fn gradients<S: Spacings<T>>(&self, spacings: S) -> Vec<GpuArray<T::Quotient>> {
        let spacings = spacings.spacings(self.ndim());
        let slopes = gradients(&self.raw, spacings, T::Quotient::DTYPE).or_raise();
        slopes.into_iter().map(GpuArray::wrap).collect()
    }
}

fn only_gradient(raw: &Raw, spacing: Value, dtype: DType) -> Result<Raw> {
    if raw.shape().rank() != 1 {
        let message = format!(
            "an array of shape {:?} has a gradient along each axis\n  = help: `a.gradients(1.0)` has all of them, and \
             `a.gradient_axis(0, 1.0)` one",
            raw.shape()
        );
        return Err(Problem::Shape { operation: "gradient", message }.into());
    }
    gradient(raw, 0, spacing, 1, dtype)
}

fn gradients(raw: &Raw, spacings: Vec<Value>, dtype: DType) -> Result<Vec<Raw>> {
    let rank = raw.shape().rank();
    if spacings.len() != rank {
        let (given, shape) = (spacings.len(), raw.shape());
        let message = format!("{given} spacings for shape {shape:?}, which has {rank} axes");
        return Err(Problem::Shape { operation: "gradients", message }.into());
    }
    let along = |(axis, spacing)| gradient(raw, axis as isize, spacing, 1, dtype);
    spacings.into_iter().enumerate().map(along).collect()
}

/// Differences of second order within, and of first or second order at the ends, as
/// NumPy's (A. Quarteroni, R. Sacco, F. Saleri, "Numerical Mathematics", 2007).
fn gradient(raw: &Raw, axis: isize, spacing: Value, edge_order: usize, dtype: DType) -> Result<Raw> {
    let (operation, shape) = ("gradient", raw.shape());
    let wide = match &spacing {
        Value::Array(places) => accumulated(dtype.promote(places.dtype())),
        Value::Scalar(_) => accumulated(dtype),
    };
    let axis = axis_of(operation, shape, axis)?;
    let length = shape.lengths()[axis];
    if !(1..=2).contains(&edge_order) {
        // NumPy's words, here and below.
        let message =
            format!("'edge_order' greater than 2 not supported: it is 1 or 2, and not {edge_order}");
        return Err(Problem::Invalid { operation, message }.into());
    }
    if length < edge_order + 1 {
        let message = format!(
            "Shape of array too small to calculate a numerical gradient, at least {} elements are required: axis {axis} \
             of shape {shape:?} has {length}",
            edge_order + 1
        );
        return Err(Problem::Shape { operation, message }.into());
    }
    let raw = raw.cast(wide).computed()?;
    let slopes =
        Raw::new(Node::ready(shape, wide, Place::within(raw.place()?.buffer.context(), shape, wide)?));
    let put = |start: usize, count: usize, value: Raw| -> Result<()> {
        write::store(&part(&slopes, axis, start, count)?.node(), Value::Array(value))
    };
    let f = |start: usize, count: usize| part(&raw, axis, start, count);
    let minus = |a: &Raw, b: &Raw| Raw::try_binary(BinaryOp::Subtract, a, b, wide, wide);
    let times = |a: &Raw, b: &Raw| Raw::try_binary(BinaryOp::Multiply, a, b, wide, wide);
    let plus = |a: &Raw, b: &Raw| Raw::try_binary(BinaryOp::Add, a, b, wide, wide);
    let over = |a: &Raw, b: &Raw| Raw::try_binary(BinaryOp::Divide, a, b, wide, wide);
    let within = length - 2;
    // The slopes of three samples at the first of them, the steps to the second and
    // the third being `left` and `right`.
    let end = |samples: [&Raw; 3], left: &Raw, right: &Raw| -> Result<Raw> {
        let (both, [first, second, third]) = (plus(left, right)?, samples);
        let near = over(&minus(second, first)?, left)?;
        let far = over(&minus(third, second)?, right)?;
        // `near + left * (near - far) / both`, which has the second order.
        plus(&near, &over(&times(left, &minus(&near, &far)?)?, &both)?)
    };
    match spacing {
        Value::Scalar(spacing) => {
            let by = |a: &Raw| Raw::try_scalar(BinaryOp::Divide, a, spacing, false, wide, wide);
            if edge_order == 2 {
                let with = |a: &Raw, x: f64| {
                    Raw::try_scalar(BinaryOp::Multiply, a, Scalar::Float(x), false, wide, wide)
                };
                let sum = |a: (usize, f64), b: (usize, f64), c: (usize, f64)| -> Result<Raw> {
                    let first = plus(&with(&f(a.0, 1)?, a.1)?, &with(&f(b.0, 1)?, b.1)?)?;
                    by(&plus(&first, &with(&f(c.0, 1)?, c.1)?)?)
                };
                put(0, 1, sum((0, -1.5), (1, 2.0), (2, -0.5))?)?;
                put(length - 1, 1, sum((length - 3, 0.5), (length - 2, -2.0), (length - 1, 1.5))?)?;
            } else {
                put(0, 1, by(&minus(&f(1, 1)?, &f(0, 1)?)?)?)?;
                put(length - 1, 1, by(&minus(&f(length - 1, 1)?, &f(length - 2, 1)?)?)?)?;
            }
            let twice = by(&minus(&f(2, within)?, &f(0, within)?)?)?;
            let half = Scalar::Float(0.5);
            put(1, within, Raw::try_scalar(BinaryOp::Multiply, &twice, half, false, wide, wide)?)?;
        }
        Value::Array(places) => {
            if places.shape().rank() != 1 || places.size() != length {
                return Err(places_differ(operation, &places, shape, axis));
            }
            let widths = differences(operation, &places.cast(wide), 0, 1)?.computed()?;
            let widths = as_axis(&widths, axis, shape.rank())?;
            let h = |start: usize, count: usize| part(&widths, axis, start, count);
            if edge_order == 2 {
                put(0, 1, end([&f(0, 1)?, &f(1, 1)?, &f(2, 1)?], &h(0, 1)?, &h(1, 1)?)?)?;
                let samples = [&f(length - 1, 1)?, &f(length - 2, 1)?, &f(length - 3, 1)?];
                // Backwards both the steps and the slopes change their signs.
                let back =
                    |raw: Raw| Raw::try_scalar(BinaryOp::Multiply, &raw, Scalar::Int(-1), false, wide, wide);
                put(length - 1, 1, end(samples, &back(h(length - 2, 1)?)?, &back(h(length - 3, 1)?)?)?)?;
            } else {
                put(0, 1, over(&minus(&f(1, 1)?, &f(0, 1)?)?, &h(0, 1)?)?)?;
                let last = minus(&f(length - 1, 1)?, &f(length - 2, 1)?)?;
                put(length - 1, 1, over(&last, &h(length - 2, 1)?)?)?;
            }
            let (left, right) = (h(0, within)?, h(1, within)?);
            let (first, second, third) = (f(0, within)?, f(1, within)?, f(2, within)?);
            // The slopes to both sides, each weighted by the width of the other.
            let before = over(&minus(&second, &first)?, &left)?;
            let after = over(&minus(&third, &second)?, &right)?;
            let sum = plus(&times(&before, &right)?, &times(&after, &left)?)?;
            put(1, within, over(&sum, &plus(&left, &right)?)?)?;
        }
    }
    Ok(slopes.cast(dtype))
}
