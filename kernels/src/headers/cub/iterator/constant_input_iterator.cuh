// A sequence of one value.
#ifndef GPUREPL_CUB_CONSTANT_INPUT_ITERATOR
#define GPUREPL_CUB_CONSTANT_INPUT_ITERATOR
#include <cub/iterator/gpurepl_iterator.cuh>

namespace cub {
template <class ValueType, class OffsetT = ptrdiff_t>
class ConstantInputIterator
    : public details::iterator<ConstantInputIterator<ValueType, OffsetT>, ValueType, OffsetT, ValueType, ValueType *> {
  ValueType val_;
  OffsetT offset_;

 public:
  GPUREPL_CUB explicit ConstantInputIterator(ValueType val, OffsetT offset = 0) : val_(val), offset_(offset) {}
  GPUREPL_CUB ValueType operator*() const { return val_; }
  GPUREPL_CUB void gpurepl_move(OffsetT n) { offset_ += n; }
  GPUREPL_CUB OffsetT gpurepl_distance(const ConstantInputIterator &from) const { return (OffsetT)(offset_ - from.offset_); }
};
}
#endif
