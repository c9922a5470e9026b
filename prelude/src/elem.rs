//! The element types in Rust, and what arithmetic makes of them.

use std::borrow::Cow;

use crate::kernel::KernelData;
use gpurepl_kernels::DType;
use half::f16;
use num_complex::{Complex32, Complex64};

/// A number as it travels from a cell to a kernel: its value, in the widest
/// form of its kind.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scalar {
    /// `true` or `false`.
    Bool(bool),
    /// An integer of any type that fits.
    Int(i64),
    /// An integer beyond [`i64::MAX`].
    UInt(u64),
    /// A floating-point number; `f16` and `f32` lose nothing here.
    Float(f64),
    /// Real and imaginary part.
    Complex(f64, f64),
}

impl Scalar {
    /// The bytes of this number as an element of `dtype`, if `dtype` can hold
    /// it: integers must be in range, and nothing loses its imaginary part or
    /// its fraction. Floats are rounded to the precision of `dtype`.
    pub(crate) fn to_bytes(self, dtype: DType) -> Option<ScalarBytes> {
        let mut bytes = ScalarBytes { bytes: [0; 16], dtype };
        let mut put = |value: &[u8]| bytes.bytes[..value.len()].copy_from_slice(value);
        match dtype {
            DType::Bool => match self {
                Scalar::Bool(value) => put(&[value.into()]),
                _ => return None,
            },
            DType::Int8 => put(&i8::try_from(self.integer()?).ok()?.to_ne_bytes()),
            DType::Int16 => put(&i16::try_from(self.integer()?).ok()?.to_ne_bytes()),
            DType::Int32 => put(&i32::try_from(self.integer()?).ok()?.to_ne_bytes()),
            DType::Int64 => put(&i64::try_from(self.integer()?).ok()?.to_ne_bytes()),
            DType::UInt8 => put(&u8::try_from(self.integer()?).ok()?.to_ne_bytes()),
            DType::UInt16 => put(&u16::try_from(self.integer()?).ok()?.to_ne_bytes()),
            DType::UInt32 => put(&u32::try_from(self.integer()?).ok()?.to_ne_bytes()),
            DType::UInt64 => put(&u64::try_from(self.integer()?).ok()?.to_ne_bytes()),
            DType::Float16 => put(&half_from_f64(self.real()?).to_ne_bytes()),
            DType::Float32 => put(&(self.real()? as f32).to_ne_bytes()),
            DType::Float64 => put(&self.real()?.to_ne_bytes()),
            DType::Complex64 | DType::Complex128 => {
                let (re, im) = match self {
                    Scalar::Complex(re, im) => (re, im),
                    other => (other.real()?, 0.0),
                };
                if dtype == DType::Complex64 {
                    put(bytemuck::bytes_of(&[re as f32, im as f32]));
                } else {
                    put(bytemuck::bytes_of(&[re, im]));
                }
            }
        }
        Some(bytes)
    }

    fn integer(self) -> Option<i128> {
        match self {
            Scalar::Bool(value) => Some(value.into()),
            Scalar::Int(value) => Some(value.into()),
            Scalar::UInt(value) => Some(value.into()),
            Scalar::Float(_) | Scalar::Complex(..) => None,
        }
    }

    pub(crate) fn real(self) -> Option<f64> {
        match self {
            Scalar::Float(value) => Some(value),
            Scalar::Complex(..) => None,
            Scalar::UInt(value) => Some(value as f64),
            other => other.integer().map(|value| value as f64),
        }
    }
}

impl std::fmt::Display for Scalar {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Scalar::Bool(value) => write!(f, "{value}"),
            Scalar::Int(value) => write!(f, "{value}"),
            Scalar::UInt(value) => write!(f, "{value}"),
            Scalar::Float(value) => write!(f, "{value:?}"),
            Scalar::Complex(re, im) => write!(f, "{re:?}{im:+?}j"),
        }
    }
}

/// A number as the bytes of one element, or an address as those of a `u64`.
/// Aligned for any element, because kernels read arguments in place: so the
/// bytes come first, which `repr(C)` sees to.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(16))]
pub(crate) struct ScalarBytes {
    bytes: [u8; 16],
    pub(crate) dtype: DType,
}

const _: () = assert!(std::mem::offset_of!(ScalarBytes, bytes) == 0);

impl ScalarBytes {
    pub(crate) fn address(address: u64) -> ScalarBytes {
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&address.to_ne_bytes());
        ScalarBytes { bytes, dtype: DType::UInt64 }
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes[..self.dtype.size()]
    }
}

impl std::fmt::Display for ScalarBytes {
    /// The number; what may be an address is written as one.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        fn read<T: bytemuck::AnyBitPattern>(bytes: &[u8]) -> T {
            bytemuck::pod_read_unaligned(bytes)
        }
        let bytes = self.bytes();
        match self.dtype {
            DType::Bool => write!(f, "{}", bytes[0] != 0),
            DType::Int8 => write!(f, "{}", read::<i8>(bytes)),
            DType::Int16 => write!(f, "{}", read::<i16>(bytes)),
            DType::Int32 => write!(f, "{}", read::<i32>(bytes)),
            DType::Int64 => write!(f, "{}", read::<i64>(bytes)),
            DType::UInt8 => write!(f, "{}", bytes[0]),
            DType::UInt16 => write!(f, "{}", read::<u16>(bytes)),
            DType::UInt32 => write!(f, "{}", read::<u32>(bytes)),
            DType::UInt64 => match read::<u64>(bytes) {
                value if value > u64::from(u32::MAX) => write!(f, "{value:#x}"),
                value => write!(f, "{value}"),
            },
            DType::Float16 => write!(f, "{}", f16::from_bits(read(bytes))),
            DType::Float32 => write!(f, "{}", read::<f32>(bytes)),
            DType::Float64 => write!(f, "{}", read::<f64>(bytes)),
            DType::Complex64 => {
                let [re, im] = read::<[f32; 2]>(bytes);
                write!(f, "{re}{im:+}i")
            }
            DType::Complex128 => {
                let [re, im] = read::<[f64; 2]>(bytes);
                write!(f, "{re}{im:+}i")
            }
        }
    }
}

/// Half precision, rounded once. `half` goes by way of single precision on
/// some CPUs, and drops low bits on others; a number rounded to odd keeps what
/// the second rounding needs (S. Boldo and G. Melquiond, "When double rounding
/// is odd", 2005).
pub(crate) fn half_from_f64(value: f64) -> f16 {
    let mut single = value as f32;
    let back = f64::from(single);
    if back != value && !value.is_nan() {
        let towards_zero = if back.abs() > value.abs() { single.to_bits() - 1 } else { single.to_bits() };
        single = f32::from_bits(towards_zero | 1);
    }
    f16::from_f32(single)
}

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

    #[doc(hidden)]
    fn to_scalar(self) -> Scalar;
    #[doc(hidden)]
    fn as_bytes(slice: &[Self]) -> &[u8];
    #[doc(hidden)]
    fn from_bytes(bytes: &[u8]) -> Vec<Self>;
    /// Has bytes filled in, and takes them over as elements.
    #[doc(hidden)]
    fn receive(to: &mut [Self], fill: &dyn Fn(&mut [u8]) -> crate::Result<()>) -> crate::Result<()>;
    /// All elements of an array, copied once.
    #[doc(hidden)]
    fn download(raw: &crate::array::Raw) -> crate::Result<Vec<Self>>;
    #[doc(hidden)]
    fn to_ndarray(raw: &crate::array::Raw) -> crate::Result<ndarray::ArrayD<Self>>;
    /// An array of the type, to be kept as a cell's value.
    #[doc(hidden)]
    fn boxed(raw: &crate::array::Raw) -> Box<dyn std::any::Any + Send>;
    /// An array of `ndarray` in all forms that are shown.
    #[doc(hidden)]
    fn host_bundle(array: ndarray::ArrayViewD<'_, Self>) -> gpurepl_wire::MimeBundle;
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
        Ok(Elem::from_bytes(&crate::array::download($raw)?))
    };
    ($t:ident, $raw:ident) => {{
        let mut elements = bytemuck::zeroed_vec::<$t>($raw.shape().size());
        crate::array::download_into($raw, bytemuck::cast_slice_mut(&mut elements))?;
        Ok(elements)
    }};
}

macro_rules! elem {
    ($($t:ident $dtype:ident: $quotient:ty, $floating:ty, $sum:ty, $real:ty, $float:ty, $int:ty, $scalar:expr;)*) => {$(
        impl sealed::Sealed for $t {}

        impl KernelData for $t {
            const ELEMENT: Option<DType> = Some(DType::$dtype);
            const BYTES: usize = DType::$dtype.size();
            const ALIGNMENT: usize = DType::$dtype.alignment();

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
                fill: &dyn Fn(&mut [u8]) -> crate::Result<()>,
            ) -> crate::Result<()> {
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
                fill: &dyn Fn(&mut [u8]) -> crate::Result<()>,
            ) -> crate::Result<()> {
                receives!($t, to, fill)
            }

            fn download(raw: &crate::array::Raw) -> crate::Result<Vec<$t>> {
                downloads!($t, raw)
            }

            fn to_ndarray(raw: &crate::array::Raw) -> crate::Result<ndarray::ArrayD<$t>> {
                crate::array::to_ndarray::<$t>(raw)
            }

            fn boxed(raw: &crate::array::Raw) -> Box<dyn std::any::Any + Send> {
                Box::new(crate::array::GpuArray::<$t>::from_untyped(raw.clone()))
            }

            fn host_bundle(array: ndarray::ArrayViewD<'_, $t>) -> gpurepl_wire::MimeBundle {
                crate::display::host_bundle(array)
            }
        }
    )*};
}

elem! {
    bool Bool:            f64, f16, i64, bool, f64, i32, Scalar::Bool;
    i8 Int8:              f64, f16, i64, i8, f64, i8, |x| Scalar::Int(x.into());
    i16 Int16:            f64, f32, i64, i16, f64, i16, |x| Scalar::Int(x.into());
    i32 Int32:            f64, f64, i64, i32, f64, i32, |x| Scalar::Int(x.into());
    i64 Int64:            f64, f64, i64, i64, f64, i64, Scalar::Int;
    u8 UInt8:             f64, f16, u64, u8, f64, u8, |x| Scalar::Int(x.into());
    u16 UInt16:           f64, f32, u64, u16, f64, u16, |x| Scalar::Int(x.into());
    u32 UInt32:           f64, f64, u64, u32, f64, u32, |x| Scalar::Int(x.into());
    u64 UInt64:           f64, f64, u64, u64, f64, u64, |x| i64::try_from(x).map_or(Scalar::UInt(x), Scalar::Int);
    f16 Float16:          f16, f16, f16, f16, f16, f16, |x| Scalar::Float(x.to_f64());
    f32 Float32:          f32, f32, f32, f32, f32, f32, |x| Scalar::Float(x.into());
    f64 Float64:          f64, f64, f64, f64, f64, f64, Scalar::Float;
    Complex32 Complex64:  Complex32, Complex32, Complex32, f32, Complex32, Complex32, |x| Scalar::Complex(x.re.into(), x.im.into());
    Complex64 Complex128: Complex64, Complex64, Complex64, f64, Complex64, Complex64, |x| Scalar::Complex(x.re, x.im);
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

/// A number of any type, beside an array.
#[diagnostic::on_unimplemented(message = "`{Self}` is not a number")]
pub trait AnyScalar {
    #[doc(hidden)]
    fn any_scalar(self) -> Scalar;
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
    fn scalars_fit_or_are_refused() {
        assert_eq!(Scalar::Int(300).to_bytes(DType::Int8), None);
        assert_eq!(Scalar::Int(-1).to_bytes(DType::UInt64), None);
        assert_eq!(Scalar::Float(1.0).to_bytes(DType::Int32), None);
        assert_eq!(Scalar::Complex(1.0, 0.0).to_bytes(DType::Float64), None);
        assert_eq!(Scalar::UInt(u64::MAX).to_bytes(DType::UInt64).unwrap().bytes(), [0xff; 8]);
        assert_eq!(Scalar::Float(0.1).to_bytes(DType::Float32).unwrap().bytes(), 0.1f32.to_ne_bytes());
        assert_eq!(
            Scalar::Int(3).to_bytes(DType::Complex64).unwrap().bytes(),
            bytemuck::bytes_of(&[3f32, 0.0])
        );
    }

    #[test]
    fn any_byte_is_a_bool() {
        assert_eq!(bool::from_bytes(&[0, 1, 2, 255]), [false, true, true, true]);
    }
}
