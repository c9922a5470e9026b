// The items of one thread, combined from the first one on.
#ifndef GPUREPL_CUB_THREAD_REDUCE
#define GPUREPL_CUB_THREAD_REDUCE
#include <cub/thread/thread_operators.cuh>

namespace cub {
template <class T, int LENGTH, class ReductionOp> GPUREPL_CUB T ThreadReduce(const T (&input)[LENGTH], ReductionOp op) {
  T all = input[0];
#pragma unroll
  for (int k = 1; k < LENGTH; k++) all = op(all, input[k]);
  return all;
}
template <class T, int LENGTH, class ReductionOp, class PrefixT>
GPUREPL_CUB PrefixT ThreadReduce(const T (&input)[LENGTH], ReductionOp op, PrefixT prefix) {
#pragma unroll
  for (int k = 0; k < LENGTH; k++) prefix = op(prefix, input[k]);
  return prefix;
}
// The namespace that CUB 1.x and 2.x have these in.
namespace internal {
using cub::ThreadReduce;
}
}
#endif
