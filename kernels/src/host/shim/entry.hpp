
// ---- running a grid ------------------------------------------------------------------------------

// What is called outside of launches as well.
#define GPUREPL_UNLOOKED __attribute__((no_sanitize("thread", "undefined")))
template <size_t... I> struct gpurepl_indices {};
template <size_t N, size_t... I> struct gpurepl_count : gpurepl_count<N - 1, N - 1, I...> {};
template <size_t... I> struct gpurepl_count<0, I...> { typedef gpurepl_indices<I...> type; };

// Where a thread's turn of a loop by strides ends that is done with those of
// `width` threads: before `bound`, which may be of another type.
template <class T, class B> GPUREPL_INLINE T gpurepl_until(T at, unsigned int width, B bound) {
  return (T)(at + (T)(width - 1)) < bound ? (T)(at + (T)width) : (T)bound;
}

// Arguments lie at multiples of 16 bytes.
#define GPUREPL_ARGUMENT(T, from) (*(T *)(from))

template <class F> struct gpurepl_entry;
template <class... A> struct gpurepl_entry<void (*)(uint3, uint3, dim3, dim3, unsigned int, A...)> {
  static constexpr size_t gpurepl_arity = sizeof...(A);
  typedef void (*kernel_type)(uint3, uint3, dim3, dim3, unsigned int, A...);
  typedef typename gpurepl_count<gpurepl_arity>::type gpurepl_all;

  // One thread, for grids so large that an index may wrap around.
  template <kernel_type kernel>
  static __attribute__((noinline)) void one(const uint3 threadIdx, const uint3 blockIdx, const dim3 blockDim, const dim3 gridDim, A... a) {
    kernel(threadIdx, blockIdx, blockDim, gridDim, 1, a...);
  }

  // A fault must find it.
  GPUREPL_INLINE void note(gpurepl_context *here, const uint3 block, unsigned int blocks) {
    *(volatile unsigned int *)&here->block.x = block.x;
    *(volatile unsigned int *)&here->block.y = block.y;
    *(volatile unsigned int *)&here->block.z = block.z;
    *(volatile unsigned int *)&here->blocks = blocks;
  }

  // A loop over the blocks `begin..end`. `small`: the compiler may assume that
  // an index does not wrap around, which it must know before it makes vectors
  // of a loop over threads. `walk`: block by block, along rows of blocks, by
  // strides, along rows up to a bound (`grid.rs`). A row is as long as a loop likes to be; where threads
  // are a rectangle it is shorter, so that what one line of them has read is in
  // the cache for the next.
  template <kernel_type kernel, bool kept, bool small, int walk>
  GPUREPL_INLINE void blocks(gpurepl_context *here, const dim3 gridDim, const dim3 blockDim, size_t begin, size_t end, A... a) {
    const size_t longest = walk == 0 ? 1 : blockDim.y * blockDim.z == 1 ? 8192 / blockDim.x : 256 / blockDim.x;
    for (size_t at = begin, row; at < end; at += row) {
      const uint3 blockIdx = {(unsigned int)(at % gridDim.x), (unsigned int)(at / gridDim.x % gridDim.y),
                              (unsigned int)(at / gridDim.x / gridDim.y)};
      row = 1;
      if (walk != 0) {
        const size_t left = gridDim.x - blockIdx.x < end - at ? gridDim.x - blockIdx.x : end - at;
        row = left < longest ? left : longest;
        row = row > 0 ? row : 1;
      }
      const unsigned int width = (unsigned int)(row * blockDim.x);
      if (small && !(blockIdx.x <= 0x1effff && blockDim.x <= 1024 && gridDim.x <= 0x1f0000 && width <= 8192)) __builtin_unreachable();
      note(here, blockIdx, (unsigned int)row);
      for (unsigned int z = 0; z < blockDim.z; z++)
        for (unsigned int y = 0; y < blockDim.y; y++) {
          if (walk == 3) {
            const uint3 threadIdx = {0, y, z};
            kernel(threadIdx, blockIdx, blockDim, gridDim, width, a...);
            continue;
          }
          for (unsigned int x = 0; x < width; x++) {
#ifdef GPUREPL_CHECKED
            const uint3 threadIdx = {here->backwards ? width - 1 - x : x, here->backwards ? blockDim.y - 1 - y : y, here->backwards ? blockDim.z - 1 - z : z};
#else
            const uint3 threadIdx = {x, y, z};
#endif
            if (kept) here->thread = threadIdx;
#ifdef GPUREPL_CHECKED
            here->thread_number = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
            here->block_number = (unsigned int)at;
            here->clocks[0] = here->clocks[1] = 0;
#endif
            if (small)
              kernel(threadIdx, blockIdx, blockDim, gridDim, 1, a...);
            else
              one<kernel>(threadIdx, blockIdx, blockDim, gridDim, a...);
            GPUREPL_SETTLE(here);
          }
        }
    }
  }

  template <kernel_type kernel, bool kept, int walk, size_t... I>
  GPUREPL_INLINE void gpurepl_run_loop(void **arguments, gpurepl_context *here, size_t begin, size_t end, gpurepl_indices<I...>) {
    const bool is_line = here->grid_dim.y == 1 && here->grid_dim.z == 1 && here->block_dim.y == 1 && here->block_dim.z == 1;
    if (walk == 2 && is_line && end - begin <= 0x1fffff) {
      const uint3 first = {0, 0, 0}, block = {(unsigned int)begin, 0, 0};
      note(here, block, (unsigned int)(end - begin));
      kernel(first, block, here->block_dim, here->grid_dim, (unsigned int)(end - begin) * here->block_dim.x, GPUREPL_ARGUMENT(A, arguments[I])...);
    } else if (here->grid_dim.x <= 0x1f0000)
      blocks<kernel, kept, true, walk == 2 ? 0 : walk>(here, here->grid_dim, here->block_dim, begin, end, GPUREPL_ARGUMENT(A, arguments[I])...);
    else
      blocks<kernel, kept, false, 0>(here, here->grid_dim, here->block_dim, begin, end, GPUREPL_ARGUMENT(A, arguments[I])...);
  }

  template <kernel_type kernel, size_t... I>
  GPUREPL_INLINE void gpurepl_run_thread(void **arguments, gpurepl_context *here, gpurepl_indices<I...>) {
    kernel(here->thread, here->block, here->block_dim, here->grid_dim, 1, GPUREPL_ARGUMENT(A, arguments[I])...);
    GPUREPL_SETTLE(here);
  }

  GPUREPL_UNLOOKED static size_t gpurepl_bytes(size_t k) {
    const size_t sizes[] = {sizeof(A)..., 0};
    return sizes[k];
  }
};

// What follows is expanded after the user's text, whose macros may have any
// other name.
#if defined(GPUREPL_CHECKED) || defined(GPUREPL_DEBUGGED)
#define GPUREPL_KEPT(kept) true
#define GPUREPL_WALK(walk) 0
#else
#define GPUREPL_KEPT(kept) kept
#define GPUREPL_WALK(walk) walk
#endif
// The types of a kernel's parameters stand in the name of this symbol.
template <int number, class F> __attribute__((used)) char gpurepl_type_of = 0;
#define GPUREPL_SIGNATURE(number, ...) \
  template char gpurepl_type_of<number, decltype(__VA_ARGS__)>; \
  extern "C" GPUREPL_EXPORT GPUREPL_UNLOOKED size_t gpurepl_count_##number() { return gpurepl_entry<decltype(__VA_ARGS__)>::gpurepl_arity; } \
  extern "C" GPUREPL_EXPORT GPUREPL_UNLOOKED size_t gpurepl_size_##number(size_t gpurepl_k) { return gpurepl_entry<decltype(__VA_ARGS__)>::gpurepl_bytes(gpurepl_k); }
#define GPUREPL_LOOP(number, kept, walk, ...) \
  GPUREPL_SIGNATURE(number, __VA_ARGS__) \
  extern "C" GPUREPL_EXPORT void gpurepl_kernel_##number(void **gpurepl_a, gpurepl_context *gpurepl_h, size_t gpurepl_b, size_t gpurepl_e) { \
    typedef gpurepl_entry<decltype(__VA_ARGS__)> gpurepl_t; \
    gpurepl_t::gpurepl_run_loop<__VA_ARGS__, GPUREPL_KEPT(kept), GPUREPL_WALK(walk)>(gpurepl_a, gpurepl_h, gpurepl_b, gpurepl_e, gpurepl_t::gpurepl_all()); \
  }
#define GPUREPL_THREADS(number, ...) \
  GPUREPL_SIGNATURE(number, __VA_ARGS__) \
  extern "C" GPUREPL_EXPORT void gpurepl_kernel_##number(void **gpurepl_a, gpurepl_context *gpurepl_h, size_t, size_t) { \
    typedef gpurepl_entry<decltype(__VA_ARGS__)> gpurepl_t; \
    gpurepl_t::gpurepl_run_thread<__VA_ARGS__>(gpurepl_a, gpurepl_h, gpurepl_t::gpurepl_all()); \
  }
