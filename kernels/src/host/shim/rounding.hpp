// ---- directed rounding ---------------------------------------------------------------------------
// For kernels that use one of `_rz`, `_ru` and `_rd`. The processor's rounding
// is not changed: the compiler takes it for granted.

enum gpurepl_direction { gpurepl_rz, gpurepl_ru, gpurepl_rd };
#define GPUREPL_DIRECTED(T, name, parameters, ...) \
  GPUREPL_INLINE T name##_rz parameters { const gpurepl_direction to = gpurepl_rz; return __VA_ARGS__; } \
  GPUREPL_INLINE T name##_ru parameters { const gpurepl_direction to = gpurepl_ru; return __VA_ARGS__; } \
  GPUREPL_INLINE T name##_rd parameters { const gpurepl_direction to = gpurepl_rd; return __VA_ARGS__; }

// ---- single precision
// The exact value is rounded to odd in double precision, which keeps what the
// second rounding must know (S. Boldo and G. Melquiond, "Emulation of FMA and
// correctly rounded sums: proved algorithms using rounding to odd", IEEE
// Transactions on Computers 57, 2008).

GPUREPL_INLINE float gpurepl_to_float(double x, gpurepl_direction to) {
  const float near = (float)x;
  const bool below = to == gpurepl_rd || (to == gpurepl_rz && x > 0.0), above = to == gpurepl_ru || (to == gpurepl_rz && x < 0.0);
  const unsigned int bits = gpurepl_bits<unsigned int>(near);
  if (near > x && below) return gpurepl_bits<float>(near == 0.0f ? 0x80000001u : near > 0.0f ? bits - 1 : bits + 1);
  if (near < x && above) return gpurepl_bits<float>(near == 0.0f ? 1u : near > 0.0f ? bits + 1 : bits - 1);
  return near;
}
// `x` is exact but for an error of this sign.
GPUREPL_INLINE double gpurepl_to_odd(double x, double error) {
  const unsigned long long bits = gpurepl_bits<unsigned long long>(x);
  if (!(error < 0.0 || error > 0.0) || bits & 1 || !__builtin_isfinite(x)) return x;
  return gpurepl_bits<double>((error > 0.0) == (x > 0.0) ? bits + 1 : bits - 1);
}
GPUREPL_INLINE float gpurepl_sum(double x, double y, gpurepl_direction to) {
  const double sum = x + y, added = sum - x;
  // A sum of zero is negative where it is rounded down, unless both parts are positive.
  if (sum == 0.0) return to == gpurepl_rd && (signbit(x) || signbit(y)) ? -0.0f : (float)sum;
  return gpurepl_to_float(gpurepl_to_odd(sum, (x - (sum - added)) + (y - added)), to);
}
GPUREPL_INLINE float gpurepl_quotient(double x, double y, gpurepl_direction to) {
  const double quotient = x / y, rest = fma(-quotient, y, x);
  return gpurepl_to_float(gpurepl_to_odd(quotient, y < 0.0 ? -rest : rest), to);
}
GPUREPL_INLINE float gpurepl_root(double x, gpurepl_direction to) {
  const double root = sqrt(x);
  return gpurepl_to_float(gpurepl_to_odd(root, fma(-root, root, x)), to);
}
GPUREPL_DIRECTED(float, __double2float, (double x), gpurepl_to_float(x, to))
GPUREPL_DIRECTED(float, __int2float, (int x), gpurepl_to_float(x, to))
GPUREPL_DIRECTED(float, __uint2float, (unsigned int x), gpurepl_to_float(x, to))
GPUREPL_DIRECTED(float, __fadd, (float x, float y), gpurepl_sum(x, y, to))
GPUREPL_DIRECTED(float, __fsub, (float x, float y), gpurepl_sum(x, -y, to))
GPUREPL_DIRECTED(float, __fmul, (float x, float y), gpurepl_to_float(__dmul_rn(x, y), to))
GPUREPL_DIRECTED(float, __fmaf, (float x, float y, float z), gpurepl_sum(__dmul_rn(x, y), z, to))
GPUREPL_DIRECTED(float, __fmaf_ieee, (float x, float y, float z), gpurepl_sum(__dmul_rn(x, y), z, to))
GPUREPL_DIRECTED(float, __fdiv, (float x, float y), gpurepl_quotient(x, y, to))
GPUREPL_DIRECTED(float, __frcp, (float x), gpurepl_quotient(1.0, x, to))
GPUREPL_DIRECTED(float, __fsqrt, (float x), gpurepl_root(x, to))

// ---- double precision
// By whole numbers of 128 bits, with one more bit for what is left below them.

struct gpurepl_exact {
  unsigned __int128 whole;
  int exponent;
  bool is_negative;
};
GPUREPL_INLINE gpurepl_exact gpurepl_split(double x) {
  const unsigned long long bits = gpurepl_bits<unsigned long long>(x);
  const int exponent = (int)(bits >> 52 & 0x7ff);
  const unsigned long long fraction = bits & 0xfffffffffffffull;
  return {exponent ? fraction | 1ull << 52 : fraction, (exponent ? exponent : 1) - 1075, (bits >> 63) != 0};
}
GPUREPL_INLINE int gpurepl_width(unsigned __int128 x) {
  const unsigned long long high = (unsigned long long)(x >> 64), low = (unsigned long long)x;
  return high ? 128 - __builtin_clzll(high) : low ? 64 - __builtin_clzll(low) : 0;
}
static double gpurepl_round(gpurepl_exact x, bool is_more, gpurepl_direction to) {
  const bool away = to == gpurepl_ru ? !x.is_negative : to == gpurepl_rd ? x.is_negative : false;
  int lowest = x.exponent + gpurepl_width(x.whole) - 53;
  if (lowest < -1074) lowest = -1074;
  const int dropped = lowest - x.exponent;
  unsigned long long kept;
  if (dropped <= 0) {
    kept = (unsigned long long)(x.whole << -dropped);
  } else if (dropped >= 128) {
    kept = 0;
    is_more |= x.whole != 0;
  } else {
    kept = (unsigned long long)(x.whole >> dropped);
    is_more |= (x.whole & (((unsigned __int128)1 << dropped) - 1)) != 0;
  }
  if (is_more && away) kept++;
  const unsigned long long infinity = 0x7ffull << 52, sign = (unsigned long long)x.is_negative << 63;
  // A carry into the exponent is as it should be.
  unsigned long long bits = lowest > 971 ? infinity : kept + ((unsigned long long)(lowest + 1074) << 52);
  if (bits >= infinity) bits = away ? infinity : infinity - 1;
  return gpurepl_bits<double>(bits | sign);
}
static double gpurepl_fused(double x, double y, double z, gpurepl_direction to) {
  const double near = fma(x, y, z);
  if (!isfinite(x) || !isfinite(y) || !isfinite(z)) return near;
  gpurepl_exact a = gpurepl_split(x), b = gpurepl_split(z);
  const gpurepl_exact factor = gpurepl_split(y);
  a = {a.whole * factor.whole, a.exponent + factor.exponent, a.is_negative != factor.is_negative};
  if (a.whole == 0 && b.whole == 0) return a.is_negative == b.is_negative ? near : to == gpurepl_rd ? -0.0 : 0.0;
  if (a.whole == 0) return z;
  if (b.whole == 0) return gpurepl_round(a, false, to);
  const int shift_a = 126 - gpurepl_width(a.whole), shift_b = 126 - gpurepl_width(b.whole);
  a = {a.whole << shift_a, a.exponent - shift_a, a.is_negative};
  b = {b.whole << shift_b, b.exponent - shift_b, b.is_negative};
  if (a.exponent < b.exponent || (a.exponent == b.exponent && a.whole < b.whole)) {
    const gpurepl_exact other = a;
    a = b;
    b = other;
  }
  const int apart = a.exponent - b.exponent;
  const bool is_more = apart >= 128 || (b.whole & (((unsigned __int128)1 << apart) - 1)) != 0;
  b.whole = apart >= 128 ? 0 : b.whole >> apart;
  if (a.is_negative == b.is_negative) a.whole += b.whole;
  else a.whole -= b.whole + is_more;
  if (a.whole == 0 && !is_more) return to == gpurepl_rd ? -0.0 : 0.0;
  return gpurepl_round(a, is_more, to);
}
static double gpurepl_product(double x, double y, gpurepl_direction to) {
  if (!isfinite(x) || !isfinite(y) || x == 0.0 || y == 0.0) return x * y;
  const gpurepl_exact a = gpurepl_split(x), b = gpurepl_split(y);
  return gpurepl_round({a.whole * b.whole, a.exponent + b.exponent, a.is_negative != b.is_negative}, false, to);
}
static double gpurepl_ratio(double x, double y, gpurepl_direction to) {
  if (!isfinite(x) || !isfinite(y) || x == 0.0 || y == 0.0) return x / y;
  const gpurepl_exact a = gpurepl_split(x), b = gpurepl_split(y);
  const int shift_a = 53 - gpurepl_width(a.whole), shift_b = 53 - gpurepl_width(b.whole);
  unsigned long long rest = (unsigned long long)a.whole << shift_a, quotient = 0;
  const unsigned long long divisor = (unsigned long long)b.whole << shift_b;
  for (int k = 0; k < 60; k++) {
    const bool fits = rest >= divisor;
    quotient = quotient << 1 | fits;
    rest = (fits ? rest - divisor : rest) << 1;
  }
  return gpurepl_round({quotient, (a.exponent - shift_a) - (b.exponent - shift_b) - 59, a.is_negative != b.is_negative}, rest != 0, to);
}
static double gpurepl_square_root(double x, gpurepl_direction to) {
  if (!isfinite(x) || x <= 0.0) return sqrt(x);
  gpurepl_exact a = gpurepl_split(x);
  int shift = 118 - gpurepl_width(a.whole);
  if ((a.exponent - shift) & 1) shift++;
  a = {a.whole << shift, a.exponent - shift, false};
  unsigned long long root = 0;
  for (int k = 59; k >= 0; k--) {
    const unsigned long long next = root | 1ull << k;
    if ((unsigned __int128)next * next <= a.whole) root = next;
  }
  return gpurepl_round({root, a.exponent / 2, false}, (unsigned __int128)root * root != a.whole, to);
}
GPUREPL_DIRECTED(double, __dadd, (double x, double y), gpurepl_fused(x, 1.0, y, to))
GPUREPL_DIRECTED(double, __dsub, (double x, double y), gpurepl_fused(x, 1.0, -y, to))
GPUREPL_DIRECTED(double, __dmul, (double x, double y), gpurepl_product(x, y, to))
GPUREPL_DIRECTED(double, __fma, (double x, double y, double z), gpurepl_fused(x, y, z, to))
GPUREPL_DIRECTED(double, __ddiv, (double x, double y), gpurepl_ratio(x, y, to))
GPUREPL_DIRECTED(double, __drcp, (double x), gpurepl_ratio(1.0, x, to))
GPUREPL_DIRECTED(double, __dsqrt, (double x), gpurepl_square_root(x, to))

// ---- from integers of 64 bits

template <class T, int digits> GPUREPL_INLINE T gpurepl_from_whole(unsigned long long x, bool is_negative, gpurepl_direction to) {
  const bool away = to == gpurepl_ru ? !is_negative : to == gpurepl_rd ? is_negative : false;
  const int dropped = x >> digits ? 64 - digits - __builtin_clzll(x) : 0;
  const unsigned long long kept = (x >> dropped) + (away && (x & ((1ull << dropped) - 1)));
  const T value = (T)kept * (T)(1ull << dropped);
  return is_negative ? -value : value;
}
#define GPUREPL_FROM_WHOLE(T, digits, name) \
  GPUREPL_DIRECTED(T, __ll2##name, (long long x), gpurepl_from_whole<T, digits>(x < 0 ? 0ull - (unsigned long long)x : (unsigned long long)x, x < 0, to)) \
  GPUREPL_DIRECTED(T, __ull2##name, (unsigned long long x), gpurepl_from_whole<T, digits>(x, false, to))
GPUREPL_FROM_WHOLE(float, 24, float) GPUREPL_FROM_WHOLE(double, 53, double)
