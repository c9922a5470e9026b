//! Functions of complex numbers, written once for both devices, as
//! the samplers of [random numbers](crate::random) are, in double precision, with the branch cuts and
//! special values of C99's Annex G, which NumPy has.
//!
//! They use the real functions of the device, so answers differ between devices
//! by units in the last place.
#![allow(
    unused_parens,
    unused_mut,
    non_camel_case_types,
    non_snake_case,
    clippy::needless_return,
    clippy::excessive_precision,
    clippy::unreadable_literal,
    clippy::approx_constant,
    clippy::eq_op,
    clippy::assign_op_pattern,
    clippy::nonminimal_bool,
    clippy::suspicious_operation_groupings,
    clippy::many_single_char_names,
    reason = "the text is C++, too"
)]

pub(crate) mod gamma;

use self::gamma::clgamma;
use crate::random::both::in_both;
use crate::{DType, UnaryOp};

/// A complex number, of whose parts alone the functions speak.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct c64 {
    /// The real part.
    pub re: f64,
    /// The imaginary part.
    pub im: f64,
}

/// A complex number by its parts, as C++ writes it.
pub fn c64(re: f64, im: f64) -> c64 {
    c64 { re, im }
}

macro_rules! of_reals {
    ($($name:ident($($x:ident),*) => $body:expr;)*) => {
        $(fn $name($($x: f64),*) -> f64 { $body })*
    };
}
of_reals! {
    sqrt(x) => x.sqrt();
    exp(x) => x.exp();
    expm1(x) => x.exp_m1();
    log(x) => x.ln();
    log1p(x) => x.ln_1p();
    sin(x) => x.sin();
    cos(x) => x.cos();
    tan(x) => x.tan();
    sinh(x) => x.sinh();
    cosh(x) => x.cosh();
    atan(x) => x.atan();
    atanh(x) => x.atanh();
    atan2(y, x) => y.atan2(x);
    hypot(x, y) => x.hypot(y);
    fabs(x) => x.abs();
    floor(x) => x.floor();
    copysign(x, y) => x.copysign(y);
    fma(x, y, z) => x.mul_add(y, z);
}

fn isnan(x: f64) -> bool {
    x.is_nan()
}

fn isinf(x: f64) -> bool {
    x.is_infinite()
}

fn isfinite(x: f64) -> bool {
    x.is_finite()
}

fn signbit(x: f64) -> bool {
    x.is_sign_negative()
}

fn infinity() -> f64 {
    f64::INFINITY
}

/// The beginning of the text, which is the namespace `gpurepl_complex`.
pub(crate) const BEFORE: &str = "#ifndef GPUREPL_COMPLEX_FUNCTIONS
#define GPUREPL_COMPLEX_FUNCTIONS
namespace gpurepl_complex {
typedef double f64;
typedef gpurepl::complex<double> c64;
#define let auto
#define mut
inline __device__ f64 infinity() { return __longlong_as_double(0x7ff0000000000000ll); }
";

/// The end of the text.
pub(crate) const AFTER: &str = "#undef let
#undef mut
}
#endif
";

/// A function of one complex number.
pub type Function = fn(c64) -> c64;

macro_rules! functions {
    ($($op:ident $name:ident)*) => {
        /// The function, and its name in the text; none for one that is not here.
        const fn found(op: UnaryOp) -> Option<(Function, &'static str)> {
            match op {
                $(UnaryOp::$op => Some(($name, stringify!($name))),)*
                _ => None,
            }
        }
    };
}
functions! {
    Sqrt csqrt Exp cexp Exp2 cexp2 Expm1 cexpm1 Log clog Log2 clog2 Log10 clog10 Log1p clog1p
    Sin csin Cos ccos Tan ctan Arcsin casin Arccos cacos Arctan catan
    Sinh csinh Cosh ccosh Tanh ctanh Arcsinh casinh Arccosh cacosh Arctanh catanh
    Reciprocal reciprocal Loggamma clgamma
}

/// The function of complex numbers: of a row of the group `analytic`, the
/// reciprocal, or the logarithm of gamma.
pub fn function(op: UnaryOp) -> Option<Function> {
    found(op).map(|(function, _)| function)
}

/// Its CUDA C, for an element of a complex type.
pub(crate) fn text(op: UnaryOp, dtype: DType, a: &str) -> Option<String> {
    let c = dtype.c();
    found(op).map(|(_, name)| format!("{c}(gpurepl_complex::{name}(gpurepl_complex::c64({a})))"))
}

/// A number to the power of another one.
pub fn power(z: c64, w: c64) -> c64 {
    cpow(z, w)
}

in_both! { FUNCTIONS:
    fn times(a: c64, b: c64) -> c64 {
        return c64(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re);
    }

    /// `x*x + y*y - 1`, exact where that is near 0, by products and sums in two
    /// parts.
    fn square_less_one(x: f64, y: f64) -> f64 {
        let xx = x * x;
        let x_rest = fma(x, x, -xx);
        let yy = y * y;
        let y_rest = fma(y, y, -yy);
        let a = xx - 1.0;
        let a_back = a - xx;
        let a_rest = (xx - (a - a_back)) + (-1.0 - a_back);
        let sum = a + yy;
        let back = sum - a;
        let rest = (a - (sum - back)) + (yy - back);
        return sum + (rest + (a_rest + (x_rest + y_rest)));
    }

    /// The logarithm of a complex number's size, which may be beyond a float.
    fn log_of_size(x: f64, y: f64) -> f64 {
        let a = fabs(x);
        let b = fabs(y);
        let square = a * a + b * b;
        if (square > 0.5 && square < 3.0) { return 0.5 * log1p(square_less_one(a, b)); }
        if ((a > 1e307 || b > 1e307) && !isinf(a) && !isinf(b)) {
            return log(hypot(0.5 * a, 0.5 * b)) + 0.69314718055994530942;
        }
        if (a < 1e-290 && b < 1e-290 && (a > 0.0 || b > 0.0)) {
            return log(hypot(a * 1.2676506002282294e30, b * 1.2676506002282294e30)) - 69.314718055994530942;
        }
        return log(hypot(a, b));
    }

    fn clog(z: c64) -> c64 {
        return c64(log_of_size(z.re, z.im), atan2(z.im, z.re));
    }

    fn clog2(z: c64) -> c64 {
        let w = clog(z);
        return c64(w.re * 1.44269504088896340736, w.im * 1.44269504088896340736);
    }

    fn clog10(z: c64) -> c64 {
        let w = clog(z);
        return c64(w.re * 0.43429448190325182765, w.im * 0.43429448190325182765);
    }

    fn clog1p(z: c64) -> c64 {
        let x = z.re;
        let y = z.im;
        if (fabs(x) < 0.5 && fabs(y) < 0.5) {
            let xx = x * x;
            let yy = y * y;
            let a = 2.0 * x + xx;
            let back = a - 2.0 * x;
            let rest = (2.0 * x - (a - back)) + (xx - back);
            let sum = a + yy;
            let more = sum - a;
            let last = (a - (sum - more)) + (yy - more);
            let exact = sum + (last + (rest + (fma(x, x, -xx) + fma(y, y, -yy))));
            return c64(0.5 * log1p(exact), atan2(y, x + 1.0));
        }
        return clog(c64(x + 1.0, y));
    }

    /// `exp(x) * (cos(y), sin(y))`, also where `exp(x)` alone is too large.
    fn of_polar(x: f64, y: f64) -> c64 {
        if (x > 709.0) {
            let e = exp(x - 709.0);
            return c64(e * cos(y) * 8.218407461554972e307, e * sin(y) * 8.218407461554972e307);
        }
        let e = exp(x);
        return c64(e * cos(y), e * sin(y));
    }

    fn cexp(z: c64) -> c64 {
        let x = z.re;
        let y = z.im;
        if (y == 0.0) { return c64(exp(x), y); }
        if (isfinite(y)) {
            if (x == 0.0) { return c64(cos(y), sin(y)); }
            return of_polar(x, y);
        }
        if (isinf(x)) {
            if (x < 0.0) { return c64(0.0, copysign(0.0, y)); }
            return c64(x, y - y);
        }
        return c64(y - y, y - y);
    }

    fn cexp2(z: c64) -> c64 {
        return cexp(c64(z.re * 0.69314718055994530942, z.im * 0.69314718055994530942));
    }

    fn cexpm1(z: c64) -> c64 {
        let half = sin(0.5 * z.im);
        return c64(expm1(z.re) * cos(z.im) - 2.0 * half * half, exp(z.re) * sin(z.im));
    }

    fn csqrt(z: c64) -> c64 {
        let mut x = z.re;
        let mut y = z.im;
        if (x == 0.0 && y == 0.0) { return c64(0.0, y); }
        if (isinf(y)) { return c64(infinity(), y); }
        if (isnan(x)) { return c64(x, x); }
        if (isinf(x)) {
            if (signbit(x)) { return c64(fabs(y - y), copysign(x, y)); }
            return c64(x, copysign(y - y, y));
        }
        let mut scale = 1.0;
        if (fabs(x) > 1e307 || fabs(y) > 1e307) {
            x = x * 0.0625;
            y = y * 0.0625;
            scale = 4.0;
        } else if (fabs(x) < 1e-290 && fabs(y) < 1e-290) {
            x = x * 1.2676506002282294e30;
            y = y * 1.2676506002282294e30;
            scale = 8.8817841970012523e-16;
        }
        if (x >= 0.0) {
            let t = sqrt(0.5 * (x + hypot(x, y)));
            return c64(scale * t, scale * (y / (2.0 * t)));
        }
        let t = sqrt(0.5 * (hypot(x, y) - x));
        return c64(scale * (fabs(y) / (2.0 * t)), copysign(scale * t, y));
    }

    fn ccosh(z: c64) -> c64 {
        let x = z.re;
        let y = z.im;
        if (isfinite(x) && isfinite(y)) {
            if (y == 0.0) { return c64(cosh(x), x * y); }
            if (fabs(x) < 22.0) { return c64(cosh(x) * cos(y), sinh(x) * sin(y)); }
            let w = of_polar(fabs(x) - 0.69314718055994530942, y);
            return c64(w.re, copysign(1.0, x) * w.im);
        }
        if (x == 0.0) { return c64(y - y, copysign(0.0, x * (y - y))); }
        if (y == 0.0) {
            if (isinf(x)) { return c64(x * x, copysign(0.0, x) * y); }
            return c64(x * x, copysign(0.0, (x + x) * y));
        }
        if (isfinite(x)) { return c64(y - y, x * (y - y)); }
        if (isinf(x)) {
            if (isfinite(y)) { return c64(x * x * cos(y), x * sin(y)); }
            return c64(x * x, x * (y - y));
        }
        return c64((x * x) * (y - y), (x + x) * (y - y));
    }

    fn csinh(z: c64) -> c64 {
        let x = z.re;
        let y = z.im;
        if (isfinite(x) && isfinite(y)) {
            if (y == 0.0) { return c64(sinh(x), y); }
            if (fabs(x) < 22.0) { return c64(sinh(x) * cos(y), cosh(x) * sin(y)); }
            let w = of_polar(fabs(x) - 0.69314718055994530942, y);
            return c64(copysign(1.0, x) * w.re, w.im);
        }
        if (x == 0.0) { return c64(copysign(0.0, x * (y - y)), y - y); }
        if (y == 0.0) { return c64(x, y); }
        if (isfinite(x)) { return c64(y - y, x * (y - y)); }
        if (isinf(x)) {
            if (isfinite(y)) { return c64(x * cos(y), infinity() * sin(y)); }
            return c64(x * x, x * (y - y));
        }
        return c64((x * x) * (y - y), (x + x) * (y - y));
    }

    /// W. Kahan, "Branch cuts for complex elementary functions", in The State of
    /// the Art in Numerical Analysis, 1987.
    fn ctanh(z: c64) -> c64 {
        let x = z.re;
        let y = z.im;
        if (isnan(x)) {
            if (y == 0.0) { return c64(x, y); }
            return c64(x, x * y);
        }
        if (isinf(x)) {
            if (isinf(y)) { return c64(copysign(1.0, x), copysign(0.0, y)); }
            return c64(copysign(1.0, x), copysign(0.0, sin(y) * cos(y)));
        }
        if (!isfinite(y)) {
            if (x == 0.0) { return c64(x, y - y); }
            return c64(y - y, y - y);
        }
        if (fabs(x) >= 22.0) {
            let e = exp(-fabs(x));
            return c64(copysign(1.0, x), 4.0 * sin(y) * cos(y) * e * e);
        }
        let t = tan(y);
        let beta = 1.0 + t * t;
        let s = sinh(x);
        let rho = sqrt(1.0 + s * s);
        let below = 1.0 + beta * s * s;
        return c64(beta * rho * s / below, t / below);
    }

    fn csin(z: c64) -> c64 {
        let w = csinh(c64(-z.im, z.re));
        return c64(w.im, -w.re);
    }

    fn ccos(z: c64) -> c64 {
        return ccosh(c64(-z.im, z.re));
    }

    fn ctan(z: c64) -> c64 {
        let w = ctanh(c64(-z.im, z.re));
        return c64(w.im, -w.re);
    }

    /// Half of `hypot(a, b) - b`, without cancellation.
    fn half_rest(a: f64, b: f64, length: f64) -> f64 {
        if (b < 0.0) { return 0.5 * (length - b); }
        if (b == 0.0) { return 0.5 * a; }
        return 0.5 * (a * a / (length + b));
    }

    /// The real part of `casinh(x + i y)`, which is that of `cacosh` too, for
    /// numbers that are not negative: T. E. Hull, T. F. Fairgrieve and P. T. P.
    /// Tang, "Implementing the complex arcsine and arccosine functions using
    /// exception handling", ACM Transactions on Mathematical Software 23, 1997.
    fn hull_length(x: f64, y: f64) -> f64 {
        let r = hypot(x, y + 1.0);
        let s = hypot(x, y - 1.0);
        let mut a = 0.5 * (r + s);
        if (a < 1.0) { a = 1.0; }
        if (a >= 10.0) { return log(a + sqrt(a * a - 1.0)); }
        if (y == 1.0 && x < 3.8518598887744717e-34) { return sqrt(x); }
        if (x >= 2.220446049250313e-16 * fabs(y - 1.0)) {
            let more = half_rest(x, 1.0 + y, r) + half_rest(x, 1.0 - y, s);
            return log1p(more + sqrt(more * (a + 1.0)));
        }
        if (y < 1.0) { return x / sqrt((1.0 - y) * (1.0 + y)); }
        return log1p((y - 1.0) + sqrt((y - 1.0) * (y + 1.0)));
    }

    /// The sides of the triangle whose angle is the other part: the real one is
    /// `sqrt(a*a - y*y)`, the imaginary one `y`, both scaled alike.
    fn hull_sides(x: f64, y: f64) -> c64 {
        let r = hypot(x, y + 1.0);
        let s = hypot(x, y - 1.0);
        let mut a = 0.5 * (r + s);
        if (a < 1.0) { a = 1.0; }
        if (y < 5.966672584960166e-154) {
            return c64(a * 9007199254740992.0, y * 9007199254740992.0);
        }
        if (y == 1.0 && x < 1.7347234759768071e-18) { return c64(sqrt(x) * sqrt(0.5 * (a + y)), y); }
        if (x >= 2.220446049250313e-16 * fabs(y - 1.0)) {
            let less = half_rest(x, y + 1.0, r) + half_rest(x, y - 1.0, s);
            return c64(sqrt(less * (a + y)), y);
        }
        if (y > 1.0) {
            return c64(x * 8.1129638414606682e31 * y / sqrt((y + 1.0) * (y - 1.0)), y * 8.1129638414606682e31);
        }
        return c64(sqrt((1.0 - y) * (1.0 + y)), y);
    }

    fn casinh(z: c64) -> c64 {
        let x = z.re;
        let y = z.im;
        let a = fabs(x);
        let b = fabs(y);
        if (isnan(x) || isnan(y)) {
            if (isinf(x)) { return c64(x, y + y); }
            if (isinf(y)) { return c64(y, x + x); }
            if (y == 0.0) { return c64(x + x, y); }
            return c64(x + y, x + y);
        }
        if (a > 4503599627370496.0 || b > 4503599627370496.0) {
            return c64(copysign(log_of_size(a, b) + 0.69314718055994530942, x), copysign(atan2(b, a), y));
        }
        if (a < 9.125e-9 && b < 9.125e-9) { return z; }
        let sides = hull_sides(a, b);
        return c64(copysign(hull_length(a, b), x), copysign(atan2(sides.im, sides.re), y));
    }

    fn casin(z: c64) -> c64 {
        let w = casinh(c64(z.im, z.re));
        return c64(w.im, w.re);
    }

    fn cacos(z: c64) -> c64 {
        let x = z.re;
        let y = z.im;
        let a = fabs(x);
        let b = fabs(y);
        if (isnan(x) || isnan(y)) {
            if (isinf(x)) { return c64(y + y, -infinity()); }
            if (isinf(y)) { return c64(x + x, -y); }
            if (x == 0.0) { return c64(1.57079632679489661923, y + y); }
            return c64(x + y, x + y);
        }
        if (a > 4503599627370496.0 || b > 4503599627370496.0) {
            return c64(fabs(atan2(y, x)), -copysign(log_of_size(a, b) + 0.69314718055994530942, y));
        }
        if (x == 1.0 && y == 0.0) { return c64(0.0, -y); }
        if (a < 9.125e-9 && b < 9.125e-9) {
            return c64(1.57079632679489661923 - (x - 6.12323399573676603587e-17), -y);
        }
        let sides = hull_sides(b, a);
        return c64(atan2(sides.re, copysign(sides.im, x)), -copysign(hull_length(b, a), y));
    }

    fn cacosh(z: c64) -> c64 {
        let w = cacos(z);
        if (isnan(w.re) && isnan(w.im)) { return c64(w.im, w.re); }
        if (isnan(w.re)) { return c64(fabs(w.im), w.re); }
        if (isnan(w.im)) { return c64(w.im, w.re); }
        return c64(fabs(w.im), copysign(w.re, z.im));
    }

    fn catanh(z: c64) -> c64 {
        let x = z.re;
        let y = z.im;
        let a = fabs(x);
        let b = fabs(y);
        if (y == 0.0 && a <= 1.0) { return c64(atanh(x), y); }
        if (x == 0.0) { return c64(x, atan(y)); }
        if (isnan(x) || isnan(y)) {
            if (isinf(x)) { return c64(copysign(0.0, x), y + y); }
            if (isinf(y)) { return c64(copysign(0.0, x), copysign(1.57079632679489661923, y)); }
            return c64(x + y, x + y);
        }
        if (a > 4503599627370496.0 || b > 4503599627370496.0) {
            let mut real = 0.0;
            if (!isinf(a) && !isinf(b)) {
                let length = hypot(0.5 * x, 0.5 * y);
                real = 0.25 * x / length / length;
            }
            return c64(copysign(real, x), copysign(1.57079632679489661923, y));
        }
        if (a < 1.29e-8 && b < 1.29e-8) { return z; }
        let mut square = (a - 1.0) * (a - 1.0);
        if (b > 1.5e-154) { square = square + b * b; }
        let mut real = 0.25 * log1p(4.0 * a / square);
        if (a == 1.0 && b < 2.220446049250313e-16) { real = 0.5 * (0.69314718055994530942 - log(b)); }
        let mut imag = 0.5 * atan2(2.0 * b, (1.0 - a) * (1.0 + a) - b * b);
        if (a == 1.0) { imag = 0.5 * atan2(2.0, -b); }
        return c64(copysign(real, x), copysign(imag, y));
    }

    fn catan(z: c64) -> c64 {
        let w = catanh(c64(z.im, z.re));
        return c64(w.im, w.re);
    }

    /// The reciprocal by R. L. Smith's algorithm.
    fn reciprocal(z: c64) -> c64 {
        if (fabs(z.re) >= fabs(z.im)) {
            let ratio = z.im / z.re;
            let scale = 1.0 / (z.re + z.im * ratio);
            return c64(scale, -ratio * scale);
        }
        let ratio = z.re / z.im;
        let scale = 1.0 / (z.im + z.re * ratio);
        return c64(ratio * scale, -scale);
    }

    /// Whole powers below 100 by multiplication, as in NumPy.
    fn cpow(z: c64, w: c64) -> c64 {
        if (w.re == 0.0 && w.im == 0.0) { return c64(1.0, 0.0); }
        if (z.re == 0.0 && z.im == 0.0) {
            if (w.re > 0.0 && w.im == 0.0) { return c64(0.0, 0.0); }
            let none = infinity() - infinity();
            return c64(none, none);
        }
        let mut left = fabs(w.re);
        if (w.im == 0.0 && left < 100.0 && floor(left) == left) {
            let mut power = z;
            let mut square = z;
            let mut is_first = true;
            while (left > 0.0) {
                let half = floor(0.5 * left);
                if (left - 2.0 * half == 1.0) {
                    if (is_first) { power = square; } else { power = times(power, square); }
                    is_first = false;
                }
                square = times(square, square);
                left = half;
            }
            if (w.re < 0.0) { return reciprocal(power); }
            return power;
        }
        let l = clog(z);
        return cexp(times(w, l));
    }
}
