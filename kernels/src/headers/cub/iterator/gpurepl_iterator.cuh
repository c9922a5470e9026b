// What all iterators do alike.
#ifndef GPUREPL_CUB_ITERATOR
#define GPUREPL_CUB_ITERATOR
#include <cub/gpurepl_details.cuh>

namespace cub {
namespace details {
// `Self` has `operator*`, `gpurepl_move(n)` and `gpurepl_distance(from)`.
template <class Self, class Value, class Offset, class Reference, class Pointer> class iterator {
  GPUREPL_CUB Self &self() { return *static_cast<Self *>(this); }
  GPUREPL_CUB const Self &self() const { return *static_cast<const Self *>(this); }

 public:
  typedef Self self_type;
  typedef Offset difference_type;
  typedef Value value_type;
  typedef Pointer pointer;
  typedef Reference reference;

  template <class D> GPUREPL_CUB Reference operator[](D n) const { return *(*this + n); }
  template <class D> GPUREPL_CUB Self operator+(D n) const {
    Self moved = self();
    moved.gpurepl_move((Offset)n);
    return moved;
  }
  template <class D> GPUREPL_CUB Self operator-(D n) const { return *this + -(Offset)n; }
  GPUREPL_CUB Offset operator-(const Self &from) const { return self().gpurepl_distance(from); }
  template <class D> GPUREPL_CUB Self &operator+=(D n) { return self() = *this + n; }
  template <class D> GPUREPL_CUB Self &operator-=(D n) { return self() = *this - n; }
  GPUREPL_CUB Self &operator++() { return *this += 1; }
  GPUREPL_CUB Self operator++(int) {
    const Self before = self();
    *this += 1;
    return before;
  }
  GPUREPL_CUB Self &operator--() { return *this -= 1; }
  GPUREPL_CUB Self operator--(int) {
    const Self before = self();
    *this -= 1;
    return before;
  }
  GPUREPL_CUB bool operator==(const Self &other) const { return self().gpurepl_distance(other) == 0; }
  GPUREPL_CUB bool operator!=(const Self &other) const { return self().gpurepl_distance(other) != 0; }
};
}
}
#endif
