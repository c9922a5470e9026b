// Items that stand for runs, written out.
#ifndef GPUREPL_CUB_BLOCK_RUN_LENGTH_DECODE
#define GPUREPL_CUB_BLOCK_RUN_LENGTH_DECODE
#include <cub/block/block_scan.cuh>

namespace cub {
// Each thread brings so many runs, and gets so many items of a window at a time.
template <class ItemT, int BLOCK_DIM_X, int RUNS_PER_THREAD, int DECODED_ITEMS_PER_THREAD, class DecodedOffsetT = unsigned int,
          int BLOCK_DIM_Y = 1, int BLOCK_DIM_Z = 1>
class BlockRunLengthDecode {
  typedef details::block<BLOCK_DIM_X, BLOCK_DIM_Y, BLOCK_DIM_Z> block;
  typedef BlockScan<DecodedOffsetT, BLOCK_DIM_X, BLOCK_SCAN_RAKING, BLOCK_DIM_Y, BLOCK_DIM_Z> Scan;
  static constexpr int runs = block::threads * RUNS_PER_THREAD;
  static constexpr int N = DECODED_ITEMS_PER_THREAD;

 public:
  struct TempStorage {
    typename Scan::TempStorage gpurepl_scan;
    details::slots<ItemT, runs> gpurepl_items;
    details::slots<DecodedOffsetT, runs> gpurepl_offsets;
  };

 private:
  TempStorage &storage_;
  const int thread_;

  GPUREPL_CUB void put(ItemT (&items)[RUNS_PER_THREAD], DecodedOffsetT (&offsets)[RUNS_PER_THREAD]) {
#pragma unroll
    for (int k = 0; k < RUNS_PER_THREAD; k++) {
      storage_.gpurepl_items[thread_ * RUNS_PER_THREAD + k] = items[k];
      storage_.gpurepl_offsets[thread_ * RUNS_PER_THREAD + k] = offsets[k];
    }
    __syncthreads();
  }
  template <class L, class S>
  GPUREPL_CUB void lengths(ItemT (&items)[RUNS_PER_THREAD], L (&run_lengths)[RUNS_PER_THREAD], S &total) {
    DecodedOffsetT offsets[RUNS_PER_THREAD], all = 0;
#pragma unroll
    for (int k = 0; k < RUNS_PER_THREAD; k++) offsets[k] = (DecodedOffsetT)run_lengths[k];
    Scan(storage_.gpurepl_scan).ExclusiveSum(offsets, offsets, all);
    total = (S)all;
    put(items, offsets);
  }

 public:
  template <class RunLengthT, class TotalDecodedSizeT>
  GPUREPL_CUB BlockRunLengthDecode(TempStorage &temp_storage, ItemT (&run_values)[RUNS_PER_THREAD],
                                   RunLengthT (&run_lengths)[RUNS_PER_THREAD], TotalDecodedSizeT &total_decoded_size)
      : storage_(temp_storage), thread_(block::rank()) {
    lengths(run_values, run_lengths, total_decoded_size);
  }
  template <class RunLengthT, class TotalDecodedSizeT>
  GPUREPL_CUB BlockRunLengthDecode(ItemT (&run_values)[RUNS_PER_THREAD], RunLengthT (&run_lengths)[RUNS_PER_THREAD],
                                   TotalDecodedSizeT &total_decoded_size)
      : storage_(details::own_memory<TempStorage>()), thread_(block::rank()) {
    lengths(run_values, run_lengths, total_decoded_size);
  }
  // With the place at which each run begins.
  template <class UserRunOffsetT>
  GPUREPL_CUB BlockRunLengthDecode(TempStorage &temp_storage, ItemT (&run_values)[RUNS_PER_THREAD],
                                   UserRunOffsetT (&run_offsets)[RUNS_PER_THREAD])
      : storage_(temp_storage), thread_(block::rank()) {
    DecodedOffsetT offsets[RUNS_PER_THREAD];
#pragma unroll
    for (int k = 0; k < RUNS_PER_THREAD; k++) offsets[k] = (DecodedOffsetT)run_offsets[k];
    put(run_values, offsets);
  }

  // The items from `from_decoded_offset` on, blocked, and where in its run each
  // one is. Beyond the end the last run goes on.
  template <class RelativeOffsetT>
  GPUREPL_CUB void RunLengthDecode(ItemT (&decoded_items)[N], RelativeOffsetT (&item_offsets)[N],
                                   DecodedOffsetT from_decoded_offset = 0) {
    DecodedOffsetT place = from_decoded_offset + (DecodedOffsetT)(thread_ * N);
    // The last run that begins at this place or before it.
    int low = 0, high = runs;
    while (high - low > 1) {
      const int middle = (low + high) / 2;
      if (storage_.gpurepl_offsets[middle] <= place) low = middle;
      else high = middle;
    }
#pragma unroll
    for (int k = 0; k < N; k++, place++) {
      while (low + 1 < runs && storage_.gpurepl_offsets[low + 1] <= place) low++;
      decoded_items[k] = storage_.gpurepl_items[low];
      item_offsets[k] = (RelativeOffsetT)(place - storage_.gpurepl_offsets[low]);
    }
  }
  GPUREPL_CUB void RunLengthDecode(ItemT (&decoded_items)[N], DecodedOffsetT from_decoded_offset = 0) {
    DecodedOffsetT offsets[N];
    RunLengthDecode(decoded_items, offsets, from_decoded_offset);
  }
};
}
#endif
