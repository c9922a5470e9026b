//! `+ - * / % & | ^ << >>`, between arrays and with numbers on both sides.
//!
//! The types follow NumPy. Two arrays promote by [`Promote`]. A number on the
//! right takes the array's type if its kind allows that; so does one on the
//! left, where only `f64`, `i32` and complex numbers can stand: with more
//! types there, rustc could not infer what the literal in `(2.0 * &a).sqrt()`
//! is.

use std::ops::{
    Add, AddAssign, BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Div, DivAssign, Mul,
    MulAssign, Neg, Not, Rem, RemAssign, Shl, ShlAssign, Shr, ShrAssign, Sub, SubAssign,
};

use gpurepl_kernels::{BinaryOp, DType, UnaryOp};
use half::f16;
use num_complex::{Complex32, Complex64};

use super::raw::{Raw, Value};
use super::{GpuArray, ToGpu};
use crate::array::{AnyScalar, Elem, IntScalar, NumberFor, Promote, RealScalar};
use crate::error::OrRaise as _;

/// A number, an array or a list of numbers that an array can be compared with,
/// set to, raised to and so on.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be stored in or compared with an array of `{T}`",
    note = "use a number, an array or a reference to one"
)]
pub trait IntoValue<T> {
    #[doc(hidden)]
    #[track_caller]
    fn into_value(self) -> Value;
}

impl<T: Elem, U: Elem> IntoValue<T> for &GpuArray<U> {
    fn into_value(self) -> Value {
        Value::Array(self.raw.clone())
    }
}

impl<T: Elem, U: Elem> IntoValue<T> for GpuArray<U> {
    fn into_value(self) -> Value {
        Value::Array(self.raw)
    }
}

macro_rules! numbers_are_values {
    ($($t:ty)*) => {$(
        impl<T: Elem> IntoValue<T> for $t {
            fn into_value(self) -> Value {
                Value::Scalar(Elem::to_scalar(self))
            }
        }
    )*};
}
numbers_are_values!(bool i8 i16 i32 i64 u8 u16 u32 u64 f16 f32 f64 Complex32 Complex64);

impl<T: Elem> IntoValue<T> for usize {
    fn into_value(self) -> Value {
        Value::Scalar(Elem::to_scalar(self as u64))
    }
}

/// The second operand of a function of two: an array or a list of numbers, whose
/// type counts for the answer's, or a number, which takes the first array's type
/// if that has its kind: beside integers a number with a fraction gives `f64`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be combined with an array of `{T}`",
    note = "use a number, an array or a reference to one"
)]
pub trait Operand<T> {
    /// The type of the answer.
    type Out: Elem;

    #[doc(hidden)]
    #[track_caller]
    fn operand(self) -> Value;
}

impl<T: Promote<U>, U: Elem> Operand<T> for &GpuArray<U> {
    type Out = T::Out;

    fn operand(self) -> Value {
        Value::Array(self.raw.clone())
    }
}

impl<T: Promote<U>, U: Elem> Operand<T> for GpuArray<U> {
    type Out = T::Out;

    fn operand(self) -> Value {
        Value::Array(self.raw)
    }
}

/// Lists of numbers on the host, where NumPy takes what it can make an array of.
macro_rules! lists_are_values {
    ($([$($lifetime:tt)*] [$($generics:tt)*] $list:ty;)*) => {$(
        impl<$($lifetime)* T: Elem, N, $($generics)*> IntoValue<T> for $list
        where
            $list: ToGpu,
        {
            #[track_caller]
            fn into_value(self) -> Value {
                Value::Array(self.upload().or_raise())
            }
        }

        impl<$($lifetime)* T, N, $($generics)*> Operand<T> for $list
        where
            $list: ToGpu,
            T: Promote<<$list as ToGpu>::Elem>,
        {
            type Out = T::Out;

            #[track_caller]
            fn operand(self) -> Value {
                Value::Array(self.upload().or_raise())
            }
        }
    )*};
}
lists_are_values! {
    ['a,] [] &'a [N];
    [] [] Vec<N>;
    ['a,] [] &'a Vec<N>;
    [] [const K: usize] [N; K];
    ['a,] [const K: usize] &'a [N; K];
}

// The answer's type is known before that of a literal is.
impl<T: Elem, S: AnyScalar + NumberFor<T>> Operand<T> for S {
    type Out = S::Out;

    fn operand(self) -> Value {
        Value::Scalar(self.any_scalar())
    }
}

/// One operator between arrays, owned or borrowed on either side.
macro_rules! between_arrays {
    ($trait:ident $method:ident $op:ident, $t:ident $u:ident => $out:ty) => {
        between_arrays!(@one $trait $method $op, $t $u => $out, (&GpuArray<T>) (&GpuArray<U>));
        between_arrays!(@one $trait $method $op, $t $u => $out, (&GpuArray<T>) (GpuArray<U>));
        between_arrays!(@one $trait $method $op, $t $u => $out, (GpuArray<T>) (&GpuArray<U>));
        between_arrays!(@one $trait $method $op, $t $u => $out, (GpuArray<T>) (GpuArray<U>));
    };
    (@one $trait:ident $method:ident $op:ident, $t:ident $u:ident => $out:ty, ($left:ty) ($right:ty)) => {
        impl<$t: Promote<$u>, $u: Elem> $trait<$right> for $left {
            type Output = GpuArray<$out>;

            #[track_caller]
            fn $method(self, other: $right) -> GpuArray<$out> {
                GpuArray::wrap(Raw::binary(
                    BinaryOp::$op,
                    &self.raw,
                    &other.raw,
                    <$out as Elem>::DTYPE,
                    <$out as Elem>::DTYPE,
                ))
            }
        }
    };
}

between_arrays!(Add add Add, T U => <T as Promote<U>>::Out);
between_arrays!(Sub sub Subtract, T U => <T as Promote<U>>::Out);
between_arrays!(Mul mul Multiply, T U => <T as Promote<U>>::Out);
between_arrays!(Div div Divide, T U => <<T as Promote<U>>::Out as Elem>::Quotient);
between_arrays!(Rem rem Remainder, T U => <<T as Promote<U>>::Out as Elem>::Whole);

/// A type that has bits: of `&`, `|` and `^`.
#[diagnostic::on_unimplemented(
    message = "arrays of `{Self}` have no bit operators",
    note = "bits are for integers and booleans; `i64` and `u64` have no common type of integers: use `astype`"
)]
pub trait BitElem: Elem {}

/// A type of integers, whose bits `<<` and `>>` move.
#[diagnostic::on_unimplemented(
    message = "arrays of `{Self}` cannot be shifted",
    note = "shifts are for integers; `i64` and `u64` have no common type of integers: use `astype`"
)]
pub trait ShiftElem: BitElem {}

/// Operators that only integers have, and booleans some of them.
macro_rules! bits_between_arrays {
    ($($trait:ident $method:ident $op:ident $elem:ident;)*) => {$(
        bits_between_arrays!(@one $trait $method $op $elem, (&GpuArray<T>) (&GpuArray<U>));
        bits_between_arrays!(@one $trait $method $op $elem, (&GpuArray<T>) (GpuArray<U>));
        bits_between_arrays!(@one $trait $method $op $elem, (GpuArray<T>) (&GpuArray<U>));
        bits_between_arrays!(@one $trait $method $op $elem, (GpuArray<T>) (GpuArray<U>));
        bits_between_arrays!(@left $trait $method $op $elem, i32, (&GpuArray<T>));
        bits_between_arrays!(@left $trait $method $op $elem, i32, (GpuArray<T>));
    )*};
    (@one $trait:ident $method:ident $op:ident $elem:ident, ($left:ty) ($right:ty)) => {
        impl<T: Promote<U, Out: $elem>, U: Elem> $trait<$right> for $left {
            type Output = GpuArray<T::Out>;

            #[track_caller]
            fn $method(self, other: $right) -> GpuArray<T::Out> {
                let dtype = T::Out::DTYPE;
                GpuArray::wrap(Raw::binary(BinaryOp::$op, &self.raw, &other.raw, dtype, dtype))
            }
        }
    };
    (@left $trait:ident $method:ident $op:ident $elem:ident, i32, ($array:ty)) => {
        impl<T: Elem<WithInt: $elem>> $trait<$array> for i32 {
            type Output = GpuArray<T::WithInt>;

            #[track_caller]
            fn $method(self, array: $array) -> GpuArray<T::WithInt> {
                let dtype = T::WithInt::DTYPE;
                GpuArray::wrap(Raw::scalar(BinaryOp::$op, &array.raw, Elem::to_scalar(self), true, dtype))
            }
        }
    };
}

/// One operator with a number on the right of one array type.
macro_rules! right_number {
    (@one $trait:ident $method:ident $op:ident $t:ident [$($generics:tt)*] $number:ident as ($convert:expr) => $out:ty, ($left:ty)) => {
        impl $($generics)* $trait<$number> for $left {
            type Output = GpuArray<$out>;

            #[track_caller]
            fn $method(self, number: $number) -> GpuArray<$out> {
                GpuArray::wrap(Raw::scalar(
                    BinaryOp::$op,
                    &self.raw,
                    $convert(number),
                    false,
                    <$out as Elem>::DTYPE,
                ))
            }
        }
    };
    ($trait:ident $method:ident $op:ident $t:ident [<S: RealScalar>] S => $out:ty) => {
        right_number!(@one $trait $method $op $t [<S: RealScalar>] S as (S::real_scalar) => $out, (&GpuArray<$t>));
        right_number!(@one $trait $method $op $t [<S: RealScalar>] S as (S::real_scalar) => $out, (GpuArray<$t>));
    };
    ($trait:ident $method:ident $op:ident $t:ident [<S: IntScalar>] S => $out:ty) => {
        right_number!(@one $trait $method $op $t [<S: IntScalar>] S as (S::int_scalar) => $out, (&GpuArray<$t>));
        right_number!(@one $trait $method $op $t [<S: IntScalar>] S as (S::int_scalar) => $out, (GpuArray<$t>));
    };
    ($trait:ident $method:ident $op:ident $t:ident [] $number:ident => $out:ty) => {
        right_number!(@one $trait $method $op $t [] $number as (Elem::to_scalar) => $out, (&GpuArray<$t>));
        right_number!(@one $trait $method $op $t [] $number as (Elem::to_scalar) => $out, (GpuArray<$t>));
    };
}

macro_rules! arithmetic_with_numbers {
    ($($trait:ident $method:ident $op:ident;)*) => {$(
        right_number!($trait $method $op f16 [<S: RealScalar>] S => f16);
        right_number!($trait $method $op f32 [<S: RealScalar>] S => f32);
        right_number!($trait $method $op f64 [<S: RealScalar>] S => f64);
        right_number!($trait $method $op Complex32 [<S: RealScalar>] S => Complex32);
        right_number!($trait $method $op Complex64 [<S: RealScalar>] S => Complex64);
        right_number!($trait $method $op f16 [] Complex32 => Complex32);
        right_number!($trait $method $op f16 [] Complex64 => Complex64);
        right_number!($trait $method $op f32 [] Complex32 => Complex32);
        right_number!($trait $method $op f32 [] Complex64 => Complex64);
        right_number!($trait $method $op f64 [] Complex32 => Complex64);
        right_number!($trait $method $op f64 [] Complex64 => Complex64);
        right_number!($trait $method $op Complex32 [] Complex32 => Complex32);
        right_number!($trait $method $op Complex32 [] Complex64 => Complex64);
        right_number!($trait $method $op Complex64 [] Complex32 => Complex64);
        right_number!($trait $method $op Complex64 [] Complex64 => Complex64);
        left_number!($trait $method $op f64 WithFloat);
        left_number!($trait $method $op Complex32 WithComplex32);
        left_number!($trait $method $op Complex64 WithComplex64);
    )*};
}

/// One operator with a number on the left of every array type.
macro_rules! left_number {
    ($trait:ident $method:ident $op:ident $number:ident WithComplex32) => {
        left_number!(@one $trait $method $op $number, <T: Promote<Complex32>>, <T as Promote<Complex32>>::Out);
    };
    ($trait:ident $method:ident $op:ident $number:ident WithComplex64) => {
        left_number!(@one $trait $method $op $number, <T: Promote<Complex64>>, <T as Promote<Complex64>>::Out);
    };
    ($trait:ident $method:ident $op:ident $number:ident $with:ident) => {
        left_number!(@one $trait $method $op $number, <T: Elem>, T::$with);
    };
    ($trait:ident $method:ident $op:ident $number:ident quotient $with:ident) => {
        left_number!(@one $trait $method $op $number, <T: Elem>, <T::$with as Elem>::Quotient);
    };
    (@one $trait:ident $method:ident $op:ident $number:ident, <$t:ident: $bound:path>, $out:ty) => {
        impl<$t: $bound> $trait<&GpuArray<$t>> for $number {
            type Output = GpuArray<$out>;

            #[track_caller]
            fn $method(self, array: &GpuArray<$t>) -> GpuArray<$out> {
                GpuArray::wrap(Raw::scalar(
                    BinaryOp::$op,
                    &array.raw,
                    Elem::to_scalar(self),
                    true,
                    <$out as Elem>::DTYPE,
                ))
            }
        }

        impl<$t: $bound> $trait<GpuArray<$t>> for $number {
            type Output = GpuArray<$out>;

            #[track_caller]
            fn $method(self, array: GpuArray<$t>) -> GpuArray<$out> {
                GpuArray::wrap(Raw::scalar(
                    BinaryOp::$op,
                    &array.raw,
                    Elem::to_scalar(self),
                    true,
                    <$out as Elem>::DTYPE,
                ))
            }
        }
    };
}

arithmetic_with_numbers! {
    Add add Add;
    Sub sub Subtract;
    Mul mul Multiply;
    Div div Divide;
}

// `%` has no meaning for complex numbers.
right_number!(Rem rem Remainder f16 [<S: RealScalar>] S => f16);
right_number!(Rem rem Remainder f32 [<S: RealScalar>] S => f32);
right_number!(Rem rem Remainder f64 [<S: RealScalar>] S => f64);
left_number!(Rem rem Remainder f64 WithFloat);

left_number!(Add add Add i32 WithInt);
left_number!(Sub sub Subtract i32 WithInt);
left_number!(Mul mul Multiply i32 WithInt);
left_number!(Div div Divide i32 quotient WithInt);
left_number!(Rem rem Remainder i32 WithInt);

macro_rules! integer_arrays_with_numbers {
    ($($t:ident $whole:ident)*) => {$(
        right_number!(Add add Add $t [<S: IntScalar>] S => $whole);
        right_number!(Sub sub Subtract $t [<S: IntScalar>] S => $whole);
        right_number!(Mul mul Multiply $t [<S: IntScalar>] S => $whole);
        right_number!(Div div Divide $t [<S: IntScalar>] S => f64);
        right_number!(Rem rem Remainder $t [<S: IntScalar>] S => $whole);
        right_number!(Add add Add $t [] f64 => f64);
        right_number!(Sub sub Subtract $t [] f64 => f64);
        right_number!(Mul mul Multiply $t [] f64 => f64);
        right_number!(Div div Divide $t [] f64 => f64);
        right_number!(Rem rem Remainder $t [] f64 => f64);
        right_number!(Add add Add $t [] Complex64 => Complex64);
        right_number!(Sub sub Subtract $t [] Complex64 => Complex64);
        right_number!(Mul mul Multiply $t [] Complex64 => Complex64);
        right_number!(Div div Divide $t [] Complex64 => Complex64);
    )*};
}
integer_arrays_with_numbers! {
    bool i32  i8 i8  i16 i16  i32 i32  i64 i64  u8 u8  u16 u16  u32 u32  u64 u64
}

bits_between_arrays! {
    BitAnd bitand And BitElem;
    BitOr bitor Or BitElem;
    BitXor bitxor Xor BitElem;
    Shl shl LeftShift ShiftElem;
    Shr shr RightShift ShiftElem;
}

macro_rules! bits_with_numbers {
    ($($t:ident $whole:ident)*) => {$(
        impl BitElem for $t {}
        bits_with_numbers!(@shifts $t);
        right_number!(BitAnd bitand And $t [<S: IntScalar>] S => $whole);
        right_number!(BitOr bitor Or $t [<S: IntScalar>] S => $whole);
        right_number!(BitXor bitxor Xor $t [<S: IntScalar>] S => $whole);
        right_number!(Shl shl LeftShift $t [<S: IntScalar>] S => $whole);
        right_number!(Shr shr RightShift $t [<S: IntScalar>] S => $whole);
    )*};
    (@shifts bool) => {};
    (@shifts $t:ident) => { impl ShiftElem for $t {} };
}
bits_with_numbers! {
    bool i32  i8 i8  i16 i16  i32 i32  i64 i64  u8 u8  u16 u16  u32 u32  u64 u64
}

macro_rules! bits_with_booleans {
    ($($trait:ident $method:ident $op:ident;)*) => {$(
        right_number!($trait $method $op bool [] bool => bool);
        bits_with_booleans!(@left $trait $method $op (&GpuArray<bool>));
        bits_with_booleans!(@left $trait $method $op (GpuArray<bool>));
    )*};
    (@left $trait:ident $method:ident $op:ident ($array:ty)) => {
        impl $trait<$array> for bool {
            type Output = GpuArray<bool>;

            #[track_caller]
            fn $method(self, array: $array) -> GpuArray<bool> {
                GpuArray::wrap(Raw::scalar(BinaryOp::$op, &array.raw, Elem::to_scalar(self), true, DType::Bool))
            }
        }
    };
}
bits_with_booleans! {
    BitAnd bitand And;
    BitOr bitor Or;
    BitXor bitxor Xor;
}

/// In place: the array's type stays, and so does its memory.
macro_rules! assigning {
    ($($trait:ident $method:ident $op:ident $(+ $bound:path)?;)*) => {$(
        impl<T: Promote<U, Out = T> $(+ $bound)?, U: Elem> $trait<&GpuArray<U>> for GpuArray<T> {
            #[track_caller]
            fn $method(&mut self, other: &GpuArray<U>) {
                self.raw.assign(BinaryOp::$op, Value::Array(other.raw.clone()));
            }
        }

        impl<T: Promote<U, Out = T> $(+ $bound)?, U: Elem> $trait<GpuArray<U>> for GpuArray<T> {
            #[track_caller]
            fn $method(&mut self, other: GpuArray<U>) {
                self.raw.assign(BinaryOp::$op, Value::Array(other.raw));
            }
        }

        assigning!(@RealScalar real_scalar $trait $method $op: f16 f32 f64 Complex32 Complex64);
        assigning!(@IntScalar int_scalar $trait $method $op: i8 i16 i32 i64 u8 u16 u32 u64);
    )*};
    (@$number:ident $convert:ident $trait:ident $method:ident $op:ident: $($t:ident)*) => {$(
        impl<S: $number> $trait<S> for GpuArray<$t> {
            #[track_caller]
            fn $method(&mut self, number: S) {
                self.raw.assign(BinaryOp::$op, Value::Scalar(number.$convert()));
            }
        }
    )*};
}
assigning! {
    AddAssign add_assign Add;
    SubAssign sub_assign Subtract;
    MulAssign mul_assign Multiply;
    RemAssign rem_assign Remainder + Elem<Whole = T>;
}

/// `/=` keeps the type, so it is for types that a division keeps.
macro_rules! dividing {
    ($($t:ident)*) => {$(
        impl<S: RealScalar> DivAssign<S> for GpuArray<$t> {
            #[track_caller]
            fn div_assign(&mut self, number: S) {
                self.raw.assign(BinaryOp::Divide, Value::Scalar(number.real_scalar()));
            }
        }
    )*};
}
dividing!(f16 f32 f64 Complex32 Complex64);

impl<T: Promote<U, Out = T> + Elem<Quotient = T>, U: Elem> DivAssign<&GpuArray<U>> for GpuArray<T> {
    #[track_caller]
    fn div_assign(&mut self, other: &GpuArray<U>) {
        self.raw.assign(BinaryOp::Divide, Value::Array(other.raw.clone()));
    }
}

impl<T: Promote<U, Out = T> + Elem<Quotient = T>, U: Elem> DivAssign<GpuArray<U>> for GpuArray<T> {
    #[track_caller]
    fn div_assign(&mut self, other: GpuArray<U>) {
        self.raw.assign(BinaryOp::Divide, Value::Array(other.raw));
    }
}

/// `&=` and its kin: of arrays whose values the type holds, of integers, and of
/// `bool` for booleans.
macro_rules! assigning_bits {
    ($($trait:ident $method:ident $op:ident $elem:ident: $($t:ident)*;)*) => {$(
        impl<T: Promote<U, Out = T> + $elem, U: Elem> $trait<&GpuArray<U>> for GpuArray<T> {
            #[track_caller]
            fn $method(&mut self, other: &GpuArray<U>) {
                self.raw.assign(BinaryOp::$op, Value::Array(other.raw.clone()));
            }
        }

        impl<T: Promote<U, Out = T> + $elem, U: Elem> $trait<GpuArray<U>> for GpuArray<T> {
            #[track_caller]
            fn $method(&mut self, other: GpuArray<U>) {
                self.raw.assign(BinaryOp::$op, Value::Array(other.raw));
            }
        }

        assigning!(@IntScalar int_scalar $trait $method $op: $($t)*);
    )*};
}
assigning_bits! {
    BitAndAssign bitand_assign And BitElem: i8 i16 i32 i64 u8 u16 u32 u64;
    BitOrAssign bitor_assign Or BitElem: i8 i16 i32 i64 u8 u16 u32 u64;
    BitXorAssign bitxor_assign Xor BitElem: i8 i16 i32 i64 u8 u16 u32 u64;
    ShlAssign shl_assign LeftShift ShiftElem: i8 i16 i32 i64 u8 u16 u32 u64;
    ShrAssign shr_assign RightShift ShiftElem: i8 i16 i32 i64 u8 u16 u32 u64;
}

macro_rules! assigning_booleans {
    ($($trait:ident $method:ident $op:ident;)*) => {$(
        impl $trait<bool> for GpuArray<bool> {
            #[track_caller]
            fn $method(&mut self, flag: bool) {
                self.raw.assign(BinaryOp::$op, Value::Scalar(Elem::to_scalar(flag)));
            }
        }
    )*};
}
assigning_booleans! {
    BitAndAssign bitand_assign And;
    BitOrAssign bitor_assign Or;
    BitXorAssign bitxor_assign Xor;
}

macro_rules! with_one_operand {
    ($($trait:ident $method:ident $op:ident: $($t:ident)*;)*) => {$($(
        impl $trait for &GpuArray<$t> {
            type Output = GpuArray<$t>;

            #[track_caller]
            fn $method(self) -> GpuArray<$t> {
                GpuArray::wrap(Raw::unary(UnaryOp::$op, &self.raw, $t::DTYPE, $t::DTYPE))
            }
        }

        impl $trait for GpuArray<$t> {
            type Output = GpuArray<$t>;

            #[track_caller]
            fn $method(self) -> GpuArray<$t> {
                $trait::$method(&self)
            }
        }
    )*)*};
}
with_one_operand! {
    Neg neg Negative: i8 i16 i32 i64 u8 u16 u32 u64 f16 f32 f64 Complex32 Complex64;
    Not not Invert: bool i8 i16 i32 i64 u8 u16 u32 u64;
}

/// Operations that have no operator in Rust. Of two arrays the answer has the
/// type that holds both, as with an operator; a number takes the array's type if
/// that has its kind, and beside integers one with a fraction gives `f64`.
/// Booleans become `i8`.
impl<T: Elem> GpuArray<T> {
    /// `self` to the power of a number or an array. Whole powers up to 16 are
    /// products, so they are as exact as multiplying. Integers wrap around
    /// beyond their type, as in NumPy; `a.astype(i64).pow(2)` has more room.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![1.0, 2.0, 3.0].pow(2).to_vec(), [1.0, 4.0, 9.0]);
    /// assert_eq!(gpu![1.0, 4.0, 9.0].pow(0.5).to_vec(), [1.0, 2.0, 3.0]);
    /// assert_eq!(gpu![4, 9].pow(0.5).to_vec(), [2.0, 3.0]);
    /// assert_eq!(gpu![2, 3].pow(&gpu![0.5, 2.0]).to_vec(), [2f64.sqrt(), 9.0]);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if shapes do not broadcast, an integer is
    /// raised to a negative whole power, or a number does not fit the type.
    #[track_caller]
    pub fn pow<V: Operand<T>>(&self, exponent: V) -> GpuArray<<V::Out as Elem>::Whole> {
        GpuArray::wrap(Raw::power(&self.raw, exponent.operand(), <V::Out as Elem>::Whole::DTYPE))
    }

    /// Division towards minus infinity: Python's `//`.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![-7, 7].floor_div(2).to_vec(), [-4, 3]);
    /// assert_eq!(gpu![7, 8].floor_div(&gpu![2.5, 2.5]).to_vec(), [2.0, 3.0]);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if shapes do not broadcast, or a
    /// number does not fit the array's type.
    #[track_caller]
    pub fn floor_div<V: Operand<T>>(&self, divisor: V) -> GpuArray<<V::Out as Elem>::Whole> {
        let dtype = <V::Out as Elem>::Whole::DTYPE;
        GpuArray::wrap(Raw::promoted(BinaryOp::FloorDivide, &self.raw, divisor.operand(), dtype))
    }
}
