// How often each number occurs in a block.
#ifndef GPUREPL_CUB_BLOCK_HISTOGRAM
#define GPUREPL_CUB_BLOCK_HISTOGRAM
#include <cub/block/block_radix_sort.cuh>

namespace cub {
// Either sorts the items and measures their runs, or counts by atomic functions.
enum BlockHistogramAlgorithm { BLOCK_HISTO_SORT, BLOCK_HISTO_ATOMIC };

namespace details {
template <BlockHistogramAlgorithm, class T, int X, int Y, int Z, int N, int BINS> struct histogram {
  typedef no_storage storage;
  template <class C> GPUREPL_CUB static void add(storage &, T (&items)[N], C *counters) {
#pragma unroll
    for (int k = 0; k < N; k++) atomicAdd(counters + items[k], (C)1);
  }
};
template <class T, int X, int Y, int Z, int N, int BINS> struct histogram<BLOCK_HISTO_SORT, T, X, Y, Z, N, BINS> {
  typedef details::block<X, Y, Z> block;
  typedef BlockRadixSort<T, X, N, NullType, 4, true, 2, 1, Y, Z> Sort;
  struct runs {
    T firsts[block::threads], lasts[block::threads];
    int begins[BINS], ends[BINS];
  };
  union storage {
    typename Sort::TempStorage sort;
    runs found;
  };
  template <class C> GPUREPL_CUB static void add(storage &shared, T (&items)[N], C *counters) {
    const int thread = block::rank();
    T sorted[N];
#pragma unroll
    for (int k = 0; k < N; k++) sorted[k] = items[k];
    Sort(shared.sort).Sort(sorted, 0, BINS > 1 ? (int)Log2<BINS>::VALUE : 1);
    __syncthreads();
    shared.found.firsts[thread] = sorted[0];
    shared.found.lasts[thread] = sorted[N - 1];
    for (int bin = thread; bin < BINS; bin += block::threads) shared.found.begins[bin] = shared.found.ends[bin] = 0;
    __syncthreads();
    // Of each run one thread has the first item, and one the last.
#pragma unroll
    for (int k = 0; k < N; k++) {
      const bool is_first = k ? sorted[k - (k > 0)] != sorted[k] : thread == 0 || shared.found.lasts[thread - 1] != sorted[0];
      const bool is_last = k < N - 1 ? sorted[k + (k < N - 1)] != sorted[k]
          : thread == block::threads - 1 || shared.found.firsts[thread + 1] != sorted[N - 1];
      if (is_first) shared.found.begins[(int)sorted[k]] = thread * N + k;
      if (is_last) shared.found.ends[(int)sorted[k]] = thread * N + k + 1;
    }
    __syncthreads();
    for (int bin = thread; bin < BINS; bin += block::threads) {
      const int count = shared.found.ends[bin] - shared.found.begins[bin];
      if (count) counters[bin] += (C)count;
    }
  }
};
}

template <class T, int BLOCK_DIM_X, int ITEMS_PER_THREAD, int BINS, BlockHistogramAlgorithm ALGORITHM = BLOCK_HISTO_SORT,
          int BLOCK_DIM_Y = 1, int BLOCK_DIM_Z = 1, int LEGACY_PTX_ARCH = 0>
class BlockHistogram {
  typedef details::block<BLOCK_DIM_X, BLOCK_DIM_Y, BLOCK_DIM_Z> block;
  typedef details::histogram<ALGORITHM, T, BLOCK_DIM_X, BLOCK_DIM_Y, BLOCK_DIM_Z, ITEMS_PER_THREAD, BINS> way;

 public:
  typedef typename way::storage TempStorage;

 private:
  TempStorage &storage_;

 public:
  GPUREPL_CUB BlockHistogram() : storage_(details::own_memory<TempStorage>()) {}
  GPUREPL_CUB explicit BlockHistogram(TempStorage &temp_storage) : storage_(temp_storage) {}

  template <class CounterT> GPUREPL_CUB void InitHistogram(CounterT histogram[BINS]) {
    for (int bin = block::rank(); bin < BINS; bin += block::threads) histogram[bin] = 0;
  }
  template <class CounterT> GPUREPL_CUB void Histogram(T (&items)[ITEMS_PER_THREAD], CounterT histogram[BINS]) {
    InitHistogram(histogram);
    __syncthreads();
    Composite(items, histogram);
  }
  // Adds to what is there.
  template <class CounterT> GPUREPL_CUB void Composite(T (&items)[ITEMS_PER_THREAD], CounterT histogram[BINS]) {
    way::add(storage_, items, histogram);
  }
};
}
#endif
