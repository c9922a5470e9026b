//! The types of elements of sparse matrices.

use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};

use bytemuck::Pod;
use gpurepl_extend::{DType, Elem, GpuArray};
use num_complex::Complex;

/// A type of elements of sparse matrices: `f32`, `f64`, `Complex<f32>` or `Complex<f64>`.
pub trait Field: Elem + Arithmetic {}

/// Arithmetic of the host's halves.
#[doc(hidden)]
pub trait Arithmetic:
    Pod
    + Send
    + Sync
    + PartialEq
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
{
    /// Zero.
    const ZERO: Self;
    /// One.
    const ONE: Self;
    /// The complex conjugate.
    fn conjugate(self) -> Self;
    /// The real part.
    fn real(self) -> f64;
    /// The imaginary part.
    fn imaginary(self) -> f64;
    /// A number of these parts, of which a real type has the first.
    fn of_parts(real: f64, imaginary: f64) -> Self;
    /// Itself times a real number.
    fn scaled(self, by: f64) -> Self;
    /// The elements with themselves as expressions.
    #[doc(hidden)]
    fn negated(values: &GpuArray<Self>) -> GpuArray<Self>
    where
        Self: Elem;
}

macro_rules! fields {
    ($($real:ty)*) => {$(
        impl Field for $real {}
        impl Field for Complex<$real> {}

        impl Arithmetic for $real {
            const ZERO: Self = 0.0;
            const ONE: Self = 1.0;
            fn conjugate(self) -> Self {
                self
            }
            fn real(self) -> f64 {
                f64::from(self)
            }
            fn imaginary(self) -> f64 {
                0.0
            }
            fn of_parts(real: f64, _: f64) -> Self {
                real as $real
            }
            fn scaled(self, by: f64) -> Self {
                self * by as $real
            }
            fn negated(values: &GpuArray<Self>) -> GpuArray<Self> {
                -values
            }
        }

        impl Arithmetic for Complex<$real> {
            const ZERO: Self = Complex::new(0.0, 0.0);
            const ONE: Self = Complex::new(1.0, 0.0);
            fn conjugate(self) -> Self {
                self.conj()
            }
            fn real(self) -> f64 {
                f64::from(self.re)
            }
            fn imaginary(self) -> f64 {
                f64::from(self.im)
            }
            fn of_parts(real: f64, imaginary: f64) -> Self {
                Complex::new(real as $real, imaginary as $real)
            }
            fn scaled(self, by: f64) -> Self {
                self * by as $real
            }
            fn negated(values: &GpuArray<Self>) -> GpuArray<Self> {
                -values
            }
        }
    )*};
}
fields!(f32 f64);

/// Runs a line with `$t` as one of the four types, chosen by a [`DType`].
macro_rules! by_type {
    ($dtype:expr, $t:ident => $body:expr) => {
        match $dtype {
            gpurepl_extend::DType::Float32 => {
                type $t = f32;
                $body
            }
            gpurepl_extend::DType::Complex64 => {
                type $t = num_complex::Complex<f32>;
                $body
            }
            gpurepl_extend::DType::Complex128 => {
                type $t = num_complex::Complex<f64>;
                $body
            }
            _ => {
                type $t = f64;
                $body
            }
        }
    };
}
pub(crate) use by_type;

/// The distance of 1 and the next number: the unit of rounding errors.
pub(crate) fn epsilon(dtype: DType) -> f64 {
    match dtype {
        DType::Float32 | DType::Complex64 => f64::from(f32::EPSILON),
        _ => f64::EPSILON,
    }
}
