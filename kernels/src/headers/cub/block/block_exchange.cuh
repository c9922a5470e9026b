// Items of a block in another arrangement: blocked, where a thread's items are
// neighbours; striped, where neighbours are in neighbouring threads; and
// striped within each warp.
#ifndef GPUREPL_CUB_BLOCK_EXCHANGE
#define GPUREPL_CUB_BLOCK_EXCHANGE
#include <cub/gpurepl_details.cuh>

namespace cub {
// With WARP_TIME_SLICING too all items are in shared memory at once.
template <class T, int BLOCK_DIM_X, int ITEMS_PER_THREAD, bool WARP_TIME_SLICING = false, int BLOCK_DIM_Y = 1,
          int BLOCK_DIM_Z = 1, int LEGACY_PTX_ARCH = 0>
class BlockExchange {
  typedef details::block<BLOCK_DIM_X, BLOCK_DIM_Y, BLOCK_DIM_Z> block;
  static constexpr int N = ITEMS_PER_THREAD;
  static constexpr int items = block::threads * N;
  // Every 32 items a gap, where threads else would meet in one bank.
  static constexpr bool has_gaps = N > 4 && details::is_power_of_two(N);

 public:
  struct TempStorage {
    details::slots<T, items + (has_gaps ? items / 32 : 0)> gpurepl_items;
  };

 private:
  TempStorage &storage_;
  const int thread_;
  GPUREPL_CUB T &at(int k) { return storage_.gpurepl_items[has_gaps ? k + k / 32 : k]; }

  // The place of a thread's item `k` in each arrangement.
  struct blocked {
    GPUREPL_CUB static int place(int thread, int k) { return thread * N + k; }
  };
  struct striped {
    GPUREPL_CUB static int place(int thread, int k) { return k * block::threads + thread; }
  };
  struct warp_striped {
    GPUREPL_CUB static int place(int thread, int k) { return (thread & ~31) * N + k * block::lanes(thread) + (thread & 31); }
  };
  template <class Where, class U> GPUREPL_CUB void put(const U (&input)[N]) {
#pragma unroll
    for (int k = 0; k < N; k++) at(Where::place(thread_, k)) = input[k];
  }
  template <class Where, class U> GPUREPL_CUB void take(U (&output)[N]) {
#pragma unroll
    for (int k = 0; k < N; k++) output[k] = at(Where::place(thread_, k));
  }

 public:
  GPUREPL_CUB BlockExchange() : storage_(details::own_memory<TempStorage>()), thread_(block::rank()) {}
  GPUREPL_CUB explicit BlockExchange(TempStorage &temp_storage) : storage_(temp_storage), thread_(block::rank()) {}

  template <class OutputT> GPUREPL_CUB void StripedToBlocked(const T (&input_items)[N], OutputT (&output_items)[N]) {
    put<striped>(input_items);
    __syncthreads();
    take<blocked>(output_items);
  }
  template <class OutputT> GPUREPL_CUB void BlockedToStriped(const T (&input_items)[N], OutputT (&output_items)[N]) {
    put<blocked>(input_items);
    __syncthreads();
    take<striped>(output_items);
  }
  template <class OutputT> GPUREPL_CUB void WarpStripedToBlocked(const T (&input_items)[N], OutputT (&output_items)[N]) {
    put<warp_striped>(input_items);
    __syncwarp(block::mask(thread_));
    take<blocked>(output_items);
  }
  template <class OutputT> GPUREPL_CUB void BlockedToWarpStriped(const T (&input_items)[N], OutputT (&output_items)[N]) {
    put<blocked>(input_items);
    __syncwarp(block::mask(thread_));
    take<warp_striped>(output_items);
  }
  GPUREPL_CUB void StripedToBlocked(T (&items)[N]) { StripedToBlocked(items, items); }
  GPUREPL_CUB void BlockedToStriped(T (&items)[N]) { BlockedToStriped(items, items); }
  GPUREPL_CUB void WarpStripedToBlocked(T (&items)[N]) { WarpStripedToBlocked(items, items); }
  GPUREPL_CUB void BlockedToWarpStriped(T (&items)[N]) { BlockedToWarpStriped(items, items); }

  // To the places that `ranks` has, each once.
  template <class OutputT, class OffsetT>
  GPUREPL_CUB void ScatterToBlocked(const T (&input_items)[N], OutputT (&output_items)[N], OffsetT (&ranks)[N]) {
#pragma unroll
    for (int k = 0; k < N; k++) at((int)ranks[k]) = input_items[k];
    __syncthreads();
    take<blocked>(output_items);
  }
  template <class OutputT, class OffsetT>
  GPUREPL_CUB void ScatterToStriped(const T (&input_items)[N], OutputT (&output_items)[N], OffsetT (&ranks)[N]) {
#pragma unroll
    for (int k = 0; k < N; k++) at((int)ranks[k]) = input_items[k];
    __syncthreads();
    take<striped>(output_items);
  }
  // Items of negative ranks go nowhere.
  template <class OutputT, class OffsetT>
  GPUREPL_CUB void ScatterToStripedGuarded(const T (&input_items)[N], OutputT (&output_items)[N], OffsetT (&ranks)[N]) {
#pragma unroll
    for (int k = 0; k < N; k++)
      if ((int)ranks[k] >= 0) at((int)ranks[k]) = input_items[k];
    __syncthreads();
    take<striped>(output_items);
  }
  template <class OutputT, class OffsetT, class ValidFlag>
  GPUREPL_CUB void ScatterToStripedFlagged(const T (&input_items)[N], OutputT (&output_items)[N], OffsetT (&ranks)[N],
                                           ValidFlag (&is_valid)[N]) {
#pragma unroll
    for (int k = 0; k < N; k++)
      if (is_valid[k]) at((int)ranks[k]) = input_items[k];
    __syncthreads();
    take<striped>(output_items);
  }
  template <class OffsetT> GPUREPL_CUB void ScatterToBlocked(T (&items)[N], OffsetT (&ranks)[N]) {
    ScatterToBlocked(items, items, ranks);
  }
  template <class OffsetT> GPUREPL_CUB void ScatterToStriped(T (&items)[N], OffsetT (&ranks)[N]) {
    ScatterToStriped(items, items, ranks);
  }
  template <class OffsetT> GPUREPL_CUB void ScatterToStripedGuarded(T (&items)[N], OffsetT (&ranks)[N]) {
    ScatterToStripedGuarded(items, items, ranks);
  }
  template <class OffsetT, class ValidFlag>
  GPUREPL_CUB void ScatterToStripedFlagged(T (&items)[N], OffsetT (&ranks)[N], ValidFlag (&is_valid)[N]) {
    ScatterToStripedFlagged(items, items, ranks, is_valid);
  }
};
}
#endif
