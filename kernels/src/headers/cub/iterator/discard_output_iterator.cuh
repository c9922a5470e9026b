// Takes everything, and keeps nothing.
#ifndef GPUREPL_CUB_DISCARD_OUTPUT_ITERATOR
#define GPUREPL_CUB_DISCARD_OUTPUT_ITERATOR
#include <cub/iterator/gpurepl_iterator.cuh>

namespace cub {
namespace details {
struct nowhere {
  template <class T> GPUREPL_CUB const nowhere &operator=(const T &) const { return *this; }
};
}
}

namespace cub {
template <class OffsetT = ptrdiff_t>
class DiscardOutputIterator
    : public details::iterator<DiscardOutputIterator<OffsetT>, void, OffsetT, details::nowhere, void> {
  OffsetT offset_;

 public:
  GPUREPL_CUB DiscardOutputIterator(OffsetT offset = 0) : offset_(offset) {}
  GPUREPL_CUB details::nowhere operator*() const { return details::nowhere(); }
  GPUREPL_CUB void gpurepl_move(OffsetT n) { offset_ += n; }
  GPUREPL_CUB OffsetT gpurepl_distance(const DiscardOutputIterator &from) const { return (OffsetT)(offset_ - from.offset_); }
};
}
#endif
