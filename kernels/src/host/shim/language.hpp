// What CUDA C has and C++ has not, for kernels that run on the CPU.
//
// No header is included: reading <cmath> takes longer than compiling a usual
// kernel. The names are CUDA's, so that a kernel's text needs no change.

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

typedef long clock_t;
typedef struct CUstream_st *cudaStream_t;
typedef struct CUevent_st *cudaEvent_t;
enum cudaError { cudaSuccess = 0 };
typedef enum cudaError cudaError_t;
enum cudaMemcpyKind { cudaMemcpyHostToHost, cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice, cudaMemcpyDefault };
struct cudaPitchedPtr {
  void *ptr;
  size_t pitch, xsize, ysize;
};
struct cudaExtent {
  size_t width, height, depth;
};
struct cudaPos {
  size_t x, y, z;
};

#define GPUREPL_HOST 1
#define GPUREPL_EXPORT __attribute__((visibility("default")))
#define GPUREPL_INLINE static inline __attribute__((always_inline))
#ifdef GPUREPL_CHECKED
// A thread's accesses stay its own: none moves to before or after the others.
#define __global__ inline __attribute__((noinline))
#else
#define __global__ inline __attribute__((always_inline))
#endif
#define __device__
#define __host__
#define __constant__
// The translated text has none of these left: this one stands in a file that it includes.
#define __shared__ gpurepl_shared_memory_in_an_included_file_cannot_be_translated
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
// CUDA 13 names the alignment of four 64-bit numbers.
#define GPUREPL_ALIGNED_4(T, name, n) \
  struct __align__(n) name##4_##n##a { T x, y, z, w; }; \
  GPUREPL_INLINE name##4_##n##a make_##name##4_##n##a(T x, T y, T z, T w) { name##4_##n##a v = {x, y, z, w}; return v; }
#define GPUREPL_ALIGNED(T, name) GPUREPL_ALIGNED_4(T, name, 16) GPUREPL_ALIGNED_4(T, name, 32)
GPUREPL_ALIGNED(long, long) GPUREPL_ALIGNED(unsigned long, ulong) GPUREPL_ALIGNED(long long, longlong)
GPUREPL_ALIGNED(unsigned long long, ulonglong) GPUREPL_ALIGNED(double, double)

struct dim3 {
  unsigned int x, y, z;
  constexpr dim3(unsigned int x = 1, unsigned int y = 1, unsigned int z = 1) : x(x), y(y), z(z) {}
  constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  constexpr operator uint3() const { return uint3{x, y, z}; }
};
