// Sorts of numbers by a few bits at a time, the lowest first. Each thread counts
// its digits in counters of its own, which keeps the order of equal ones (D.
// Merrill and A. Grimshaw, "High performance and scalable radix sorting",
// Parallel Processing Letters 21, 2011).
#ifndef GPUREPL_CUB_BLOCK_RADIX_SORT
#define GPUREPL_CUB_BLOCK_RADIX_SORT
#include <cub/block/block_exchange.cuh>
#include <cub/util_type.cuh>
#include <cub/warp/warp_scan.cuh>

namespace cub {
namespace details {
// Where each of a block's digits belongs.
template <int X, int Y, int Z, int N, int BITS> class radix_ranks {
  static_assert(BITS >= 1 && BITS <= 8, "a digit has 1 to 8 bits");
  typedef details::block<X, Y, Z> block;
  static_assert(block::threads * N < 65536, "a block sorts at most 65535 items");
  // Counters are of 16 bits, two in a word: the lower digits in the lower halves.
  static constexpr int rows = 1 << (BITS - 1);
  // A row more: neighbours then read different banks.
  static constexpr int words = rows + 1;

 public:
  struct storage {
    unsigned int counters[words * block::threads];
    unsigned int sums[block::warps];
  };

  template <class Digit> GPUREPL_CUB static void of(storage &shared, int thread, Digit digit, int (&ranks)[N]) {
#pragma unroll
    for (int row = 0; row < words; row++) shared.counters[row * block::threads + thread] = 0;
    unsigned short *places[N];
    unsigned short before[N];
#pragma unroll
    for (int k = 0; k < N; k++) {
      const unsigned int of = digit(k);
      places[k] = (unsigned short *)&shared.counters[(of & (rows - 1)) * block::threads + thread] + of / rows;
      before[k] = *places[k];
      *places[k] = (unsigned short)(before[k] + 1);
    }
    __syncthreads();
    // All counters in the order of digits and then of threads, a piece for each thread.
    unsigned int *const own = &shared.counters[thread * words];
    unsigned int pieces[words], sum = 0;
#pragma unroll
    for (int k = 0; k < words; k++) {
      pieces[k] = sum;
      sum += own[k];
    }
    const unsigned int all =
        scan_lanes<(block::threads < 32 ? block::threads : 32)>(block::mask(thread), thread & 31, sum, Sum());
    if ((thread & 31) == block::lanes(thread) - 1) shared.sums[thread / 32] = all;
    __syncthreads();
    unsigned int first = all - sum, total = 0;
#pragma unroll
    for (int warp = 0; warp < block::warps; warp++) {
      if (warp == thread / 32) first += total;
      total += shared.sums[warp];
    }
    // The higher digits come after all lower ones.
    first += total << 16;
#pragma unroll
    for (int k = 0; k < words; k++) own[k] = first + pieces[k];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < N; k++) ranks[k] = before[k] + *places[k];
  }
};
}

// Whole numbers, float, double, half: all of the numbers of `Traits`. -0.0 and
// +0.0 are equal. SMEM_CONFIG and the two before it change nothing.
template <class KeyT, int BLOCK_DIM_X, int ITEMS_PER_THREAD, class ValueT = NullType, int RADIX_BITS = 4,
          bool MEMOIZE_OUTER_SCAN = true, int INNER_SCAN_ALGORITHM = 2, int SMEM_CONFIG = 1, int BLOCK_DIM_Y = 1,
          int BLOCK_DIM_Z = 1, int LEGACY_PTX_ARCH = 0>
class BlockRadixSort {
  static_assert(Traits<KeyT>::CATEGORY != NOT_A_NUMBER, "keys are numbers; others are sorted by cub::BlockMergeSort");
  typedef details::block<BLOCK_DIM_X, BLOCK_DIM_Y, BLOCK_DIM_Z> block;
  typedef typename Traits<KeyT>::UnsignedBits bits;
  static constexpr int N = ITEMS_PER_THREAD;
  typedef details::radix_ranks<BLOCK_DIM_X, BLOCK_DIM_Y, BLOCK_DIM_Z, N, RADIX_BITS> ranking;
  typedef BlockExchange<bits, BLOCK_DIM_X, N, false, BLOCK_DIM_Y, BLOCK_DIM_Z> KeyExchange;
  typedef BlockExchange<ValueT, BLOCK_DIM_X, N, false, BLOCK_DIM_Y, BLOCK_DIM_Z> ValueExchange;

 public:
  union TempStorage {
    typename ranking::storage gpurepl_ranking;
    typename KeyExchange::TempStorage gpurepl_keys;
    typename ValueExchange::TempStorage gpurepl_values;
  };

 private:
  TempStorage &storage_;

  // The digits of `count` bits from `begin` on, of bits in whose order the keys are.
  template <bool is_descending> struct digits {
    const bits (&keys)[N];
    const int begin;
    const unsigned int mask;
    GPUREPL_CUB unsigned int operator()(int k) const {
      bits key = keys[k];
      const bits high = (bits)(bits(1) << (sizeof(bits) * 8 - 1));
      // -0.0 goes with +0.0.
      if (Traits<KeyT>::CATEGORY == FLOATING_POINT && key == (bits)(high - 1)) key = high;
      const unsigned int digit = (unsigned int)(key >> begin) & mask;
      return is_descending ? digit ^ mask : digit;
    }
  };

  template <bool is_descending, bool is_striped, bool has_values>
  __device__ inline void sort(KeyT (&keys)[N], ValueT (&values)[N], int begin_bit, int end_bit) {
    const int thread = block::rank();
    bits sorted[N];
    memcpy(sorted, (const void *)keys, sizeof(sorted));
#pragma unroll
    for (int k = 0; k < N; k++) sorted[k] = Traits<KeyT>::TwiddleIn(sorted[k]);
    for (;;) {
      const int left = end_bit - begin_bit, count = left < RADIX_BITS ? left : RADIX_BITS;
      int ranks[N];
      ranking::of(storage_.gpurepl_ranking, thread, digits<is_descending>{sorted, begin_bit, (1u << count) - 1}, ranks);
      begin_bit += RADIX_BITS;
      const bool is_done = begin_bit >= end_bit;
      __syncthreads();
      if (is_striped && is_done) KeyExchange(storage_.gpurepl_keys).ScatterToStriped(sorted, ranks);
      else KeyExchange(storage_.gpurepl_keys).ScatterToBlocked(sorted, ranks);
      if (has_values) {
        __syncthreads();
        if (is_striped && is_done) ValueExchange(storage_.gpurepl_values).ScatterToStriped(values, ranks);
        else ValueExchange(storage_.gpurepl_values).ScatterToBlocked(values, ranks);
      }
      if (is_done) break;
      __syncthreads();
    }
#pragma unroll
    for (int k = 0; k < N; k++) sorted[k] = Traits<KeyT>::TwiddleOut(sorted[k]);
    memcpy((void *)keys, sorted, sizeof(sorted));
  }

 public:
  GPUREPL_CUB BlockRadixSort() : storage_(details::own_memory<TempStorage>()) {}
  GPUREPL_CUB explicit BlockRadixSort(TempStorage &temp_storage) : storage_(temp_storage) {}

#define GPUREPL_SORT(name, is_descending, is_striped) \
  GPUREPL_CUB void name(KeyT (&keys)[N], int begin_bit = 0, int end_bit = sizeof(KeyT) * 8) { \
    ValueT values[N]; \
    sort<is_descending, is_striped, false>(keys, values, begin_bit, end_bit); \
  } \
  GPUREPL_CUB void name(KeyT (&keys)[N], ValueT (&values)[N], int begin_bit = 0, int end_bit = sizeof(KeyT) * 8) { \
    sort<is_descending, is_striped, true>(keys, values, begin_bit, end_bit); \
  }
  GPUREPL_SORT(Sort, false, false)
  GPUREPL_SORT(SortDescending, true, false)
  GPUREPL_SORT(SortBlockedToStriped, false, true)
  GPUREPL_SORT(SortDescendingBlockedToStriped, true, true)
#undef GPUREPL_SORT
};
}
#endif
