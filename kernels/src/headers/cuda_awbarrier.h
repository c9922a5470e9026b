// The barrier of CUDA 11's experimental interface, over its primitives.
#ifndef GPUREPL_CUDA_AWBARRIER
#define GPUREPL_CUDA_AWBARRIER
#include <cuda_awbarrier_primitives.h>

namespace nvcuda {
namespace experimental {
class awbarrier {
  __mbarrier_t gpurepl_barrier;
  friend GPUREPL_LCD void init(awbarrier *barrier, unsigned int expected) {
    __mbarrier_init(&barrier->gpurepl_barrier, expected);
  }
  friend GPUREPL_LCD void inval(awbarrier *barrier) { __mbarrier_inval(&barrier->gpurepl_barrier); }
  friend class pipeline;

 public:
  class arrival_token {
    __mbarrier_token_t gpurepl_token;
    GPUREPL_LCD explicit arrival_token(__mbarrier_token_t token) : gpurepl_token(token) {}
    friend class awbarrier;

   public:
    arrival_token() = default;
    GPUREPL_LCD unsigned int pending_count() const { return __mbarrier_token_pending_count(gpurepl_token); }
  };
  awbarrier() = default;
  awbarrier(const awbarrier &) = delete;
  awbarrier &operator=(const awbarrier &) = delete;
  static constexpr __host__ __device__ __forceinline__ unsigned int max() { return (1u << 20) - 1; }
  GPUREPL_LCD arrival_token arrive() { return arrival_token(__mbarrier_arrive(&gpurepl_barrier)); }
  GPUREPL_LCD arrival_token arrive_and_drop() { return arrival_token(__mbarrier_arrive_and_drop(&gpurepl_barrier)); }
  GPUREPL_LCD void wait(arrival_token token) {
    for (unsigned int turn = 0; !__mbarrier_test_wait(&gpurepl_barrier, token.gpurepl_token);) cuda::details::pause(turn);
  }
  GPUREPL_LCD void wait_parity(bool parity) {
    for (unsigned int turn = 0; !__mbarrier_test_wait_parity(&gpurepl_barrier, parity);) cuda::details::pause(turn);
  }
  GPUREPL_LCD void arrive_and_wait() { wait(arrive()); }
  // A GPU makes some two cycles in a nanosecond.
  GPUREPL_LCD bool timed_wait(arrival_token token, unsigned int cycles) { return try_wait(token, cycles / 2); }
  GPUREPL_LCD bool timed_wait_parity(bool parity, unsigned int cycles) { return try_wait_parity(parity, cycles / 2); }
  GPUREPL_LCD bool try_wait(arrival_token token, unsigned int nanoseconds) {
    return __mbarrier_try_wait(&gpurepl_barrier, token.gpurepl_token, nanoseconds);
  }
  GPUREPL_LCD bool try_wait_parity(bool parity, unsigned int nanoseconds) {
    return __mbarrier_try_wait_parity(&gpurepl_barrier, parity, nanoseconds);
  }
};
}
}
#endif
