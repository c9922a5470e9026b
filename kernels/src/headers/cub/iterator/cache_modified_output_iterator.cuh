// Elements behind a pointer, written by `ThreadStore`.
#ifndef GPUREPL_CUB_CACHE_MODIFIED_OUTPUT_ITERATOR
#define GPUREPL_CUB_CACHE_MODIFIED_OUTPUT_ITERATOR
#include <cub/iterator/gpurepl_iterator.cuh>
#include <cub/thread/thread_store.cuh>

namespace cub {
namespace details {
template <CacheStoreModifier MODIFIER, class T> class stored_place {
  T *ptr_;

 public:
  GPUREPL_CUB explicit stored_place(T *ptr) : ptr_(ptr) {}
  GPUREPL_CUB T operator=(const T &val) const {
    ThreadStore<MODIFIER>(ptr_, val);
    return val;
  }
};
}
}

namespace cub {
template <CacheStoreModifier MODIFIER, class ValueType, class OffsetT = ptrdiff_t>
class CacheModifiedOutputIterator
   
    : public details::iterator<CacheModifiedOutputIterator<MODIFIER, ValueType, OffsetT>,
                               void, OffsetT, details::stored_place<MODIFIER, ValueType>, void> {
  ValueType *ptr_;

 public:
  template <class Q> GPUREPL_CUB CacheModifiedOutputIterator(Q *ptr) : ptr_(ptr) {}
  GPUREPL_CUB details::stored_place<MODIFIER, ValueType> operator*() const {
    return details::stored_place<MODIFIER, ValueType>(ptr_);
  }
  GPUREPL_CUB void gpurepl_move(OffsetT n) { ptr_ += n; }
  GPUREPL_CUB OffsetT gpurepl_distance(const CacheModifiedOutputIterator &from) const { return (OffsetT)(ptr_ - from.ptr_); }
};
}
#endif
