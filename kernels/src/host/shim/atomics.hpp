// ---- atomics and fences --------------------------------------------------------------------------
// All of them are templates: one that is not used costs next to nothing, and a
// kernel's own atomicAdd(double *, double), which old ones bring, goes first.

// Where a thread may be waiting for another; threads that take turns define it.
#ifndef GPUREPL_SPIN
#define GPUREPL_SPIN() ((void)0)
#define GPUREPL_POLL() ((void)0)
#endif

// The types by what can be done with them.
template <class T> struct gpurepl_atomic {};
template <> struct gpurepl_atomic<int> { typedef int whole, exchanged, added; };
template <> struct gpurepl_atomic<unsigned int> { typedef unsigned int whole, exchanged, added, counted; };
template <> struct gpurepl_atomic<long long> { typedef long long whole, exchanged, added; };
template <> struct gpurepl_atomic<unsigned long> { typedef unsigned long whole, exchanged, added; };
template <> struct gpurepl_atomic<unsigned long long> { typedef unsigned long long whole, exchanged, added; };
template <> struct gpurepl_atomic<float> { typedef float exchanged, added; };
template <> struct gpurepl_atomic<double> { typedef double exchanged, added; };
template <> struct gpurepl_atomic<float2> { typedef float2 added; };
template <> struct gpurepl_atomic<float4> { typedef float4 added; };

template <class T> GPUREPL_INLINE T gpurepl_add(T *p, T v) { return __atomic_fetch_add(p, v, __ATOMIC_RELAXED); }
template <class T, class U> GPUREPL_INLINE T gpurepl_add_as(T *p, T v) {
  U o = __atomic_load_n((U *)p, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n((U *)p, &o, gpurepl_bits<U>(gpurepl_bits<T>(o) + v), true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
  return gpurepl_bits<T>(o);
}
GPUREPL_INLINE float gpurepl_add(float *p, float v) { return gpurepl_add_as<float, unsigned int>(p, v); }
GPUREPL_INLINE double gpurepl_add(double *p, double v) { return gpurepl_add_as<double, unsigned long long>(p, v); }
// Each part is added by itself, as on a GPU.
GPUREPL_INLINE float2 gpurepl_add(float2 *p, float2 v) {
  return make_float2(gpurepl_add(&p->x, v.x), gpurepl_add(&p->y, v.y));
}
GPUREPL_INLINE float4 gpurepl_add(float4 *p, float4 v) {
  return make_float4(gpurepl_add(&p->x, v.x), gpurepl_add(&p->y, v.y), gpurepl_add(&p->z, v.z), gpurepl_add(&p->w, v.w));
}

// What a block or the system sees is what the device sees.
#define GPUREPL_ATOMIC(name, group, ...) \
  template <class T> GPUREPL_INLINE typename gpurepl_atomic<T>::group name(T *p, GPUREPL_VALUE(T) v) { __VA_ARGS__ } \
  template <class T> GPUREPL_INLINE T name##_block(T *p, GPUREPL_VALUE(T) v) { return name(p, v); } \
  template <class T> GPUREPL_INLINE T name##_system(T *p, GPUREPL_VALUE(T) v) { return name(p, v); }
// `o` is the old value and `next` the new one; where `stays`, nothing is written.
#define GPUREPL_ATOMIC_LOOP(name, group, stays, next) \
  GPUREPL_ATOMIC(name, group, \
    T o = __atomic_load_n(p, __ATOMIC_RELAXED); \
    while (!(stays) && !__atomic_compare_exchange_n(p, &o, next, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {} \
    return o;)
GPUREPL_ATOMIC(atomicAdd, added, GPUREPL_POLL(); return gpurepl_add(p, v);)
GPUREPL_ATOMIC(atomicSub, whole, GPUREPL_POLL(); return __atomic_fetch_sub(p, v, __ATOMIC_RELAXED);)
GPUREPL_ATOMIC(atomicAnd, whole, GPUREPL_POLL(); return __atomic_fetch_and(p, v, __ATOMIC_RELAXED);)
GPUREPL_ATOMIC(atomicOr, whole, GPUREPL_POLL(); return __atomic_fetch_or(p, v, __ATOMIC_RELAXED);)
GPUREPL_ATOMIC(atomicXor, whole, GPUREPL_POLL(); return __atomic_fetch_xor(p, v, __ATOMIC_RELAXED);)
GPUREPL_ATOMIC(atomicExch, exchanged, GPUREPL_SPIN(); T o; __atomic_exchange(p, &v, &o, __ATOMIC_RELAXED); return o;)
GPUREPL_ATOMIC_LOOP(atomicMin, whole, o <= v, v)
GPUREPL_ATOMIC_LOOP(atomicMax, whole, o >= v, v)
GPUREPL_ATOMIC_LOOP(atomicInc, counted, false, o >= v ? 0 : o + 1)
GPUREPL_ATOMIC_LOOP(atomicDec, counted, false, o == 0 || o > v ? v : o - 1)

#define GPUREPL_CAS() \
  GPUREPL_SPIN(); \
  __atomic_compare_exchange_n(p, &old, v, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED); \
  return old;
template <class T> GPUREPL_INLINE typename gpurepl_atomic<T>::whole atomicCAS(T *p, GPUREPL_VALUE(T) old, GPUREPL_VALUE(T) v) { GPUREPL_CAS() }
GPUREPL_INLINE unsigned short atomicCAS(unsigned short *p, unsigned short old, unsigned short v) { GPUREPL_CAS() }
template <class T> GPUREPL_INLINE T atomicCAS_block(T *p, GPUREPL_VALUE(T) old, GPUREPL_VALUE(T) v) { return atomicCAS(p, old, v); }
template <class T> GPUREPL_INLINE T atomicCAS_system(T *p, GPUREPL_VALUE(T) old, GPUREPL_VALUE(T) v) { return atomicCAS(p, old, v); }

GPUREPL_INLINE void gpurepl_fence() {
  GPUREPL_SPIN();
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
GPUREPL_INLINE void __threadfence() { gpurepl_fence(); }
GPUREPL_INLINE void __threadfence_block() { gpurepl_fence(); }
GPUREPL_INLINE void __threadfence_system() { gpurepl_fence(); }
GPUREPL_INLINE void __nanosleep(unsigned int) { GPUREPL_SPIN(); }
GPUREPL_INLINE long long clock64() {
#if defined(__x86_64__)
  return (long long)__builtin_ia32_rdtsc();
#else
  long long ticks;
  asm volatile("mrs %0, cntvct_el0" : "=r"(ticks));
  return ticks;
#endif
}
GPUREPL_INLINE clock_t clock() { return (clock_t)clock64(); }
