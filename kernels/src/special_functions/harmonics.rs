//! Legendre's functions and spherical harmonics, spherical Bessel functions of the
//! second kind, and Jacobi's elliptic functions.

use super::{digamma, fabs, floor, infinity, isnan, log, sin, sqrt, tan, tgamma};
use crate::random::both::in_both;

/// The beginning of the text: a namespace of its own, so that only kernels that use it have it.
pub(crate) const BEFORE: &str = "namespace gpurepl_harmonics {
using namespace gpurepl_special;
#define let auto
#define mut
";

of_reals! {
    cos(x) => x.cos();
    asin(x) => x.asin();
    tanh(x) => x.tanh();
    cosh(x) => x.cosh();
    atan(x) => x.atan();
}

in_both! { FUNCTIONS:
    /// 1 for an even whole number, -1 for an odd one.
    fn sign_of_parity(n: f64) -> f64 {
        if (n == 2.0 * floor(0.5 * n)) { return 1.0; }
        return -1.0;
    }

    /// Legendre's function of a whole degree from `m` on, `m` not negative, by recurrence
    /// on the degree.
    fn legendre_whole(m: f64, n: f64, x: f64) -> f64 {
        let root = sqrt((1.0 - x) * (1.0 + x));
        let mut before = 0.0;
        let mut here = 1.0;
        let mut k = 0.0;
        while (k < m) {
            here = -here * (2.0 * k + 1.0) * root;
            k = k + 1.0;
        }
        while (k < n) {
            let next = ((2.0 * k + 1.0) * x * here - (k + m) * before) / (k + 1.0 - m);
            before = here;
            here = next;
            k = k + 1.0;
        }
        return here;
    }

    /// Legendre's function of a degree that is not whole, `m` not negative: the series of
    /// S. Zhang and J. Jin, "Computation of Special Functions", 1996, section 4.
    fn legendre_series(m: f64, v: f64, x: f64) -> f64 {
        let root = sqrt((1.0 - x) * (1.0 + x));
        let mut factor = 1.0;
        let mut j = 1.0;
        if (m > 0.0) { factor = v * (v + m); }
        while (j < m) {
            factor = factor * (v * v - j * j);
            j = j + 1.0;
        }
        j = 1.0;
        while (j <= m) {
            factor = factor * 0.5 * root / j;
            j = j + 1.0;
        }
        let mut sum = 1.0;
        let mut term = 1.0;
        let mut k = 1.0;
        if (x >= -0.35) {
            while (k < 12.0 || (k < 400.0 && fabs(term) > 1e-17 * fabs(sum))) {
                term = 0.5 * term * (k + m - 1.0 - v) * (v + m + k) / (k * (k + m)) * (1.0 - x);
                sum = sum + term;
                k = k + 1.0;
            }
            return sign_of_parity(m) * factor * sum;
        }
        let share = sin(3.14159265358979323846 * v) / 3.14159265358979323846;
        let mut first = 0.0;
        if (m != 0.0) {
            let quotient = sqrt((1.0 - x) / (1.0 + x));
            let mut power = 1.0;
            j = 1.0;
            while (j <= m) {
                power = power * quotient * j;
                j = j + 1.0;
            }
            let mut finite = 1.0;
            let mut part = 1.0;
            k = 1.0;
            while (k < m) {
                part = 0.5 * part * (k - 1.0 - v) * (v + k) / (k * (k - m)) * (1.0 + x);
                finite = finite + part;
                k = k + 1.0;
            }
            first = -share * power / m * finite;
        }
        let near = 2.0 * (digamma(v) + 0.57721566490153286061)
            + 3.14159265358979323846 / tan(3.14159265358979323846 * v) + 1.0 / v;
        let logarithm = log(0.5 * (1.0 + x));
        let mut harmonic = 0.0;
        j = 1.0;
        while (j <= m) {
            harmonic = harmonic + (j * j + v * v) / (j * (j * j - v * v));
            j = j + 1.0;
        }
        sum = near + harmonic - 1.0 / (m - v) + logarithm;
        term = 1.0;
        let mut inner = 0.0;
        let mut added = infinity();
        k = 1.0;
        while (k < 12.0 || (k < 400.0 && fabs(added) > 1e-17 * fabs(sum))) {
            term = 0.5 * term * (k + m - 1.0 - v) * (v + m + k) / (k * (k + m)) * (1.0 + x);
            harmonic = 0.0;
            j = 1.0;
            while (j <= m) {
                let at = k + j;
                harmonic = harmonic + (at * at + v * v) / (at * (at * at - v * v));
                j = j + 1.0;
            }
            inner = inner + 1.0 / (k * (k * k - v * v));
            added = term * (near + harmonic + 2.0 * v * v * inner - 1.0 / (m + k - v) + logarithm);
            sum = sum + added;
            k = k + 1.0;
        }
        return first + sum * share * factor;
    }

    fn lpmv(order: f64, degree: f64, x: f64) -> f64 {
        if (isnan(order) || isnan(degree) || isnan(x) || fabs(x) > 1.0 || order != floor(order)) {
            return infinity() - infinity();
        }
        if (fabs(order) > 1e6 || fabs(degree) > 1e6) { return infinity() - infinity(); }
        let mut v = degree;
        if (v < 0.0) { v = -v - 1.0; }
        let m = fabs(order);
        let is_whole = v == floor(v);
        if (order < 0.0 && is_whole && v < m) { return infinity() - infinity(); }
        let mut answer = 0.0;
        if (is_whole) {
            if (v < m) { return 0.0; }
            answer = legendre_whole(m, v, x);
        } else {
            if (x == -1.0) {
                if (m == 0.0) { return -infinity(); }
                return infinity();
            }
            let low = v - floor(v);
            if (v - low > 2.0 && v - low > m) {
                let mut before = legendre_series(m, low + m, x);
                answer = legendre_series(m, low + m + 1.0, x);
                let mut j = m + 2.0;
                while (j <= v - low) {
                    let next = ((2.0 * (low + j) - 1.0) * x * answer - (low + j - 1.0 + m) * before) / (low + j - m);
                    before = answer;
                    answer = next;
                    j = j + 1.0;
                }
            } else {
                answer = legendre_series(m, v, x);
            }
        }
        if (order < 0.0) { return sign_of_parity(m) * answer * tgamma(v - m + 1.0) / tgamma(v + m + 1.0); }
        return answer;
    }

    /// The size of a spherical harmonic, without its turn around the axis.
    fn harmonic_size(order: f64, degree: f64, polar: f64) -> f64 {
        let m = fabs(order);
        if (isnan(polar) || !(degree >= 0.0) || degree != floor(degree) || order != floor(order)) {
            return infinity() - infinity();
        }
        if (!(m <= degree)) { return infinity() - infinity(); }
        if (degree > 1e6) { return infinity() - infinity(); }
        // The recurrence of functions that are normalized neither overflows nor loses digits.
        let x = cos(polar);
        let root = fabs(sin(polar));
        let mut here = 0.28209479177387814347;
        let mut before = 0.0;
        let mut k = 0.0;
        while (k < m) {
            k = k + 1.0;
            here = -here * sqrt((2.0 * k + 1.0) / (2.0 * k)) * root;
        }
        let mut last = 0.0;
        while (k < degree) {
            k = k + 1.0;
            let factor = sqrt((4.0 * k * k - 1.0) / ((k - m) * (k + m)));
            let next = factor * (x * here - last * before);
            last = 1.0 / factor;
            before = here;
            here = next;
        }
        if (order < 0.0) { return sign_of_parity(m) * here; }
        return here;
    }

    /// By recurrence from the orders 0 and 1, upwards.
    fn spherical_yn(n: f64, x: f64) -> f64 {
        if (isnan(x) || !(n >= 0.0) || n != floor(n)) { return infinity() - infinity(); }
        let size = fabs(x);
        let mut sign = 1.0;
        if (x < 0.0) { sign = -sign_of_parity(n); }
        if (size == infinity()) { return 0.0; }
        if (size == 0.0) { return -infinity(); }
        if (n > 1e6 && size > 1e6) { return infinity() - infinity(); }
        let mut before = -cos(size) / size;
        if (n == 0.0) { return sign * before; }
        let mut here = (before - sin(size)) / size;
        let mut k = 1.0;
        while (k < n && here > -infinity()) {
            let next = (2.0 * k + 1.0) / size * here - before;
            before = here;
            here = next;
            k = k + 1.0;
        }
        return sign * here;
    }

    /// Jacobi's amplitude: the arithmetic and geometric mean, downwards and back up
    /// (M. Abramowitz and I. A. Stegun, "Handbook of Mathematical Functions", 16.4). The
    /// numbers on the way are computed again rather than kept.
    fn jacobi_amplitude(u: f64, m: f64) -> f64 {
        if (isnan(u) || isnan(m) || m < 0.0 || m > 1.0) { return infinity() - infinity(); }
        if (m == 0.0) { return u; }
        if (m == 1.0) { return 2.0 * atan(tanh(0.5 * u)); }
        let mut a = 1.0;
        let mut b = sqrt(1.0 - m);
        let mut steps = 0.0;
        let mut scale = 1.0;
        while (steps < 12.0 && fabs(a - b) > 1e-15 * a) {
            let mean = 0.5 * (a + b);
            b = sqrt(a * b);
            a = mean;
            scale = 2.0 * scale;
            steps = steps + 1.0;
        }
        let mut angle = scale * a * u;
        while (steps > 0.0) {
            // The mean and half of the distance after this many steps.
            a = 1.0;
            b = sqrt(1.0 - m);
            let mut half = sqrt(m);
            let mut k = 0.0;
            while (k < steps) {
                half = 0.5 * (a - b);
                let mean = 0.5 * (a + b);
                b = sqrt(a * b);
                a = mean;
                k = k + 1.0;
            }
            angle = 0.5 * (angle + asin(half / a * sin(angle)));
            steps = steps - 1.0;
        }
        return angle;
    }

    fn jacobi_sn(u: f64, m: f64) -> f64 {
        if (m == 1.0) { return tanh(u); }
        return sin(jacobi_amplitude(u, m));
    }

    fn jacobi_cn(u: f64, m: f64) -> f64 {
        if (m == 1.0) { return 1.0 / cosh(u); }
        return cos(jacobi_amplitude(u, m));
    }

    /// The root of a sum of what is not negative, which keeps its digits where it is
    /// near 0.
    fn jacobi_dn(u: f64, m: f64) -> f64 {
        if (m == 1.0) { return 1.0 / cosh(u); }
        let angle = jacobi_amplitude(u, m);
        let sine = sin(angle);
        let cosine = cos(angle);
        return sqrt(cosine * cosine + (1.0 - m) * sine * sine);
    }
}

public! {
    harmonic_size(m, n, polar);
    jacobi_amplitude(u, m);
    jacobi_cn(u, m);
    jacobi_dn(u, m);
    jacobi_sn(u, m);
    lpmv(m, v, x);
    spherical_yn(n, x);
}
