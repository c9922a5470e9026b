
// ---- instructions of PTX -------------------------------------------------------------------------
// What `asm` statements become calls of (`host/assembly/`). What each does is
// said in the PTX ISA, 8.5. Registers are variables; one that is read or
// written as another type keeps its bits.
namespace gpurepl_ptx {
#define GPUREPL_PTX static inline __attribute__((always_inline))

template <size_t bytes> struct word;
template <> struct word<1> { typedef unsigned char type; };
template <> struct word<2> { typedef unsigned short type; };
template <> struct word<4> { typedef unsigned int type; };
template <> struct word<8> { typedef unsigned long long type; };
template <class T> struct is_float { static constexpr bool value = false; };
template <> struct is_float<float> { static constexpr bool value = true; };
template <> struct is_float<double> { static constexpr bool value = true; };
template <class T> struct opposite { typedef T type; };
#define GPUREPL_SIGNS(with, without) \
  template <> struct opposite<with> { typedef without type; }; \
  template <> struct opposite<without> { typedef without type; };
GPUREPL_SIGNS(signed char, unsigned char) GPUREPL_SIGNS(short, unsigned short) GPUREPL_SIGNS(int, unsigned int)
GPUREPL_SIGNS(long long, unsigned long long)
#undef GPUREPL_SIGNS
template <class T> struct twice;
template <> struct twice<short> { typedef int type; };
template <> struct twice<unsigned short> { typedef unsigned int type; };
template <> struct twice<int> { typedef long long type; };
template <> struct twice<unsigned int> { typedef unsigned long long type; };
template <> struct twice<long long> { typedef __int128 type; };
template <> struct twice<unsigned long long> { typedef unsigned __int128 type; };

// A value as another type: a number without a fraction as such, all else by
// its bits.
template <class To, class From> GPUREPL_PTX To as(From from) {
  if constexpr (is_float<To>::value || is_float<From>::value) {
    typedef typename word<sizeof(From)>::type bits;
    return gpurepl_bits<To>((typename word<sizeof(To)>::type)gpurepl_bits<bits>(from));
  } else {
    return (To)from;
  }
}
template <class To, class From> GPUREPL_PTX To given(From from) {
  static_assert(sizeof(To) == sizeof(From), "the size of an operand of asm is not that of its constraint");
  return as<To>(from);
}
struct nobody {};
template <class T> GPUREPL_PTX void put(nobody, T) {}
template <class R, class T> GPUREPL_PTX void put(R &to, T value) { to = as<R>(value); }
template <class T> struct plain { typedef T type; };
template <class T> struct plain<volatile T> { typedef T type; };
template <class T, class R> GPUREPL_PTX void result(T &to, R value) {
  static_assert(sizeof(T) == sizeof(R), "the size of an operand of asm is not that of its constraint");
  to = as<typename plain<T>::type>(value);
}

// ---- whole numbers -------------------------------------------------------------------------------
// Sums and products wrap around.
template <class T> using unsigned_of = typename opposite<T>::type;
template <class T> GPUREPL_PTX T add(T a, T b) { return (T)((unsigned_of<T>)a + (unsigned_of<T>)b); }
template <class T> GPUREPL_PTX T sub(T a, T b) { return (T)((unsigned_of<T>)a - (unsigned_of<T>)b); }
GPUREPL_PTX int held(long long x) { return x > 0x7fffffff ? 0x7fffffff : x < -0x7fffffffll - 1 ? -0x7fffffff - 1 : (int)x; }
GPUREPL_PTX int add_sat(int a, int b) { return held((long long)a + b); }
GPUREPL_PTX int sub_sat(int a, int b) { return held((long long)a - b); }
template <class T> GPUREPL_PTX T mul_lo(T a, T b) { return (T)((unsigned long long)a * (unsigned long long)b); }
template <class T> GPUREPL_PTX T mul_hi(T a, T b) {
  typedef typename twice<T>::type wide;
  return (T)(((wide)a * (wide)b) >> 8 * sizeof(T));
}
template <class T> GPUREPL_PTX typename twice<T>::type mul_wide(T a, T b) {
  typedef typename twice<T>::type wide;
  return (wide)a * (wide)b;
}
template <class T> GPUREPL_PTX T mad_lo(T a, T b, T c) { return add(mul_lo(a, b), c); }
template <class T> GPUREPL_PTX T mad_hi(T a, T b, T c) { return add(mul_hi(a, b), c); }
template <class T, class W> GPUREPL_PTX W mad_wide(T a, T b, W c) { return add((W)mul_wide(a, b), c); }
// Of the lower 24 bits, with their sign.
template <class T> GPUREPL_PTX T low_24(T x) { return (T)((T)((unsigned int)x << 8) >> 8); }
template <class T> GPUREPL_PTX T mul24_lo(T a, T b) { return mul_lo(low_24(a), low_24(b)); }
template <class T> GPUREPL_PTX T mad24_lo(T a, T b, T c) { return add(mul24_lo(a, b), c); }
// A GPU divides by zero without a fault, and sets all bits.
template <class T> GPUREPL_PTX T div(T a, T b) {
  return b == 0 ? (T)~(T)0 : (T)-1 < (T)0 && b == (T)-1 ? sub((T)0, a) : (T)(a / b);
}
template <class T> GPUREPL_PTX T rem(T a, T b) {
  return b == 0 ? a : (T)-1 < (T)0 && b == (T)-1 ? (T)0 : (T)(a % b);
}
template <class T> GPUREPL_PTX T min(T a, T b) { return b < a ? b : a; }
template <class T> GPUREPL_PTX T max(T a, T b) { return a < b ? b : a; }
template <class T> GPUREPL_PTX T abs(T a) { return a < 0 ? sub((T)0, a) : a; }
template <class T> GPUREPL_PTX T neg(T a) { return sub((T)0, a); }
template <class T> GPUREPL_PTX T sad(T a, T b, T c) { return add(c, a < b ? sub(b, a) : sub(a, b)); }
template <class T> GPUREPL_PTX T and_(T a, T b) { return (T)(a & b); }
template <class T> GPUREPL_PTX T or_(T a, T b) { return (T)(a | b); }
template <class T> GPUREPL_PTX T xor_(T a, T b) { return (T)(a ^ b); }
template <class T> GPUREPL_PTX T not_(T a) { return (T)~a; }
GPUREPL_PTX bool not_(bool a) { return !a; }
template <class T> GPUREPL_PTX T cnot(T a) { return (T)(a == 0); }
// Shifts by more bits than there are leave nothing but the sign.
template <class T> GPUREPL_PTX T shl(T a, unsigned int by) { return by < 8 * sizeof(T) ? (T)((unsigned_of<T>)a << by) : (T)0; }
template <class T> GPUREPL_PTX T shr(T a, unsigned int by) {
  return by < 8 * sizeof(T) ? (T)(a >> by) : a < 0 ? (T)~(T)0 : (T)0;
}
template <class T> GPUREPL_PTX unsigned int popc(T a) { return (unsigned int)__builtin_popcountll(as<unsigned_of<T>>(a)); }
template <class T> GPUREPL_PTX unsigned int clz(T a) {
  const unsigned long long x = (unsigned_of<T>)a;
  return x ? (unsigned int)__builtin_clzll(x) - (64 - 8 * (unsigned int)sizeof(T)) : 8 * (unsigned int)sizeof(T);
}
template <class T> GPUREPL_PTX T brev(T a) { return (T)(__brevll((unsigned long long)(unsigned_of<T>)a) >> (64 - 8 * sizeof(T))); }
// The place of the highest bit that is not the sign; all bits if there is none.
template <class T> GPUREPL_PTX unsigned int bfind(T a) {
  const T bits = a < 0 ? (T)~a : a;
  return bits == 0 ? 0xffffffffu : 8 * (unsigned int)sizeof(T) - 1 - clz(bits);
}
template <class T> GPUREPL_PTX unsigned int bfind_shift(T a) {
  const unsigned int place = bfind(a);
  return place == 0xffffffffu ? place : 8 * (unsigned int)sizeof(T) - 1 - place;
}
// The last bit of the field gives the sign, or the number's own where the field
// goes beyond it.
template <class T> GPUREPL_PTX T bfe(T a, unsigned int at, unsigned int length) {
  const unsigned int bits = 8 * sizeof(T), first = at & 0xff, count = length & 0xff;
  if (count == 0) return (T)0;
  const unsigned int last = first + count - 1 < bits - 1 ? first + count - 1 : bits - 1;
  const bool sign = (T)-1 < (T)0 && ((unsigned_of<T>)a >> last & 1);
  const unsigned_of<T> ones = (unsigned_of<T>)~(unsigned_of<T>)0;
  unsigned_of<T> field = first < bits ? (unsigned_of<T>)((unsigned_of<T>)a >> first) : sign ? ones : 0;
  const unsigned int there = first < bits ? (count < bits - first ? count : bits - first) : 0;
  if (there < bits) {
    const unsigned_of<T> kept = (unsigned_of<T>)(there ? ones >> (bits - there) : 0);
    field = (unsigned_of<T>)((field & kept) | (sign ? (unsigned_of<T>)~kept : 0));
  }
  return (T)field;
}
template <class T> GPUREPL_PTX T bfi(T a, T b, unsigned int at, unsigned int length) {
  const unsigned int bits = 8 * sizeof(T), first = at & 0xff, count = length & 0xff;
  if (count == 0 || first >= bits) return b;
  const T field = (T)(count < bits ? ((T)1 << count) - 1 : ~(T)0);
  return (T)((b & ~(T)(field << first)) | (T)((a & field) << first));
}
GPUREPL_PTX unsigned int lop3(unsigned int a, unsigned int b, unsigned int c, unsigned int table) {
  unsigned int all = 0;
  if (table & 0x01) all |= ~a & ~b & ~c;
  if (table & 0x02) all |= ~a & ~b & c;
  if (table & 0x04) all |= ~a & b & ~c;
  if (table & 0x08) all |= ~a & b & c;
  if (table & 0x10) all |= a & ~b & ~c;
  if (table & 0x20) all |= a & ~b & c;
  if (table & 0x40) all |= a & b & ~c;
  if (table & 0x80) all |= a & b & c;
  return all;
}
// With the highest bit of a number of the choice, the byte's sign alone.
GPUREPL_PTX unsigned int prmt(unsigned int a, unsigned int b, unsigned int choice) {
  const unsigned long long both = (unsigned long long)b << 32 | a;
  unsigned int all = 0;
  for (int k = 0; k < 4; k++) {
    const unsigned int which = choice >> 4 * k, byte = (unsigned int)(both >> 8 * (which & 7)) & 0xff;
    all |= (which & 8 ? (byte & 0x80 ? 0xffu : 0u) : byte) << 8 * k;
  }
  return all;
}
GPUREPL_PTX unsigned int shf_l_wrap(unsigned int a, unsigned int b, unsigned int c) { return __funnelshift_l(a, b, c); }
GPUREPL_PTX unsigned int shf_l_clamp(unsigned int a, unsigned int b, unsigned int c) { return __funnelshift_lc(a, b, c); }
GPUREPL_PTX unsigned int shf_r_wrap(unsigned int a, unsigned int b, unsigned int c) { return __funnelshift_r(a, b, c); }
GPUREPL_PTX unsigned int shf_r_clamp(unsigned int a, unsigned int b, unsigned int c) { return __funnelshift_rc(a, b, c); }
GPUREPL_PTX unsigned int fns(unsigned int mask, unsigned int base, int offset) { return __fns(mask, base, offset); }
template <class A, class B, class C> GPUREPL_PTX C dp4a(A a, B b, C c) {
  for (int k = 0; k < 4; k++) {
    const long long x = A(-1) < A(0) ? (long long)(signed char)(a >> 8 * k) : (long long)(unsigned char)(a >> 8 * k);
    const long long y = B(-1) < B(0) ? (long long)(signed char)(b >> 8 * k) : (long long)(unsigned char)(b >> 8 * k);
    c = (C)((unsigned int)c + (unsigned int)(x * y));
  }
  return c;
}
template <int first, class A, class B, class C> GPUREPL_PTX C dp2a(A a, B b, C c) {
  for (int k = 0; k < 2; k++) {
    const long long x = A(-1) < A(0) ? (long long)(short)(a >> 16 * k) : (long long)(unsigned short)(a >> 16 * k);
    const int place = 8 * (first + k);
    const long long y = B(-1) < B(0) ? (long long)(signed char)(b >> place) : (long long)(unsigned char)(b >> place);
    c = (C)((unsigned int)c + (unsigned int)(x * y));
  }
  return c;
}
template <class A, class B, class C> GPUREPL_PTX C dp2a_lo(A a, B b, C c) { return dp2a<0>(a, b, c); }
template <class A, class B, class C> GPUREPL_PTX C dp2a_hi(A a, B b, C c) { return dp2a<2>(a, b, c); }

// The carry flag, from one statement to another: threads take turns between
// instructions of other kinds only.
static thread_local unsigned int carry = 0;
template <class T> GPUREPL_PTX T add_with(T a, T b, unsigned int in, unsigned int &out) {
  T half, all;
  const bool first = __builtin_add_overflow(a, b, &half), second = __builtin_add_overflow(half, (T)in, &all);
  out = first || second;
  return all;
}
// The flag is set where there is no borrow.
template <class T> GPUREPL_PTX T sub_with(T a, T b, unsigned int in, unsigned int &out) {
  T half, all;
  const bool first = __builtin_sub_overflow(a, b, &half), second = __builtin_sub_overflow(half, (T)!in, &all);
  out = !(first || second);
  return all;
}

// ---- floats --------------------------------------------------------------------------------------
template <class T> GPUREPL_PTX T add_float(T a, T b) { return a + b; }
template <class T> GPUREPL_PTX T sub_float(T a, T b) { return a - b; }
template <class T> GPUREPL_PTX T mul_float(T a, T b) { return a * b; }
template <class T> GPUREPL_PTX T div_float(T a, T b) { return a / b; }
GPUREPL_PTX float abs_float(float a) { return fabsf(a); }
GPUREPL_PTX double abs_float(double a) { return fabs(a); }
template <class T> GPUREPL_PTX T neg_float(T a) { return -a; }
// A NaN beside a number is passed over, or is the answer; -0 is less than +0.
template <class T> GPUREPL_PTX T min_float(T a, T b) {
  typedef typename word<sizeof(T)>::type bits;
  return a != a ? b : b != b ? a : a == b ? gpurepl_bits<T>((bits)(gpurepl_bits<bits>(a) | gpurepl_bits<bits>(b))) : a < b ? a : b;
}
template <class T> GPUREPL_PTX T max_float(T a, T b) {
  typedef typename word<sizeof(T)>::type bits;
  return a != a ? b : b != b ? a : a == b ? gpurepl_bits<T>((bits)(gpurepl_bits<bits>(a) & gpurepl_bits<bits>(b))) : a < b ? b : a;
}
template <class T> GPUREPL_PTX T min_nan(T a, T b) { return a != a || b != b ? a + b : min_float(a, b); }
template <class T> GPUREPL_PTX T max_nan(T a, T b) { return a != a || b != b ? a + b : max_float(a, b); }
// The sign is that of the first.
GPUREPL_PTX float copysign_float(float a, float b) { return copysignf(b, a); }
GPUREPL_PTX double copysign_float(double a, double b) { return copysign(b, a); }
template <class T> GPUREPL_PTX T saturated(T x) { return x > T(0) ? (x < T(1) ? x : T(1)) : T(0); }
GPUREPL_PTX float sqrt_approx(float x) { return sqrtf(x); }
GPUREPL_PTX double sqrt_approx(double x) { return sqrt(x); }
GPUREPL_PTX float rsqrt_approx(float x) { return 1.0f / sqrtf(x); }
GPUREPL_PTX double rsqrt_approx(double x) { return 1.0 / sqrt(x); }
template <class T> GPUREPL_PTX T rcp_approx(T x) { return T(1) / x; }
GPUREPL_PTX float sin_approx(float x) { return sinf(x); }
GPUREPL_PTX float cos_approx(float x) { return cosf(x); }
GPUREPL_PTX float ex2_approx(float x) { return exp2f(x); }
GPUREPL_PTX float lg2_approx(float x) { return log2f(x); }
GPUREPL_PTX float tanh_approx(float x) { return tanhf(x); }
template <class T> GPUREPL_PTX bool is_number(T x) { return x == x; }
template <class T> GPUREPL_PTX bool is_notanumber(T x) { return x != x; }
template <class T> GPUREPL_PTX bool is_finite(T x) { return x - x == T(0); }
template <class T> GPUREPL_PTX bool is_infinite(T x) { return x == x && x - x != T(0); }
template <class T> GPUREPL_PTX bool is_normal(T x) {
  return x == T(0) || is_finite(x) && (x < T(0) ? -x : x) >= (sizeof(T) == 4 ? T(1.17549435082228750797e-38f) : T(2.2250738585072014e-308));
}
template <class T> GPUREPL_PTX bool is_subnormal(T x) { return is_finite(x) && x != T(0) && !is_normal(x); }
GPUREPL_PTX float rni(float x) { return rintf(x); }
GPUREPL_PTX double rni(double x) { return rint(x); }
GPUREPL_PTX float rzi(float x) { return truncf(x); }
GPUREPL_PTX double rzi(double x) { return trunc(x); }
GPUREPL_PTX float rmi(float x) { return floorf(x); }
GPUREPL_PTX double rmi(double x) { return floor(x); }
GPUREPL_PTX float rpi(float x) { return ceilf(x); }
GPUREPL_PTX double rpi(double x) { return ceil(x); }
// To whole numbers: held at the ends of the range.
template <class T> struct range {
  static constexpr bool has_sign = (T)-1 < (T)0;
  static constexpr T greatest = has_sign ? (T)((1ull << (8 * sizeof(T) - 1)) - 1) : (T)~0ull;
  static constexpr T least = has_sign ? (T)(1ull << (8 * sizeof(T) - 1)) : (T)0;
};
template <class To, class From> GPUREPL_PTX To whole(From x) {
  if constexpr (sizeof(To) >= 4) return gpurepl_saturate<To>(x);
  else {
    const int all = gpurepl_saturate<int>(x);
    return all > range<To>::greatest ? range<To>::greatest : all < range<To>::least ? range<To>::least : (To)all;
  }
}
template <class To, class From> GPUREPL_PTX To clamped(From x) {
  const __int128 all = x;
  return all > range<To>::greatest ? range<To>::greatest : all < range<To>::least ? range<To>::least : (To)all;
}

// ---- comparisons ---------------------------------------------------------------------------------
template <class T> GPUREPL_PTX bool is_eq(T a, T b) { return a == b; }
template <class T> GPUREPL_PTX bool is_ne(T a, T b) { return a < b || b < a; }
template <class T> GPUREPL_PTX bool is_lt(T a, T b) { return a < b; }
template <class T> GPUREPL_PTX bool is_le(T a, T b) { return a <= b; }
template <class T> GPUREPL_PTX bool is_gt(T a, T b) { return a > b; }
template <class T> GPUREPL_PTX bool is_ge(T a, T b) { return a >= b; }
template <class T> GPUREPL_PTX bool is_lo(T a, T b) { return a < b; }
template <class T> GPUREPL_PTX bool is_ls(T a, T b) { return a <= b; }
template <class T> GPUREPL_PTX bool is_hi(T a, T b) { return a > b; }
template <class T> GPUREPL_PTX bool is_hs(T a, T b) { return a >= b; }
template <class T> GPUREPL_PTX bool is_equ(T a, T b) { return !is_ne(a, b); }
template <class T> GPUREPL_PTX bool is_neu(T a, T b) { return !(a == b); }
template <class T> GPUREPL_PTX bool is_ltu(T a, T b) { return !(a >= b); }
template <class T> GPUREPL_PTX bool is_leu(T a, T b) { return !(a > b); }
template <class T> GPUREPL_PTX bool is_gtu(T a, T b) { return !(a <= b); }
template <class T> GPUREPL_PTX bool is_geu(T a, T b) { return !(a < b); }
template <class T> GPUREPL_PTX bool is_num(T a, T b) { return a == a && b == b; }
template <class T> GPUREPL_PTX bool is_nan(T a, T b) { return a != a || b != b; }

// ---- parts of registers, lanes -------------------------------------------------------------------
template <class Part, class T> GPUREPL_PTX Part part(T all, int k) { return (Part)(all >> 8 * sizeof(Part) * k); }
template <class T, class Part> GPUREPL_PTX T placed(Part value, int k) { return (T)((T)value << 8 * sizeof(Part) * k); }
GPUREPL_PTX unsigned int lanes(unsigned int lane, unsigned int itself, unsigned int below) {
  const unsigned int one = 1u << (lane & 31);
  return (itself ? one : 0) | (below ? one - 1 : 0);
}
template <class I, class D> GPUREPL_PTX unsigned int lane(const I &thread, const D &block) {
  return ((thread.z * block.y + thread.y) * block.x + thread.x) & 31;
}
#define GPUREPL_SOURCE(mode, ...) \
  GPUREPL_PTX int source_##mode(unsigned int lane, unsigned int by, unsigned int ends, bool &is_there) { \
    const unsigned int segment = ends >> 8 & 31, last = (lane & segment) | (ends & 31 & ~segment); \
    by &= 31; \
    int from; \
    __VA_ARGS__ \
    return is_there ? from : (int)lane; \
  }
GPUREPL_SOURCE(up, from = (int)lane - (int)by; is_there = from >= (int)last;)
GPUREPL_SOURCE(down, from = (int)(lane + by); is_there = from <= (int)last;)
GPUREPL_SOURCE(bfly, from = (int)(lane ^ by); is_there = from <= (int)last;)
GPUREPL_SOURCE(idx, from = (int)((lane & segment) | (by & ~segment)); is_there = from <= (int)last;)
#undef GPUREPL_SOURCE

// ---- memory --------------------------------------------------------------------------------------
// A block's own memory has addresses of 32 bits beside those that a pointer has.
template <class T> GPUREPL_PTX T *generic(unsigned long long address, long long offset) {
  return (T *)(address + (unsigned long long)offset);
}
template <class T> GPUREPL_PTX T *shared(unsigned long long address, long long offset) {
  return (T *)(gpurepl_here()->shared + ((unsigned int)address + offset));
}
GPUREPL_PTX unsigned long long to_shared(unsigned long long address) {
  return (unsigned int)(address - (unsigned long long)gpurepl_here()->shared);
}
GPUREPL_PTX bool is_shared(unsigned long long address) {
  return address - (unsigned long long)gpurepl_here()->shared < 262144;
}
// Who looks again and again at what another thread writes lets it run.
template <class T> GPUREPL_PTX T polled(const T *p) {
  GPUREPL_SPIN();
  typedef typename word<sizeof(T)>::type bits;
  return gpurepl_bits<T>(__atomic_load_n((const bits *)p, __ATOMIC_ACQUIRE));
}
template <class T> GPUREPL_PTX void published(T *p, T value) {
  typedef typename word<sizeof(T)>::type bits;
  __atomic_store_n((bits *)p, gpurepl_bits<bits>(value), __ATOMIC_RELEASE);
}
GPUREPL_PTX void copied(unsigned char *to, const unsigned char *from, unsigned int bytes, unsigned int given) {
  for (unsigned int k = 0; k < bytes; k++) to[k] = k < given ? from[k] : 0;
}
extern int gpurepl_clock(int, long *) __asm__("clock_gettime");
GPUREPL_PTX unsigned long long nanoseconds() {
  long now[2];
  gpurepl_clock(0, now);
  return (unsigned long long)now[0] * 1000000000ull + (unsigned long long)now[1];
}
#undef GPUREPL_PTX
}
