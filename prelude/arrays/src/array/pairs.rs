//! Functions of the elements of two arrays, and numbers taken apart.

use gpurepl_kernels::{BinaryOp, DType, UnaryOp};

use super::compare::{Choices, near, of_values};
use super::math::{AsArray, RealElem};
use super::operators::Operand;
use super::raw::{Raw, Value};
use super::{GpuArray, RealScalar, ToGpu};
use crate::array::Elem;
use crate::error::OrRaise as _;
use crate::scalar::Scalar;

/// A type of integers.
#[diagnostic::on_unimplemented(
    message = "this function is not defined for arrays of `{Self}`",
    note = "it takes integers"
)]
pub trait IntegerElem: RealElem {}

macro_rules! integer_elements {
    ($($t:ty)*) => {$(impl IntegerElem for $t {})*};
}
integer_elements!(i8 i16 i32 i64 u8 u16 u32 u64);

/// Quotients without a fraction, and what they leave.
type WholeArray<T> = GpuArray<<T as Elem>::Whole>;

/// Methods from the rows of the table in `gpurepl_kernels::functions`.
macro_rules! methods {
    ($($group:ident { $($(#[$doc:meta])* $method:ident $op:ident $($numpy:ident)?: $text:literal;)* })*) => {
        $(methods! { @group $group { $($(#[$doc])* $method $op $($numpy)?;)* } })*
    };
    (@group floating { $($(#[$doc:meta])* $method:ident $op:ident $($numpy:ident)?;)* }) => {
        /// Functions of two elements each: of two arrays, or of an array and a
        /// number. Integers become floats first. They panic with an
        /// [`Error`](crate::Error) if shapes do not broadcast.
        impl<T: RealElem> GpuArray<T> {
            $(methods! { @one ($(#[$doc])*) $method $($numpy)?, $op, RealElem, <V::Out as Elem>::Floating })*
        }

        methods! { @functions floating RealElem, <A::Out as Elem>::Floating { $($(#[$doc])* $method $op $($numpy)?;)* } }
    };
    (@group common { $($(#[$doc:meta])* $method:ident $op:ident $($numpy:ident)?;)* }) => {
        /// Functions of two elements each, in the type that holds both; a number
        /// takes the array's type. They panic with an [`Error`](crate::Error) if
        /// shapes do not broadcast.
        impl<T: RealElem> GpuArray<T> {
            $(methods! { @one ($(#[$doc])*) $method $($numpy)?, $op, RealElem, V::Out })*
        }

        methods! { @functions common RealElem, A::Out { $($(#[$doc])* $method $op $($numpy)?;)* } }
    };
    (@group integers { $($(#[$doc:meta])* $method:ident $op:ident $($numpy:ident)?;)* }) => {
        /// Functions of two integers each, in the type that holds both. They panic
        /// with an [`Error`](crate::Error) if shapes do not broadcast.
        impl<T: IntegerElem> GpuArray<T> {
            $(methods! { @one ($(#[$doc])*) $method $($numpy)?, $op, IntegerElem, V::Out })*
        }

        methods! { @functions integers IntegerElem, A::Out { $($(#[$doc])* $method $op $($numpy)?;)* } }
    };
    (@group special { $($row:tt)* }) => {
        methods! { @functions special RealElem, <A::Out as Elem>::Floating { $($row)* } }
    };
    (@functions $module:ident $elem:ident, $out:ty { $($(#[$doc:meta])* $method:ident $op:ident $($numpy:ident)?;)* }) => {
        /// Functions of two elements each, arrays or numbers.
        pub(super) mod $module {
            use gpurepl_kernels::BinaryOp;

            #[allow(unused_imports, reason = "not each group needs both")]
            use super::{Choices, Elem, GpuArray, IntegerElem, RealElem, of_values};

            $(
                $(#[$doc])*
                ///
                /// # Panics
                ///
                /// With an [`Error`](crate::Error), if shapes do not broadcast.
                #[track_caller]
                pub fn $method<A: Choices<B, Out: $elem>, B>(first: A, second: B) -> GpuArray<$out> {
                    let dtype = <$out as Elem>::DTYPE;
                    GpuArray::wrap(of_values(BinaryOp::$op, first.choices(second), dtype))
                }

                $(pub use $method as $numpy;)?
            )*
        }
    };
    (@one ($($doc:tt)*) $method:ident $numpy:ident, $op:ident, $elem:ident, $to:ty) => {
        methods! { @one ($($doc)*) $method, $op, $elem, $to }

        #[doc = concat!("[`", stringify!($method), "`](GpuArray::", stringify!($method), ") by NumPy's name.")]
        #[track_caller]
        pub fn $numpy<V: Operand<T, Out: $elem>>(&self, other: V) -> GpuArray<$to> {
            self.$method(other)
        }
    };
    (@one ($($doc:tt)*) $method:ident, $op:ident, $elem:ident, $to:ty) => {
        $($doc)*
        #[track_caller]
        pub fn $method<V: Operand<T, Out: $elem>>(&self, other: V) -> GpuArray<$to> {
            let dtype = <$to as Elem>::DTYPE;
            GpuArray::wrap(Raw::promoted(BinaryOp::$op, &self.raw, other.operand(), dtype))
        }
    };
}
gpurepl_kernels::functions_of_two_arrays!(methods);

impl<T: RealElem> GpuArray<T> {
    /// Each element times 2 to the power of a whole number.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![0.5, 3.0].ldexp(&gpu![3, -1]).to_vec(), [4.0, 1.5]);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if shapes do not broadcast.
    #[track_caller]
    pub fn ldexp<I: IntegerElem>(&self, exponent: impl AsArray<I>) -> GpuArray<T::Floating> {
        let dtype = <T::Floating as Elem>::DTYPE;
        GpuArray::wrap(Raw::binary(BinaryOp::Ldexp, &self.raw, &exponent.as_array().raw, dtype, dtype))
    }

    /// The distance of each element to the next number of its type away from zero, with the
    /// sign of the element: NumPy's `np.spacing(a)`.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![1.0, -4.0].spacing().to_vec(), [f64::EPSILON, -4.0 * f64::EPSILON]);
    /// ```
    #[track_caller]
    pub fn spacing(&self) -> GpuArray<T::Floating> {
        let dtype = <T::Floating as Elem>::DTYPE;
        // -0 is taken for 0, whose spacing is positive.
        let own = Raw::scalar(BinaryOp::Add, &self.raw.cast(dtype), Scalar::Float(0.0), false, dtype);
        let far = Raw::scalar(BinaryOp::Copysign, &own, Scalar::Float(f64::INFINITY), true, dtype);
        let next = Raw::binary(BinaryOp::Nextafter, &own, &far, dtype, dtype);
        GpuArray::wrap(Raw::binary(BinaryOp::Subtract, &next, &own, dtype, dtype))
    }

    /// Each element, or another number in the place of NaN and of each infinity: NumPy's
    /// `np.nan_to_num(a, nan=.., posinf=.., neginf=..)`.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let a = gpu![f64::NAN, f64::INFINITY, 1.0];
    /// assert_eq!(a.nan_to_num_values(-1, 99, -99).to_vec(), [-1.0, 99.0, 1.0]);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if a number does not fit the type.
    #[track_caller]
    pub fn nan_to_num_values(
        &self,
        nan: impl RealScalar,
        posinf: impl RealScalar,
        neginf: impl RealScalar,
    ) -> GpuArray<T> {
        if !T::DTYPE.is_float() {
            return self.copy();
        }
        let infinity = |value| Value::Scalar(Scalar::Float(value));
        let mut answer = self.raw.clone();
        for (place, value) in
            [(f64::INFINITY, posinf.real_scalar()), (f64::NEG_INFINITY, neginf.real_scalar())]
        {
            let is_so = Raw::compare(BinaryOp::Equal, &self.raw, infinity(place));
            answer = Raw::select(&is_so, Value::Scalar(value), Value::Array(answer), T::DTYPE);
        }
        let is_nan = Raw::compare(BinaryOp::NotEqual, &self.raw, Value::Array(self.raw.clone()));
        GpuArray::wrap(Raw::select(&is_nan, Value::Scalar(nan.real_scalar()), Value::Array(answer), T::DTYPE))
    }

    /// Each element as `mantissa * 2**exponent`, with a mantissa from 1/2 to 1 and
    /// an exponent that is a whole number.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let (mantissa, exponent) = gpu![8.0, -0.75].frexp();
    /// assert_eq!((mantissa.to_vec(), exponent.to_vec()), (vec![0.5, -0.75], vec![4, 0]));
    /// ```
    #[track_caller]
    pub fn frexp(&self) -> (GpuArray<T::Floating>, GpuArray<i32>) {
        let dtype = <T::Floating as Elem>::DTYPE;
        let mantissa = Raw::unary(UnaryOp::Mantissa, &self.raw, dtype, dtype);
        let exponent = Raw::unary(UnaryOp::Exponent, &self.raw, dtype, DType::Int32);
        (GpuArray::wrap(mantissa), GpuArray::wrap(exponent))
    }

    /// What each element has after its point, and the rest of it, both with its
    /// sign.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let (fraction, whole) = gpu![2.5, -0.25].modf();
    /// assert_eq!((fraction.to_vec(), whole.to_vec()), (vec![0.5, -0.25], vec![2.0, -0.0]));
    /// ```
    #[track_caller]
    pub fn modf(&self) -> (GpuArray<T::Floating>, GpuArray<T::Floating>) {
        let dtype = <T::Floating as Elem>::DTYPE;
        let fraction = Raw::unary(UnaryOp::Fraction, &self.raw, dtype, dtype);
        let whole = Raw::unary(UnaryOp::Trunc, &self.raw, dtype, dtype);
        (GpuArray::wrap(fraction), GpuArray::wrap(whole))
    }

    /// The quotients towards minus infinity and what they leave: Python's
    /// `divmod`.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let (quotient, rest) = gpu![7, -7].divmod(3);
    /// assert_eq!((quotient.to_vec(), rest.to_vec()), (vec![2, -3], vec![1, 2]));
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if shapes do not broadcast.
    #[track_caller]
    pub fn divmod<V: Operand<T>>(&self, divisor: V) -> (WholeArray<V::Out>, WholeArray<V::Out>) {
        let (divisor, dtype) = (divisor.operand(), <V::Out as Elem>::Whole::DTYPE);
        let quotient = Raw::promoted(BinaryOp::FloorDivide, &self.raw, divisor.clone(), dtype);
        let rest = Raw::promoted(BinaryOp::Remainder, &self.raw, divisor, dtype);
        (GpuArray::wrap(quotient), GpuArray::wrap(rest))
    }

    /// A power in double precision, also of integers, which may then be negative.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![2, 4].float_power(-1).to_vec(), [0.5, 0.25]);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if shapes do not broadcast.
    #[track_caller]
    pub fn float_power<V: Operand<T, Out: RealElem>>(&self, exponent: V) -> GpuArray<f64> {
        GpuArray::wrap(Raw::promoted(BinaryOp::Power, &self.raw, exponent.operand(), DType::Float64))
    }
}

impl<T: Elem> GpuArray<T> {
    /// Where elements are near those of another array:
    /// `|a - b| <= 1e-8 + 1e-5 * |b|`, in double precision. NaN is near nothing.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![1.0, 2.0].isclose(&gpu![1.000001, 2.1]).to_vec(), [true, false]);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if shapes do not broadcast.
    #[track_caller]
    pub fn isclose<U: Elem>(&self, other: impl ToGpu<Elem = U>) -> GpuArray<bool> {
        self.isclose_within(other, 1e-5, 1e-8)
    }

    /// [`isclose`](GpuArray::isclose) with other bounds than 1e-5, NumPy's `rtol`,
    /// and 1e-8, its `atol`.
    ///
    /// # Panics
    ///
    /// As `isclose`.
    #[track_caller]
    pub fn isclose_within<U: Elem>(
        &self,
        other: impl ToGpu<Elem = U>,
        rtol: f64,
        atol: f64,
    ) -> GpuArray<bool> {
        GpuArray::wrap(near(&self.raw, &other.upload().or_raise(), rtol, atol).or_raise())
    }

    /// Where elements and those of another array are not zero.
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if shapes do not broadcast.
    #[track_caller]
    pub fn logical_and<U: Elem>(&self, other: impl ToGpu<Elem = U>) -> GpuArray<bool> {
        logical(BinaryOp::And, &self.raw, &other.upload().or_raise())
    }

    /// Where elements or those of another array are not zero.
    ///
    /// # Panics
    ///
    /// As [`logical_and`](GpuArray::logical_and).
    #[track_caller]
    pub fn logical_or<U: Elem>(&self, other: impl ToGpu<Elem = U>) -> GpuArray<bool> {
        logical(BinaryOp::Or, &self.raw, &other.upload().or_raise())
    }

    /// Where either elements or those of another array are not zero.
    ///
    /// # Panics
    ///
    /// As [`logical_and`](GpuArray::logical_and).
    #[track_caller]
    pub fn logical_xor<U: Elem>(&self, other: impl ToGpu<Elem = U>) -> GpuArray<bool> {
        logical(BinaryOp::Xor, &self.raw, &other.upload().or_raise())
    }

    /// Where elements are zero.
    #[track_caller]
    pub fn logical_not(&self) -> GpuArray<bool> {
        GpuArray::wrap(Raw::unary(UnaryOp::Invert, &self.raw, DType::Bool, DType::Bool))
    }
}

#[track_caller]
fn logical(op: BinaryOp, a: &Raw, b: &Raw) -> GpuArray<bool> {
    GpuArray::wrap(Raw::binary(op, a, b, DType::Bool, DType::Bool))
}
