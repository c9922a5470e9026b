
// ---- where a thread is ---------------------------------------------------------------------------
// Kernels run on stacks of their own, each in a slot of memory as large as its
// alignment. The last bytes of a slot hold what its thread has to know, so the
// stack pointer leads there: neither an argument nor a thread-local variable
// is needed. (The Linux kernel found its current task so for long.)

#define GPUREPL_LINE 0

struct gpurepl_context;

// What the device does for a kernel: `simulator/contract.rs` has the other side.
struct gpurepl_runtime {
  int (*barrier)(gpurepl_context *, int operation, int predicate, int line);
  unsigned long long (*warp)(gpurepl_context *, int operation, unsigned int mask, unsigned long long value, int argument, int width, int line);
  void (*yield)(gpurepl_context *);
  void (*fail)(gpurepl_context *, int kind, const char *what, const char *file, int line);
  void (*print)(gpurepl_context *, const char *text, size_t length);
  void (*outside)(gpurepl_context *, const void *address, size_t bytes, int writes, const void *place);
  void (*race)(gpurepl_context *, const void *address, int kind, unsigned int place, unsigned long long other, unsigned int other_place);
  void *(*race_page)(gpurepl_context *, size_t key);
  void *(*allocate)(gpurepl_context *, size_t bytes, size_t alignment, int is_checked);
  void (*release)(gpurepl_context *, void *memory, int is_checked);
  int (*grid)(gpurepl_context *, int waits);
};

struct gpurepl_races;
struct gpurepl_context {
  uint3 thread, block;
  dim3 block_dim, grid_dim;
  const gpurepl_runtime *runtime;
  char *shared, *dynamic;         // The block's shared memory, of either kind.
  const unsigned int *offsets;    // Where each shared variable lies.
  unsigned int dynamic_bytes, spins;
  void *worker;
  unsigned int blocks;            // How many run together, from this one on.
  unsigned int backwards;         // Whether the last thread comes first.
  // For checked builds that look for races: `shim/instrumented.hpp`.
  const gpurepl_races *races;
  size_t shared_area, shared_area_end;
  const char *looking;            // Whose access is looked up.
  unsigned int thread_number, block_number, clocks[2];
  const unsigned char *pending;
  unsigned long long pending_other;
  unsigned int pending_bytes, pending_place, pending_other_place;
  unsigned char pending_value[16];
};

GPUREPL_INLINE gpurepl_context *gpurepl_here() {
  size_t stack;
#if defined(__x86_64__)
  asm("mov %%rsp, %0" : "=r"(stack));
#elif defined(__aarch64__)
  asm("mov %0, sp" : "=r"(stack));
#else
#error "the host device knows x86-64 and aarch64"
#endif
  return (gpurepl_context *)((stack | 0x3ffff) + 1 - 256);
}

// A kernel has its indices as hidden arguments. What a function mentions is
// one of these, and `gpurepl_at`, put around it, asks the thread.
// In a header of the user's, which is not translated, its parts ask too.
#define GPUREPL_ASKED(name, member, T) \
  struct name { \
    struct part_x { GPUREPL_PART(member.x) } x; \
    struct part_y { GPUREPL_PART(member.y) } y; \
    struct part_z { GPUREPL_PART(member.z) } z; \
    inline __attribute__((always_inline)) operator T() const { return gpurepl_here()->member; } \
  };
#define GPUREPL_PART(value) \
  inline __attribute__((always_inline)) operator unsigned int() const { return gpurepl_here()->value; }
GPUREPL_ASKED(gpurepl_thread_index, thread, uint3)
GPUREPL_ASKED(gpurepl_block_index, block, uint3)
GPUREPL_ASKED(gpurepl_block_dim, block_dim, dim3)
GPUREPL_ASKED(gpurepl_grid_dim, grid_dim, dim3)
#undef GPUREPL_ASKED
#undef GPUREPL_PART
static constexpr gpurepl_thread_index threadIdx = {};
static constexpr gpurepl_block_index blockIdx = {};
static constexpr gpurepl_block_dim blockDim = {};
static constexpr gpurepl_grid_dim gridDim = {};
static constexpr int warpSize = 32;
GPUREPL_INLINE const uint3 &gpurepl_at(const uint3 &index) { return index; }
GPUREPL_INLINE const dim3 &gpurepl_at(const dim3 &dimensions) { return dimensions; }
GPUREPL_INLINE const uint3 &gpurepl_at(gpurepl_thread_index) { return gpurepl_here()->thread; }
GPUREPL_INLINE const uint3 &gpurepl_at(gpurepl_block_index) { return gpurepl_here()->block; }
GPUREPL_INLINE const dim3 &gpurepl_at(gpurepl_block_dim) { return gpurepl_here()->block_dim; }
GPUREPL_INLINE const dim3 &gpurepl_at(gpurepl_grid_dim) { return gpurepl_here()->grid_dim; }
#define GPUREPL_THREAD_IDX (gpurepl_here()->thread)
#define GPUREPL_BLOCK_IDX (gpurepl_here()->block)
#define GPUREPL_BLOCK_DIM (gpurepl_here()->block_dim)
#define GPUREPL_GRID_DIM (gpurepl_here()->grid_dim)

// What a thread has written last is looked at before it waits or ends.
#ifdef GPUREPL_CHECKED
static void gpurepl_settle(gpurepl_context *here);
#define GPUREPL_SETTLE(here) gpurepl_settle(here)
#else
#define GPUREPL_SETTLE(here) ((void)0)
#endif

// Any byte of the module: where it lies tells where the module does.
extern "C" GPUREPL_EXPORT const char gpurepl_module;
const char gpurepl_module = 0;
