// Running results over the items of one thread.
#ifndef GPUREPL_CUB_THREAD_SCAN
#define GPUREPL_CUB_THREAD_SCAN
#include <cub/thread/thread_operators.cuh>

namespace cub {
namespace internal {
// All return what all items come to. `input` and `output` may be one array.
template <int LENGTH, class T, class ScanOp>
GPUREPL_CUB T ThreadScanInclusive(T (&input)[LENGTH], T (&output)[LENGTH], ScanOp op) {
  T all = input[0];
  output[0] = all;
#pragma unroll
  for (int k = 1; k < LENGTH; k++) output[k] = all = op(all, input[k]);
  return all;
}
// Without `apply_prefix` the first item stands for itself.
template <int LENGTH, class T, class ScanOp>
GPUREPL_CUB T ThreadScanInclusive(T (&input)[LENGTH], T (&output)[LENGTH], ScanOp op, T prefix, bool apply_prefix = true) {
  T all = input[0];
  if (apply_prefix) all = op(prefix, all);
  output[0] = all;
#pragma unroll
  for (int k = 1; k < LENGTH; k++) output[k] = all = op(all, input[k]);
  return all;
}
template <int LENGTH, class T, class ScanOp>
GPUREPL_CUB T ThreadScanExclusive(T (&input)[LENGTH], T (&output)[LENGTH], ScanOp op, T prefix, bool apply_prefix = true) {
  T all = input[0];
  if (apply_prefix) all = op(prefix, all);
  output[0] = prefix;
#pragma unroll
  for (int k = 1; k < LENGTH; k++) {
    const T item = input[k];
    output[k] = all;
    all = op(all, item);
  }
  return all;
}
}
using internal::ThreadScanExclusive;
using internal::ThreadScanInclusive;
}
#endif
