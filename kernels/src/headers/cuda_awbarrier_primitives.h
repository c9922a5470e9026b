// Barriers in shared memory at which threads arrive and later wait, by the names
// of the CUDA C++ Programming Guide ("Memory Barrier Primitives Interface").
// From compute capability 8.0 on the GPU's own; otherwise two counts.
#ifndef GPUREPL_CUDA_AWBARRIER_PRIMITIVES
#define GPUREPL_CUDA_AWBARRIER_PRIMITIVES
#include <gpurepl_barriers.h>
#define GPUREPL_AW static GPUREPL_LCD

typedef unsigned long long __mbarrier_t;
typedef unsigned long long __mbarrier_token_t;

GPUREPL_AW unsigned int __mbarrier_maximum_count() { return (1u << 20) - 1; }
#if !defined(GPUREPL_HOST) && __CUDA_ARCH__ >= 800
namespace cuda {
namespace details {
GPUREPL_AW unsigned int place_of(const __mbarrier_t *barrier) { return (unsigned int)__cvta_generic_to_shared(barrier); }
}
}
GPUREPL_AW void __mbarrier_init(__mbarrier_t *barrier, unsigned int expected) {
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" : : "r"(cuda::details::place_of(barrier)), "r"(expected) : "memory");
}
GPUREPL_AW void __mbarrier_inval(__mbarrier_t *barrier) {
  asm volatile("mbarrier.inval.shared.b64 [%0];" : : "r"(cuda::details::place_of(barrier)) : "memory");
}
GPUREPL_AW __mbarrier_token_t __mbarrier_arrive(__mbarrier_t *barrier) {
  __mbarrier_token_t token;
  asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(token) : "r"(cuda::details::place_of(barrier)) : "memory");
  return token;
}
GPUREPL_AW __mbarrier_token_t __mbarrier_arrive_and_drop(__mbarrier_t *barrier) {
  __mbarrier_token_t token;
  asm volatile("mbarrier.arrive_drop.shared.b64 %0, [%1];" : "=l"(token) : "r"(cuda::details::place_of(barrier)) : "memory");
  return token;
}
GPUREPL_AW bool __mbarrier_test_wait(__mbarrier_t *barrier, __mbarrier_token_t token) {
  unsigned int is_over;
  asm volatile("{\n.reg .pred p;\nmbarrier.test_wait.shared.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}"
               : "=r"(is_over) : "r"(cuda::details::place_of(barrier)), "l"(token) : "memory");
  return is_over != 0;
}
GPUREPL_AW unsigned int __mbarrier_token_pending_count(__mbarrier_token_t token) {
  unsigned int count;
  asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(count) : "l"(token));
  return count;
}
#else
GPUREPL_AW void __mbarrier_init(__mbarrier_t *barrier, unsigned int expected) {
  cuda::details::counts<cuda::thread_scope_block>::of(barrier).start(expected);
}
GPUREPL_AW void __mbarrier_inval(__mbarrier_t *) {}
GPUREPL_AW __mbarrier_token_t __mbarrier_arrive(__mbarrier_t *barrier) {
  return cuda::details::counts<cuda::thread_scope_block>::of(barrier).arrive(1);
}
GPUREPL_AW __mbarrier_token_t __mbarrier_arrive_and_drop(__mbarrier_t *barrier) {
  return cuda::details::counts<cuda::thread_scope_block>::of(barrier).drop();
}
GPUREPL_AW bool __mbarrier_test_wait(__mbarrier_t *barrier, __mbarrier_token_t token) {
  return cuda::details::counts<cuda::thread_scope_block>::of(barrier).is_over((unsigned int)token);
}
GPUREPL_AW unsigned int __mbarrier_token_pending_count(__mbarrier_token_t token) {
  return cuda::details::pending((unsigned int)token);
}
#endif

// The phase of a parity, 0 for the first one, is over when the next one has begun.
#if !defined(GPUREPL_HOST) && __CUDA_ARCH__ >= 800
GPUREPL_AW bool __mbarrier_test_wait_parity(__mbarrier_t *barrier, bool parity) {
  unsigned int is_over;
  asm volatile("{\n.reg .pred p;\nmbarrier.test_wait.parity.shared.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}"
               : "=r"(is_over) : "r"(cuda::details::place_of(barrier)), "r"((unsigned int)parity) : "memory");
  return is_over != 0;
}
#else
GPUREPL_AW bool __mbarrier_test_wait_parity(__mbarrier_t *barrier, bool parity) {
  return cuda::details::counts<cuda::thread_scope_block>::of(barrier).is_over_by_parity(parity);
}
#endif
GPUREPL_AW bool __mbarrier_try_wait(__mbarrier_t *barrier, __mbarrier_token_t token, unsigned int nanoseconds) {
  const cuda::details::deadline end(nanoseconds);
  do
    if (__mbarrier_test_wait(barrier, token)) return true;
  while (!end.is_past());
  return false;
}
GPUREPL_AW bool __mbarrier_try_wait_parity(__mbarrier_t *barrier, bool parity, unsigned int nanoseconds) {
  const cuda::details::deadline end(nanoseconds);
  do
    if (__mbarrier_test_wait_parity(barrier, parity)) return true;
  while (!end.is_past());
  return false;
}
#undef GPUREPL_AW
#endif
