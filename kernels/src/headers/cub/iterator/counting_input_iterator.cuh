// A sequence that counts up.
#ifndef GPUREPL_CUB_COUNTING_INPUT_ITERATOR
#define GPUREPL_CUB_COUNTING_INPUT_ITERATOR
#include <cub/iterator/gpurepl_iterator.cuh>

namespace cub {
template <class ValueType, class OffsetT = ptrdiff_t>
class CountingInputIterator
    : public details::iterator<CountingInputIterator<ValueType, OffsetT>, ValueType, OffsetT, ValueType, ValueType *> {
  ValueType val_;

 public:
  GPUREPL_CUB explicit CountingInputIterator(const ValueType &val) : val_(val) {}
  GPUREPL_CUB ValueType operator*() const { return val_; }
  GPUREPL_CUB void gpurepl_move(OffsetT n) { val_ += (ValueType)n; }
  GPUREPL_CUB OffsetT gpurepl_distance(const CountingInputIterator &from) const { return (OffsetT)(val_ - from.val_); }
};
}
#endif
