// From the items of the lanes of a warp, or of a part of it, to memory.
#ifndef GPUREPL_CUB_WARP_STORE
#define GPUREPL_CUB_WARP_STORE
#include <cub/block/block_store.cuh>
#include <cub/warp/warp_exchange.cuh>

namespace cub {
enum WarpStoreAlgorithm { WARP_STORE_DIRECT, WARP_STORE_STRIPED, WARP_STORE_VECTORIZE, WARP_STORE_TRANSPOSE };

template <class T, int ITEMS_PER_THREAD, WarpStoreAlgorithm ALGORITHM = WARP_STORE_DIRECT, int LOGICAL_WARP_THREADS = 32,
          int LEGACY_PTX_ARCH = 0>
class WarpStore {
  static_assert(details::is_power_of_two(LOGICAL_WARP_THREADS), "the size of a logical warp is a power of two");
  static constexpr int N = ITEMS_PER_THREAD;
  static constexpr bool is_transposed = ALGORITHM == WARP_STORE_TRANSPOSE;
  static constexpr bool is_striped = ALGORITHM == WARP_STORE_STRIPED || is_transposed;
  typedef details::logical_warp<LOGICAL_WARP_THREADS> warp;
  typedef typename details::either<is_transposed, WarpExchange<T, N, LOGICAL_WARP_THREADS>,
      details::no_exchange<T, N> >::type Exchange;
  GPUREPL_CUB static void arrange(WarpExchange<T, N, LOGICAL_WARP_THREADS> exchange, T (&items)[N]) {
    exchange.BlockedToStriped(items, items);
  }
  GPUREPL_CUB static void arrange(details::no_exchange<T, N>, T (&)[N]) {}

 public:
  typedef typename Exchange::TempStorage TempStorage;

 private:
  TempStorage &storage_;
  GPUREPL_CUB static int first() { return is_striped ? warp::rank() : warp::rank() * N; }
  static constexpr int step = is_striped ? LOGICAL_WARP_THREADS : 1;

 public:
  GPUREPL_CUB explicit WarpStore(TempStorage &temp_storage) : storage_(temp_storage) {}

  template <class I> GPUREPL_CUB void Store(I block_itr, T (&items)[N]) {
    if (ALGORITHM == WARP_STORE_VECTORIZE) return details::store_words(warp::rank(), block_itr, items);
    arrange(Exchange(storage_), items);
    details::store(block_itr, first(), +step, items);
  }
  template <class I> GPUREPL_CUB void Store(I block_itr, T (&items)[N], int valid_items) {
    arrange(Exchange(storage_), items);
    details::store(block_itr, first(), +step, items, valid_items);
  }
};
}
#endif
