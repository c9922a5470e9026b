//! Functions of each element: PyCUDA's `cumath`, as methods.

use gpurepl_kernels::{BinaryOp, DType, UnaryOp};
use num_complex::{Complex32, Complex64};

use super::GpuArray;
use super::raw::Raw;
use crate::array::Elem;
use crate::error::{OrRaise as _, Result};
use crate::scalar::Scalar;

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

/// Methods from the rows of the table in `gpurepl_kernels::functions`.
macro_rules! methods {
    ($($group:ident { $($(#[$doc:meta])* $method:ident $op:ident $($numpy:ident)?: $text:literal;)* })*) => {
        $(methods! { @group $group { $($(#[$doc])* $method $op $($numpy)?;)* } })*
    };
    (@group analytic { $($(#[$doc:meta])* $method:ident $op:ident $($numpy:ident)?;)* }) => {
        /// Mathematical functions, also of complex numbers. Integers are converted to
        /// the smallest float that holds them all, as in NumPy.
        impl<T: Elem> GpuArray<T> {
            $(methods! {
                @one ($(#[$doc])*) $method $($numpy)?, $op, <T::Floating as Elem>::DTYPE, T::Floating
            })*
        }

        mod analytic {
            use super::{AsArray, Elem, GpuArray};

            $(
                $(#[$doc])*
                #[track_caller]
                pub fn $method<T: Elem>(array: impl AsArray<T>) -> GpuArray<T::Floating> {
                    array.as_array().$method()
                }
            )*
        }
    };
    (@group floating { $($(#[$doc:meta])* $method:ident $op:ident $($numpy:ident)?;)* }) => {
        /// Mathematical functions. Integers are converted to the smallest
        /// float that holds them all, as in NumPy.
        impl<T: RealElem> GpuArray<T> {
            $(methods! {
                @one ($(#[$doc])*) $method $($numpy)?, $op, <T::Floating as Elem>::DTYPE, T::Floating
            })*
        }

        methods! { @cumath { $($(#[$doc])* $method;)* } }
    };
    (@group rounding { $($(#[$doc:meta])* $method:ident $op:ident $($numpy:ident)?;)* }) => {
        /// Whole numbers near each element. Integers are their own, as in NumPy.
        impl<T: RealElem> GpuArray<T> {
            $(methods! { @one ($(#[$doc])*) $method $($numpy)?, $op, T::DTYPE, T })*
        }
    };
    (@group tests { $($(#[$doc:meta])* $method:ident $op:ident $($numpy:ident)?;)* }) => {
        /// Questions about each element. Integers are finite.
        impl<T: Elem> GpuArray<T> {
            $(methods! { @one ($(#[$doc])*) $method $($numpy)?, $op, <T::Floating as Elem>::DTYPE, bool })*
        }
    };
    (@group signs { $($(#[$doc:meta])* $method:ident $op:ident $($numpy:ident)?;)* }) => {
        /// Questions about the sign of each element.
        impl<T: RealElem> GpuArray<T> {
            $(methods! { @one ($(#[$doc])*) $method $($numpy)?, $op, <T::Floating as Elem>::DTYPE, bool })*
        }
    };
    (@group special { $($(#[$doc:meta])* $method:ident $op:ident $($numpy:ident)?;)* }) => {
        /// Special functions, with SciPy's names. They take `&a`, and integers as
        /// floats.
        ///
        /// ```
        /// use gpurepl_prelude::*;
        /// assert_eq!(special::gamma(&gpu![1, 5]).to_vec(), [1.0, 24.0]);
        /// ```
        pub mod special {
            use gpurepl_kernels::UnaryOp;

            use super::{AsArray, Elem, GpuArray, Raw, RealElem};
            pub use crate::array::pairs::special::*;
            pub use crate::array::triples::*;
            pub use crate::array::softmax::{
                log_softmax, log_softmax_axis, logsumexp, logsumexp_axis, multigammaln, softmax, softmax_axis,
            };

            $(methods! { @special ($(#[$doc])*) $method $($numpy)?, $op })*
        }
    };
    (@special ($($doc:tt)*) $method:ident $numpy:ident, $op:ident) => {
        methods! { @special ($($doc)*) $method, $op }

        pub use $method as $numpy;
    };
    (@special ($($doc:tt)*) $method:ident, $op:ident) => {
        $($doc)*
        #[track_caller]
        pub fn $method<T: RealElem>(array: impl AsArray<T>) -> GpuArray<T::Floating> {
            let dtype = <T::Floating as Elem>::DTYPE;
            GpuArray::wrap(Raw::unary(UnaryOp::$op, &array.as_array().raw, dtype, dtype))
        }
    };
    (@one ($($doc:tt)*) $method:ident $numpy:ident, $op:ident, $from:expr, $to:ty) => {
        methods! { @one ($($doc)*) $method, $op, $from, $to }

        #[doc = concat!("[`", stringify!($method), "`](GpuArray::", stringify!($method), ") by NumPy's name.")]
        #[track_caller]
        pub fn $numpy(&self) -> GpuArray<$to> {
            self.$method()
        }
    };
    (@one ($($doc:tt)*) $method:ident, $op:ident, $from:expr, $to:ty) => {
        $($doc)*
        #[track_caller]
        pub fn $method(&self) -> GpuArray<$to> {
            GpuArray::wrap(Raw::unary(UnaryOp::$op, &self.raw, $from, <$to as Elem>::DTYPE))
        }
    };
    (@cumath { $($(#[$doc:meta])* $method:ident;)* }) => {
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
            pub use super::analytic::*;
            pub use crate::array::pairs::common::*;
            pub use crate::array::pairs::floating::*;
            pub use crate::array::pairs::integers::*;
            use super::{AsArray, Elem, GpuArray, RealElem};

            $(
                $(#[$doc])*
                #[track_caller]
                pub fn $method<T: RealElem>(array: impl AsArray<T>) -> GpuArray<T::Floating> {
                    array.as_array().$method()
                }
            )*

            /// The largest whole number that is at most each element.
            #[track_caller]
            pub fn floor<T: RealElem>(array: impl AsArray<T>) -> GpuArray<T> {
                array.as_array().floor()
            }

            /// The smallest whole number that is at least each element.
            #[track_caller]
            pub fn ceil<T: RealElem>(array: impl AsArray<T>) -> GpuArray<T> {
                array.as_array().ceil()
            }

            /// The absolute value of each element.
            #[track_caller]
            pub fn fabs<T: Elem>(array: impl AsArray<T>) -> GpuArray<T::Real> {
                array.as_array().abs()
            }
        }
    };
}
gpurepl_kernels::functions_of_one_array!(methods);

/// An element type with numbers: every one but `bool`.
#[diagnostic::on_unimplemented(
    message = "this function is not defined for arrays of `{Self}`",
    note = "it takes numbers: `a.astype(i32)` makes 0 and 1 of booleans"
)]
pub trait NumberElem: Elem {}

macro_rules! number_elements {
    ($($t:ty)*) => {$(impl NumberElem for $t {})*};
}
number_elements!(i8 i16 i32 i64 u8 u16 u32 u64 half::f16 f32 f64 Complex32 Complex64);

/// Functions whose answer has the array's type.
impl<T: NumberElem> GpuArray<T> {
    /// Each element times itself.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![1, -2, 3].square().to_vec(), [1, 4, 9]);
    /// ```
    #[track_caller]
    pub fn square(&self) -> GpuArray<T> {
        GpuArray::wrap(Raw::binary(BinaryOp::Multiply, &self.raw, &self.raw, T::DTYPE, T::DTYPE))
    }

    /// 1 of positive elements, -1 of negative ones, 0 of zeros and NaN of NaN; a
    /// complex number over its size.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![2.5, -0.0, -3.0].sign().to_vec(), [1.0, 0.0, -1.0]);
    /// ```
    #[track_caller]
    pub fn sign(&self) -> GpuArray<T> {
        GpuArray::wrap(Raw::unary(UnaryOp::Sign, &self.raw, T::DTYPE, T::DTYPE))
    }

    /// 1 divided by each element. Of integers the whole part, so all but 1 and -1
    /// give 0: `1 / &a` gives floats.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![2.0, -4.0].reciprocal().to_vec(), [0.5, -0.25]);
    /// ```
    #[track_caller]
    pub fn reciprocal(&self) -> GpuArray<T> {
        GpuArray::wrap(Raw::unary(UnaryOp::Reciprocal, &self.raw, T::DTYPE, T::DTYPE))
    }
}

impl<T: Elem> GpuArray<T> {
    /// Each element rounded to so many decimals, to the even digit of two that
    /// are as near; a negative number rounds to tens and hundreds; of complex
    /// numbers each part. As in NumPy the
    /// element is scaled, rounded and scaled back, so a decimal that has no exact
    /// float may go either way.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![1.256, 2.5, -0.125].round(2).to_vec(), [1.26, 2.5, -0.12]);
    /// assert_eq!(gpu![15, 25, 31].round(-1).to_vec(), [20, 20, 30]);
    /// ```
    #[track_caller]
    pub fn round(&self, decimals: i32) -> GpuArray<T> {
        GpuArray::wrap(rounded(&self.raw, decimals).or_raise())
    }
}

fn rounded(array: &Raw, decimals: i32) -> Result<Raw> {
    let dtype = array.dtype();
    if dtype == DType::Bool || dtype.is_integer() && decimals >= 0 {
        return Ok(array.converted(dtype));
    }
    let wide = if dtype.is_integer() { DType::Float64 } else { dtype };
    if decimals == 0 {
        return Ok(Raw::unary(UnaryOp::Rint, array, dtype, dtype));
    }
    let scale = Scalar::Float(10_f64.powi(decimals.saturating_abs()));
    let (there, back) = match decimals > 0 {
        true => (BinaryOp::Multiply, BinaryOp::Divide),
        false => (BinaryOp::Divide, BinaryOp::Multiply),
    };
    let scaled = Raw::try_scalar(there, array, scale, false, wide, wide)?;
    let whole = Raw::unary(UnaryOp::Rint, &scaled, wide, wide);
    drop(scaled);
    let answer = Raw::try_scalar(back, &whole, scale, false, wide, wide)?;
    drop(whole);
    Ok(answer.cast(dtype))
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

    /// The angle of each element in the complex plane, in radians: 0 of positive
    /// real numbers, and pi of negative ones.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![Complex64::new(0.0, 2.0)].angle().item(), std::f64::consts::FRAC_PI_2);
    /// assert_eq!(gpu![1.0, -1.0].angle().rad2deg().to_vec(), [0.0, 180.0]);
    /// ```
    #[track_caller]
    pub fn angle(&self) -> GpuArray<<T::Floating as Elem>::Real> {
        let (from, to) = (T::Floating::DTYPE, <T::Floating as Elem>::Real::DTYPE);
        GpuArray::wrap(Raw::unary(UnaryOp::Angle, &self.raw, from, to))
    }

    /// The complex conjugate of each element; real ones are their own.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![Complex32::new(1.0, 2.0)].conj().item(), Complex32::new(1.0, -2.0));
    /// ```
    #[track_caller]
    pub fn conj(&self) -> GpuArray<T> {
        GpuArray::wrap(Raw::unary(UnaryOp::Conjugate, &self.raw, T::DTYPE, T::DTYPE))
    }

    /// Where the imaginary part is zero.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let a = gpu![Complex64::new(1.0, 0.0), Complex64::new(0.0, 1.0)];
    /// assert_eq!((a.isreal().to_vec(), a.iscomplex().to_vec()), (vec![true, false], vec![false, true]));
    /// ```
    #[track_caller]
    pub fn isreal(&self) -> GpuArray<bool> {
        self.imag().eq(0)
    }

    /// Where the imaginary part is not zero.
    #[track_caller]
    pub fn iscomplex(&self) -> GpuArray<bool> {
        self.imag().ne(0)
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
