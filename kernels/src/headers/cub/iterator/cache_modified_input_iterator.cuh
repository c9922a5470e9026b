// Elements behind a pointer, by `ThreadLoad`.
#ifndef GPUREPL_CUB_CACHE_MODIFIED_INPUT_ITERATOR
#define GPUREPL_CUB_CACHE_MODIFIED_INPUT_ITERATOR
#include <cub/iterator/gpurepl_iterator.cuh>
#include <cub/thread/thread_load.cuh>

namespace cub {
template <CacheLoadModifier MODIFIER, class ValueType, class OffsetT = ptrdiff_t>
class CacheModifiedInputIterator
    : public details::iterator<CacheModifiedInputIterator<MODIFIER, ValueType, OffsetT>,
                               ValueType, OffsetT, ValueType, ValueType *> {
  const ValueType *ptr_;

 public:
  template <class Q> GPUREPL_CUB CacheModifiedInputIterator(Q *ptr) : ptr_(ptr) {}
  GPUREPL_CUB ValueType operator*() const { return ThreadLoad<MODIFIER>(ptr_); }
  GPUREPL_CUB void gpurepl_move(OffsetT n) { ptr_ += n; }
  GPUREPL_CUB OffsetT gpurepl_distance(const CacheModifiedInputIterator &from) const { return (OffsetT)(ptr_ - from.ptr_); }
};
}
#endif
