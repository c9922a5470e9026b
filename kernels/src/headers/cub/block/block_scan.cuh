// Running results over a block: each warp by shuffles, then what the warps
// before it have found. One barrier, and another where a function tells what
// came before the block.
#ifndef GPUREPL_CUB_BLOCK_SCAN
#define GPUREPL_CUB_BLOCK_SCAN
#include <cub/thread/thread_reduce.cuh>
#include <cub/thread/thread_scan.cuh>
#include <cub/warp/warp_scan.cuh>

namespace cub {
// All names are for one way.
enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };

// Aggregates are of the inputs alone, without initial values. A function for
// what came before is called by the first warp, and its first lane's answer counts.
template <class T, int BLOCK_DIM_X, BlockScanAlgorithm ALGORITHM = BLOCK_SCAN_RAKING, int BLOCK_DIM_Y = 1, int BLOCK_DIM_Z = 1,
          int LEGACY_PTX_ARCH = 0>
class BlockScan {
  typedef details::block<BLOCK_DIM_X, BLOCK_DIM_Y, BLOCK_DIM_Z> block;

 public:
  struct TempStorage {
    details::slots<T, block::warps> gpurepl_warps;
    details::slots<T, 1> gpurepl_prefix;
  };

 private:
  TempStorage &storage_;
  const int thread_;

  // What stands before each thread, of which the first one has nothing, and
  // what all come to.
  template <class F> GPUREPL_CUB T before(T input, F op, T &aggregate) {
    const unsigned int mask = block::mask(thread_);
    const int lane = thread_ & 31, warp = thread_ / 32;
    const T own = details::scan_lanes<(block::threads < 32 ? block::threads : 32)>(mask, lane, input, op);
    if (lane == block::lanes(thread_) - 1) storage_.gpurepl_warps[warp] = own;
    T left = details::shfl_up(mask, own, 1);
    __syncthreads();
    T all = storage_.gpurepl_warps[0], prefix = all;
#pragma unroll
    for (int k = 1; k < block::warps; k++) {
      if (warp == k) prefix = all;
      all = op(all, storage_.gpurepl_warps[k]);
    }
    if (warp) left = lane ? (T)op(prefix, left) : prefix;
    aggregate = all;
    return left;
  }
  template <class C> GPUREPL_CUB T called(const T &aggregate, C &callback) {
    if (thread_ < 32) {
      const T prefix = callback(aggregate);
      if (thread_ == 0) storage_.gpurepl_prefix[0] = prefix;
    }
    __syncthreads();
    return storage_.gpurepl_prefix[0];
  }
  // The same with something before the block.
  template <class F> GPUREPL_CUB T joined(T prefix, T left, F op) { return thread_ ? (T)op(prefix, left) : prefix; }

 public:
  GPUREPL_CUB BlockScan() : storage_(details::own_memory<TempStorage>()), thread_(block::rank()) {}
  GPUREPL_CUB explicit BlockScan(TempStorage &temp_storage) : storage_(temp_storage), thread_(block::rank()) {}

  // ---- sums --------------------------------------------------------------------------------------

  GPUREPL_CUB void ExclusiveSum(T input, T &output) { ExclusiveScan(input, output, T(), Sum()); }
  GPUREPL_CUB void ExclusiveSum(T input, T &output, T &block_aggregate) {
    ExclusiveScan(input, output, T(), Sum(), block_aggregate);
  }
  template <class BlockPrefixCallbackOp> GPUREPL_CUB void ExclusiveSum(T input, T &output, BlockPrefixCallbackOp &callback) {
    ExclusiveScan(input, output, Sum(), callback);
  }
  template <int N> GPUREPL_CUB void ExclusiveSum(T (&input)[N], T (&output)[N]) { ExclusiveScan(input, output, T(), Sum()); }
  template <int N> GPUREPL_CUB void ExclusiveSum(T (&input)[N], T (&output)[N], T &block_aggregate) {
    ExclusiveScan(input, output, T(), Sum(), block_aggregate);
  }
  template <int N, class BlockPrefixCallbackOp>
  GPUREPL_CUB void ExclusiveSum(T (&input)[N], T (&output)[N], BlockPrefixCallbackOp &callback) {
    ExclusiveScan(input, output, Sum(), callback);
  }
  GPUREPL_CUB void InclusiveSum(T input, T &output) { InclusiveScan(input, output, Sum()); }
  GPUREPL_CUB void InclusiveSum(T input, T &output, T &block_aggregate) { InclusiveScan(input, output, Sum(), block_aggregate); }
  template <class BlockPrefixCallbackOp> GPUREPL_CUB void InclusiveSum(T input, T &output, BlockPrefixCallbackOp &callback) {
    InclusiveScan(input, output, Sum(), callback);
  }
  template <int N> GPUREPL_CUB void InclusiveSum(T (&input)[N], T (&output)[N]) { InclusiveScan(input, output, Sum()); }
  template <int N> GPUREPL_CUB void InclusiveSum(T (&input)[N], T (&output)[N], T &block_aggregate) {
    InclusiveScan(input, output, Sum(), block_aggregate);
  }
  template <int N, class BlockPrefixCallbackOp>
  GPUREPL_CUB void InclusiveSum(T (&input)[N], T (&output)[N], BlockPrefixCallbackOp &callback) {
    InclusiveScan(input, output, Sum(), callback);
  }

  // ---- exclusive, one item a thread --------------------------------------------------------------

  template <class ScanOp> GPUREPL_CUB void ExclusiveScan(T input, T &output, T initial_value, ScanOp op) {
    T aggregate = input;
    ExclusiveScan(input, output, initial_value, op, aggregate);
  }
  template <class ScanOp>
  GPUREPL_CUB void ExclusiveScan(T input, T &output, T initial_value, ScanOp op, T &block_aggregate) {
    const T left = before(input, op, block_aggregate);
    output = joined(initial_value, left, op);
  }
  template <class ScanOp, class C>
  GPUREPL_CUB auto ExclusiveScan(T input, T &output, ScanOp op, C &callback)
      -> typename details::when<decltype(callback(input)), void>::type {
    T aggregate = input;
    const T left = before(input, op, aggregate);
    output = joined(called(aggregate, callback), left, op);
  }
  // The first thread's result is anything.
  template <class ScanOp> GPUREPL_CUB void ExclusiveScan(T input, T &output, ScanOp op) {
    T aggregate = input;
    output = before(input, op, aggregate);
  }
  template <class ScanOp> GPUREPL_CUB void ExclusiveScan(T input, T &output, ScanOp op, T &block_aggregate) {
    output = before(input, op, block_aggregate);
  }

  // ---- exclusive, several items a thread ---------------------------------------------------------

  template <int N, class ScanOp> GPUREPL_CUB void ExclusiveScan(T (&input)[N], T (&output)[N], T initial_value, ScanOp op) {
    T aggregate = initial_value;
    ExclusiveScan(input, output, initial_value, op, aggregate);
  }
  template <int N, class ScanOp>
  GPUREPL_CUB void ExclusiveScan(T (&input)[N], T (&output)[N], T initial_value, ScanOp op, T &block_aggregate) {
    const T left = before(ThreadReduce(input, op), op, block_aggregate);
    internal::ThreadScanExclusive(input, output, op, joined(initial_value, left, op));
  }
  template <int N, class ScanOp, class C>
  GPUREPL_CUB auto ExclusiveScan(T (&input)[N], T (&output)[N], ScanOp op, C &callback)
      -> typename details::when<decltype(callback(input[0])), void>::type {
    T aggregate = input[0];
    const T left = before(ThreadReduce(input, op), op, aggregate);
    internal::ThreadScanExclusive(input, output, op, joined(called(aggregate, callback), left, op));
  }
  template <int N, class ScanOp> GPUREPL_CUB void ExclusiveScan(T (&input)[N], T (&output)[N], ScanOp op) {
    T aggregate = input[0];
    ExclusiveScan(input, output, op, aggregate);
  }
  template <int N, class ScanOp>
  GPUREPL_CUB void ExclusiveScan(T (&input)[N], T (&output)[N], ScanOp op, T &block_aggregate) {
    const T left = before(ThreadReduce(input, op), op, block_aggregate);
    internal::ThreadScanExclusive(input, output, op, left, thread_ != 0);
  }

  // ---- inclusive, one item a thread --------------------------------------------------------------

  template <class ScanOp> GPUREPL_CUB void InclusiveScan(T input, T &output, ScanOp op) {
    T aggregate = input;
    InclusiveScan(input, output, op, aggregate);
  }
  template <class ScanOp> GPUREPL_CUB void InclusiveScan(T input, T &output, ScanOp op, T &block_aggregate) {
    const T left = before(input, op, block_aggregate);
    output = thread_ ? (T)op(left, input) : input;
  }
  template <class ScanOp, class C>
  GPUREPL_CUB auto InclusiveScan(T input, T &output, ScanOp op, C &callback)
      -> typename details::when<decltype(callback(input)), void>::type {
    T aggregate = input;
    const T left = before(input, op, aggregate);
    output = op(joined(called(aggregate, callback), left, op), input);
  }
  template <class ScanOp> GPUREPL_CUB void InclusiveScan(T input, T &output, T initial_value, ScanOp op) {
    T aggregate = input;
    InclusiveScan(input, output, initial_value, op, aggregate);
  }
  template <class ScanOp>
  GPUREPL_CUB void InclusiveScan(T input, T &output, T initial_value, ScanOp op, T &block_aggregate) {
    const T left = before(input, op, block_aggregate);
    output = op(joined(initial_value, left, op), input);
  }

  // ---- inclusive, several items a thread ---------------------------------------------------------

  template <int N, class ScanOp> GPUREPL_CUB void InclusiveScan(T (&input)[N], T (&output)[N], ScanOp op) {
    T aggregate = input[0];
    InclusiveScan(input, output, op, aggregate);
  }
  template <int N, class ScanOp>
  GPUREPL_CUB void InclusiveScan(T (&input)[N], T (&output)[N], ScanOp op, T &block_aggregate) {
    const T left = before(ThreadReduce(input, op), op, block_aggregate);
    internal::ThreadScanInclusive(input, output, op, left, thread_ != 0);
  }
  template <int N, class ScanOp, class C>
  GPUREPL_CUB auto InclusiveScan(T (&input)[N], T (&output)[N], ScanOp op, C &callback)
      -> typename details::when<decltype(callback(input[0])), void>::type {
    T aggregate = input[0];
    const T left = before(ThreadReduce(input, op), op, aggregate);
    internal::ThreadScanInclusive(input, output, op, joined(called(aggregate, callback), left, op));
  }
  template <int N, class ScanOp> GPUREPL_CUB void InclusiveScan(T (&input)[N], T (&output)[N], T initial_value, ScanOp op) {
    T aggregate = initial_value;
    InclusiveScan(input, output, initial_value, op, aggregate);
  }
  template <int N, class ScanOp>
  GPUREPL_CUB void InclusiveScan(T (&input)[N], T (&output)[N], T initial_value, ScanOp op, T &block_aggregate) {
    const T left = before(ThreadReduce(input, op), op, block_aggregate);
    internal::ThreadScanInclusive(input, output, op, joined(initial_value, left, op));
  }
};
}
#endif
