// ---- special functions ---------------------------------------------------------------------------
// For kernels that use one. Single precision is computed in double precision.

#define GPUREPL_SPECIAL_1(name) \
  GPUREPL_INLINE float name##f(float x) { return (float)name((double)x); } \
  GPUREPL_OVERLOAD_1(name)

GPUREPL_LIBM_1(j0) GPUREPL_LIBM_1(j1) GPUREPL_LIBM_1(y0) GPUREPL_LIBM_1(y1)
extern "C" {
double jn(int, double);
float jnf(int, float);
double yn(int, double);
float ynf(int, float);
}
GPUREPL_INLINE float jn(int n, float x) { return jnf(n, x); }
GPUREPL_INLINE float yn(int n, float x) { return ynf(n, x); }

// sin(pi (x + quarter / 2)). What is taken off the angle is taken off exactly,
// so that whole numbers have zeros at any size; the rest is multiplied by pi
// in two parts.
static double gpurepl_sinpi(double x, int quarter) {
  const double turned = x - 2.0 * rint(0.5 * x);
  const double halves = rint(2.0 * turned);
  const double rest = turned - 0.5 * halves;
  const double angle = __dmul_rn(rest, 3.141592653589793);
  const double more = fma(rest, 3.141592653589793, -angle) + rest * 1.2246467991473532e-16;
  const int turn = (int)halves + quarter;
  double s, c;
  sincos(angle, &s, &c);
  const double value = turn & 1 ? c - more * s : s + more * c;
  if (value == 0.0) return quarter ? 0.0 : copysign(0.0, x);
  return turn & 2 ? -value : value;
}
GPUREPL_INLINE double sinpi(double x) { return gpurepl_sinpi(x, 0); }
GPUREPL_INLINE double cospi(double x) { return gpurepl_sinpi(x, 1); }
GPUREPL_SPECIAL_1(sinpi) GPUREPL_SPECIAL_1(cospi)
GPUREPL_INLINE void sincospi(double x, double *s, double *c) { *s = sinpi(x); *c = cospi(x); }
GPUREPL_INLINE void sincospif(float x, float *s, float *c) { *s = sinpif(x); *c = cospif(x); }
GPUREPL_INLINE void sincospi(float x, float *s, float *c) { sincospif(x, s, c); }
GPUREPL_INLINE float __sin2pif(float x) { return (float)sinpi(2.0 * x); }
GPUREPL_INLINE float __cos2pif(float x) { return (float)cospi(2.0 * x); }
GPUREPL_INLINE void __sincos2pif(float x, float *s, float *c) { *s = __sin2pif(x); *c = __cos2pif(x); }

// ---- lengths of vectors
// Squares are summed with the errors of their sums and products (T. J. Dekker,
// "A floating-point technique for extending the available precision", 1971;
// D. E. Knuth, "The Art of Computer Programming", volume 2, 4.2.2).

static double gpurepl_norm(const double *values, int count, bool inverse) {
  double largest = 0.0;
  bool is_number = true;
  for (int k = 0; k < count; k++) {
    if (isinf(values[k])) return inverse ? 0.0 : HUGE_VAL;
    is_number &= !isnan(values[k]);
    largest = fmax(largest, fabs(values[k]));
  }
  if (!is_number) return NAN;
  if (largest == 0.0) return inverse ? HUGE_VAL : 0.0;
  const int exponent = ilogb(largest);
  double sum = 0.0, error = 0.0;
  for (int k = 0; k < count; k++) {
    const double value = scalbn(values[k], -exponent);
    const double square = __dmul_rn(value, value);
    const double next = sum + square;
    const double added = next - sum;
    error += (sum - (next - added)) + (square - added) + fma(value, value, -square);
    sum = next;
  }
  const double whole = sum + error;
  error -= whole - sum;
  const double root = sqrt(whole);
  const double more = (fma(-root, root, whole) + error) / (2.0 * root);
  if (!inverse) return scalbn(root + more, exponent);
  const double quotient = 1.0 / root;
  return scalbn(quotient + quotient * (fma(-root, quotient, 1.0) - quotient * more), -exponent);
}
static double gpurepl_norm(const float *values, int count) {
  double sum = 0.0;
  bool is_infinite = false;
  for (int k = 0; k < count; k++) {
    is_infinite |= isinf(values[k]);
    sum += (double)values[k] * values[k];
  }
  return is_infinite ? HUGE_VAL : sqrt(sum);
}
GPUREPL_INLINE double norm(int count, const double *values) { return gpurepl_norm(values, count, false); }
GPUREPL_INLINE double rnorm(int count, const double *values) { return gpurepl_norm(values, count, true); }
GPUREPL_INLINE float normf(int count, const float *values) { return (float)gpurepl_norm(values, count); }
GPUREPL_INLINE float rnormf(int count, const float *values) { return (float)(1.0 / gpurepl_norm(values, count)); }
GPUREPL_INLINE double norm3d(double a, double b, double c) { const double v[] = {a, b, c}; return norm(3, v); }
GPUREPL_INLINE double rnorm3d(double a, double b, double c) { const double v[] = {a, b, c}; return rnorm(3, v); }
GPUREPL_INLINE float norm3df(float a, float b, float c) { const float v[] = {a, b, c}; return normf(3, v); }
GPUREPL_INLINE float rnorm3df(float a, float b, float c) { const float v[] = {a, b, c}; return rnormf(3, v); }
GPUREPL_INLINE double norm4d(double a, double b, double c, double d) { const double v[] = {a, b, c, d}; return norm(4, v); }
GPUREPL_INLINE double rnorm4d(double a, double b, double c, double d) { const double v[] = {a, b, c, d}; return rnorm(4, v); }
GPUREPL_INLINE float norm4df(float a, float b, float c, float d) { const float v[] = {a, b, c, d}; return normf(4, v); }
GPUREPL_INLINE float rnorm4df(float a, float b, float c, float d) { const float v[] = {a, b, c, d}; return rnormf(4, v); }
GPUREPL_INLINE double rhypot(double a, double b) { const double v[] = {a, b}; return rnorm(2, v); }
GPUREPL_INLINE float rhypotf(float a, float b) { const float v[] = {a, b}; return rnormf(2, v); }

// ---- the normal distribution and the error function

// Of x / sqrt(2), the part that rounding takes off is put back by the slope.
static double gpurepl_normcdf(double x) {
  if (fabs(x) > 40.0) x = copysign(40.0, x);
  const double z = __dmul_rn(-x, 0.7071067811865476);
  const double more = fma(-x, 0.7071067811865476, -z) + x * 4.833646656726457e-17;
  return 0.5 * (erfc(z) - 1.1283791670955126 * exp(-z * z) * more);
}
GPUREPL_INLINE double normcdf(double x) { return gpurepl_normcdf(x); }
GPUREPL_SPECIAL_1(normcdf)

// exp(x * x), the square's rounding put back.
static double gpurepl_exp_square(double x) {
  const double square = __dmul_rn(x, x);
  const double value = exp(square);
  return value + value * fma(x, x, -square);
}
// exp(x * x) erfc(x). Where erfc is small, by its continued fraction (NIST
// Digital Library of Mathematical Functions, 7.9.2).
static double gpurepl_erfcx(double x) {
  if (x < -26.7) return HUGE_VAL;
  if (x < 0.0) return 2.0 * gpurepl_exp_square(x) - gpurepl_erfcx(-x);
  if (x < 2.0) return gpurepl_exp_square(x) * erfc(x);
  double below = x;
  if (x < 1e9)
    for (int k = x < 3.0 ? 80 : x < 6.0 ? 45 : 16; k > 0; k--) below = x + 0.5 * k / below;
  return 0.5641895835477563 / below;
}
GPUREPL_INLINE double erfcx(double x) { return gpurepl_erfcx(x); }
GPUREPL_SPECIAL_1(erfcx)

// The inverses start from S. Winitzki's "A handy approximation for the error
// function and its inverse" (2008), or from the series of NIST's Digital
// Library, 7.17.2, and are improved by Halley's method, or by Newton's on the
// logarithm where erfc has no digits left.
static double gpurepl_erfcinv(double x);
static double gpurepl_erfinv(double x) {
  if (fabs(x) > 0.5) return copysign(gpurepl_erfcinv(1.0 - fabs(x)), x);
  const double square = x * x;
  double y = x * (0.886226925452758 + square * (0.23201366653465444 + square * 0.12755617530559793));
  if (fabs(x) < 1e-10) return x * 0.886226925452758;
  for (int k = 0; k < 2; k++) {
    const double step = (erf(y) - x) * 0.886226925452758 * exp(y * y);
    y -= step / (1.0 + step * y);
  }
  return y;
}
static double gpurepl_erfcinv(double x) {
  if (!(x >= 0.0 && x <= 2.0)) return NAN;
  if (x > 1.5) return -gpurepl_erfcinv(2.0 - x);
  if (x > 0.5) return gpurepl_erfinv(1.0 - x);
  if (x == 0.0) return HUGE_VAL;
  const double logarithm = log(x * (2.0 - x));
  const double half = 4.330746750799873 + 0.5 * logarithm;
  double y = sqrt(sqrt(half * half - logarithm / 0.147) - half);
  if (x > 1e-6) {
    for (int k = 0; k < 2; k++) {
      const double step = (x - erfc(y)) * 0.886226925452758 * exp(y * y);
      y -= step / (1.0 + step * y);
    }
    return y;
  }
  const double target = log(x);
  for (int k = 0; k < 3; k++) {
    const double scaled = gpurepl_erfcx(y);
    y -= (y * y - log(scaled) + target) * 0.886226925452758 * scaled;
  }
  return y;
}
GPUREPL_INLINE double erfinv(double x) { return gpurepl_erfinv(x); }
GPUREPL_INLINE double erfcinv(double x) { return gpurepl_erfcinv(x); }
GPUREPL_INLINE double normcdfinv(double x) { return 0.0 - 1.4142135623730951 * gpurepl_erfcinv(2.0 * x); }
GPUREPL_SPECIAL_1(erfinv) GPUREPL_SPECIAL_1(erfcinv) GPUREPL_SPECIAL_1(normcdfinv)

// ---- modified Bessel functions
// Near zero the power series (NIST's Digital Library, 10.25.2), far from it the
// expansion for large arguments (10.40.1). Between them the integral over a
// half turn (10.32.3) by the trapezoidal rule, which for a periodic function
// converges like I_48(x) (L. N. Trefethen and J. A. C. Weideman, "The
// exponentially convergent trapezoidal rule", SIAM Review 56, 2014).

static double gpurepl_bessel_i(double x, int order) {
  const double size = fabs(x);
  double value;
  if (size < 1.0) {
    const double square = 0.25 * x * x;
    value = 1.0;
    for (int k = 12; k > 0; k--) value = 1.0 + value * square / (k * (k + order));
    return order ? 0.5 * x * value : value;
  }
  if (size < 25.0) {
    // 1 - cos(2 pi k / 48)
    static const double below[] = {0.008555138626189588, 0.034074173710931716, 0.07612046748871325, 0.13397459621556135,
                                   0.20664665970876483, 0.2928932188134525, 0.39123857099127934, 0.5,
                                   0.6173165676349103, 0.7411809548974793, 0.8694738077799484};
    const double far = exp(-2.0 * size);
    double sum = order ? 1.0 - far : 1.0 + far + 2.0 * exp(-size);
    for (int k = 0; k < 11; k++) {
      const double near = exp(-size * below[k]), opposite = exp(-size * (2.0 - below[k]));
      sum += order ? 2.0 * (1.0 - below[k]) * (near - opposite) : 2.0 * (near + opposite);
    }
    value = exp(size) * (sum / 48.0);
  } else {
    const double four = order ? 4.0 : 0.0;
    double sum = 1.0, term = 1.0;
    if (!isinf(size))
      for (int k = 1; k <= 28; k++) {
        term *= ((2 * k - 1) * (2 * k - 1) - four) / (8.0 * k * size);
        sum += term;
      }
    const double half = exp(0.5 * size);
    value = isinf(size) ? size : size < 700.0 ? exp(size) * (sum * 0.3989422804014327 / sqrt(size)) : half * (sum * 0.3989422804014327 / sqrt(size)) * half;
  }
  return order && x < 0.0 ? -value : value;
}
GPUREPL_INLINE double cyl_bessel_i0(double x) { return gpurepl_bessel_i(x, 0); }
GPUREPL_INLINE double cyl_bessel_i1(double x) { return gpurepl_bessel_i(x, 1); }
GPUREPL_SPECIAL_1(cyl_bessel_i0) GPUREPL_SPECIAL_1(cyl_bessel_i1)
