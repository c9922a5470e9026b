// The pipeline of CUDA 11's experimental interface, over its primitives.
#ifndef GPUREPL_CUDA_PIPELINE
#define GPUREPL_CUDA_PIPELINE
#include <cuda_awbarrier.h>
#include <cuda_pipeline_primitives.h>

namespace nvcuda {
namespace experimental {
// Of one thread: batches of its copies, by number.
class pipeline {
  size_t gpurepl_batch;

 public:
  GPUREPL_LCD pipeline() : gpurepl_batch(0) {}
  pipeline(const pipeline &) = delete;
  pipeline &operator=(const pipeline &) = delete;
  GPUREPL_LCD size_t commit() {
    __pipeline_commit();
    return gpurepl_batch++;
  }
  GPUREPL_LCD void wait(size_t batch) { __pipeline_wait_prior(gpurepl_batch > batch ? gpurepl_batch - batch - 1 : 0); }
  GPUREPL_LCD void commit_and_wait() { wait(commit()); }
  template <unsigned int prior> GPUREPL_LCD void wait_prior() { __pipeline_wait_prior(prior); }
  GPUREPL_LCD void arrive_on(awbarrier &barrier) { __pipeline_arrive_on(&barrier.gpurepl_barrier); }
};

namespace details {
template <int size> GPUREPL_LCD void copy(void *to, const void *from, size_t bytes) {
  for (size_t k = 0; k < bytes; k += size) __pipeline_memcpy_async((char *)to + k, (const char *)from + k, size);
}
}
template <class T> GPUREPL_LCD void memcpy_async(T &to, const T &from, pipeline &) {
  static_assert(cuda::std::is_trivially_copyable<T>::value, "a copy is made byte by byte");
  if (sizeof(T) % 16 == 0 && alignof(T) % 16 == 0) details::copy<16>(&to, &from, sizeof(T));
  else if (sizeof(T) % 8 == 0 && alignof(T) % 8 == 0) details::copy<8>(&to, &from, sizeof(T));
  else if (sizeof(T) % 4 == 0 && alignof(T) % 4 == 0) details::copy<4>(&to, &from, sizeof(T));
  else to = from;
}
template <class T, size_t n> GPUREPL_LCD void memcpy_async(T (&to)[n], const T (&from)[n], pipeline &pipe) {
  for (size_t k = 0; k < n; k++) memcpy_async(to[k], from[k], pipe);
}
}
}
#endif
