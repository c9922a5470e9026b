// Reductions over the lanes of a tile or of a coalesced group.
#ifndef GPUREPL_COOPERATIVE_GROUPS_REDUCE
#define GPUREPL_COOPERATIVE_GROUPS_REDUCE
#include <cooperative_groups.h>

namespace cooperative_groups {
// `less` and `greater` are names of NVIDIA's: they answer with the number.
template <class T> struct plus { GPUREPL_CG T operator()(T a, T b) const { return a + b; } };
template <class T> struct less { GPUREPL_CG T operator()(T a, T b) const { return b < a ? b : a; } };
template <class T> struct greater { GPUREPL_CG T operator()(T a, T b) const { return a < b ? b : a; } };
template <class T> struct bit_and { GPUREPL_CG T operator()(T a, T b) const { return a & b; } };
template <class T> struct bit_or { GPUREPL_CG T operator()(T a, T b) const { return a | b; } };
template <class T> struct bit_xor { GPUREPL_CG T operator()(T a, T b) const { return a ^ b; } };

// In a tile everybody meets everybody else: distance 1, 2, 4 and so on.
namespace details {
template <bool is_wide> struct reduction {
  template <class Tile, class T, class F> GPUREPL_CG static T of(const Tile &group, T value, F op) {
#pragma unroll
    for (unsigned int step = Tile::gpurepl_size / 2; step; step /= 2) value = op(value, group.shfl_xor(value, step));
    return value;
  }
};
template <> struct reduction<true> {
  template <class Tile, class T, class F> GPUREPL_CG static T of(const Tile &group, T value, F op);
};
}
template <unsigned int Size, class T, class F> GPUREPL_CG T reduce(const thread_block_tile<Size, void> &group, T value, F op) {
  return details::reduction<(Size > 32)>::of(group, value, op);
}
template <class T, class F> GPUREPL_CG T reduce(const coalesced_group &group, T value, F op) {
  const unsigned int rank = group.thread_rank(), size = group.size();
  for (unsigned int step = 1; step < size; step *= 2) {
    const T other = group.shfl_down(value, step);
    if (step < size - rank) value = op(value, other);
  }
  return group.shfl(value, 0);
}

// Whole numbers in one instruction, which GPUs have since Ampere.
#if defined(GPUREPL_HOST) || __CUDA_ARCH__ >= 800
#define GPUREPL_CG_REDUCE(T, op, name) \
  GPUREPL_CG T reduce(const thread_block_tile<32, void> &, T value, op<T>) { return __reduce_##name##_sync(0xffffffffu, value); } \
  GPUREPL_CG T reduce(const coalesced_group &group, T value, op<T>) { return __reduce_##name##_sync(group.gpurepl_mask(), value); }
#define GPUREPL_CG_REDUCE_BITS(op, name) \
  GPUREPL_CG_REDUCE(unsigned int, op, name) \
  GPUREPL_CG int reduce(const thread_block_tile<32, void> &, int value, op<int>) { return (int)__reduce_##name##_sync(0xffffffffu, (unsigned int)value); } \
  GPUREPL_CG int reduce(const coalesced_group &group, int value, op<int>) { return (int)__reduce_##name##_sync(group.gpurepl_mask(), (unsigned int)value); }
GPUREPL_CG_REDUCE(unsigned int, plus, add)
GPUREPL_CG_REDUCE(int, plus, add)
GPUREPL_CG_REDUCE(unsigned int, less, min)
GPUREPL_CG_REDUCE(int, less, min)
GPUREPL_CG_REDUCE(unsigned int, greater, max)
GPUREPL_CG_REDUCE(int, greater, max)
GPUREPL_CG_REDUCE_BITS(bit_and, and)
GPUREPL_CG_REDUCE_BITS(bit_or, or)
GPUREPL_CG_REDUCE_BITS(bit_xor, xor)
#undef GPUREPL_CG_REDUCE_BITS
#undef GPUREPL_CG_REDUCE
#endif

// Of several warps: each by itself, then what they have found.
template <class Tile, class T, class F> GPUREPL_CG T details::reduction<true>::of(const Tile &group, T value, F op) {
  value = cooperative_groups::reduce(thread_block_tile<32, void>(0, 1), value, op);
  return group.gpurepl_fold(value, 0, false, op);
}
}
#endif
