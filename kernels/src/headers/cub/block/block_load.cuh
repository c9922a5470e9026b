// From memory to the items of threads.
#ifndef GPUREPL_CUB_BLOCK_LOAD
#define GPUREPL_CUB_BLOCK_LOAD
#include <cub/block/block_exchange.cuh>

namespace cub {
// ---- by themselves -------------------------------------------------------------------------------
// Guarded ones leave the items that are not there, or give them a value.

namespace details {
// Item `k` of a thread is at `first + k * step`.
template <class T, int N, class I> GPUREPL_CUB void load(I itr, int first, int step, T (&items)[N]) {
#pragma unroll
  for (int k = 0; k < N; k++) items[k] = itr[first + k * step];
}
template <class T, int N, class I> GPUREPL_CUB void load(I itr, int first, int step, T (&items)[N], int valid_items) {
#pragma unroll
  for (int k = 0; k < N; k++)
    if (first + k * step < valid_items) items[k] = itr[first + k * step];
}
template <class T, int N, class I, class D>
GPUREPL_CUB void load(I itr, int first, int step, T (&items)[N], int valid_items, const D &oob_default) {
#pragma unroll
  for (int k = 0; k < N; k++)
    if (first + k * step < valid_items) items[k] = itr[first + k * step];
    else items[k] = oob_default;
}
template <class T, int N, class I>
GPUREPL_CUB void load_words(int thread, I itr, T (&items)[N]) { load(itr, thread * N, 1, items); }
template <class T, int N, class U> GPUREPL_CUB void load_words(int thread, U *from, T (&items)[N]) {
  typedef typename word_for<sizeof(T) * N>::type word;
  if (!is_same<typename value_of<U>::type, T>::value || (size_t)from % sizeof(word)) return load(from, thread * N, 1, items);
  word words[sizeof(T) * N / sizeof(word)];
  const word *const own = (const word *)(from + thread * N);
#pragma unroll
  for (int k = 0; k < (int)(sizeof(T) * N / sizeof(word)); k++) words[k] = own[k];
  memcpy((void *)items, words, sizeof(T) * N);
}
// Where the threads of a block begin in an arrangement that is striped within
// warps; the last warp may not be full.
template <int N> GPUREPL_CUB int warp_striped_start(int thread) { return (thread & ~31) * N + (thread & 31); }
}

template <class T, int N, class I> GPUREPL_CUB void LoadDirectBlocked(int linear_tid, I block_itr, T (&items)[N]) {
  details::load(block_itr, linear_tid * N, 1, items);
}
template <class T, int N, class I>
GPUREPL_CUB void LoadDirectBlocked(int linear_tid, I block_itr, T (&items)[N], int valid_items) {
  details::load(block_itr, linear_tid * N, 1, items, valid_items);
}
template <class T, class D, int N, class I>
GPUREPL_CUB void LoadDirectBlocked(int linear_tid, I block_itr, T (&items)[N], int valid_items, D oob_default) {
  details::load(block_itr, linear_tid * N, 1, items, valid_items, oob_default);
}
// As wide as the size allows, where the address is aligned.
template <class T, int N, class U>
GPUREPL_CUB void LoadDirectBlockedVectorized(int linear_tid, U *block_ptr, T (&items)[N]) {
  details::load_words(linear_tid, block_ptr, items);
}
template <int BLOCK_THREADS, class T, int N, class I>
GPUREPL_CUB void LoadDirectStriped(int linear_tid, I block_itr, T (&items)[N]) {
  details::load(block_itr, linear_tid, BLOCK_THREADS, items);
}
template <int BLOCK_THREADS, class T, int N, class I>
GPUREPL_CUB void LoadDirectStriped(int linear_tid, I block_itr, T (&items)[N], int valid_items) {
  details::load(block_itr, linear_tid, BLOCK_THREADS, items, valid_items);
}
template <int BLOCK_THREADS, class T, class D, int N, class I>
GPUREPL_CUB void LoadDirectStriped(int linear_tid, I block_itr, T (&items)[N], int valid_items, D oob_default) {
  details::load(block_itr, linear_tid, BLOCK_THREADS, items, valid_items, oob_default);
}
template <class T, int N, class I> GPUREPL_CUB void LoadDirectWarpStriped(int linear_tid, I block_itr, T (&items)[N]) {
  details::load(block_itr, details::warp_striped_start<N>(linear_tid), 32, items);
}
template <class T, int N, class I>
GPUREPL_CUB void LoadDirectWarpStriped(int linear_tid, I block_itr, T (&items)[N], int valid_items) {
  details::load(block_itr, details::warp_striped_start<N>(linear_tid), 32, items, valid_items);
}
template <class T, class D, int N, class I>
GPUREPL_CUB void LoadDirectWarpStriped(int linear_tid, I block_itr, T (&items)[N], int valid_items, D oob_default) {
  details::load(block_itr, details::warp_striped_start<N>(linear_tid), 32, items, valid_items, oob_default);
}

// ---- the class -----------------------------------------------------------------------------------

// Transposed: read by neighbours, and exchanged in shared memory.
enum BlockLoadAlgorithm {
  BLOCK_LOAD_DIRECT,
  BLOCK_LOAD_STRIPED,
  BLOCK_LOAD_VECTORIZE,
  BLOCK_LOAD_TRANSPOSE,
  BLOCK_LOAD_WARP_TRANSPOSE,
  BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED
};

namespace details {
// For those that exchange nothing.
template <class T, int N> class no_exchange {
 public:
  typedef no_storage TempStorage;
  GPUREPL_CUB no_exchange() {}
  GPUREPL_CUB explicit no_exchange(TempStorage &) {}
  GPUREPL_CUB void StripedToBlocked(T (&)[N]) {}
  GPUREPL_CUB void BlockedToStriped(T (&)[N]) {}
  GPUREPL_CUB void WarpStripedToBlocked(T (&)[N]) {}
  GPUREPL_CUB void BlockedToWarpStriped(T (&)[N]) {}
};
}
template <class InputT, int BLOCK_DIM_X, int ITEMS_PER_THREAD, BlockLoadAlgorithm ALGORITHM = BLOCK_LOAD_DIRECT,
          int BLOCK_DIM_Y = 1, int BLOCK_DIM_Z = 1, int LEGACY_PTX_ARCH = 0>
class BlockLoad {
  typedef details::block<BLOCK_DIM_X, BLOCK_DIM_Y, BLOCK_DIM_Z> block;
  static constexpr int N = ITEMS_PER_THREAD;
  static constexpr bool is_transposed = ALGORITHM == BLOCK_LOAD_TRANSPOSE;
  static constexpr bool is_warp_transposed =
      ALGORITHM == BLOCK_LOAD_WARP_TRANSPOSE || ALGORITHM == BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED;
  typedef typename details::either<is_transposed || is_warp_transposed,
      BlockExchange<InputT, BLOCK_DIM_X, N, false, BLOCK_DIM_Y, BLOCK_DIM_Z>, details::no_exchange<InputT, N> >::type Exchange;
  Exchange exchange_;

  GPUREPL_CUB static int first(int thread) {
    return ALGORITHM == BLOCK_LOAD_STRIPED || is_transposed ? thread
        : is_warp_transposed ? details::warp_striped_start<N>(thread) : thread * N;
  }
  GPUREPL_CUB static int step(int thread) {
    return ALGORITHM == BLOCK_LOAD_STRIPED || is_transposed ? block::threads : is_warp_transposed ? block::lanes(thread) : 1;
  }
  GPUREPL_CUB void arrange(InputT (&items)[N]) {
    if (is_transposed) exchange_.StripedToBlocked(items);
    if (is_warp_transposed) exchange_.WarpStripedToBlocked(items);
  }

 public:
  typedef typename Exchange::TempStorage TempStorage;
  GPUREPL_CUB BlockLoad() {}
  GPUREPL_CUB explicit BlockLoad(TempStorage &temp_storage) : exchange_(temp_storage) {}

  template <class I> GPUREPL_CUB void Load(I block_itr, InputT (&items)[N]) {
    const int thread = block::rank();
    if (ALGORITHM == BLOCK_LOAD_VECTORIZE) return details::load_words(thread, block_itr, items);
    details::load(block_itr, first(thread), step(thread), items);
    arrange(items);
  }
  template <class I> GPUREPL_CUB void Load(I block_itr, InputT (&items)[N], int valid_items) {
    const int thread = block::rank();
    details::load(block_itr, first(thread), step(thread), items, valid_items);
    arrange(items);
  }
  template <class I, class D> GPUREPL_CUB void Load(I block_itr, InputT (&items)[N], int valid_items, D oob_default) {
    const int thread = block::rank();
    details::load(block_itr, first(thread), step(thread), items, valid_items, oob_default);
    arrange(items);
  }
};
}
#endif
