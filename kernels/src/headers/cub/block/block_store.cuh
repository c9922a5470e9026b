// From the items of threads to memory.
#ifndef GPUREPL_CUB_BLOCK_STORE
#define GPUREPL_CUB_BLOCK_STORE
#include <cub/block/block_load.cuh>

namespace cub {
// ---- by themselves -------------------------------------------------------------------------------

namespace details {
template <class T, int N, class I> GPUREPL_CUB void store(I itr, int first, int step, T (&items)[N]) {
#pragma unroll
  for (int k = 0; k < N; k++) itr[first + k * step] = items[k];
}
template <class T, int N, class I> GPUREPL_CUB void store(I itr, int first, int step, T (&items)[N], int valid_items) {
#pragma unroll
  for (int k = 0; k < N; k++)
    if (first + k * step < valid_items) itr[first + k * step] = items[k];
}
template <class T, int N, class I>
GPUREPL_CUB void store_words(int thread, I itr, T (&items)[N]) { store(itr, thread * N, 1, items); }
template <class T, int N, class U> GPUREPL_CUB void store_words(int thread, U *to, T (&items)[N]) {
  typedef typename word_for<sizeof(T) * N>::type word;
  if (!is_same<U, T>::value || (size_t)to % sizeof(word)) return store(to, thread * N, 1, items);
  word words[sizeof(T) * N / sizeof(word)];
  memcpy(words, (const void *)items, sizeof(T) * N);
  word *const own = (word *)(to + thread * N);
#pragma unroll
  for (int k = 0; k < (int)(sizeof(T) * N / sizeof(word)); k++) own[k] = words[k];
}
}

template <class T, int N, class I> GPUREPL_CUB void StoreDirectBlocked(int linear_tid, I block_itr, T (&items)[N]) {
  details::store(block_itr, linear_tid * N, 1, items);
}
template <class T, int N, class I>
GPUREPL_CUB void StoreDirectBlocked(int linear_tid, I block_itr, T (&items)[N], int valid_items) {
  details::store(block_itr, linear_tid * N, 1, items, valid_items);
}
// As wide as the size allows, where the address is aligned.
template <class T, int N, class U>
GPUREPL_CUB void StoreDirectBlockedVectorized(int linear_tid, U *block_ptr, T (&items)[N]) {
  details::store_words(linear_tid, block_ptr, items);
}
template <int BLOCK_THREADS, class T, int N, class I>
GPUREPL_CUB void StoreDirectStriped(int linear_tid, I block_itr, T (&items)[N]) {
  details::store(block_itr, linear_tid, BLOCK_THREADS, items);
}
template <int BLOCK_THREADS, class T, int N, class I>
GPUREPL_CUB void StoreDirectStriped(int linear_tid, I block_itr, T (&items)[N], int valid_items) {
  details::store(block_itr, linear_tid, BLOCK_THREADS, items, valid_items);
}
template <class T, int N, class I> GPUREPL_CUB void StoreDirectWarpStriped(int linear_tid, I block_itr, T (&items)[N]) {
  details::store(block_itr, details::warp_striped_start<N>(linear_tid), 32, items);
}
template <class T, int N, class I>
GPUREPL_CUB void StoreDirectWarpStriped(int linear_tid, I block_itr, T (&items)[N], int valid_items) {
  details::store(block_itr, details::warp_striped_start<N>(linear_tid), 32, items, valid_items);
}

// ---- the class -----------------------------------------------------------------------------------

enum BlockStoreAlgorithm {
  BLOCK_STORE_DIRECT,
  BLOCK_STORE_STRIPED,
  BLOCK_STORE_VECTORIZE,
  BLOCK_STORE_TRANSPOSE,
  BLOCK_STORE_WARP_TRANSPOSE,
  BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED
};

template <class T, int BLOCK_DIM_X, int ITEMS_PER_THREAD, BlockStoreAlgorithm ALGORITHM = BLOCK_STORE_DIRECT,
          int BLOCK_DIM_Y = 1, int BLOCK_DIM_Z = 1, int LEGACY_PTX_ARCH = 0>
class BlockStore {
  typedef details::block<BLOCK_DIM_X, BLOCK_DIM_Y, BLOCK_DIM_Z> block;
  static constexpr int N = ITEMS_PER_THREAD;
  static constexpr bool is_transposed = ALGORITHM == BLOCK_STORE_TRANSPOSE;
  static constexpr bool is_warp_transposed =
      ALGORITHM == BLOCK_STORE_WARP_TRANSPOSE || ALGORITHM == BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED;
  typedef typename details::either<is_transposed || is_warp_transposed,
      BlockExchange<T, BLOCK_DIM_X, N, false, BLOCK_DIM_Y, BLOCK_DIM_Z>, details::no_exchange<T, N> >::type Exchange;
  Exchange exchange_;

  GPUREPL_CUB static int first(int thread) {
    return ALGORITHM == BLOCK_STORE_STRIPED || is_transposed ? thread
        : is_warp_transposed ? details::warp_striped_start<N>(thread) : thread * N;
  }
  GPUREPL_CUB static int step(int thread) {
    return ALGORITHM == BLOCK_STORE_STRIPED || is_transposed ? block::threads : is_warp_transposed ? block::lanes(thread) : 1;
  }
  GPUREPL_CUB void arrange(T (&items)[N]) {
    if (is_transposed) exchange_.BlockedToStriped(items);
    if (is_warp_transposed) exchange_.BlockedToWarpStriped(items);
  }

 public:
  typedef typename Exchange::TempStorage TempStorage;
  GPUREPL_CUB BlockStore() {}
  GPUREPL_CUB explicit BlockStore(TempStorage &temp_storage) : exchange_(temp_storage) {}

  template <class I> GPUREPL_CUB void Store(I block_itr, T (&items)[N]) {
    const int thread = block::rank();
    if (ALGORITHM == BLOCK_STORE_VECTORIZE) return details::store_words(thread, block_itr, items);
    arrange(items);
    details::store(block_itr, first(thread), step(thread), items);
  }
  template <class I> GPUREPL_CUB void Store(I block_itr, T (&items)[N], int valid_items) {
    const int thread = block::rank();
    arrange(items);
    details::store(block_itr, first(thread), step(thread), items, valid_items);
  }
};
}
#endif
