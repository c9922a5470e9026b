// Reductions over a block: each warp by shuffles, then the first thread what
// the warps have found, in their order.
#ifndef GPUREPL_CUB_BLOCK_REDUCE
#define GPUREPL_CUB_BLOCK_REDUCE
#include <cub/thread/thread_reduce.cuh>
#include <cub/warp/warp_reduce.cuh>

namespace cub {
// All names are for one way, which keeps the order of the threads.
enum BlockReduceAlgorithm {
  BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY,
  BLOCK_REDUCE_RAKING,
  BLOCK_REDUCE_WARP_REDUCTIONS,
  BLOCK_REDUCE_WARP_REDUCTIONS_NONDETERMINISTIC
};

// The answer is that of the first thread; the others have anything.
template <class T, int BLOCK_DIM_X, BlockReduceAlgorithm ALGORITHM = BLOCK_REDUCE_WARP_REDUCTIONS, int BLOCK_DIM_Y = 1,
          int BLOCK_DIM_Z = 1, int LEGACY_PTX_ARCH = 0>
class BlockReduce {
  typedef details::block<BLOCK_DIM_X, BLOCK_DIM_Y, BLOCK_DIM_Z> block;

 public:
  struct TempStorage {
    details::slots<T, block::warps> gpurepl_partial;
  };

 private:
  TempStorage &storage_;

  template <bool is_full, class F> GPUREPL_CUB T reduce(T input, F op, int num_valid) {
    const int thread = block::rank(), first = thread & ~31, lanes = block::lanes(thread);
    const int valid = is_full || num_valid - first > lanes ? lanes : num_valid - first;
    T all = details::reduce_warp(block::mask(thread), thread - first, valid, input, op);
    if (block::warps == 1) return all;
    if (thread == first) storage_.gpurepl_partial[thread / 32] = all;
    __syncthreads();
    if (thread == 0) {
#pragma unroll
      for (int warp = 1; warp < block::warps; warp++)
        if (is_full || warp * 32 < num_valid) all = op(all, storage_.gpurepl_partial[warp]);
    }
    return all;
  }

 public:
  GPUREPL_CUB BlockReduce() : storage_(details::own_memory<TempStorage>()) {}
  GPUREPL_CUB explicit BlockReduce(TempStorage &temp_storage) : storage_(temp_storage) {}

  template <class ReductionOp> GPUREPL_CUB T Reduce(T input, ReductionOp op) {
    return reduce<true>(input, op, block::threads);
  }
  template <int ITEMS_PER_THREAD, class ReductionOp> GPUREPL_CUB T Reduce(T (&inputs)[ITEMS_PER_THREAD], ReductionOp op) {
    return reduce<true>(ThreadReduce(inputs, op), op, block::threads);
  }
  // Of the first `num_valid` threads.
  template <class ReductionOp> GPUREPL_CUB T Reduce(T input, ReductionOp op, int num_valid) {
    return reduce<false>(input, op, num_valid);
  }
  GPUREPL_CUB T Sum(T input) { return Reduce(input, cub::Sum()); }
  template <int ITEMS_PER_THREAD> GPUREPL_CUB T Sum(T (&inputs)[ITEMS_PER_THREAD]) { return Reduce(inputs, cub::Sum()); }
  GPUREPL_CUB T Sum(T input, int num_valid) { return Reduce(input, cub::Sum(), num_valid); }
};
}
#endif
