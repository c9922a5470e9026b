// ---- the C library -------------------------------------------------------------------------------

// CUDA overloads the mathematical functions: sin(float) stays in single
// precision. Where NVRTC finds a call with integers ambiguous, nvcc takes the
// integers for double; so does this.
template <class T> struct gpurepl_kind { static constexpr int value = 0; };
#define GPUREPL_KIND(T, k) template <> struct gpurepl_kind<T> { static constexpr int value = k; };
GPUREPL_KIND(bool, 1) GPUREPL_KIND(char, 1) GPUREPL_KIND(signed char, 1) GPUREPL_KIND(unsigned char, 1)
GPUREPL_KIND(short, 1) GPUREPL_KIND(unsigned short, 1) GPUREPL_KIND(int, 1) GPUREPL_KIND(unsigned int, 1)
GPUREPL_KIND(long, 1) GPUREPL_KIND(unsigned long, 1) GPUREPL_KIND(long long, 1) GPUREPL_KIND(unsigned long long, 1)
GPUREPL_KIND(float, 2) GPUREPL_KIND(double, 4)
// The answer by the kinds of the arguments: an integer beside a float is one
// too. Two floats or two doubles have functions of their own.
template <int kinds> struct gpurepl_answer {};
template <> struct gpurepl_answer<1> { typedef double type; };
template <> struct gpurepl_answer<1 | 2> { typedef float type; };
template <> struct gpurepl_answer<1 | 4> { typedef double type; };
template <> struct gpurepl_answer<2 | 4> { typedef double type; };
#define GPUREPL_INTEGER(T) typename gpurepl_answer<gpurepl_kind<T>::value == 1>::type
#define GPUREPL_MIXED(A, B) typename gpurepl_answer<gpurepl_kind<A>::value && gpurepl_kind<B>::value ? gpurepl_kind<A>::value | gpurepl_kind<B>::value : 0>::type

#define GPUREPL_OVERLOAD_1(name) \
  GPUREPL_INLINE float name(float x) { return name##f(x); } \
  template <class T> GPUREPL_INLINE GPUREPL_INTEGER(T) name(T x) { return name((double)x); }
#define GPUREPL_OVERLOAD_2(name) \
  GPUREPL_INLINE float name(float x, float y) { return name##f(x, y); } \
  template <class A, class B> GPUREPL_INLINE GPUREPL_MIXED(A, B) name(A x, B y) { return name((GPUREPL_MIXED(A, B))x, (GPUREPL_MIXED(A, B))y); }
// For functions whose second argument is no floating number.
#define GPUREPL_OVERLOAD_WITH(name, B) \
  GPUREPL_INLINE float name(float x, B y) { return name##f(x, y); } \
  template <class T> GPUREPL_INLINE GPUREPL_INTEGER(T) name(T x, B y) { return name((double)x, y); }
#define GPUREPL_LIBM_1(name) extern "C" { double name(double); float name##f(float); } GPUREPL_OVERLOAD_1(name)
#define GPUREPL_LIBM_2(name) extern "C" { double name(double, double); float name##f(float, float); } GPUREPL_OVERLOAD_2(name)
#define GPUREPL_LIBM_WITH(name, B) extern "C" { double name(double, B); float name##f(float, B); } GPUREPL_OVERLOAD_WITH(name, B)
GPUREPL_LIBM_1(sin) GPUREPL_LIBM_1(cos) GPUREPL_LIBM_1(tan) GPUREPL_LIBM_1(asin) GPUREPL_LIBM_1(acos)
GPUREPL_LIBM_1(atan) GPUREPL_LIBM_1(sinh) GPUREPL_LIBM_1(cosh) GPUREPL_LIBM_1(tanh) GPUREPL_LIBM_1(asinh)
GPUREPL_LIBM_1(acosh) GPUREPL_LIBM_1(atanh) GPUREPL_LIBM_1(exp) GPUREPL_LIBM_1(exp2) GPUREPL_LIBM_1(expm1)
GPUREPL_LIBM_1(log) GPUREPL_LIBM_1(log2) GPUREPL_LIBM_1(log10) GPUREPL_LIBM_1(log1p) GPUREPL_LIBM_1(sqrt)
GPUREPL_LIBM_1(cbrt) GPUREPL_LIBM_1(fabs) GPUREPL_LIBM_1(floor) GPUREPL_LIBM_1(ceil) GPUREPL_LIBM_1(trunc)
GPUREPL_LIBM_1(round) GPUREPL_LIBM_1(rint) GPUREPL_LIBM_1(nearbyint) GPUREPL_LIBM_1(erf) GPUREPL_LIBM_1(erfc)
GPUREPL_LIBM_1(tgamma) GPUREPL_LIBM_1(lgamma) GPUREPL_LIBM_1(logb)
GPUREPL_LIBM_2(pow) GPUREPL_LIBM_2(atan2) GPUREPL_LIBM_2(fmod) GPUREPL_LIBM_2(hypot) GPUREPL_LIBM_2(fmin)
GPUREPL_LIBM_2(fmax) GPUREPL_LIBM_2(fdim) GPUREPL_LIBM_2(copysign) GPUREPL_LIBM_2(remainder)
GPUREPL_LIBM_2(nextafter)
GPUREPL_LIBM_WITH(ldexp, int) GPUREPL_LIBM_WITH(scalbn, int) GPUREPL_LIBM_WITH(scalbln, long)
GPUREPL_LIBM_WITH(frexp, int *)
extern "C" {
double fma(double, double, double);
float fmaf(float, float, float);
double modf(double, double *);
float modff(float, float *);
double remquo(double, double, int *);
float remquof(float, float, int *);
void sincos(double, double *, double *);
void sincosf(float, float *, float *);
double nan(const char *);
float nanf(const char *);
void *malloc(size_t);
void free(void *);
void *memcpy(void *, const void *, size_t);
void *memset(void *, int, size_t);
}
GPUREPL_INLINE float fma(float x, float y, float z) { return fmaf(x, y, z); }
GPUREPL_INLINE float modf(float x, float *whole) { return modff(x, whole); }
GPUREPL_INLINE float remquo(float x, float y, int *quotient) { return remquof(x, y, quotient); }
GPUREPL_INLINE void sincos(float x, float *s, float *c) { sincosf(x, s, c); }

// The library's answers for 0 and NaN differ between processors.
#define GPUREPL_ILOGB(T, name, by) \
  GPUREPL_INLINE int name(T x) { return x == 0 || x != x ? INT_MIN : __builtin_isinf(x) ? INT_MAX : (int)by(x); }
GPUREPL_ILOGB(float, ilogbf, logbf) GPUREPL_ILOGB(float, ilogb, logbf) GPUREPL_ILOGB(double, ilogb, logb)

// A GPU converts to the nearest whole number that the type has, and a NaN to
// `not_a_number` (PTX ISA, cvt). `x` is whole.
template <class To, class From> GPUREPL_INLINE To gpurepl_whole(From x, To least, To greatest, To not_a_number) {
  return x != x ? not_a_number : x <= (From)least ? least : x >= (From)greatest ? greatest : (To)x;
}
#define GPUREPL_TO_LONG(T, f) \
  GPUREPL_INLINE long long gpurepl_to_long(T x) { return gpurepl_whole<long long>(x, LLONG_MIN, LLONG_MAX, LLONG_MIN); } \
  GPUREPL_INLINE long lround(T x) { return gpurepl_to_long(round##f(x)); } \
  GPUREPL_INLINE long lrint(T x) { return gpurepl_to_long(rint##f(x)); } \
  GPUREPL_INLINE long long llround(T x) { return gpurepl_to_long(round##f(x)); } \
  GPUREPL_INLINE long long llrint(T x) { return gpurepl_to_long(rint##f(x)); }
GPUREPL_TO_LONG(float, f) GPUREPL_TO_LONG(double, )
GPUREPL_INLINE long lroundf(float x) { return lround(x); }
GPUREPL_INLINE long lrintf(float x) { return lrint(x); }
GPUREPL_INLINE long long llroundf(float x) { return llround(x); }
GPUREPL_INLINE long long llrintf(float x) { return llrint(x); }

GPUREPL_INLINE float rsqrtf(float x) { return 1.0f / sqrtf(x); }
GPUREPL_INLINE double rsqrt(double x) { return 1.0 / sqrt(x); }
GPUREPL_OVERLOAD_1(rsqrt)
GPUREPL_INLINE float rcbrtf(float x) { return 1.0f / cbrtf(x); }
GPUREPL_INLINE double rcbrt(double x) { return 1.0 / cbrt(x); }
GPUREPL_OVERLOAD_1(rcbrt)
GPUREPL_INLINE float exp10f(float x) { return powf(10.0f, x); }
GPUREPL_INLINE double exp10(double x) { return pow(10.0, x); }
GPUREPL_OVERLOAD_1(exp10)
GPUREPL_INLINE float fdividef(float x, float y) { return x / y; }
GPUREPL_INLINE double fdivide(double x, double y) { return x / y; }

GPUREPL_INLINE int abs(int x) { return x < 0 ? (int)(0u - (unsigned int)x) : x; }
GPUREPL_INLINE long abs(long x) { return x < 0 ? (long)(0ul - (unsigned long)x) : x; }
GPUREPL_INLINE long long abs(long long x) { return x < 0 ? (long long)(0ull - (unsigned long long)x) : x; }
GPUREPL_INLINE float abs(float x) { return fabsf(x); }
GPUREPL_INLINE double abs(double x) { return fabs(x); }
GPUREPL_INLINE long labs(long x) { return abs(x); }
GPUREPL_INLINE long long llabs(long long x) { return abs(x); }

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

GPUREPL_INLINE unsigned int umin(unsigned int a, unsigned int b) { return min(a, b); }
GPUREPL_INLINE unsigned int umax(unsigned int a, unsigned int b) { return max(a, b); }
GPUREPL_INLINE long long llmin(long long a, long long b) { return min(a, b); }
GPUREPL_INLINE long long llmax(long long a, long long b) { return max(a, b); }
GPUREPL_INLINE unsigned long long ullmin(unsigned long long a, unsigned long long b) { return min(a, b); }
GPUREPL_INLINE unsigned long long ullmax(unsigned long long a, unsigned long long b) { return max(a, b); }

#ifndef isnan
#define GPUREPL_CLASSIFY(T, f) \
  GPUREPL_INLINE bool isnan(T x) { return x != x; } \
  GPUREPL_INLINE bool isinf(T x) { return __builtin_isinf(x); } \
  GPUREPL_INLINE bool isfinite(T x) { return __builtin_isfinite(x); } \
  GPUREPL_INLINE bool signbit(T x) { return __builtin_signbit(x); } \
  GPUREPL_INLINE int __isnan##f(T x) { return x != x; } \
  GPUREPL_INLINE int __isinf##f(T x) { return __builtin_isinf(x); } \
  GPUREPL_INLINE int __finite##f(T x) { return __builtin_isfinite(x); } \
  GPUREPL_INLINE int __signbit##f(T x) { return __builtin_signbit(x) != 0; }
GPUREPL_CLASSIFY(float, f)
GPUREPL_CLASSIFY(double, )
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
using ::asinh; using ::acosh; using ::atanh; using ::nearbyint; using ::logb; using ::ilogb; using ::ldexp;
using ::scalbn; using ::scalbln; using ::frexp; using ::modf; using ::remquo; using ::remainder; using ::fdim;
using ::copysign; using ::nextafter; using ::lround; using ::lrint; using ::llround; using ::llrint; using ::nan;
using ::labs; using ::llabs;
using ::isnan; using ::isinf; using ::isfinite; using ::signbit;
}
