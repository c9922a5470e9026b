// Stable sorts of keys of any type by a comparison: each thread its own items,
// then pairs of sorted parts are merged, each thread its share of the result
// (O. Green, R. McColl and D. A. Bader, "GPU merge path", ICS 2012).
#ifndef GPUREPL_CUB_BLOCK_MERGE_SORT
#define GPUREPL_CUB_BLOCK_MERGE_SORT
#include <cub/util_type.cuh>

namespace cub {
// How many of the first `diag` items of two merged sequences are of the first one.
template <class KeyIteratorT1, class KeyIteratorT2, class OffsetT, class BinaryPred>
GPUREPL_CUB OffsetT MergePath(KeyIteratorT1 keys1, KeyIteratorT2 keys2, OffsetT keys1_count, OffsetT keys2_count, OffsetT diag,
                              BinaryPred binary_pred) {
  OffsetT low = diag < keys2_count ? 0 : diag - keys2_count, high = diag < keys1_count ? diag : keys1_count;
  while (low < high) {
    const OffsetT middle = low + (high - low) / 2;
    if (binary_pred(keys2[diag - 1 - middle], keys1[middle])) high = middle;
    else low = middle + 1;
  }
  return low;
}
// In a network whose size is known: neighbours change places, N times.
template <class KeyT, class ValueT, class CompareOp, int N>
GPUREPL_CUB void StableOddEvenSort(KeyT (&keys)[N], ValueT (&items)[N], CompareOp compare_op) {
#pragma unroll
  for (int round = 0; round < N; round++) {
#pragma unroll
    for (int k = round & 1; k < N - 1; k += 2) {
      if (compare_op(keys[k + 1], keys[k])) {
        const KeyT key = keys[k];
        keys[k] = keys[k + 1];
        keys[k + 1] = key;
        const ValueT item = items[k];
        items[k] = items[k + 1];
        items[k + 1] = item;
      }
    }
  }
}

namespace details {
// By so many threads that meet by `Meeting`.
template <class KeyT, class ValueT, int THREADS, int N, class Meeting> class merge_sort {
 public:
  union TempStorage {
    slots<KeyT, THREADS * N> gpurepl_keys;
    slots<ValueT, THREADS * N> gpurepl_values;
  };

 private:
  TempStorage &storage_;
  const int thread_;

 public:
  GPUREPL_CUB merge_sort(TempStorage &storage, int thread) : storage_(storage), thread_(thread) {}
  GPUREPL_CUB unsigned int get_linear_tid() const { return (unsigned int)thread_; }

  template <bool has_values, class F> __device__ inline void sort(KeyT (&keys)[N], ValueT (&items)[N], F less) {
    StableOddEvenSort(keys, items, less);
    KeyT *const shared = &storage_.gpurepl_keys[0];
    for (int width = 1; width < THREADS; width *= 2) {
      // Who was here before has read all of it.
      Meeting::sync(thread_);
#pragma unroll
      for (int k = 0; k < N; k++) shared[thread_ * N + k] = keys[k];
      Meeting::sync(thread_);
      const int first = thread_ & ~(2 * width - 1), all = THREADS * N;
      const int start = first * N, middle = start + width * N < all ? start + width * N : all;
      const int end = start + 2 * width * N < all ? start + 2 * width * N : all;
      const int diag = (thread_ - first) * N;
      const int of_first = MergePath(shared + start, shared + middle, middle - start, end - middle, diag, less);
      int a = start + of_first, b = middle + diag - of_first;
      int from[N];
      // One load an item: where a sequence has ended, its place may be any.
      KeyT first_key = shared[a < all ? a : 0], second_key = shared[b < all ? b : 0];
#pragma unroll
      for (int k = 0; k < N; k++) {
        const bool is_second = b < end && (a >= middle || less(second_key, first_key));
        from[k] = is_second ? b : a;
        keys[k] = is_second ? second_key : first_key;
        const int next = from[k] + 1;
        if (is_second) b = next;
        else a = next;
        if (k + 1 < N) {
          const KeyT key = shared[next < all ? next : 0];
          if (is_second) second_key = key;
          else first_key = key;
        }
      }
      if (has_values) {
        Meeting::sync(thread_);
#pragma unroll
        for (int k = 0; k < N; k++) storage_.gpurepl_values[thread_ * N + k] = items[k];
        Meeting::sync(thread_);
#pragma unroll
        for (int k = 0; k < N; k++) items[k] = storage_.gpurepl_values[from[k]];
      }
    }
  }

  // No valid key may come after `oob_default`.
  GPUREPL_CUB void fill(KeyT (&keys)[N], int valid_items, const KeyT &oob_default) {
#pragma unroll
    for (int k = 0; k < N; k++)
      if (thread_ * N + k >= valid_items) keys[k] = oob_default;
  }
#define GPUREPL_SORT(name) \
  template <class CompareOp> GPUREPL_CUB void name(KeyT (&keys)[N], CompareOp compare_op) { \
    ValueT items[N]; \
    sort<false>(keys, items, compare_op); \
  } \
  template <class CompareOp> GPUREPL_CUB void name(KeyT (&keys)[N], CompareOp compare_op, int valid_items, KeyT oob_default) { \
    fill(keys, valid_items, oob_default); \
    name(keys, compare_op); \
  } \
  template <class CompareOp> GPUREPL_CUB void name(KeyT (&keys)[N], ValueT (&items)[N], CompareOp compare_op) { \
    sort<true>(keys, items, compare_op); \
  } \
  template <class CompareOp> \
  GPUREPL_CUB void name(KeyT (&keys)[N], ValueT (&items)[N], CompareOp compare_op, int valid_items, KeyT oob_default) { \
    fill(keys, valid_items, oob_default); \
    sort<true>(keys, items, compare_op); \
  }
  GPUREPL_SORT(Sort)
  GPUREPL_SORT(StableSort)
#undef GPUREPL_SORT
};
struct block_meeting {
  GPUREPL_CUB static void sync(int) { __syncthreads(); }
};
}

template <class KeyT, int BLOCK_DIM_X, int ITEMS_PER_THREAD, class ValueT = NullType, int BLOCK_DIM_Y = 1, int BLOCK_DIM_Z = 1>
class BlockMergeSort
    : public details::merge_sort<KeyT, ValueT, BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z, ITEMS_PER_THREAD,
                                 details::block_meeting> {
  typedef details::block<BLOCK_DIM_X, BLOCK_DIM_Y, BLOCK_DIM_Z> block;
  typedef details::merge_sort<KeyT, ValueT, block::threads, ITEMS_PER_THREAD, details::block_meeting> base;

 public:
  typedef typename base::TempStorage TempStorage;
  GPUREPL_CUB BlockMergeSort() : base(details::own_memory<TempStorage>(), block::rank()) {}
  GPUREPL_CUB explicit BlockMergeSort(TempStorage &temp_storage) : base(temp_storage, block::rank()) {}
};
}
#endif
