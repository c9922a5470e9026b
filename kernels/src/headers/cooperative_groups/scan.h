// Running results over the lanes of a tile or of a coalesced group, in log n
// steps (W. D. Hillis and G. L. Steele, "Data parallel algorithms",
// Communications of the ACM 29, 1986).
#ifndef GPUREPL_COOPERATIVE_GROUPS_SCAN
#define GPUREPL_COOPERATIVE_GROUPS_SCAN
#include <cooperative_groups/reduce.h>

namespace cooperative_groups {
namespace details {
template <bool is_wide> struct scan {
  template <class Group, class T, class F> GPUREPL_CG static T inclusive(const Group &group, T value, F op) {
    const unsigned int rank = group.thread_rank(), size = group.size();
    for (unsigned int step = 1; step < size; step *= 2) {
      const T before = group.shfl_up(value, step);
      if (rank >= step) value = op(before, value);
    }
    return value;
  }
  // The first thread gets zero, as from NVIDIA's.
  template <class Group, class T, class F> GPUREPL_CG static T exclusive(const Group &group, T value, F op) {
    const T before = group.shfl_up(inclusive(group, value, op), 1);
    return group.thread_rank() ? before : T();
  }
};
// Of several warps: each by itself, then what those before it have found.
template <> struct scan<true> {
  template <class Tile, class T, class F> GPUREPL_CG static T inclusive(const Tile &group, T value, F op) {
    value = scan<false>::inclusive(thread_block_tile<32, void>(0, 1), value, op);
    const T before = group.gpurepl_fold(value, group.gpurepl_last_lane(), true, op);
    return group.gpurepl_is_first_warp() ? value : op(before, value);
  }
  template <class Tile, class T, class F> GPUREPL_CG static T exclusive(const Tile &group, T value, F op) {
    value = scan<false>::inclusive(thread_block_tile<32, void>(0, 1), value, op);
    const T before = group.gpurepl_fold(value, group.gpurepl_last_lane(), true, op);
    const T left = thread_block_tile<32, void>(0, 1).shfl_up(value, 1);
    if (group.gpurepl_is_first_warp()) return group.thread_rank() ? left : T();
    return lane() ? op(before, left) : before;
  }
};
template <class Group> struct kind : scan<false> {};
template <unsigned int Size, class Parent> struct kind<thread_block_tile<Size, Parent> > : scan<(Size > 32)> {};
}
template <class Group, class T, class F> GPUREPL_CG T inclusive_scan(const Group &group, T value, F op) {
  return details::kind<Group>::inclusive(group, value, op);
}
template <class Group, class T> GPUREPL_CG T inclusive_scan(const Group &group, T value) {
  return inclusive_scan(group, value, plus<T>());
}
template <class Group, class T, class F> GPUREPL_CG T exclusive_scan(const Group &group, T value, F op) {
  return details::kind<Group>::exclusive(group, value, op);
}
template <class Group, class T> GPUREPL_CG T exclusive_scan(const Group &group, T value) {
  return exclusive_scan(group, value, plus<T>());
}
}
#endif
