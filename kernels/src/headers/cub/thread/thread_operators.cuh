// Operators by CUB's names.
#ifndef GPUREPL_CUB_THREAD_OPERATORS
#define GPUREPL_CUB_THREAD_OPERATORS
#include <cub/util_type.cuh>
#include <cuda/functional>

namespace cub {
struct Equality { template <class T, class U> GPUREPL_CUB bool operator()(const T &a, const U &b) const { return a == b; } };
struct Inequality { template <class T, class U> GPUREPL_CUB bool operator()(const T &a, const U &b) const { return a != b; } };
template <class EqualityOp> struct InequalityWrapper {
  EqualityOp op;
  GPUREPL_CUB explicit InequalityWrapper(EqualityOp op) : op(op) {}
  template <class T, class U> GPUREPL_CUB bool operator()(const T &a, const U &b) { return !op(a, b); }
};
#define GPUREPL_OPERATOR(name, expression) \
  struct name { \
    template <class T, class U> \
    GPUREPL_CUB auto operator()(const T &a, const U &b) const -> typename details::value_of<decltype(expression)>::type { \
      return expression; \
    } \
  };
GPUREPL_OPERATOR(Sum, a + b)
GPUREPL_OPERATOR(Difference, a - b)
GPUREPL_OPERATOR(Division, a / b)
GPUREPL_OPERATOR(Max, a < b ? b : a)
GPUREPL_OPERATOR(Min, b < a ? b : a)
#undef GPUREPL_OPERATOR

// Of pairs of an index and a value; of equal values the least index.
#define GPUREPL_EXTREME(name, comparison) \
  struct name { \
    template <class T, class Offset> \
    GPUREPL_CUB KeyValuePair<Offset, T> operator()(const KeyValuePair<Offset, T> &a, const KeyValuePair<Offset, T> &b) const { \
      return b.value comparison a.value || (a.value == b.value && b.key < a.key) ? b : a; \
    } \
  };
GPUREPL_EXTREME(ArgMax, >)
GPUREPL_EXTREME(ArgMin, <)
#undef GPUREPL_EXTREME

template <class B> struct CastOp {
  template <class A> GPUREPL_CUB B operator()(const A &a) const { return (B)a; }
};
template <class ScanOp> class SwizzleScanOp {
  ScanOp op;

 public:
  GPUREPL_CUB explicit SwizzleScanOp(ScanOp op) : op(op) {}
  template <class T> GPUREPL_CUB T operator()(const T &a, const T &b) {
    // By value, so that the two are never one object.
    T first = b, second = a;
    return op(first, second);
  }
};
template <class BinaryOpT> struct BinaryFlip {
  BinaryOpT op;
  GPUREPL_CUB explicit BinaryFlip(BinaryOpT op) : op(op) {}
  template <class T, class U> GPUREPL_CUB auto operator()(T &&t, U &&u) -> decltype(op(u, t)) { return op(u, t); }
};
// Pairs of how many segments have begun and what the last one holds.
template <class ReductionOpT> struct ReduceBySegmentOp {
  ReductionOpT op;
  GPUREPL_CUB ReduceBySegmentOp() : op() {}
  GPUREPL_CUB explicit ReduceBySegmentOp(ReductionOpT op) : op(op) {}
  template <class Pair> GPUREPL_CUB Pair operator()(const Pair &first, const Pair &second) {
    Pair both = second;
    both.key = first.key + second.key;
    if (!second.key) both.value = op(first.value, second.value);
    return both;
  }
};
// Pairs of a segment's key and a value.
template <class ReductionOpT> struct ReduceByKeyOp {
  ReductionOpT op;
  GPUREPL_CUB ReduceByKeyOp() : op() {}
  GPUREPL_CUB explicit ReduceByKeyOp(ReductionOpT op) : op(op) {}
  template <class Pair> GPUREPL_CUB Pair operator()(const Pair &first, const Pair &second) {
    Pair both = second;
    if (first.key == second.key) both.value = op(first.value, second.value);
    return both;
  }
};
template <class OpT> GPUREPL_CUB BinaryFlip<OpT> MakeBinaryFlip(OpT op) { return BinaryFlip<OpT>(op); }
}
#endif
