// Reductions over the lanes of a warp or of a part of it.
#ifndef GPUREPL_CUB_WARP_REDUCE
#define GPUREPL_CUB_WARP_REDUCE
#include <cub/thread/thread_operators.cuh>

namespace cub {
namespace details {
// Whole numbers in one instruction, which GPUs have since Ampere.
template <class T, class F> struct redux {
  static constexpr bool is_there = false;
  GPUREPL_CUB static T of(unsigned int, T value) { return value; }
};
#if defined(GPUREPL_HOST) || __CUDA_ARCH__ >= 800
#define GPUREPL_REDUX(T, F, name) \
  template <> struct redux<T, F> { \
    static constexpr bool is_there = true; \
    GPUREPL_CUB static T of(unsigned int mask, T value) { return __reduce_##name##_sync(mask, value); } \
  };
GPUREPL_REDUX(int, Sum, add) GPUREPL_REDUX(unsigned int, Sum, add)
GPUREPL_REDUX(int, Min, min) GPUREPL_REDUX(unsigned int, Min, min)
GPUREPL_REDUX(int, Max, max) GPUREPL_REDUX(unsigned int, Max, max)
#undef GPUREPL_REDUX
#endif

// Of the values of lanes `rank` up to `end`, in their order. `mask` has all
// who call.
template <int N, class T, class F> GPUREPL_CUB T reduce_lanes(unsigned int mask, int rank, int end, T value, F op) {
#pragma unroll
  for (int step = 1; step < N; step *= 2) {
    const T other = shfl_down(mask, value, step);
    if (rank + step < end) value = op(value, other);
  }
  return value;
}
// A whole warp, or what there is of it in the block.
template <class T, class F> GPUREPL_CUB T reduce_warp(unsigned int mask, int rank, int end, T value, F op) {
  if (redux<T, F>::is_there) {
    const unsigned int valid = end < 32 ? (1u << (end < 0 ? 0 : end)) - 1 : 0xffffffffu;
    return rank < end ? redux<T, F>::of(mask & valid, value) : value;
  }
  return reduce_lanes<32>(mask, rank, end, value, op);
}
}

// The answer is that of the first lane; the others have anything.
template <class T, int LOGICAL_WARP_THREADS = 32, int LEGACY_PTX_ARCH = 0> class WarpReduce {
  typedef details::logical_warp<LOGICAL_WARP_THREADS> warp;
  // The rank after the last one of this lane's segment.
  template <bool is_head> GPUREPL_CUB static int segment_end(unsigned int mask, int rank, bool flag) {
    const unsigned int flags = __ballot_sync(mask, flag) >> warp::first();
    const unsigned int next = flags & (is_head ? 0xfffffffeu : 0xffffffffu) << rank;
    return next ? __ffs((int)next) - (is_head ? 1 : 0) : LOGICAL_WARP_THREADS;
  }
  template <bool is_head, class F> GPUREPL_CUB static T segmented(T input, bool flag, F op) {
    const unsigned int mask = warp::mask();
    const int rank = warp::rank();
    return details::reduce_lanes<LOGICAL_WARP_THREADS>(mask, rank, segment_end<is_head>(mask, rank, flag), input, op);
  }

 public:
  typedef details::no_storage TempStorage;
  GPUREPL_CUB WarpReduce() {}
  GPUREPL_CUB explicit WarpReduce(TempStorage &) {}

  template <class ReductionOp> GPUREPL_CUB T Reduce(T input, ReductionOp op) {
    return Reduce(input, op, LOGICAL_WARP_THREADS);
  }
  template <class ReductionOp> GPUREPL_CUB T Reduce(T input, ReductionOp op, int valid_items) {
    if (LOGICAL_WARP_THREADS == 32) return details::reduce_warp(0xffffffffu, warp::rank(), valid_items, input, op);
    return details::reduce_lanes<LOGICAL_WARP_THREADS>(warp::mask(), warp::rank(), valid_items, input, op);
  }
  GPUREPL_CUB T Sum(T input) { return Reduce(input, cub::Sum()); }
  GPUREPL_CUB T Sum(T input, int valid_items) { return Reduce(input, cub::Sum(), valid_items); }
  GPUREPL_CUB T Max(T input) { return Reduce(input, cub::Max()); }
  GPUREPL_CUB T Max(T input, int valid_items) { return Reduce(input, cub::Max(), valid_items); }
  GPUREPL_CUB T Min(T input) { return Reduce(input, cub::Min()); }
  GPUREPL_CUB T Min(T input, int valid_items) { return Reduce(input, cub::Min(), valid_items); }

  // Segments that a flag begins, or ends; the answer is that of each one's first lane.
  template <class FlagT> GPUREPL_CUB T HeadSegmentedSum(T input, FlagT head_flag) {
    return segmented<true>(input, head_flag != 0, cub::Sum());
  }
  template <class FlagT> GPUREPL_CUB T TailSegmentedSum(T input, FlagT tail_flag) {
    return segmented<false>(input, tail_flag != 0, cub::Sum());
  }
  template <class ReductionOp, class FlagT> GPUREPL_CUB T HeadSegmentedReduce(T input, FlagT head_flag, ReductionOp op) {
    return segmented<true>(input, head_flag != 0, op);
  }
  template <class ReductionOp, class FlagT> GPUREPL_CUB T TailSegmentedReduce(T input, FlagT tail_flag, ReductionOp op) {
    return segmented<false>(input, tail_flag != 0, op);
  }
};
template <class T, int LEGACY_PTX_ARCH> class WarpReduce<T, 1, LEGACY_PTX_ARCH> {
 public:
  typedef details::no_storage TempStorage;
  GPUREPL_CUB WarpReduce() {}
  GPUREPL_CUB explicit WarpReduce(TempStorage &) {}
  template <class F> GPUREPL_CUB T Reduce(T input, F) { return input; }
  template <class F> GPUREPL_CUB T Reduce(T input, F, int) { return input; }
  GPUREPL_CUB T Sum(T input) { return input; }
  GPUREPL_CUB T Sum(T input, int) { return input; }
  GPUREPL_CUB T Max(T input) { return input; }
  GPUREPL_CUB T Max(T input, int) { return input; }
  GPUREPL_CUB T Min(T input) { return input; }
  GPUREPL_CUB T Min(T input, int) { return input; }
  template <class FlagT> GPUREPL_CUB T HeadSegmentedSum(T input, FlagT) { return input; }
  template <class FlagT> GPUREPL_CUB T TailSegmentedSum(T input, FlagT) { return input; }
  template <class F, class FlagT> GPUREPL_CUB T HeadSegmentedReduce(T input, FlagT, F) { return input; }
  template <class F, class FlagT> GPUREPL_CUB T TailSegmentedReduce(T input, FlagT, F) { return input; }
};
}
#endif
