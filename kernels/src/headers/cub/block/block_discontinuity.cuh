// Flags where an item and its neighbour differ.
#ifndef GPUREPL_CUB_BLOCK_DISCONTINUITY
#define GPUREPL_CUB_BLOCK_DISCONTINUITY
#include <cub/thread/thread_operators.cuh>

namespace cub {
namespace details {
template <bool takes_index> struct flagged {
  template <class F, class T>
  GPUREPL_CUB static bool by(F &op, const T &a, const T &b, int index) { return op(a, b, index); }
};
template <> struct flagged<false> {
  template <class F, class T> GPUREPL_CUB static bool by(F &op, const T &a, const T &b, int) { return op(a, b); }
};
}

// `flag_op(a, b)` or `flag_op(a, b, index)`, with the index of `b` in the block.
template <class T, int BLOCK_DIM_X, int BLOCK_DIM_Y = 1, int BLOCK_DIM_Z = 1, int LEGACY_PTX_ARCH = 0>
class BlockDiscontinuity {
  typedef details::block<BLOCK_DIM_X, BLOCK_DIM_Y, BLOCK_DIM_Z> block;

 public:
  struct TempStorage {
    details::slots<T, block::threads> gpurepl_first, gpurepl_last;
  };

 private:
  TempStorage &storage_;
  const int thread_;
  template <class F> GPUREPL_CUB bool differ(F &op, const T &a, const T &b, int index) {
    return details::flagged<details::takes_index<F, const T>::value>::by(op, a, b, index);
  }
  // Without a neighbour the pointer is null.
  template <int N, class Flag, class F>
  GPUREPL_CUB void heads(Flag (&flags)[N], T (&input)[N], F &op, const T *predecessor) {
    if (thread_ || predecessor)
      flags[0] = differ(op, thread_ ? storage_.gpurepl_last[thread_ - 1] : *predecessor, input[0], thread_ * N);
    else flags[0] = 1;
#pragma unroll
    for (int k = 1; k < N; k++) flags[k] = differ(op, input[k - 1], input[k], thread_ * N + k);
  }
  template <int N, class Flag, class F> GPUREPL_CUB void tails(Flag (&flags)[N], T (&input)[N], F &op, const T *successor) {
    const bool is_last = thread_ == block::threads - 1;
    if (!is_last || successor)
      flags[N - 1] = differ(op, input[N - 1], is_last ? *successor : storage_.gpurepl_first[thread_ + 1], thread_ * N + N);
    else flags[N - 1] = 1;
#pragma unroll
    for (int k = 0; k < N - 1; k++) flags[k] = differ(op, input[k], input[k + 1], thread_ * N + k + 1);
  }
  template <int N, class Flag, class F>
  GPUREPL_CUB void both(Flag (&head_flags)[N], const T *predecessor, Flag (&tail_flags)[N], const T *successor,
                        T (&input)[N], F &op) {
    storage_.gpurepl_first[thread_] = input[0];
    storage_.gpurepl_last[thread_] = input[N - 1];
    __syncthreads();
    heads(head_flags, input, op, predecessor);
    tails(tail_flags, input, op, successor);
  }

 public:
  GPUREPL_CUB BlockDiscontinuity() : storage_(details::own_memory<TempStorage>()), thread_(block::rank()) {}
  GPUREPL_CUB explicit BlockDiscontinuity(TempStorage &temp_storage) : storage_(temp_storage), thread_(block::rank()) {}

  template <int N, class FlagT, class FlagOp>
  GPUREPL_CUB void FlagHeads(FlagT (&head_flags)[N], T (&input)[N], FlagOp flag_op) {
    storage_.gpurepl_last[thread_] = input[N - 1];
    __syncthreads();
    heads(head_flags, input, flag_op, nullptr);
  }
  template <int N, class FlagT, class FlagOp>
  GPUREPL_CUB void FlagHeads(FlagT (&head_flags)[N], T (&input)[N], FlagOp flag_op, T tile_predecessor_item) {
    storage_.gpurepl_last[thread_] = input[N - 1];
    __syncthreads();
    heads(head_flags, input, flag_op, &tile_predecessor_item);
  }
  template <int N, class FlagT, class FlagOp>
  GPUREPL_CUB void FlagTails(FlagT (&tail_flags)[N], T (&input)[N], FlagOp flag_op) {
    storage_.gpurepl_first[thread_] = input[0];
    __syncthreads();
    tails(tail_flags, input, flag_op, nullptr);
  }
  template <int N, class FlagT, class FlagOp>
  GPUREPL_CUB void FlagTails(FlagT (&tail_flags)[N], T (&input)[N], FlagOp flag_op, T tile_successor_item) {
    storage_.gpurepl_first[thread_] = input[0];
    __syncthreads();
    tails(tail_flags, input, flag_op, &tile_successor_item);
  }
  template <int N, class FlagT, class FlagOp>
  GPUREPL_CUB void FlagHeadsAndTails(FlagT (&head_flags)[N], FlagT (&tail_flags)[N], T (&input)[N], FlagOp flag_op) {
    both(head_flags, nullptr, tail_flags, nullptr, input, flag_op);
  }
  template <int N, class FlagT, class FlagOp>
  GPUREPL_CUB void FlagHeadsAndTails(FlagT (&head_flags)[N], FlagT (&tail_flags)[N], T tile_successor_item,
                                     T (&input)[N], FlagOp flag_op) {
    both(head_flags, nullptr, tail_flags, &tile_successor_item, input, flag_op);
  }
  template <int N, class FlagT, class FlagOp>
  GPUREPL_CUB void FlagHeadsAndTails(FlagT (&head_flags)[N], T tile_predecessor_item, FlagT (&tail_flags)[N],
                                     T (&input)[N], FlagOp flag_op) {
    both(head_flags, &tile_predecessor_item, tail_flags, nullptr, input, flag_op);
  }
  template <int N, class FlagT, class FlagOp>
  GPUREPL_CUB void FlagHeadsAndTails(FlagT (&head_flags)[N], T tile_predecessor_item, FlagT (&tail_flags)[N],
                                     T tile_successor_item, T (&input)[N], FlagOp flag_op) {
    both(head_flags, &tile_predecessor_item, tail_flags, &tile_successor_item, input, flag_op);
  }
};
}
#endif
