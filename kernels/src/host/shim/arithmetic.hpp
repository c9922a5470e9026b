
// ---- arithmetic that C++ leaves undefined --------------------------------------------------------
// A GPU converts a number beyond an integer's range to the nearest integer that
// there is; a NaN becomes 0, except from or to 64 bits: then the highest bit
// alone is set (PTX ISA, cvt). Types of 8 and 16 bits take the low bits of the
// 32 that it converts to. Where the processor's own conversion agrees, nothing
// is compared: this one sets the highest bit alone for all that is too large.
// Only g++ leaves the conversion to the processor; clang++'s makes 0 of a NaN.

#define GPUREPL_CONSTANT __attribute__((always_inline)) static constexpr inline
#if defined(__x86_64__) && !defined(__clang__)
#define GPUREPL_HIGHEST_BIT 1
#else
#define GPUREPL_HIGHEST_BIT 0
#endif
// In a constant, an overflow is an error: there the comparison comes first.
#define GPUREPL_TO_SIGNED(name, From, To, least, beyond, greatest, no_number, agrees) \
  GPUREPL_CONSTANT To name(From x) { \
    if (__builtin_is_constant_evaluated()) \
      return x != x ? no_number : x >= beyond ? greatest : x < -beyond ? least : (To)x; \
    To y = (To)x; \
    if (!GPUREPL_HIGHEST_BIT) y = x < -beyond ? least : y; \
    y = x >= beyond ? greatest : y; \
    if (!(GPUREPL_HIGHEST_BIT && agrees)) y = x != x ? no_number : y; \
    return y; \
  }
#define GPUREPL_TO_UNSIGNED(name, From, To, beyond, greatest, no_number) \
  GPUREPL_CONSTANT To name(From x) { \
    From positive = x > 0 ? x : 0; \
    if (__builtin_is_constant_evaluated()) \
      return x != x ? no_number : x >= beyond ? greatest : (To)positive; \
    To y = (To)positive; \
    y = x >= beyond ? greatest : y; \
    return no_number != 0 && x != x ? no_number : y; \
  }
GPUREPL_TO_SIGNED(gpurepl_to_s32, float, int, -0x7fffffff - 1, 0x1p31f, 0x7fffffff, 0, false)
GPUREPL_TO_SIGNED(gpurepl_to_s32, double, int, -0x7fffffff - 1, 0x1p31, 0x7fffffff, -0x7fffffff - 1, true)
GPUREPL_TO_SIGNED(gpurepl_to_s64, float, long long, -0x7fffffffffffffffll - 1, 0x1p63f, 0x7fffffffffffffffll, -0x7fffffffffffffffll - 1, true)
GPUREPL_TO_SIGNED(gpurepl_to_s64, double, long long, -0x7fffffffffffffffll - 1, 0x1p63, 0x7fffffffffffffffll, -0x7fffffffffffffffll - 1, true)
GPUREPL_TO_UNSIGNED(gpurepl_to_u32, float, unsigned int, 0x1p32f, 0xffffffffu, 0u)
GPUREPL_TO_UNSIGNED(gpurepl_to_u32, double, unsigned int, 0x1p32, 0xffffffffu, 0x80000000u)
GPUREPL_TO_UNSIGNED(gpurepl_to_u64, float, unsigned long long, 0x1p64f, 0xffffffffffffffffull, 0x8000000000000000ull)
GPUREPL_TO_UNSIGNED(gpurepl_to_u64, double, unsigned long long, 0x1p64, 0xffffffffffffffffull, 0x8000000000000000ull)

// By the number of bits that is converted to, with a sign or without; 0 for
// what is no integer type.
template <class T> struct gpurepl_sign_width { static constexpr int value = 0; };
#define GPUREPL_WIDTH(T, bits) template <> struct gpurepl_sign_width<T> { static constexpr int value = bits; };
GPUREPL_WIDTH(char, (char)-1 < 0 ? -32 : 32) GPUREPL_WIDTH(signed char, -32) GPUREPL_WIDTH(unsigned char, 32)
GPUREPL_WIDTH(short, -32) GPUREPL_WIDTH(unsigned short, 32) GPUREPL_WIDTH(int, -32) GPUREPL_WIDTH(unsigned int, 32)
GPUREPL_WIDTH(long, -64) GPUREPL_WIDTH(unsigned long, 64) GPUREPL_WIDTH(long long, -64) GPUREPL_WIDTH(unsigned long long, 64)
template <int bits> struct gpurepl_converter;
#define GPUREPL_CONVERTER(bits, by) \
  template <> struct gpurepl_converter<bits> { \
    GPUREPL_CONSTANT auto of(float x) { return by(x); } \
    GPUREPL_CONSTANT auto of(double x) { return by(x); } \
    GPUREPL_CONSTANT auto of(long double x) { return by((double)x); } \
    template <class T> GPUREPL_CONSTANT T of(T x) { return x; } \
  };
GPUREPL_CONVERTER(-32, gpurepl_to_s32) GPUREPL_CONVERTER(32, gpurepl_to_u32)
GPUREPL_CONVERTER(-64, gpurepl_to_s64) GPUREPL_CONVERTER(64, gpurepl_to_u64)

// What `(int)x` converts by: see `arithmetic.rs`.
template <class T> struct gpurepl_integer {
  T value;
  template <class From> __attribute__((always_inline)) constexpr inline gpurepl_integer(From x) : value((T)gpurepl_converter<gpurepl_sign_width<T>::value>::of(x)) {}
  __attribute__((always_inline)) constexpr inline operator T() const { return value; }
};
template <class T, bool is_integer> struct gpurepl_selected { typedef T type; };
template <class T> struct gpurepl_selected<T, true> { typedef gpurepl_integer<T> type; };
template <class T> struct gpurepl_plain { typedef T type; };
template <class T> struct gpurepl_plain<const T> { typedef T type; };
template <class T> struct gpurepl_plain<volatile T> { typedef T type; };
template <class T> struct gpurepl_plain<const volatile T> { typedef T type; };
template <class T> using gpurepl_cast = typename gpurepl_selected<typename gpurepl_plain<T>::type, gpurepl_sign_width<typename gpurepl_plain<T>::type>::value != 0>::type;

// A conversion that nobody has written down: see `conversions.rs`. That there
// is one is the compiler's word, so anything but a floating number is refused.
template <class T> GPUREPL_CONSTANT T gpurepl_saturate(float x) { return (T)gpurepl_converter<gpurepl_sign_width<T>::value>::of(x); }
template <class T> GPUREPL_CONSTANT T gpurepl_saturate(double x) { return (T)gpurepl_converter<gpurepl_sign_width<T>::value>::of(x); }
template <class T, class From> T gpurepl_saturate(From) = delete;
// Within a template: to what the type is there, which may be no integer.
template <class T> struct gpurepl_target { typedef typename gpurepl_plain<T>::type type; };
template <class T> struct gpurepl_target<T &> { typedef typename gpurepl_plain<T>::type type; };
template <bool is_integer> struct gpurepl_assigned {
  template <class T, class From> GPUREPL_CONSTANT T of(From x) { return (T)gpurepl_converter<gpurepl_sign_width<T>::value>::of(x); }
};
template <> struct gpurepl_assigned<false> {
  template <class T, class From> GPUREPL_CONSTANT From of(From x) { return x; }
};
template <class T, class From> GPUREPL_CONSTANT auto gpurepl_to(From x) {
  typedef typename gpurepl_target<T>::type to;
  return gpurepl_assigned<gpurepl_sign_width<to>::value != 0>::template of<to>(x);
}
template <class F> struct gpurepl_addend { F value; };
GPUREPL_CONSTANT gpurepl_addend<float> gpurepl_term(float x) { return {x}; }
GPUREPL_CONSTANT gpurepl_addend<double> gpurepl_term(double x) { return {x}; }
#define GPUREPL_COMPOUND(op, assign) \
  template <class T, class F> GPUREPL_CONSTANT T &operator assign(T &x, gpurepl_addend<F> y) { return x = gpurepl_to<T &>(x op y.value); }
GPUREPL_COMPOUND(+, +=) GPUREPL_COMPOUND(-, -=) GPUREPL_COMPOUND(*, *=) GPUREPL_COMPOUND(/, /=)

// A shift by as many bits as there are, or more, leaves nothing but the sign. A
// GPU takes the low 32 bits of the number, without a sign.
struct gpurepl_shift {};
static constexpr gpurepl_shift gpurepl_by = {};
template <class T> struct gpurepl_left { T value; };
template <class T> struct gpurepl_object { T &value; };
template <class T> struct gpurepl_unsigned_of { typedef unsigned int type; };
template <> struct gpurepl_unsigned_of<long> { typedef unsigned long type; };
template <> struct gpurepl_unsigned_of<unsigned long> { typedef unsigned long type; };
template <> struct gpurepl_unsigned_of<long long> { typedef unsigned long long type; };
template <> struct gpurepl_unsigned_of<unsigned long long> { typedef unsigned long long type; };
template <class T> struct gpurepl_is_object { static constexpr bool value = __is_class(T) || __is_union(T); };
template <bool is_so, class T> struct gpurepl_if {};
template <class T> struct gpurepl_if<true, T> { typedef T type; };
#define GPUREPL_NUMBER(T, ...) typename gpurepl_if<!gpurepl_is_object<T>::value, __VA_ARGS__>::type
#define GPUREPL_OBJECT(T, ...) typename gpurepl_if<gpurepl_is_object<T>::value, __VA_ARGS__>::type
template <class T> GPUREPL_CONSTANT T gpurepl_shift_left(T x, unsigned int by) {
  return by < 8 * sizeof(T) ? (T)((typename gpurepl_unsigned_of<T>::type)x << by) : (T)0;
}
template <class T> GPUREPL_CONSTANT T gpurepl_shift_right(T x, unsigned int by) {
  return (T)-1 < (T)0 ? (T)(x >> (by < 8 * sizeof(T) ? by : 8 * sizeof(T) - 1)) : by < 8 * sizeof(T) ? (T)(x >> by) : (T)0;
}
#define GPUREPL_SHIFT(op, by_number) \
  template <class T> GPUREPL_CONSTANT auto operator op(T x, gpurepl_shift) -> gpurepl_left<GPUREPL_NUMBER(T, decltype(+x))> { return {+x}; } \
  template <class T, class N> GPUREPL_CONSTANT T operator op(gpurepl_left<T> x, N by) { return by_number(x.value, (unsigned int)by); } \
  template <class T> GPUREPL_CONSTANT auto operator op(T &x, gpurepl_shift) -> gpurepl_object<GPUREPL_OBJECT(T, T)> { return {x}; } \
  template <class T> GPUREPL_CONSTANT auto operator op(const T &x, gpurepl_shift) -> gpurepl_object<GPUREPL_OBJECT(T, const T)> { return {x}; } \
  template <class T, class N> GPUREPL_CONSTANT auto operator op(gpurepl_object<T> x, const N &by) -> decltype(x.value op by) { return x.value op by; }
GPUREPL_SHIFT(<<, gpurepl_shift_left)
GPUREPL_SHIFT(>>, gpurepl_shift_right)
template <class N> struct gpurepl_amount { N value; };
#define GPUREPL_SHIFT_BY(assign, op, by_number) \
  template <class N> GPUREPL_CONSTANT gpurepl_amount<N> operator assign(gpurepl_shift, N by) { return {by}; } \
  template <class T, class N> GPUREPL_CONSTANT auto operator assign(T &x, gpurepl_amount<N> by) -> GPUREPL_NUMBER(T, T &) { return x = (T)by_number(+x, (unsigned int)by.value); } \
  template <class T, class N> GPUREPL_CONSTANT auto operator assign(T &x, gpurepl_amount<N> by) -> GPUREPL_OBJECT(T, decltype(x assign by.value)) { return x assign by.value; }
GPUREPL_SHIFT_BY(<<=, <<, gpurepl_shift_left)
GPUREPL_SHIFT_BY(>>=, >>, gpurepl_shift_right)
