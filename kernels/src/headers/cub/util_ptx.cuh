// Lanes, warps and instructions by CUB's names.
#ifndef GPUREPL_CUB_UTIL_PTX
#define GPUREPL_CUB_UTIL_PTX
#include <cub/gpurepl_details.cuh>

namespace cub {
GPUREPL_CUB int RowMajorTid(int block_dim_x, int block_dim_y, int) {
  const uint3 thread = GPUREPL_THREAD_IDX;
  return ((int)thread.z * block_dim_y + (int)thread.y) * block_dim_x + (int)thread.x;
}
GPUREPL_CUB unsigned int LaneId() { return (unsigned int)details::lane(); }
// Within the block.
GPUREPL_CUB unsigned int WarpId() { return (unsigned int)details::block_rank() / 32; }
GPUREPL_CUB unsigned int LaneMaskLt() { return (1u << LaneId()) - 1; }
GPUREPL_CUB unsigned int LaneMaskLe() { return (2u << LaneId()) - 1; }
GPUREPL_CUB unsigned int LaneMaskGt() { return ~LaneMaskLe(); }
GPUREPL_CUB unsigned int LaneMaskGe() { return ~LaneMaskLt(); }
// The lanes of the logical warp of this number; of sizes that are no power of
// two they count from lane 0.
template <int LOGICAL_WARP_THREADS, int LEGACY_PTX_ARCH = 0> GPUREPL_CUB unsigned int WarpMask(unsigned int warp_id) {
  const unsigned int lanes = 0xffffffffu >> (32 - LOGICAL_WARP_THREADS);
  const bool moves = details::is_power_of_two(LOGICAL_WARP_THREADS) && LOGICAL_WARP_THREADS < 32;
  return moves ? lanes << warp_id * LOGICAL_WARP_THREADS : lanes;
}

// ---- shuffles of any type ------------------------------------------------------------------------
// A lane whose source is beyond `first_thread` or `last_thread` keeps its own value.

namespace details {
template <int N> GPUREPL_CUB int segment_start() {
  static_assert(is_power_of_two(N) && N <= 32, "shuffles are among 1, 2, 4, 8, 16 or 32 threads");
  return lane() & ~(N - 1);
}
}
template <int LOGICAL_WARP_THREADS, class T>
GPUREPL_CUB T ShuffleUp(T input, int src_offset, int first_thread, unsigned int member_mask) {
  const int own = details::lane(), from = own - src_offset;
  return details::shfl(member_mask, input, from < details::segment_start<LOGICAL_WARP_THREADS>() + first_thread ? own : from);
}
template <int LOGICAL_WARP_THREADS, class T>
GPUREPL_CUB T ShuffleDown(T input, int src_offset, int last_thread, unsigned int member_mask) {
  const int own = details::lane(), from = own + src_offset;
  return details::shfl(member_mask, input, from > details::segment_start<LOGICAL_WARP_THREADS>() + last_thread ? own : from);
}
template <int LOGICAL_WARP_THREADS, class T> GPUREPL_CUB T ShuffleIndex(T input, int src_lane, unsigned int member_mask) {
  const int start = details::segment_start<LOGICAL_WARP_THREADS>();
  return details::shfl(member_mask, input, start + (src_lane & (LOGICAL_WARP_THREADS - 1)));
}

// ---- instructions --------------------------------------------------------------------------------

template <class T> GPUREPL_CUB unsigned int BFE(T source, unsigned int bit_start, unsigned int num_bits) {
  return num_bits ? (unsigned int)((unsigned long long)source >> bit_start) & (0xffffffffu >> (32 - num_bits)) : 0;
}
GPUREPL_CUB void BFI(unsigned int &ret, unsigned int x, unsigned int y, unsigned int bit_start, unsigned int num_bits) {
  const unsigned int field = num_bits ? (0xffffffffu >> (32 - num_bits)) << bit_start : 0;
  ret = (x & ~field) | (y << bit_start & field);
}
GPUREPL_CUB unsigned int SHR_ADD(unsigned int x, unsigned int shift, unsigned int addend) { return (x >> shift) + addend; }
GPUREPL_CUB unsigned int SHL_ADD(unsigned int x, unsigned int shift, unsigned int addend) { return (x << shift) + addend; }
GPUREPL_CUB unsigned int IADD3(unsigned int x, unsigned int y, unsigned int z) { return x + y + z; }
GPUREPL_CUB int PRMT(unsigned int a, unsigned int b, unsigned int index) { return (int)__byte_perm(a, b, index); }
GPUREPL_CUB void CTA_SYNC() { __syncthreads(); }
GPUREPL_CUB int CTA_SYNC_AND(int p) { return __syncthreads_and(p); }
GPUREPL_CUB int CTA_SYNC_OR(int p) { return __syncthreads_or(p); }
GPUREPL_CUB void WARP_SYNC(unsigned int member_mask) { __syncwarp(member_mask); }
GPUREPL_CUB int WARP_ANY(int predicate, unsigned int member_mask) { return __any_sync(member_mask, predicate); }
GPUREPL_CUB int WARP_ALL(int predicate, unsigned int member_mask) { return __all_sync(member_mask, predicate); }
GPUREPL_CUB unsigned int WARP_BALLOT(int predicate, unsigned int member_mask) { return __ballot_sync(member_mask, predicate); }
// The lanes of the warp with the same last bits.
template <int LABEL_BITS> GPUREPL_CUB unsigned int MatchAny(unsigned int label) {
  return __match_any_sync(0xffffffffu, label & (0xffffffffu >> (32 - LABEL_BITS)));
}
}
#endif
