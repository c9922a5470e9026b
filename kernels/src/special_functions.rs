//! Special functions, written once for both devices, as the samplers of [random
//! numbers](crate::random) are, in double precision.
//!
//! They use the real functions of the device, so answers differ between devices
//! by units in the last place.
#![allow(
    unused_parens,
    unused_assignments,
    clippy::manual_clamp,
    clippy::manual_range_contains,
    clippy::needless_return,
    clippy::excessive_precision,
    clippy::unreadable_literal,
    clippy::approx_constant,
    clippy::assign_op_pattern,
    clippy::float_cmp,
    clippy::neg_cmp_op_on_partial_ord,
    clippy::nonminimal_bool,
    clippy::many_single_char_names,
    reason = "the text is C++, too"
)]

use crate::random::both::in_both;

macro_rules! of_reals {
    ($($name:ident($($x:ident),*) => $body:expr;)*) => {
        $(fn $name($($x: f64),*) -> f64 { $body })*
    };
}
of_reals! {
    sqrt(x) => x.sqrt();
    exp(x) => x.exp();
    expm1(x) => x.exp_m1();
    sin(x) => x.sin();
    log(x) => x.ln();
    log1p(x) => x.ln_1p();
    tan(x) => x.tan();
    pow(x, y) => x.powf(y);
    fabs(x) => x.abs();
    floor(x) => x.floor();
    copysign(x, y) => x.copysign(y);
    erfc(x) => libm::erfc(x);
    lgamma(x) => libm::lgamma(x);
    tgamma(x) => libm::tgamma(x);
    infinity() => f64::INFINITY;
}

fn isnan(x: f64) -> bool {
    x.is_nan()
}

/// The beginning of the text, which is the namespace `gpurepl_special`.
pub(crate) const BEFORE: &str = "namespace gpurepl_special {
typedef double f64;
#define let auto
#define mut
inline __device__ f64 infinity() { return __longlong_as_double(0x7ff0000000000000ll); }
";

/// The end of the text.
pub(crate) const AFTER: &str = "#undef let
#undef mut
}
";

in_both! { FUNCTIONS:
    /// The logistic function.
    fn expit(x: f64) -> f64 {
        if (x < 0.0) {
            let e = exp(x);
            return e / (1.0 + e);
        }
        return 1.0 / (1.0 + exp(-x));
    }

    fn log_expit(x: f64) -> f64 {
        if (x < 0.0) { return x - log1p(exp(x)); }
        return -log1p(exp(-x));
    }

    fn logit(p: f64) -> f64 {
        if (p > 0.3 && p < 0.65) {
            let s = 2.0 * (p - 0.5);
            return log1p(s) - log1p(-s);
        }
        return log(p / (1.0 - p));
    }

    fn ndtr(x: f64) -> f64 {
        return 0.5 * erfc(-0.70710678118654752440 * x);
    }

    fn log_ndtr(x: f64) -> f64 {
        if (x < -35.0) {
            let z = 1.0 / (x * x);
            let series = -z * (1.0 - z * (3.0 - z * (15.0 - z * (105.0 - z * 945.0))));
            return -0.5 * x * x - log(-x) - 0.91893853320467274178 + log1p(series);
        }
        if (x < -1.0) { return log(0.5 * erfc(-0.70710678118654752440 * x)); }
        return log1p(-0.5 * erfc(0.70710678118654752440 * x));
    }

    /// The quantile of the normal distribution of `0.5 + q`, whose distance from 0
    /// or 1 is `tail`: M. J. Wichura, "The percentage points of the normal
    /// distribution", Applied Statistics 37, 1988 (algorithm AS 241).
    fn normal_quantile(q: f64, tail: f64) -> f64 {
        if (isnan(q) || tail < 0.0) { return infinity() - infinity(); }
        if (tail == 0.0) { return copysign(infinity(), q); }
        if (fabs(q) <= 0.425) {
            let r = 0.180625 - q * q;
            let above = (((((((2.5090809287301226727e3 * r + 3.3430575583588128105e4) * r + 6.7265770927008700853e4) * r
                + 4.5921953931549871457e4) * r + 1.3731693765509461125e4) * r + 1.9715909503065514427e3) * r
                + 1.3314166789178437745e2) * r + 3.3871328727963666080);
            let below = (((((((5.2264952788528545610e3 * r + 2.8729085735721942674e4) * r + 3.9307895800092710610e4) * r
                + 2.1213794301586595867e4) * r + 5.3941960214247511077e3) * r + 6.8718700749205790830e2) * r
                + 4.2313330701600911252e1) * r + 1.0);
            return q * above / below;
        }
        let root = sqrt(-log(tail));
        if (root <= 5.0) {
            let r = root - 1.6;
            let above = (((((((7.74545014278341407640e-4 * r + 2.27238449892691845833e-2) * r + 2.41780725177450611770e-1) * r
                + 1.27045825245236838258) * r + 3.64784832476320460504) * r + 5.76949722146069140550) * r
                + 4.63033784615654529590) * r + 1.42343711074968357734);
            let below = (((((((1.05075007164441684324e-9 * r + 5.47593808499534494600e-4) * r + 1.51986665636164571966e-2) * r
                + 1.48103976427480074590e-1) * r + 6.89767334985100004550e-1) * r + 1.67638483018380384940) * r
                + 2.05319162663775882187) * r + 1.0);
            return copysign(above / below, q);
        }
        let r = root - 5.0;
        let above = (((((((2.01033439929228813265e-7 * r + 2.71155556874348757815e-5) * r + 1.24266094738807843860e-3) * r
            + 2.65321895265761230930e-2) * r + 2.96560571828504891230e-1) * r + 1.78482653991729133580) * r
            + 5.46378491116411436990) * r + 6.65790464350110377720);
        let below = (((((((2.04426310338993978564e-15 * r + 1.42151175831644588870e-7) * r + 1.84631831751005468180e-5) * r
            + 7.86869131145613259100e-4) * r + 1.48753612908506148525e-2) * r + 1.36929880922735805310e-1) * r
            + 5.99832206555887937690e-1) * r + 1.0);
        return copysign(above / below, q);
    }

    fn ndtri(p: f64) -> f64 {
        if (p < 0.5) { return normal_quantile(p - 0.5, p); }
        return normal_quantile(p - 0.5, 1.0 - p);
    }

    fn erfinv(x: f64) -> f64 {
        return 0.70710678118654752440 * normal_quantile(0.5 * x, 0.5 * (1.0 - fabs(x)));
    }

    fn erfcinv(y: f64) -> f64 {
        if (y < 1.0) { return 0.70710678118654752440 * normal_quantile(0.5 * (1.0 - y), 0.5 * y); }
        return 0.70710678118654752440 * normal_quantile(0.5 * (1.0 - y), 0.5 * (2.0 - y));
    }

    fn entr(x: f64) -> f64 {
        if (isnan(x)) { return x; }
        if (x > 0.0) { return -x * log(x); }
        if (x == 0.0) { return 0.0; }
        return -infinity();
    }

    fn xlogy(x: f64, y: f64) -> f64 {
        if (x == 0.0 && !isnan(y)) { return 0.0; }
        return x * log(y);
    }

    fn xlog1py(x: f64, y: f64) -> f64 {
        if (x == 0.0 && !isnan(y)) { return 0.0; }
        return x * log1p(y);
    }

    fn rel_entr(x: f64, y: f64) -> f64 {
        if (isnan(x) || isnan(y)) { return x + y; }
        if (x > 0.0 && y > 0.0) {
            let ratio = x / y;
            if (ratio > 0.5 && ratio < 2.0) { return x * log1p((x - y) / y); }
            if (ratio > 1e-290 && ratio < infinity()) { return x * log(ratio); }
            return x * (log(x) - log(y));
        }
        if (x == 0.0 && y >= 0.0) { return 0.0; }
        return infinity();
    }

    fn kl_div(x: f64, y: f64) -> f64 {
        if (isnan(x) || isnan(y)) { return x + y; }
        if (x > 0.0 && y > 0.0) { return x * log(x / y) - x + y; }
        if (x == 0.0 && y >= 0.0) { return y; }
        return infinity();
    }

    /// Between its root and 2, by J. Maddock's rational function in Boost, which is
    /// exact near the root; from 10 on the asymptotic series.
    fn digamma(argument: f64) -> f64 {
        let mut x = argument;
        let mut y = 0.0;
        if (isnan(x) || x == infinity()) { return x; }
        if (x == 0.0) { return copysign(infinity(), -x); }
        if (x < 0.0) {
            let rest = x - floor(x);
            if (rest == 0.0) { return infinity() - infinity(); }
            y = -3.14159265358979323846 / tan(3.14159265358979323846 * rest);
            x = 1.0 - x;
        }
        if (x >= 10.0) {
            let z = 1.0 / (x * x);
            let series = z * (8.33333333333333333333e-2 + z * (-8.33333333333333333333e-3 + z * (3.96825396825396825397e-3
                + z * (-4.16666666666666666667e-3 + z * (7.57575757575757575758e-3 + z * (-2.10927960927960927961e-2
                + z * 8.33333333333333333333e-2))))));
            return y + (log(x) - 0.5 / x - series);
        }
        if (x < 1.0) {
            y = y - 1.0 / x;
            x = x + 1.0;
        }
        while (x > 2.0) {
            x = x - 1.0;
            y = y + 1.0 / x;
        }
        let g = x - 1.461632144637405872344970703125 - 3.309564688275257e-10 - 0.9016312093258695918615325266959189453125e-19;
        let s = x - 1.0;
        let above = 0.25479851061131551 + s * (-0.32555031186804491 + s * (-0.65031853770896507 + s * (-0.28919126444774784
            + s * (-0.045251321448739056 + s * -0.0020713321167745952))));
        let below = 1.0 + s * (2.0767117023730469 + s * (1.4606242909763515 + s * (0.43593529692665969
            + s * (0.054151797245674225 + s * (0.0021284987017821144 + s * -0.55789841321675513e-6)))));
        return y + (g * 0.99558162689208984 + g * (above / below));
    }

    /// Hurwitz's zeta function, by the sum of Euler and Maclaurin, as in S. L.
    /// Moshier's Cephes.
    fn zeta(x: f64, q: f64) -> f64 {
        if (isnan(x) || isnan(q)) { return x + q; }
        if (x == 1.0) { return infinity(); }
        if (x < 1.0) { return infinity() - infinity(); }
        if (q <= 0.0) {
            if (q == floor(q)) { return infinity(); }
            if (x != floor(x)) { return infinity() - infinity(); }
        }
        if (q > 1e8) { return (1.0 / (x - 1.0) + 1.0 / (2.0 * q)) * pow(q, 1.0 - x); }
        let mut sum = pow(q, -x);
        let mut w = q;
        let mut count = 0.0;
        let mut b = 0.0;
        while (count < 9.0 || w <= 9.0) {
            count = count + 1.0;
            w = w + 1.0;
            b = pow(w, -x);
            sum = sum + b;
            if (fabs(b) < 1.1e-16 * fabs(sum)) { return sum; }
        }
        let z = 1.0 / (w * w);
        let series = 1.0 - (x + 1.0) * (x + 2.0) * z * 0.016666666666666666 * (1.0
            - (x + 3.0) * (x + 4.0) * z * 0.023809523809523808 * (1.0
            - (x + 5.0) * (x + 6.0) * z * 0.025 * (1.0
            - (x + 7.0) * (x + 8.0) * z * 0.025252525252525252 * (1.0
            - (x + 9.0) * (x + 10.0) * z * 0.025311355311355312 * (1.0
            - (x + 11.0) * (x + 12.0) * z * 0.025325615050651230 * (1.0
            - (x + 13.0) * (x + 14.0) * z * 0.025329131652661065))))));
        return sum + b * w / (x - 1.0) - 0.5 * b + b / w * x / 12.0 * series;
    }

    fn polygamma(n: f64, x: f64) -> f64 {
        if (n == 0.0) { return digamma(x); }
        if (isnan(n) || n < 0.0 || n != floor(n)) { return infinity() - infinity(); }
        let size = tgamma(n + 1.0) * zeta(n + 1.0, x);
        if (n == 2.0 * floor(0.5 * n)) { return -size; }
        return size;
    }

    /// `x**a * exp(-x) / gamma(a + 1)`, by Stirling's series for large `a`.
    fn gamma_density(a: f64, x: f64) -> f64 {
        if (a < 10.0) { return exp(a * log(x) - x - lgamma(a + 1.0)); }
        let m = (x - a) / a;
        let z = 1.0 / (a * a);
        let stirling = (8.333333333333333e-2 - z * (2.777777777777778e-3 - z * (7.936507936507937e-4 - z * (5.952380952380953e-4
            - z * (8.417508417508418e-4 - z * (1.917526917526918e-3 - z * 6.410256410256410e-3)))))) / a;
        return exp(-a * (m - log1p(m)) - stirling) / sqrt(6.283185307179586477 * a);
    }

    fn lower_gamma_series(a: f64, x: f64) -> f64 {
        let mut term = 1.0;
        let mut sum = 1.0;
        let mut n = 0.0;
        while (n < 20000.0 && term > 1.1e-16 * sum) {
            n = n + 1.0;
            term = term * (x / (a + n));
            sum = sum + term;
        }
        return sum * gamma_density(a, x);
    }

    /// Legendre's continued fraction, by Lentz's method.
    fn upper_gamma_fraction(a: f64, x: f64) -> f64 {
        let mut b = x + 1.0 - a;
        let mut c = 1e300;
        let mut d = 1.0 / b;
        let mut product = d;
        let mut n = 0.0;
        let mut change = 0.0;
        while (n < 20000.0 && fabs(change - 1.0) > 1.1e-16) {
            n = n + 1.0;
            let above = n * (a - n);
            b = b + 2.0;
            d = 1.0 / (above * d + b);
            c = b + above / c;
            change = d * c;
            product = product * change;
        }
        return product * a * gamma_density(a, x);
    }

    fn gammainc(a: f64, x: f64) -> f64 {
        if (isnan(a) || isnan(x) || a < 0.0 || x < 0.0) { return infinity() - infinity(); }
        if (a == infinity()) {
            if (x == infinity()) { return infinity() - infinity(); }
            return 0.0;
        }
        if (x == 0.0) {
            if (a == 0.0) { return infinity() - infinity(); }
            return 0.0;
        }
        if (a == 0.0 || x == infinity()) { return 1.0; }
        if (x < a + 1.0) { return lower_gamma_series(a, x); }
        return 1.0 - upper_gamma_fraction(a, x);
    }

    fn gammaincc(a: f64, x: f64) -> f64 {
        if (isnan(a) || isnan(x) || a < 0.0 || x < 0.0) { return infinity() - infinity(); }
        if (a == infinity()) {
            if (x == infinity()) { return infinity() - infinity(); }
            return 1.0;
        }
        if (x == 0.0) {
            if (a == 0.0) { return infinity() - infinity(); }
            return 1.0;
        }
        if (a == 0.0 || x == infinity()) { return 0.0; }
        if (x < a + 1.0) { return 1.0 - lower_gamma_series(a, x); }
        return upper_gamma_fraction(a, x);
    }

    /// `exp(-|x|) i0(x)`, by polynomials that are as near as Chebyshev's.
    fn i0e(argument: f64) -> f64 {
        let x = fabs(argument);
        if (x <= 8.0) {
            let t = 0.25 * x - 1.0;
            return 0.2070019212239867 + t * (-0.11300432688620549 + t * (0.09451562853995128 + t *
            (-0.08904344136075962 + t * (0.08734341617550408 + t * (-0.08496338091616305 + t *
            (0.07927522590772476 + t * (-0.06954119561719381 + t * (0.056777032011256987 + t *
            (-0.04298594945479612 + t * (0.0301779121034198 + t * (-0.01968265469059234 + t *
            (0.011960077419502311 + t * (-0.0067923998730731695 + t * (0.003617128473996364 + t *
            (-0.001811886793937724 + t * (0.0008563093345358882 + t * (-0.00038290209550065975 + t *
            (0.00016241792341840366 + t * (-6.550861389620851e-05 + t * (2.5183377189964778e-05 + t *
            (-9.251680584432654e-06 + t * (3.2498478284328534e-06 + t * (-1.0883393970072518e-06 + t *
            (3.5212842626130005e-07 + t * (-1.1384114641747256e-07 + t * (3.39695180931004e-08 + t *
            (-7.723094556846333e-09 + t * (2.1878041523620257e-09 + t * (-1.1852342482684723e-09 + t *
            (3.043616766866286e-10))))))))))))))))))))))))))))));
        }
        let t = 16.0 / x - 1.0;
        let series = 0.4021765094450081 + t * (0.0033605519836678865 + t * (0.0001362160743919305 + t *
            (1.1143033788352455e-05 + t * (1.4838475658279249e-06 + t * (2.9735993830791437e-07 + t *
            (8.872219737904054e-08 + t * (3.9324708328742363e-08 + t * (2.1548377974791598e-08 + t *
            (7.56377201554603e-09 + t * (-6.747657956107524e-09 + t * (-1.3453822931523271e-08 + t *
            (-5.404771567579958e-09 + t * (7.697662019062485e-09 + t * (7.430464650325426e-09 + t *
            (-3.82099512308995e-09 + t * (-5.95356943826489e-09 + t * (1.983359036878627e-09 + t *
            (3.6379546359011143e-09 + t * (-1.0267340552488217e-09 + t * (-1.618980683624682e-09 + t *
            (4.388861044991905e-10 + t * (4.577087631643623e-10 + t * (-1.2429481430536811e-10 + t *
            (-6.067631570603006e-11 + t * (1.6645473602872717e-11)))))))))))))))))))))))));
        return series / sqrt(x);
    }

    fn i1e(argument: f64) -> f64 {
        let x = fabs(argument);
        if (x <= 8.0) {
            let t = 0.25 * x - 1.0;
            let series = 0.044687709875608835 + t * (-0.06112433802966629 + t * (0.06805759990951162 + t *
            (-0.06848260620582547 + t * (0.06376740371340574 + t * (-0.055280039227051464 + t *
            (0.04467457262129803 + t * (-0.03367135551992323 + t * (0.023686016957060574 + t *
            (-0.015571309256763564 + t * (0.009583962156945484 + t * (-0.00553456775924123 + t *
            (0.0030057623821174878 + t * (-0.0015388749696724586 + t * (0.0007445125009401354 + t *
            (-0.00034117472445271377 + t * (0.00014842078447446075 + t * (-6.142655719704761e-05 + t *
            (2.4234718882605183e-05 + t * (-9.131775730568571e-06 + t * (3.2924352911169492e-06 + t *
            (-1.1381566323785447e-06 + t * (3.775209816001518e-07 + t * (-1.1993980285486188e-07 + t *
            (3.6835919591868617e-08 + t * (-1.1224475126135595e-08 + t * (3.198333859381317e-09 + t *
            (-7.277033556073836e-10 + t * (1.965113009272093e-10 + t * (-9.506861180736366e-11 + t *
            (2.351120264889522e-11))))))))))))))))))))))))))))));
            return argument * (series);
        }
        let t = 16.0 / x - 1.0;
        let series = 0.38939845902587233 + t * (-0.00974957719323576 + t * (-0.00021923576383388928 + t *
            (-1.503854719814553e-05 + t * (-1.8349101326980946e-06 + t * (-3.4838565069237384e-07 + t *
            (-1.0001288294864884e-07 + t * (-4.312811174972107e-08 + t * (-2.337392820814264e-08 + t *
            (-8.436290430234562e-09 + t * (6.734464815301592e-09 + t * (1.4076395500755014e-08 + t *
            (5.974437608040264e-09 + t * (-7.778592763970399e-09 + t * (-7.888351507862078e-09 + t *
            (3.7219797447255018e-09 + t * (6.242741219786445e-09 + t * (-1.8736450470066097e-09 + t *
            (-3.794670896208339e-09 + t * (9.568523624905203e-10 + t * (1.6848984479705146e-09 + t *
            (-4.086984233473255e-10 + t * (-4.758818838703853e-10 + t * (1.161813630287145e-10 + t *
            (6.305965197150057e-11 + t * (-1.5626599071977848e-11)))))))))))))))))))))))));
        return copysign(series / sqrt(x), argument);
    }

    fn i1(x: f64) -> f64 {
        if (fabs(x) == infinity()) { return x; }
        let half = exp(0.5 * fabs(x));
        return half * i1e(x) * half;
    }
}

macro_rules! public {
    ($($name:ident($($x:ident),*);)*) => {
        /// The functions, for the loops of the host.
        pub mod host {
            $(
                /// The function of this name.
                pub fn $name($($x: f64),*) -> f64 {
                    super::$name($($x),*)
                }
            )*
        }
    };
}

pub mod beta;
pub mod harmonics;
pub mod more;

public! {
    digamma(x);
    entr(x);
    erfcinv(x);
    erfinv(x);
    expit(x);
    i0e(x);
    i1(x);
    i1e(x);
    log_expit(x);
    log_ndtr(x);
    logit(x);
    ndtr(x);
    ndtri(x);
    xlogy(x, y);
    xlog1py(x, y);
    rel_entr(x, y);
    kl_div(x, y);
    zeta(x, y);
    polygamma(x, y);
    gammainc(x, y);
    gammaincc(x, y);
}
