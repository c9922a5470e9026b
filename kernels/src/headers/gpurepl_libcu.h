// What the headers of `cuda::` and `cuda::std::` begin with.
#ifndef GPUREPL_LIBCU_H
#define GPUREPL_LIBCU_H
// A function of theirs, on both devices.
#define GPUREPL_LC __host__ __device__ __forceinline__
#define GPUREPL_LCX GPUREPL_LC constexpr
// One of what the device alone has.
#define GPUREPL_LCD __device__ __forceinline__
// A constant template: of these there is one in a program.
#define GPUREPL_LCV inline constexpr

namespace cuda {
namespace std {
using ::size_t;
using ::ptrdiff_t;
typedef decltype(nullptr) nullptr_t;
}
}
#endif
