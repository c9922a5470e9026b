// Running results over the lanes of a warp or of a part of it, in log n steps
// (W. D. Hillis and G. L. Steele, "Data parallel algorithms", Communications
// of the ACM 29, 1986).
#ifndef GPUREPL_CUB_WARP_SCAN
#define GPUREPL_CUB_WARP_SCAN
#include <cub/thread/thread_operators.cuh>

namespace cub {
namespace details {
template <int N, class T, class F> GPUREPL_CUB T scan_lanes(unsigned int mask, int rank, T value, F op) {
#pragma unroll
  for (int step = 1; step < N; step *= 2) {
    const T before = shfl_up(mask, value, step);
    if (rank >= step) value = op(before, value);
  }
  return value;
}
}

// Aggregates are of the inputs alone, without initial values. Exclusive results
// of the first lane are anything where there is no initial value.
template <class T, int LOGICAL_WARP_THREADS = 32, int LEGACY_PTX_ARCH = 0> class WarpScan {
  typedef details::logical_warp<LOGICAL_WARP_THREADS> warp;
  template <class F> GPUREPL_CUB static T inclusive_of(T input, F op) {
    return details::scan_lanes<LOGICAL_WARP_THREADS>(warp::mask(), warp::rank(), input, op);
  }
  GPUREPL_CUB static T before(T inclusive) { return details::shfl_up(warp::mask(), inclusive, 1); }
  GPUREPL_CUB static T last(T inclusive) {
    return details::shfl(warp::mask(), inclusive, warp::first() + LOGICAL_WARP_THREADS - 1);
  }
  template <class F> GPUREPL_CUB static T exclusive_of(T inclusive, T initial_value, F op) {
    const T left = before(inclusive);
    return warp::rank() ? (T)op(initial_value, left) : initial_value;
  }

 public:
  typedef details::no_storage TempStorage;
  GPUREPL_CUB WarpScan() {}
  GPUREPL_CUB explicit WarpScan(TempStorage &) {}

  GPUREPL_CUB void InclusiveSum(T input, T &inclusive_output) { inclusive_output = inclusive_of(input, Sum()); }
  GPUREPL_CUB void InclusiveSum(T input, T &inclusive_output, T &warp_aggregate) {
    InclusiveScan(input, inclusive_output, Sum(), warp_aggregate);
  }
  GPUREPL_CUB void ExclusiveSum(T input, T &exclusive_output) { ExclusiveScan(input, exclusive_output, T(), Sum()); }
  GPUREPL_CUB void ExclusiveSum(T input, T &exclusive_output, T &warp_aggregate) {
    ExclusiveScan(input, exclusive_output, T(), Sum(), warp_aggregate);
  }

  template <class ScanOp> GPUREPL_CUB void InclusiveScan(T input, T &inclusive_output, ScanOp op) {
    inclusive_output = inclusive_of(input, op);
  }
  template <class ScanOp> GPUREPL_CUB void InclusiveScan(T input, T &inclusive_output, ScanOp op, T &warp_aggregate) {
    inclusive_output = inclusive_of(input, op);
    warp_aggregate = last(inclusive_output);
  }
  template <class ScanOp> GPUREPL_CUB void InclusiveScan(T input, T &inclusive_output, T initial_value, ScanOp op) {
    inclusive_output = op(initial_value, inclusive_of(input, op));
  }
  template <class ScanOp>
  GPUREPL_CUB void InclusiveScan(T input, T &inclusive_output, T initial_value, ScanOp op, T &warp_aggregate) {
    const T inclusive = inclusive_of(input, op);
    warp_aggregate = last(inclusive);
    inclusive_output = op(initial_value, inclusive);
  }

  template <class ScanOp> GPUREPL_CUB void ExclusiveScan(T input, T &exclusive_output, ScanOp op) {
    exclusive_output = before(inclusive_of(input, op));
  }
  template <class ScanOp> GPUREPL_CUB void ExclusiveScan(T input, T &exclusive_output, T initial_value, ScanOp op) {
    exclusive_output = exclusive_of(inclusive_of(input, op), initial_value, op);
  }
  template <class ScanOp> GPUREPL_CUB void ExclusiveScan(T input, T &exclusive_output, ScanOp op, T &warp_aggregate) {
    const T inclusive = inclusive_of(input, op);
    warp_aggregate = last(inclusive);
    exclusive_output = before(inclusive);
  }
  template <class ScanOp>
  GPUREPL_CUB void ExclusiveScan(T input, T &exclusive_output, T initial_value, ScanOp op, T &warp_aggregate) {
    const T inclusive = inclusive_of(input, op);
    warp_aggregate = last(inclusive);
    exclusive_output = exclusive_of(inclusive, initial_value, op);
  }

  // Both results at once.
  template <class ScanOp> GPUREPL_CUB void Scan(T input, T &inclusive_output, T &exclusive_output, ScanOp op) {
    inclusive_output = inclusive_of(input, op);
    exclusive_output = before(inclusive_output);
  }
  template <class ScanOp>
  GPUREPL_CUB void Scan(T input, T &inclusive_output, T &exclusive_output, T initial_value, ScanOp op) {
    const T inclusive = inclusive_of(input, op);
    exclusive_output = exclusive_of(inclusive, initial_value, op);
    inclusive_output = op(initial_value, inclusive);
  }
  GPUREPL_CUB T Broadcast(T input, unsigned int src_lane) {
    return details::shfl(warp::mask(), input, warp::first() + (int)src_lane);
  }
};
}
#endif
