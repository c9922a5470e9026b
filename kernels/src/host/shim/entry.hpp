
// ---- running a grid ------------------------------------------------------------------------------

template <size_t... I> struct gpurepl_indices {};
template <size_t N, size_t... I> struct gpurepl_count : gpurepl_count<N - 1, N - 1, I...> {};
template <size_t... I> struct gpurepl_count<0, I...> { typedef gpurepl_indices<I...> type; };

template <class F> struct gpurepl_entry;
template <class... A> struct gpurepl_entry<void (*)(uint3, uint3, dim3, dim3, A...)> {
  static constexpr size_t gpurepl_arity = sizeof...(A);
  typedef void (*kernel_type)(uint3, uint3, dim3, dim3, A...);
  typedef typename gpurepl_count<gpurepl_arity>::type gpurepl_all;

  // One thread, for grids so large that an index may wrap around.
  template <kernel_type kernel>
  static __attribute__((noinline)) void one(const uint3 threadIdx, const uint3 blockIdx, const dim3 blockDim, const dim3 gridDim, A... a) {
    kernel(threadIdx, blockIdx, blockDim, gridDim, a...);
  }

  // A loop over the blocks `begin..end`. `small`: the compiler may assume that
  // an index does not wrap around, which it must know before it makes vectors
  // of a loop over threads.
  template <kernel_type kernel, bool kept, bool small>
  GPUREPL_INLINE void blocks(gpurepl_context *here, const dim3 gridDim, const dim3 blockDim, size_t begin, size_t end, A... a) {
    for (size_t at = begin; at < end; at++) {
      const uint3 blockIdx = {(unsigned int)(at % gridDim.x), (unsigned int)(at / gridDim.x % gridDim.y),
                              (unsigned int)(at / gridDim.x / gridDim.y)};
      if (small && !(blockIdx.x <= 0x1fffff && blockDim.x <= 1024 && gridDim.x <= 0x200000)) __builtin_unreachable();
      // A fault must find it.
      *(volatile unsigned int *)&here->block.x = blockIdx.x;
      *(volatile unsigned int *)&here->block.y = blockIdx.y;
      *(volatile unsigned int *)&here->block.z = blockIdx.z;
      for (unsigned int z = 0; z < blockDim.z; z++)
        for (unsigned int y = 0; y < blockDim.y; y++)
          for (unsigned int x = 0; x < blockDim.x; x++) {
            const uint3 threadIdx = {x, y, z};
            if (kept) here->thread = threadIdx;
            if (small)
              kernel(threadIdx, blockIdx, blockDim, gridDim, a...);
            else
              one<kernel>(threadIdx, blockIdx, blockDim, gridDim, a...);
          }
    }
  }

  template <kernel_type kernel, bool kept, size_t... I>
  GPUREPL_INLINE void gpurepl_run_loop(void **arguments, gpurepl_context *here, size_t begin, size_t end, gpurepl_indices<I...>) {
    if (here->grid_dim.x <= 0x200000)
      blocks<kernel, kept, true>(here, here->grid_dim, here->block_dim, begin, end, *(A *)arguments[I]...);
    else
      blocks<kernel, kept, false>(here, here->grid_dim, here->block_dim, begin, end, *(A *)arguments[I]...);
  }

  template <kernel_type kernel, size_t... I>
  GPUREPL_INLINE void gpurepl_run_thread(void **arguments, gpurepl_context *here, gpurepl_indices<I...>) {
    kernel(here->thread, here->block, here->block_dim, here->grid_dim, *(A *)arguments[I]...);
  }

  static size_t gpurepl_bytes(size_t k) {
    const size_t sizes[] = {sizeof(A)..., 0};
    return sizes[k];
  }
};

// What follows is expanded after the user's text, whose macros may have any
// other name.
#ifdef GPUREPL_CHECKED
#define GPUREPL_KEPT(kept) true
#else
#define GPUREPL_KEPT(kept) kept
#endif
// The types of a kernel's parameters stand in the name of this symbol.
template <int number, class F> __attribute__((used)) char gpurepl_type_of = 0;
#define GPUREPL_SIGNATURE(number, ...) \
  template char gpurepl_type_of<number, decltype(__VA_ARGS__)>; \
  extern "C" GPUREPL_EXPORT size_t gpurepl_count_##number() { return gpurepl_entry<decltype(__VA_ARGS__)>::gpurepl_arity; } \
  extern "C" GPUREPL_EXPORT size_t gpurepl_size_##number(size_t gpurepl_k) { return gpurepl_entry<decltype(__VA_ARGS__)>::gpurepl_bytes(gpurepl_k); }
#define GPUREPL_LOOP(number, kept, ...) \
  GPUREPL_SIGNATURE(number, __VA_ARGS__) \
  extern "C" GPUREPL_EXPORT void gpurepl_kernel_##number(void **gpurepl_a, gpurepl_context *gpurepl_h, size_t gpurepl_b, size_t gpurepl_e) { \
    typedef gpurepl_entry<decltype(__VA_ARGS__)> gpurepl_t; \
    gpurepl_t::gpurepl_run_loop<__VA_ARGS__, GPUREPL_KEPT(kept)>(gpurepl_a, gpurepl_h, gpurepl_b, gpurepl_e, gpurepl_t::gpurepl_all()); \
  }
#define GPUREPL_THREADS(number, ...) \
  GPUREPL_SIGNATURE(number, __VA_ARGS__) \
  extern "C" GPUREPL_EXPORT void gpurepl_kernel_##number(void **gpurepl_a, gpurepl_context *gpurepl_h, size_t, size_t) { \
    typedef gpurepl_entry<decltype(__VA_ARGS__)> gpurepl_t; \
    gpurepl_t::gpurepl_run_thread<__VA_ARGS__>(gpurepl_a, gpurepl_h, gpurepl_t::gpurepl_all()); \
  }
