
// ---- warps that go in step -----------------------------------------------------------------------
// Code from before `__syncwarp` has the threads of a warp exchange values by
// `volatile` memory and counts on their going in step. Compiled with
// -fsanitize=thread and told apart, every such access calls one of these,
// which lets the other threads catch up. Other accesses cost a call.

#define GPUREPL_PLAIN __attribute__((no_sanitize("thread")))
extern "C" {
GPUREPL_PLAIN __attribute__((noinline)) static void gpurepl_step() {
  gpurepl_context *here = gpurepl_here();
  here->runtime->yield(here);
}
#define GPUREPL_ACCESS(size) \
  GPUREPL_PLAIN void __tsan_read##size(void *) {} \
  GPUREPL_PLAIN void __tsan_write##size(void *) {} \
  GPUREPL_PLAIN void __tsan_unaligned_read##size(void *) {} \
  GPUREPL_PLAIN void __tsan_unaligned_write##size(void *) {} \
  GPUREPL_PLAIN void __tsan_read_write##size(void *) {} \
  GPUREPL_PLAIN void __tsan_volatile_read##size(void *) { gpurepl_step(); } \
  GPUREPL_PLAIN void __tsan_volatile_write##size(void *) { gpurepl_step(); } \
  GPUREPL_PLAIN void __tsan_unaligned_volatile_read##size(void *) { gpurepl_step(); } \
  GPUREPL_PLAIN void __tsan_unaligned_volatile_write##size(void *) { gpurepl_step(); }
GPUREPL_ACCESS(1) GPUREPL_ACCESS(2) GPUREPL_ACCESS(4) GPUREPL_ACCESS(8) GPUREPL_ACCESS(16)
GPUREPL_PLAIN void __tsan_read_range(void *, size_t) {}
GPUREPL_PLAIN void __tsan_write_range(void *, size_t) {}
GPUREPL_PLAIN void __tsan_func_entry(void *) {}
GPUREPL_PLAIN void __tsan_func_exit() {}
GPUREPL_PLAIN void __tsan_vptr_update(void **, void *) {}
GPUREPL_PLAIN void __tsan_vptr_read(void **) {}
GPUREPL_PLAIN void __tsan_init() {}
#define GPUREPL_ATOMIC(bits, T) \
  GPUREPL_PLAIN T __tsan_atomic##bits##_load(const volatile T *a, int) { return __atomic_load_n(a, __ATOMIC_SEQ_CST); } \
  GPUREPL_PLAIN void __tsan_atomic##bits##_store(volatile T *a, T v, int) { __atomic_store_n(a, v, __ATOMIC_SEQ_CST); } \
  GPUREPL_PLAIN T __tsan_atomic##bits##_exchange(volatile T *a, T v, int) { return __atomic_exchange_n(a, v, __ATOMIC_SEQ_CST); } \
  GPUREPL_PLAIN T __tsan_atomic##bits##_fetch_add(volatile T *a, T v, int) { return __atomic_fetch_add(a, v, __ATOMIC_SEQ_CST); } \
  GPUREPL_PLAIN T __tsan_atomic##bits##_fetch_sub(volatile T *a, T v, int) { return __atomic_fetch_sub(a, v, __ATOMIC_SEQ_CST); } \
  GPUREPL_PLAIN T __tsan_atomic##bits##_fetch_and(volatile T *a, T v, int) { return __atomic_fetch_and(a, v, __ATOMIC_SEQ_CST); } \
  GPUREPL_PLAIN T __tsan_atomic##bits##_fetch_or(volatile T *a, T v, int) { return __atomic_fetch_or(a, v, __ATOMIC_SEQ_CST); } \
  GPUREPL_PLAIN T __tsan_atomic##bits##_fetch_xor(volatile T *a, T v, int) { return __atomic_fetch_xor(a, v, __ATOMIC_SEQ_CST); } \
  GPUREPL_PLAIN T __tsan_atomic##bits##_fetch_nand(volatile T *a, T v, int) { return __atomic_fetch_nand(a, v, __ATOMIC_SEQ_CST); } \
  GPUREPL_PLAIN int __tsan_atomic##bits##_compare_exchange_strong(volatile T *a, T *c, T v, int, int) { return __atomic_compare_exchange_n(a, c, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); } \
  GPUREPL_PLAIN int __tsan_atomic##bits##_compare_exchange_weak(volatile T *a, T *c, T v, int, int) { return __atomic_compare_exchange_n(a, c, v, true, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); } \
  GPUREPL_PLAIN T __tsan_atomic##bits##_compare_exchange_val(volatile T *a, T c, T v, int, int) { __atomic_compare_exchange_n(a, &c, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); return c; }
GPUREPL_ATOMIC(8, unsigned char)
GPUREPL_ATOMIC(16, unsigned short)
GPUREPL_ATOMIC(32, unsigned int)
GPUREPL_ATOMIC(64, unsigned long)
GPUREPL_PLAIN void __tsan_atomic_thread_fence(int) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
GPUREPL_PLAIN void __tsan_atomic_signal_fence(int) {}
}
