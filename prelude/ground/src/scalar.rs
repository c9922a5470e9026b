//! Numbers of any element type, as values.

use gpurepl_kernels::DType;
use gpurepl_native::half_from_f64;
use half::f16;

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
    #[doc(hidden)]
    pub fn to_bytes(self, dtype: DType) -> Option<ScalarBytes> {
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

    #[doc(hidden)]
    pub fn real(self) -> Option<f64> {
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
#[doc(hidden)]
pub struct ScalarBytes {
    bytes: [u8; 16],
    pub dtype: DType,
}

const _: () = assert!(std::mem::offset_of!(ScalarBytes, bytes) == 0);

impl ScalarBytes {
    pub fn address(address: u64) -> ScalarBytes {
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&address.to_ne_bytes());
        ScalarBytes { bytes, dtype: DType::UInt64 }
    }

    pub fn bytes(&self) -> &[u8] {
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

#[cfg(test)]
mod tests {
    use super::*;

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
}
