// From memory to the items of the lanes of a warp or of a part of it.
#ifndef GPUREPL_CUB_WARP_LOAD
#define GPUREPL_CUB_WARP_LOAD
#include <cub/block/block_load.cuh>
#include <cub/warp/warp_exchange.cuh>

namespace cub {
enum WarpLoadAlgorithm { WARP_LOAD_DIRECT, WARP_LOAD_STRIPED, WARP_LOAD_VECTORIZE, WARP_LOAD_TRANSPOSE };

template <class InputT, int ITEMS_PER_THREAD, WarpLoadAlgorithm ALGORITHM = WARP_LOAD_DIRECT, int LOGICAL_WARP_THREADS = 32,
          int LEGACY_PTX_ARCH = 0>
class WarpLoad {
  static_assert(details::is_power_of_two(LOGICAL_WARP_THREADS), "the size of a logical warp is a power of two");
  static constexpr int N = ITEMS_PER_THREAD;
  static constexpr bool is_transposed = ALGORITHM == WARP_LOAD_TRANSPOSE;
  static constexpr bool is_striped = ALGORITHM == WARP_LOAD_STRIPED || is_transposed;
  typedef details::logical_warp<LOGICAL_WARP_THREADS> warp;
  typedef typename details::either<is_transposed, WarpExchange<InputT, N, LOGICAL_WARP_THREADS>,
      details::no_exchange<InputT, N> >::type Exchange;
  GPUREPL_CUB static void arrange(WarpExchange<InputT, N, LOGICAL_WARP_THREADS> exchange, InputT (&items)[N]) {
    exchange.StripedToBlocked(items, items);
  }
  GPUREPL_CUB static void arrange(details::no_exchange<InputT, N>, InputT (&)[N]) {}

 public:
  typedef typename Exchange::TempStorage TempStorage;

 private:
  TempStorage &storage_;
  GPUREPL_CUB static int first() { return is_striped ? warp::rank() : warp::rank() * N; }
  static constexpr int step = is_striped ? LOGICAL_WARP_THREADS : 1;

 public:
  GPUREPL_CUB explicit WarpLoad(TempStorage &temp_storage) : storage_(temp_storage) {}

  template <class I> GPUREPL_CUB void Load(I block_itr, InputT (&items)[N]) {
    if (ALGORITHM == WARP_LOAD_VECTORIZE) return details::load_words(warp::rank(), block_itr, items);
    details::load(block_itr, first(), +step, items);
    arrange(Exchange(storage_), items);
  }
  template <class I> GPUREPL_CUB void Load(I block_itr, InputT (&items)[N], int valid_items) {
    details::load(block_itr, first(), +step, items, valid_items);
    arrange(Exchange(storage_), items);
  }
  template <class I, class D> GPUREPL_CUB void Load(I block_itr, InputT (&items)[N], int valid_items, D oob_default) {
    details::load(block_itr, first(), +step, items, valid_items, oob_default);
    arrange(Exchange(storage_), items);
  }
};
}
#endif
