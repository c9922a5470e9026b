//! The element types in Rust, and what arithmetic makes of them.

use std::borrow::Cow;

use gpurepl_kernels::DType;
use half::f16;
use num_complex::{Complex32, Complex64};

use super::any_view::AnyView;
use super::kernel_data::KernelData;
use super::{GpuArray, Raw, rules, transfer};
use crate::error::{OrRaise as _, Result};
use crate::scalar::Scalar;

mod sealed {
    pub trait Sealed {}
}

/// A type that array elements can have.
///
/// The associated types are the types of results: `a.sum()` of an array of
/// `i32` is of `i64`, `a.sqrt()` of it of `f64`, as in NumPy.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an array's element",
    note = "arrays hold bool, i8 to i64, u8 to u64, f16, f32, f64, Complex32 and Complex64"
)]
pub trait Elem:
    KernelData + sealed::Sealed + Copy + Send + Sync + std::fmt::Debug + PartialEq + 'static
{
    /// The type as a value.
    const DTYPE: DType;
    /// The type of a true division and of a mean.
    type Quotient: Elem;
    /// The type of `sqrt`, `sin` and so on.
    type Floating: Elem;
    /// The type of sums, products and dot products.
    type Sum: Elem;
    /// The type of an absolute value, of real and imaginary parts.
    type Real: Elem;
    /// The type of arithmetic with a floating-point literal on the left.
    type WithFloat: Elem;
    /// The type of arithmetic with an integer literal on the left.
    type WithInt: Elem;
    /// The type of a remainder, a quotient without a fraction and a power.
    type Whole: Elem;

    #[doc(hidden)]
    fn to_scalar(self) -> Scalar;
    #[doc(hidden)]
    fn as_bytes(slice: &[Self]) -> &[u8];
    #[doc(hidden)]
    fn from_bytes(bytes: &[u8]) -> Vec<Self>;
    /// Has bytes filled in, and takes them over as elements.
    #[doc(hidden)]
    fn receive(to: &mut [Self], fill: &dyn Fn(&mut [u8]) -> Result<()>) -> Result<()>;
    /// All elements of an array, copied once.
    #[doc(hidden)]
    fn download(raw: &Raw) -> Result<Vec<Self>>;
    #[doc(hidden)]
    fn to_ndarray(raw: &Raw) -> Result<ndarray::ArrayD<Self>>;
    /// An array of the type, to be kept as a cell's value.
    #[doc(hidden)]
    fn boxed(raw: &Raw) -> Box<dyn std::any::Any + Send>;
    /// An array of `ndarray` as one of all types that there are.
    #[doc(hidden)]
    fn any_view(array: ndarray::ArrayViewD<'_, Self>) -> AnyView<'_>;
}

/// Elements from their bytes. A kernel may have left any bits in a `bool`,
/// of which Rust allows two patterns.
macro_rules! elements {
    (bool, $bytes:ident) => {
        $bytes.iter().map(|byte| *byte != 0).collect()
    };
    ($t:ident, $bytes:ident) => {
        bytemuck::pod_collect_to_vec($bytes)
    };
}

macro_rules! receives {
    (bool, $to:ident, $fill:ident) => {{
        let mut bytes = vec![0; $to.len()];
        $fill(&mut bytes)?;
        $to.copy_from_slice(&Elem::from_bytes(&bytes));
        Ok(())
    }};
    ($t:ident, $to:ident, $fill:ident) => {
        $fill(bytemuck::cast_slice_mut($to))
    };
}

macro_rules! downloads {
    (bool, $raw:ident) => {
        Ok(Elem::from_bytes(&transfer::download($raw)?))
    };
    ($t:ident, $raw:ident) => {{
        let mut elements = bytemuck::zeroed_vec::<$t>($raw.shape().size());
        transfer::download_into($raw, bytemuck::cast_slice_mut(&mut elements))?;
        Ok(elements)
    }};
}

macro_rules! elem {
    ($($t:ident $dtype:ident: $quotient:ty, $floating:ty, $sum:ty, $real:ty, $float:ty, $int:ty, $whole:ty, $scalar:expr;)*) => {$(
        impl sealed::Sealed for $t {}

        impl KernelData for $t {
            const ELEMENT: Option<DType> = Some(DType::$dtype);
            const BYTES: usize = DType::$dtype.size();
            const ALIGNMENT: usize = DType::$dtype.alignment();

            fn c_declaration(name: &str) -> String {
                format!("{} {name}", DType::$dtype.c())
            }

            fn to_kernel_bytes(&self, to: &mut [u8]) {
                to.copy_from_slice(<$t as Elem>::as_bytes(std::slice::from_ref(self)));
            }

            fn from_kernel_bytes(from: &[u8]) -> $t {
                <$t as Elem>::from_bytes(from)[0]
            }

            fn all_to_kernel_bytes(values: &[$t]) -> Cow<'_, [u8]> {
                Cow::Borrowed(<$t as Elem>::as_bytes(values))
            }

            fn receive_kernel_bytes(
                values: &mut [$t],
                fill: &dyn Fn(&mut [u8]) -> Result<()>,
            ) -> Result<()> {
                <$t as Elem>::receive(values, fill)
            }
        }

        impl Elem for $t {
            const DTYPE: DType = DType::$dtype;
            type Quotient = $quotient;
            type Floating = $floating;
            type Sum = $sum;
            type Real = $real;
            type WithFloat = $float;
            type WithInt = $int;
            type Whole = $whole;

            fn to_scalar(self) -> Scalar {
                let convert: fn($t) -> Scalar = $scalar;
                convert(self)
            }

            fn as_bytes(slice: &[$t]) -> &[u8] {
                bytemuck::cast_slice(slice)
            }

            fn from_bytes(bytes: &[u8]) -> Vec<$t> {
                elements!($t, bytes)
            }

            fn receive(
                to: &mut [$t],
                fill: &dyn Fn(&mut [u8]) -> Result<()>,
            ) -> Result<()> {
                receives!($t, to, fill)
            }

            fn download(raw: &Raw) -> Result<Vec<$t>> {
                downloads!($t, raw)
            }

            fn to_ndarray(raw: &Raw) -> Result<ndarray::ArrayD<$t>> {
                transfer::to_ndarray::<$t>(raw)
            }

            fn boxed(raw: &Raw) -> Box<dyn std::any::Any + Send> {
                Box::new(GpuArray::<$t>::from_untyped(raw.clone()))
            }

            fn any_view(array: ndarray::ArrayViewD<'_, $t>) -> AnyView<'_> {
                AnyView::$dtype(array)
            }
        }
    )*};
}

elem! {
    bool Bool:            f64, f16, i64, bool, f64, i32, i8, Scalar::Bool;
    i8 Int8:              f64, f16, i64, i8, f64, i8, i8, |x| Scalar::Int(x.into());
    i16 Int16:            f64, f32, i64, i16, f64, i16, i16, |x| Scalar::Int(x.into());
    i32 Int32:            f64, f64, i64, i32, f64, i32, i32, |x| Scalar::Int(x.into());
    i64 Int64:            f64, f64, i64, i64, f64, i64, i64, Scalar::Int;
    u8 UInt8:             f64, f16, u64, u8, f64, u8, u8, |x| Scalar::Int(x.into());
    u16 UInt16:           f64, f32, u64, u16, f64, u16, u16, |x| Scalar::Int(x.into());
    u32 UInt32:           f64, f64, u64, u32, f64, u32, u32, |x| Scalar::Int(x.into());
    u64 UInt64:           f64, f64, u64, u64, f64, u64, u64, |x| i64::try_from(x).map_or(Scalar::UInt(x), Scalar::Int);
    f16 Float16:          f16, f16, f16, f16, f16, f16, f16, |x| Scalar::Float(x.to_f64());
    f32 Float32:          f32, f32, f32, f32, f32, f32, f32, |x| Scalar::Float(x.into());
    f64 Float64:          f64, f64, f64, f64, f64, f64, f64, Scalar::Float;
    Complex32 Complex64:  Complex32, Complex32, Complex32, f32, Complex32, Complex32, Complex32, |x| Scalar::Complex(x.re.into(), x.im.into());
    Complex64 Complex128: Complex64, Complex64, Complex64, f64, Complex64, Complex64, Complex64, |x| Scalar::Complex(x.re, x.im);
}
/// The type of arithmetic between two arrays: NumPy's table, for every pair.
#[diagnostic::on_unimplemented(message = "arrays of `{Self}` and `{U}` have no common type")]
pub trait Promote<U: Elem>: Elem {
    /// The type that holds the values of both.
    type Out: Elem;
}

macro_rules! promote {
    ($columns:tt $($t:ident: $($out:ident)*;)*) => {
        $(promote!(@row $t, $columns, [$($out)*]);)*

        #[cfg(test)]
        const PROMOTIONS: &[(DType, &[DType])] =
            &[$((<$t as Elem>::DTYPE, &[$(<$out as Elem>::DTYPE),*])),*];
    };
    (@row $t:ident, [$($u:ident)*], [$($out:ident)*]) => {
        $(impl Promote<$u> for $t {
            type Out = $out;
        })*
    };
}

#[rustfmt::skip]
promote! {
    [bool i8 i16 i32 i64 u8 u16 u32 u64 f16 f32 f64 Complex32 Complex64]
    bool: bool i8 i16 i32 i64 u8 u16 u32 u64 f16 f32 f64 Complex32 Complex64;
    i8: i8 i8 i16 i32 i64 i16 i32 i64 f64 f16 f32 f64 Complex32 Complex64;
    i16: i16 i16 i16 i32 i64 i16 i32 i64 f64 f32 f32 f64 Complex32 Complex64;
    i32: i32 i32 i32 i32 i64 i32 i32 i64 f64 f64 f64 f64 Complex64 Complex64;
    i64: i64 i64 i64 i64 i64 i64 i64 i64 f64 f64 f64 f64 Complex64 Complex64;
    u8: u8 i16 i16 i32 i64 u8 u16 u32 u64 f16 f32 f64 Complex32 Complex64;
    u16: u16 i32 i32 i32 i64 u16 u16 u32 u64 f32 f32 f64 Complex32 Complex64;
    u32: u32 i64 i64 i64 i64 u32 u32 u32 u64 f64 f64 f64 Complex64 Complex64;
    u64: u64 f64 f64 f64 f64 u64 u64 u64 u64 f64 f64 f64 Complex64 Complex64;
    f16: f16 f16 f32 f64 f64 f16 f32 f64 f64 f16 f32 f64 Complex32 Complex64;
    f32: f32 f32 f32 f64 f64 f32 f32 f64 f64 f32 f32 f64 Complex32 Complex64;
    f64: f64 f64 f64 f64 f64 f64 f64 f64 f64 f64 f64 f64 Complex64 Complex64;
    Complex32: Complex32 Complex32 Complex32 Complex64 Complex64 Complex32 Complex32 Complex64 Complex64 Complex32 Complex32 Complex64 Complex32 Complex64;
    Complex64: Complex64 Complex64 Complex64 Complex64 Complex64 Complex64 Complex64 Complex64 Complex64 Complex64 Complex64 Complex64 Complex64 Complex64;
}

/// A real number of any type, beside an array on its right.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be combined with an array of floating-point numbers",
    note = "use a number or a reference to an array"
)]
pub trait RealScalar {
    #[doc(hidden)]
    fn real_scalar(self) -> Scalar;
}

/// A whole number of any type, beside an array on its right.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be combined with an array of integers",
    note = "integer arrays take integers and `f64` as scalars, and references to arrays"
)]
pub trait IntScalar {
    #[doc(hidden)]
    fn int_scalar(self) -> Scalar;
}

/// A number of any type.
#[diagnostic::on_unimplemented(message = "`{Self}` is not a number")]
pub trait AnyScalar {
    #[doc(hidden)]
    fn any_scalar(self) -> Scalar;
}

/// A number beside an array of `T`: what its operators take on the right, and
/// `bool`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be combined with an array of `{T}`",
    note = "integer arrays take integers and `f64` as scalars, and references to arrays"
)]
pub trait NumberFor<T>: AnyScalar {
    /// The type of the answer: that of the array if it has the number's kind.
    type Out: Elem;
}

/// Rows of the numbers that arrays of a type take, and the answer's type.
macro_rules! numbers {
    ($($t:ident: $kind:ident => $same:ident, $($number:ident => $out:ident),*;)*) => {$(
        impl<S: $kind + AnyScalar> NumberFor<$t> for S {
            type Out = $same;
        }

        $(impl NumberFor<$t> for $number {
            type Out = $out;
        })*
    )*};
}

numbers! {
    bool: IntScalar => i32, bool => bool, f64 => f64, Complex64 => Complex64;
    i8: IntScalar => i8, bool => i8, f64 => f64, Complex64 => Complex64;
    i16: IntScalar => i16, bool => i16, f64 => f64, Complex64 => Complex64;
    i32: IntScalar => i32, bool => i32, f64 => f64, Complex64 => Complex64;
    i64: IntScalar => i64, bool => i64, f64 => f64, Complex64 => Complex64;
    u8: IntScalar => u8, bool => u8, f64 => f64, Complex64 => Complex64;
    u16: IntScalar => u16, bool => u16, f64 => f64, Complex64 => Complex64;
    u32: IntScalar => u32, bool => u32, f64 => f64, Complex64 => Complex64;
    u64: IntScalar => u64, bool => u64, f64 => f64, Complex64 => Complex64;
    f16: RealScalar => f16, bool => f16, Complex32 => Complex32, Complex64 => Complex64;
    f32: RealScalar => f32, bool => f32, Complex32 => Complex32, Complex64 => Complex64;
    f64: RealScalar => f64, bool => f64, Complex32 => Complex64, Complex64 => Complex64;
    Complex32: RealScalar => Complex32, bool => Complex32, Complex32 => Complex32, Complex64 => Complex64;
    Complex64: RealScalar => Complex64, bool => Complex64, Complex32 => Complex64, Complex64 => Complex64;
}

macro_rules! scalars {
    ($trait:ident $method:ident: $($t:ty)*) => {$(
        impl $trait for $t {
            fn $method(self) -> Scalar {
                Elem::to_scalar(self)
            }
        }
    )*};
}
scalars!(RealScalar real_scalar: i8 i16 i32 i64 u8 u16 u32 u64 f16 f32 f64);
scalars!(IntScalar int_scalar: i8 i16 i32 i64 u8 u16 u32 u64);
scalars!(AnyScalar any_scalar: bool i8 i16 i32 i64 u8 u16 u32 u64 f16 f32 f64 Complex32 Complex64);

macro_rules! machine_sized {
    ($($trait:ident $method:ident $t:ident as $wide:ident;)*) => {$(
        impl $trait for $t {
            fn $method(self) -> Scalar {
                Elem::to_scalar(self as $wide)
            }
        }
    )*};
}
machine_sized! {
    RealScalar real_scalar usize as u64;
    RealScalar real_scalar isize as i64;
    IntScalar int_scalar usize as u64;
    IntScalar int_scalar isize as i64;
    AnyScalar any_scalar usize as u64;
    AnyScalar any_scalar isize as i64;
}

/// A number as an element, where Rust's `as` does not reach: of `gpu![bool; 1, 0]`
/// and `gpu![Complex64; 1, 2.5]`.
///
/// # Panics
///
/// With an [`Error`](crate::Error), if the type does not hold the number.
#[doc(hidden)]
#[track_caller]
pub fn element<T: Elem>(number: impl AnyScalar) -> T {
    T::from_bytes(&element_bytes(number.any_scalar(), T::DTYPE).or_raise())[0]
}

fn element_bytes(number: Scalar, dtype: DType) -> Result<Vec<u8>> {
    let number = match (dtype, number) {
        (DType::Bool, Scalar::Int(number)) => Scalar::Bool(number != 0),
        (DType::Bool, Scalar::UInt(_)) => Scalar::Bool(true),
        (DType::Bool, Scalar::Float(number)) => Scalar::Bool(number != 0.0),
        (DType::Float16 | DType::Complex64 | DType::Complex128, Scalar::Bool(number)) => {
            Scalar::Int(number.into())
        }
        (_, number) => number,
    };
    Ok(rules::number(number, dtype)?.bytes().to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_promote_as_dtypes_do() {
        let mut pairs = 0;
        for (left, row) in PROMOTIONS {
            for (right, out) in DType::ALL.iter().zip(*row) {
                assert_eq!(left.promote(*right), *out, "{left} and {right}");
                pairs += 1;
            }
        }
        assert_eq!(pairs, 14 * 14);
    }

    #[test]
    fn result_types_are_the_dtypes() {
        fn check<T: Elem>() {
            assert_eq!(T::Quotient::DTYPE, T::DTYPE.quotient(), "{}", T::DTYPE);
            assert_eq!(T::Floating::DTYPE, T::DTYPE.floating(), "{}", T::DTYPE);
            assert_eq!(T::Sum::DTYPE, T::DTYPE.accumulator(), "{}", T::DTYPE);
            assert_eq!(T::Real::DTYPE, T::DTYPE.real(), "{}", T::DTYPE);
        }
        check::<bool>();
        check::<i8>();
        check::<i16>();
        check::<i32>();
        check::<i64>();
        check::<u8>();
        check::<u16>();
        check::<u32>();
        check::<u64>();
        check::<f16>();
        check::<f32>();
        check::<f64>();
        check::<Complex32>();
        check::<Complex64>();
    }

    #[test]
    fn any_byte_is_a_bool() {
        assert_eq!(bool::from_bytes(&[0, 1, 2, 255]), [false, true, true, true]);
    }
}
