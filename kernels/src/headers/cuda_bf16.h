// Numbers of 8 significant digits and the range of `float`, by CUDA's names.
// Arithmetic rounds once, to the nearest.
//
// Where there is no instruction for it, sums, products and quotients are
// computed in single precision and rounded: with at least 2 * 8 + 2 digits in
// between, rounding twice is rounding once (S. A. Figueroa, "When is double
// rounding innocuous?", SIGNUM Newsletter 30, 1995). Below the normal numbers,
// where a `float` has fewer digits, sums are exact, and products and quotients
// are in the middle between two numbers or away from it by 2^-8 of their
// distance at least.
#ifndef GPUREPL_CUDA_BF16
#define GPUREPL_CUDA_BF16
#include <gpurepl_bf16.h>

// ---- arithmetic ----------------------------------------------------------------------------------

namespace gpurepl {
#if GPUREPL_BF16_ARCH >= 800
#define GPUREPL_BF16_BINARY(name, text) \
  GPUREPL_BF16 unsigned short bf16_##name(unsigned short a, unsigned short b) { \
    unsigned short c; \
    asm(text " %0, %1, %2;" : "=h"(c) : "h"(a), "h"(b)); \
    return c; \
  } \
  GPUREPL_BF16 unsigned int bf162_##name(unsigned int a, unsigned int b) { \
    unsigned int c; \
    asm(text "x2 %0, %1, %2;" : "=r"(c) : "r"(a), "r"(b)); \
    return c; \
  }
#define GPUREPL_BF16_TERNARY(name, text) \
  GPUREPL_BF16 unsigned short bf16_##name(unsigned short a, unsigned short b, unsigned short c) { \
    unsigned short d; \
    asm(text " %0, %1, %2, %3;" : "=h"(d) : "h"(a), "h"(b), "h"(c)); \
    return d; \
  } \
  GPUREPL_BF16 unsigned int bf162_##name(unsigned int a, unsigned int b, unsigned int c) { \
    unsigned int d; \
    asm(text "x2 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); \
    return d; \
  }
GPUREPL_BF16_TERNARY(fma, "fma.rn.bf16")
GPUREPL_BF16_TERNARY(fma_relu, "fma.rn.relu.bf16")
GPUREPL_BF16_BINARY(min, "min.bf16")
GPUREPL_BF16_BINARY(max, "max.bf16")
GPUREPL_BF16_BINARY(min_nan, "min.NaN.bf16")
GPUREPL_BF16_BINARY(max_nan, "max.NaN.bf16")
#if GPUREPL_BF16_ARCH >= 900
GPUREPL_BF16_BINARY(add, "add.rn.bf16")
GPUREPL_BF16_BINARY(sub, "sub.rn.bf16")
GPUREPL_BF16_BINARY(mul, "mul.rn.bf16")
#else
// With one and minus zero for what is not there, which keeps a zero's sign.
GPUREPL_BF16 unsigned short bf16_add(unsigned short a, unsigned short b) { return bf16_fma(a, (unsigned short)0x3f80, b); }
GPUREPL_BF16 unsigned short bf16_sub(unsigned short a, unsigned short b) { return bf16_fma(b, (unsigned short)0xbf80, a); }
GPUREPL_BF16 unsigned short bf16_mul(unsigned short a, unsigned short b) { return bf16_fma(a, b, (unsigned short)0x8000); }
GPUREPL_BF16 unsigned int bf162_add(unsigned int a, unsigned int b) { return bf162_fma(a, 0x3f803f80u, b); }
GPUREPL_BF16 unsigned int bf162_sub(unsigned int a, unsigned int b) { return bf162_fma(b, 0xbf80bf80u, a); }
GPUREPL_BF16 unsigned int bf162_mul(unsigned int a, unsigned int b) { return bf162_fma(a, b, 0x80008000u); }
#endif
#undef GPUREPL_BF16_BINARY
#undef GPUREPL_BF16_TERNARY
#else
GPUREPL_BF16 bool bf16_is_nan(unsigned short bits) { return (bits & 0x7fff) > 0x7f80; }
// Whole numbers in the order of the numbers: minus zero is less than zero.
GPUREPL_BF16 int bf16_order(unsigned short bits) { return bits & 0x8000 ? 0x7fff - (int)bits : (int)bits; }
GPUREPL_BF16 unsigned short bf16_add(unsigned short a, unsigned short b) {
  return bf16_rn(bf16_sum(bf16_float(a), bf16_float(b)));
}
GPUREPL_BF16 unsigned short bf16_sub(unsigned short a, unsigned short b) {
  return bf16_rn(bf16_difference(bf16_float(a), bf16_float(b)));
}
GPUREPL_BF16 unsigned short bf16_mul(unsigned short a, unsigned short b) {
  return bf16_rn(bf16_product(bf16_float(a), bf16_float(b)));
}
GPUREPL_BF16 unsigned short bf16_fma(unsigned short a, unsigned short b, unsigned short c) {
  return bf16_rn(bf16_fused(bf16_float(a), bf16_float(b), bf16_float(c)));
}
GPUREPL_BF16 unsigned short bf16_fma_relu(unsigned short a, unsigned short b, unsigned short c) {
  const unsigned short d = bf16_fma(a, b, c);
  return d >> 15 ? 0 : d;
}
GPUREPL_BF16 unsigned short bf16_min_nan(unsigned short a, unsigned short b) {
  return bf16_is_nan(a) || bf16_is_nan(b) ? 0x7fff : bf16_order(a) < bf16_order(b) ? a : b;
}
GPUREPL_BF16 unsigned short bf16_max_nan(unsigned short a, unsigned short b) {
  return bf16_is_nan(a) || bf16_is_nan(b) ? 0x7fff : bf16_order(a) < bf16_order(b) ? b : a;
}
// A number is preferred to NaN.
GPUREPL_BF16 unsigned short bf16_min(unsigned short a, unsigned short b) {
  return bf16_min_nan(bf16_is_nan(a) ? b : a, bf16_is_nan(b) ? a : b);
}
GPUREPL_BF16 unsigned short bf16_max(unsigned short a, unsigned short b) {
  return bf16_max_nan(bf16_is_nan(a) ? b : a, bf16_is_nan(b) ? a : b);
}
#define GPUREPL_BF16_LANES(name) \
  GPUREPL_BF16 unsigned int bf162_##name(unsigned int a, unsigned int b) { \
    return (unsigned int)bf16_##name((unsigned short)(a >> 16), (unsigned short)(b >> 16)) << 16 | \
      bf16_##name((unsigned short)a, (unsigned short)b); \
  }
#define GPUREPL_BF16_LANES_3(name) \
  GPUREPL_BF16 unsigned int bf162_##name(unsigned int a, unsigned int b, unsigned int c) { \
    const unsigned short high = bf16_##name((unsigned short)(a >> 16), (unsigned short)(b >> 16), (unsigned short)(c >> 16)); \
    return (unsigned int)high << 16 | bf16_##name((unsigned short)a, (unsigned short)b, (unsigned short)c); \
  }
GPUREPL_BF16_LANES(add) GPUREPL_BF16_LANES(sub) GPUREPL_BF16_LANES(mul)
GPUREPL_BF16_LANES(min) GPUREPL_BF16_LANES(max) GPUREPL_BF16_LANES(min_nan) GPUREPL_BF16_LANES(max_nan)
GPUREPL_BF16_LANES_3(fma) GPUREPL_BF16_LANES_3(fma_relu)
#undef GPUREPL_BF16_LANES
#undef GPUREPL_BF16_LANES_3
#endif
// NaN becomes zero.
GPUREPL_BF16 __nv_bfloat16 bf16_saturate(__nv_bfloat16 h) {
  return __ushort_as_bfloat16(bf16_min(bf16_max(__bfloat16_as_ushort(h), (unsigned short)0), (unsigned short)0x3f80));
}
GPUREPL_BF16 __nv_bfloat162 bf162_saturate(__nv_bfloat162 v) {
  return bf162_of(bf162_min(bf162_max(bf162_bits(v), 0u), 0x3f803f80u));
}
}

// A function of two numbers, and of two at once.
#define GPUREPL_BF16_TWICE(one, two, name) \
  GPUREPL_BF16 __nv_bfloat16 one(__nv_bfloat16 a, __nv_bfloat16 b) { \
    return __ushort_as_bfloat16(gpurepl::bf16_##name(__bfloat16_as_ushort(a), __bfloat16_as_ushort(b))); \
  } \
  GPUREPL_BF16 __nv_bfloat162 two(__nv_bfloat162 a, __nv_bfloat162 b) { \
    return gpurepl::bf162_of(gpurepl::bf162_##name(gpurepl::bf162_bits(a), gpurepl::bf162_bits(b))); \
  }
#define GPUREPL_BF16_ARITHMETIC(name) \
  GPUREPL_BF16_TWICE(__h##name, __h##name##2, name) \
  GPUREPL_BF16_TWICE(__h##name##_rn, __h##name##2_rn, name) \
  GPUREPL_BF16 __nv_bfloat16 __h##name##_sat(__nv_bfloat16 a, __nv_bfloat16 b) { \
    return gpurepl::bf16_saturate(__h##name(a, b)); \
  } \
  GPUREPL_BF16 __nv_bfloat162 __h##name##2_sat(__nv_bfloat162 a, __nv_bfloat162 b) { \
    return gpurepl::bf162_saturate(__h##name##2(a, b)); \
  }
GPUREPL_BF16_ARITHMETIC(add)
GPUREPL_BF16_ARITHMETIC(sub)
GPUREPL_BF16_ARITHMETIC(mul)
#undef GPUREPL_BF16_ARITHMETIC
GPUREPL_BF16 __nv_bfloat16 __hdiv(__nv_bfloat16 a, __nv_bfloat16 b) { return gpurepl::bf16_quotient(a, b); }
GPUREPL_BF16 __nv_bfloat162 __h2div(__nv_bfloat162 a, __nv_bfloat162 b) {
  return __nv_bfloat162(__hdiv(a.x, b.x), __hdiv(a.y, b.y));
}
#define GPUREPL_BF16_FUSED(one, two, name) \
  GPUREPL_BF16 __nv_bfloat16 one(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) { \
    return __ushort_as_bfloat16( \
      gpurepl::bf16_##name(__bfloat16_as_ushort(a), __bfloat16_as_ushort(b), __bfloat16_as_ushort(c))); \
  } \
  GPUREPL_BF16 __nv_bfloat162 two(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c) { \
    return gpurepl::bf162_of(gpurepl::bf162_##name(gpurepl::bf162_bits(a), gpurepl::bf162_bits(b), gpurepl::bf162_bits(c))); \
  }
GPUREPL_BF16_FUSED(__hfma, __hfma2, fma)
GPUREPL_BF16_FUSED(__hfma_relu, __hfma2_relu, fma_relu)
#undef GPUREPL_BF16_FUSED
GPUREPL_BF16 __nv_bfloat16 __hfma_sat(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) {
  return gpurepl::bf16_saturate(__hfma(a, b, c));
}
GPUREPL_BF16 __nv_bfloat162 __hfma2_sat(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c) {
  return gpurepl::bf162_saturate(__hfma2(a, b, c));
}
GPUREPL_BF16 __nv_bfloat16 __hneg(__nv_bfloat16 h) {
  return __ushort_as_bfloat16(__bfloat16_as_ushort(h) ^ (unsigned short)0x8000);
}
GPUREPL_BF16 __nv_bfloat16 __habs(__nv_bfloat16 h) {
  return __ushort_as_bfloat16(__bfloat16_as_ushort(h) & (unsigned short)0x7fff);
}
GPUREPL_BF16 __nv_bfloat162 __hneg2(__nv_bfloat162 v) { return gpurepl::bf162_of(gpurepl::bf162_bits(v) ^ 0x80008000u); }
GPUREPL_BF16 __nv_bfloat162 __habs2(__nv_bfloat162 v) { return gpurepl::bf162_of(gpurepl::bf162_bits(v) & 0x7fff7fffu); }
// a * b + c of complex numbers.
GPUREPL_BF16 __nv_bfloat162 __hcmadd(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c) {
  const __nv_bfloat162 first = __hfma2(__low2bfloat162(a), b, c);
  return __hfma2(__nv_bfloat162(__hneg(a.y), a.y), __lowhigh2highlow(b), first);
}

#define GPUREPL_BF16_OPERATOR(op, one, two) \
  GPUREPL_BF16 __nv_bfloat16 operator op(const __nv_bfloat16 &a, const __nv_bfloat16 &b) { return one(a, b); } \
  GPUREPL_BF16 __nv_bfloat16 &operator op##=(__nv_bfloat16 &a, const __nv_bfloat16 &b) { return a = one(a, b); } \
  GPUREPL_BF16 __nv_bfloat162 operator op(const __nv_bfloat162 &a, const __nv_bfloat162 &b) { return two(a, b); } \
  GPUREPL_BF16 __nv_bfloat162 &operator op##=(__nv_bfloat162 &a, const __nv_bfloat162 &b) { return a = two(a, b); }
GPUREPL_BF16_OPERATOR(+, __hadd, __hadd2)
GPUREPL_BF16_OPERATOR(-, __hsub, __hsub2)
GPUREPL_BF16_OPERATOR(*, __hmul, __hmul2)
GPUREPL_BF16_OPERATOR(/, __hdiv, __h2div)
#undef GPUREPL_BF16_OPERATOR
#define GPUREPL_BF16_STEPS(T, ...) \
  GPUREPL_BF16 T &operator++(T &h) { return h += __VA_ARGS__; } \
  GPUREPL_BF16 T &operator--(T &h) { return h -= __VA_ARGS__; } \
  GPUREPL_BF16 T operator++(T &h, int) { const T old = h; ++h; return old; } \
  GPUREPL_BF16 T operator--(T &h, int) { const T old = h; --h; return old; } \
  GPUREPL_BF16 T operator+(const T &h) { return h; }
GPUREPL_BF16_STEPS(__nv_bfloat16, CUDART_ONE_BF16)
GPUREPL_BF16_STEPS(__nv_bfloat162, __nv_bfloat162(CUDART_ONE_BF16, CUDART_ONE_BF16))
#undef GPUREPL_BF16_STEPS
GPUREPL_BF16 __nv_bfloat16 operator-(const __nv_bfloat16 &h) { return __hneg(h); }
GPUREPL_BF16 __nv_bfloat162 operator-(const __nv_bfloat162 &v) { return __hneg2(v); }

// ---- comparisons ---------------------------------------------------------------------------------
// The names with a `u` are true where one side is NaN.

#ifdef GPUREPL_HOST
#define GPUREPL_BF16_COMPARE(name, ...) \
  GPUREPL_BF16 bool __h##name(__nv_bfloat16 h, __nv_bfloat16 k) { const float a = h, b = k; return __VA_ARGS__; }
#else
#define GPUREPL_BF16_COMPARE(name, ...) \
  GPUREPL_BF16 bool __h##name(__nv_bfloat16 a, __nv_bfloat16 b) { \
    unsigned int is_so; \
    asm("{ .reg .pred p; setp." #name ".f32 p, %1, %2; selp.u32 %0, 1, 0, p; }" \
        : "=r"(is_so) : "f"((float)a), "f"((float)b)); \
    return is_so; \
  }
#endif
#define GPUREPL_BF16_ORDER(name, ...) \
  GPUREPL_BF16_COMPARE(name, __VA_ARGS__) \
  GPUREPL_BF16 bool __hb##name##2(__nv_bfloat162 a, __nv_bfloat162 b) { return __h##name(a.x, b.x) && __h##name(a.y, b.y); } \
  GPUREPL_BF16 unsigned int __h##name##2_mask(__nv_bfloat162 a, __nv_bfloat162 b) { \
    return (__h##name(a.x, b.x) ? 0xffffu : 0u) | (__h##name(a.y, b.y) ? 0xffff0000u : 0u); \
  } \
  GPUREPL_BF16 __nv_bfloat162 __h##name##2(__nv_bfloat162 a, __nv_bfloat162 b) { \
    return gpurepl::bf162_of(__h##name##2_mask(a, b) & 0x3f803f80u); \
  }
#define GPUREPL_BF16_ORDERS(name, op, with_nan) \
  GPUREPL_BF16_ORDER(name, a op b) \
  GPUREPL_BF16_ORDER(name##u, with_nan) \
  GPUREPL_BF16 bool operator op(const __nv_bfloat16 &a, const __nv_bfloat16 &b) { return __h##name(a, b); } \
  GPUREPL_BF16 bool operator op(const __nv_bfloat162 &a, const __nv_bfloat162 &b) { return __hb##name##2(a, b); }
GPUREPL_BF16_ORDERS(eq, ==, !(a < b || a > b))
GPUREPL_BF16_ORDERS(lt, <, !(a >= b))
GPUREPL_BF16_ORDERS(le, <=, !(a > b))
GPUREPL_BF16_ORDERS(gt, >, !(a <= b))
GPUREPL_BF16_ORDERS(ge, >=, !(a < b))
// Two numbers that differ, so not where one is NaN; the operator says so there too.
GPUREPL_BF16_ORDER(ne, a < b || a > b)
GPUREPL_BF16_ORDER(neu, a != b)
#undef GPUREPL_BF16_ORDERS
#undef GPUREPL_BF16_ORDER
#undef GPUREPL_BF16_COMPARE
GPUREPL_BF16 bool operator!=(const __nv_bfloat16 &a, const __nv_bfloat16 &b) { return __hneu(a, b); }
GPUREPL_BF16 bool operator!=(const __nv_bfloat162 &a, const __nv_bfloat162 &b) { return __hbneu2(a, b); }
GPUREPL_BF16 bool __hisnan(__nv_bfloat16 h) { return (__bfloat16_as_ushort(h) & 0x7fff) > 0x7f80; }
GPUREPL_BF16 __nv_bfloat162 __hisnan2(__nv_bfloat162 v) {
  return __nv_bfloat162(__hisnan(v.x) ? 1.0f : 0.0f, __hisnan(v.y) ? 1.0f : 0.0f);
}
GPUREPL_BF16 int __hisinf(__nv_bfloat16 h) {
  const unsigned short bits = __bfloat16_as_ushort(h);
  return bits == 0x7f80 ? 1 : bits == 0xff80 ? -1 : 0;
}
GPUREPL_BF16_TWICE(__hmin, __hmin2, min)
GPUREPL_BF16_TWICE(__hmax, __hmax2, max)
GPUREPL_BF16_TWICE(__hmin_nan, __hmin2_nan, min_nan)
GPUREPL_BF16_TWICE(__hmax_nan, __hmax2_nan, max_nan)
#undef GPUREPL_BF16_TWICE

// ---- mathematical functions ----------------------------------------------------------------------
// In single precision, then rounded.

#define GPUREPL_BF16_FUNCTION(name, ...) \
  GPUREPL_BF16 __nv_bfloat16 h##name(__nv_bfloat16 h) { const float x = h; return __VA_ARGS__; } \
  GPUREPL_BF16 __nv_bfloat162 h2##name(__nv_bfloat162 v) { return __nv_bfloat162(h##name(v.x), h##name(v.y)); }
GPUREPL_BF16_FUNCTION(sqrt, __fsqrt_rn(x))
GPUREPL_BF16_FUNCTION(rsqrt, __frsqrt_rn(x))
GPUREPL_BF16_FUNCTION(rcp, __frcp_rn(x))
GPUREPL_BF16_FUNCTION(exp, expf(x))
GPUREPL_BF16_FUNCTION(exp2, exp2f(x))
GPUREPL_BF16_FUNCTION(exp10, exp10f(x))
GPUREPL_BF16_FUNCTION(log, logf(x))
GPUREPL_BF16_FUNCTION(log2, log2f(x))
GPUREPL_BF16_FUNCTION(log10, log10f(x))
GPUREPL_BF16_FUNCTION(sin, sinf(x))
GPUREPL_BF16_FUNCTION(cos, cosf(x))
GPUREPL_BF16_FUNCTION(tanh, tanhf(x))
GPUREPL_BF16_FUNCTION(tanh_approx, tanhf(x))
GPUREPL_BF16_FUNCTION(ceil, ceilf(x))
GPUREPL_BF16_FUNCTION(floor, floorf(x))
GPUREPL_BF16_FUNCTION(trunc, truncf(x))
GPUREPL_BF16_FUNCTION(rint, rintf(x))
#undef GPUREPL_BF16_FUNCTION

// ---- memory and other lanes ----------------------------------------------------------------------

#ifdef GPUREPL_HOST
GPUREPL_BF16 __nv_bfloat16 atomicAdd(__nv_bfloat16 *p, __nv_bfloat16 v) {
  GPUREPL_POLL();
  unsigned short old = __atomic_load_n((unsigned short *)p, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n((unsigned short *)p, &old, gpurepl::bf16_add(old, __bfloat16_as_ushort(v)),
                                      true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
  return __ushort_as_bfloat16(old);
}
GPUREPL_BF16 __nv_bfloat162 atomicAdd(__nv_bfloat162 *p, __nv_bfloat162 v) {
  GPUREPL_POLL();
  unsigned int old = __atomic_load_n((unsigned int *)p, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n((unsigned int *)p, &old, gpurepl::bf162_add(old, gpurepl::bf162_bits(v)),
                                      true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
  return gpurepl::bf162_of(old);
}
#else
#if GPUREPL_BF16_ARCH >= 900
static __device__ __forceinline__ __nv_bfloat16 atomicAdd(__nv_bfloat16 *p, __nv_bfloat16 v) {
  unsigned short old;
  asm volatile("atom.add.noftz.bf16 %0, [%1], %2;" : "=h"(old) : "l"(p), "h"(__bfloat16_as_ushort(v)) : "memory");
  return __ushort_as_bfloat16(old);
}
static __device__ __forceinline__ __nv_bfloat162 atomicAdd(__nv_bfloat162 *p, __nv_bfloat162 v) {
  unsigned int old;
  asm volatile("atom.add.noftz.bf16x2 %0, [%1], %2;" : "=r"(old) : "l"(p), "r"(gpurepl::bf162_bits(v)) : "memory");
  return gpurepl::bf162_of(old);
}
#else
static __device__ __forceinline__ __nv_bfloat16 atomicAdd(__nv_bfloat16 *p, __nv_bfloat16 v) {
  unsigned short old = *(const volatile unsigned short *)p, seen;
  do {
    seen = old;
    old = atomicCAS((unsigned short *)p, seen, gpurepl::bf16_add(seen, __bfloat16_as_ushort(v)));
  } while (old != seen);
  return __ushort_as_bfloat16(old);
}
static __device__ __forceinline__ __nv_bfloat162 atomicAdd(__nv_bfloat162 *p, __nv_bfloat162 v) {
  unsigned int old = *(const volatile unsigned int *)p, seen;
  do {
    seen = old;
    old = atomicCAS((unsigned int *)p, seen, gpurepl::bf162_add(seen, gpurepl::bf162_bits(v)));
  } while (old != seen);
  return gpurepl::bf162_of(old);
}
#endif
// The host device's own take any type.
#define GPUREPL_BF16_LOAD(name) \
  static __device__ __forceinline__ __nv_bfloat16 name(const __nv_bfloat16 *p) { \
    return __ushort_as_bfloat16(name((const unsigned short *)p)); \
  } \
  static __device__ __forceinline__ __nv_bfloat162 name(const __nv_bfloat162 *p) { \
    return gpurepl::bf162_of(name((const unsigned int *)p)); \
  }
GPUREPL_BF16_LOAD(__ldg) GPUREPL_BF16_LOAD(__ldca) GPUREPL_BF16_LOAD(__ldcg) GPUREPL_BF16_LOAD(__ldcs)
GPUREPL_BF16_LOAD(__ldlu) GPUREPL_BF16_LOAD(__ldcv)
#undef GPUREPL_BF16_LOAD
#define GPUREPL_BF16_STORE(name) \
  static __device__ __forceinline__ void name(__nv_bfloat16 *p, __nv_bfloat16 h) { \
    name((unsigned short *)p, __bfloat16_as_ushort(h)); \
  } \
  static __device__ __forceinline__ void name(__nv_bfloat162 *p, __nv_bfloat162 v) { \
    name((unsigned int *)p, gpurepl::bf162_bits(v)); \
  }
GPUREPL_BF16_STORE(__stwb) GPUREPL_BF16_STORE(__stcg) GPUREPL_BF16_STORE(__stcs) GPUREPL_BF16_STORE(__stwt)
#undef GPUREPL_BF16_STORE
#define GPUREPL_BF16_SHUFFLE(name, T) \
  static __device__ __forceinline__ __nv_bfloat16 name(unsigned int mask, __nv_bfloat16 h, T lane, int width = 32) { \
    return __ushort_as_bfloat16((unsigned short)name(mask, (unsigned int)__bfloat16_as_ushort(h), lane, width)); \
  } \
  static __device__ __forceinline__ __nv_bfloat162 name(unsigned int mask, __nv_bfloat162 v, T lane, int width = 32) { \
    return gpurepl::bf162_of(name(mask, gpurepl::bf162_bits(v), lane, width)); \
  }
GPUREPL_BF16_SHUFFLE(__shfl_sync, int)
GPUREPL_BF16_SHUFFLE(__shfl_up_sync, unsigned int)
GPUREPL_BF16_SHUFFLE(__shfl_down_sync, unsigned int)
GPUREPL_BF16_SHUFFLE(__shfl_xor_sync, int)
#undef GPUREPL_BF16_SHUFFLE
#endif
#undef GPUREPL_BF16_ARCH
#undef GPUREPL_BF16
#endif
