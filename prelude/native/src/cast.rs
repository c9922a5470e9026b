//! Conversions between element types.

use bytemuck::Pod;
use gpurepl_kernels::DType;
use half::f16;
use num_complex::{Complex, Complex32, Complex64};

use super::half_precision::half_from_f64;
use super::number::Bool;

/// `out[k] = a[k]` in another type.
pub type Cast = fn(&mut [u8], &[u8]);

/// A type that elements are converted from: through one of three wide forms.
trait Source: Pod {
    fn wide(self) -> Wide;
}

#[derive(Clone, Copy)]
enum Wide {
    Signed(i64),
    Unsigned(u64),
    Float(f64),
}

/// A type that elements are converted to. Floats become integers as Rust's
/// `as` does it: towards zero, held at the ends of the range, NaN to zero.
/// Integers of other sizes keep their lowest bits.
trait Target: Pod {
    fn from_wide(value: Wide) -> Self;
}

macro_rules! integers {
    ($wide:ident $as:ident: $($t:ident)*) => {$(
        impl Source for $t {
            #[inline(always)]
            fn wide(self) -> Wide {
                Wide::$wide(self as $as)
            }
        }

        impl Target for $t {
            #[inline(always)]
            fn from_wide(value: Wide) -> $t {
                match value {
                    Wide::Signed(x) => x as $t,
                    Wide::Unsigned(x) => x as $t,
                    Wide::Float(x) => x as $t,
                }
            }
        }
    )*};
}
integers!(Signed i64: i8 i16 i32 i64);
integers!(Unsigned u64: u8 u16 u32 u64);

macro_rules! floats {
    ($($t:ident: $to:expr, $signed:expr, $unsigned:expr, $float:expr;)*) => {$(
        impl Source for $t {
            #[inline(always)]
            fn wide(self) -> Wide {
                Wide::Float($to(self))
            }
        }

        impl Target for $t {
            #[inline(always)]
            fn from_wide(value: Wide) -> $t {
                match value {
                    Wide::Signed(x) => $signed(x),
                    Wide::Unsigned(x) => $unsigned(x),
                    Wide::Float(x) => $float(x),
                }
            }
        }
    )*};
}
floats! {
    // From 64-bit integers by way of f64, as generated CUDA C does it.
    f16: f16::to_f64, (|x| half_from_f64(x as f64)), (|x| half_from_f64(x as f64)), half_from_f64;
    f32: f64::from, (|x| x as f32), (|x| x as f32), (|x| x as f32);
    f64: (|x| x), (|x| x as f64), (|x| x as f64), (|x| x);
}

impl Source for Bool {
    #[inline(always)]
    fn wide(self) -> Wide {
        Wide::Unsigned(self.0.into())
    }
}

impl Target for Bool {
    #[inline(always)]
    fn from_wide(value: Wide) -> Bool {
        Bool::new(match value {
            Wide::Signed(x) => x != 0,
            Wide::Unsigned(x) => x != 0,
            Wide::Float(x) => x != 0.0,
        })
    }
}

macro_rules! complexes {
    ($($t:ident)*) => {$(
        impl Target for Complex<$t> {
            #[inline(always)]
            fn from_wide(value: Wide) -> Complex<$t> {
                Complex::new($t::from_wide(value), 0.0)
            }
        }
    )*};
}
complexes!(f32 f64);

fn convert<S: Pod, T: Pod>(out: &mut [u8], a: &[u8], f: impl Fn(S) -> T) {
    let (out, a) = (bytemuck::cast_slice_mut::<u8, T>(out), bytemuck::cast_slice::<u8, S>(a));
    for (out, a) in out.iter_mut().zip(a) {
        *out = f(*a);
    }
}

/// The loop that converts from one type to another.
pub fn cast(from: DType, to: DType) -> Cast {
    match from {
        DType::Bool => from_real::<Bool>(to),
        DType::Int8 => from_real::<i8>(to),
        DType::Int16 => from_real::<i16>(to),
        DType::Int32 => from_real::<i32>(to),
        DType::Int64 => from_real::<i64>(to),
        DType::UInt8 => from_real::<u8>(to),
        DType::UInt16 => from_real::<u16>(to),
        DType::UInt32 => from_real::<u32>(to),
        DType::UInt64 => from_real::<u64>(to),
        DType::Float16 => from_real::<f16>(to),
        DType::Float32 => from_real::<f32>(to),
        DType::Float64 => from_real::<f64>(to),
        DType::Complex64 => match to {
            DType::Bool => {
                |out, a| convert::<Complex32, Bool>(out, a, |z| Bool::new(z.re != 0.0 || z.im != 0.0))
            }
            DType::Complex64 => |out, a| out.copy_from_slice(a),
            DType::Complex128 => {
                |out, a| convert::<Complex32, Complex64>(out, a, |z| Complex::new(z.re.into(), z.im.into()))
            }
            _ => from_complex32(to),
        },
        DType::Complex128 => match to {
            DType::Bool => {
                |out, a| convert::<Complex64, Bool>(out, a, |z| Bool::new(z.re != 0.0 || z.im != 0.0))
            }
            DType::Complex128 => |out, a| out.copy_from_slice(a),
            DType::Complex64 => {
                |out, a| convert::<Complex64, Complex32>(out, a, |z| Complex::new(z.re as f32, z.im as f32))
            }
            _ => from_complex64(to),
        },
    }
}

macro_rules! by_target {
    ($to:expr, $t:ident => $loop:expr) => {
        match $to {
            DType::Bool => {
                type $t = Bool;
                $loop
            }
            DType::Int8 => {
                type $t = i8;
                $loop
            }
            DType::Int16 => {
                type $t = i16;
                $loop
            }
            DType::Int32 => {
                type $t = i32;
                $loop
            }
            DType::Int64 => {
                type $t = i64;
                $loop
            }
            DType::UInt8 => {
                type $t = u8;
                $loop
            }
            DType::UInt16 => {
                type $t = u16;
                $loop
            }
            DType::UInt32 => {
                type $t = u32;
                $loop
            }
            DType::UInt64 => {
                type $t = u64;
                $loop
            }
            DType::Float16 => {
                type $t = f16;
                $loop
            }
            DType::Float32 => {
                type $t = f32;
                $loop
            }
            DType::Float64 => {
                type $t = f64;
                $loop
            }
            DType::Complex64 => {
                type $t = Complex32;
                $loop
            }
            DType::Complex128 => {
                type $t = Complex64;
                $loop
            }
        }
    };
}

fn from_real<S: Source>(to: DType) -> Cast {
    by_target!(to, T => |out, a| convert::<S, T>(out, a, |x| T::from_wide(x.wide())))
}

/// Only the real part is kept, as in NumPy, which warns about it.
fn from_complex32(to: DType) -> Cast {
    by_target!(to, T => |out, a| convert::<Complex32, T>(out, a, |z| T::from_wide(z.re.wide())))
}

fn from_complex64(to: DType) -> Cast {
    by_target!(to, T => |out, a| convert::<Complex64, T>(out, a, |z| T::from_wide(z.re.wide())))
}

/// The loop that numbers elements: `out[k] = start + k`.
pub fn index(dtype: DType) -> fn(&mut [u8], usize) {
    by_target!(dtype, T => |out, start| {
        for (k, out) in bytemuck::cast_slice_mut::<u8, T>(out).iter_mut().enumerate() {
            *out = T::from_wide(Wide::Unsigned((start + k) as u64));
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one<S: Pod, T: Pod>(from: DType, to: DType, value: S) -> T {
        let mut out = [T::zeroed()];
        cast(from, to)(bytemuck::cast_slice_mut(&mut out), bytemuck::bytes_of(&value));
        out[0]
    }

    #[test]
    fn floats_become_integers_as_rust_does_it() {
        assert_eq!(one::<f32, i8>(DType::Float32, DType::Int8, 300.7), 127);
        assert_eq!(one::<f32, u8>(DType::Float32, DType::UInt8, -3.0), 0);
        assert_eq!(one::<f64, i32>(DType::Float64, DType::Int32, f64::NAN), 0);
        assert_eq!(one::<f64, i32>(DType::Float64, DType::Int32, -1.9), -1);
        assert_eq!(one::<i32, u8>(DType::Int32, DType::UInt8, 257), 1);
        assert_eq!(one::<Complex32, u8>(DType::Complex64, DType::Bool, Complex::new(0.0, 1.0)), 1);
    }
}
