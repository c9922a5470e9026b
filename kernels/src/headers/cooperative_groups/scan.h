// Running results over the lanes of a tile or of a coalesced group, in log n
// steps (W. D. Hillis and G. L. Steele, "Data parallel algorithms",
// Communications of the ACM 29, 1986).
#ifndef GPUREPL_COOPERATIVE_GROUPS_SCAN
#define GPUREPL_COOPERATIVE_GROUPS_SCAN
#include <cooperative_groups/reduce.h>

namespace cooperative_groups {
template <class Group, class T, class F> GPUREPL_CG T inclusive_scan(const Group &group, T value, F op) {
  const unsigned int rank = group.thread_rank(), size = group.size();
  for (unsigned int step = 1; step < size; step *= 2) {
    const T before = group.shfl_up(value, step);
    if (rank >= step) value = op(before, value);
  }
  return value;
}
template <class Group, class T> GPUREPL_CG T inclusive_scan(const Group &group, T value) {
  return inclusive_scan(group, value, plus<T>());
}
// The first thread gets zero, as from NVIDIA's.
template <class Group, class T, class F> GPUREPL_CG T exclusive_scan(const Group &group, T value, F op) {
  const T before = group.shfl_up(inclusive_scan(group, value, op), 1);
  return group.thread_rank() ? before : T();
}
template <class Group, class T> GPUREPL_CG T exclusive_scan(const Group &group, T value) {
  return exclusive_scan(group, value, plus<T>());
}
}
#endif
