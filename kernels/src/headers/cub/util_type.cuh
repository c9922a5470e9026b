// Small types of CUB, and what numbers are like.
#ifndef GPUREPL_CUB_UTIL_TYPE
#define GPUREPL_CUB_UTIL_TYPE
#include <cub/gpurepl_details.cuh>

struct __half;
struct __nv_bfloat16;

namespace cub {
struct NullType {
  template <class T> GPUREPL_CUB NullType &operator=(const T &) { return *this; }
  GPUREPL_CUB bool operator==(const NullType &) const { return true; }
  GPUREPL_CUB bool operator!=(const NullType &) const { return false; }
};
template <int A> struct Int2Type { enum { VALUE = A }; };
template <bool CONDITION, class Then, class Else> struct If : details::either<CONDITION, Then, Else> {
  typedef typename details::either<CONDITION, Then, Else>::type Type;
};
template <class A, class B> struct Equals { enum { VALUE = details::is_same<A, B>::value, NEGATE = !VALUE }; };
template <int N> struct PowerOfTwo { enum { VALUE = (N & (N - 1)) == 0 }; };
// Rounded up.
template <int N, int CURRENT = N, int COUNT = 0> struct Log2 {
  enum { VALUE = Log2<N, (CURRENT >> 1), COUNT + 1>::VALUE };
};
template <int N, int COUNT> struct Log2<N, 0, COUNT> { enum { VALUE = (1 << (COUNT - 1) < N) ? COUNT : COUNT - 1 }; };

template <class Key, class Value> struct KeyValuePair {
  typedef Key Key_;
  typedef Value Value_;
  Key key;
  Value value;
  KeyValuePair() = default;
  GPUREPL_CUB KeyValuePair(const Key &key, const Value &value) : key(key), value(value) {}
  GPUREPL_CUB bool operator==(const KeyValuePair &b) const { return key == b.key && value == b.value; }
  GPUREPL_CUB bool operator!=(const KeyValuePair &b) const { return !(*this == b); }
};

template <class T> struct Uninitialized {
  alignas(T) unsigned char storage[sizeof(T)];
  GPUREPL_CUB T &Alias() { return *(T *)storage; }
};

// ---- numbers -------------------------------------------------------------------------------------

enum Category { NOT_A_NUMBER, SIGNED_INTEGER, UNSIGNED_INTEGER, FLOATING_POINT };

namespace details {
// Bits in whose order the numbers are, and back.
template <Category CATEGORY_, class T, class Bits> struct number {
  typedef Bits UnsignedBits;
  static constexpr Category CATEGORY = CATEGORY_;
  static constexpr bool PRIMITIVE = true, NULL_TYPE = false;
  static constexpr Bits HIGH_BIT = (Bits)(Bits(1) << (sizeof(Bits) * 8 - 1));
  GPUREPL_CUB static Bits TwiddleIn(Bits bits) {
    return (Bits)(CATEGORY == UNSIGNED_INTEGER ? bits
        : CATEGORY == FLOATING_POINT && (bits & HIGH_BIT) ? ~bits : bits ^ HIGH_BIT);
  }
  GPUREPL_CUB static Bits TwiddleOut(Bits bits) {
    return (Bits)(CATEGORY == UNSIGNED_INTEGER ? bits
        : CATEGORY == FLOATING_POINT && !(bits & HIGH_BIT) ? ~bits : bits ^ HIGH_BIT);
  }
};
template <class T, class Bits> GPUREPL_CUB T number_of(Bits bits) {
  T number;
  memcpy((void *)&number, &bits, sizeof(T));
  return number;
}
}
template <class T> struct NumericTraits {
  static constexpr Category CATEGORY = NOT_A_NUMBER;
  static constexpr bool PRIMITIVE = false, NULL_TYPE = details::is_same<T, NullType>::value;
};
#define GPUREPL_NUMBER(T, category, Bits, max, lowest) \
  template <> struct NumericTraits<T> : details::number<category, T, Bits> { \
    GPUREPL_CUB static T Max() { return details::number_of<T>((Bits)(max)); } \
    GPUREPL_CUB static T Lowest() { return details::number_of<T>((Bits)(lowest)); } \
  };
#define GPUREPL_INTEGERS(S, U) \
  GPUREPL_NUMBER(S, SIGNED_INTEGER, U, (U)~(U)0 >> 1, (U)~((U)~(U)0 >> 1)) \
  GPUREPL_NUMBER(U, UNSIGNED_INTEGER, U, ~(U)0, 0)
GPUREPL_INTEGERS(signed char, unsigned char)
GPUREPL_INTEGERS(short, unsigned short)
GPUREPL_INTEGERS(int, unsigned int)
GPUREPL_INTEGERS(long, unsigned long)
GPUREPL_INTEGERS(long long, unsigned long long)
GPUREPL_NUMBER(bool, UNSIGNED_INTEGER, unsigned char, 1, 0)
template <> struct NumericTraits<char>
    : details::either<(char(-1) < char(0)), NumericTraits<signed char>, NumericTraits<unsigned char> >::type {};
GPUREPL_NUMBER(float, FLOATING_POINT, unsigned int, 0x7f7fffffu, 0xff7fffffu)
GPUREPL_NUMBER(double, FLOATING_POINT, unsigned long long, 0x7fefffffffffffffull, 0xffefffffffffffffull)
// These are complete in a text that has their header.
template <> struct NumericTraits<__half> : details::number<FLOATING_POINT, __half, unsigned short> {};
template <> struct NumericTraits<__nv_bfloat16> : details::number<FLOATING_POINT, __nv_bfloat16, unsigned short> {};
#undef GPUREPL_INTEGERS
#undef GPUREPL_NUMBER
template <class T> struct Traits : NumericTraits<T> {};
template <class T> struct Traits<const T> : Traits<T> {};
}
#endif
