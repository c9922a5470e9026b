//! Functions that generated kernels call, as CUDA C text.
//!
//! Each piece is added to a kernel only when the kernel uses it, so that the
//! usual kernel is a dozen lines and compiles in milliseconds.

use crate::complex::{COMPLEX, COMPLEX_MATH, COMPLEX_PARTS};
use crate::headers::header;
use crate::token::tokens;
use crate::{complex_functions, special_functions};

/// Appends the pieces of [`PIECES`] whose name occurs in `body`, in order.
pub(crate) fn pieces_for(body: &str) -> String {
    // A piece may use an earlier one, so the wanted set grows from the back.
    let mut wanted = vec![false; PIECES.len()];
    for k in (0..PIECES.len()).rev() {
        let (name, _) = PIECES[k];
        wanted[k] = body.contains(name)
            || (name == "gpurepl::complex" && uses_complex(body))
            || (name == "gpurepl_complex_math" && uses_complex_math(body))
            || PIECES
                .iter()
                .zip(&wanted)
                .skip(k + 1)
                .any(|((_, text), &wanted)| wanted && text.contains(name));
    }
    PIECES.iter().zip(wanted).filter(|(_, wanted)| *wanted).map(|((_, text), _)| *text).collect()
}

/// The complex numbers, where a text uses them by our name or by PyCUDA's, and their functions.
pub(crate) fn complex_for(body: &str) -> String {
    match (uses_complex(body), uses_complex_math(body)) {
        (false, _) => String::new(),
        (true, false) => COMPLEX.to_owned(),
        (true, true) => COMPLEX_PARTS.concat(),
    }
}

fn uses_complex(body: &str) -> bool {
    body.contains("gpurepl::complex") || body.contains("pycuda::complex")
}

/// Whether a text may call a function of complex numbers.
fn uses_complex_math(body: &str) -> bool {
    const NAMES: [&str; 19] = [
        "exp", "log", "log10", "sqrt", "sin", "cos", "tan", "sinh", "cosh", "tanh", "asin", "acos", "atan",
        "asinh", "acosh", "atanh", "pow", "arg", "polar",
    ];
    uses_complex(body) && tokens(body).iter().any(|token| NAMES.contains(&token.text(body)))
}

/// A name to look for and the text that defines it.
const PIECES: [(&str, &str); 41] = [
    ("gpurepl::complex", COMPLEX),
    ("gpurepl_complex", complex_functions::BEFORE),
    ("gpurepl_complex", complex_functions::FUNCTIONS),
    ("gpurepl_complex::clgamma", complex_functions::gamma::FUNCTIONS),
    ("gpurepl_complex", complex_functions::AFTER),
    ("gpurepl_complex_math", COMPLEX_MATH),
    ("gpurepl_special", special_functions::BEFORE),
    ("gpurepl_special", special_functions::FUNCTIONS),
    ("gpurepl_special", special_functions::more::FUNCTIONS),
    ("gpurepl_special", special_functions::AFTER),
    ("gpurepl_beta", special_functions::beta::BEFORE),
    ("gpurepl_beta", special_functions::beta::FUNCTIONS),
    ("gpurepl_beta", special_functions::AFTER),
    ("gpurepl_harmonics", special_functions::harmonics::BEFORE),
    ("gpurepl_harmonics", special_functions::harmonics::FUNCTIONS),
    ("gpurepl_harmonics", special_functions::AFTER),
    ("gpurepl_two_sum", TWO_SUM),
    ("gpurepl::complex<float> gpurepl_sum", REST_OF_COMPLEX),
    ("gpurepl::complex<double> gpurepl_sum", REST_OF_COMPLEX),
    ("gpurepl_half_to_float", HALF_TO_FLOAT),
    ("gpurepl_float_to_half", FLOAT_TO_HALF),
    ("gpurepl_double_to_half", DOUBLE_TO_HALF),
    ("gpurepl_saturate", SATURATE),
    ("gpurepl_floor_divide", FLOOR_DIVIDE),
    ("gpurepl_remainder", REMAINDER),
    ("gpurepl_power_integer", POWER),
    ("gpurepl_power_overflows", POWER_OVERFLOWS),
    ("gpurepl_shift", SHIFT),
    ("gpurepl_sign_complex", SIGN_COMPLEX),
    ("gpurepl_sinc", SINC),
    ("gpurepl_fraction", FRACTION),
    ("gpurepl_mantissa", MANTISSA),
    ("gpurepl_exponent", EXPONENT),
    ("gpurepl_order", ORDER),
    ("gpurepl_nextafter_half", NEXTAFTER),
    ("gpurepl_logaddexp", LOGADDEXP),
    ("gpurepl_fmod", FMOD),
    ("gpurepl_fmax", FMAX),
    ("gpurepl_fmin", FMIN),
    ("gpurepl_gcd", GCD),
    ("gpurepl_lcm", LCM),
];

/// Texture and surface references, which CUDA does not have any more.
pub(crate) const REFERENCES: &str = include_str!("references.hpp");

/// `REFERENCES` as a header in C.
pub const REFERENCES_HEADER: &std::ffi::CStr = header(concat!(include_str!("references.hpp"), "\0"));

/// What `#include <pycuda-helpers.hpp>` brings, over `REFERENCES` and `COMPLEX`.
pub(crate) const PYCUDA_HELPERS: &str = include_str!("pycuda-helpers.hpp");

/// `PYCUDA_HELPERS` as a header in C, complete.
pub const PYCUDA_HELPERS_HEADER: &std::ffi::CStr = header(concat!(
    include_str!("complex.hpp"),
    include_str!("references.hpp"),
    include_str!("pycuda-helpers.hpp"),
    "\0"
));

/// The macros of the C library's headers, for a compiler without them.
pub(crate) const CONSTANTS_TEXT: &str = include_str!("constants.h");

/// `CONSTANTS_TEXT` as a header in C.
pub const CONSTANTS: &std::ffi::CStr = header(concat!(include_str!("constants.h"), "\0"));

/// The numbers of CUDA's `math_constants.h`.
pub const MATH_CONSTANTS: &std::ffi::CStr = header(concat!(include_str!("math_constants.h"), "\0"));

/// A sum and what rounding has lost of it, added up beside it. An infinite sum
/// has lost no number.
const TWO_SUM: &str = r#"
template <class T> static __device__ __forceinline__ void gpurepl_two_sum(T &sum, T &rest, T x) {
  const T total = sum + x, added = total - sum;
  rest = rest + ((sum - (total - added)) + (x - added));
  sum = total;
}
template <class T> static __device__ __forceinline__ T gpurepl_with_rest(T sum, T rest) {
  return rest - rest == 0 ? sum + rest : sum;
}
"#;

const REST_OF_COMPLEX: &str = r#"
template <class T> static __device__ __forceinline__ gpurepl::complex<T> gpurepl_with_rest(gpurepl::complex<T> sum, gpurepl::complex<T> rest) {
  return gpurepl::complex<T>(gpurepl_with_rest(sum.re, rest.re), gpurepl_with_rest(sum.im, rest.im));
}
"#;

/// Half precision without a header: the three conversions that PTX has.
const HALF_TO_FLOAT: &str = r#"
static __device__ __forceinline__ float gpurepl_half_to_float(unsigned short bits) {
  float value;
  asm("{cvt.f32.f16 %0, %1;}" : "=f"(value) : "h"(bits));
  return value;
}
"#;

const FLOAT_TO_HALF: &str = r#"
static __device__ __forceinline__ unsigned short gpurepl_float_to_half(float value) {
  unsigned short bits;
  asm("{cvt.rn.f16.f32 %0, %1;}" : "=h"(bits) : "f"(value));
  return bits;
}
"#;

const DOUBLE_TO_HALF: &str = r#"
static __device__ __forceinline__ unsigned short gpurepl_double_to_half(double value) {
  unsigned short bits;
  asm("{cvt.rn.f16.f64 %0, %1;}" : "=h"(bits) : "d"(value));
  return bits;
}
"#;

/// Float to integer as Rust's `as` does it: towards zero, held at the ends of
/// the range, NaN to zero. C leaves all three undefined.
const SATURATE: &str = r#"
template <class T, class F> static __device__ __forceinline__ T gpurepl_saturate(F x, T low, T high, F low_limit, F high_limit) {
  return x != x ? T(0) : x <= low_limit ? low : x >= high_limit ? high : T(x);
}
"#;

/// Division towards minus infinity; by zero it is zero for integers, as in NumPy.
const FLOOR_DIVIDE: &str = r#"
template <class T> static __device__ __forceinline__ T gpurepl_floor_divide_signed(T a, T b) {
  if (b == 0) return 0;
  if (b == -1) return T(0ull - (unsigned long long)a);
  T quotient = a / b;
  return quotient - T((a % b != 0) && ((a < 0) != (b < 0)));
}
template <class T> static __device__ __forceinline__ T gpurepl_floor_divide_unsigned(T a, T b) { return b == 0 ? T(0) : T(a / b); }
template <class T> static __device__ __forceinline__ T gpurepl_floor_divide_float(T a, T b) {
  if (b == 0) return a / b;
  T rest = fmod(a, b), quotient = (a - rest) / b;
  if (rest != 0 && (b < 0) != (rest < 0)) quotient -= 1;
  if (quotient == 0) return copysign(T(0), a / b);
  T whole = floor(quotient);
  return quotient - whole > T(0.5) ? whole + 1 : whole;
}
"#;

/// The rest of a division towards minus infinity: it has the divisor's sign.
const REMAINDER: &str = r#"
template <class T> static __device__ __forceinline__ T gpurepl_remainder_signed(T a, T b) {
  if (b == 0 || b == -1) return 0;
  T rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? T(rest + b) : rest;
}
template <class T> static __device__ __forceinline__ T gpurepl_remainder_unsigned(T a, T b) { return b == 0 ? T(0) : T(a % b); }
template <class T> static __device__ __forceinline__ T gpurepl_remainder_float(T a, T b) {
  T rest = fmod(a, b);
  if (rest == 0) return copysign(T(0), b);
  return (b < 0) != (rest < 0) ? rest + b : rest;
}
"#;

/// Integer powers by squaring, wrapping around; the exponent is not negative.
const POWER: &str = r#"
template <class T> static __device__ __forceinline__ T gpurepl_power_integer(T base, T exponent) {
  unsigned long long result = 1, square = (unsigned long long)base, left = (unsigned long long)exponent;
  for (; left; left >>= 1) {
    if (left & 1) result *= square;
    square *= square;
  }
  return T(result);
}
"#;

/// Whether a power of 32-bit integers needs more bits; the exponent is not
/// negative. A power of two or more has at most 31 steps.
const POWER_OVERFLOWS: &str = r#"
static __device__ __forceinline__ bool gpurepl_power_overflows(int base, int exponent) {
  if (base >= -1 && base <= 1) return false;
  long long power = 1;
  for (; exponent > 0; exponent--) {
    power *= base;
    if (power != (int)power) return true;
  }
  return false;
}
"#;

/// A complex number over its size.
const SIGN_COMPLEX: &str = r#"
template <class T> static __device__ __forceinline__ T gpurepl_sign_complex(T a) {
  auto size = hypot(a.re, a.im), none = a.re - a.re + (a.im - a.im);
  if (size != size || (isinf(a.re) && isinf(a.im))) return T(none, none);
  if (isinf(a.re)) return T(a.re > 0 ? 1 : -1, 0);
  if (isinf(a.im)) return T(0, a.im > 0 ? 1 : -1);
  return size == 0 ? T(0, 0) : T(a.re / size, a.im / size);
}
"#;

const SINC: &str = r#"
template <class T> static __device__ __forceinline__ T gpurepl_sinc(T a) {
  T x = T(3.14159265358979323846) * a;
  return a == 0 ? T(1) : sin(x) / x;
}
"#;

/// `modf`, `frexp`: an infinity has no fraction, and no exponent.
const FRACTION: &str = r#"
template <class T> static __device__ __forceinline__ T gpurepl_fraction(T a) {
  return copysign(isinf(a) ? T(0) : a - trunc(a), a);
}
"#;
const MANTISSA: &str = r#"
template <class T> static __device__ __forceinline__ T gpurepl_mantissa(T a) {
  int exponent;
  return isfinite(a) ? frexp(a, &exponent) : a;
}
"#;
const EXPONENT: &str = r#"
template <class T> static __device__ __forceinline__ int gpurepl_exponent(T a) {
  int exponent = 0;
  if (isfinite(a)) frexp(a, &exponent);
  return exponent;
}
"#;

/// The bits of a float as the upper half of a number that compares as it does;
/// zeros are equal.
const ORDER: &str = r#"
static __device__ __forceinline__ long long gpurepl_order(float a, int of_nan, unsigned int low) {
  const int bits = __float_as_int(a + 0.0f);
  const unsigned int order = a != a ? of_nan : bits ^ ((bits >> 31) & 0x7fffffff);
  return (long long)((unsigned long long)order << 32 | low);
}
"#;

/// The next number of half precision, by its bits.
const NEXTAFTER: &str = r#"
template <class T> static __device__ __forceinline__ T gpurepl_nextafter_half(T a, T b) {
  if (a != a || b != b) return a + b;
  if (a == b) return a;
  unsigned short bits = gpurepl_float_to_half(a);
  if (a == 0) bits = b > 0 ? 1 : 0x8001;
  else bits += (a < b) == (a > 0) ? 1 : -1;
  return gpurepl_half_to_float(bits);
}
"#;

/// Logarithms of sums: the larger power is taken out of the sum.
const LOGADDEXP: &str = r#"
template <class T> static __device__ __forceinline__ T gpurepl_logaddexp(T a, T b) {
  if (a == b) return a + T(0.69314718055994530942);
  T d = a - b;
  return d > 0 ? a + log1p(exp(-d)) : d <= 0 ? b + log1p(exp(d)) : d;
}
template <class T> static __device__ __forceinline__ T gpurepl_logaddexp2(T a, T b) {
  if (a == b) return a + 1;
  T d = a - b;
  return d > 0 ? a + T(1.44269504088896340736) * log1p(exp2(-d))
    : d <= 0 ? b + T(1.44269504088896340736) * log1p(exp2(d)) : d;
}
"#;

/// The rest of a division towards zero.
const FMOD: &str = r#"
template <class T> static __device__ __forceinline__ T gpurepl_fmod_signed(T a, T b) { return b == 0 || b == -1 ? T(0) : T(a % b); }
template <class T> static __device__ __forceinline__ T gpurepl_fmod_unsigned(T a, T b) { return b == 0 ? T(0) : T(a % b); }
template <class T> static __device__ __forceinline__ T gpurepl_fmod_float(T a, T b) { return fmod(a, b); }
"#;
const FMAX: &str = r#"
template <class T> static __device__ __forceinline__ T gpurepl_fmax_signed(T a, T b) { return a >= b ? a : b; }
template <class T> static __device__ __forceinline__ T gpurepl_fmax_unsigned(T a, T b) { return a >= b ? a : b; }
template <class T> static __device__ __forceinline__ T gpurepl_fmax_float(T a, T b) { return a >= b || b != b ? a : b; }
"#;
const FMIN: &str = r#"
template <class T> static __device__ __forceinline__ T gpurepl_fmin_signed(T a, T b) { return a <= b ? a : b; }
template <class T> static __device__ __forceinline__ T gpurepl_fmin_unsigned(T a, T b) { return a <= b ? a : b; }
template <class T> static __device__ __forceinline__ T gpurepl_fmin_float(T a, T b) { return a <= b || b != b ? a : b; }
"#;

/// Euclid's algorithm, over the numbers without their signs.
const GCD: &str = r#"
template <class T> static __device__ __forceinline__ unsigned long long gpurepl_gcd_size(T a) {
  return a < T(1) ? 0ull - (unsigned long long)a : (unsigned long long)a;
}
template <class T> static __device__ __forceinline__ T gpurepl_gcd(T a, T b) {
  unsigned long long x = gpurepl_gcd_size(a), y = gpurepl_gcd_size(b);
  while (y) {
    unsigned long long rest = x % y;
    x = y;
    y = rest;
  }
  return T(x);
}
"#;
const LCM: &str = r#"
template <class T> static __device__ __forceinline__ T gpurepl_lcm(T a, T b) {
  unsigned long long x = gpurepl_gcd_size(a), y = gpurepl_gcd_size(b), divisor = gpurepl_gcd_size(gpurepl_gcd(a, b));
  return divisor == 0 ? T(0) : T(x / divisor * y);
}
"#;

/// Shifts that lose every bit when the distance reaches the width.
const SHIFT: &str = r#"
template <class T> static __device__ __forceinline__ T gpurepl_shift_left(T a, T distance) {
  return (unsigned long long)distance >= 8 * sizeof(T) ? T(0) : T((unsigned long long)a << distance);
}
template <class T> static __device__ __forceinline__ T gpurepl_shift_right(T a, T distance) {
  return (unsigned long long)distance >= 8 * sizeof(T) ? T(a < 0 ? -1 : 0) : T(a >> distance);
}
"#;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_used_is_added() {
        assert_eq!(pieces_for("z[i] = x[i];"), "");
        assert_eq!(pieces_for("gpurepl_power_integer(a, b)"), POWER);
        let both = pieces_for("gpurepl::complex<float> z; gpurepl_shift_left(a, b)");
        assert_eq!(both, format!("{COMPLEX}{SHIFT}"));
    }
}
