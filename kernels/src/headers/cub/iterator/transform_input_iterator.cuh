// What a function makes of the elements of a sequence.
#ifndef GPUREPL_CUB_TRANSFORM_INPUT_ITERATOR
#define GPUREPL_CUB_TRANSFORM_INPUT_ITERATOR
#include <cub/iterator/gpurepl_iterator.cuh>

namespace cub {
template <class ValueType, class ConversionOp, class InputIteratorT, class OffsetT = ptrdiff_t>
class TransformInputIterator
    : public details::iterator<TransformInputIterator<ValueType, ConversionOp, InputIteratorT, OffsetT>,
                               ValueType, OffsetT, ValueType, ValueType *> {
  // Functions are called as they are, also where their call is not `const`.
  mutable ConversionOp conversion_op_;
  InputIteratorT input_itr_;

 public:
  GPUREPL_CUB TransformInputIterator(InputIteratorT input_itr, ConversionOp conversion_op)
      : conversion_op_(conversion_op), input_itr_(input_itr) {}
  // A lambda cannot be assigned, and another one of its type does the same.
  TransformInputIterator(const TransformInputIterator &) = default;
  GPUREPL_CUB TransformInputIterator &operator=(const TransformInputIterator &other) {
    input_itr_ = other.input_itr_;
    return *this;
  }
  GPUREPL_CUB ValueType operator*() const { return conversion_op_(*input_itr_); }
  GPUREPL_CUB void gpurepl_move(OffsetT n) { input_itr_ = input_itr_ + n; }
  GPUREPL_CUB OffsetT gpurepl_distance(const TransformInputIterator &from) const {
    return (OffsetT)(input_itr_ - from.input_itr_);
  }
};
}
#endif
