//! Elementary functions with the same bits on every device: the methods and
//! constants of fdlibm (Sun Microsystems, 1993), whose errors are below one unit
//! in the last place.
#![allow(
    unused_parens,
    clippy::needless_return,
    clippy::approx_constant,
    clippy::assign_op_pattern,
    clippy::excessive_precision,
    clippy::unreadable_literal,
    reason = "the text is C++, too"
)]

use super::both::{bits_of, floor, in_both, infinity, of_bits, real, whole};

in_both! { FUNCTIONS:
    /// The natural logarithm of a number that is not negative.
    fn log(x: f64) -> f64 {
        if (x == 0.0) { return -infinity(); }
        if (x == infinity()) { return x; }
        let mut scaled = x;
        let mut exponent = -1023.0;
        if (x < 2.2250738585072014e-308) {
            scaled = x * 18014398509481984.0;
            exponent = -1077.0;
        }
        let moved = bits_of(scaled) + 0x00095f6200000000;
        let k = exponent + real(moved >> 52);
        let f = of_bits((moved & 0x000fffffffffffff) + 0x3fe6a09e00000000) - 1.0;
        let s = f / (2.0 + f);
        let z = s * s;
        let w = z * z;
        let odd = w * (3.999999999940941908e-01 + w * (2.222219843214978396e-01 + w * 1.531383769920937332e-01));
        let even = z * (6.666666666666735130e-01 + w * (2.857142874366239149e-01
            + w * (1.818357216161805012e-01 + w * 1.479819860511658591e-01)));
        let half = 0.5 * f * f;
        return s * (half + (even + odd)) + k * 1.90821492927058770002e-10 - half + f
            + k * 6.93147180369123816490e-01;
    }

    /// Two to the power of a whole number, from -1022 to 1023.
    fn power_of_two(k: f64) -> f64 {
        return of_bits(whole(k + 1023.0) << 52);
    }

    fn exp(x: f64) -> f64 {
        if (x > 709.782712893384) { return infinity(); }
        if (x < -745.2) { return 0.0; }
        let k = floor(x * 1.44269504088896338700 + 0.5);
        let high = x - k * 6.93147180369123816490e-01;
        let low = k * 1.90821492927058770002e-10;
        let r = high - low;
        let z = r * r;
        let c = r - z * (1.66666666666666019037e-01 + z * (-2.77777777770155933842e-03
            + z * (6.61375632143793436117e-05 + z * (-1.65339022054652515390e-06 + z * 4.13813679705723846039e-08))));
        let y = 1.0 + (r * c / (2.0 - c) - low + high);
        let half = floor(k * 0.5);
        return y * power_of_two(half) * power_of_two(k - half);
    }

    /// `exp(x) - 1`, by W. Kahan's division by the logarithm of what `exp` gave.
    fn expm1(x: f64) -> f64 {
        let power = exp(x);
        if (power == 1.0) { return x; }
        if (power == 0.0) { return -1.0; }
        if (power == infinity()) { return power; }
        return (power - 1.0) * (x / log(power));
    }

    /// `log(1 + x)` for x above -1, likewise.
    fn log1p(x: f64) -> f64 {
        let sum = 1.0 + x;
        if (sum == 1.0) { return x; }
        return log(sum) * x / (sum - 1.0);
    }

    /// The sine of an angle of up to an eighth of a turn, in radians.
    fn near_sine(x: f64) -> f64 {
        let z = x * x;
        let r = 8.33333333332248946124e-03 + z * (-1.98412698298579493134e-04 + z * (2.75573137070700676789e-06
            + z * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10)));
        return x + z * x * (-1.66666666666666324348e-01 + z * r);
    }

    fn near_cosine(x: f64) -> f64 {
        let z = x * x;
        let r = z * (4.16666666666666019037e-02 + z * (-1.38888888888741095749e-03 + z * (2.48015872894767294178e-05
            + z * (-2.75573143513906633035e-07 + z * (2.08757232129817482790e-09 + z * -1.13596475577881948265e-11)))));
        let half = 0.5 * z;
        let w = 1.0 - half;
        return w + ((1.0 - w - half) + z * r);
    }

    /// The cosine of a part of a whole turn, in [0, 1).
    fn cosine_of_turns(turns: f64) -> f64 {
        let quarters = floor(4.0 * turns + 0.5);
        let angle = (turns - 0.25 * quarters) * 6.283185307179586477;
        if (quarters == 1.0) { return -near_sine(angle); }
        if (quarters == 2.0) { return -near_cosine(angle); }
        if (quarters == 3.0) { return near_sine(angle); }
        return near_cosine(angle);
    }

    fn sine_of_turns(turns: f64) -> f64 {
        let quarters = floor(4.0 * turns + 0.5);
        let angle = (turns - 0.25 * quarters) * 6.283185307179586477;
        if (quarters == 1.0) { return near_cosine(angle); }
        if (quarters == 2.0) { return -near_sine(angle); }
        if (quarters == 3.0) { return -near_cosine(angle); }
        return near_sine(angle);
    }

    /// The arc tangent of a number that is not negative, by the method and
    /// constants of S. L. Moshier's Cephes library.
    fn arctangent(value: f64) -> f64 {
        let mut x = value;
        let mut y = 0.0;
        if (value > 2.414213562373095048802) {
            y = 1.570796326794896619231;
            x = -1.0 / value;
        } else if (value > 0.66) {
            y = 0.785398163397448309616;
            x = (value - 1.0) / (value + 1.0);
        }
        let z = x * x;
        let above = (((-8.750608600031904122785e-01 * z - 1.615753718733365076637e+01) * z
            - 7.500855792314704667340e+01) * z - 1.228866684490136173410e+02) * z - 6.485021904942025371773e+01;
        let below = ((((z + 2.485846490142306297962e+01) * z + 1.650270098316988542046e+02) * z
            + 4.328810604912902668951e+02) * z + 4.853903996359136964868e+02) * z + 1.945506571482613964425e+02;
        return y + (x * (z * above / below) + x);
    }

    /// The logarithm of the gamma function, for x above 0: Stirling's series
    /// from 10 on.
    fn log_of_gamma(x: f64) -> f64 {
        let mut product = 1.0;
        let mut y = x;
        while (y < 10.0) {
            product = product * y;
            y = y + 1.0;
        }
        let z = 1.0 / (y * y);
        let series = (8.333333333333333e-02 + z * (-2.777777777777778e-03 + z * (7.936507936507937e-04
            + z * (-5.952380952380953e-04 + z * 8.417508417508418e-04)))) / y;
        return (y - 0.5) * log(y) - y + 9.189385332046727418e-01 + series - log(product);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_near(value: f64, exact: f64, tolerance: f64) -> bool {
        value == exact || (value - exact).abs() <= tolerance * exact.abs()
    }

    #[test]
    fn functions_are_right_to_their_last_digits() {
        for k in -3000..3000 {
            let x = f64::from(k) * 0.237_1;
            assert!(is_near(exp(x), x.exp(), 4e-16), "exp {x}: {} {}", exp(x), x.exp());
            assert!(is_near(expm1(x), x.exp_m1(), 2e-15), "expm1 {x}");
            let x = x.exp();
            assert!(is_near(log(x), x.ln(), 4e-16), "log {x}: {} {}", log(x), x.ln());
            let x = 1.0 / (1.0 + x) * 0.999;
            assert!(is_near(log1p(-x), (-x).ln_1p(), 2e-15), "log1p {x}");
            let (sine, cosine) = (std::f64::consts::TAU * x).sin_cos();
            assert!(
                (sine_of_turns(x) - sine).abs() < 2e-15 && (cosine_of_turns(x) - cosine).abs() < 2e-15,
                "{x}"
            );
        }
        assert_eq!(
            (log(0.0), log(f64::INFINITY), log(5e-324)),
            (f64::NEG_INFINITY, f64::INFINITY, 5e-324_f64.ln())
        );
        assert_eq!((exp(-800.0), exp(800.0), exp(0.0), expm1(1e-300)), (0.0, f64::INFINITY, 1.0, 1e-300));
        let mut factorial = 0.0;
        for k in 1..100 {
            assert!((log_of_gamma(f64::from(k)) - factorial).abs() < 1e-13 * (1.0 + factorial), "{k}");
            factorial += f64::from(k).ln();
        }
        for k in 0..4000 {
            let x = f64::from(k).powi(2) * 1e-4;
            assert!(is_near(arctangent(x), x.atan(), 4e-16), "arctangent {x}");
        }
        assert_eq!(arctangent(f64::INFINITY), std::f64::consts::FRAC_PI_2);
        assert!((log_of_gamma(0.5) - std::f64::consts::PI.sqrt().ln()).abs() < 1e-14);
    }
}
