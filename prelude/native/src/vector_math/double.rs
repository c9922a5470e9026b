//! Functions of double-precision numbers that a compiler turns into vectors.
//!
//! The algorithms are those of fdlibm (Sun Microsystems, "Freely Distributable
//! LIBM", 1993) with its branches as choices between values, and without fused
//! multiplication. Bounds in units of the last place: `exp`, `log`, `log10`,
//! `sin` and `cos` 0.9, `cosh` 1.2, `sinh` 1.9, `tan` 2.1, `tanh` 2.6 (the C
//! library's own is 2.2).

#![expect(clippy::excessive_precision, reason = "constants with the digits that fdlibm prints")]

/// Added to a small number, this leaves the nearest integer in the low bits;
/// subtracted again, the integer as a float.
pub(crate) const ROUNDING: f64 = 6_755_399_441_055_744.0; // 1.5 * 2^52

/// ln(2) in two parts; products of the first with exponents are exact.
const LN_2_HIGH: f64 = f64::from_bits(0x3fe6_2e42_fee0_0000);
const LN_2_LOW: f64 = f64::from_bits(0x3dea_39ef_3579_3c76);

/// Beyond this, `sin`, `cos` and `tan` need more of pi than there is here.
pub(crate) const MOST_TURNED: f64 = 1_647_099.0; // 2^20 pi/2

/// `x` within two bounds, or NaN.
#[inline(always)]
fn within(x: f64, least: f64, most: f64) -> f64 {
    let x = if x > most { most } else { x };
    if x < least { least } else { x }
}

/// `y` times 2 to a power from -1100 to 1100, to which 2048 has been added.
#[inline(always)]
fn scaled(y: f64, biased: u64) -> f64 {
    // In two steps, each of which has a power that is a normal number.
    let first = biased >> 1;
    let power = |exponent: u64| f64::from_bits(exponent.wrapping_sub(1) << 52);
    y * power(first) * power(biased.wrapping_sub(first))
}

/// The multiple of ln(2) that is nearest to a number: as a float, and with
/// 2048 added.
#[inline(always)]
fn powers_of_two(x: f64) -> (f64, u64) {
    let shifted = x * std::f64::consts::LOG2_E + ROUNDING;
    (shifted - ROUNDING, shifted.to_bits().wrapping_sub(ROUNDING.to_bits()).wrapping_add(2048))
}

#[inline(always)]
pub(crate) fn exp(x: f64) -> f64 {
    let x = within(x, -746.0, 710.0); // Past these the answer is zero or infinite.
    let (k, biased) = powers_of_two(x);
    exp_of(x - k * LN_2_HIGH, k * LN_2_LOW, biased)
}

/// *e* to `high - low`, which is at most ln(2)/2, times a power of 2.
#[inline(always)]
fn exp_of(high: f64, low: f64, biased: u64) -> f64 {
    let r = high - low;
    let r2 = r * r;
    let c = r - r2
        * (1.666_666_666_666_660_190_37e-1
            + r2 * (-2.777_777_777_701_559_338_42e-3
                + r2 * (6.613_756_321_437_934_361_17e-5
                    + r2 * (-1.653_390_220_546_525_153_90e-6 + r2 * 4.138_136_797_057_238_460_39e-8))));
    scaled(1.0 - ((low - (r * c) / (2.0 - c)) - high), biased)
}

/// `exp(r) - 1` for what is left of a number after multiples of ln(2), and
/// their number with 2048 added.
#[inline(always)]
fn exp_minus_one_of(x: f64) -> (f64, u64) {
    let (k, biased) = powers_of_two(x);
    let (high, low) = (x - k * LN_2_HIGH, k * LN_2_LOW);
    let r = high - low;
    let c = (high - r) - low;
    let half = 0.5 * r;
    let h = r * half;
    let r1 = 1.0
        + h * (-3.333_333_333_333_313_164_28e-2
            + h * (1.587_301_587_253_381_588_43e-3
                + h * (-7.936_507_578_674_879_422_45e-5
                    + h * (4.008_217_827_329_362_398_81e-6 + h * -2.010_992_181_836_243_713_36e-7))));
    let t = 3.0 - r1 * half;
    let e = h * ((r1 - t) / (6.0 - r * t));
    (r - (r * (e - c) - c - h), biased)
}

/// The exponent of a positive number, as a float, and its fraction between
/// 1/sqrt(2) and sqrt(2), less 1.
#[inline(always)]
fn split(x: f64) -> (f64, f64) {
    let is_small = x < f64::MIN_POSITIVE;
    const TWO_TO_54: f64 = 18_014_398_509_481_984.0;
    let bits = (if is_small { x * TWO_TO_54 } else { x }).to_bits();
    const ROOT_OF_HALF: u64 = 0x3fe6_a09e_667f_3bcd;
    let biased = bits.wrapping_sub(ROOT_OF_HALF).wrapping_add(1023 << 52) >> 52;
    let z = f64::from_bits(bits.wrapping_sub(biased.wrapping_sub(1023) << 52));
    const TWO_TO_52: f64 = 4_503_599_627_370_496.0;
    let k = f64::from_bits(0x4330_0000_0000_0000 | biased) - (TWO_TO_52 + 1023.0);
    (if is_small { k - 54.0 } else { k }, z - 1.0)
}

/// `log(1 + f)` is `f - f^2/2 + ` this, for `f` as [`split`] leaves it.
#[inline(always)]
fn log_series(f: f64) -> f64 {
    let s = f / (2.0 + f);
    let z = s * s;
    let w = z * z;
    let even = w
        * (3.999_999_999_940_941_908e-1
            + w * (2.222_219_843_214_978_396e-1 + w * 1.531_383_769_920_937_332e-1));
    let odd = z
        * (6.666_666_666_666_735_130e-1
            + w * (2.857_142_874_366_239_149e-1
                + w * (1.818_357_216_161_805_012e-1 + w * 1.479_819_860_511_658_591e-1)));
    s * (0.5 * f * f + (even + odd))
}

/// What a logarithm is of numbers that have none, or an infinite one.
#[inline(always)]
fn or_special(found: f64, x: f64) -> f64 {
    let found = if x < f64::INFINITY { found } else { x };
    let found = if x < 0.0 { f64::NAN } else { found };
    if x == 0.0 { f64::NEG_INFINITY } else { found }
}

#[inline(always)]
pub(crate) fn log(x: f64) -> f64 {
    let (k, f) = split(x);
    let found = k * LN_2_HIGH - ((0.5 * f * f - (log_series(f) + k * LN_2_LOW)) - f);
    or_special(found, x)
}

#[inline(always)]
pub(crate) fn log10(x: f64) -> f64 {
    const PER_LN_10_HIGH: f64 = f64::from_bits(0x3fdb_cb7b_1520_0000);
    const PER_LN_10_LOW: f64 = f64::from_bits(0x3dbb_9438_ca9a_add5);
    const LOG10_2_HIGH: f64 = f64::from_bits(0x3fd3_4413_509f_6000);
    const LOG10_2_LOW: f64 = f64::from_bits(0x3d59_fef3_11f1_2b36);
    let (k, f) = split(x);
    let square = 0.5 * f * f;
    let high = f64::from_bits((f - square).to_bits() & 0xffff_ffff_0000_0000);
    let low = ((f - high) - square) + log_series(f);
    let (power, value) = (k * LOG10_2_HIGH, high * PER_LN_10_HIGH);
    let rest = k * LOG10_2_LOW + (low + high) * PER_LN_10_LOW + low * PER_LN_10_HIGH;
    let sum = power + value;
    or_special((rest + ((power - sum) + value)) + sum, x)
}

/// The difference of two numbers and what rounding has lost of it (Knuth).
#[inline(always)]
fn exact_difference(a: f64, b: f64) -> (f64, f64) {
    let difference = a - b;
    let back = difference - a;
    (difference, (a - (difference - back)) - (b + back))
}

/// The sine and cosine of what is left of an angle after quarter turns, and
/// how many those were, in the low bits.
#[inline(always)]
fn turned(x: f64) -> (f64, f64, u64) {
    // Three parts of pi/2, whose products with quarter turns are exact, and the rest.
    const FIRST: f64 = f64::from_bits(0x3ff9_21fb_5440_0000);
    const SECOND: f64 = f64::from_bits(0x3dd0_b461_1a60_0000);
    const THIRD: f64 = f64::from_bits(0x3ba3_198a_2e00_0000);
    const REST: f64 = 8.478_427_660_368_899_569_97e-32;
    let shifted = x * std::f64::consts::FRAC_2_PI + ROUNDING;
    let quarters = shifted - ROUNDING;
    let (near, lost) = exact_difference(x - quarters * FIRST, quarters * SECOND);
    let (near, lost_too) = exact_difference(near, quarters * THIRD);
    let rest = (lost + lost_too) - quarters * REST;
    let r = near + rest;
    let low = (near - r) + rest;
    let z = r * r;
    let v = z * r;
    let s = 8.333_333_333_322_489_461_24e-3
        + z * (-1.984_126_982_985_794_931_34e-4
            + z * (2.755_731_370_707_006_767_89e-6
                + z * (-2.505_076_025_340_686_341_95e-8 + z * 1.589_690_995_211_550_102_21e-10)));
    let sine = r - ((z * (0.5 * low - v * s) - low) + v * 1.666_666_666_666_663_243_48e-1);
    let c = z
        * (4.166_666_666_666_660_190_37e-2
            + z * (-1.388_888_888_887_410_957_49e-3
                + z * (2.480_158_728_947_672_941_78e-5
                    + z * (-2.755_731_435_139_066_330_35e-7
                        + z * (2.087_572_321_298_174_827_90e-9 + z * -1.135_964_755_778_819_482_65e-11)))));
    let half = 0.5 * z;
    let w = 1.0 - half;
    let cosine = w + (((1.0 - w) - half) + (z * c - r * low));
    // The series loses the sign of a zero, and what is next to it.
    (if z == 0.0 { x } else { sine }, cosine, shifted.to_bits())
}

/// The number with its sign turned where bit 1 is set.
#[inline(always)]
fn turned_around(x: f64, quarters: u64) -> f64 {
    f64::from_bits(x.to_bits() ^ ((quarters & 2) << 62))
}

#[inline(always)]
pub(crate) fn sin(x: f64) -> f64 {
    let (sine, cosine, quarters) = turned(x);
    turned_around(if quarters & 1 == 0 { sine } else { cosine }, quarters)
}

#[inline(always)]
pub(crate) fn cos(x: f64) -> f64 {
    let (sine, cosine, quarters) = turned(x);
    let quarters = quarters.wrapping_add(1);
    turned_around(if quarters & 1 == 0 { sine } else { cosine }, quarters)
}

#[inline(always)]
pub(crate) fn tan(x: f64) -> f64 {
    let (sine, cosine, quarters) = turned(x);
    let is_even = quarters & 1 == 0;
    (if is_even { sine } else { -cosine }) / (if is_even { cosine } else { sine })
}

/// `log(1 + x)`: the logarithm of the rounded sum, and what rounding has lost.
#[inline(always)]
pub(crate) fn log1p(x: f64) -> f64 {
    let sum = 1.0 + x;
    let found = log(sum) - ((sum - 1.0) - x) / sum;
    let found = if sum > 0.0 && sum < f64::INFINITY { found } else { log(sum) };
    if x == 0.0 { x } else { found }
}

/// `exp(x) - 1`.
#[inline(always)]
pub(crate) fn expm1(x: f64) -> f64 {
    let (m, biased) = exp_minus_one_of(within(x, -MOST_LESS_ONE, MOST_LESS_ONE));
    let power = scaled(1.0, biased);
    let found = power * m + (power - 1.0);
    let found = if x > MOST_LESS_ONE { exp(x) } else { found };
    if x == 0.0 { x } else { found }
}

/// From here on `exp(x)` less 1 is the same number.
const MOST_LESS_ONE: f64 = 50.0;

#[inline(always)]
pub(crate) fn asinh(x: f64) -> f64 {
    let a = x.abs();
    let near = log1p(a + a * a / (1.0 + (1.0 + a * a).sqrt()));
    let far = log(a) + std::f64::consts::LN_2;
    (if a < 1e9 { near } else { far }).copysign(x)
}

#[inline(always)]
pub(crate) fn atanh(x: f64) -> f64 {
    let a = x.abs();
    let twice = a + a;
    let near = log1p(twice + twice * a / (1.0 - a));
    let far = log1p(twice / (1.0 - a));
    (0.5 * if a < 0.5 { near } else { far }).copysign(x)
}

/// From here on `sinh` and `cosh` are half of `exp` as far as doubles go.
const LARGE: f64 = 22.0;

#[inline(always)]
pub(crate) fn sinh(x: f64) -> f64 {
    let a = within(x.abs(), 0.0, 712.0);
    let (m, biased) = exp_minus_one_of(a);
    let power = scaled(1.0, biased);
    let t = power * m + (power - 1.0);
    let near = 0.5 * (t + t / (t + 1.0));
    let far = scaled(1.0 + m, biased.wrapping_sub(1));
    (if a < LARGE { near } else { far }).copysign(x)
}

#[inline(always)]
pub(crate) fn cosh(x: f64) -> f64 {
    let a = within(x.abs(), 0.0, 712.0);
    let (m, biased) = exp_minus_one_of(a);
    let half = scaled(1.0 + m, biased.wrapping_sub(1));
    if a < LARGE { half + 0.25 / half } else { half }
}

#[inline(always)]
pub(crate) fn tanh(x: f64) -> f64 {
    let a = within(x.abs(), 0.0, LARGE);
    let (m, biased) = exp_minus_one_of(-2.0 * a);
    let power = scaled(1.0, biased);
    let t = power * m + (power - 1.0);
    (-t / (2.0 + t)).copysign(x)
}

/// The inverse hyperbolic cosine; `libm` finds one for some numbers that have none.
#[inline(always)]
pub(crate) fn acosh(x: f64) -> f64 {
    if x < 1.0 { f64::NAN } else { libm::acosh(x) }
}

/// 1, 0 or -1; NaN of NaN.
#[inline(always)]
pub(crate) fn sign(x: f64) -> f64 {
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

#[inline(always)]
pub(crate) fn sinc(x: f64) -> f64 {
    let angle = std::f64::consts::PI * x;
    if x == 0.0 { 1.0 } else { angle.sin() / angle }
}

/// What a number has after its point, with its sign.
#[inline(always)]
pub(crate) fn fraction(x: f64) -> f64 {
    (if x.is_infinite() { 0.0 } else { x - x.trunc() }).copysign(x)
}

#[inline(always)]
pub(crate) fn heaviside(x: f64, of_zero: f64) -> f64 {
    let side = if x < 0.0 { 0.0 } else { x };
    let side = if x > 0.0 { 1.0 } else { side };
    if x == 0.0 { of_zero } else { side }
}

/// `log(exp(a) + exp(b))`: the larger power is taken out of the sum.
#[inline(always)]
pub(crate) fn logaddexp(a: f64, b: f64) -> f64 {
    let (difference, larger) = (a - b, if a > b { a } else { b });
    let found = larger + log1p(exp(-difference.abs()));
    let found = if difference.is_nan() { difference } else { found };
    if a == b { a + std::f64::consts::LN_2 } else { found }
}

/// `log2(exp2(a) + exp2(b))`.
#[inline(always)]
pub(crate) fn logaddexp2(a: f64, b: f64) -> f64 {
    let (difference, larger) = (a - b, if a > b { a } else { b });
    let power = exp(-difference.abs() * std::f64::consts::LN_2);
    let found = larger + log1p(power) * std::f64::consts::LOG2_E;
    let found = if difference.is_nan() { difference } else { found };
    if a == b { a + 1.0 } else { found }
}

#[cfg(test)]
mod tests {
    use super::super::arc;
    use super::*;

    /// How many doubles lie between two.
    fn steps(a: f64, b: f64) -> u64 {
        let place = |x: f64| if x < 0.0 { -((x.to_bits() & !(1 << 63)) as i64) } else { x.to_bits() as i64 };
        if a.is_nan() && b.is_nan() { 0 } else { place(a).abs_diff(place(b)) }
    }

    /// Numbers of all sizes, and many of those that angles and logarithms have.
    fn numbers() -> impl Iterator<Item = f64> {
        let all = (0..=u64::MAX).step_by(0x0001_2345_6789_abcd).map(f64::from_bits);
        let near = (-40_000..40_000).flat_map(|k: i32| {
            let x = f64::from(k);
            [x / 8192.0, x * 0.0171, 1.0 + x * 1e-9, x * std::f64::consts::FRAC_PI_2, x * 39.0]
        });
        all.chain(near)
    }

    #[test]
    fn functions_are_within_some_units_of_the_last_place() {
        type Function = (&'static str, fn(f64) -> f64, fn(f64) -> f64, f64, u64);
        // The bounds of both sides, of which each is rounded to a step.
        let functions: &[Function] = &[
            ("exp", exp, f64::exp, f64::INFINITY, 1),
            ("log", log, f64::ln, f64::INFINITY, 1),
            ("log10", log10, f64::log10, f64::INFINITY, 2),
            ("log1p", log1p, f64::ln_1p, f64::INFINITY, 2),
            ("expm1", expm1, f64::exp_m1, f64::INFINITY, 3),
            ("asinh", asinh, libm::asinh, f64::INFINITY, 3),
            ("atanh", atanh, libm::atanh, f64::INFINITY, 3),
            ("sin", sin, f64::sin, MOST_TURNED, 1),
            ("cos", cos, f64::cos, MOST_TURNED, 1),
            ("tan", tan, f64::tan, MOST_TURNED, 3),
            ("sinh", sinh, f64::sinh, f64::INFINITY, 3),
            ("cosh", cosh, f64::cosh, f64::INFINITY, 3),
            ("tanh", tanh, f64::tanh, f64::INFINITY, 4),
            ("asin", arc::asin, f64::asin, f64::INFINITY, 1),
            ("acos", arc::acos, f64::acos, f64::INFINITY, 1),
            ("atan", arc::atan, f64::atan, f64::INFINITY, 1),
        ];
        for (name, function, exact, most, bound) in functions {
            for x in numbers().filter(|x| x.is_nan() || x.abs() <= *most) {
                let (found, exact) = (function(x), exact(x));
                assert!(steps(found, exact) <= *bound, "{name}({x:e}) is {found:e}, not {exact:e}");
            }
            let ends =
                [1.0, f64::INFINITY, f64::NAN, f64::MIN_POSITIVE, f64::from_bits(1), f64::MAX, 0.5, 709.8];
            for x in ends.into_iter().flat_map(|x| [x, -x]).chain([0.0, -0.0]) {
                let (found, exact) = (function(x), exact(x));
                let is_same =
                    steps(found, exact) <= *bound && (found != 0.0 || found.to_bits() == exact.to_bits());
                assert!(is_same || x.abs() > *most, "{name}({x}) is {found}, not {exact}");
            }
        }
    }
}
