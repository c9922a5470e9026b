//! Arithmetic of 32-bit integers that says whether it has wrapped around.

use bytemuck::{cast_slice, cast_slice_mut};
use gpurepl_kernels::Overflow;

use super::arithmetic::with_vectors;

/// `out[k] = f(a[k], b[k])`, and whether one of them is not the exact result.
pub type Reporting = fn(&mut [u8], &[u8], &[u8]) -> bool;

/// The loop of an operation.
pub fn reporting(overflow: Overflow) -> Reporting {
    match overflow {
        // Both operands' signs differ from the sum's; the first's from the
        // second's and the difference's (Hacker's Delight, 2-13).
        Overflow::Add => |out, a, b| {
            zip(out, a, b, |a, b| {
                let sum = a.wrapping_add(b);
                (sum, ((a ^ sum) & (b ^ sum)) >> 31)
            })
        },
        Overflow::Subtract => |out, a, b| {
            zip(out, a, b, |a, b| {
                let difference = a.wrapping_sub(b);
                (difference, ((a ^ b) & (a ^ difference)) >> 31)
            })
        },
        // The upper half of a product that fits repeats the sign of the lower.
        Overflow::Multiply => |out, a, b| {
            zip(out, a, b, |a, b| {
                let product = i64::from(a) * i64::from(b);
                let low = product as i32;
                (low, ((product >> 32) as i32) ^ (low >> 31))
            })
        },
        // Exponents are not negative: that was refused.
        Overflow::Power => |out, a, b| {
            zip(out, a, b, |a, b| {
                let (power, is_over) = a.overflowing_pow(b as u32);
                (power, i32::from(is_over))
            })
        },
    }
}

/// What `f` returns beside a result is not zero if that has wrapped around.
#[inline(always)]
fn zip(out: &mut [u8], a: &[u8], b: &[u8], f: impl Fn(i32, i32) -> (i32, i32)) -> bool {
    let (out, a, b) = (cast_slice_mut::<u8, i32>(out), cast_slice::<u8, i32>(a), cast_slice::<u8, i32>(b));
    let mut bits = 0;
    with_vectors(
        #[inline(always)]
        || {
            // In a register: what the closure borrows might be what `out` holds.
            let mut all = 0;
            for ((out, a), b) in out.iter_mut().zip(a).zip(b) {
                let (result, over) = f(*a, *b);
                *out = result;
                all |= over;
            }
            bits = all;
        },
    );
    bits != 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn number() -> impl Strategy<Value = i32> {
        prop_oneof![any::<i32>(), -50_000..50_000_i32, Just(i32::MIN), Just(i32::MAX), -3..4_i32]
    }

    proptest! {
        #[test]
        fn what_wraps_is_reported(a in number(), b in number(), place in 0..40_usize) {
            for overflow in Overflow::ALL {
                let b = if overflow == Overflow::Power { b & 63 } else { b };
                let (exact, is_over) = match overflow {
                    Overflow::Add => a.overflowing_add(b),
                    Overflow::Subtract => a.overflowing_sub(b),
                    Overflow::Multiply => a.overflowing_mul(b),
                    Overflow::Power => a.overflowing_pow(b as u32),
                };
                let (mut left, mut right, mut out) = (vec![1; 40], vec![1; 40], vec![0_i32; 40]);
                (left[place], right[place]) = (a, b);
                let bytes = bytemuck::cast_slice_mut(&mut out);
                let found = reporting(overflow)(bytes, cast_slice(&left), cast_slice(&right));
                prop_assert_eq!((out[place], found), (exact, is_over), "{:?}", overflow);
            }
        }
    }
}
