//! Functions of each element: PyCUDA's `cumath`, as methods.

use gpurepl_kernels::{DType, UnaryOp};
use num_complex::{Complex32, Complex64};

use super::GpuArray;
use super::raw::Raw;
use crate::array::Elem;

/// An element type with an order of magnitude but no imaginary part.
#[diagnostic::on_unimplemented(
    message = "this function is not defined for arrays of `{Self}`",
    note = "it takes real numbers; see `.real()`, `.imag()` and `.abs()` of complex arrays"
)]
pub trait RealElem: Elem {}

macro_rules! real_elements {
    ($($t:ty)*) => {$(impl RealElem for $t {})*};
}
real_elements!(bool i8 i16 i32 i64 u8 u16 u32 u64 half::f16 f32 f64);

/// An array or a borrowed one.
#[diagnostic::on_unimplemented(
    message = "an array is expected, not `{Self}`",
    label = "not an array",
    note = "`to_gpu(&data)` copies what the host has to the device; numbers have these functions as methods"
)]
pub trait AsArray<T: Elem> {
    /// The array.
    fn as_array(&self) -> &GpuArray<T>;
}

impl<T: Elem> AsArray<T> for GpuArray<T> {
    fn as_array(&self) -> &GpuArray<T> {
        self
    }
}

impl<T: Elem, A: AsArray<T> + ?Sized> AsArray<T> for &A {
    fn as_array(&self) -> &GpuArray<T> {
        (**self).as_array()
    }
}

impl<T: Elem, A: AsArray<T> + ?Sized> AsArray<T> for &mut A {
    fn as_array(&self) -> &GpuArray<T> {
        (**self).as_array()
    }
}

macro_rules! functions {
    ($($(#[$doc:meta])* $method:ident $op:ident;)*) => {
        /// Mathematical functions. Integers are converted to the smallest
        /// float that holds them all, as in NumPy.
        impl<T: RealElem> GpuArray<T> {
            $(
                $(#[$doc])*
                #[track_caller]
                pub fn $method(&self) -> GpuArray<T::Floating> {
                    let dtype = T::Floating::DTYPE;
                    GpuArray::wrap(Raw::unary(UnaryOp::$op, &self.raw, dtype, dtype))
                }
            )*
        }

        /// The same functions under PyCUDA's names. They take `&a`, or an array
        /// that nobody needs later as it is.
        ///
        /// ```
        /// use gpurepl_prelude::*;
        /// let a = gpu![0.0, -16.0];
        /// let roots = cumath::sqrt(cumath::fabs(&a));
        /// assert!(array_equal(&roots, &cumath::floor(-0.25 * &a)));
        /// ```
        pub mod cumath {
            use super::{AsArray, GpuArray, RealElem};

            $(
                $(#[$doc])*
                #[track_caller]
                pub fn $method<T: RealElem>(array: impl AsArray<T>) -> GpuArray<T::Floating> {
                    array.as_array().$method()
                }
            )*

            /// The absolute value of each element.
            #[track_caller]
            pub fn fabs<T: RealElem>(array: impl AsArray<T>) -> GpuArray<T::Real> {
                array.as_array().abs()
            }
        }
    };
}

functions! {
    /// The square root of each element; NaN of negative ones.
    sqrt Sqrt;
    /// *e* to the power of each element.
    exp Exp;
    /// The natural logarithm of each element.
    log Log;
    /// The decimal logarithm of each element.
    log10 Log10;
    /// The sine of each element, in radians.
    sin Sin;
    /// The cosine of each element, in radians.
    cos Cos;
    /// The tangent of each element, in radians.
    tan Tan;
    /// The inverse sine of each element, in radians.
    asin Arcsin;
    /// The inverse cosine of each element, in radians.
    acos Arccos;
    /// The inverse tangent of each element, in radians.
    atan Arctan;
    /// The hyperbolic sine of each element.
    sinh Sinh;
    /// The hyperbolic cosine of each element.
    cosh Cosh;
    /// The hyperbolic tangent of each element.
    tanh Tanh;
    /// The largest whole number that is at most each element.
    floor Floor;
    /// The smallest whole number that is at least each element.
    ceil Ceil;
}

impl<T: Elem> GpuArray<T> {
    /// The absolute value of each element; of complex numbers their distance
    /// from zero.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![-3, 4].abs().to_vec(), [3, 4]);
    /// assert_eq!(gpu![Complex32::new(3.0, 4.0)].abs().item(), 5.0);
    /// ```
    #[track_caller]
    pub fn abs(&self) -> GpuArray<T::Real> {
        GpuArray::wrap(Raw::unary(UnaryOp::Absolute, &self.raw, T::DTYPE, T::Real::DTYPE))
    }

    /// The real part of each element.
    #[track_caller]
    pub fn real(&self) -> GpuArray<T::Real> {
        GpuArray::wrap(Raw::unary(UnaryOp::Real, &self.raw, T::DTYPE, T::Real::DTYPE))
    }

    /// The imaginary part of each element; zero of real ones.
    #[track_caller]
    pub fn imag(&self) -> GpuArray<T::Real> {
        GpuArray::wrap(Raw::unary(UnaryOp::Imag, &self.raw, T::DTYPE, T::Real::DTYPE))
    }

    /// The elements in another type, which may be given by example: both
    /// `a.astype(f64)` and `a.astype::<f64>(..)` name it. Floats become
    /// integers as by Rust's `as`: towards zero, within the type's range. The
    /// answer is a copy, also in the array's own type.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![1.7, -1.7, 300.0].astype(i8).to_vec(), [1, -1, 127]);
    /// ```
    #[track_caller]
    pub fn astype<U: Elem>(&self, _dtype: fn() -> TypeOf<U>) -> GpuArray<U> {
        GpuArray::wrap(self.raw.converted(U::DTYPE))
    }
}

macro_rules! conjugates {
    ($($t:ty)*) => {$(
        impl GpuArray<$t> {
            /// The complex conjugate of each element.
            #[track_caller]
            pub fn conj(&self) -> GpuArray<$t> {
                GpuArray::wrap(Raw::unary(UnaryOp::Conjugate, &self.raw, <$t>::DTYPE, <$t>::DTYPE))
            }
        }
    )*};
}
conjugates!(Complex32 Complex64);

/// An element type as a value. The function `f32` that returns one stands
/// beside the type of that name, so that `a.astype(f32)` reads as in NumPy.
#[derive(Clone, Copy)]
pub struct TypeOf<T>(std::marker::PhantomData<T>);

impl<T: Elem> TypeOf<T> {
    /// The type that this value names.
    pub const fn dtype(self) -> DType {
        T::DTYPE
    }
}

impl<T: Elem> std::fmt::Debug for TypeOf<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "dtype({})", T::DTYPE)
    }
}

/// Element types as values, in the namespace of values.
///
/// They are functions, and not constants, because a variable may have the name
/// of a function: `let u16 = 3;` would compare with a constant.
#[allow(non_snake_case)]
pub mod types {
    use super::TypeOf;
    use std::marker::PhantomData;

    macro_rules! names {
        ($($(#[$doc:meta])* $t:ident: $of:ty;)*) => {$(
            $(#[$doc])*
            pub fn $t() -> TypeOf<$of> {
                TypeOf(PhantomData)
            }
        )*};
    }
    names! {
        /// `bool` as a value.
        bool: core::primitive::bool;
        /// `i8` as a value.
        i8: core::primitive::i8;
        /// `i16` as a value.
        i16: core::primitive::i16;
        /// `i32` as a value.
        i32: core::primitive::i32;
        /// `i64` as a value.
        i64: core::primitive::i64;
        /// `u8` as a value.
        u8: core::primitive::u8;
        /// `u16` as a value.
        u16: core::primitive::u16;
        /// `u32` as a value.
        u32: core::primitive::u32;
        /// `u64` as a value.
        u64: core::primitive::u64;
        /// `f32` as a value.
        f32: core::primitive::f32;
        /// `f64` as a value.
        f64: core::primitive::f64;
        /// `f16` as a value.
        f16: half::f16;
        /// `Complex32` as a value: pairs of `f32`.
        Complex32: num_complex::Complex32;
        /// `Complex64` as a value: pairs of `f64`.
        Complex64: num_complex::Complex64;
    }
}
