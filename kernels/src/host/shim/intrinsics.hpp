// ---- intrinsics ----------------------------------------------------------------------------------
// The approximate ones are exact here: a GPU answers within its documented error.

GPUREPL_INLINE float __sinf(float x) { return sinf(x); }
GPUREPL_INLINE float __cosf(float x) { return cosf(x); }
GPUREPL_INLINE float __tanf(float x) { return tanf(x); }
GPUREPL_INLINE float __tanhf(float x) { return tanhf(x); }
GPUREPL_INLINE float __expf(float x) { return expf(x); }
GPUREPL_INLINE float __exp10f(float x) { return exp10f(x); }
GPUREPL_INLINE float __logf(float x) { return logf(x); }
GPUREPL_INLINE float __log2f(float x) { return log2f(x); }
GPUREPL_INLINE float __log10f(float x) { return log10f(x); }
GPUREPL_INLINE float __powf(float x, float y) { return powf(x, y); }
GPUREPL_INLINE void __sincosf(float x, float *s, float *c) { sincosf(x, s, c); }
GPUREPL_INLINE float __fdividef(float x, float y) { return x / y; }
GPUREPL_INLINE float __saturatef(float x) { return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; }

// The compiler joins a product and a sum to one instruction where there is
// one, but not such a product or sum. Written as what they would be joined to,
// they stay as they are, in vectors too; clang would see through that.
#if !defined(__FMA__) && !defined(__aarch64__)
#define GPUREPL_PRODUCT(T, fused) GPUREPL_INLINE T gpurepl_product_rn(T x, T y) { return x * y; }
#define GPUREPL_SUM(T, fused) GPUREPL_INLINE T gpurepl_sum_rn(T x, T y) { return x + y; }
#elif defined(__clang__)
#if defined(__aarch64__)
#define GPUREPL_APART(x) asm("" : "+w"(x));
#else
#define GPUREPL_APART(x) asm("" : "+x"(x));
#endif
#define GPUREPL_PRODUCT(T, fused) GPUREPL_INLINE T gpurepl_product_rn(T x, T y) { x *= y; GPUREPL_APART(x) return x; }
#define GPUREPL_SUM(T, fused) GPUREPL_INLINE T gpurepl_sum_rn(T x, T y) { GPUREPL_APART(x) GPUREPL_APART(y) return x + y; }
#else
#define GPUREPL_PRODUCT(T, fused) GPUREPL_INLINE T gpurepl_product_rn(T x, T y) { return fused(x, y, (T)-0.0); }
#define GPUREPL_SUM(T, fused) GPUREPL_INLINE T gpurepl_sum_rn(T x, T y) { return fused(x, (T)1.0, y); }
#endif
GPUREPL_PRODUCT(float, fmaf) GPUREPL_PRODUCT(double, fma)
GPUREPL_SUM(float, fmaf) GPUREPL_SUM(double, fma)
GPUREPL_INLINE float __fadd_rn(float x, float y) { return gpurepl_sum_rn(x, y); }
GPUREPL_INLINE float __fsub_rn(float x, float y) { return gpurepl_sum_rn(x, -y); }
GPUREPL_INLINE float __fmul_rn(float x, float y) { return gpurepl_product_rn(x, y); }
GPUREPL_INLINE float __fdiv_rn(float x, float y) { return x / y; }
GPUREPL_INLINE float __frcp_rn(float x) { return 1.0f / x; }
GPUREPL_INLINE float __fsqrt_rn(float x) { return sqrtf(x); }
// In double precision the answer is never so near to the middle between two
// floats that rounding it again goes wrong; all floats were tried.
GPUREPL_INLINE float __frsqrt_rn(float x) { return (float)(1.0 / sqrt((double)x)); }
GPUREPL_INLINE float __fmaf_rn(float x, float y, float z) { return fmaf(x, y, z); }
GPUREPL_INLINE float __fmaf_ieee_rn(float x, float y, float z) { return fmaf(x, y, z); }
GPUREPL_INLINE double __dadd_rn(double x, double y) { return gpurepl_sum_rn(x, y); }
GPUREPL_INLINE double __dsub_rn(double x, double y) { return gpurepl_sum_rn(x, -y); }
GPUREPL_INLINE double __dmul_rn(double x, double y) { return gpurepl_product_rn(x, y); }
GPUREPL_INLINE double __ddiv_rn(double x, double y) { return x / y; }
GPUREPL_INLINE double __drcp_rn(double x) { return 1.0 / x; }
GPUREPL_INLINE double __dsqrt_rn(double x) { return sqrt(x); }
GPUREPL_INLINE double __fma_rn(double x, double y, double z) { return fma(x, y, z); }

GPUREPL_INLINE int __mul24(int a, int b) { return (int)((unsigned int)((int)((unsigned int)a << 8) >> 8) * (unsigned int)((int)((unsigned int)b << 8) >> 8)); }
GPUREPL_INLINE unsigned int __umul24(unsigned int a, unsigned int b) { return (a & 0xffffff) * (b & 0xffffff); }
GPUREPL_INLINE int __mulhi(int a, int b) { return (int)(((long long)a * b) >> 32); }
GPUREPL_INLINE unsigned int __umulhi(unsigned int a, unsigned int b) { return (unsigned int)(((unsigned long long)a * b) >> 32); }
GPUREPL_INLINE long long __mul64hi(long long a, long long b) { return (long long)(((__int128)a * b) >> 64); }
GPUREPL_INLINE unsigned long long __umul64hi(unsigned long long a, unsigned long long b) { return (unsigned long long)(((unsigned __int128)a * b) >> 64); }
GPUREPL_INLINE unsigned int __sad(int a, int b, unsigned int c) { return (a < b ? (unsigned int)b - (unsigned int)a : (unsigned int)a - (unsigned int)b) + c; }
GPUREPL_INLINE unsigned int __usad(unsigned int a, unsigned int b, unsigned int c) { return (a < b ? b - a : a - b) + c; }
GPUREPL_INLINE int __hadd(int a, int b) { return (int)(((long long)a + b) >> 1); }
GPUREPL_INLINE int __rhadd(int a, int b) { return (int)(((long long)a + b + 1) >> 1); }
GPUREPL_INLINE unsigned int __uhadd(unsigned int a, unsigned int b) { return (unsigned int)(((unsigned long long)a + b) >> 1); }
GPUREPL_INLINE unsigned int __urhadd(unsigned int a, unsigned int b) { return (unsigned int)(((unsigned long long)a + b + 1) >> 1); }
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
GPUREPL_INLINE unsigned int __funnelshift_lc(unsigned int lo, unsigned int hi, unsigned int s) {
  return s < 32 ? __funnelshift_l(lo, hi, s) : lo;
}
GPUREPL_INLINE unsigned int __funnelshift_r(unsigned int lo, unsigned int hi, unsigned int s) {
  return (unsigned int)(((unsigned long long)hi << 32 | lo) >> (s & 31));
}
GPUREPL_INLINE unsigned int __funnelshift_rc(unsigned int lo, unsigned int hi, unsigned int s) {
  return s < 32 ? __funnelshift_r(lo, hi, s) : hi;
}
// The place of the offset-th bit that is set, counted from `base` upwards or,
// where the offset is negative, downwards (PTX ISA, fns).
static __attribute__((noinline)) unsigned int gpurepl_fns(unsigned int mask, unsigned int base, int offset) {
  const int step = offset < 0 ? -1 : 1;
  unsigned int left = offset < 0 ? 0u - (unsigned int)offset : offset ? (unsigned int)offset : 1;
  for (unsigned int k = base; k < 32; k += step) {
    if (mask >> k & 1 && --left == 0) return k;
    if (offset == 0) break;
  }
  return 0xffffffffu;
}
GPUREPL_INLINE unsigned int __fns(unsigned int mask, unsigned int base, int offset) { return gpurepl_fns(mask, base, offset); }

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

// A NaN becomes 0, except from or to 64 bits: then the highest bit alone is set.
#define GPUREPL_TO_INTEGER(name, From, f, To, least, greatest, not_a_number) \
  GPUREPL_INLINE To name##_rn(From x) { return gpurepl_whole<To>(rint##f(x), least, greatest, not_a_number); } \
  GPUREPL_INLINE To name##_rz(From x) { return gpurepl_whole<To>(trunc##f(x), least, greatest, not_a_number); } \
  GPUREPL_INLINE To name##_ru(From x) { return gpurepl_whole<To>(ceil##f(x), least, greatest, not_a_number); } \
  GPUREPL_INLINE To name##_rd(From x) { return gpurepl_whole<To>(floor##f(x), least, greatest, not_a_number); }
GPUREPL_TO_INTEGER(__float2int, float, f, int, INT_MIN, INT_MAX, 0)
GPUREPL_TO_INTEGER(__float2uint, float, f, unsigned int, 0u, UINT_MAX, 0u)
GPUREPL_TO_INTEGER(__float2ll, float, f, long long, LLONG_MIN, LLONG_MAX, LLONG_MIN)
GPUREPL_TO_INTEGER(__float2ull, float, f, unsigned long long, 0ull, ULLONG_MAX, 1ull << 63)
GPUREPL_TO_INTEGER(__double2int, double, , int, INT_MIN, INT_MAX, INT_MIN)
GPUREPL_TO_INTEGER(__double2uint, double, , unsigned int, 0u, UINT_MAX, 1u << 31)
GPUREPL_TO_INTEGER(__double2ll, double, , long long, LLONG_MIN, LLONG_MAX, LLONG_MIN)
GPUREPL_TO_INTEGER(__double2ull, double, , unsigned long long, 0ull, ULLONG_MAX, 1ull << 63)
GPUREPL_INLINE float __int2float_rn(int x) { return (float)x; }
GPUREPL_INLINE float __uint2float_rn(unsigned int x) { return (float)x; }
GPUREPL_INLINE float __ll2float_rn(long long x) { return (float)x; }
GPUREPL_INLINE float __ull2float_rn(unsigned long long x) { return (float)x; }
GPUREPL_INLINE double __int2double_rn(int x) { return (double)x; }
GPUREPL_INLINE double __uint2double_rn(unsigned int x) { return (double)x; }
GPUREPL_INLINE double __ll2double_rn(long long x) { return (double)x; }
GPUREPL_INLINE double __ull2double_rn(unsigned long long x) { return (double)x; }
GPUREPL_INLINE float __double2float_rn(double x) { return (float)x; }

// Memory is read and written past no cache here.
template <class T> GPUREPL_INLINE T __ldg(const T *p) { return *p; }
template <class T> GPUREPL_INLINE T __ldca(const T *p) { return *p; }
template <class T> GPUREPL_INLINE T __ldcg(const T *p) { return *p; }
template <class T> GPUREPL_INLINE T __ldcs(const T *p) { return *p; }
template <class T> GPUREPL_INLINE T __ldlu(const T *p) { return *p; }
template <class T> GPUREPL_INLINE T __ldcv(const T *p) { asm volatile("" : : : "memory"); return *p; }
template <class T> struct gpurepl_same { typedef T type; };
#define GPUREPL_VALUE(T) typename gpurepl_same<T>::type
#define GPUREPL_STORE(name) template <class T> GPUREPL_INLINE void name(T *p, GPUREPL_VALUE(T) value) { *p = value; }
GPUREPL_STORE(__stwb) GPUREPL_STORE(__stcg) GPUREPL_STORE(__stcs) GPUREPL_STORE(__stwt)

GPUREPL_INLINE void __prof_trigger(int) {}
#ifndef __clang__
#define __builtin_assume(...) ((__VA_ARGS__) ? (void)0 : __builtin_unreachable())
#endif
