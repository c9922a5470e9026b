// Half precision by CUDA's names. Arithmetic rounds once, to the nearest.
//
// Sums, products, quotients and roots of halves are computed in single
// precision and rounded: with at least 2 * 11 + 2 digits in between, rounding
// twice is rounding once (S. A. Figueroa, "When is double rounding
// innocuous?", SIGNUM Newsletter 30, 1995). A fused multiplication and
// addition is computed in double precision: what that cuts off is too small
// to bring a sum to the middle between two halves, or away from it.
#ifndef GPUREPL_CUDA_FP16
#define GPUREPL_CUDA_FP16
#define GPUREPL_FP16 static __host__ __device__ __forceinline__

struct __half_raw { unsigned short x; };
struct __align__(4) __half2_raw { unsigned short x, y; };

// ---- conversions to and from the bits ------------------------------------------------------------

namespace gpurepl {
#ifdef GPUREPL_HOST
// Where the CPU has no instruction for it, the compiler would call a library
// that modules are not linked with.
#if defined(__FLT16_MAX__) && (defined(__F16C__) || defined(__aarch64__))
#define GPUREPL_HALF_CONVERTS
#endif
// The directions of rounding: to the nearest, to zero, down, up.
enum { HALF_RN, HALF_RZ, HALF_RD, HALF_RU };
GPUREPL_FP16 float half_float(unsigned short bits) {
#ifdef GPUREPL_HALF_CONVERTS
  return (float)gpurepl_bits<_Float16>(bits);
#else
  // As a whole number of steps of 2^-24 below the normal ones, else with the
  // exponent moved from a bias of 15 to one of 127.
  const unsigned int sign = (unsigned int)(bits & 0x8000) << 16, rest = bits & 0x7fff;
  const float small = (float)rest * 5.9604644775390625e-8f;
  const unsigned int moved = (rest << 13) + (rest >= 0x7c00 ? 0x70000000u : 0x38000000u);
  return gpurepl_bits<float>(sign | (rest < 0x400 ? gpurepl_bits<unsigned int>(small) : moved));
#endif
}
GPUREPL_FP16 unsigned short half_round(double value, int direction) {
  const unsigned long long all = gpurepl_bits<unsigned long long>(value), rest = all & 0x7fffffffffffffffull;
  const unsigned int sign = (unsigned int)(all >> 63), away = direction == (sign ? HALF_RD : HALF_RU);
  if (rest > 0x7ff0000000000000ull) return 0x7fff;
  if (rest == 0x7ff0000000000000ull) return (unsigned short)(sign << 15 | 0x7c00);
  const int exponent = (int)(rest >> 52) - 1023;
  if (exponent >= 16)
    return (unsigned short)(sign << 15 | (direction == HALF_RN || away ? 0x7c00 : 0x7bff));
  // The digits that go away: 42 of a normal half, more of a smaller one.
  const int gone = exponent >= -14 ? 42 : 28 - exponent;
  const unsigned long long digits = (rest & 0xfffffffffffffull) | (rest >> 52 ? 1ull << 52 : 0);
  unsigned int kept = gone < 64 ? (unsigned int)(digits >> gone) : 0;
  const unsigned long long lost = gone < 64 ? digits & ((1ull << gone) - 1) : digits;
  const unsigned long long middle = gone < 64 ? 1ull << (gone - 1) : ~0ull;
  if (direction == HALF_RN ? lost > middle || (lost == middle && (kept & 1)) : away && lost) kept++;
  // A normal one has its leading digit in `kept`, which counts as one exponent.
  if (exponent >= -14) kept += (unsigned int)(exponent + 14) << 10;
  return (unsigned short)(sign << 15 | kept);
}
GPUREPL_FP16 unsigned short half_rn(float value) {
#ifdef GPUREPL_HALF_CONVERTS
  return value != value ? 0x7fff : gpurepl_bits<unsigned short>((_Float16)value);
#else
  return half_round(value, HALF_RN);
#endif
}
GPUREPL_FP16 unsigned short half_rz(float value) { return half_round(value, HALF_RZ); }
GPUREPL_FP16 unsigned short half_rd(float value) { return half_round(value, HALF_RD); }
GPUREPL_FP16 unsigned short half_ru(float value) { return half_round(value, HALF_RU); }
GPUREPL_FP16 unsigned short half_of_double(double value) { return half_round(value, HALF_RN); }
GPUREPL_FP16 unsigned short half_add(unsigned short a, unsigned short b) { return half_rn(half_float(a) + half_float(b)); }
GPUREPL_FP16 unsigned short half_sub(unsigned short a, unsigned short b) { return half_rn(half_float(a) - half_float(b)); }
GPUREPL_FP16 unsigned short half_mul(unsigned short a, unsigned short b) { return half_rn(half_float(a) * half_float(b)); }
GPUREPL_FP16 unsigned short half_fma(unsigned short a, unsigned short b, unsigned short c) {
  return half_of_double((double)half_float(a) * half_float(b) + half_float(c));
}
#else
GPUREPL_FP16 float half_float(unsigned short bits) {
  float value;
  asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
  return value;
}
GPUREPL_FP16 unsigned short half_of_double(double value) {
  unsigned short bits;
  asm("cvt.rn.f16.f64 %0, %1;" : "=h"(bits) : "d"(value));
  return bits;
}
// `rm` is down and `rp` is up in PTX. With a direction, no instruction is
// fused with another.
#define GPUREPL_HALF_ROUND(name, mode) \
  GPUREPL_FP16 unsigned short name(float value) { \
    unsigned short bits; \
    asm("cvt." #mode ".f16.f32 %0, %1;" : "=h"(bits) : "f"(value)); \
    return bits; \
  }
GPUREPL_HALF_ROUND(half_rn, rn)
GPUREPL_HALF_ROUND(half_rz, rz)
GPUREPL_HALF_ROUND(half_rd, rm)
GPUREPL_HALF_ROUND(half_ru, rp)
#undef GPUREPL_HALF_ROUND
#define GPUREPL_HALF_BINARY(name, type, letter, text) \
  GPUREPL_FP16 type name(type a, type b) { \
    type c; \
    asm(text " %0, %1, %2;" : "=" letter(c) : letter(a), letter(b)); \
    return c; \
  }
GPUREPL_HALF_BINARY(half_add, unsigned short, "h", "add.rn.f16")
GPUREPL_HALF_BINARY(half_sub, unsigned short, "h", "sub.rn.f16")
GPUREPL_HALF_BINARY(half_mul, unsigned short, "h", "mul.rn.f16")
GPUREPL_HALF_BINARY(half2_add, unsigned int, "r", "add.rn.f16x2")
GPUREPL_HALF_BINARY(half2_sub, unsigned int, "r", "sub.rn.f16x2")
GPUREPL_HALF_BINARY(half2_mul, unsigned int, "r", "mul.rn.f16x2")
#undef GPUREPL_HALF_BINARY
GPUREPL_FP16 unsigned short half_fma(unsigned short a, unsigned short b, unsigned short c) {
  unsigned short d;
  asm("fma.rn.f16 %0, %1, %2, %3;" : "=h"(d) : "h"(a), "h"(b), "h"(c));
  return d;
}
GPUREPL_FP16 unsigned int half2_fma(unsigned int a, unsigned int b, unsigned int c) {
  unsigned int d;
  asm("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
  return d;
}
#endif
// Beyond 2^20 every number is infinite as a half, or the largest one.
template <class T> GPUREPL_FP16 float half_bounded(T x) {
  return x > T(0) && (unsigned long long)x > 1048576ull ? 1048576.0f : x < T(0) && (long long)x < -1048576ll ? -1048576.0f : (float)x;
}
// To whole numbers as PTX does it: held at the ends of the range; a NaN is zero,
// or the highest bit alone of 64.
template <class T, class F> GPUREPL_FP16 T half_whole(F x, F low, F end) {
  return x != x ? (sizeof(T) == 8 ? T(1) << 63 : T(0)) : x <= low ? T(T(-1) < T(0) ? T(1) << (8 * sizeof(T) - 1) : 0) : x >= end ? T(~(T(-1) < T(0) ? T(1) << (8 * sizeof(T) - 1) : T(0))) : T(x);
}
}

// ---- the types -----------------------------------------------------------------------------------

struct __half {
 protected:
  unsigned short __x;

 public:
  __half() = default;
  __host__ __device__ constexpr __half(const __half_raw &raw) : __x(raw.x) {}
  __host__ __device__ __half(float x) : __x(gpurepl::half_rn(x)) {}
  __host__ __device__ __half(double x) : __x(gpurepl::half_of_double(x)) {}
#define GPUREPL_HALF_FROM(T) __host__ __device__ __half(T x) : __x(gpurepl::half_rn(gpurepl::half_bounded(x))) {}
  GPUREPL_HALF_FROM(short)
  GPUREPL_HALF_FROM(unsigned short)
  GPUREPL_HALF_FROM(int)
  GPUREPL_HALF_FROM(unsigned int)
  GPUREPL_HALF_FROM(long)
  GPUREPL_HALF_FROM(unsigned long)
  GPUREPL_HALF_FROM(long long)
  GPUREPL_HALF_FROM(unsigned long long)
#undef GPUREPL_HALF_FROM
  __host__ __device__ operator float() const { return gpurepl::half_float(__x); }
  __host__ __device__ operator __half_raw() const { __half_raw raw = {__x}; return raw; }
};
struct __align__(4) __half2 {
  __half x, y;
  __half2() = default;
  __host__ __device__ constexpr __half2(const __half &x, const __half &y) : x(x), y(y) {}
  __host__ __device__ __half2(const __half2_raw &raw) : x(__half_raw{raw.x}), y(__half_raw{raw.y}) {}
  __host__ __device__ operator __half2_raw() const {
    __half2_raw raw = {((__half_raw)x).x, ((__half_raw)y).x};
    return raw;
  }
};
typedef __half half;
typedef __half2 half2;
typedef __half nv_half;
typedef __half2 nv_half2;

GPUREPL_FP16 unsigned short __half_as_ushort(__half h) { return ((__half_raw)h).x; }
GPUREPL_FP16 short __half_as_short(__half h) { return (short)__half_as_ushort(h); }
GPUREPL_FP16 __half __ushort_as_half(unsigned short bits) { __half_raw raw = {bits}; return raw; }
GPUREPL_FP16 __half __short_as_half(short bits) { return __ushort_as_half((unsigned short)bits); }
#define CUDART_INF_FP16 __ushort_as_half((unsigned short)0x7c00u)
#define CUDART_NAN_FP16 __ushort_as_half((unsigned short)0x7fffu)
#define CUDART_MIN_DENORM_FP16 __ushort_as_half((unsigned short)0x0001u)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half((unsigned short)0x7bffu)
#define CUDART_NEG_ZERO_FP16 __ushort_as_half((unsigned short)0x8000u)
#define CUDART_ZERO_FP16 __ushort_as_half((unsigned short)0x0000u)
#define CUDART_ONE_FP16 __ushort_as_half((unsigned short)0x3c00u)

// ---- conversions ---------------------------------------------------------------------------------

GPUREPL_FP16 float __half2float(__half h) { return h; }
GPUREPL_FP16 __half __float2half(float x) { return x; }
GPUREPL_FP16 __half __float2half_rn(float x) { return x; }
GPUREPL_FP16 __half __float2half_rz(float x) { return __ushort_as_half(gpurepl::half_rz(x)); }
GPUREPL_FP16 __half __float2half_rd(float x) { return __ushort_as_half(gpurepl::half_rd(x)); }
GPUREPL_FP16 __half __float2half_ru(float x) { return __ushort_as_half(gpurepl::half_ru(x)); }
GPUREPL_FP16 __half __double2half(double x) { return x; }
// `low` is the least number of the type, `end` the first above the largest.
#define GPUREPL_HALF_INTEGER(name, T, low, end) \
  GPUREPL_FP16 __half __##name##2half_rn(T x) { return x; } \
  GPUREPL_FP16 __half __##name##2half_rz(T x) { return __float2half_rz(gpurepl::half_bounded(x)); } \
  GPUREPL_FP16 __half __##name##2half_rd(T x) { return __float2half_rd(gpurepl::half_bounded(x)); } \
  GPUREPL_FP16 __half __##name##2half_ru(T x) { return __float2half_ru(gpurepl::half_bounded(x)); } \
  GPUREPL_FP16 T __half2##name##_rn(__half h) { return gpurepl::half_whole<T>(rintf(h), low, end); } \
  GPUREPL_FP16 T __half2##name##_rz(__half h) { return gpurepl::half_whole<T>((float)h, low, end); } \
  GPUREPL_FP16 T __half2##name##_rd(__half h) { return gpurepl::half_whole<T>(floorf(h), low, end); } \
  GPUREPL_FP16 T __half2##name##_ru(__half h) { return gpurepl::half_whole<T>(ceilf(h), low, end); }
GPUREPL_HALF_INTEGER(short, short, -32768.0f, 32768.0f)
GPUREPL_HALF_INTEGER(ushort, unsigned short, 0.0f, 65536.0f)
GPUREPL_HALF_INTEGER(int, int, -2147483648.0f, 2147483648.0f)
GPUREPL_HALF_INTEGER(uint, unsigned int, 0.0f, 4294967296.0f)
GPUREPL_HALF_INTEGER(ll, long long, -9223372036854775808.0f, 9223372036854775808.0f)
GPUREPL_HALF_INTEGER(ull, unsigned long long, 0.0f, 18446744073709551616.0f)
#undef GPUREPL_HALF_INTEGER
GPUREPL_FP16 signed char __half2char_rz(__half h) { return gpurepl::half_whole<signed char>((float)h, -128.0f, 128.0f); }
GPUREPL_FP16 unsigned char __half2uchar_rz(__half h) { return gpurepl::half_whole<unsigned char>((float)h, 0.0f, 256.0f); }

GPUREPL_FP16 __half2 make_half2(__half x, __half y) { return __half2(x, y); }
GPUREPL_FP16 __half2 __halves2half2(__half x, __half y) { return __half2(x, y); }
GPUREPL_FP16 __half2 __half2half2(__half x) { return __half2(x, x); }
GPUREPL_FP16 __half2 __float2half2_rn(float x) { return __half2half2(x); }
GPUREPL_FP16 __half2 __floats2half2_rn(float x, float y) { return __half2(x, y); }
GPUREPL_FP16 __half2 __float22half2_rn(float2 v) { return __half2(v.x, v.y); }
GPUREPL_FP16 float2 __half22float2(__half2 v) { return make_float2(v.x, v.y); }
GPUREPL_FP16 float __low2float(__half2 v) { return v.x; }
GPUREPL_FP16 float __high2float(__half2 v) { return v.y; }
GPUREPL_FP16 __half __low2half(__half2 v) { return v.x; }
GPUREPL_FP16 __half __high2half(__half2 v) { return v.y; }
GPUREPL_FP16 __half2 __low2half2(__half2 v) { return __half2(v.x, v.x); }
GPUREPL_FP16 __half2 __high2half2(__half2 v) { return __half2(v.y, v.y); }
GPUREPL_FP16 __half2 __lows2half2(__half2 a, __half2 b) { return __half2(a.x, b.x); }
GPUREPL_FP16 __half2 __highs2half2(__half2 a, __half2 b) { return __half2(a.y, b.y); }
GPUREPL_FP16 __half2 __lowhigh2highlow(__half2 v) { return __half2(v.y, v.x); }

// ---- arithmetic ----------------------------------------------------------------------------------

namespace gpurepl {
GPUREPL_FP16 bool half_is_nan(__half h) { return (__half_as_ushort(h) & 0x7fff) > 0x7c00; }
GPUREPL_FP16 __half half_saturate(__half h) {
  const float x = h;
  return x > 0.0f ? x < 1.0f ? h : CUDART_ONE_FP16 : CUDART_ZERO_FP16;
}
GPUREPL_FP16 __half half_relu(__half h) {
  return half_is_nan(h) ? CUDART_NAN_FP16 : (float)h > 0.0f ? h : CUDART_ZERO_FP16;
}
GPUREPL_FP16 unsigned int half2_bits(__half2 v) {
  return (unsigned int)__half_as_ushort(v.y) << 16 | __half_as_ushort(v.x);
}
GPUREPL_FP16 __half2 half2_of(unsigned int bits) {
  return __half2(__ushort_as_half((unsigned short)bits), __ushort_as_half((unsigned short)(bits >> 16)));
}
}
#ifdef GPUREPL_HOST
#define GPUREPL_HALF2_BY(name, a, b) __half2(__h##name(a.x, b.x), __h##name(a.y, b.y))
#define GPUREPL_HALF2_FMA(a, b, c) __half2(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y))
#else
#define GPUREPL_HALF2_BY(name, a, b) gpurepl::half2_of(gpurepl::half2_##name(gpurepl::half2_bits(a), gpurepl::half2_bits(b)))
#define GPUREPL_HALF2_FMA(a, b, c) \
  gpurepl::half2_of(gpurepl::half2_fma(gpurepl::half2_bits(a), gpurepl::half2_bits(b), gpurepl::half2_bits(c)))
#endif
#define GPUREPL_HALF_ARITHMETIC(name) \
  GPUREPL_FP16 __half __h##name(__half a, __half b) { \
    return __ushort_as_half(gpurepl::half_##name(__half_as_ushort(a), __half_as_ushort(b))); \
  } \
  GPUREPL_FP16 __half __h##name##_rn(__half a, __half b) { return __h##name(a, b); } \
  GPUREPL_FP16 __half __h##name##_sat(__half a, __half b) { return gpurepl::half_saturate(__h##name(a, b)); } \
  GPUREPL_FP16 __half2 __h##name##2(__half2 a, __half2 b) { return GPUREPL_HALF2_BY(name, a, b); } \
  GPUREPL_FP16 __half2 __h##name##2_rn(__half2 a, __half2 b) { return GPUREPL_HALF2_BY(name, a, b); } \
  GPUREPL_FP16 __half2 __h##name##2_sat(__half2 a, __half2 b) { return __half2(__h##name##_sat(a.x, b.x), __h##name##_sat(a.y, b.y)); }
GPUREPL_HALF_ARITHMETIC(add)
GPUREPL_HALF_ARITHMETIC(sub)
GPUREPL_HALF_ARITHMETIC(mul)
#undef GPUREPL_HALF_ARITHMETIC
GPUREPL_FP16 __half __hdiv(__half a, __half b) { return (float)a / (float)b; }
GPUREPL_FP16 __half2 __h2div(__half2 a, __half2 b) { return __half2(__hdiv(a.x, b.x), __hdiv(a.y, b.y)); }
GPUREPL_FP16 __half __hfma(__half a, __half b, __half c) {
  return __ushort_as_half(gpurepl::half_fma(__half_as_ushort(a), __half_as_ushort(b), __half_as_ushort(c)));
}
GPUREPL_FP16 __half __hfma_sat(__half a, __half b, __half c) { return gpurepl::half_saturate(__hfma(a, b, c)); }
GPUREPL_FP16 __half __hfma_relu(__half a, __half b, __half c) { return gpurepl::half_relu(__hfma(a, b, c)); }
GPUREPL_FP16 __half2 __hfma2(__half2 a, __half2 b, __half2 c) { return GPUREPL_HALF2_FMA(a, b, c); }
GPUREPL_FP16 __half2 __hfma2_sat(__half2 a, __half2 b, __half2 c) { return __half2(__hfma_sat(a.x, b.x, c.x), __hfma_sat(a.y, b.y, c.y)); }
GPUREPL_FP16 __half2 __hfma2_relu(__half2 a, __half2 b, __half2 c) { return __half2(__hfma_relu(a.x, b.x, c.x), __hfma_relu(a.y, b.y, c.y)); }
GPUREPL_FP16 __half __hneg(__half h) { return __ushort_as_half(__half_as_ushort(h) ^ (unsigned short)0x8000); }
GPUREPL_FP16 __half __habs(__half h) { return __ushort_as_half(__half_as_ushort(h) & (unsigned short)0x7fff); }
GPUREPL_FP16 __half2 __hneg2(__half2 v) { return __half2(__hneg(v.x), __hneg(v.y)); }
GPUREPL_FP16 __half2 __habs2(__half2 v) { return __half2(__habs(v.x), __habs(v.y)); }

#define GPUREPL_HALF_OPERATOR(op, one, two) \
  GPUREPL_FP16 __half operator op(const __half &a, const __half &b) { return one(a, b); } \
  GPUREPL_FP16 __half &operator op##=(__half &a, const __half &b) { return a = one(a, b); } \
  GPUREPL_FP16 __half2 operator op(const __half2 &a, const __half2 &b) { return two(a, b); } \
  GPUREPL_FP16 __half2 &operator op##=(__half2 &a, const __half2 &b) { return a = two(a, b); }
GPUREPL_HALF_OPERATOR(+, __hadd, __hadd2)
GPUREPL_HALF_OPERATOR(-, __hsub, __hsub2)
GPUREPL_HALF_OPERATOR(*, __hmul, __hmul2)
GPUREPL_HALF_OPERATOR(/, __hdiv, __h2div)
#undef GPUREPL_HALF_OPERATOR
GPUREPL_FP16 __half operator+(const __half &h) { return h; }
GPUREPL_FP16 __half operator-(const __half &h) { return __hneg(h); }
GPUREPL_FP16 __half2 operator+(const __half2 &v) { return v; }
GPUREPL_FP16 __half2 operator-(const __half2 &v) { return __hneg2(v); }
GPUREPL_FP16 __half &operator++(__half &h) { return h = __hadd(h, CUDART_ONE_FP16); }
GPUREPL_FP16 __half &operator--(__half &h) { return h = __hsub(h, CUDART_ONE_FP16); }
GPUREPL_FP16 __half operator++(__half &h, int) { const __half old = h; ++h; return old; }
GPUREPL_FP16 __half operator--(__half &h, int) { const __half old = h; --h; return old; }

// ---- comparisons ---------------------------------------------------------------------------------
// The names with a `u` are true where one side is NaN.

#define GPUREPL_HALF_ORDER(name, op, with_nan) \
  GPUREPL_FP16 bool __h##name(__half a, __half b) { return (float)a op (float)b; } \
  GPUREPL_FP16 bool __h##name##u(__half a, __half b) { return with_nan; } \
  GPUREPL_FP16 bool __hb##name##2(__half2 a, __half2 b) { return __h##name(a.x, b.x) && __h##name(a.y, b.y); } \
  GPUREPL_FP16 bool __hb##name##u2(__half2 a, __half2 b) { return __h##name##u(a.x, b.x) && __h##name##u(a.y, b.y); } \
  GPUREPL_FP16 __half2 __h##name##2(__half2 a, __half2 b) { return __half2(__h##name(a.x, b.x), __h##name(a.y, b.y)); } \
  GPUREPL_FP16 __half2 __h##name##u2(__half2 a, __half2 b) { return __half2(__h##name##u(a.x, b.x), __h##name##u(a.y, b.y)); } \
  GPUREPL_FP16 bool operator op(const __half &a, const __half &b) { return __h##name(a, b); } \
  GPUREPL_FP16 bool operator op(const __half2 &a, const __half2 &b) { return __hb##name##2(a, b); }
GPUREPL_HALF_ORDER(eq, ==, !((float)a < (float)b || (float)a > (float)b))
GPUREPL_HALF_ORDER(lt, <, !((float)a >= (float)b))
GPUREPL_HALF_ORDER(le, <=, !((float)a > (float)b))
GPUREPL_HALF_ORDER(gt, >, !((float)a <= (float)b))
GPUREPL_HALF_ORDER(ge, >=, !((float)a < (float)b))
#undef GPUREPL_HALF_ORDER
// Two numbers that differ, so not where one is NaN; the operator says so there too.
GPUREPL_FP16 bool __hne(__half a, __half b) { return (float)a < (float)b || (float)a > (float)b; }
GPUREPL_FP16 bool __hneu(__half a, __half b) { return (float)a != (float)b; }
GPUREPL_FP16 bool __hbne2(__half2 a, __half2 b) { return __hne(a.x, b.x) && __hne(a.y, b.y); }
GPUREPL_FP16 bool __hbneu2(__half2 a, __half2 b) { return __hneu(a.x, b.x) && __hneu(a.y, b.y); }
GPUREPL_FP16 __half2 __hne2(__half2 a, __half2 b) { return __half2(__hne(a.x, b.x), __hne(a.y, b.y)); }
GPUREPL_FP16 __half2 __hneu2(__half2 a, __half2 b) { return __half2(__hneu(a.x, b.x), __hneu(a.y, b.y)); }
GPUREPL_FP16 bool operator!=(const __half &a, const __half &b) { return __hneu(a, b); }
GPUREPL_FP16 bool operator!=(const __half2 &a, const __half2 &b) { return __hbneu2(a, b); }
GPUREPL_FP16 bool __hisnan(__half h) { return gpurepl::half_is_nan(h); }
GPUREPL_FP16 __half2 __hisnan2(__half2 v) { return __half2(__hisnan(v.x), __hisnan(v.y)); }
GPUREPL_FP16 int __hisinf(__half h) {
  const unsigned short bits = __half_as_ushort(h);
  return bits == 0x7c00 ? 1 : bits == 0xfc00 ? -1 : 0;
}
// Minus zero is less than zero; a number is preferred to NaN.
GPUREPL_FP16 __half __hmax(__half a, __half b) {
  if (__hisnan(a) || __hisnan(b)) return __hisnan(a) ? __hisnan(b) ? CUDART_NAN_FP16 : b : a;
  return __hgt(a, b) || (__heq(a, b) && !(__half_as_ushort(a) >> 15)) ? a : b;
}
GPUREPL_FP16 __half __hmin(__half a, __half b) {
  if (__hisnan(a) || __hisnan(b)) return __hisnan(a) ? __hisnan(b) ? CUDART_NAN_FP16 : b : a;
  return __hlt(a, b) || (__heq(a, b) && __half_as_ushort(a) >> 15) ? a : b;
}
GPUREPL_FP16 __half __hmax_nan(__half a, __half b) { return __hisnan(a) || __hisnan(b) ? CUDART_NAN_FP16 : __hmax(a, b); }
GPUREPL_FP16 __half __hmin_nan(__half a, __half b) { return __hisnan(a) || __hisnan(b) ? CUDART_NAN_FP16 : __hmin(a, b); }
GPUREPL_FP16 __half2 __hmax2(__half2 a, __half2 b) { return __half2(__hmax(a.x, b.x), __hmax(a.y, b.y)); }
GPUREPL_FP16 __half2 __hmin2(__half2 a, __half2 b) { return __half2(__hmin(a.x, b.x), __hmin(a.y, b.y)); }
GPUREPL_FP16 __half2 __hmax2_nan(__half2 a, __half2 b) { return __half2(__hmax_nan(a.x, b.x), __hmax_nan(a.y, b.y)); }
GPUREPL_FP16 __half2 __hmin2_nan(__half2 a, __half2 b) { return __half2(__hmin_nan(a.x, b.x), __hmin_nan(a.y, b.y)); }

// ---- mathematical functions ----------------------------------------------------------------------
// In single precision, then rounded.

#define GPUREPL_HALF_FUNCTION(name, ...) \
  GPUREPL_FP16 __half h##name(__half h) { const float x = h; return __VA_ARGS__; } \
  GPUREPL_FP16 __half2 h2##name(__half2 v) { return __half2(h##name(v.x), h##name(v.y)); }
GPUREPL_HALF_FUNCTION(sqrt, __fsqrt_rn(x))
GPUREPL_HALF_FUNCTION(rsqrt, __frsqrt_rn(x))
GPUREPL_HALF_FUNCTION(rcp, __frcp_rn(x))
GPUREPL_HALF_FUNCTION(exp, expf(x))
GPUREPL_HALF_FUNCTION(exp2, exp2f(x))
GPUREPL_HALF_FUNCTION(exp10, exp10f(x))
GPUREPL_HALF_FUNCTION(log, logf(x))
GPUREPL_HALF_FUNCTION(log2, log2f(x))
GPUREPL_HALF_FUNCTION(log10, log10f(x))
GPUREPL_HALF_FUNCTION(sin, sinf(x))
GPUREPL_HALF_FUNCTION(cos, cosf(x))
GPUREPL_HALF_FUNCTION(tanh, tanhf(x))
GPUREPL_HALF_FUNCTION(ceil, ceilf(x))
GPUREPL_HALF_FUNCTION(floor, floorf(x))
GPUREPL_HALF_FUNCTION(trunc, truncf(x))
GPUREPL_HALF_FUNCTION(rint, rintf(x))
#undef GPUREPL_HALF_FUNCTION

// ---- memory and other lanes ----------------------------------------------------------------------

#ifdef GPUREPL_HOST
GPUREPL_FP16 __half atomicAdd(__half *p, __half v) {
  GPUREPL_POLL();
  unsigned short old = __atomic_load_n((unsigned short *)p, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n((unsigned short *)p, &old, gpurepl::half_add(old, __half_as_ushort(v)), true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
  return __ushort_as_half(old);
}
GPUREPL_FP16 __half2 atomicAdd(__half2 *p, __half2 v) {
  GPUREPL_POLL();
  unsigned int old = __atomic_load_n((unsigned int *)p, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n((unsigned int *)p, &old, gpurepl::half2_bits(__hadd2(gpurepl::half2_of(old), v)), true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
  return gpurepl::half2_of(old);
}
#else
static __device__ __forceinline__ __half atomicAdd(__half *p, __half v) {
  unsigned short old;
  asm volatile("atom.add.noftz.f16 %0, [%1], %2;" : "=h"(old) : "l"(p), "h"(__half_as_ushort(v)) : "memory");
  return __ushort_as_half(old);
}
static __device__ __forceinline__ __half2 atomicAdd(__half2 *p, __half2 v) {
  unsigned int old;
  asm volatile("atom.add.noftz.f16x2 %0, [%1], %2;" : "=r"(old) : "l"(p), "r"(gpurepl::half2_bits(v)) : "memory");
  return gpurepl::half2_of(old);
}
static __device__ __forceinline__ __half __ldg(const __half *p) { return __ushort_as_half(__ldg((const unsigned short *)p)); }
static __device__ __forceinline__ __half2 __ldg(const __half2 *p) { return gpurepl::half2_of(__ldg((const unsigned int *)p)); }
// The host device's own take any type.
#define GPUREPL_HALF_SHUFFLE(name, T) \
  static __device__ __forceinline__ __half name(unsigned int mask, __half h, T lane, int width = 32) { \
    return __ushort_as_half((unsigned short)name(mask, (unsigned int)__half_as_ushort(h), lane, width)); \
  } \
  static __device__ __forceinline__ __half2 name(unsigned int mask, __half2 v, T lane, int width = 32) { \
    return gpurepl::half2_of(name(mask, gpurepl::half2_bits(v), lane, width)); \
  }
GPUREPL_HALF_SHUFFLE(__shfl_sync, int)
GPUREPL_HALF_SHUFFLE(__shfl_up_sync, unsigned int)
GPUREPL_HALF_SHUFFLE(__shfl_down_sync, unsigned int)
GPUREPL_HALF_SHUFFLE(__shfl_xor_sync, int)
#undef GPUREPL_HALF_SHUFFLE
#endif
#endif
