// Each item with its neighbour.
#ifndef GPUREPL_CUB_BLOCK_ADJACENT_DIFFERENCE
#define GPUREPL_CUB_BLOCK_ADJACENT_DIFFERENCE
#include <cub/gpurepl_details.cuh>

namespace cub {
// `difference_op(item, neighbour)`. An item without a neighbour stays as it is.
// `input` and `output` may be one array.
template <class T, int BLOCK_DIM_X, int BLOCK_DIM_Y = 1, int BLOCK_DIM_Z = 1, int LEGACY_PTX_ARCH = 0>
class BlockAdjacentDifference {
  typedef details::block<BLOCK_DIM_X, BLOCK_DIM_Y, BLOCK_DIM_Z> block;

 public:
  struct TempStorage {
    details::slots<T, block::threads> gpurepl_items;
  };

 private:
  TempStorage &storage_;
  const int thread_;
  template <int N, class U, class F>
  GPUREPL_CUB void left(T (&input)[N], U (&output)[N], F &op, int valid, const T *predecessor) {
    storage_.gpurepl_items[thread_] = input[N - 1];
    __syncthreads();
#pragma unroll
    for (int k = N - 1; k > 0; k--) {
      if (thread_ * N + k < valid) output[k] = op(input[k], input[k - 1]);
      else output[k] = input[k];
    }
    if (thread_ * N < valid && (thread_ || predecessor))
      output[0] = op(input[0], thread_ ? storage_.gpurepl_items[thread_ - 1] : *predecessor);
    else output[0] = input[0];
  }
  // The item before `end` has no neighbour but the successor.
  template <int N, class U, class F>
  GPUREPL_CUB void right(T (&input)[N], U (&output)[N], F &op, int end, const T *successor) {
    storage_.gpurepl_items[thread_] = input[0];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < N - 1; k++) {
      if (thread_ * N + k < end - 1) output[k] = op(input[k], input[k + 1]);
      else output[k] = input[k];
    }
    if (thread_ * N + N < end) output[N - 1] = op(input[N - 1], storage_.gpurepl_items[thread_ + 1]);
    else if (thread_ == block::threads - 1 && successor) output[N - 1] = op(input[N - 1], *successor);
    else output[N - 1] = input[N - 1];
  }

 public:
  GPUREPL_CUB BlockAdjacentDifference() : storage_(details::own_memory<TempStorage>()), thread_(block::rank()) {}
  GPUREPL_CUB explicit BlockAdjacentDifference(TempStorage &temp_storage) : storage_(temp_storage), thread_(block::rank()) {}

  template <int N, class OutputType, class DifferenceOpT>
  GPUREPL_CUB void SubtractLeft(T (&input)[N], OutputType (&output)[N], DifferenceOpT difference_op) {
    left(input, output, difference_op, block::threads * N, nullptr);
  }
  template <int N, class OutputT, class DifferenceOpT>
  GPUREPL_CUB void SubtractLeft(T (&input)[N], OutputT (&output)[N], DifferenceOpT difference_op, T tile_predecessor_item) {
    left(input, output, difference_op, block::threads * N, &tile_predecessor_item);
  }
  template <int N, class OutputType, class DifferenceOpT>
  GPUREPL_CUB void SubtractLeftPartialTile(T (&input)[N], OutputType (&output)[N], DifferenceOpT difference_op,
                                           int valid_items) {
    left(input, output, difference_op, valid_items, nullptr);
  }
  template <int N, class OutputType, class DifferenceOpT>
  GPUREPL_CUB void SubtractLeftPartialTile(T (&input)[N], OutputType (&output)[N], DifferenceOpT difference_op,
                                           int valid_items, T tile_predecessor_item) {
    left(input, output, difference_op, valid_items, &tile_predecessor_item);
  }
  template <int N, class OutputT, class DifferenceOpT>
  GPUREPL_CUB void SubtractRight(T (&input)[N], OutputT (&output)[N], DifferenceOpT difference_op) {
    right(input, output, difference_op, block::threads * N, nullptr);
  }
  template <int N, class OutputT, class DifferenceOpT>
  GPUREPL_CUB void SubtractRight(T (&input)[N], OutputT (&output)[N], DifferenceOpT difference_op, T tile_successor_item) {
    right(input, output, difference_op, block::threads * N, &tile_successor_item);
  }
  template <int N, class OutputT, class DifferenceOpT>
  GPUREPL_CUB void SubtractRightPartialTile(T (&input)[N], OutputT (&output)[N], DifferenceOpT difference_op,
                                            int valid_items) {
    right(input, output, difference_op, valid_items, nullptr);
  }
};
}
#endif
