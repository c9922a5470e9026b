//! The types of elements that are transformed, and those of the results.

use gpurepl_extend::Elem;
use half::f16;
use num_complex::Complex;

/// A type of elements that are transformed, as `numpy.fft` takes it.
pub trait Signal: Elem {
    /// Real numbers of the results' precision.
    type Samples: Elem;
    /// Complex numbers of the results' precision.
    type Spectrum: Elem;
}

/// A [`Signal`] of real numbers.
pub trait RealSignal: Signal {}

macro_rules! signals {
    ($($real:ident: $($t:ty)*;)*) => {$($(
        impl Signal for $t {
            type Samples = $real;
            type Spectrum = Complex<$real>;
        }
        impl RealSignal for $t {}
    )*)*};
}
signals! {
    f32: f16 f32;
    f64: bool i8 i16 i32 i64 u8 u16 u32 u64 f64;
}

impl Signal for Complex<f32> {
    type Samples = f32;
    type Spectrum = Complex<f32>;
}

impl Signal for Complex<f64> {
    type Samples = f64;
    type Spectrum = Complex<f64>;
}
