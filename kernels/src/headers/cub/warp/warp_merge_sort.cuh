// Stable sorts of the items of a warp, or of a part of it, by a comparison.
#ifndef GPUREPL_CUB_WARP_MERGE_SORT
#define GPUREPL_CUB_WARP_MERGE_SORT
#include <cub/block/block_merge_sort.cuh>

namespace cub {
namespace details {
template <int N> struct warp_meeting {
  GPUREPL_CUB static void sync(int) { __syncwarp(logical_warp<N>::mask()); }
};
}

// Each logical warp has temporary storage of its own.
template <class KeyT, int ITEMS_PER_THREAD, int LOGICAL_WARP_THREADS = 32, class ValueT = NullType, int LEGACY_PTX_ARCH = 0>
class WarpMergeSort
    : public details::merge_sort<KeyT, ValueT, LOGICAL_WARP_THREADS, ITEMS_PER_THREAD,
                                 details::warp_meeting<LOGICAL_WARP_THREADS> > {
  static_assert(details::is_power_of_two(LOGICAL_WARP_THREADS), "the size of a logical warp is a power of two");
  typedef details::merge_sort<KeyT, ValueT, LOGICAL_WARP_THREADS, ITEMS_PER_THREAD,
                              details::warp_meeting<LOGICAL_WARP_THREADS> > base;

 public:
  typedef typename base::TempStorage TempStorage;
  WarpMergeSort() = delete;
  GPUREPL_CUB explicit WarpMergeSort(TempStorage &temp_storage)
      : base(temp_storage, details::logical_warp<LOGICAL_WARP_THREADS>::rank()) {}
  GPUREPL_CUB unsigned int get_member_mask() const { return details::logical_warp<LOGICAL_WARP_THREADS>::mask(); }
};
}
#endif
