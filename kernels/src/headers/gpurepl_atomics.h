// Atomic accesses by scope and order, for the headers of `cuda::`.
//
// On a GPU an operation is a relaxed one with fences around it, where the order
// asks for them: what the PTX ISA's memory consistency model calls release and
// acquire patterns. On the host device all are sequentially consistent, and
// what may be a look for another thread's value lets it run.
#ifndef GPUREPL_ATOMICS_H
#define GPUREPL_ATOMICS_H
#include <cuda/std/type_traits>

namespace cuda {
enum thread_scope { thread_scope_system, thread_scope_device, thread_scope_block, thread_scope_thread };

namespace std {
enum class memory_order : int { relaxed, consume, acquire, release, acq_rel, seq_cst };
GPUREPL_LCV memory_order memory_order_relaxed = memory_order::relaxed;
GPUREPL_LCV memory_order memory_order_consume = memory_order::consume;
GPUREPL_LCV memory_order memory_order_acquire = memory_order::acquire;
GPUREPL_LCV memory_order memory_order_release = memory_order::release;
GPUREPL_LCV memory_order memory_order_acq_rel = memory_order::acq_rel;
GPUREPL_LCV memory_order memory_order_seq_cst = memory_order::seq_cst;
}
using std::memory_order;
using std::memory_order_relaxed;
using std::memory_order_consume;
using std::memory_order_acquire;
using std::memory_order_release;
using std::memory_order_acq_rel;
using std::memory_order_seq_cst;

namespace details {
#define GPUREPL_AT static GPUREPL_LCD
GPUREPL_LCX bool acquires(memory_order order) { return order != memory_order::relaxed && order != memory_order::release; }
GPUREPL_LCX bool releases(memory_order order) { return order >= memory_order::release; }
// An order of a failed comparison, which writes nothing.
GPUREPL_LCX memory_order of_a_look(memory_order order) {
  if (order == memory_order::acq_rel) return memory_order::acquire;
  return order == memory_order::release ? memory_order::relaxed : order;
}

// The word that a value travels in.
template <size_t size>
struct word { static_assert(size == 1, "an atomic has 1, 2, 4 or 8 bytes"); typedef unsigned char type; };
template <> struct word<2> { typedef unsigned short type; };
template <> struct word<4> { typedef unsigned int type; };
template <> struct word<8> { typedef unsigned long long type; };
template <class T> using word_of = typename word<sizeof(T)>::type;
template <class T> GPUREPL_AT word_of<T> to_word(const T &value) {
  static_assert(std::is_trivially_copyable<T>::value, "an atomic is of a type that can be copied byte by byte");
  word_of<T> bits;
  memcpy(&bits, &value, sizeof(T));
  return bits;
}
template <class T> GPUREPL_AT T of_word(word_of<T> bits) {
  T value;
  memcpy(&value, &bits, sizeof(T));
  return value;
}

// ---- accesses to words ---------------------------------------------------------------------------

#ifdef GPUREPL_HOST
template <thread_scope scope> struct words {
  template <class W>
  GPUREPL_AT W load(const W *p, memory_order) {
    GPUREPL_SPIN();
    return __atomic_load_n(p, __ATOMIC_SEQ_CST);
  }
  template <class W> GPUREPL_AT void store(W *p, W value, memory_order) { __atomic_store_n(p, value, __ATOMIC_SEQ_CST); }
  template <class W>
  GPUREPL_AT W exchange(W *p, W value) {
    GPUREPL_SPIN();
    return __atomic_exchange_n(p, value, __ATOMIC_SEQ_CST);
  }
  template <class W> GPUREPL_AT W compare(W *p, W old, W value) {
    GPUREPL_SPIN();
    __atomic_compare_exchange_n(p, &old, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    return old;
  }
  template <class W>
  GPUREPL_AT W add(W *p, W value) {
    GPUREPL_POLL();
    return __atomic_fetch_add(p, value, __ATOMIC_SEQ_CST);
  }
  template <class W>
  GPUREPL_AT W conjoin(W *p, W value) {
    GPUREPL_POLL();
    return __atomic_fetch_and(p, value, __ATOMIC_SEQ_CST);
  }
  template <class W>
  GPUREPL_AT W disjoin(W *p, W value) {
    GPUREPL_POLL();
    return __atomic_fetch_or(p, value, __ATOMIC_SEQ_CST);
  }
  template <class W>
  GPUREPL_AT W differ(W *p, W value) {
    GPUREPL_POLL();
    return __atomic_fetch_xor(p, value, __ATOMIC_SEQ_CST);
  }
  GPUREPL_AT void fence(memory_order) { __threadfence(); }
};
// What has an operation of its own: for the rest, a loop compares and exchanges.
template <class T>
struct adds { static constexpr bool value = std::is_integral<T>::value && !std::is_same<T, bool>::value; };
template <class W> struct joins { static constexpr bool value = true; };
template <class T> struct orders { static constexpr bool value = false; };
#else
// By scope: the functions' suffix, and the scope's name in PTX.
template <thread_scope scope> struct words;
#define GPUREPL_WORDS(scope, suffix, ptx, fence_function) \
  template <> struct words<scope> { \
    GPUREPL_ACCESS(ptx, unsigned char, unsigned int, "u8", "r") \
    GPUREPL_ACCESS(ptx, unsigned short, unsigned short, "u16", "h") \
    GPUREPL_ACCESS(ptx, unsigned int, unsigned int, "u32", "r") \
    GPUREPL_ACCESS(ptx, unsigned long long, unsigned long long, "u64", "l") \
    GPUREPL_CHANGES(suffix, unsigned int) \
    GPUREPL_CHANGES(suffix, unsigned long long) \
    GPUREPL_NUMBERS(suffix, unsigned int) \
    GPUREPL_NUMBERS(suffix, unsigned long long) \
    GPUREPL_NUMBERS(suffix, int) \
    GPUREPL_NUMBERS(suffix, long long) \
    GPUREPL_AT float add(float *p, float value) { return atomicAdd##suffix(p, value); } \
    GPUREPL_DOUBLE(suffix) \
    /* Of what is smaller, the four bytes around it are compared and exchanged. */ \
    template <class W> GPUREPL_AT W compare(W *p, W old, W value) { \
      const unsigned int from = (unsigned int)((size_t)p & 3) * 8, mask = (1u << 8 * sizeof(W)) - 1; \
      unsigned int *const around = (unsigned int *)((size_t)p & ~(size_t)3); \
      unsigned int seen = load(around, memory_order::relaxed); \
      while ((W)(seen >> from & mask) == old) { \
        const unsigned int before = seen; \
        seen = compare(around, before, (before & ~(mask << from)) | (unsigned int)value << from); \
        if (seen == before) break; \
      } \
      return (W)(seen >> from & mask); \
    } \
    template <class W> GPUREPL_AT W exchange(W *p, W value) { \
      W old = load(p, memory_order::relaxed); \
      for (;;) { \
        const W seen = compare(p, old, value); \
        if (seen == old) return old; \
        old = seen; \
      } \
    } \
    GPUREPL_AT void fence(memory_order order) { GPUREPL_FENCE(ptx, fence_function) } \
  };
#define GPUREPL_CHANGES(suffix, W) \
  GPUREPL_AT W exchange(W *p, W value) { return atomicExch##suffix(p, value); } \
  GPUREPL_AT W compare(W *p, W old, W value) { return atomicCAS##suffix(p, old, value); } \
  GPUREPL_AT W add(W *p, W value) { return atomicAdd##suffix(p, value); } \
  GPUREPL_AT W conjoin(W *p, W value) { return atomicAnd##suffix(p, value); } \
  GPUREPL_AT W disjoin(W *p, W value) { return atomicOr##suffix(p, value); } \
  GPUREPL_AT W differ(W *p, W value) { return atomicXor##suffix(p, value); }
#define GPUREPL_NUMBERS(suffix, T) \
  GPUREPL_AT T least(T *p, T value) { return atomicMin##suffix(p, value); } \
  GPUREPL_AT T greatest(T *p, T value) { return atomicMax##suffix(p, value); }
#if __CUDA_ARCH__ >= 700
#define GPUREPL_ACCESS(ptx, W, R, type, where) \
  GPUREPL_AT W load(const W *p, memory_order order) { \
    R value; \
    if (acquires(order)) asm volatile("ld.acquire." ptx "." type " %0, [%1];" : "=" where(value) : "l"(p) : "memory"); \
    else asm volatile("ld.relaxed." ptx "." type " %0, [%1];" : "=" where(value) : "l"(p) : "memory"); \
    return (W)value; \
  } \
  GPUREPL_AT void store(W *p, W value, memory_order order) { \
    if (releases(order)) asm volatile("st.release." ptx "." type " [%0], %1;" : : "l"(p), where((R)value) : "memory"); \
    else asm volatile("st.relaxed." ptx "." type " [%0], %1;" : : "l"(p), where((R)value) : "memory"); \
  }
#define GPUREPL_FENCE(ptx, fence_function) \
  if (order == memory_order::seq_cst) asm volatile("fence.sc." ptx ";" : : : "memory"); \
  else if (order != memory_order::relaxed) asm volatile("fence.acq_rel." ptx ";" : : : "memory");
#else
#define GPUREPL_ACCESS(ptx, W, R, type, where) \
  GPUREPL_AT W load(const W *p, memory_order order) { \
    const W value = *(const volatile W *)p; \
    if (acquires(order)) fence(memory_order::acquire); \
    return value; \
  } \
  GPUREPL_AT void store(W *p, W value, memory_order order) { \
    if (releases(order)) fence(memory_order::release); \
    *(volatile W *)p = value; \
  }
#define GPUREPL_FENCE(ptx, fence_function) \
  if (order != memory_order::relaxed) fence_function();
#endif
#if __CUDA_ARCH__ >= 600
#define GPUREPL_DOUBLE(suffix) GPUREPL_AT double add(double *p, double value) { return atomicAdd##suffix(p, value); }
template <class T>
struct adds { static constexpr bool value = std::is_integral<T>::value ? sizeof(T) >= 4 : std::is_floating_point<T>::value; };
GPUREPL_WORDS(thread_scope_system, _system, "sys", __threadfence_system)
GPUREPL_WORDS(thread_scope_device, , "gpu", __threadfence)
GPUREPL_WORDS(thread_scope_block, _block, "cta", __threadfence_block)
GPUREPL_WORDS(thread_scope_thread, _block, "cta", __threadfence_block)
#else
#define GPUREPL_DOUBLE(suffix)
template <class T>
struct adds { static constexpr bool value = std::is_integral<T>::value ? sizeof(T) >= 4 : std::is_same<T, float>::value; };
GPUREPL_WORDS(thread_scope_system, , "sys", __threadfence_system)
GPUREPL_WORDS(thread_scope_device, , "gpu", __threadfence)
GPUREPL_WORDS(thread_scope_block, , "cta", __threadfence_block)
GPUREPL_WORDS(thread_scope_thread, , "cta", __threadfence_block)
#endif
template <class W> struct joins { static constexpr bool value = sizeof(W) >= 4; };
template <class T> struct orders { static constexpr bool value = std::is_integral<T>::value && sizeof(T) >= 4; };
#undef GPUREPL_WORDS
#undef GPUREPL_CHANGES
#undef GPUREPL_NUMBERS
#undef GPUREPL_ACCESS
#undef GPUREPL_FENCE
#undef GPUREPL_DOUBLE
#endif

// ---- operations on values ------------------------------------------------------------------------

// A pause of a thread that waits, longer each time.
GPUREPL_AT void pause(unsigned int &turn) {
#if defined(GPUREPL_HOST) || __CUDA_ARCH__ >= 700
  if (turn++ > 8) __nanosleep(turn < 32 ? 8 * turn : 256);
#else
  turn++;
#endif
}

// The integer of a type's size that the functions of CUDA take, with its sign.
template <class T, bool is_so> struct number { typedef T type; };
template <class T> struct number<T, true> {
  typedef std::conditional_t<sizeof(T) == 8, std::conditional_t<std::is_signed<T>::value, long long, unsigned long long>,
                             std::conditional_t<std::is_signed<T>::value, int, unsigned int> >
      type;
};
struct plus { template <class T> GPUREPL_LC T operator()(T a, T b) const { return (T)(a + b); } };
struct minus { template <class T> GPUREPL_LC T operator()(T a, T b) const { return (T)(a - b); } };
struct conjunction { template <class T> GPUREPL_LC T operator()(T a, T b) const { return (T)(a & b); } };
struct disjunction { template <class T> GPUREPL_LC T operator()(T a, T b) const { return (T)(a | b); } };
struct difference { template <class T> GPUREPL_LC T operator()(T a, T b) const { return (T)(a ^ b); } };
struct least { template <class T> GPUREPL_LC T operator()(T a, T b) const { return b < a ? b : a; } };
struct greatest { template <class T> GPUREPL_LC T operator()(T a, T b) const { return a < b ? b : a; } };

template <thread_scope scope> struct atomically {
  typedef words<scope> by;
  GPUREPL_AT void fence(memory_order order) { by::fence(order); }
  GPUREPL_AT void before(memory_order order) {
    if (order == memory_order::seq_cst) by::fence(order);
    else if (releases(order)) by::fence(memory_order::release);
  }
  GPUREPL_AT void after(memory_order order) {
    if (acquires(order)) by::fence(memory_order::acquire);
  }
#ifdef GPUREPL_HOST
#define GPUREPL_FENCED(order, ...) return __VA_ARGS__;
#else
#define GPUREPL_FENCED(order, ...) \
  before(order); \
  const auto gpurepl_old = __VA_ARGS__; \
  after(order); \
  return gpurepl_old;
#endif
  template <class T> GPUREPL_AT T load(const T *p, memory_order order) {
#ifndef GPUREPL_HOST
    if (order == memory_order::seq_cst) by::fence(order);
#endif
    return of_word<T>(by::load((const word_of<T> *)p, order));
  }
  template <class T> GPUREPL_AT void store(T *p, T value, memory_order order) {
#ifndef GPUREPL_HOST
    if (order == memory_order::seq_cst) by::fence(order);
#endif
    by::store((word_of<T> *)p, to_word(value), order);
  }
  template <class T> GPUREPL_AT T exchange(T *p, T value, memory_order order) {
    GPUREPL_FENCED(order, of_word<T>(by::exchange((word_of<T> *)p, to_word(value))))
  }
  template <class T> GPUREPL_AT bool compare(T *p, T &expected, T value, memory_order order, memory_order failed) {
    const word_of<T> old = to_word(expected);
#ifdef GPUREPL_HOST
    const word_of<T> seen = by::compare((word_of<T> *)p, old, to_word(value));
#else
    before(failed == memory_order::seq_cst ? failed : order);
    const word_of<T> seen = by::compare((word_of<T> *)p, old, to_word(value));
    after(seen == old ? order : failed);
#endif
    if (seen == old) return true;
    expected = of_word<T>(seen);
    return false;
  }

  // By a loop; on a GPU the compiler removes what is not for a type.
  template <class T, class F> GPUREPL_AT T update(T *p, T value, F next) {
    T old = of_word<T>(by::load((const word_of<T> *)p, memory_order::relaxed));
    for (;;) {
      const word_of<T> bits = to_word(old), seen = by::compare((word_of<T> *)p, bits, to_word(next(old, value)));
      if (seen == bits) return old;
      old = of_word<T>(seen);
    }
  }
  template <class T> GPUREPL_AT T add(T *p, T value, std::true_type) {
    typedef std::conditional_t<std::is_integral<T>::value, word_of<T>, T> N;
    return (T)by::add((N *)p, (N)value);
  }
  template <class T> GPUREPL_AT T add(T *p, T value, std::false_type) { return update(p, value, plus()); }
  template <class T> GPUREPL_AT T sub(T *p, T value, std::true_type) {
    typedef std::conditional_t<std::is_integral<T>::value, word_of<T>, T> N;
    return (T)by::add((N *)p, (N)((N)0 - (N)value));
  }
  template <class T> GPUREPL_AT T sub(T *p, T value, std::false_type) { return update(p, value, minus()); }
#define GPUREPL_JOIN(name) \
  template <class T> GPUREPL_AT T name(T *p, T value, std::true_type) { \
    return of_word<T>(by::name((word_of<T> *)p, to_word(value))); \
  }
  GPUREPL_JOIN(conjoin)
  GPUREPL_JOIN(disjoin)
  GPUREPL_JOIN(differ)
#undef GPUREPL_JOIN
  template <class T> GPUREPL_AT T conjoin(T *p, T value, std::false_type) { return update(p, value, conjunction()); }
  template <class T> GPUREPL_AT T disjoin(T *p, T value, std::false_type) { return update(p, value, disjunction()); }
  template <class T> GPUREPL_AT T differ(T *p, T value, std::false_type) { return update(p, value, difference()); }
  template <class T> GPUREPL_AT T lower(T *p, T value, std::true_type) {
    typedef typename number<T, true>::type N;
    return (T)by::least((N *)p, (N)value);
  }
  template <class T> GPUREPL_AT T raise(T *p, T value, std::true_type) {
    typedef typename number<T, true>::type N;
    return (T)by::greatest((N *)p, (N)value);
  }
  template <class T> GPUREPL_AT T lower(T *p, T value, std::false_type) { return update(p, value, details::least()); }
  template <class T> GPUREPL_AT T raise(T *p, T value, std::false_type) { return update(p, value, details::greatest()); }

#define GPUREPL_FETCH(name, by_name, has) \
  template <class T> GPUREPL_AT T name(T *p, T value, memory_order order) { \
    GPUREPL_FENCED(order, by_name(p, value, std::bool_constant<has<T>::value>())) \
  }
  GPUREPL_FETCH(fetch_add, add, adds)
  GPUREPL_FETCH(fetch_sub, sub, adds)
  GPUREPL_FETCH(fetch_and, conjoin, joins)
  GPUREPL_FETCH(fetch_or, disjoin, joins)
  GPUREPL_FETCH(fetch_xor, differ, joins)
  GPUREPL_FETCH(fetch_min, lower, orders)
  GPUREPL_FETCH(fetch_max, raise, orders)
#undef GPUREPL_FETCH
#undef GPUREPL_FENCED
  template <class T> GPUREPL_AT void wait(const T *p, T old, memory_order order) {
    const word_of<T> bits = to_word(old);
    for (unsigned int turn = 0; to_word(load(p, order)) == bits;) pause(turn);
  }
};
}
}
#endif
