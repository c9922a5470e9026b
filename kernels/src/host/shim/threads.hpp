
// ---- threads that meet ---------------------------------------------------------------------------
// Each is a function of the device, which lets the other threads of the block
// run; macros, so that what waits knows its line.

GPUREPL_INLINE int gpurepl_barrier(int operation, int predicate, int line) {
  gpurepl_context *here = gpurepl_here();
  GPUREPL_SETTLE(here);
  return here->runtime->barrier(here, operation, predicate, line);
}
#define __syncthreads() ((void)gpurepl_barrier(0, 0, GPUREPL_LINE))
#define __syncthreads_count(...) gpurepl_barrier(1, (__VA_ARGS__) != 0, GPUREPL_LINE)
#define __syncthreads_and(...) gpurepl_barrier(2, (__VA_ARGS__) != 0, GPUREPL_LINE)
#define __syncthreads_or(...) gpurepl_barrier(3, (__VA_ARGS__) != 0, GPUREPL_LINE)

// A loop that waits for another thread must let it run now and then.
GPUREPL_INLINE void gpurepl_spin() {
  gpurepl_context *here = gpurepl_here();
  if ((++here->spins & 15) == 0) here->runtime->yield(here);
}
#define GPUREPL_SPIN() gpurepl_spin()
// An atomic addition of nothing may be a look as well, but seldom is.
GPUREPL_INLINE void gpurepl_poll() {
  gpurepl_context *here = gpurepl_here();
  if ((++here->spins & 255) == 0) here->runtime->yield(here);
}
#define GPUREPL_POLL() gpurepl_poll()

template <class T> struct gpurepl_word {
  static_assert(sizeof(T) <= 8, "a warp exchanges values of at most 8 bytes");
  GPUREPL_INLINE unsigned long long from(T value) {
    unsigned long long word = 0;
    __builtin_memcpy(&word, &value, sizeof(T));
    return word;
  }
  GPUREPL_INLINE T to(unsigned long long word) {
    T value;
    __builtin_memcpy(&value, &word, sizeof(T));
    return value;
  }
};
GPUREPL_INLINE unsigned long long gpurepl_warp(int line, int operation, unsigned int mask, unsigned long long value = 0, int argument = 0, int width = 32) {
  gpurepl_context *here = gpurepl_here();
  GPUREPL_SETTLE(here);
  return here->runtime->warp(here, operation, mask, value, argument, width, line);
}
GPUREPL_INLINE void gpurepl_syncwarp(int line, unsigned int mask = 0xffffffffu) { gpurepl_warp(line, 0, mask); }
template <class T> GPUREPL_INLINE T gpurepl_shuffle(int line, int operation, unsigned int mask, T value, int argument, int width = 32) {
  return gpurepl_word<T>::to(gpurepl_warp(line, operation, mask, gpurepl_word<T>::from(value), argument, width));
}
template <class T> GPUREPL_INLINE unsigned int gpurepl_match_any(int line, unsigned int mask, T value) {
  return (unsigned int)gpurepl_warp(line, 8, mask, gpurepl_word<T>::from(value));
}
template <class T> GPUREPL_INLINE unsigned int gpurepl_match_all(int line, unsigned int mask, T value, int *predicate) {
  unsigned int result = (unsigned int)gpurepl_warp(line, 9, mask, gpurepl_word<T>::from(value));
  *predicate = result != 0;
  return result;
}
#define __syncwarp(...) gpurepl_syncwarp(GPUREPL_LINE __VA_OPT__(, ) __VA_ARGS__)
#define __shfl_sync(mask, value, ...) gpurepl_shuffle(GPUREPL_LINE, 1, mask, value, __VA_ARGS__)
#define __shfl_up_sync(mask, value, ...) gpurepl_shuffle(GPUREPL_LINE, 2, mask, value, __VA_ARGS__)
#define __shfl_down_sync(mask, value, ...) gpurepl_shuffle(GPUREPL_LINE, 3, mask, value, __VA_ARGS__)
#define __shfl_xor_sync(mask, value, ...) gpurepl_shuffle(GPUREPL_LINE, 4, mask, value, __VA_ARGS__)
#define __any_sync(mask, ...) ((int)gpurepl_warp(GPUREPL_LINE, 5, mask, (__VA_ARGS__) != 0))
#define __all_sync(mask, ...) ((int)gpurepl_warp(GPUREPL_LINE, 6, mask, (__VA_ARGS__) != 0))
#define __ballot_sync(mask, ...) ((unsigned int)gpurepl_warp(GPUREPL_LINE, 7, mask, (__VA_ARGS__) != 0))
#define __match_any_sync(mask, ...) gpurepl_match_any(GPUREPL_LINE, mask, (__VA_ARGS__))
#define __match_all_sync(mask, value, predicate) gpurepl_match_all(GPUREPL_LINE, mask, value, predicate)
// Threads are active together where they are at one place in the machine code,
// called from one place.
GPUREPL_INLINE unsigned int gpurepl_activemask(int line) {
  size_t place;
#if defined(__x86_64__)
  asm volatile("lea 0(%%rip), %0" : "=r"(place));
#else
  asm volatile("adr %0, ." : "=r"(place));
#endif
  return (unsigned int)gpurepl_warp(line, 18, 0xffffffffu, place * 31 + (size_t)__builtin_return_address(0));
}
#define __activemask() gpurepl_activemask(GPUREPL_LINE)

// The operation for unsigned integers, then the one for signed.
GPUREPL_INLINE unsigned int gpurepl_reduce(int line, int operation, int, unsigned int mask, unsigned int value) {
  return (unsigned int)gpurepl_warp(line, operation, mask, value);
}
GPUREPL_INLINE int gpurepl_reduce(int line, int, int operation, unsigned int mask, int value) {
  return (int)gpurepl_warp(line, operation, mask, (unsigned long long)(long long)value);
}
#define __reduce_add_sync(mask, ...) gpurepl_reduce(GPUREPL_LINE, 10, 10, mask, (__VA_ARGS__))
#define __reduce_min_sync(mask, ...) gpurepl_reduce(GPUREPL_LINE, 11, 12, mask, (__VA_ARGS__))
#define __reduce_max_sync(mask, ...) gpurepl_reduce(GPUREPL_LINE, 13, 14, mask, (__VA_ARGS__))
#define __reduce_and_sync(mask, ...) gpurepl_reduce(GPUREPL_LINE, 15, 15, mask, (__VA_ARGS__))
#define __reduce_or_sync(mask, ...) gpurepl_reduce(GPUREPL_LINE, 16, 16, mask, (__VA_ARGS__))
#define __reduce_xor_sync(mask, ...) gpurepl_reduce(GPUREPL_LINE, 17, 17, mask, (__VA_ARGS__))

// ---- shared memory -------------------------------------------------------------------------------
// Each variable makes itself known when the module is loaded; where it lies in
// a block's memory is settled for each kernel.

struct gpurepl_site {
  unsigned int site, bytes, alignment;
};
extern "C" GPUREPL_EXPORT gpurepl_site gpurepl_sites[256];
gpurepl_site gpurepl_sites[256];
extern "C" GPUREPL_EXPORT unsigned int gpurepl_site_count;
unsigned int gpurepl_site_count;
static unsigned int gpurepl_register(unsigned int site, size_t bytes, size_t alignment) {
  unsigned int number = gpurepl_site_count++;
  if (number < 256) gpurepl_sites[number] = {site, (unsigned int)(bytes > 0xffffffffu ? 0xffffffffu : bytes), (unsigned int)alignment};
  return number < 256 ? number : 255;
}
template <unsigned int site, size_t alignment, class T> struct gpurepl_variable {
  static const unsigned int number;
};
template <unsigned int site, size_t alignment, class T>
const unsigned int gpurepl_variable<site, alignment, T>::number =
    gpurepl_register(site, sizeof(T), alignment > alignof(T) ? alignment : alignof(T));
template <unsigned int site, size_t alignment, class T> GPUREPL_INLINE T &gpurepl_shared() {
  gpurepl_context *here = gpurepl_here();
  return *(T *)(here->shared + here->offsets[gpurepl_variable<site, alignment, T>::number]);
}
template <class T> GPUREPL_INLINE T &gpurepl_dynamic() { return *(T *)gpurepl_here()->dynamic; }
// A block's own memory by addresses of its own, as PTX has them.
GPUREPL_INLINE size_t __cvta_generic_to_shared(const void *p) { return (unsigned int)((const char *)p - gpurepl_here()->shared); }
GPUREPL_INLINE void *__cvta_shared_to_generic(size_t address) { return gpurepl_here()->shared + (unsigned int)address; }
GPUREPL_INLINE unsigned int __isShared(const void *p) { return (size_t)((const char *)p - gpurepl_here()->shared) < 262144; }
GPUREPL_INLINE unsigned int __isGlobal(const void *p) { return !__isShared(p); }
GPUREPL_INLINE unsigned int __nv_dynamic_smem_size() { return gpurepl_here()->dynamic_bytes; }
