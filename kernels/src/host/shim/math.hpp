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
