//! Comparisons, which have an answer for each element, and choices by them.

use gpurepl_kernels::{BinaryOp, ReduceOp};

use super::GpuArray;
use super::operators::{IntoValue, Operand};
use super::raw::{Raw, Value};
use crate::array::{AnyScalar, Elem, Promote};
use crate::error::{OrRaise as _, Result};

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
/// arrays the answer has the type that holds both; a number takes the type of
/// `a`.
///
/// ```
/// use gpurepl_prelude::*;
/// assert_eq!(maximum(&gpu![1.0, 5.0], 3).to_vec(), [3.0, 5.0]);
/// assert_eq!(maximum(&gpu![1u8], &gpu![300u64]).to_vec(), [300u64]);
/// ```
///
/// # Panics
///
/// With an [`Error`](crate::Error), if shapes do not broadcast, or a number
/// does not fit the type of `a`.
#[track_caller]
pub fn maximum<T: Elem, V: Operand<T>>(a: &GpuArray<T>, b: V) -> GpuArray<V::Out> {
    GpuArray::wrap(Raw::promoted(BinaryOp::Maximum, &a.raw, b.operand(), V::Out::DTYPE))
}

/// The smaller of two elements each; NaN if either is, as in NumPy. The types
/// are as those of [`maximum`].
///
/// # Panics
///
/// As [`maximum`].
#[track_caller]
pub fn minimum<T: Elem, V: Operand<T>>(a: &GpuArray<T>, b: V) -> GpuArray<V::Out> {
    GpuArray::wrap(Raw::promoted(BinaryOp::Minimum, &a.raw, b.operand(), V::Out::DTYPE))
}

/// Elements held between `low` and `high`, numbers or arrays. The types are as
/// those of [`maximum`].
///
/// ```
/// use gpurepl_prelude::*;
/// assert_eq!(clip(&gpu![-1, 5, 12], 0, 10).to_vec(), [0, 5, 10]);
/// ```
///
/// # Panics
///
/// As [`maximum`].
#[track_caller]
pub fn clip<T: Elem, L: Operand<T>, H: Operand<L::Out>>(
    a: &GpuArray<T>,
    low: L,
    high: H,
) -> GpuArray<H::Out> {
    let raised = Raw::promoted(BinaryOp::Maximum, &a.raw, low.operand(), L::Out::DTYPE);
    GpuArray::wrap(Raw::promoted(BinaryOp::Minimum, &raised, high.operand(), H::Out::DTYPE))
}

/// A number to the power of each element: the reflected form of
/// [`GpuArray::pow`].
///
/// ```
/// use gpurepl_prelude::*;
/// assert_eq!(power(2.0, &gpu![0, 3, 10]).to_vec(), [1.0, 8.0, 1024.0]);
/// ```
///
/// # Panics
///
/// As `empty`.
#[track_caller]
pub fn power<T: Elem>(base: f64, exponent: &GpuArray<T>) -> GpuArray<T::WithFloat> {
    GpuArray::wrap(Raw::scalar(
        BinaryOp::Power,
        &exponent.raw,
        base.to_scalar(),
        true,
        <T::WithFloat as Elem>::DTYPE,
    ))
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
pub fn where_<A: Choices<B>, B>(condition: &GpuArray<bool>, a: A, b: B) -> GpuArray<A::Out> {
    let (a, b) = a.choices(b);
    GpuArray::wrap(Raw::select(&condition.raw, a, b, A::Out::DTYPE))
}

/// What [`where_`] chooses between, with `B` after it.
#[diagnostic::on_unimplemented(
    message = "`where_` cannot choose between `{Self}` and `{B}`",
    note = "use arrays or references to them, or numbers; two numbers are of `f64`, `i32` or `bool`, so that \
            their type is known: `full((), x)` is an array of a number of another type"
)]
pub trait Choices<B> {
    /// The type of the answer.
    type Out: Elem;

    #[doc(hidden)]
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

impl<T: Elem, S: AnyScalar> Choices<&GpuArray<T>> for S {
    type Out = T;

    fn choices(self, other: &GpuArray<T>) -> (Value, Value) {
        (Value::Scalar(self.any_scalar()), Value::Array(other.raw.clone()))
    }
}

impl<T: Elem, S: AnyScalar> Choices<GpuArray<T>> for S {
    type Out = T;

    fn choices(self, other: GpuArray<T>) -> (Value, Value) {
        (Value::Scalar(self.any_scalar()), Value::Array(other.raw))
    }
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

/// Whether two arrays have the same shape and elements.
///
/// # Panics
///
/// With an [`Error`](crate::Error), if the device reports one.
#[track_caller]
pub fn array_equal<T: Elem + Promote<U>, U: Elem>(a: &GpuArray<T>, b: &GpuArray<U>) -> bool {
    equal(&a.raw, &b.raw).or_raise()
}

/// Whether two arrays agree as NumPy's `allclose` has it: every
/// `|a - b| <= 1e-8 + 1e-5 * |b|`, in double precision.
///
/// ```
/// use gpurepl_prelude::*;
/// assert!(allclose(&gpu![1.0, 1e-9], &gpu![1.000001, 0.0]));
/// ```
///
/// # Panics
///
/// With an [`Error`](crate::Error), if shapes do not broadcast.
#[track_caller]
pub fn allclose<T: Elem, U: Elem>(a: &GpuArray<T>, b: &GpuArray<U>) -> bool {
    close(&a.raw, &b.raw).or_raise()
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
    use crate::scalar::Scalar;
    use gpurepl_kernels::{DType, UnaryOp};
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
    let all = mask.try_reduce(ReduceOp::All, gpurepl_kernels::DType::Bool)?;
    Ok(super::transfer::download(&all)?.first().is_some_and(|byte| *byte != 0))
}
