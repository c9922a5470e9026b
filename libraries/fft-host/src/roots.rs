//! Roots of unity, the factors between the parts of a transform.

use std::collections::HashMap;
use std::f64::consts::PI;
use std::sync::{Arc, Mutex, PoisonError};

use rustfft::num_complex::Complex;

use crate::plans::Real;

/// How many tables are kept.
const MOST: usize = 64;

/// The powers of e^(-2 pi i / n), by two tables of about sqrt(n) entries: a power is the product of one entry
/// of each. One table of all would have to come from memory, as the numbers that it is for do.
pub(crate) struct Roots {
    length: usize,
    /// The fine table has 2^bits entries.
    bits: u32,
    fine: Vec<Complex<f64>>,
    coarse: Vec<Complex<f64>>,
}

impl Roots {
    /// The table of a length, which is kept.
    pub(crate) fn of(length: usize) -> Arc<Roots> {
        static TABLES: Mutex<Option<HashMap<usize, Arc<Roots>>>> = Mutex::new(None);
        let mut tables = TABLES.lock().unwrap_or_else(PoisonError::into_inner);
        let tables = tables.get_or_insert_default();
        if tables.len() >= MOST && !tables.contains_key(&length) {
            tables.clear();
        }
        tables.entry(length).or_insert_with(|| Arc::new(Roots::new(length))).clone()
    }

    fn new(length: usize) -> Roots {
        let bits = length.max(1).ilog2().div_ceil(2);
        let fine = (0..1 << bits).map(|power| root(power % length, length)).collect();
        let coarse = (0..=(length >> bits)).map(|part| root((part << bits) % length, length)).collect();
        Roots { length, bits, fine, coarse }
    }

    /// A power below the length.
    fn power(&self, power: usize) -> Complex<f64> {
        self.coarse[power >> self.bits] * self.fine[power & ((1 << self.bits) - 1)]
    }

    /// The powers `step * (first + i)` for all `i`. The last one is below the length.
    pub(crate) fn powers<T: Real>(&self, step: usize, first: usize, powers: &mut [Complex<T>]) {
        const RUN: usize = 32;
        debug_assert!(powers.is_empty() || step * (first + powers.len() - 1) < self.length);
        let narrow = |root: Complex<f64>| Complex::new(T::of(root.re), T::of(root.im));
        let mut near = [Complex::default(); RUN];
        for (i, near) in near.iter_mut().enumerate().take(powers.len()) {
            *near = narrow(self.power(step * i));
        }
        for (i, run) in powers.chunks_mut(RUN).enumerate() {
            let far = narrow(self.power(step * (first + i * RUN)));
            for (power, near) in run.iter_mut().zip(&near) {
                *power = far * near;
            }
        }
    }
}

/// e^(-2 pi i power / length), for a power below the length. The angle is first brought to at most an eighth
/// of a circle, in whole numbers: the rounding of a larger one would be seen in the last bits.
fn root(power: usize, length: usize) -> Complex<f64> {
    let (power, length) = (4 * power as i128, length as i128);
    // The nearest quarter of a circle, and what is left, at most an eighth to either side.
    let quarter = (2 * power + length) / (2 * length);
    let rest = power - quarter * length;
    let angle = PI / 2.0 * (rest as f64 / length as f64);
    let (sin, cos) = angle.sin_cos();
    match quarter % 4 {
        0 => Complex::new(cos, -sin),
        1 => Complex::new(-sin, -cos),
        2 => Complex::new(-cos, sin),
        _ => Complex::new(sin, cos),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_are_right_to_some_last_places() {
        for length in [1, 2, 7, 96, 4097, 105945, 1 << 20] {
            let roots = Roots::of(length);
            let mut powers = vec![Complex::default(); length];
            roots.powers::<f64>(1, 0, &mut powers);
            for (power, found) in powers.iter().enumerate().step_by(1 + length / 999) {
                assert!((found.norm() - 1.0).abs() < 1e-15, "{length} {power}");
                // Doubling leads to a root of other entries of the tables.
                let squared = roots.power(2 * power % length);
                assert!((found * found - squared).norm() < 2e-15, "{length} {power}");
                let angle = -2.0 * PI * power as f64 / length as f64;
                assert!((found - Complex::cis(angle)).norm() < 2e-15, "{length} {power}");
            }
        }
        assert!((root(1, 8) - Complex::new(0.5f64.sqrt(), -(0.5f64.sqrt()))).norm() < 2e-16);
    }

    #[test]
    fn steps_and_starts_are_counted() {
        let roots = Roots::of(1000);
        let mut powers = vec![Complex::default(); 70];
        roots.powers::<f64>(7, 3, &mut powers);
        for (index, found) in powers.iter().enumerate() {
            assert!((found - root(7 * (3 + index), 1000)).norm() < 1e-15, "{index}");
        }
    }
}
