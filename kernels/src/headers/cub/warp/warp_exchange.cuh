// Items of a warp, or of a part of it, in another arrangement.
#ifndef GPUREPL_CUB_WARP_EXCHANGE
#define GPUREPL_CUB_WARP_EXCHANGE
#include <cub/gpurepl_details.cuh>

namespace cub {
// Both go through shared memory.
enum WarpExchangeAlgorithm { WARP_EXCHANGE_SMEM, WARP_EXCHANGE_SHUFFLE };

// Each logical warp has temporary storage of its own.
template <class InputT, int ITEMS_PER_THREAD, int LOGICAL_WARP_THREADS = 32,
          WarpExchangeAlgorithm WARP_EXCHANGE_ALGORITHM = WARP_EXCHANGE_SMEM>
class WarpExchange {
  static_assert(details::is_power_of_two(LOGICAL_WARP_THREADS), "the size of a logical warp is a power of two");
  typedef details::logical_warp<LOGICAL_WARP_THREADS> warp;
  static constexpr int N = ITEMS_PER_THREAD;
  static constexpr int items = LOGICAL_WARP_THREADS * N;
  static constexpr bool has_gaps = N > 4 && details::is_power_of_two(N);

 public:
  struct TempStorage {
    details::slots<InputT, items + (has_gaps ? items / 32 : 0)> gpurepl_items;
  };

 private:
  TempStorage &storage_;
  const int rank_;
  GPUREPL_CUB InputT &at(int k) { return storage_.gpurepl_items[has_gaps ? k + k / 32 : k]; }

 public:
  WarpExchange() = delete;
  GPUREPL_CUB explicit WarpExchange(TempStorage &temp_storage) : storage_(temp_storage), rank_(warp::rank()) {}

  template <class OutputT> GPUREPL_CUB void BlockedToStriped(const InputT (&input_items)[N], OutputT (&output_items)[N]) {
#pragma unroll
    for (int k = 0; k < N; k++) at(rank_ * N + k) = input_items[k];
    __syncwarp(warp::mask());
#pragma unroll
    for (int k = 0; k < N; k++) output_items[k] = at(k * LOGICAL_WARP_THREADS + rank_);
  }
  template <class OutputT> GPUREPL_CUB void StripedToBlocked(const InputT (&input_items)[N], OutputT (&output_items)[N]) {
#pragma unroll
    for (int k = 0; k < N; k++) at(k * LOGICAL_WARP_THREADS + rank_) = input_items[k];
    __syncwarp(warp::mask());
#pragma unroll
    for (int k = 0; k < N; k++) output_items[k] = at(rank_ * N + k);
  }
  template <class OffsetT> GPUREPL_CUB void ScatterToStriped(InputT (&items)[N], OffsetT (&ranks)[N]) {
    ScatterToStriped(items, items, ranks);
  }
  template <class OutputT, class OffsetT>
  GPUREPL_CUB void ScatterToStriped(const InputT (&input_items)[N], OutputT (&output_items)[N], OffsetT (&ranks)[N]) {
#pragma unroll
    for (int k = 0; k < N; k++) at((int)ranks[k]) = input_items[k];
    __syncwarp(warp::mask());
#pragma unroll
    for (int k = 0; k < N; k++) output_items[k] = at(k * LOGICAL_WARP_THREADS + rank_);
  }
};
}
#endif
