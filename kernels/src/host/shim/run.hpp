// ---- where a thread is ---------------------------------------------------------------------------
// A kernel has its indices as hidden arguments, which the compiler can see
// through. Functions that a kernel calls have these instead; they are kept up
// to date only where such a function mentions one.

static thread_local uint3 threadIdx, blockIdx;
static thread_local dim3 blockDim, gridDim;
static constexpr int warpSize = 32;

// ---- leaving a kernel before its end -------------------------------------------------------------
// A failed assertion ends the launch. Nothing on the way has a destructor, so
// the jump skips none. The report is read by the caller of the entry.

struct gpurepl_report {
  const char *condition, *file;
  int line;
  uint3 thread, block;
};
static thread_local void *gpurepl_exit[5];
static thread_local gpurepl_report *gpurepl_reported;
static __attribute__((noinline, noreturn, cold)) void gpurepl_leave(const char *condition, const char *file, int line, uint3 thread, uint3 block) {
  *gpurepl_reported = {condition, file, line, thread, block};
  __builtin_longjmp(gpurepl_exit, 1);
}
#undef assert
#define assert(...) ((__VA_ARGS__) ? (void)0 : gpurepl_leave(#__VA_ARGS__, __FILE__, __LINE__, threadIdx, blockIdx))
#define __trap() gpurepl_leave(0, __FILE__, __LINE__, threadIdx, blockIdx)

// ---- running a grid ------------------------------------------------------------------------------

struct gpurepl_launch {
  dim3 grid, block;
};
template <size_t... I> struct gpurepl_indices {};
template <size_t N, size_t... I> struct gpurepl_count : gpurepl_count<N - 1, N - 1, I...> {};
template <size_t... I> struct gpurepl_count<0, I...> { typedef gpurepl_indices<I...> type; };

template <class F> struct gpurepl_entry;
template <class... A> struct gpurepl_entry<void (*)(uint3, uint3, dim3, dim3, A...)> {
  static constexpr size_t count = sizeof...(A);
  typedef void (*kernel_type)(uint3, uint3, dim3, dim3, A...);

  // `small`: the compiler may assume that an index does not wrap around, which
  // it must know before it makes vectors of a loop over threads.
  template <kernel_type kernel, bool kept, bool small>
  GPUREPL_INLINE void blocks(const dim3 gridDim, const dim3 blockDim, size_t begin, size_t end, A... a) {
    for (size_t at = begin; at < end; at++) {
      const uint3 blockIdx = {(unsigned int)(at % gridDim.x), (unsigned int)(at / gridDim.x % gridDim.y),
                              (unsigned int)(at / gridDim.x / gridDim.y)};
      if (small && !(blockIdx.x <= 0x1fffff && blockDim.x <= 1024 && gridDim.x <= 0x200000)) __builtin_unreachable();
      if (kept) ::blockIdx = blockIdx;
      for (unsigned int z = 0; z < blockDim.z; z++)
        for (unsigned int y = 0; y < blockDim.y; y++)
          for (unsigned int x = 0; x < blockDim.x; x++) {
            const uint3 threadIdx = {x, y, z};
            if (kept) ::threadIdx = threadIdx;
            kernel(threadIdx, blockIdx, blockDim, gridDim, a...);
          }
    }
  }

  template <kernel_type kernel, bool kept, size_t... I>
  GPUREPL_INLINE void call(void **arguments, const gpurepl_launch *launch, size_t begin, size_t end, gpurepl_indices<I...>) {
    if (launch->grid.x <= 0x200000)
      blocks<kernel, kept, true>(launch->grid, launch->block, begin, end, *(A *)arguments[I]...);
    else
      blocks<kernel, kept, false>(launch->grid, launch->block, begin, end, *(A *)arguments[I]...);
  }

  // False if the kernel left early; then `report` says where.
  template <kernel_type kernel, bool kept>
  static bool run(void **arguments, const gpurepl_launch *launch, size_t begin, size_t end, gpurepl_report *report) {
    if (kept) {
      ::blockDim = launch->block;
      ::gridDim = launch->grid;
      gpurepl_reported = report;
      if (__builtin_setjmp(gpurepl_exit)) return false;
    }
    call<kernel, kept>(arguments, launch, begin, end, typename gpurepl_count<count>::type());
    return true;
  }

  static size_t size(size_t k) {
    const size_t sizes[] = {sizeof(A)..., 0};
    return sizes[k];
  }
};

#define GPUREPL_KERNEL(number, kept, ...) \
  extern "C" GPUREPL_EXPORT bool gpurepl_kernel_##number(void **arguments, const gpurepl_launch *launch, size_t begin, size_t end, gpurepl_report *report) { \
    return gpurepl_entry<decltype(&__VA_ARGS__)>::run<&__VA_ARGS__, kept>(arguments, launch, begin, end, report); \
  } \
  extern "C" GPUREPL_EXPORT size_t gpurepl_count_##number() { return gpurepl_entry<decltype(&__VA_ARGS__)>::count; } \
  extern "C" GPUREPL_EXPORT size_t gpurepl_size_##number(size_t k) { return gpurepl_entry<decltype(&__VA_ARGS__)>::size(k); }
