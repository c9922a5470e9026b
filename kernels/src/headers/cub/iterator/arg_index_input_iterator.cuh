// Pairs of an index and an element.
#ifndef GPUREPL_CUB_ARG_INDEX_INPUT_ITERATOR
#define GPUREPL_CUB_ARG_INDEX_INPUT_ITERATOR
#include <cub/iterator/gpurepl_iterator.cuh>
#include <cub/util_type.cuh>

namespace cub {
template <class InputIteratorT, class OffsetT = ptrdiff_t,
          class OutputValueT = typename details::element_of<InputIteratorT>::type>
class ArgIndexInputIterator
    : public details::iterator<ArgIndexInputIterator<InputIteratorT, OffsetT, OutputValueT>,
                               KeyValuePair<OffsetT, OutputValueT>, OffsetT, KeyValuePair<OffsetT, OutputValueT>,
                               KeyValuePair<OffsetT, OutputValueT> *> {
  typedef KeyValuePair<OffsetT, OutputValueT> Pair;
  InputIteratorT itr_;
  OffsetT offset_;

 public:
  GPUREPL_CUB ArgIndexInputIterator(InputIteratorT itr, OffsetT offset = 0) : itr_(itr), offset_(offset) {}
  GPUREPL_CUB Pair operator*() const { return Pair(offset_, itr_[offset_]); }
  // What is here is of index 0 from now on.
  GPUREPL_CUB void normalize() {
    itr_ = itr_ + offset_;
    offset_ = 0;
  }
  GPUREPL_CUB void gpurepl_move(OffsetT n) { offset_ += n; }
  GPUREPL_CUB OffsetT gpurepl_distance(const ArgIndexInputIterator &from) const {
    return (OffsetT)(offset_ - from.offset_ + (itr_ - from.itr_));
  }
};
}
#endif
