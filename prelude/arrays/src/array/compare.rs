//! Comparisons, which have an answer for each element, and choices by them.

use gpurepl_kernels::{BinaryOp, DType, ReduceOp, UnaryOp};

use super::math::AsArray;
use super::node::{Node, Place};
use super::operators::{IntoValue, Operand};
use super::raw::{Raw, Value};
use super::{GpuArray, ToGpu, expression};
use crate::array::{AnyScalar, Elem, NumberFor};
use crate::error::{OrRaise as _, Result};
use crate::scalar::Scalar;
use crate::shape::Shape;

macro_rules! comparisons {
    ($($(#[$doc:meta])* $method:ident $op:ident;)*) => {
        /// Comparisons with a number or an array. Rust's own operators answer
        /// with one `bool`, so these are methods.
        ///
        /// Integers are compared exactly, also those of `i64` and `u64`.
        ///
        /// They panic with an [`Error`](crate::Error) if shapes do not broadcast.
        impl<T: Elem> GpuArray<T> {
            $(
                $(#[$doc])*
                #[track_caller]
                pub fn $method<V: IntoValue<T>>(&self, other: V) -> GpuArray<bool> {
                    GpuArray::wrap(Raw::compare(BinaryOp::$op, &self.raw, other.into_value()))
                }
            )*
        }
    };
}

comparisons! {
    /// Where elements are less than `other`.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![1, 2, 3].lt(2.5).to_vec(), [true, true, false]);
    /// ```
    lt Less;
    /// Where elements are at most `other`.
    le LessEqual;
    /// Where elements are greater than `other`.
    gt Greater;
    /// Where elements are at least `other`.
    ge GreaterEqual;
    /// Where elements equal `other`.
    eq Equal;
    /// Where elements differ from `other`.
    ne NotEqual;
}

/// The larger of two elements each; NaN if either is, as in NumPy. Of two
/// arrays the answer has the type that holds both; a number, on either side, takes
/// the type of the array.
///
/// ```
/// use gpurepl_prelude::*;
/// assert_eq!(maximum(&gpu![1.0, 5.0], 3).to_vec(), [3.0, 5.0]);
/// assert_eq!(maximum(0, &gpu![-1, 5]).to_vec(), [0, 5]);
/// assert_eq!(maximum(&gpu![1u8], &gpu![300u64]).to_vec(), [300u64]);
/// ```
///
/// # Panics
///
/// With an [`Error`](crate::Error), if shapes do not broadcast, or a number
/// does not fit the type of the array.
#[track_caller]
pub fn maximum<A: Choices<B>, B>(a: A, b: B) -> GpuArray<A::Out> {
    GpuArray::wrap(of_values(BinaryOp::Maximum, a.choices(b), A::Out::DTYPE))
}

/// The smaller of two elements each; NaN if either is, as in NumPy. The types
/// are as those of [`maximum`].
///
/// # Panics
///
/// As [`maximum`].
#[track_caller]
pub fn minimum<A: Choices<B>, B>(a: A, b: B) -> GpuArray<A::Out> {
    GpuArray::wrap(of_values(BinaryOp::Minimum, a.choices(b), A::Out::DTYPE))
}

/// Elements held between `low` and `high`, numbers or arrays. The types are as
/// those of [`maximum`]. A whole number below the type of the elements is no lower
/// bound, and one above it no upper bound, as in NumPy.
///
/// ```
/// use gpurepl_prelude::*;
/// assert_eq!(clip(&gpu![-1, 5, 12], 0, 10).to_vec(), [0, 5, 10]);
/// assert_eq!(clip(&gpu![-1, 5, 12], 0.5, 9.5).to_vec(), [0.5, 5.0, 9.5]);
/// assert_eq!(clip(&gpu![u8; 3, 200], -1, 300).to_vec(), [3, 200]);
/// ```
///
/// # Panics
///
/// As [`maximum`].
#[track_caller]
pub fn clip<T: Elem, L: Operand<T>, H: Operand<L::Out>>(
    a: impl AsArray<T>,
    low: L,
    high: H,
) -> GpuArray<H::Out> {
    let raised = bounded(BinaryOp::Maximum, &a.as_array().raw, low.operand(), L::Out::DTYPE);
    GpuArray::wrap(bounded(BinaryOp::Minimum, &raised, high.operand(), H::Out::DTYPE))
}

/// The greater or the smaller of elements and a bound, where there can be one.
#[track_caller]
fn bounded(op: BinaryOp, a: &Raw, bound: Value, dtype: DType) -> Raw {
    if let (Value::Scalar(scalar @ (Scalar::Int(_) | Scalar::UInt(_))), true) = (&bound, dtype.is_integer())
        && scalar.to_bytes(dtype).is_none()
        && matches!(scalar, Scalar::Int(number) if *number < 0) == (op == BinaryOp::Maximum)
    {
        return a.cast(dtype);
    }
    Raw::promoted(op, a, bound, dtype)
}

/// A power of each element, or of a number: [`GpuArray::pow`] as a function. A
/// number on the left is `i32` or `f64`, and gives the type that `2 * &a` and
/// `2.0 * &a` have.
///
/// ```
/// use gpurepl_prelude::*;
/// assert_eq!(power(2.0, &gpu![0, 3, 10]).to_vec(), [1.0, 8.0, 1024.0]);
/// assert_eq!(power(2, &gpu![0, 3, 10]).to_vec(), [1, 8, 1024]);
/// assert_eq!(power(&gpu![1.5, 3.0], 2).to_vec(), [2.25, 9.0]);
/// ```
///
/// # Panics
///
/// As [`GpuArray::pow`].
#[track_caller]
pub fn power<A: Base<B>, B>(base: A, exponent: B) -> GpuArray<A::Out> {
    GpuArray::wrap(base.power(exponent))
}

/// What [`power`] raises to the power of a `B`.
#[diagnostic::on_unimplemented(
    message = "`power` cannot raise `{Self}` to the power of `{B}`",
    note = "use arrays or references to them; one of the two can be a number, of `f64` or `i32` as the base"
)]
pub trait Base<B> {
    /// The type of the answer.
    type Out: Elem;

    #[doc(hidden)]
    #[track_caller]
    fn power(self, exponent: B) -> Raw;
}

impl<T: Elem, V: Operand<T>> Base<V> for &GpuArray<T> {
    type Out = <V::Out as Elem>::Whole;

    #[track_caller]
    fn power(self, exponent: V) -> Raw {
        Raw::power(&self.raw, exponent.operand(), Self::Out::DTYPE)
    }
}

impl<T: Elem, V: Operand<T>> Base<V> for GpuArray<T> {
    type Out = <V::Out as Elem>::Whole;

    #[track_caller]
    fn power(self, exponent: V) -> Raw {
        Raw::power(&self.raw, exponent.operand(), Self::Out::DTYPE)
    }
}

macro_rules! bases {
    ($($number:ident $out:ident, $array:ty;)*) => {$(
        impl<T: Elem> Base<$array> for $number {
            type Out = T::$out;

            #[track_caller]
            fn power(self, exponent: $array) -> Raw {
                Raw::scalar(BinaryOp::Power, &exponent.raw, self.to_scalar(), true, T::$out::DTYPE)
            }
        }
    )*};
}
bases! {
    f64 WithFloat, &GpuArray<T>;
    f64 WithFloat, GpuArray<T>;
    i32 WithInt, &GpuArray<T>;
    i32 WithInt, GpuArray<T>;
}

/// `a` where the condition holds, `b` elsewhere: arrays or numbers. The types
/// are as those of [`maximum`]; a number takes the type of the array beside it.
///
/// NumPy's form with the condition alone is
/// [`condition.nonzero()`](GpuArray::nonzero).
///
/// ```
/// use gpurepl_prelude::*;
/// let a = gpu![1.0, -2.0, 3.0];
/// assert_eq!(where_(&a.gt(0), &a, 0.0).to_vec(), [1.0, 0.0, 3.0]);
/// assert_eq!(where_(&a.gt(0), 0, &a).to_vec(), [0.0, -2.0, 0.0]);
/// assert_eq!(where_(&a.gt(0), 1, -1).to_vec(), [1, -1, 1]);
/// ```
///
/// # Panics
///
/// As [`maximum`].
#[track_caller]
pub fn where_<A: Choices<B>, B>(condition: impl AsArray<bool>, a: A, b: B) -> GpuArray<A::Out> {
    let (a, b) = a.choices(b);
    GpuArray::wrap(Raw::select(&condition.as_array().raw, a, b, A::Out::DTYPE))
}

/// Two values that go together, as [`where_`] and [`maximum`] take them: this one,
/// and a `B` after it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` and `{B}` do not go together",
    note = "use arrays or references to them, or numbers; two numbers are of `f64`, `i32` or `bool`, so that \
            their type is known: `full((), x)` is an array of a number of another type"
)]
pub trait Choices<B> {
    /// The type of the answer.
    type Out: Elem;

    #[doc(hidden)]
    #[track_caller]
    fn choices(self, other: B) -> (Value, Value);
}

impl<T: Elem, V: Operand<T>> Choices<V> for &GpuArray<T> {
    type Out = V::Out;

    fn choices(self, other: V) -> (Value, Value) {
        (Value::Array(self.raw.clone()), other.operand())
    }
}

impl<T: Elem, V: Operand<T>> Choices<V> for GpuArray<T> {
    type Out = V::Out;

    fn choices(self, other: V) -> (Value, Value) {
        (Value::Array(self.raw), other.operand())
    }
}

impl<T: Elem, S: AnyScalar + NumberFor<T>> Choices<&GpuArray<T>> for S {
    type Out = S::Out;

    fn choices(self, other: &GpuArray<T>) -> (Value, Value) {
        (Value::Scalar(self.any_scalar()), Value::Array(other.raw.clone()))
    }
}

impl<T: Elem, S: AnyScalar + NumberFor<T>> Choices<GpuArray<T>> for S {
    type Out = S::Out;

    fn choices(self, other: GpuArray<T>) -> (Value, Value) {
        (Value::Scalar(self.any_scalar()), Value::Array(other.raw))
    }
}

/// A function of two arrays, or of numbers, in type `dtype`.
#[track_caller]
pub(super) fn of_values(op: BinaryOp, values: (Value, Value), dtype: DType) -> Raw {
    match values {
        (Value::Array(a), b) => Raw::promoted(op, &a, b, dtype),
        (Value::Scalar(a), Value::Array(b)) => Raw::scalar(op, &b, a, true, dtype),
        (Value::Scalar(a), b) => Raw::promoted(op, &single(a, dtype).or_raise(), b, dtype),
    }
}

/// An array of one number, and no axes.
pub(super) fn single(number: Scalar, dtype: DType) -> Result<Raw> {
    let place = Place::within(crate::device::current()?, Shape::SCALAR, dtype)?;
    expression::fill(Shape::SCALAR, super::rules::number(number, dtype)?, &place)?;
    Ok(Raw::new(Node::ready(Shape::SCALAR, dtype, place)))
}

/// Numbers: one pair of types for each pair of literals, so that `where_(&c, 1, 0)`
/// has a type at once.
macro_rules! pairs_of_numbers {
    ($($a:ident $b:ident => $out:ident;)*) => {$(
        impl Choices<$b> for $a {
            type Out = $out;

            fn choices(self, other: $b) -> (Value, Value) {
                (Value::Scalar(self.any_scalar()), Value::Scalar(other.any_scalar()))
            }
        }
    )*};
}
pairs_of_numbers! {
    f64 f64 => f64;
    f64 i32 => f64;
    i32 f64 => f64;
    i32 i32 => i32;
    bool bool => bool;
}

/// Whether two arrays have the same shape and elements. Lists of the host are
/// arrays, too.
///
/// ```
/// use gpurepl_prelude::*;
/// let a = arange(0..3);
/// assert!(array_equal(&a, [0, 1, 2]));
/// assert!(array_equal(&a * 2, &a + &a));
/// ```
///
/// # Panics
///
/// With an [`Error`](crate::Error), if the device reports one.
#[track_caller]
pub fn array_equal<A: ToGpu, B: ToGpu>(a: A, b: B) -> bool {
    equal(&a.upload().or_raise(), &b.upload().or_raise()).or_raise()
}

/// Whether two arrays agree as NumPy's `allclose` has it: every
/// `|a - b| <= 1e-8 + 1e-5 * |b|`, in double precision. Lists of the host and
/// numbers are arrays, too.
///
/// ```
/// use gpurepl_prelude::*;
/// assert!(allclose(&gpu![1.0, 1e-9], &gpu![1.000001, 0.0]));
/// assert!(allclose(gpu![0.1, 0.1] * 10, 1.0));
/// ```
///
/// # Panics
///
/// With an [`Error`](crate::Error), if shapes do not broadcast.
#[track_caller]
pub fn allclose<A: ToGpu, B: ToGpu>(a: A, b: B) -> bool {
    close(&a.upload().or_raise(), &b.upload().or_raise()).or_raise()
}

fn equal(a: &Raw, b: &Raw) -> Result<bool> {
    if a.shape() != b.shape() {
        return Ok(false);
    }
    truth(&Raw::try_compare(BinaryOp::Equal, a, Value::Array(b.clone()))?)
}

fn close(a: &Raw, b: &Raw) -> Result<bool> {
    truth(&near(a, b, 1e-5, 1e-8)?)
}

/// Where `|a - b| <= atol + rtol * |b|`; what is infinite is near its equal alone.
pub(super) fn near(a: &Raw, b: &Raw, rtol: f64, atol: f64) -> Result<Raw> {
    let is_complex = a.dtype().is_complex() || b.dtype().is_complex();
    let wide = if is_complex { DType::Complex128 } else { DType::Float64 };
    let absolute = |x: &Raw| Raw::unary(UnaryOp::Absolute, x, wide, DType::Float64);
    let double = DType::Float64;
    let (rtol, atol) = (Scalar::Float(rtol), Scalar::Float(atol));
    let near = {
        let scaled = Raw::try_scalar(BinaryOp::Multiply, &absolute(b), rtol, false, double, double)?;
        let limit = Raw::try_scalar(BinaryOp::Add, &scaled, atol, false, double, double)?;
        let distance = absolute(&Raw::try_binary(BinaryOp::Subtract, a, b, wide, wide)?);
        Raw::try_binary(BinaryOp::LessEqual, &distance, &limit, double, DType::Bool)?
    };
    let near = {
        let finite = Raw::unary(UnaryOp::Isfinite, b, wide, DType::Bool);
        Raw::try_binary(BinaryOp::And, &near, &finite, DType::Bool, DType::Bool)?
    };
    let same = Raw::try_compare(BinaryOp::Equal, a, Value::Array(b.clone()))?;
    Raw::try_binary(BinaryOp::Or, &near, &same, DType::Bool, DType::Bool)
}

/// Whether all of some booleans hold.
fn truth(mask: &Raw) -> Result<bool> {
    let all = mask.try_reduce(ReduceOp::All, DType::Bool)?;
    Ok(super::transfer::download(&all)?.first().is_some_and(|byte| *byte != 0))
}
