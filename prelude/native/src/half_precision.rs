//! Half precision from double precision.

use half::f16;

/// Half precision, rounded once. `half` goes by way of single precision on
/// some CPUs, and drops low bits on others; a number rounded to odd keeps what
/// the second rounding needs (S. Boldo and G. Melquiond, "When double rounding
/// is odd", 2005).
pub fn half_from_f64(value: f64) -> f16 {
    let mut single = value as f32;
    let back = f64::from(single);
    if back != value && !value.is_nan() {
        let towards_zero = if back.abs() > value.abs() { single.to_bits() - 1 } else { single.to_bits() };
        single = f32::from_bits(towards_zero | 1);
    }
    f16::from_f32(single)
}
