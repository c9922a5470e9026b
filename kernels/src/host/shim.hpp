// What CUDA C has and C++ has not, for kernels that run on the CPU.
//
// No header is included: reading <cmath> takes longer than compiling a usual
// kernel. Functions of the C library are declared here; the names below are
// CUDA's, so that a kernel's text needs no change.

typedef decltype(sizeof(0)) size_t;
typedef decltype((char *)0 - (char *)0) ptrdiff_t;
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long uint64_t;
typedef long intptr_t;
typedef unsigned long uintptr_t;
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
#ifndef NULL
#define NULL 0
#endif

#define GPUREPL_HOST 1
#define GPUREPL_EXPORT __attribute__((visibility("default")))
#define GPUREPL_INLINE static inline __attribute__((always_inline))
#define __global__ inline __attribute__((always_inline))
#define __device__
#define __host__
#define __constant__
// At file scope: a kernel that uses the variable is refused before it runs.
#define __shared__
#define __managed__
#define __grid_constant__
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __restrict__ __restrict
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))
#define CUDART_INF_F __builtin_inff()
#define CUDART_INF __builtin_inf()
#define CUDART_NAN_F __builtin_nanf("")
#define CUDART_NAN __builtin_nan("")
#ifndef INFINITY
#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")
#define HUGE_VAL __builtin_huge_val()
#define HUGE_VALF __builtin_huge_valf()
#endif

// ---- vector types ------------------------------------------------------------------------------

#define GPUREPL_VECTORS(T, name, a2, a4) \
  struct name##1 { T x; }; \
  struct __align__(a2) name##2 { T x, y; }; \
  struct name##3 { T x, y, z; }; \
  struct __align__(a4) name##4 { T x, y, z, w; }; \
  GPUREPL_INLINE name##1 make_##name##1(T x) { name##1 v = {x}; return v; } \
  GPUREPL_INLINE name##2 make_##name##2(T x, T y) { name##2 v = {x, y}; return v; } \
  GPUREPL_INLINE name##3 make_##name##3(T x, T y, T z) { name##3 v = {x, y, z}; return v; } \
  GPUREPL_INLINE name##4 make_##name##4(T x, T y, T z, T w) { name##4 v = {x, y, z, w}; return v; }
GPUREPL_VECTORS(signed char, char, 2, 4)
GPUREPL_VECTORS(unsigned char, uchar, 2, 4)
GPUREPL_VECTORS(short, short, 4, 8)
GPUREPL_VECTORS(unsigned short, ushort, 4, 8)
GPUREPL_VECTORS(int, int, 8, 16)
GPUREPL_VECTORS(unsigned int, uint, 8, 16)
GPUREPL_VECTORS(long, long, 16, 16)
GPUREPL_VECTORS(unsigned long, ulong, 16, 16)
GPUREPL_VECTORS(long long, longlong, 16, 16)
GPUREPL_VECTORS(unsigned long long, ulonglong, 16, 16)
GPUREPL_VECTORS(float, float, 8, 16)
GPUREPL_VECTORS(double, double, 16, 16)

struct dim3 {
  unsigned int x, y, z;
  constexpr dim3(unsigned int x = 1, unsigned int y = 1, unsigned int z = 1) : x(x), y(y), z(z) {}
  constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
};

// ---- where a thread is ---------------------------------------------------------------------------
// A kernel has its indices as hidden arguments, which the compiler can see
// through. Functions that a kernel calls have these instead; they are kept up
// to date only where such a function mentions one.

static thread_local uint3 threadIdx, blockIdx;
static thread_local dim3 blockDim, gridDim;
static constexpr int warpSize = 32;

// ---- the C library -------------------------------------------------------------------------------

extern "C" {
#define GPUREPL_LIBM_1(name) double name(double); float name##f(float);
#define GPUREPL_LIBM_2(name) double name(double, double); float name##f(float, float);
GPUREPL_LIBM_1(sin) GPUREPL_LIBM_1(cos) GPUREPL_LIBM_1(tan) GPUREPL_LIBM_1(asin) GPUREPL_LIBM_1(acos)
GPUREPL_LIBM_1(atan) GPUREPL_LIBM_1(sinh) GPUREPL_LIBM_1(cosh) GPUREPL_LIBM_1(tanh) GPUREPL_LIBM_1(asinh)
GPUREPL_LIBM_1(acosh) GPUREPL_LIBM_1(atanh) GPUREPL_LIBM_1(exp) GPUREPL_LIBM_1(exp2) GPUREPL_LIBM_1(expm1)
GPUREPL_LIBM_1(log) GPUREPL_LIBM_1(log2) GPUREPL_LIBM_1(log10) GPUREPL_LIBM_1(log1p) GPUREPL_LIBM_1(sqrt)
GPUREPL_LIBM_1(cbrt) GPUREPL_LIBM_1(fabs) GPUREPL_LIBM_1(floor) GPUREPL_LIBM_1(ceil) GPUREPL_LIBM_1(trunc)
GPUREPL_LIBM_1(round) GPUREPL_LIBM_1(rint) GPUREPL_LIBM_1(nearbyint) GPUREPL_LIBM_1(erf) GPUREPL_LIBM_1(erfc)
GPUREPL_LIBM_1(tgamma) GPUREPL_LIBM_1(lgamma) GPUREPL_LIBM_1(logb) GPUREPL_LIBM_1(j0) GPUREPL_LIBM_1(j1)
GPUREPL_LIBM_1(y0) GPUREPL_LIBM_1(y1)
GPUREPL_LIBM_2(pow) GPUREPL_LIBM_2(atan2) GPUREPL_LIBM_2(fmod) GPUREPL_LIBM_2(hypot) GPUREPL_LIBM_2(fmin)
GPUREPL_LIBM_2(fmax) GPUREPL_LIBM_2(fdim) GPUREPL_LIBM_2(copysign) GPUREPL_LIBM_2(remainder)
GPUREPL_LIBM_2(nextafter)
double fma(double, double, double);
float fmaf(float, float, float);
double ldexp(double, int);
float ldexpf(float, int);
double frexp(double, int *);
float frexpf(float, int *);
double modf(double, double *);
float modff(float, float *);
void sincos(double, double *, double *);
void sincosf(float, float *, float *);
long lround(double);
long lroundf(float);
long lrint(double);
long lrintf(float);
int printf(const char *, ...);
void *memcpy(void *, const void *, size_t);
void *memset(void *, int, size_t);
}

// CUDA overloads the mathematical functions: sin(float) stays in single precision.
#define GPUREPL_OVERLOAD_1(name) GPUREPL_INLINE float name(float x) { return name##f(x); }
#define GPUREPL_OVERLOAD_2(name) \
  GPUREPL_INLINE float name(float x, float y) { return name##f(x, y); } \
  GPUREPL_INLINE double name(float x, double y) { return name((double)x, y); } \
  GPUREPL_INLINE double name(double x, float y) { return name(x, (double)y); }
GPUREPL_OVERLOAD_1(sin) GPUREPL_OVERLOAD_1(cos) GPUREPL_OVERLOAD_1(tan) GPUREPL_OVERLOAD_1(asin)
GPUREPL_OVERLOAD_1(acos) GPUREPL_OVERLOAD_1(atan) GPUREPL_OVERLOAD_1(sinh) GPUREPL_OVERLOAD_1(cosh)
GPUREPL_OVERLOAD_1(tanh) GPUREPL_OVERLOAD_1(asinh) GPUREPL_OVERLOAD_1(acosh) GPUREPL_OVERLOAD_1(atanh)
GPUREPL_OVERLOAD_1(exp) GPUREPL_OVERLOAD_1(exp2) GPUREPL_OVERLOAD_1(expm1) GPUREPL_OVERLOAD_1(log)
GPUREPL_OVERLOAD_1(log2) GPUREPL_OVERLOAD_1(log10) GPUREPL_OVERLOAD_1(log1p) GPUREPL_OVERLOAD_1(sqrt)
GPUREPL_OVERLOAD_1(cbrt) GPUREPL_OVERLOAD_1(fabs) GPUREPL_OVERLOAD_1(floor) GPUREPL_OVERLOAD_1(ceil)
GPUREPL_OVERLOAD_1(trunc) GPUREPL_OVERLOAD_1(round) GPUREPL_OVERLOAD_1(rint) GPUREPL_OVERLOAD_1(nearbyint)
GPUREPL_OVERLOAD_1(erf) GPUREPL_OVERLOAD_1(erfc) GPUREPL_OVERLOAD_1(tgamma) GPUREPL_OVERLOAD_1(lgamma)
GPUREPL_OVERLOAD_1(logb)
GPUREPL_OVERLOAD_2(pow) GPUREPL_OVERLOAD_2(atan2) GPUREPL_OVERLOAD_2(fmod) GPUREPL_OVERLOAD_2(hypot)
GPUREPL_OVERLOAD_2(fmin) GPUREPL_OVERLOAD_2(fmax) GPUREPL_OVERLOAD_2(fdim) GPUREPL_OVERLOAD_2(copysign)
GPUREPL_OVERLOAD_2(remainder)
GPUREPL_INLINE float pow(float x, int y) { return powf(x, (float)y); }
GPUREPL_INLINE double pow(double x, int y) { return pow(x, (double)y); }
GPUREPL_INLINE float fma(float x, float y, float z) { return fmaf(x, y, z); }
GPUREPL_INLINE float ldexp(float x, int e) { return ldexpf(x, e); }
GPUREPL_INLINE float frexp(float x, int *e) { return frexpf(x, e); }
GPUREPL_INLINE float modf(float x, float *i) { return modff(x, i); }
// The integers that CUDA takes through double.
GPUREPL_INLINE double sqrt(int x) { return sqrt((double)x); }
GPUREPL_INLINE double sin(int x) { return sin((double)x); }
GPUREPL_INLINE double cos(int x) { return cos((double)x); }
GPUREPL_INLINE double exp(int x) { return exp((double)x); }
GPUREPL_INLINE double log(int x) { return log((double)x); }
GPUREPL_INLINE double floor(int x) { return (double)x; }
GPUREPL_INLINE double ceil(int x) { return (double)x; }

GPUREPL_INLINE float rsqrtf(float x) { return 1.0f / sqrtf(x); }
GPUREPL_INLINE double rsqrt(double x) { return 1.0 / sqrt(x); }
GPUREPL_INLINE float rsqrt(float x) { return rsqrtf(x); }
GPUREPL_INLINE float rcbrtf(float x) { return 1.0f / cbrtf(x); }
GPUREPL_INLINE double rcbrt(double x) { return 1.0 / cbrt(x); }
GPUREPL_INLINE float exp10f(float x) { return powf(10.0f, x); }
GPUREPL_INLINE double exp10(double x) { return pow(10.0, x); }
GPUREPL_INLINE float exp10(float x) { return exp10f(x); }
GPUREPL_INLINE float sinpif(float x) { return (float)sin((double)x * CUDART_PI); }
GPUREPL_INLINE double sinpi(double x) { return sin(x * CUDART_PI); }
GPUREPL_INLINE float cospif(float x) { return (float)cos((double)x * CUDART_PI); }
GPUREPL_INLINE double cospi(double x) { return cos(x * CUDART_PI); }
GPUREPL_INLINE float fdividef(float x, float y) { return x / y; }
GPUREPL_INLINE void sincos(float x, float *s, float *c) { sincosf(x, s, c); }
GPUREPL_INLINE float saturate(float x) { return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; }

GPUREPL_INLINE int abs(int x) { return x < 0 ? -x : x; }
GPUREPL_INLINE long abs(long x) { return x < 0 ? -x : x; }
GPUREPL_INLINE long long abs(long long x) { return x < 0 ? -x : x; }
GPUREPL_INLINE float abs(float x) { return fabsf(x); }
GPUREPL_INLINE double abs(double x) { return fabs(x); }
GPUREPL_INLINE long labs(long x) { return x < 0 ? -x : x; }
GPUREPL_INLINE long long llabs(long long x) { return x < 0 ? -x : x; }

#define GPUREPL_MIN_MAX(T, A, B) \
  GPUREPL_INLINE T min(A a, B b) { return (T)a < (T)b ? (T)a : (T)b; } \
  GPUREPL_INLINE T max(A a, B b) { return (T)a > (T)b ? (T)a : (T)b; }
GPUREPL_MIN_MAX(int, int, int)
GPUREPL_MIN_MAX(unsigned int, unsigned int, unsigned int)
GPUREPL_MIN_MAX(unsigned int, int, unsigned int)
GPUREPL_MIN_MAX(unsigned int, unsigned int, int)
GPUREPL_MIN_MAX(long, long, long)
GPUREPL_MIN_MAX(unsigned long, unsigned long, unsigned long)
GPUREPL_MIN_MAX(unsigned long, long, unsigned long)
GPUREPL_MIN_MAX(unsigned long, unsigned long, long)
GPUREPL_MIN_MAX(long long, long long, long long)
GPUREPL_MIN_MAX(unsigned long long, unsigned long long, unsigned long long)
GPUREPL_MIN_MAX(unsigned long long, long long, unsigned long long)
GPUREPL_MIN_MAX(unsigned long long, unsigned long long, long long)
// The floating ones answer with the number where one side is NaN, as on a GPU.
#define GPUREPL_FLOAT_MIN_MAX(T, A, B) \
  GPUREPL_INLINE T min(A a, B b) { return fmin((T)a, (T)b); } \
  GPUREPL_INLINE T max(A a, B b) { return fmax((T)a, (T)b); }
GPUREPL_FLOAT_MIN_MAX(float, float, float)
GPUREPL_FLOAT_MIN_MAX(double, double, double)
GPUREPL_FLOAT_MIN_MAX(double, float, double)
GPUREPL_FLOAT_MIN_MAX(double, double, float)

#ifndef isnan
#define GPUREPL_CLASSIFY(T) \
  GPUREPL_INLINE bool isnan(T x) { return x != x; } \
  GPUREPL_INLINE bool isinf(T x) { return __builtin_isinf(x); } \
  GPUREPL_INLINE bool isfinite(T x) { return __builtin_isfinite(x); } \
  GPUREPL_INLINE bool signbit(T x) { return __builtin_signbit(x); }
GPUREPL_CLASSIFY(float)
GPUREPL_CLASSIFY(double)
#endif

// The functions that C++ has in `std`.
namespace std {
using ::size_t; using ::ptrdiff_t;
using ::int8_t; using ::int16_t; using ::int32_t; using ::int64_t;
using ::uint8_t; using ::uint16_t; using ::uint32_t; using ::uint64_t;
using ::abs; using ::fabs; using ::sqrt; using ::cbrt; using ::hypot; using ::pow; using ::exp; using ::exp2;
using ::expm1; using ::log; using ::log2; using ::log10; using ::log1p; using ::sin; using ::cos; using ::tan;
using ::asin; using ::acos; using ::atan; using ::atan2; using ::sinh; using ::cosh; using ::tanh; using ::erf;
using ::erfc; using ::tgamma; using ::lgamma; using ::floor; using ::ceil; using ::trunc; using ::round;
using ::rint; using ::fmod; using ::fma; using ::fmin; using ::fmax; using ::min; using ::max;
using ::isnan; using ::isinf; using ::isfinite; using ::signbit;
}

// ---- intrinsics ----------------------------------------------------------------------------------
// The approximate ones are exact here: a GPU answers within its documented error.

GPUREPL_INLINE float __sinf(float x) { return sinf(x); }
GPUREPL_INLINE float __cosf(float x) { return cosf(x); }
GPUREPL_INLINE float __tanf(float x) { return tanf(x); }
GPUREPL_INLINE float __expf(float x) { return expf(x); }
GPUREPL_INLINE float __exp10f(float x) { return exp10f(x); }
GPUREPL_INLINE float __logf(float x) { return logf(x); }
GPUREPL_INLINE float __log2f(float x) { return log2f(x); }
GPUREPL_INLINE float __log10f(float x) { return log10f(x); }
GPUREPL_INLINE float __powf(float x, float y) { return powf(x, y); }
GPUREPL_INLINE void __sincosf(float x, float *s, float *c) { sincosf(x, s, c); }
GPUREPL_INLINE float __fdividef(float x, float y) { return x / y; }
GPUREPL_INLINE float __saturatef(float x) { return saturate(x); }
GPUREPL_INLINE float __frcp_rn(float x) { return 1.0f / x; }
GPUREPL_INLINE float __fsqrt_rn(float x) { return sqrtf(x); }
GPUREPL_INLINE float __frsqrt_rn(float x) { return 1.0f / sqrtf(x); }
GPUREPL_INLINE float __fadd_rn(float x, float y) { return x + y; }
GPUREPL_INLINE float __fsub_rn(float x, float y) { return x - y; }
GPUREPL_INLINE float __fmul_rn(float x, float y) { return x * y; }
GPUREPL_INLINE float __fdiv_rn(float x, float y) { return x / y; }
GPUREPL_INLINE float __fmaf_rn(float x, float y, float z) { return fmaf(x, y, z); }
GPUREPL_INLINE double __dadd_rn(double x, double y) { return x + y; }
GPUREPL_INLINE double __dmul_rn(double x, double y) { return x * y; }
GPUREPL_INLINE double __fma_rn(double x, double y, double z) { return fma(x, y, z); }

GPUREPL_INLINE int __mul24(int a, int b) { return ((a << 8) >> 8) * ((b << 8) >> 8); }
GPUREPL_INLINE unsigned int __umul24(unsigned int a, unsigned int b) { return (a & 0xffffff) * (b & 0xffffff); }
GPUREPL_INLINE int __mulhi(int a, int b) { return (int)(((long long)a * b) >> 32); }
GPUREPL_INLINE unsigned int __umulhi(unsigned int a, unsigned int b) { return (unsigned int)(((unsigned long long)a * b) >> 32); }
GPUREPL_INLINE long long __mul64hi(long long a, long long b) { return (long long)(((__int128)a * b) >> 64); }
GPUREPL_INLINE unsigned long long __umul64hi(unsigned long long a, unsigned long long b) { return (unsigned long long)(((unsigned __int128)a * b) >> 64); }
GPUREPL_INLINE int __popc(unsigned int x) { return __builtin_popcount(x); }
GPUREPL_INLINE int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
GPUREPL_INLINE int __clz(int x) { return x ? __builtin_clz((unsigned int)x) : 32; }
GPUREPL_INLINE int __clzll(long long x) { return x ? __builtin_clzll((unsigned long long)x) : 64; }
GPUREPL_INLINE int __ffs(int x) { return __builtin_ffs(x); }
GPUREPL_INLINE int __ffsll(long long x) { return __builtin_ffsll(x); }
GPUREPL_INLINE unsigned int __brev(unsigned int x) {
  x = (x & 0x55555555u) << 1 | (x >> 1 & 0x55555555u);
  x = (x & 0x33333333u) << 2 | (x >> 2 & 0x33333333u);
  x = (x & 0x0f0f0f0fu) << 4 | (x >> 4 & 0x0f0f0f0fu);
  return __builtin_bswap32(x);
}
GPUREPL_INLINE unsigned long long __brevll(unsigned long long x) {
  return (unsigned long long)__brev((unsigned int)x) << 32 | __brev((unsigned int)(x >> 32));
}
GPUREPL_INLINE unsigned int __byte_perm(unsigned int a, unsigned int b, unsigned int s) {
  unsigned long long both = (unsigned long long)b << 32 | a;
  unsigned int result = 0;
  for (int k = 0; k < 4; k++) result |= (unsigned int)(both >> 8 * (s >> 4 * k & 7) & 0xff) << 8 * k;
  return result;
}
GPUREPL_INLINE unsigned int __funnelshift_l(unsigned int lo, unsigned int hi, unsigned int s) {
  return (unsigned int)(((unsigned long long)hi << 32 | lo) << (s & 31) >> 32);
}
GPUREPL_INLINE unsigned int __funnelshift_r(unsigned int lo, unsigned int hi, unsigned int s) {
  return (unsigned int)(((unsigned long long)hi << 32 | lo) >> (s & 31));
}

template <class To, class From> GPUREPL_INLINE To gpurepl_bits(From from) {
  static_assert(sizeof(To) == sizeof(From), "same size");
  To to;
  __builtin_memcpy(&to, &from, sizeof(To));
  return to;
}
GPUREPL_INLINE int __float_as_int(float x) { return gpurepl_bits<int>(x); }
GPUREPL_INLINE unsigned int __float_as_uint(float x) { return gpurepl_bits<unsigned int>(x); }
GPUREPL_INLINE float __int_as_float(int x) { return gpurepl_bits<float>(x); }
GPUREPL_INLINE float __uint_as_float(unsigned int x) { return gpurepl_bits<float>(x); }
GPUREPL_INLINE long long __double_as_longlong(double x) { return gpurepl_bits<long long>(x); }
GPUREPL_INLINE double __longlong_as_double(long long x) { return gpurepl_bits<double>(x); }
GPUREPL_INLINE int __double2hiint(double x) { return (int)(gpurepl_bits<unsigned long long>(x) >> 32); }
GPUREPL_INLINE int __double2loint(double x) { return (int)gpurepl_bits<unsigned long long>(x); }
GPUREPL_INLINE double __hiloint2double(int hi, int lo) {
  return gpurepl_bits<double>((unsigned long long)(unsigned int)hi << 32 | (unsigned int)lo);
}
GPUREPL_INLINE int __float2int_rn(float x) { return (int)lrintf(x); }
GPUREPL_INLINE int __float2int_rz(float x) { return (int)x; }
GPUREPL_INLINE int __float2int_rd(float x) { return (int)floorf(x); }
GPUREPL_INLINE int __float2int_ru(float x) { return (int)ceilf(x); }
GPUREPL_INLINE unsigned int __float2uint_rz(float x) { return (unsigned int)x; }
GPUREPL_INLINE float __int2float_rn(int x) { return (float)x; }
GPUREPL_INLINE float __uint2float_rn(unsigned int x) { return (float)x; }
GPUREPL_INLINE double __int2double_rn(int x) { return (double)x; }
GPUREPL_INLINE float __double2float_rn(double x) { return (float)x; }
template <class T> GPUREPL_INLINE T __ldg(const T *p) { return *p; }

// ---- atomics and fences --------------------------------------------------------------------------

#define GPUREPL_ATOMIC_INTEGER(T) \
  GPUREPL_INLINE T atomicAdd(T *p, T v) { return __atomic_fetch_add(p, v, __ATOMIC_RELAXED); } \
  GPUREPL_INLINE T atomicSub(T *p, T v) { return __atomic_fetch_sub(p, v, __ATOMIC_RELAXED); } \
  GPUREPL_INLINE T atomicExch(T *p, T v) { return __atomic_exchange_n(p, v, __ATOMIC_RELAXED); } \
  GPUREPL_INLINE T atomicAnd(T *p, T v) { return __atomic_fetch_and(p, v, __ATOMIC_RELAXED); } \
  GPUREPL_INLINE T atomicOr(T *p, T v) { return __atomic_fetch_or(p, v, __ATOMIC_RELAXED); } \
  GPUREPL_INLINE T atomicXor(T *p, T v) { return __atomic_fetch_xor(p, v, __ATOMIC_RELAXED); } \
  GPUREPL_INLINE T atomicCAS(T *p, T old, T v) { __atomic_compare_exchange_n(p, &old, v, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED); return old; } \
  GPUREPL_INLINE T atomicMin(T *p, T v) { T o = __atomic_load_n(p, __ATOMIC_RELAXED); while (v < o && !__atomic_compare_exchange_n(p, &o, v, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {} return o; } \
  GPUREPL_INLINE T atomicMax(T *p, T v) { T o = __atomic_load_n(p, __ATOMIC_RELAXED); while (v > o && !__atomic_compare_exchange_n(p, &o, v, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {} return o; }
GPUREPL_ATOMIC_INTEGER(int)
GPUREPL_ATOMIC_INTEGER(unsigned int)
GPUREPL_ATOMIC_INTEGER(long long)
GPUREPL_ATOMIC_INTEGER(unsigned long long)
GPUREPL_ATOMIC_INTEGER(unsigned long)
GPUREPL_INLINE unsigned int atomicInc(unsigned int *p, unsigned int limit) {
  unsigned int o = __atomic_load_n(p, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(p, &o, o >= limit ? 0 : o + 1, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
  return o;
}
GPUREPL_INLINE unsigned int atomicDec(unsigned int *p, unsigned int limit) {
  unsigned int o = __atomic_load_n(p, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(p, &o, o == 0 || o > limit ? limit : o - 1, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
  return o;
}
#define GPUREPL_ATOMIC_FLOAT(T, U) \
  GPUREPL_INLINE T atomicAdd(T *p, T v) { \
    U o = __atomic_load_n((U *)p, __ATOMIC_RELAXED); \
    while (!__atomic_compare_exchange_n((U *)p, &o, gpurepl_bits<U>(gpurepl_bits<T>(o) + v), true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {} \
    return gpurepl_bits<T>(o); \
  } \
  GPUREPL_INLINE T atomicExch(T *p, T v) { return gpurepl_bits<T>(__atomic_exchange_n((U *)p, gpurepl_bits<U>(v), __ATOMIC_RELAXED)); }
GPUREPL_ATOMIC_FLOAT(float, unsigned int)
GPUREPL_ATOMIC_FLOAT(double, unsigned long long)
GPUREPL_INLINE void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
GPUREPL_INLINE void __threadfence_block() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
GPUREPL_INLINE void __threadfence_system() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
GPUREPL_INLINE long long clock64() {
#if defined(__x86_64__)
  return (long long)__builtin_ia32_rdtsc();
#else
  long long ticks;
  asm volatile("mrs %0, cntvct_el0" : "=r"(ticks));
  return ticks;
#endif
}
GPUREPL_INLINE int clock() { return (int)clock64(); }

// ---- leaving a kernel before its end -------------------------------------------------------------
// A failed assertion ends the launch. Nothing on the way has a destructor, so
// the jump skips none. The report is read by the caller of the entry.

struct gpurepl_report {
  const char *condition, *file;
  int line;
  uint3 thread, block;
};
static thread_local void *gpurepl_exit[5];
static thread_local gpurepl_report *gpurepl_reported;
static __attribute__((noinline, noreturn, cold)) void gpurepl_leave(const char *condition, const char *file, int line, uint3 thread, uint3 block) {
  *gpurepl_reported = {condition, file, line, thread, block};
  __builtin_longjmp(gpurepl_exit, 1);
}
#undef assert
#define assert(...) ((__VA_ARGS__) ? (void)0 : gpurepl_leave(#__VA_ARGS__, __FILE__, __LINE__, threadIdx, blockIdx))
#define __trap() gpurepl_leave(0, __FILE__, __LINE__, threadIdx, blockIdx)

// ---- running a grid ------------------------------------------------------------------------------

struct gpurepl_launch {
  dim3 grid, block;
};
template <size_t... I> struct gpurepl_indices {};
template <size_t N, size_t... I> struct gpurepl_count : gpurepl_count<N - 1, N - 1, I...> {};
template <size_t... I> struct gpurepl_count<0, I...> { typedef gpurepl_indices<I...> type; };

template <class F> struct gpurepl_entry;
template <class... A> struct gpurepl_entry<void (*)(uint3, uint3, dim3, dim3, A...)> {
  static constexpr size_t count = sizeof...(A);
  typedef void (*kernel_type)(uint3, uint3, dim3, dim3, A...);

  // `small`: the compiler may assume that an index does not wrap around, which
  // it must know before it makes vectors of a loop over threads.
  template <kernel_type kernel, bool kept, bool small>
  GPUREPL_INLINE void blocks(const dim3 gridDim, const dim3 blockDim, size_t begin, size_t end, A... a) {
    for (size_t at = begin; at < end; at++) {
      const uint3 blockIdx = {(unsigned int)(at % gridDim.x), (unsigned int)(at / gridDim.x % gridDim.y),
                              (unsigned int)(at / gridDim.x / gridDim.y)};
      if (small && !(blockIdx.x <= 0x1fffff && blockDim.x <= 1024 && gridDim.x <= 0x200000)) __builtin_unreachable();
      if (kept) ::blockIdx = blockIdx;
      for (unsigned int z = 0; z < blockDim.z; z++)
        for (unsigned int y = 0; y < blockDim.y; y++)
          for (unsigned int x = 0; x < blockDim.x; x++) {
            const uint3 threadIdx = {x, y, z};
            if (kept) ::threadIdx = threadIdx;
            kernel(threadIdx, blockIdx, blockDim, gridDim, a...);
          }
    }
  }

  template <kernel_type kernel, bool kept, size_t... I>
  GPUREPL_INLINE void call(void **arguments, const gpurepl_launch *launch, size_t begin, size_t end, gpurepl_indices<I...>) {
    if (launch->grid.x <= 0x200000)
      blocks<kernel, kept, true>(launch->grid, launch->block, begin, end, *(A *)arguments[I]...);
    else
      blocks<kernel, kept, false>(launch->grid, launch->block, begin, end, *(A *)arguments[I]...);
  }

  // False if the kernel left early; then `report` says where.
  template <kernel_type kernel, bool kept>
  static bool run(void **arguments, const gpurepl_launch *launch, size_t begin, size_t end, gpurepl_report *report) {
    if (kept) {
      ::blockDim = launch->block;
      ::gridDim = launch->grid;
      gpurepl_reported = report;
      if (__builtin_setjmp(gpurepl_exit)) return false;
    }
    call<kernel, kept>(arguments, launch, begin, end, typename gpurepl_count<count>::type());
    return true;
  }

  static size_t size(size_t k) {
    const size_t sizes[] = {sizeof(A)..., 0};
    return sizes[k];
  }
};

#define GPUREPL_KERNEL(number, kept, ...) \
  extern "C" GPUREPL_EXPORT bool gpurepl_kernel_##number(void **arguments, const gpurepl_launch *launch, size_t begin, size_t end, gpurepl_report *report) { \
    return gpurepl_entry<decltype(&__VA_ARGS__)>::run<&__VA_ARGS__, kept>(arguments, launch, begin, end, report); \
  } \
  extern "C" GPUREPL_EXPORT size_t gpurepl_count_##number() { return gpurepl_entry<decltype(&__VA_ARGS__)>::count; } \
  extern "C" GPUREPL_EXPORT size_t gpurepl_size_##number(size_t k) { return gpurepl_entry<decltype(&__VA_ARGS__)>::size(k); }
