// ---- atomics and fences --------------------------------------------------------------------------

#define GPUREPL_ATOMIC_INTEGER(T) \
  GPUREPL_INLINE T atomicAdd(T *p, T v) { return __atomic_fetch_add(p, v, __ATOMIC_RELAXED); } \
  GPUREPL_INLINE T atomicSub(T *p, T v) { return __atomic_fetch_sub(p, v, __ATOMIC_RELAXED); } \
  GPUREPL_INLINE T atomicExch(T *p, T v) { return __atomic_exchange_n(p, v, __ATOMIC_RELAXED); } \
  GPUREPL_INLINE T atomicAnd(T *p, T v) { return __atomic_fetch_and(p, v, __ATOMIC_RELAXED); } \
  GPUREPL_INLINE T atomicOr(T *p, T v) { return __atomic_fetch_or(p, v, __ATOMIC_RELAXED); } \
  GPUREPL_INLINE T atomicXor(T *p, T v) { return __atomic_fetch_xor(p, v, __ATOMIC_RELAXED); } \
  GPUREPL_INLINE T atomicCAS(T *p, T old, T v) { __atomic_compare_exchange_n(p, &old, v, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED); return old; } \
  GPUREPL_INLINE T atomicMin(T *p, T v) { T o = __atomic_load_n(p, __ATOMIC_RELAXED); while (v < o && !__atomic_compare_exchange_n(p, &o, v, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {} return o; } \
  GPUREPL_INLINE T atomicMax(T *p, T v) { T o = __atomic_load_n(p, __ATOMIC_RELAXED); while (v > o && !__atomic_compare_exchange_n(p, &o, v, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {} return o; }
GPUREPL_ATOMIC_INTEGER(int)
GPUREPL_ATOMIC_INTEGER(unsigned int)
GPUREPL_ATOMIC_INTEGER(long long)
GPUREPL_ATOMIC_INTEGER(unsigned long long)
GPUREPL_ATOMIC_INTEGER(unsigned long)
GPUREPL_INLINE unsigned int atomicInc(unsigned int *p, unsigned int limit) {
  unsigned int o = __atomic_load_n(p, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(p, &o, o >= limit ? 0 : o + 1, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
  return o;
}
GPUREPL_INLINE unsigned int atomicDec(unsigned int *p, unsigned int limit) {
  unsigned int o = __atomic_load_n(p, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(p, &o, o == 0 || o > limit ? limit : o - 1, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
  return o;
}
#define GPUREPL_ATOMIC_FLOAT(T, U) \
  GPUREPL_INLINE T atomicAdd(T *p, T v) { \
    U o = __atomic_load_n((U *)p, __ATOMIC_RELAXED); \
    while (!__atomic_compare_exchange_n((U *)p, &o, gpurepl_bits<U>(gpurepl_bits<T>(o) + v), true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {} \
    return gpurepl_bits<T>(o); \
  } \
  GPUREPL_INLINE T atomicExch(T *p, T v) { return gpurepl_bits<T>(__atomic_exchange_n((U *)p, gpurepl_bits<U>(v), __ATOMIC_RELAXED)); }
GPUREPL_ATOMIC_FLOAT(float, unsigned int)
GPUREPL_ATOMIC_FLOAT(double, unsigned long long)
GPUREPL_INLINE void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
GPUREPL_INLINE void __threadfence_block() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
GPUREPL_INLINE void __threadfence_system() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
GPUREPL_INLINE long long clock64() {
#if defined(__x86_64__)
  return (long long)__builtin_ia32_rdtsc();
#else
  long long ticks;
  asm volatile("mrs %0, cntvct_el0" : "=r"(ticks));
  return ticks;
#endif
}
GPUREPL_INLINE int clock() { return (int)clock64(); }
