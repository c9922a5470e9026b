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
