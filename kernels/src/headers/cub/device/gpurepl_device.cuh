// Functions that only a program of the host can call: they launch kernels.
#ifndef GPUREPL_CUB_DEVICE
#define GPUREPL_CUB_DEVICE
#include <cub/gpurepl_details.cuh>

// A template, so that only who calls it is refused.
#define GPUREPL_CUB_DEVICE_WIDE(name) \
  template <class... A> __device__ static int name(A &&...) { \
    static_assert(sizeof...(A) > 0xffffff, \
        "cub::Device algorithms launch kernels and are called by a host: use the arrays' own operations " \
        "(sum, min, sort, cumsum and others), ReductionKernel, ScanKernel or the functions of algorithm"); \
    return 0; \
  }
#endif
