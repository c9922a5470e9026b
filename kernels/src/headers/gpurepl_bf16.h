// The type, its bits and its conversions, for cuda_bf16.h: rounding, and what
// differs between devices.
//
// A product and a sum in one step, and numbers of more digits than a `float`
// has, are rounded to odd first: of the two floats around the exact value the
// one whose last digit is odd, which keeps what the second rounding must know
// (S. Boldo and G. Melquiond, "Emulation of FMA and correctly rounded sums:
// proved algorithms using rounding to odd", IEEE Transactions on Computers 57,
// 2008).
//
// A device before compute capability 8.0 has none of the instructions, and one
// before 9.0 neither sums nor products; all of them give the same bits. The
// instructions are written out, as the compiler's own floats lose the small
// numbers where it is told to flush them.
#ifndef GPUREPL_BF16_TYPES
#define GPUREPL_BF16_TYPES
#include <cuda_fp16.h>
#define GPUREPL_BF16 static __host__ __device__ __forceinline__
#ifdef GPUREPL_HOST
#define GPUREPL_BF16_ARCH 0
#else
#define GPUREPL_BF16_ARCH __CUDA_ARCH__
#endif

struct __nv_bfloat16_raw { unsigned short x; };
struct __align__(4) __nv_bfloat162_raw { unsigned short x, y; };

// ---- conversions to and from the bits ------------------------------------------------------------

namespace gpurepl {
GPUREPL_BF16 float bf16_float(unsigned short bits) { return __uint_as_float((unsigned int)bits << 16); }
// Without the lower digits; `away` is to count as one more where there are any.
GPUREPL_BF16 unsigned short bf16_cut(float value, bool away) {
  const unsigned int bits = __float_as_uint(value);
  return (bits & 0x7fffffff) > 0x7f800000 ? 0x7fff : (unsigned short)((bits >> 16) + (away && (bits & 0xffff)));
}
GPUREPL_BF16 unsigned short bf16_rd(float value) { return bf16_cut(value, __float_as_uint(value) >> 31); }
GPUREPL_BF16 unsigned short bf16_ru(float value) { return bf16_cut(value, !(__float_as_uint(value) >> 31)); }
#if GPUREPL_BF16_ARCH >= 800
GPUREPL_BF16 unsigned short bf16_rn(float value) {
  unsigned short bits;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(value));
  return bits;
}
GPUREPL_BF16 unsigned short bf16_rz(float value) {
  unsigned short bits;
  asm("cvt.rz.bf16.f32 %0, %1;" : "=h"(bits) : "f"(value));
  return bits;
}
GPUREPL_BF16 unsigned int bf162_rn(float x, float y) {
  unsigned int bits;
  asm("cvt.rn.bf16x2.f32 %0, %2, %1;" : "=r"(bits) : "f"(x), "f"(y));
  return bits;
}
#else
GPUREPL_BF16 unsigned short bf16_rn(float value) {
  const unsigned int bits = __float_as_uint(value), rounded = bits + 0x7fff + (bits >> 16 & 1);
  return (bits & 0x7fffffff) > 0x7f800000 ? 0x7fff : (unsigned short)(rounded >> 16);
}
GPUREPL_BF16 unsigned short bf16_rz(float value) { return bf16_cut(value, false); }
GPUREPL_BF16 unsigned int bf162_rn(float x, float y) { return (unsigned int)bf16_rn(y) << 16 | bf16_rn(x); }
#endif

#ifdef GPUREPL_HOST
// The next float towards zero, with its last digit set if anything was lost.
GPUREPL_BF16 float bf16_odd(double value) {
  const float near = (float)value;
  unsigned int bits = __float_as_uint(near);
  const double size = fabs(value), near_size = fabsf(near);
  bits -= near_size > size;
  return __uint_as_float(bits | (near_size < size || near_size > size));
}
GPUREPL_BF16 float bf16_odd(unsigned long long value) {
  const int lost = value >> 24 ? 40 - __clzll((long long)value) : 0;
  const unsigned int kept = (unsigned int)(value >> lost) | ((value & ((1ull << lost) - 1)) != 0);
  return (float)kept * (float)(1ull << lost);
}
GPUREPL_BF16 float bf16_odd(long long value) {
  return value < 0 ? -bf16_odd(0ull - (unsigned long long)value) : bf16_odd((unsigned long long)value);
}
GPUREPL_BF16 float bf16_odd(int value) { return bf16_odd((double)value); }
GPUREPL_BF16 float bf16_odd(unsigned int value) { return bf16_odd((double)value); }
GPUREPL_BF16 float bf16_sum(float a, float b) { return a + b; }
GPUREPL_BF16 float bf16_difference(float a, float b) { return a - b; }
GPUREPL_BF16 float bf16_product(float a, float b) { return a * b; }
GPUREPL_BF16 float bf16_quotient(float a, float b) { return a / b; }
// The product is exact. What the sum loses is exact too (D. E. Knuth, "The Art
// of Computer Programming", volume 2, 4.2.2), and says which way odd is.
GPUREPL_BF16 float bf16_fused(float a, float b, float c) {
  const double product = (double)a * b, sum = product + c, added = sum - product;
  const double lost = (product - (sum - added)) + (c - added);
  const unsigned long long bits = gpurepl_bits<unsigned long long>(sum);
  const bool is_odd = bits & 1 || !(lost < 0.0 || lost > 0.0);
  return bf16_odd(is_odd ? sum : gpurepl_bits<double>((lost > 0.0) == (sum > 0.0) ? bits + 1 : bits - 1));
}
#else
GPUREPL_BF16 float bf16_odd(float low, float high) { return __float_as_uint(low) & 1 ? low : high; }
GPUREPL_BF16 float bf16_odd(double value) {
  float low, high;
  asm("cvt.rm.f32.f64 %0, %1;" : "=f"(low) : "d"(value));
  asm("cvt.rp.f32.f64 %0, %1;" : "=f"(high) : "d"(value));
  return bf16_odd(low, high);
}
GPUREPL_BF16 float bf16_odd(int value) { return bf16_odd(__int2float_rd(value), __int2float_ru(value)); }
GPUREPL_BF16 float bf16_odd(unsigned int value) { return bf16_odd(__uint2float_rd(value), __uint2float_ru(value)); }
GPUREPL_BF16 float bf16_odd(long long value) { return bf16_odd(__ll2float_rd(value), __ll2float_ru(value)); }
GPUREPL_BF16 float bf16_odd(unsigned long long value) { return bf16_odd(__ull2float_rd(value), __ull2float_ru(value)); }
#define GPUREPL_BF16_BINARY(name, text) \
  GPUREPL_BF16 float name(float a, float b) { \
    float c; \
    asm(text " %0, %1, %2;" : "=f"(c) : "f"(a), "f"(b)); \
    return c; \
  }
GPUREPL_BF16_BINARY(bf16_sum, "add.rn.f32")
GPUREPL_BF16_BINARY(bf16_difference, "sub.rn.f32")
GPUREPL_BF16_BINARY(bf16_product, "mul.rn.f32")
GPUREPL_BF16_BINARY(bf16_quotient, "div.rn.f32")
#undef GPUREPL_BF16_BINARY
GPUREPL_BF16 float bf16_fused(float a, float b, float c) {
  float low, high;
  asm("fma.rm.f32 %0, %1, %2, %3;" : "=f"(low) : "f"(a), "f"(b), "f"(c));
  asm("fma.rp.f32 %0, %1, %2, %3;" : "=f"(high) : "f"(a), "f"(b), "f"(c));
  return bf16_odd(low, high);
}
#endif
GPUREPL_BF16 float bf16_odd(short value) { return (float)value; }
GPUREPL_BF16 float bf16_odd(unsigned short value) { return (float)value; }
GPUREPL_BF16 float bf16_odd(long value) { return bf16_odd((long long)value); }
GPUREPL_BF16 float bf16_odd(unsigned long value) { return bf16_odd((unsigned long long)value); }

// To whole numbers by the instructions, which hold a number at the ends of the
// range; the host device's functions do the same.
#ifdef GPUREPL_HOST
#define GPUREPL_BF16_WHOLE(name, T, letter, type, way, mode) \
  GPUREPL_BF16 T bf16_##name##way(float x) { return __float2##name##way(x); }
#else
#define GPUREPL_BF16_WHOLE(name, T, letter, type, way, mode) \
  GPUREPL_BF16 T bf16_##name##way(float x) { \
    T y; \
    asm("cvt." mode "." type ".f32 %0, %1;" : "=" letter(y) : "f"(x)); \
    return y; \
  }
#endif
#define GPUREPL_BF16_WHOLES(...) \
  GPUREPL_BF16_WHOLE(__VA_ARGS__, _rn, "rni") GPUREPL_BF16_WHOLE(__VA_ARGS__, _rz, "rzi") \
  GPUREPL_BF16_WHOLE(__VA_ARGS__, _rd, "rmi") GPUREPL_BF16_WHOLE(__VA_ARGS__, _ru, "rpi")
GPUREPL_BF16_WHOLES(int, int, "r", "s32")
GPUREPL_BF16_WHOLES(uint, unsigned int, "r", "u32")
GPUREPL_BF16_WHOLES(ll, long long, "l", "s64")
GPUREPL_BF16_WHOLES(ull, unsigned long long, "l", "u64")
#undef GPUREPL_BF16_WHOLES
#undef GPUREPL_BF16_WHOLE
GPUREPL_BF16 int bf16_held(int x, int low, int high) { return x < low ? low : x > high ? high : x; }
#define GPUREPL_BF16_NARROW(way) \
  GPUREPL_BF16 short bf16_short##way(float x) { return (short)bf16_held(bf16_int##way(x), -32768, 32767); } \
  GPUREPL_BF16 unsigned short bf16_ushort##way(float x) { return (unsigned short)bf16_held(bf16_int##way(x), 0, 65535); }
GPUREPL_BF16_NARROW(_rn) GPUREPL_BF16_NARROW(_rz) GPUREPL_BF16_NARROW(_rd) GPUREPL_BF16_NARROW(_ru)
#undef GPUREPL_BF16_NARROW
}

// ---- the types -----------------------------------------------------------------------------------

struct __nv_bfloat16 {
 protected:
  unsigned short __x;

 public:
  __nv_bfloat16() = default;
  __host__ __device__ constexpr __nv_bfloat16(const __nv_bfloat16_raw &raw) : __x(raw.x) {}
  __host__ __device__ explicit __nv_bfloat16(__half h) : __x(gpurepl::bf16_rn(h)) {}
  __host__ __device__ __nv_bfloat16(float x) : __x(gpurepl::bf16_rn(x)) {}
#define GPUREPL_BF16_FROM(T) __host__ __device__ __nv_bfloat16(T x) : __x(gpurepl::bf16_rn(gpurepl::bf16_odd(x))) {}
  GPUREPL_BF16_FROM(double)
  GPUREPL_BF16_FROM(short)
  GPUREPL_BF16_FROM(unsigned short)
  GPUREPL_BF16_FROM(int)
  GPUREPL_BF16_FROM(unsigned int)
  GPUREPL_BF16_FROM(long)
  GPUREPL_BF16_FROM(unsigned long)
  GPUREPL_BF16_FROM(long long)
  GPUREPL_BF16_FROM(unsigned long long)
#undef GPUREPL_BF16_FROM
  __host__ __device__ operator float() const { return gpurepl::bf16_float(__x); }
  __host__ __device__ operator __nv_bfloat16_raw() const { __nv_bfloat16_raw raw = {__x}; return raw; }
};
struct __align__(4) __nv_bfloat162 {
  __nv_bfloat16 x, y;
  __nv_bfloat162() = default;
  __host__ __device__ constexpr __nv_bfloat162(const __nv_bfloat16 &x, const __nv_bfloat16 &y) : x(x), y(y) {}
  __host__ __device__ __nv_bfloat162(const __nv_bfloat162_raw &raw)
      : x(__nv_bfloat16_raw{raw.x}), y(__nv_bfloat16_raw{raw.y}) {}
  __host__ __device__ operator __nv_bfloat162_raw() const {
    __nv_bfloat162_raw raw = {((__nv_bfloat16_raw)x).x, ((__nv_bfloat16_raw)y).x};
    return raw;
  }
};
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

GPUREPL_BF16 unsigned short __bfloat16_as_ushort(__nv_bfloat16 h) { return ((__nv_bfloat16_raw)h).x; }
GPUREPL_BF16 short __bfloat16_as_short(__nv_bfloat16 h) { return (short)__bfloat16_as_ushort(h); }
GPUREPL_BF16 __nv_bfloat16 __ushort_as_bfloat16(unsigned short bits) { __nv_bfloat16_raw raw = {bits}; return raw; }
GPUREPL_BF16 __nv_bfloat16 __short_as_bfloat16(short bits) { return __ushort_as_bfloat16((unsigned short)bits); }
#define CUDART_INF_BF16 __ushort_as_bfloat16((unsigned short)0x7f80u)
#define CUDART_NAN_BF16 __ushort_as_bfloat16((unsigned short)0x7fffu)
#define CUDART_MIN_DENORM_BF16 __ushort_as_bfloat16((unsigned short)0x0001u)
#define CUDART_MAX_NORMAL_BF16 __ushort_as_bfloat16((unsigned short)0x7f7fu)
#define CUDART_NEG_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x8000u)
#define CUDART_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x0000u)
#define CUDART_ONE_BF16 __ushort_as_bfloat16((unsigned short)0x3f80u)

namespace gpurepl {
GPUREPL_BF16 unsigned int bf162_bits(__nv_bfloat162 v) {
  return (unsigned int)__bfloat16_as_ushort(v.y) << 16 | __bfloat16_as_ushort(v.x);
}
GPUREPL_BF16 __nv_bfloat162 bf162_of(unsigned int bits) {
  return __nv_bfloat162(__ushort_as_bfloat16((unsigned short)bits), __ushort_as_bfloat16((unsigned short)(bits >> 16)));
}
}

// ---- conversions ---------------------------------------------------------------------------------

GPUREPL_BF16 float __bfloat162float(__nv_bfloat16 h) { return h; }
GPUREPL_BF16 __nv_bfloat16 __float2bfloat16(float x) { return x; }
GPUREPL_BF16 __nv_bfloat16 __float2bfloat16_rn(float x) { return x; }
GPUREPL_BF16 __nv_bfloat16 __float2bfloat16_rz(float x) { return __ushort_as_bfloat16(gpurepl::bf16_rz(x)); }
GPUREPL_BF16 __nv_bfloat16 __float2bfloat16_rd(float x) { return __ushort_as_bfloat16(gpurepl::bf16_rd(x)); }
GPUREPL_BF16 __nv_bfloat16 __float2bfloat16_ru(float x) { return __ushort_as_bfloat16(gpurepl::bf16_ru(x)); }
GPUREPL_BF16 __nv_bfloat16 __double2bfloat16(double x) { return x; }
#define GPUREPL_BF16_INTEGER(name, T) \
  GPUREPL_BF16 __nv_bfloat16 __##name##2bfloat16_rn(T x) { return x; } \
  GPUREPL_BF16 __nv_bfloat16 __##name##2bfloat16_rz(T x) { return __float2bfloat16_rz(gpurepl::bf16_odd(x)); } \
  GPUREPL_BF16 __nv_bfloat16 __##name##2bfloat16_rd(T x) { return __float2bfloat16_rd(gpurepl::bf16_odd(x)); } \
  GPUREPL_BF16 __nv_bfloat16 __##name##2bfloat16_ru(T x) { return __float2bfloat16_ru(gpurepl::bf16_odd(x)); } \
  GPUREPL_BF16 T __bfloat162##name##_rn(__nv_bfloat16 h) { return gpurepl::bf16_##name##_rn(h); } \
  GPUREPL_BF16 T __bfloat162##name##_rz(__nv_bfloat16 h) { return gpurepl::bf16_##name##_rz(h); } \
  GPUREPL_BF16 T __bfloat162##name##_rd(__nv_bfloat16 h) { return gpurepl::bf16_##name##_rd(h); } \
  GPUREPL_BF16 T __bfloat162##name##_ru(__nv_bfloat16 h) { return gpurepl::bf16_##name##_ru(h); }
GPUREPL_BF16_INTEGER(short, short)
GPUREPL_BF16_INTEGER(ushort, unsigned short)
GPUREPL_BF16_INTEGER(int, int)
GPUREPL_BF16_INTEGER(uint, unsigned int)
GPUREPL_BF16_INTEGER(ll, long long)
GPUREPL_BF16_INTEGER(ull, unsigned long long)
#undef GPUREPL_BF16_INTEGER
GPUREPL_BF16 signed char __bfloat162char_rz(__nv_bfloat16 h) {
  return (signed char)gpurepl::bf16_held(gpurepl::bf16_int_rz(h), -128, 127);
}
GPUREPL_BF16 unsigned char __bfloat162uchar_rz(__nv_bfloat16 h) {
  return (unsigned char)gpurepl::bf16_held(gpurepl::bf16_int_rz(h), 0, 255);
}

GPUREPL_BF16 __nv_bfloat162 make_bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) { return __nv_bfloat162(x, y); }
GPUREPL_BF16 __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) { return __nv_bfloat162(x, y); }
GPUREPL_BF16 __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 x) { return __nv_bfloat162(x, x); }
GPUREPL_BF16 __nv_bfloat162 __float2bfloat162_rn(float x) { return __bfloat162bfloat162(x); }
GPUREPL_BF16 __nv_bfloat162 __floats2bfloat162_rn(float x, float y) { return gpurepl::bf162_of(gpurepl::bf162_rn(x, y)); }
GPUREPL_BF16 __nv_bfloat162 __float22bfloat162_rn(float2 v) { return __floats2bfloat162_rn(v.x, v.y); }
GPUREPL_BF16 float2 __bfloat1622float2(__nv_bfloat162 v) { return make_float2(v.x, v.y); }
GPUREPL_BF16 float __low2float(__nv_bfloat162 v) { return v.x; }
GPUREPL_BF16 float __high2float(__nv_bfloat162 v) { return v.y; }
GPUREPL_BF16 __nv_bfloat16 __low2bfloat16(__nv_bfloat162 v) { return v.x; }
GPUREPL_BF16 __nv_bfloat16 __high2bfloat16(__nv_bfloat162 v) { return v.y; }
GPUREPL_BF16 __nv_bfloat162 __low2bfloat162(__nv_bfloat162 v) { return __nv_bfloat162(v.x, v.x); }
GPUREPL_BF16 __nv_bfloat162 __high2bfloat162(__nv_bfloat162 v) { return __nv_bfloat162(v.y, v.y); }
GPUREPL_BF16 __nv_bfloat162 __lows2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(a.x, b.x); }
GPUREPL_BF16 __nv_bfloat162 __highs2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(a.y, b.y); }
GPUREPL_BF16 __nv_bfloat162 __lowhigh2highlow(__nv_bfloat162 v) { return __nv_bfloat162(v.y, v.x); }
#endif
