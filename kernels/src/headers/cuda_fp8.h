// Numbers of 8 bits by CUDA's names: e4m3 has 4 bits of exponent and 3 digits
// after the point, and no infinity; e5m2 is a half without its lower 8 bits
// (P. Micikevicius et al., "FP8 formats for deep learning", 2022). They are
// kept and converted, to the nearest, and computed with as something larger.
#ifndef GPUREPL_CUDA_FP8
#define GPUREPL_CUDA_FP8
#include <cuda_bf16.h>
#define GPUREPL_FP8 static __host__ __device__ __forceinline__

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;
// What is too large becomes infinite, or NaN where there is no infinity; or it
// becomes the largest number.
typedef enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE } __nv_saturation_t;
typedef enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 } __nv_fp8_interpretation_t;

// ---- rounding ------------------------------------------------------------------------------------

namespace gpurepl {
// Compute capability 8.9 has the instructions too, of which CUDA 12.0 knows nothing.
#if !defined(GPUREPL_HOST) && \
  (__CUDA_ARCH__ >= 900 || (__CUDA_ARCH__ >= 890 && __CUDACC_VER_MAJOR__ * 100 + __CUDACC_VER_MINOR__ >= 1201))
#define GPUREPL_FP8_KIND(name) \
  GPUREPL_FP8 __nv_fp8x2_storage_t name##x2_of(float x, float y) { \
    __nv_fp8x2_storage_t two; \
    asm("cvt.rn.satfinite." #name "x2.f32 %0, %2, %1;" : "=h"(two) : "f"(x), "f"(y)); \
    return two; \
  } \
  GPUREPL_FP8 unsigned int halves_of_##name(__nv_fp8x2_storage_t two) { \
    unsigned int halves; \
    asm("cvt.rn.f16x2." #name "x2 %0, %1;" : "=r"(halves) : "h"(two)); \
    return halves; \
  }
GPUREPL_FP8_KIND(e4m3)
GPUREPL_FP8_KIND(e5m2)
#undef GPUREPL_FP8_KIND
#else
GPUREPL_FP8 unsigned int fp8_of(float x, int digits, int bias, unsigned int largest) {
  const unsigned int bits = __float_as_uint(x), size = bits & 0x7fffffff;
  // A normal number loses its lower digits, and has another bias.
  const int lost = 23 - digits;
  const unsigned int nearest = (size + (1u << (lost - 1)) - 1 + (size >> lost & 1)) >> lost;
  const unsigned int normal = nearest - ((unsigned int)(127 - bias) << digits);
  // A smaller one is rounded by the sum with what has just the digits wanted.
  const unsigned int ground = (unsigned int)(127 + 23 - (bias - 1 + digits)) << 23;
  const unsigned int small = __float_as_uint(__fadd_rn(__uint_as_float(size), __uint_as_float(ground))) - ground;
  const unsigned int code = size < (unsigned int)(128 - bias) << 23 ? small : normal;
  return size > 0x7f800000 ? 0x7f : (bits >> 24 & 0x80) | (code < largest ? code : largest);
}
GPUREPL_FP8 __nv_fp8x2_storage_t e4m3x2_of(float x, float y) {
  return (__nv_fp8x2_storage_t)(fp8_of(x, 3, 7, 0x7e) | fp8_of(y, 3, 7, 0x7e) << 8);
}
GPUREPL_FP8 __nv_fp8x2_storage_t e5m2x2_of(float x, float y) {
  return (__nv_fp8x2_storage_t)(fp8_of(x, 2, 15, 0x7b) | fp8_of(y, 2, 15, 0x7b) << 8);
}
GPUREPL_FP8 unsigned int half_of_e4m3(unsigned int code) {
  const unsigned int size = code & 0x7f, sign = (code & 0x80) << 8;
  const unsigned int small = half_rn((float)size * 0.001953125f);
  return size == 0x7f ? 0x7fff : sign | (size < 8 ? small : (size << 7) + 0x2000);
}
GPUREPL_FP8 unsigned int half_of_e5m2(unsigned int code) { return (code & 0x7f) > 0x7c ? 0x7fff : code << 8; }
GPUREPL_FP8 unsigned int halves_of_e4m3(__nv_fp8x2_storage_t two) {
  return half_of_e4m3(two & 0xff) | half_of_e4m3(two >> 8) << 16;
}
GPUREPL_FP8 unsigned int halves_of_e5m2(__nv_fp8x2_storage_t two) {
  return half_of_e5m2(two & 0xff) | half_of_e5m2(two >> 8) << 16;
}
#endif
// The bits of what is too large. The largest e4m3 is 448, and 464 is nearer to
// it than to any other by the rule for the middle; that of e5m2 goes the other way.
GPUREPL_FP8 unsigned int fp8_beyond(float x, __nv_fp8_interpretation_t kind) {
  const unsigned int size = __float_as_uint(x) & 0x7fffffff;
  if (size > 0x7f800000) return 0;
  return kind == __NV_E5M2 ? size >= 0x47700000 ? 0x7c : 0 : size > 0x43e80000 ? 0x7f : 0;
}
GPUREPL_FP8 __nv_fp8x2_storage_t fp8x2_of(float x, float y, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind) {
  const __nv_fp8x2_storage_t two = kind == __NV_E5M2 ? e5m2x2_of(x, y) : e4m3x2_of(x, y);
  if (saturate != __NV_NOSAT) return two;
  const unsigned int low = fp8_beyond(x, kind), high = fp8_beyond(y, kind);
  return (__nv_fp8x2_storage_t)((low ? (two & 0x80) | low : two & 0xff) | (high ? (two & 0x8000) | high << 8 : two & 0xff00));
}
GPUREPL_FP8 __half2 fp8x2_halves(__nv_fp8x2_storage_t two, __nv_fp8_interpretation_t kind) {
  return half2_of(kind == __NV_E5M2 ? halves_of_e5m2(two) : halves_of_e4m3(two));
}
GPUREPL_FP8 __half fp8_half(__nv_fp8_storage_t x, __nv_fp8_interpretation_t kind) { return fp8x2_halves(x, kind).x; }
// A GPU has one NaN.
GPUREPL_FP8 float fp8_float(__half h) {
#ifdef GPUREPL_HOST
  if (half_is_nan(h)) return __uint_as_float(0x7fffffffu);
#endif
  return h;
}
GPUREPL_FP8 float2 fp8x2_floats(__nv_fp8x2_storage_t two, __nv_fp8_interpretation_t kind) {
  const __half2 v = fp8x2_halves(two, kind);
  return make_float2(fp8_float(v.x), fp8_float(v.y));
}
}

// ---- conversions ---------------------------------------------------------------------------------

GPUREPL_FP8 __nv_fp8_storage_t __nv_cvt_float_to_fp8(float x, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind) {
  return (__nv_fp8_storage_t)gpurepl::fp8x2_of(x, 0.0f, saturate, kind);
}
GPUREPL_FP8 __nv_fp8x2_storage_t __nv_cvt_float2_to_fp8x2(float2 v,
    __nv_saturation_t saturate, __nv_fp8_interpretation_t kind) {
  return gpurepl::fp8x2_of(v.x, v.y, saturate, kind);
}
// Rounded to odd first: see gpurepl_bf16.h.
GPUREPL_FP8 __nv_fp8_storage_t __nv_cvt_double_to_fp8(double x, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind) {
  return __nv_cvt_float_to_fp8(gpurepl::bf16_odd(x), saturate, kind);
}
GPUREPL_FP8 __nv_fp8x2_storage_t __nv_cvt_double2_to_fp8x2(double2 v,
    __nv_saturation_t saturate, __nv_fp8_interpretation_t kind) {
  return gpurepl::fp8x2_of(gpurepl::bf16_odd(v.x), gpurepl::bf16_odd(v.y), saturate, kind);
}
GPUREPL_FP8 __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half_raw x,
    __nv_saturation_t saturate, __nv_fp8_interpretation_t kind) {
  return __nv_cvt_float_to_fp8(gpurepl::half_float(x.x), saturate, kind);
}
GPUREPL_FP8 __nv_fp8x2_storage_t __nv_cvt_halfraw2_to_fp8x2(__half2_raw v,
    __nv_saturation_t saturate, __nv_fp8_interpretation_t kind) {
  return gpurepl::fp8x2_of(gpurepl::half_float(v.x), gpurepl::half_float(v.y), saturate, kind);
}
GPUREPL_FP8 __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw x,
    __nv_saturation_t saturate, __nv_fp8_interpretation_t kind) {
  return __nv_cvt_float_to_fp8(gpurepl::bf16_float(x.x), saturate, kind);
}
GPUREPL_FP8 __nv_fp8x2_storage_t __nv_cvt_bfloat16raw2_to_fp8x2(__nv_bfloat162_raw v,
    __nv_saturation_t saturate, __nv_fp8_interpretation_t kind) {
  return gpurepl::fp8x2_of(gpurepl::bf16_float(v.x), gpurepl::bf16_float(v.y), saturate, kind);
}
GPUREPL_FP8 __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t x, __nv_fp8_interpretation_t kind) {
  return gpurepl::fp8_half(x, kind);
}
GPUREPL_FP8 __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t v, __nv_fp8_interpretation_t kind) {
  return gpurepl::fp8x2_halves(v, kind);
}
GPUREPL_FP8 __nv_bfloat16_raw __nv_cvt_fp8_to_bf16raw(__nv_fp8_storage_t x, __nv_fp8_interpretation_t kind) {
  return __float2bfloat16(gpurepl::fp8_half(x, kind));
}
GPUREPL_FP8 __nv_bfloat162_raw __nv_cvt_fp8x2_to_bf162raw(__nv_fp8x2_storage_t v, __nv_fp8_interpretation_t kind) {
  return __float22bfloat162_rn(__half22float2(gpurepl::fp8x2_halves(v, kind)));
}

// Scales of blocks: 2 to the power `x - 127`, and NaN for 255 (OCP Microscaling Formats specification 1.0).
GPUREPL_FP8 __nv_bfloat16_raw __nv_cvt_e8m0_to_bf16raw(__nv_fp8_storage_t x) {
  __nv_bfloat16_raw raw;
  raw.x = (unsigned short)(x == 0xff ? 0x7fff : x == 0 ? 0x40 : x << 7);
  return raw;
}
GPUREPL_FP8 __nv_bfloat162_raw __nv_cvt_e8m0x2_to_bf162raw(__nv_fp8x2_storage_t v) {
  __nv_bfloat162_raw raw;
  raw.x = __nv_cvt_e8m0_to_bf16raw((__nv_fp8_storage_t)(v & 0xff)).x;
  raw.y = __nv_cvt_e8m0_to_bf16raw((__nv_fp8_storage_t)(v >> 8)).x;
  return raw;
}
// Numbers are not rounded to it here.
struct __nv_fp8_e8m0 {
  __nv_fp8_storage_t __x;
  __host__ __device__ explicit operator __nv_bfloat16() const { return __nv_cvt_e8m0_to_bf16raw(__x); }
  __host__ __device__ explicit operator float() const { return gpurepl::bf16_float(__nv_cvt_e8m0_to_bf16raw(__x).x); }
  __host__ __device__ explicit operator double() const { return (float)*this; }
};

// ---- the types -----------------------------------------------------------------------------------

// From what is too large, the largest number.
#define GPUREPL_FP8_FROM(name, kind, T, by) \
  __host__ __device__ explicit name(T x) : __x(__nv_cvt_##by##_to_fp8(x, __NV_SATFINITE, kind)) {}
// An integer that a `float` has not in full is too large.
#define GPUREPL_FP8_INTEGER(name, kind, T, by) \
  __host__ __device__ explicit name(T x) : __x(__nv_cvt_float_to_fp8((float)x, __NV_SATFINITE, kind)) {} \
  __host__ __device__ explicit operator T() const { return (T)gpurepl::bf16_##by##_rz((float)*this); }
#define GPUREPL_FP8_ONE(name, kind) \
  struct name { \
    __nv_fp8_storage_t __x; \
    name() = default; \
    GPUREPL_FP8_FROM(name, kind, __half, halfraw) \
    GPUREPL_FP8_FROM(name, kind, __nv_bfloat16, bfloat16raw) \
    GPUREPL_FP8_FROM(name, kind, float, float) \
    GPUREPL_FP8_FROM(name, kind, double, double) \
    GPUREPL_FP8_INTEGER(name, kind, short, short) \
    GPUREPL_FP8_INTEGER(name, kind, unsigned short, ushort) \
    GPUREPL_FP8_INTEGER(name, kind, int, int) \
    GPUREPL_FP8_INTEGER(name, kind, unsigned int, uint) \
    GPUREPL_FP8_INTEGER(name, kind, long, ll) \
    GPUREPL_FP8_INTEGER(name, kind, unsigned long, ull) \
    GPUREPL_FP8_INTEGER(name, kind, long long, ll) \
    GPUREPL_FP8_INTEGER(name, kind, unsigned long long, ull) \
    __host__ __device__ explicit operator __half() const { return gpurepl::fp8_half(__x, kind); } \
    __host__ __device__ explicit operator __nv_bfloat16() const { return __nv_cvt_fp8_to_bf16raw(__x, kind); } \
    __host__ __device__ explicit operator float() const { return gpurepl::fp8_float(gpurepl::fp8_half(__x, kind)); } \
    __host__ __device__ explicit operator double() const { return (float)*this; } \
    __host__ __device__ explicit operator signed char() const { return __half2char_rz((__half)*this); } \
    __host__ __device__ explicit operator unsigned char() const { return __half2uchar_rz((__half)*this); } \
    __host__ __device__ explicit operator char() const { \
      return (char)-1 < 0 ? (char)(signed char)*this : (char)(unsigned char)*this; \
    } \
    __host__ __device__ explicit operator bool() const { return __x & 0x7f; } \
  };
GPUREPL_FP8_ONE(__nv_fp8_e4m3, __NV_E4M3)
GPUREPL_FP8_ONE(__nv_fp8_e5m2, __NV_E5M2)
#undef GPUREPL_FP8_ONE
#undef GPUREPL_FP8_INTEGER
#undef GPUREPL_FP8_FROM

#define GPUREPL_FP8_FROM(name, kind, T, by) \
  __host__ __device__ explicit name(T v) : __x(__nv_cvt_##by##_to_fp8x2(v, __NV_SATFINITE, kind)) {}
#define GPUREPL_FP8_TWO(name, kind) \
  struct __align__(2) name { \
    __nv_fp8x2_storage_t __x; \
    name() = default; \
    GPUREPL_FP8_FROM(name, kind, __half2, halfraw2) \
    GPUREPL_FP8_FROM(name, kind, __nv_bfloat162, bfloat16raw2) \
    GPUREPL_FP8_FROM(name, kind, float2, float2) \
    GPUREPL_FP8_FROM(name, kind, double2, double2) \
    __host__ __device__ explicit operator __half2() const { return gpurepl::fp8x2_halves(__x, kind); } \
    __host__ __device__ explicit operator __nv_bfloat162() const { return __nv_cvt_fp8x2_to_bf162raw(__x, kind); } \
    __host__ __device__ explicit operator float2() const { return gpurepl::fp8x2_floats(__x, kind); } \
  };
GPUREPL_FP8_TWO(__nv_fp8x2_e4m3, __NV_E4M3)
GPUREPL_FP8_TWO(__nv_fp8x2_e5m2, __NV_E5M2)
#undef GPUREPL_FP8_TWO
#undef GPUREPL_FP8_FROM

namespace gpurepl {
// Four doubles have three types in CUDA 13, of which the old one is said to be deprecated.
template <class T> struct fp8_four {};
template <> struct fp8_four<double> { typedef void of_doubles; };
}
#define GPUREPL_FP8_FOUR(name, two, kind) \
  struct __align__(4) name { \
    __nv_fp8x4_storage_t __x; \
    name() = default; \
    __host__ __device__ explicit name(__half2 low, __half2 high) : name(two(low), two(high)) {} \
    __host__ __device__ explicit name(__nv_bfloat162 low, __nv_bfloat162 high) : name(two(low), two(high)) {} \
    __host__ __device__ explicit name(float4 v) : name(two(make_float2(v.x, v.y)), two(make_float2(v.z, v.w))) {} \
    template <class T, class = typename gpurepl::fp8_four<decltype(T::w)>::of_doubles> \
    __host__ __device__ explicit name(const T &v) : name(two(make_double2(v.x, v.y)), two(make_double2(v.z, v.w))) {} \
    __host__ __device__ explicit operator float4() const { \
      const float2 low = gpurepl::fp8x2_floats((__nv_fp8x2_storage_t)__x, kind); \
      const float2 high = gpurepl::fp8x2_floats((__nv_fp8x2_storage_t)(__x >> 16), kind); \
      return make_float4(low.x, low.y, high.x, high.y); \
    } \
   private: \
    __host__ __device__ name(two low, two high) : __x((__nv_fp8x4_storage_t)high.__x << 16 | low.__x) {} \
  };
GPUREPL_FP8_FOUR(__nv_fp8x4_e4m3, __nv_fp8x2_e4m3, __NV_E4M3)
GPUREPL_FP8_FOUR(__nv_fp8x4_e5m2, __nv_fp8x2_e5m2, __NV_E5M2)
#undef GPUREPL_FP8_FOUR
#undef GPUREPL_FP8
#endif
