// Copies from global to shared memory that a thread need not wait for, by the
// names of the CUDA C++ Programming Guide ("Pipeline Primitives Interface").
// From compute capability 8.0 on by cp.async; otherwise they are made at once.
#ifndef GPUREPL_CUDA_PIPELINE_PRIMITIVES
#define GPUREPL_CUDA_PIPELINE_PRIMITIVES
#include <cuda_awbarrier_primitives.h>
#define GPUREPL_PIPELINE static GPUREPL_LCD

namespace cuda {
namespace details {
// `size` bytes, of which the last `zeros` are not read.
#if !defined(GPUREPL_HOST) && __CUDA_ARCH__ >= 800
template <int size> GPUREPL_PIPELINE void copy_later(void *to, const void *from, unsigned int read) {
  const unsigned int place = (unsigned int)__cvta_generic_to_shared(to);
  const size_t source = __cvta_generic_to_global(from);
  if (size == 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" : : "r"(place), "l"(source), "r"(read) : "memory");
  if (size == 8) asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" : : "r"(place), "l"(source), "r"(read) : "memory");
  if (size == 4) asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" : : "r"(place), "l"(source), "r"(read) : "memory");
}
#else
template <class T> GPUREPL_PIPELINE void copy_now(void *to, const void *from, unsigned int read) {
  if (read == sizeof(T)) {
    *(T *)to = *(const T *)from;
    return;
  }
  for (unsigned int k = 0; k < sizeof(T); k++) ((unsigned char *)to)[k] = k < read ? ((const unsigned char *)from)[k] : 0;
}
template <int size> GPUREPL_PIPELINE void copy_later(void *to, const void *from, unsigned int read) {
  if (size == 16) copy_now<uint4>(to, from, read);
  if (size == 8) copy_now<uint2>(to, from, read);
  if (size == 4) copy_now<unsigned int>(to, from, read);
}
#endif
}
}
// `size` is 4, 8 or 16, and both addresses are multiples of it.
GPUREPL_PIPELINE void __pipeline_memcpy_async(void *to, const void *from, size_t size, size_t zeros = 0) {
  switch (size) {
    case 4: return cuda::details::copy_later<4>(to, from, (unsigned int)(size - zeros));
    case 8: return cuda::details::copy_later<8>(to, from, (unsigned int)(size - zeros));
    case 16: return cuda::details::copy_later<16>(to, from, (unsigned int)(size - zeros));
    default: __trap();
  }
}
#if !defined(GPUREPL_HOST) && __CUDA_ARCH__ >= 800
GPUREPL_PIPELINE void __pipeline_commit() { asm volatile("cp.async.commit_group;" : : : "memory"); }
// All but the last `prior` of what was committed.
GPUREPL_PIPELINE void __pipeline_wait_prior(size_t prior) {
#define GPUREPL_WAIT(n) case n: asm volatile("cp.async.wait_group " #n ";" : : : "memory"); return;
  switch (prior) {
    GPUREPL_WAIT(0) GPUREPL_WAIT(1) GPUREPL_WAIT(2) GPUREPL_WAIT(3)
    GPUREPL_WAIT(4) GPUREPL_WAIT(5) GPUREPL_WAIT(6) GPUREPL_WAIT(7)
    default: asm volatile("cp.async.wait_group 8;" : : : "memory");
  }
#undef GPUREPL_WAIT
}
// The barrier's phase does not end before this thread's copies are there.
GPUREPL_PIPELINE void __pipeline_arrive_on(__mbarrier_t *barrier) {
  asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" : : "r"(cuda::details::place_of(barrier)) : "memory");
}
#else
GPUREPL_PIPELINE void __pipeline_commit() {}
GPUREPL_PIPELINE void __pipeline_wait_prior(size_t) {}
GPUREPL_PIPELINE void __pipeline_arrive_on(__mbarrier_t *) {}
#endif
#undef GPUREPL_PIPELINE
#endif
