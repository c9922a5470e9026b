//! The types of elements that matrices have, and those that they are computed in.

use gpurepl_extend::{DType, Elem, GpuArray};
use half::f16;
use num_complex::Complex;

use crate::typed::Typed;

/// A type of elements of matrices, as `numpy.linalg` takes it.
pub trait Number: Elem {
    /// The type that is computed in: `f64` of integers and `bool`, `f32` of `f16`, else the type itself.
    type Field: Field;
}

/// A type that matrices are computed in: `f32`, `f64`, `Complex<f32>` or `Complex<f64>`.
pub trait Field: Number<Field = Self> + Typed {
    /// The type of singular values, norms and eigenvalues of Hermitian matrices.
    type Magnitude: Elem;
    /// The type of eigenvalues.
    type Complex: Elem;
}

macro_rules! numbers {
    ($($field:ty: $($t:ty)*;)*) => {$($(
        impl Number for $t {
            type Field = $field;
        }
    )*)*};
}
numbers! {
    f32: f16 f32;
    f64: bool i8 i16 i32 i64 u8 u16 u32 u64 f64;
    Complex<f32>: Complex<f32>;
    Complex<f64>: Complex<f64>;
}

macro_rules! fields {
    ($($real:ty)*) => {$(
        impl Field for $real {
            type Magnitude = $real;
            type Complex = Complex<$real>;
        }
        impl Field for Complex<$real> {
            type Magnitude = $real;
            type Complex = Complex<$real>;
        }
    )*};
}
fields!(f32 f64);

/// Arrays in the type that a number is computed in.
pub(crate) type Matrices<T> = GpuArray<<T as Number>::Field>;
/// Arrays of its absolute values.
pub(crate) type Reals<T> = GpuArray<<<T as Number>::Field as Elem>::Real>;
/// Arrays of its eigenvalues.
pub(crate) type Eigenvalues<T> = GpuArray<<<T as Number>::Field as Field>::Complex>;

/// The type of absolute values of elements.
pub(crate) fn magnitude(dtype: DType) -> DType {
    match dtype {
        DType::Float32 | DType::Complex64 => DType::Float32,
        _ => DType::Float64,
    }
}

/// The type of eigenvalues.
pub(crate) fn complex(dtype: DType) -> DType {
    match dtype {
        DType::Float32 | DType::Complex64 => DType::Complex64,
        _ => DType::Complex128,
    }
}

/// The distance of 1 and the next number: the unit of rounding errors.
pub(crate) fn epsilon(dtype: DType) -> f64 {
    if magnitude(dtype) == DType::Float32 { f64::from(f32::EPSILON) } else { f64::EPSILON }
}
