//! The incomplete beta function, its inverse, and the distributions that are made of
//! it, with SciPy's names.

use super::more::{betaln, stirling_rest};
use super::{exp, expm1, fabs, floor, infinity, isnan, log, log1p, sqrt};
use crate::random::both::in_both;

/// The beginning of the text: a namespace of its own, so that only kernels that use it have it.
pub(crate) const BEFORE: &str = "namespace gpurepl_beta {
using namespace gpurepl_special;
#define let auto
#define mut
";

in_both! { FUNCTIONS:
    /// `x**a * y**b / beta(a, b)`, where `y` is `1 - x`. Of large numbers by the distance
    /// from the greatest value, as C. Loader has the binomial distribution ("Fast and
    /// accurate computation of binomial probabilities", 2000).
    fn beta_density(a: f64, b: f64, x: f64, y: f64) -> f64 {
        if (a < 10.0 || b < 10.0) {
            // The smaller of both has all its digits.
            let mut of_x = log(x);
            let mut of_y = log(y);
            if (x < 0.5) { of_y = log1p(-x); } else { of_x = log1p(-y); }
            return exp(a * of_x + b * of_y - betaln(a, b));
        }
        let n = a + b;
        // The distance of `n * x` from `a`, and that of `n * y` from `b`, which is its opposite.
        let apart = b * x - a * y;
        let u = apart / a;
        let v = -apart / b;
        let exponent = a * (log1p(u) - u) + b * (log1p(v) - v);
        return sqrt(a / n * b / 6.283185307179586477)
            * exp(exponent + stirling_rest(n) - stirling_rest(a) - stirling_rest(b));
    }

    /// The continued fraction of the incomplete beta function (NIST's Digital Library of
    /// Mathematical Functions, 8.17.22), by Lentz's method. It takes few steps below
    /// `(a + 1) / (a + b + 2)`.
    fn beta_fraction(a: f64, b: f64, x: f64) -> f64 {
        let mut c = 1.0;
        let mut d = 1.0 - (a + b) * x / (a + 1.0);
        if (fabs(d) < 1e-300) { d = 1e-300; }
        d = 1.0 / d;
        let mut product = d;
        let mut m = 0.0;
        let mut change = 0.0;
        while (m < 20000.0 && fabs(change - 1.0) > 2.3e-16) {
            m = m + 1.0;
            let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
            d = 1.0 + even * d;
            if (fabs(d) < 1e-300) { d = 1e-300; }
            c = 1.0 + even / c;
            if (fabs(c) < 1e-300) { c = 1e-300; }
            d = 1.0 / d;
            product = product * (d * c);
            let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
            d = 1.0 + odd * d;
            if (fabs(d) < 1e-300) { d = 1e-300; }
            c = 1.0 + odd / c;
            if (fabs(c) < 1e-300) { c = 1e-300; }
            d = 1.0 / d;
            change = d * c;
            product = product * change;
        }
        return product;
    }

    /// The power series of the incomplete beta function (NIST's Digital Library of
    /// Mathematical Functions, 8.17.7): its terms are positive where `b` is at most 1.
    fn beta_series(a: f64, b: f64, x: f64) -> f64 {
        let mut term = 1.0;
        let mut sum = 1.0 / a;
        let mut n = 0.0;
        let mut added = 1.0;
        while (n < 2000.0 && added > 1e-17 * sum) {
            n = n + 1.0;
            term = term * ((n - b) / n * x);
            added = term / (a + n);
            sum = sum + added;
        }
        return exp(a * log(x) - betaln(a, b)) * sum;
    }

    /// [`betainc`] of numbers that are in their range, with `1 - x`.
    fn beta_share(a: f64, b: f64, x: f64, y: f64) -> f64 {
        if (x <= 0.0) { return 0.0; }
        if (y <= 0.0) { return 1.0; }
        if (x * (a + b + 2.0) < a + 1.0) {
            let below = beta_density(a, b, x, y) * beta_fraction(a, b, x) / a;
            if (below > 1.0) { return 1.0; }
            return below;
        }
        // Where `b` is small, nearly all lies near 1, and what is left is small.
        if (b <= 1.0 && x < 0.96) { return beta_series(a, b, x); }
        let above = beta_density(a, b, x, y) * beta_fraction(b, a, y) / b;
        if (above > 1.0) { return 0.0; }
        return 1.0 - above;
    }

    fn betainc(a: f64, b: f64, x: f64) -> f64 {
        if (isnan(a) || isnan(b) || isnan(x) || a < 0.0 || b < 0.0 || x < 0.0 || x > 1.0) { return infinity() - infinity(); }
        if (x == 0.0 && a < infinity() && b > 0.0) { return 0.0; }
        if (a == 0.0 || b == infinity()) {
            if (b == 0.0 || a == infinity()) { return infinity() - infinity(); }
            return 1.0;
        }
        if (b == 0.0 || a == infinity()) {
            if (b > 0.0 && x == 1.0) { return 1.0; }
            return 0.0;
        }
        return beta_share(a, b, x, 1.0 - x);
    }

    /// The logit of where [`betainc`] is `p`, which is at most 1/2: Newton's method for its
    /// logarithm, between bounds that close in.
    fn lower_beta_logit(a: f64, b: f64, p: f64) -> f64 {
        let mut low = -700.0;
        let mut high = 700.0;
        let mut u = (log(p) + log(a) + betaln(a, b)) / a;
        if (isnan(u) || u > -1.0 || (a > 10.0 && b > 10.0)) { u = log(a / b); }
        if (u < low) { u = low; }
        let mut change = 1.0;
        let mut n = 0.0;
        while (n < 300.0 && fabs(change) > 1e-16 * (1.0 + fabs(u))) {
            n = n + 1.0;
            let x = 1.0 / (1.0 + exp(-u));
            let y = 1.0 / (1.0 + exp(u));
            let share = beta_share(a, b, x, y);
            let slope = beta_density(a, b, x, y);
            if (share < p) { low = u; } else { high = u; }
            let mut next = 0.5 * (low + high);
            if (share > 0.0 && slope > 0.0) {
                let newton = u - log(share / p) * share / slope;
                if (newton > low && newton < high) { next = newton; }
            }
            change = next - u;
            u = next;
        }
        return u;
    }

    /// The logit of where [`betainc`] is `p`, which lies between 0 and 1.
    fn beta_logit(a: f64, b: f64, p: f64) -> f64 {
        if (p <= 0.5) { return lower_beta_logit(a, b, p); }
        return -lower_beta_logit(b, a, 1.0 - p);
    }

    fn betaincinv(a: f64, b: f64, p: f64) -> f64 {
        if (isnan(a) || isnan(b) || isnan(p) || a <= 0.0 || b <= 0.0 || p < 0.0 || p > 1.0) { return infinity() - infinity(); }
        if (p == 0.0) { return 0.0; }
        if (p == 1.0) { return 1.0; }
        let u = beta_logit(a, b, p);
        if (u <= -699.0) { return 0.0; }
        return 1.0 / (1.0 + exp(-u));
    }

    fn bdtr(k: f64, n: f64, p: f64) -> f64 {
        let whole = floor(k);
        let rest = floor(n) - whole;
        if (isnan(p) || isnan(rest) || p < 0.0 || p > 1.0 || whole < 0.0 || rest < 0.0) { return infinity() - infinity(); }
        if (rest == 0.0) { return 1.0; }
        if (whole == 0.0) { return exp(rest * log1p(-p)); }
        return beta_share(rest, whole + 1.0, 1.0 - p, p);
    }

    fn bdtrc(k: f64, n: f64, p: f64) -> f64 {
        let whole = floor(k);
        let rest = floor(n) - whole;
        if (isnan(p) || isnan(rest) || p < 0.0 || p > 1.0 || rest < 0.0) { return infinity() - infinity(); }
        if (whole < 0.0) { return 1.0; }
        if (rest == 0.0) { return 0.0; }
        if (whole == 0.0) { return -expm1(rest * log1p(-p)); }
        return beta_share(whole + 1.0, rest, p, 1.0 - p);
    }

    fn bdtri(k: f64, n: f64, y: f64) -> f64 {
        let whole = floor(k);
        let rest = floor(n) - whole;
        if (isnan(y) || isnan(rest) || y < 0.0 || y > 1.0 || whole < 0.0 || rest <= 0.0) { return infinity() - infinity(); }
        if (whole == 0.0) { return -expm1(log(y) / rest); }
        if (y == 0.0) { return 1.0; }
        if (y == 1.0) { return 0.0; }
        return 1.0 / (1.0 + exp(beta_logit(rest, whole + 1.0, y)));
    }

    fn fdtr(a: f64, b: f64, x: f64) -> f64 {
        if (isnan(x) || !(a > 0.0) || !(b > 0.0) || x < 0.0) { return infinity() - infinity(); }
        if (x == infinity()) { return 1.0; }
        return beta_share(0.5 * a, 0.5 * b, a * x / (b + a * x), b / (b + a * x));
    }

    fn fdtrc(a: f64, b: f64, x: f64) -> f64 {
        if (isnan(x) || !(a > 0.0) || !(b > 0.0) || x < 0.0) { return infinity() - infinity(); }
        if (x == infinity()) { return 0.0; }
        return beta_share(0.5 * b, 0.5 * a, b / (b + a * x), a * x / (b + a * x));
    }

    fn fdtri(a: f64, b: f64, p: f64) -> f64 {
        if (!(a > 0.0) || !(b > 0.0) || !(p > 0.0) || p > 1.0) { return infinity() - infinity(); }
        if (p == 1.0) { return infinity(); }
        return b / a * exp(beta_logit(0.5 * a, 0.5 * b, p));
    }

    fn nbdtr(k: f64, n: f64, p: f64) -> f64 {
        let whole = floor(k);
        if (isnan(p) || isnan(whole) || !(n > 0.0) || p < 0.0 || p > 1.0 || whole < 0.0) { return infinity() - infinity(); }
        return beta_share(floor(n), whole + 1.0, p, 1.0 - p);
    }

    fn nbdtrc(k: f64, n: f64, p: f64) -> f64 {
        let whole = floor(k);
        if (isnan(p) || isnan(whole) || !(n > 0.0) || p < 0.0 || p > 1.0 || whole < 0.0) { return infinity() - infinity(); }
        return beta_share(whole + 1.0, floor(n), 1.0 - p, p);
    }

    fn nbdtri(k: f64, n: f64, y: f64) -> f64 {
        let whole = floor(k);
        if (isnan(y) || isnan(whole) || !(n > 0.0) || y < 0.0 || y > 1.0 || whole < 0.0) { return infinity() - infinity(); }
        return betaincinv(floor(n), whole + 1.0, y);
    }
}

public! {
    bdtr(k, n, p);
    bdtrc(k, n, p);
    bdtri(k, n, y);
    betainc(a, b, x);
    betaincinv(a, b, p);
    fdtr(a, b, x);
    fdtrc(a, b, x);
    fdtri(a, b, p);
    nbdtr(k, n, p);
    nbdtrc(k, n, p);
    nbdtri(k, n, y);
}
