//! Functions of single-precision numbers, for vectors.
//!
//! They compute in double precision, where a short series is exact enough and
//! reducing an argument loses nothing, and round once. The results are at
//! most 0.51 units of the last place from the exact value, where NumPy's bound
//! is 4. Ranges are reduced as W. J. Cody and W. Waite describe it ("Software
//! Manual for the Elementary Functions", 1980), and halves are chosen by
//! masks, as N. Shibata and F. Petrogalli do in SLEEF ("SLEEF: A Portable
//! Vectorized Library of C Standard Mathematical Functions", 2020).

use std::f64::consts::{LN_2, LN_10, LOG2_E};

use super::arc;
use super::double::ROUNDING;

/// Beyond this, `sin`, `cos` and `tan` need more of pi than there is here.
pub(crate) const MOST_TURNED: f32 = 134_217_728.0; // 2^27

/// `a` if it is less than `most`, or NaN.
#[inline(always)]
fn at_most(a: f64, most: f64) -> f64 {
    if a > most { most } else { a }
}

/// *e* to a power between -700 and 700.
#[inline(always)]
fn exp_wide(x: f64) -> f64 {
    let shifted = x * LOG2_E + ROUNDING;
    let r = x - (shifted - ROUNDING) * LN_2;
    // The series to r^10, where |r| is at most ln(2)/2.
    let (r2, r4) = (r * r, (r * r) * (r * r));
    let low = (1.0 + r) + r2 * (1.0 / 2.0 + r * (1.0 / 6.0));
    let middle = (1.0 / 24.0 + r * (1.0 / 120.0)) + r2 * (1.0 / 720.0 + r * (1.0 / 5040.0));
    let high = (1.0 / 40_320.0 + r * (1.0 / 362_880.0)) + r2 * (1.0 / 3_628_800.0);
    let power = f64::from_bits(shifted.to_bits().wrapping_add(1023) << 52);
    (low + r4 * (middle + r4 * high)) * power
}

#[inline(always)]
pub(crate) fn exp(x: f32) -> f32 {
    // Past these the answer is infinite or zero.
    let x = at_most(f64::from(x), 89.0);
    exp_wide(if x < -104.0 { -104.0 } else { x }) as f32
}

#[inline(always)]
pub(crate) fn exp2(x: f32) -> f32 {
    let x = at_most(f64::from(x), 129.0);
    exp_wide((if x < -151.0 { -151.0 } else { x }) * LN_2) as f32
}

#[inline(always)]
pub(crate) fn expm1(x: f32) -> f32 {
    let wide = at_most(f64::from(x), 89.0);
    let a = if wide < -20.0 { -20.0 } else { wide };
    // Near zero 1 cancels what there is.
    let near = a * (1.0 + a * (1.0 / 2.0 + a * (1.0 / 6.0)));
    let found = if a.abs() < 1e-4 { near } else { exp_wide(a) - 1.0 };
    (if a == 0.0 { a } else { found }) as f32
}

/// The logarithm of a number that is not subnormal as `f64`.
#[inline(always)]
fn log_wide(wide: f64) -> f64 {
    // It is 2^k z with z between 1/sqrt(2) and sqrt(2).
    const ROOT_OF_HALF: u64 = 0x3fe6_a09e_667f_3bcd;
    let biased = wide.to_bits().wrapping_sub(ROOT_OF_HALF).wrapping_add(1023 << 52) >> 52;
    let z = f64::from_bits(wide.to_bits().wrapping_sub(biased.wrapping_sub(1023) << 52));
    const TWO_TO_52: f64 = 4_503_599_627_370_496.0;
    let k = f64::from_bits(0x4330_0000_0000_0000 | biased) - (TWO_TO_52 + 1023.0);
    // The logarithm of z is 2 artanh(s).
    let s = (z - 1.0) / (z + 1.0);
    let s2 = s * s;
    let series = 2.0 / 5.0 + s2 * (2.0 / 7.0 + s2 * (2.0 / 9.0 + s2 * (2.0 / 11.0 + s2 * (2.0 / 13.0))));
    let found = k * LN_2 + s * (2.0 + s2 * (2.0 / 3.0 + s2 * series));
    let found = if wide < f64::INFINITY { found } else { wide };
    let found = if wide < 0.0 { f64::NAN } else { found };
    if wide == 0.0 { f64::NEG_INFINITY } else { found }
}

#[inline(always)]
pub(crate) fn log(x: f32) -> f32 {
    log_wide(f64::from(x)) as f32
}

#[inline(always)]
pub(crate) fn log10(x: f32) -> f32 {
    (log_wide(f64::from(x)) * (1.0 / LN_10)) as f32
}

#[inline(always)]
pub(crate) fn log2(x: f32) -> f32 {
    (log_wide(f64::from(x)) * LOG2_E) as f32
}

/// `log(1 + a)` for `a` from -1.
#[inline(always)]
fn log1p_wide(a: f64) -> f64 {
    let near = a * (1.0 - a * (1.0 / 2.0 - a * (1.0 / 3.0)));
    if a.abs() < 1e-4 { near } else { log_wide(1.0 + a) }
}

#[inline(always)]
pub(crate) fn log1p(x: f32) -> f32 {
    log1p_wide(f64::from(x)) as f32
}

#[inline(always)]
pub(crate) fn cbrt(x: f32) -> f32 {
    let wide = f64::from(x);
    let a = wide.abs();
    let root = exp_wide(log_wide(if a == 0.0 { 1.0 } else { at_most(a, 1e39) }) * (1.0 / 3.0));
    let root = if a < f64::INFINITY { root } else { a };
    (if a == 0.0 { a } else { root }).copysign(wide) as f32
}

#[inline(always)]
pub(crate) fn asinh(x: f32) -> f32 {
    let wide = f64::from(x);
    let a = wide.abs();
    // asinh(a) is log(1 + t).
    let t = a + a * a / (1.0 + (a * a + 1.0).sqrt());
    log1p_wide(if a < f64::INFINITY { t } else { a }).copysign(wide) as f32
}

#[inline(always)]
pub(crate) fn acosh(x: f32) -> f32 {
    let t = f64::from(x) - 1.0;
    let found = log1p_wide(t + (t * (t + 2.0)).sqrt());
    (if t < 0.0 { f64::NAN } else { found }) as f32
}

#[inline(always)]
pub(crate) fn atanh(x: f32) -> f32 {
    let wide = f64::from(x);
    let a = wide.abs();
    (0.5 * log1p_wide(2.0 * a / (1.0 - a))).copysign(wide) as f32
}

/// 1, 0 or -1; NaN of NaN.
#[inline(always)]
pub(crate) fn sign(x: f32) -> f32 {
    if x > 0.0 {
        1.0
    } else if x < 0.0 {
        -1.0
    } else if x == 0.0 {
        0.0
    } else {
        x
    }
}

/// The sine and cosine of what is left of an angle after quarter turns, and
/// how many those were, in the low bits.
#[inline(always)]
fn turned(x: f32) -> (f64, f64, u64) {
    // The first 25 bits of pi/2, whose products with quarter turns are exact.
    const QUARTER: f64 = f64::from_bits(0x3ff9_21fb_5000_0000);
    const REST: f64 = 1.5893254773528196e-08;
    let x = f64::from(x);
    let shifted = x * std::f64::consts::FRAC_2_PI + ROUNDING;
    let quarters = shifted - ROUNDING;
    let r = (x - quarters * QUARTER) - quarters * REST;
    let r2 = r * r;
    let odd = 1.0 / 120.0 + r2 * (-1.0 / 5040.0 + r2 * (1.0 / 362_880.0 + r2 * (-1.0 / 39_916_800.0)));
    let sine = r * (1.0 + r2 * (-1.0 / 6.0 + r2 * odd));
    let even = -1.0 / 720.0 + r2 * (1.0 / 40_320.0 + r2 * (-1.0 / 3_628_800.0 + r2 * (1.0 / 479_001_600.0)));
    let cosine = 1.0 + r2 * (-1.0 / 2.0 + r2 * (1.0 / 24.0 + r2 * even));
    (sine, cosine, shifted.to_bits())
}

/// The number with its sign turned where bit 1 is set.
#[inline(always)]
fn turned_around(x: f64, quarters: u64) -> f32 {
    f64::from_bits(x.to_bits() ^ ((quarters & 2) << 62)) as f32
}

#[inline(always)]
pub(crate) fn sin(x: f32) -> f32 {
    let (sine, cosine, quarters) = turned(x);
    turned_around(if quarters & 1 == 0 { sine } else { cosine }, quarters)
}

#[inline(always)]
pub(crate) fn cos(x: f32) -> f32 {
    let (sine, cosine, quarters) = turned(x);
    let quarters = quarters.wrapping_add(1);
    turned_around(if quarters & 1 == 0 { sine } else { cosine }, quarters)
}

#[inline(always)]
pub(crate) fn tan(x: f32) -> f32 {
    let (sine, cosine, quarters) = turned(x);
    let is_even = quarters & 1 == 0;
    ((if is_even { sine } else { -cosine }) / (if is_even { cosine } else { sine })) as f32
}

#[inline(always)]
pub(crate) fn sinh(x: f32) -> f32 {
    let wide = f64::from(x);
    let a = at_most(wide.abs(), 90.0);
    let power = exp_wide(a);
    let a2 = a * a;
    let near = a * (1.0 + a2 * (1.0 / 6.0 + a2 * (1.0 / 120.0 + a2 * (1.0 / 5040.0))));
    // Near zero the powers cancel.
    (if a < 0.0625 { near } else { (power - 1.0 / power) * 0.5 }).copysign(wide) as f32
}

#[inline(always)]
pub(crate) fn cosh(x: f32) -> f32 {
    let power = exp_wide(at_most(f64::from(x).abs(), 90.0));
    ((power + 1.0 / power) * 0.5) as f32
}

#[inline(always)]
pub(crate) fn tanh(x: f32) -> f32 {
    let wide = f64::from(x);
    let a = at_most(wide.abs(), 20.0);
    let a2 = a * a;
    let near = a * (1.0 + a2 * (-1.0 / 3.0 + a2 * (2.0 / 15.0 + a2 * (-17.0 / 315.0))));
    let far = 1.0 - 2.0 / (exp_wide(a + a) + 1.0);
    (if a < 0.015_625 { near } else { far }).copysign(wide) as f32
}

#[inline(always)]
pub(crate) fn asin(x: f32) -> f32 {
    arc::asin(f64::from(x)) as f32
}

#[inline(always)]
pub(crate) fn acos(x: f32) -> f32 {
    arc::acos(f64::from(x)) as f32
}

#[inline(always)]
pub(crate) fn atan(x: f32) -> f32 {
    arc::atan(f64::from(x)) as f32
}

/// Whether [`pow`] is right for these.
#[inline(always)]
pub(crate) fn has_pow(x: f32, y: f32) -> bool {
    (x > 0.0) & (x < f32::INFINITY) & (y.abs() < f32::INFINITY)
}

#[inline(always)]
pub(crate) fn pow(x: f32, y: f32) -> f32 {
    let exponent = at_most(f64::from(y) * log_wide(f64::from(x)), 89.0);
    exp_wide(if exponent < -104.0 { -104.0 } else { exponent }) as f32
}

#[inline(always)]
pub(crate) fn sinc(x: f32) -> f32 {
    let angle = std::f32::consts::PI * x;
    if x == 0.0 { 1.0 } else { angle.sin() / angle }
}

/// The bits of a float as the upper half of a number that compares as it does;
/// zeros are equal.
#[inline(always)]
pub(crate) fn order(x: f32, of_nan: i32, low: u32) -> i64 {
    let bits = (x + 0.0).to_bits() as i32;
    let order = if x.is_nan() { of_nan } else { bits ^ ((bits >> 31) & i32::MAX) };
    i64::from(order) << 32 | i64::from(low)
}

/// What a number has after its point, with its sign.
#[inline(always)]
pub(crate) fn fraction(x: f32) -> f32 {
    (if x.is_infinite() { 0.0 } else { x - x.trunc() }).copysign(x)
}

#[inline(always)]
pub(crate) fn heaviside(x: f32, of_zero: f32) -> f32 {
    let side = if x < 0.0 { 0.0 } else { x };
    let side = if x > 0.0 { 1.0 } else { side };
    if x == 0.0 { of_zero } else { side }
}

#[inline(always)]
pub(crate) fn hypot(a: f32, b: f32) -> f32 {
    let (x, y) = (f64::from(a), f64::from(b));
    let is_infinite = a.is_infinite() | b.is_infinite();
    if is_infinite { f32::INFINITY } else { (x * x + y * y).sqrt() as f32 }
}

/// `log(exp(a) + exp(b))`: the larger power is taken out of the sum.
#[inline(always)]
pub(crate) fn logaddexp(a: f32, b: f32) -> f32 {
    let (difference, larger) = (f64::from(a) - f64::from(b), f64::from(if a > b { a } else { b }));
    let low = if difference.abs() > 104.0 { -104.0 } else { -difference.abs() };
    let found = larger + log1p_wide(exp_wide(low));
    let found = if difference.is_nan() { difference } else { found };
    (if a == b { f64::from(a) + LN_2 } else { found }) as f32
}

/// `log2(exp2(a) + exp2(b))`.
#[inline(always)]
pub(crate) fn logaddexp2(a: f32, b: f32) -> f32 {
    let (difference, larger) = (f64::from(a) - f64::from(b), f64::from(if a > b { a } else { b }));
    let low = if difference.abs() > 151.0 { -151.0 } else { -difference.abs() };
    let found = larger + log1p_wide(exp_wide(low * LN_2)) * LOG2_E;
    let found = if difference.is_nan() { difference } else { found };
    (if a == b { f64::from(a) + 1.0 } else { found }) as f32
}

#[cfg(test)]
mod tests {
    use super::super::double;
    use super::*;

    /// How far an answer is from the exact one, in units of its last place.
    fn off(found: f32, exact: f64) -> f64 {
        let rounded = exact as f32;
        if found == rounded || (found.is_nan() && exact.is_nan()) {
            return 0.0;
        }
        let unit = f64::from(rounded.next_up()) - f64::from(rounded);
        (f64::from(found) - exact).abs() / unit.abs().max(f64::from(f32::from_bits(1)))
    }

    /// A part of all numbers: of each sign and exponent some.
    fn numbers() -> impl Iterator<Item = f32> {
        (0..=u32::MAX).step_by(4099).map(f32::from_bits)
    }

    #[test]
    fn functions_are_within_a_unit_of_the_last_place() {
        type Function = (&'static str, fn(f32) -> f32, fn(f64) -> f64, f32);
        let functions: &[Function] = &[
            ("exp", exp, f64::exp, f32::INFINITY),
            ("log", log, f64::ln, f32::INFINITY),
            ("log10", log10, f64::log10, f32::INFINITY),
            ("sin", sin, f64::sin, MOST_TURNED),
            ("cos", cos, f64::cos, MOST_TURNED),
            ("tan", tan, f64::tan, MOST_TURNED),
            ("sinh", sinh, f64::sinh, f32::INFINITY),
            ("cosh", cosh, f64::cosh, f32::INFINITY),
            ("tanh", tanh, f64::tanh, f32::INFINITY),
            ("asin", asin, f64::asin, f32::INFINITY),
            ("acos", acos, f64::acos, f32::INFINITY),
            ("atan", atan, f64::atan, f32::INFINITY),
            ("exp2", exp2, f64::exp2, f32::INFINITY),
            ("expm1", expm1, f64::exp_m1, f32::INFINITY),
            ("log2", log2, f64::log2, f32::INFINITY),
            ("log1p", log1p, f64::ln_1p, f32::INFINITY),
            ("cbrt", cbrt, f64::cbrt, f32::INFINITY),
            ("asinh", asinh, libm::asinh, f32::INFINITY),
            ("acosh", acosh, double::acosh, f32::INFINITY),
            ("atanh", atanh, libm::atanh, f32::INFINITY),
        ];
        for (name, function, exact, most) in functions {
            let mut worst = (0.0, 0.0);
            for x in numbers().filter(|x| x.is_nan() || x.abs() <= *most) {
                let off = off(function(x), exact(f64::from(x)));
                assert!(off < 0.6, "{name}({x:e}) is {:e}, off by {off}", function(x));
                if off > worst.0 {
                    worst = (off, x);
                }
            }
            for x in [0.0, -0.0, 1.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, f32::from_bits(1), -1.0] {
                let (found, exact) = (function(x), exact(f64::from(x)) as f32);
                let is_same = found.to_bits() == exact.to_bits() || (found.is_nan() && exact.is_nan());
                assert!(is_same || x.abs() > *most, "{name}({x}) is {found}, not {exact}");
            }
        }
    }

    #[test]
    fn powers_are_within_a_unit_of_the_last_place() {
        for (k, x) in (0..=u32::MAX).step_by(16411).map(f32::from_bits).enumerate() {
            // All sizes of exponents, of whose powers many are finite.
            let y = (k % 23) as f32 * 1.37 - 15.0;
            for y in [y, y / 4.0, y * 50.0, (k % 9) as f32 - 4.0] {
                if has_pow(x, y) {
                    let off = off(pow(x, y), f64::from(x).powf(f64::from(y)));
                    assert!(off < 0.6, "pow({x:e}, {y:e}) is {:e}, off by {off}", pow(x, y));
                }
            }
        }
        assert!(
            !has_pow(0.0, 1.0) && !has_pow(-1.0, 2.0) && !has_pow(f32::NAN, 0.0) && !has_pow(1.0, f32::NAN)
        );
    }
}
