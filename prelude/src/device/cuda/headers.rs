//! What CUDA C sources expect and NVRTC does not bring: NVRTC compiles without
//! the system's headers.

use std::ffi::CStr;

/// Headers that kernels include out of habit, by name. Most of what they
/// declare is built into NVRTC, and what is not stands in [`BASE`].
pub(super) const HEADERS: &[(&CStr, &CStr)] = &[
    (BASE_NAME, BASE),
    (c"algorithm", STD),
    (c"assert.h", c""),
    (c"cassert", c""),
    (c"cfloat", c""),
    (c"climits", c""),
    (c"cmath", STD),
    (c"cstddef", c""),
    (c"cstdint", INTEGERS),
    (c"cstdio", c""),
    (c"cstdlib", c""),
    (c"cstring", c""),
    (c"cuda.h", c""),
    (c"cuda_runtime.h", c""),
    (c"cuda_runtime_api.h", c""),
    (c"device_functions.h", c""),
    (c"device_launch_parameters.h", c""),
    (c"float.h", c""),
    (c"limits.h", c""),
    (c"math.h", c""),
    (c"math_constants.h", CONSTANTS),
    (c"stddef.h", c""),
    (c"stdint.h", INTEGERS),
    (c"stdio.h", c""),
    (c"stdlib.h", c""),
    (c"string.h", c""),
    (c"vector_functions.h", c""),
    (c"vector_types.h", c""),
    (c"pycuda-complex.hpp", COMPLEX),
];

/// The name of [`BASE`], which is read before every source.
pub(super) const BASE_NAME: &CStr = c"gpurepl.h";

/// What nvcc's own headers bring along: short names of types, `assert`, and
/// the macros of `math.h`, `float.h` and `limits.h`. Infinity and NaN can
/// stand where a constant must.
pub(super) const BASE: &CStr = c"
#pragma once
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
#ifndef assert
#ifdef NDEBUG
#define assert(...) ((void)0)
#else
extern \"C\" __device__ __attribute__((noreturn)) void __assertfail(const char *, const char *, unsigned int, const char *, size_t);
#define assert(...) ((__VA_ARGS__) ? (void)0 : __assertfail(#__VA_ARGS__, __FILE__, __LINE__, __func__, 1))
#endif
#endif
#ifndef INFINITY
#define INFINITY __builtin_bit_cast(float, 0x7f800000u)
#endif
#ifndef NAN
#define NAN __builtin_bit_cast(float, 0x7fffffffu)
#endif
#ifndef HUGE_VAL
#define HUGE_VAL __builtin_bit_cast(double, 0x7ff0000000000000ull)
#define HUGE_VALF __builtin_bit_cast(float, 0x7f800000u)
#endif
#ifndef M_PI
#define M_E 2.7182818284590452354
#define M_LOG2E 1.4426950408889634074
#define M_LOG10E 0.43429448190325182765
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_2_SQRTPI 1.12837916709551257390
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440
#endif
#ifndef FLT_MAX
#define FLT_RADIX 2
#define FLT_DIG 6
#define FLT_MANT_DIG 24
#define FLT_MIN_EXP (-125)
#define FLT_MAX_EXP 128
#define FLT_EPSILON 1.19209290e-7f
#define FLT_MIN 1.17549435e-38f
#define FLT_MAX 3.40282347e+38f
#define DBL_DIG 15
#define DBL_MANT_DIG 53
#define DBL_MIN_EXP (-1021)
#define DBL_MAX_EXP 1024
#define DBL_EPSILON 2.2204460492503131e-16
#define DBL_MIN 2.2250738585072014e-308
#define DBL_MAX 1.7976931348623157e+308
#endif
#ifndef INT_MAX
#define CHAR_BIT 8
#define SCHAR_MIN (-128)
#define SCHAR_MAX 127
#define UCHAR_MAX 255
#define CHAR_MIN SCHAR_MIN
#define CHAR_MAX SCHAR_MAX
#define SHRT_MIN (-32768)
#define SHRT_MAX 32767
#define USHRT_MAX 65535
#define INT_MIN (-2147483647 - 1)
#define INT_MAX 2147483647
#define UINT_MAX 4294967295u
#define LONG_MIN (-9223372036854775807l - 1)
#define LONG_MAX 9223372036854775807l
#define ULONG_MAX 18446744073709551615ul
#define LLONG_MIN (-9223372036854775807ll - 1)
#define LLONG_MAX 9223372036854775807ll
#define ULLONG_MAX 18446744073709551615ull
#endif
";

/// `stdint.h`.
const INTEGERS: &CStr = c"
#pragma once
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;
typedef long long intptr_t;
typedef unsigned long long uintptr_t;
#define INT8_MIN (-128)
#define INT8_MAX 127
#define UINT8_MAX 255
#define INT16_MIN (-32768)
#define INT16_MAX 32767
#define UINT16_MAX 65535
#define INT32_MIN (-2147483647 - 1)
#define INT32_MAX 2147483647
#define UINT32_MAX 4294967295u
#define INT64_MIN (-9223372036854775807ll - 1)
#define INT64_MAX 9223372036854775807ll
#define UINT64_MAX 18446744073709551615ull
#define SIZE_MAX 18446744073709551615ull
namespace std {
using ::int8_t; using ::int16_t; using ::int32_t; using ::int64_t;
using ::uint8_t; using ::uint16_t; using ::uint32_t; using ::uint64_t;
}
";

/// The functions that C++ has in `std`, by their names in CUDA C.
const STD: &CStr = c"
#pragma once
namespace std {
using ::abs; using ::fabs; using ::sqrt; using ::cbrt; using ::hypot; using ::pow; using ::exp; using ::exp2;
using ::expm1; using ::log; using ::log2; using ::log10; using ::log1p; using ::sin; using ::cos; using ::tan;
using ::asin; using ::acos; using ::atan; using ::atan2; using ::sinh; using ::cosh; using ::tanh; using ::erf;
using ::erfc; using ::tgamma; using ::lgamma; using ::floor; using ::ceil; using ::trunc; using ::round;
using ::rint; using ::fmod; using ::fma; using ::fmin; using ::fmax; using ::min; using ::max;
using ::isnan; using ::isinf; using ::isfinite; using ::signbit;
}
";

/// The names of `math_constants.h` that kernels use; the toolkit has more.
const CONSTANTS: &CStr = c"
#pragma once
#define CUDART_INF_F __builtin_bit_cast(float, 0x7f800000u)
#define CUDART_NAN_F __builtin_bit_cast(float, 0x7fffffffu)
#define CUDART_INF __builtin_bit_cast(double, 0x7ff0000000000000ull)
#define CUDART_NAN __builtin_bit_cast(double, 0x7fffffffffffffffull)
#define CUDART_PI_F 3.141592654f
#define CUDART_PI 3.1415926535897931e+0
#define CUDART_PIO2_F 1.570796327f
#define CUDART_PIO2 1.5707963267948966e+0
#define CUDART_PIO4_F 0.785398163f
#define CUDART_PIO4 7.8539816339744828e-1
#define CUDART_2_OVER_PI_F 0.636619772f
#define CUDART_2_OVER_PI 6.3661977236758138e-1
#define CUDART_SQRT_TWO_F 1.414213562f
#define CUDART_SQRT_TWO 1.4142135623730951e+0
#define CUDART_LN2_F 0.693147181f
#define CUDART_LN2 6.9314718055994529e-1
#define CUDART_MAX_NORMAL_F 3.402823466e+38f
";

/// `gpurepl::complex`, also by PyCUDA's name.
const COMPLEX: &CStr = gpurepl_kernels::COMPLEX_HEADER;
