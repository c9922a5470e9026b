//! The logarithm of the gamma function of complex numbers, on its principal branch, which is
//! continuous from the positive numbers on and has its cut along the negative ones.

use super::{
    c64, clog, clog1p, copysign, cos, cosh, fabs, floor, hypot, infinity, isnan, reciprocal, signbit, sin,
    sinh, times,
};
use crate::random::both::in_both;

in_both! { FUNCTIONS:
    /// A step of Horner's scheme.
    fn horner(sum: c64, w: c64, coefficient: f64) -> c64 {
        let product = times(sum, w);
        return c64(product.re + coefficient, product.im);
    }

    /// The logarithm of gamma near 1, by its series of the distance `w`.
    fn log_gamma_near_one(w: c64) -> c64 {
        let mut sum = c64(0.03846153903467519, 0.0);
        sum = horner(sum, w, -0.04000000119214014);
        sum = horner(sum, w, 0.04166666915034121);
        sum = horner(sum, w, -0.04347826605304026);
        sum = horner(sum, w, 0.04545455629320467);
        sum = horner(sum, w, -0.04761907033014222);
        sum = horner(sum, w, 0.05000004769810169);
        sum = horner(sum, w, -0.052631679379616644);
        sum = horner(sum, w, 0.055555767627403614);
        sum = horner(sum, w, -0.058823978658684564);
        sum = horner(sum, w, 0.06250095514121302);
        sum = horner(sum, w, -0.06666870588242046);
        sum = horner(sum, w, 0.07143294629536133);
        sum = horner(sum, w, -0.07693251641135218);
        sum = horner(sum, w, 0.083353840546109);
        sum = horner(sum, w, -0.09095401714582904);
        sum = horner(sum, w, 0.10009945751278182);
        sum = horner(sum, w, -0.1113342658695647);
        sum = horner(sum, w, 0.12550966952474302);
        sum = horner(sum, w, -0.14404989676884603);
        sum = horner(sum, w, 0.16955717699740816);
        sum = horner(sum, w, -0.2073855510286741);
        sum = horner(sum, w, 0.27058080842778454);
        sum = horner(sum, w, -0.40068563438653126);
        sum = horner(sum, w, 0.8224670334241133);
        sum = horner(sum, w, -0.5772156649015329);
        return times(sum, w);
    }

    /// Stirling's series, of large numbers.
    fn log_gamma_far(z: c64) -> c64 {
        let one = reciprocal(z);
        let square = times(one, one);
        let mut sum = c64(-0.029550653594771242, 0.0);
        sum = horner(sum, square, 0.0064102564102564100);
        sum = horner(sum, square, -0.0019175269175269176);
        sum = horner(sum, square, 0.00084175084175084175);
        sum = horner(sum, square, -0.00059523809523809529);
        sum = horner(sum, square, 0.00079365079365079365);
        sum = horner(sum, square, -0.0027777777777777778);
        sum = horner(sum, square, 0.083333333333333333);
        let rest = times(sum, one);
        let main = times(c64(z.re - 0.5, z.im), clog(z));
        return c64(main.re - z.re + 0.91893853320467274178 + rest.re, main.im - z.im + rest.im);
    }

    /// Of a number to the right of 0.1: the recurrence leads to the right, and the argument of
    /// the product on the way is counted beyond half a turn (D. E. G. Hare, "Computing the
    /// principal branch of log-Gamma", Journal of Algorithms 25, 1997).
    fn log_gamma_right(z: c64) -> c64 {
        if (z.re > 7.0 || fabs(z.im) > 7.0) { return log_gamma_far(z); }
        if (hypot(z.re - 1.0, z.im) < 0.2) { return log_gamma_near_one(c64(z.re - 1.0, z.im)); }
        if (hypot(z.re - 2.0, z.im) < 0.2) {
            let below = c64(z.re - 1.0, z.im);
            let first = clog1p(c64(z.re - 2.0, z.im));
            let second = log_gamma_near_one(c64(below.re - 1.0, below.im));
            return c64(first.re + second.re, first.im + second.im);
        }
        let mut w = c64(z.re, fabs(z.im));
        let mut product = w;
        let mut turns = 0.0;
        let mut was_below = false;
        w = c64(w.re + 1.0, w.im);
        while (w.re <= 7.0) {
            product = times(product, w);
            let is_below = signbit(product.im);
            if (is_below && !was_below) { turns = turns + 1.0; }
            was_below = is_below;
            w = c64(w.re + 1.0, w.im);
        }
        let far = log_gamma_far(w);
        let near = clog(product);
        let imag = far.im - near.im - 6.28318530717958647692 * turns;
        if (signbit(z.im)) { return c64(far.re - near.re, -imag); }
        return c64(far.re - near.re, imag);
    }

    fn clgamma(z: c64) -> c64 {
        let none = infinity() - infinity();
        if (isnan(z.re) || isnan(z.im)) { return c64(none, none); }
        if (z.re <= 0.0 && z.im == 0.0 && z.re == floor(z.re)) { return c64(none, none); }
        if (z.re >= 0.1 || fabs(z.im) > 7.0) { return log_gamma_right(z); }
        // The reflection; the sine of pi times the number, by its distance from a whole one.
        let turns = floor(0.5 * z.re + 0.25);
        let whole = floor(z.re + 0.5);
        let x = 3.14159265358979323846 * (z.re - whole);
        let y = 3.14159265358979323846 * z.im;
        let mut sign = 1.0;
        if (whole != 2.0 * floor(0.5 * whole)) { sign = -1.0; }
        let sine = clog(c64(sign * sin(x) * cosh(y), sign * cos(x) * sinh(y)));
        let other = log_gamma_right(c64(1.0 - z.re, -z.im));
        let turned = copysign(6.28318530717958647692, z.im) * turns;
        return c64(1.14472988584940017414 - sine.re - other.re, turned - sine.im - other.im);
    }
}
