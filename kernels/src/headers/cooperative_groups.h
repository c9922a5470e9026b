// Cooperative groups over CUDA's own barriers, shuffles and votes, after the
// description in the CUDA C++ Programming Guide. One text for both devices.
#ifndef GPUREPL_COOPERATIVE_GROUPS
#define GPUREPL_COOPERATIVE_GROUPS
#include <gpurepl_threads.h>
#ifndef GPUREPL_HOST
// How often a block has arrived at the grid's barrier in this launch, and
// whether it is a launch whose blocks all run at once: who launches sets both.
extern "C" {
#ifdef __CUDACC_RDC__
__device__ __attribute__((weak)) unsigned long long gpurepl_grid_barrier[2];
#else
__device__ unsigned long long gpurepl_grid_barrier[2];
#endif
}
#endif
#define GPUREPL_CG __device__ __forceinline__

namespace cooperative_groups {
namespace details {
GPUREPL_CG unsigned int block_size() {
  const dim3 block = GPUREPL_BLOCK_DIM;
  return block.x * block.y * block.z;
}
GPUREPL_CG unsigned int block_rank() {
  const uint3 thread = GPUREPL_THREAD_IDX;
  const dim3 block = GPUREPL_BLOCK_DIM;
  return (thread.z * block.y + thread.y) * block.x + thread.x;
}
// Warps are made of threads in the order of their ranks.
GPUREPL_CG unsigned int lane() { return block_rank() & 31; }
GPUREPL_CG unsigned int below(unsigned int lane) { return (1u << lane) - 1; }
// The lane of a mask's member number `rank`.
GPUREPL_CG unsigned int member(unsigned int mask, unsigned int rank) {
  if (mask == 0xffffffffu) return rank;
  for (; rank; rank--) mask &= mask - 1;
  return __ffs((int)mask) - 1;
}
// The bits of lanes, moved together: bit `r` is that of member number `r`.
GPUREPL_CG unsigned int pack(unsigned int bits, unsigned int mask) {
  if (mask == 0xffffffffu) return bits;
  unsigned int packed = 0;
  for (unsigned int rank = 0; mask; rank++, mask &= mask - 1) packed |= (bits >> (__ffs((int)mask) - 1) & 1) << rank;
  return packed;
}

// The shuffles of the language take numbers of 4 or 8 bytes; any other value
// travels in as few of these as it fits in.
template <bool> struct word { typedef unsigned int type; };
template <> struct word<true> { typedef unsigned long long type; };
#define GPUREPL_SHUFFLE(name) \
  template <class T> GPUREPL_CG T name(unsigned int mask, T value, unsigned int lane, unsigned int width) { \
    static_assert(sizeof(T) <= 32, "a value of more than 32 bytes cannot be shuffled"); \
    typedef typename word<sizeof(T) % 8 == 0>::type word_type; \
    word_type words[(sizeof(T) + sizeof(word_type) - 1) / sizeof(word_type)] = {}; \
    memcpy(words, &value, sizeof(T)); \
    for (word_type &each : words) each = __##name##_sync(mask, each, lane, width); \
    memcpy(&value, words, sizeof(T)); \
    return value; \
  }
GPUREPL_SHUFFLE(shfl)
GPUREPL_SHUFFLE(shfl_up)
GPUREPL_SHUFFLE(shfl_down)
GPUREPL_SHUFFLE(shfl_xor)
#undef GPUREPL_SHUFFLE
}

// ---- any group -----------------------------------------------------------------------------------

// Either the whole block or lanes of one warp.
class thread_group {
 protected:
  unsigned int mask_; // Zero for the block.
  GPUREPL_CG explicit thread_group(unsigned int mask) : mask_(mask) {}
  friend GPUREPL_CG thread_group tiled_partition(const thread_group &parent, unsigned int size);

 public:
  GPUREPL_CG void sync() const {
    if (mask_) __syncwarp(mask_);
    else __syncthreads();
  }
  GPUREPL_CG unsigned int size() const { return mask_ ? __popc(mask_) : details::block_size(); }
  GPUREPL_CG unsigned int num_threads() const { return size(); }
  GPUREPL_CG unsigned int thread_rank() const {
    return mask_ ? __popc(mask_ & details::below(details::lane())) : details::block_rank();
  }
  GPUREPL_CG bool is_valid() const { return true; }
};

// What the warps of a block leave for each other in tiles of several warps: how
// often they have arrived at the barrier of each tile, and a value of each warp.
template <unsigned int MaxBlockSize = 1024> struct block_tile_memory {
  static_assert(MaxBlockSize && MaxBlockSize <= 1024, "a block has at most 1024 threads");
  unsigned int gpurepl_arrivals[32];
  unsigned long long gpurepl_values[(MaxBlockSize + 31) / 32][4];
};
namespace details {
// All threads of the block meet here, so none is at the barrier of a tile.
GPUREPL_CG void *start(unsigned int (&arrivals)[32]) {
  __syncthreads();
  if (block_rank() == 0)
    for (unsigned int k = 0; k < 32; k++) arrivals[k] = 0;
  __syncthreads();
  return arrivals;
}
// Memory for who brings none; a template, so that only who asks for it has it.
template <class T> GPUREPL_CG void *own_memory() {
#ifdef GPUREPL_HOST
  return start(gpurepl_shared<0xffffffffu, 16, block_tile_memory<> >().gpurepl_arrivals);
#else
  __shared__ block_tile_memory<> memory;
  return start(memory.gpurepl_arrivals);
#endif
}
}

class thread_block : public thread_group {
  void *memory_;
  GPUREPL_CG explicit thread_block(void *memory) : thread_group(0), memory_(memory) {}
  friend GPUREPL_CG thread_block this_thread_block();
  template <unsigned int Size> friend GPUREPL_CG thread_block this_thread_block(block_tile_memory<Size> &memory);

 public:
  template <class T = void> GPUREPL_CG void *gpurepl_memory() const { return memory_ ? memory_ : details::own_memory<T>(); }
  struct arrival_token {};
  GPUREPL_CG static void sync() { __syncthreads(); }
  // All have arrived when all wait.
  GPUREPL_CG arrival_token barrier_arrive() const { return arrival_token(); }
  GPUREPL_CG void barrier_wait(arrival_token &&) const { __syncthreads(); }
  GPUREPL_CG static unsigned int size() { return details::block_size(); }
  GPUREPL_CG static unsigned int num_threads() { return details::block_size(); }
  GPUREPL_CG static unsigned int thread_rank() { return details::block_rank(); }
  GPUREPL_CG static dim3 group_index() { return GPUREPL_BLOCK_IDX; }
  GPUREPL_CG static dim3 thread_index() { return GPUREPL_THREAD_IDX; }
  GPUREPL_CG static dim3 group_dim() { return GPUREPL_BLOCK_DIM; }
  GPUREPL_CG static dim3 dim_threads() { return GPUREPL_BLOCK_DIM; }
};
GPUREPL_CG thread_block this_thread_block() { return thread_block(nullptr); }
template <unsigned int Size> GPUREPL_CG thread_block this_thread_block(block_tile_memory<Size> &memory) {
  return thread_block(details::start(memory.gpurepl_arrivals));
}

// ---- all blocks ----------------------------------------------------------------------------------

class grid_group {
  GPUREPL_CG grid_group() {}
  friend GPUREPL_CG grid_group this_grid();

 public:
  GPUREPL_CG static unsigned long long num_blocks() {
    const dim3 grid = GPUREPL_GRID_DIM;
    return (unsigned long long)grid.x * grid.y * grid.z;
  }
  GPUREPL_CG static unsigned long long block_rank() {
    const uint3 block = GPUREPL_BLOCK_IDX;
    const dim3 grid = GPUREPL_GRID_DIM;
    return ((unsigned long long)block.z * grid.y + block.y) * grid.x + block.x;
  }
  GPUREPL_CG static unsigned long long size() { return num_blocks() * details::block_size(); }
  GPUREPL_CG static unsigned long long num_threads() { return size(); }
  GPUREPL_CG static unsigned long long thread_rank() {
    return block_rank() * details::block_size() + details::block_rank();
  }
  GPUREPL_CG static dim3 block_index() { return GPUREPL_BLOCK_IDX; }
  GPUREPL_CG static dim3 group_dim() { return GPUREPL_GRID_DIM; }
  GPUREPL_CG static dim3 dim_blocks() { return GPUREPL_GRID_DIM; }
  struct arrival_token {};
  // All have arrived when all wait.
  GPUREPL_CG arrival_token barrier_arrive() const { return arrival_token(); }
  GPUREPL_CG void barrier_wait(arrival_token &&) const { sync(); }
#ifdef GPUREPL_HOST
  GPUREPL_CG bool is_valid() const { return gpurepl_here()->runtime->grid(gpurepl_here(), 0) != 0; }
  GPUREPL_CG void sync() const {
    __syncthreads();
    if (details::block_rank() == 0) gpurepl_here()->runtime->grid(gpurepl_here(), 1);
    __syncthreads();
  }
#else
  GPUREPL_CG bool is_valid() const { return ((volatile unsigned long long *)gpurepl_grid_barrier)[1] != 0; }
  GPUREPL_CG void sync() const {
    // In a launch of the usual kind blocks would wait for ones that never start.
    if (!is_valid()) __trap();
    __syncthreads();
    if (details::block_rank() == 0) {
      volatile unsigned long long *const arrivals = gpurepl_grid_barrier;
      const unsigned long long blocks = num_blocks();
      __threadfence();
      const unsigned long long before = atomicAdd(gpurepl_grid_barrier, 1ull);
      // The end of the round that this arrival belongs to.
      const unsigned long long all = (before / blocks + 1) * blocks;
      while (*arrivals < all) {}
      __threadfence();
    }
    __syncthreads();
  }
#endif
};
GPUREPL_CG grid_group this_grid() { return grid_group(); }

// ---- lanes of a warp, as they come ---------------------------------------------------------------

class coalesced_group : public thread_group {
  unsigned int meta_rank_, meta_size_;
  GPUREPL_CG unsigned int lane_of(int rank) const { return details::member(mask_, (unsigned int)rank % size()); }

 public:
  GPUREPL_CG explicit coalesced_group(unsigned int mask, unsigned int meta_rank = 0, unsigned int meta_size = 1)
      : thread_group(mask), meta_rank_(meta_rank), meta_size_(meta_size) {}
  GPUREPL_CG unsigned int gpurepl_mask() const { return mask_; }
  GPUREPL_CG void sync() const { __syncwarp(mask_); }
  GPUREPL_CG unsigned int size() const { return __popc(mask_); }
  GPUREPL_CG unsigned int num_threads() const { return size(); }
  GPUREPL_CG unsigned int thread_rank() const { return __popc(mask_ & details::below(details::lane())); }
  GPUREPL_CG unsigned int meta_group_rank() const { return meta_rank_; }
  GPUREPL_CG unsigned int meta_group_size() const { return meta_size_; }
  template <class T> GPUREPL_CG T shfl(T value, int rank) const { return details::shfl(mask_, value, lane_of(rank), 32); }
  // Who has no such neighbour gets its own value, as with a warp's shuffles.
  template <class T> GPUREPL_CG T shfl_up(T value, unsigned int delta) const {
    const unsigned int rank = thread_rank();
    return details::shfl(mask_, value, rank < delta ? details::lane() : details::member(mask_, rank - delta), 32);
  }
  template <class T> GPUREPL_CG T shfl_down(T value, unsigned int delta) const {
    const unsigned int rank = thread_rank();
    return details::shfl(mask_, value, delta >= size() - rank ? details::lane() : details::member(mask_, rank + delta), 32);
  }
  GPUREPL_CG int any(int predicate) const { return __any_sync(mask_, predicate); }
  GPUREPL_CG int all(int predicate) const { return __all_sync(mask_, predicate); }
  GPUREPL_CG unsigned int ballot(int predicate) const { return details::pack(__ballot_sync(mask_, predicate), mask_); }
  template <class T> GPUREPL_CG unsigned int match_any(T value) const {
    return details::pack(__match_any_sync(mask_, value), mask_);
  }
  template <class T> GPUREPL_CG unsigned int match_all(T value, int &predicate) const {
    return details::pack(__match_all_sync(mask_, value, &predicate), mask_);
  }
};
GPUREPL_CG coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

// ---- tiles ---------------------------------------------------------------------------------------

// `Size` neighbouring threads. The type of the group that it is
// part of is for overloads to tell; nothing depends on it.
template <unsigned int Size, class Parent = void> class thread_block_tile;
template <unsigned int Size> class thread_block_tile<Size, void> : public thread_group {
  static_assert(Size && (Size & (Size - 1)) == 0, "the size of a tile is a power of two");
  static_assert(Size <= 32, "a tile has at most 1024 threads");
  unsigned int meta_rank_, meta_size_;
  GPUREPL_CG static unsigned int first() { return details::lane() & (32 - Size); }
  GPUREPL_CG static unsigned int mask() { return (0xffffffffu >> (32 - Size)) << first(); }

 public:
  GPUREPL_CG thread_block_tile(unsigned int meta_rank, unsigned int meta_size)
      : thread_group(mask()), meta_rank_(meta_rank), meta_size_(meta_size) {}
  GPUREPL_CG unsigned int gpurepl_mask() const { return mask_; }
  GPUREPL_CG void sync() const { __syncwarp(mask_); }
  static constexpr unsigned int gpurepl_size = Size;
  GPUREPL_CG static constexpr unsigned int size() { return Size; }
  GPUREPL_CG static constexpr unsigned int num_threads() { return Size; }
  GPUREPL_CG static unsigned int thread_rank() { return details::lane() & (Size - 1); }
  GPUREPL_CG unsigned int meta_group_rank() const { return meta_rank_; }
  GPUREPL_CG unsigned int meta_group_size() const { return meta_size_; }
  template <class T> GPUREPL_CG T shfl(T value, int rank) const { return details::shfl(mask_, value, rank, Size); }
  template <class T> GPUREPL_CG T shfl_up(T value, unsigned int delta) const {
    return details::shfl_up(mask_, value, delta, Size);
  }
  template <class T> GPUREPL_CG T shfl_down(T value, unsigned int delta) const {
    return details::shfl_down(mask_, value, delta, Size);
  }
  template <class T> GPUREPL_CG T shfl_xor(T value, unsigned int mask) const {
    return details::shfl_xor(mask_, value, mask, Size);
  }
  GPUREPL_CG int any(int predicate) const { return __any_sync(mask_, predicate); }
  GPUREPL_CG int all(int predicate) const { return __all_sync(mask_, predicate); }
  GPUREPL_CG unsigned int ballot(int predicate) const { return __ballot_sync(mask_, predicate) >> first(); }
  template <class T> GPUREPL_CG unsigned int match_any(T value) const { return __match_any_sync(mask_, value) >> first(); }
  template <class T> GPUREPL_CG unsigned int match_all(T value, int &predicate) const {
    return __match_all_sync(mask_, value, &predicate) >> first();
  }
};

// Tiles of several warps, which meet in shared memory. The last one of a block
// may not be full.
namespace details {
template <unsigned int Size> class wide_tile {
  void *memory_;
  unsigned int meta_rank_, meta_size_;
  GPUREPL_CG static unsigned int warp() { return block_rank() / 32; }
  GPUREPL_CG static unsigned int first() { return warp() & ~(Size / 32 - 1); }
  GPUREPL_CG static unsigned int warps() {
    const unsigned int left = (block_size() + 31) / 32 - first();
    return left < Size / 32 ? left : Size / 32;
  }
  // The lanes that this thread's warp has.
  GPUREPL_CG static unsigned int lanes() {
    const unsigned int left = block_size() - warp() * 32;
    return left < 32 ? below(left) : 0xffffffffu;
  }
  GPUREPL_CG unsigned long long *value_of(unsigned int warp) const { return (unsigned long long *)memory_ + 16 + 4 * warp; }
  template <class T> GPUREPL_CG void put(unsigned int warp, const T &value) const {
    static_assert(sizeof(T) <= 32, "a value of more than 32 bytes cannot be exchanged");
    memcpy(value_of(warp), &value, sizeof(T));
  }
  template <class T> GPUREPL_CG T take(unsigned int warp) const {
    T value;
    memcpy(&value, value_of(warp), sizeof(T));
    return value;
  }

 public:
  GPUREPL_CG wide_tile(unsigned int meta_rank, unsigned int meta_size, void *memory)
      : memory_(memory), meta_rank_(meta_rank), meta_size_(meta_size) {}
  template <class T = void> GPUREPL_CG void *gpurepl_memory() const { return memory_; }
  static constexpr unsigned int gpurepl_size = Size;
  // Of each warp one lane arrives, and waits for those of the others.
  GPUREPL_CG void sync() const {
    __syncwarp(lanes());
    if (lane() == 0) {
      // Each tile of each size has a place of its own.
      unsigned int *const arrivals = (unsigned int *)memory_ + (32 + first()) / (Size / 32);
      const unsigned int count = warps();
      __threadfence_block();
      const unsigned int all = (atomicAdd(arrivals, 1u) / count + 1) * count;
      while ((int)(atomicAdd(arrivals, 0u) - all) < 0) __threadfence_block();
      __threadfence_block();
    }
    __syncwarp(lanes());
  }
  GPUREPL_CG bool is_valid() const { return true; }
  GPUREPL_CG static constexpr unsigned int size() { return Size; }
  GPUREPL_CG static constexpr unsigned int num_threads() { return Size; }
  GPUREPL_CG static unsigned int thread_rank() { return block_rank() & (Size - 1); }
  GPUREPL_CG unsigned int meta_group_rank() const { return meta_rank_; }
  GPUREPL_CG unsigned int meta_group_size() const { return meta_size_; }
  template <class T> GPUREPL_CG T shfl(T value, int rank) const {
    if (thread_rank() == ((unsigned int)rank & (Size - 1))) put(first(), value);
    sync();
    value = take<T>(first());
    sync();
    return value;
  }
  // Of a value of each warp, which its lane `from` has: all of them together,
  // or those of the warps before this one. `value` stays where there are none.
  template <class T, class F> GPUREPL_CG T gpurepl_fold(T value, unsigned int from, bool is_before, F op) const {
    const unsigned int own = warp(), end = is_before ? own : first() + warps();
    if (lane() == from) put(own, value);
    sync();
    if (first() < end) value = take<T>(first());
    for (unsigned int k = first() + 1; k < end; k++) value = op(value, take<T>(k));
    sync();
    return value;
  }
  GPUREPL_CG unsigned int gpurepl_last_lane() const { return __popc(lanes()) - 1; }
  GPUREPL_CG bool gpurepl_is_first_warp() const { return warp() == first(); }
  struct either { GPUREPL_CG int operator()(int a, int b) const { return a | b; } };
  struct both { GPUREPL_CG int operator()(int a, int b) const { return a & b; } };
  GPUREPL_CG int any(int predicate) const { return gpurepl_fold(__any_sync(lanes(), predicate) != 0 ? 1 : 0, 0, false, either()); }
  GPUREPL_CG int all(int predicate) const { return gpurepl_fold(__all_sync(lanes(), predicate) != 0 ? 1 : 0, 0, false, both()); }
};
}
#define GPUREPL_WIDE_TILE(size) \
  template <> class thread_block_tile<size, void> : public details::wide_tile<size> { \
   public: \
    GPUREPL_CG thread_block_tile(unsigned int meta_rank, unsigned int meta_size, void *memory) \
        : details::wide_tile<size>(meta_rank, meta_size, memory) {} \
  };
GPUREPL_WIDE_TILE(64)
GPUREPL_WIDE_TILE(128)
GPUREPL_WIDE_TILE(256)
GPUREPL_WIDE_TILE(512)
GPUREPL_WIDE_TILE(1024)
#undef GPUREPL_WIDE_TILE

template <unsigned int Size, class Parent> class thread_block_tile : public thread_block_tile<Size, void> {
 public:
  using thread_block_tile<Size, void>::thread_block_tile;
};

namespace details {
template <bool is_wide> struct partition {
  template <unsigned int Size, class Parent> GPUREPL_CG static thread_block_tile<Size, Parent> of(const Parent &parent) {
    return thread_block_tile<Size, Parent>(parent.thread_rank() / Size, (parent.size() + Size - 1) / Size);
  }
};
template <> struct partition<true> {
  template <unsigned int Size, class Parent> GPUREPL_CG static thread_block_tile<Size, Parent> of(const Parent &parent) {
    return thread_block_tile<Size, Parent>(parent.thread_rank() / Size, (parent.size() + Size - 1) / Size, parent.gpurepl_memory());
  }
};
}
template <unsigned int Size, class Parent> GPUREPL_CG thread_block_tile<Size, Parent> tiled_partition(const Parent &parent) {
  return details::partition<(Size > 32)>::template of<Size>(parent);
}

GPUREPL_CG coalesced_group tiled_partition(const coalesced_group &parent, unsigned int size) {
  const unsigned int tile = parent.thread_rank() / size, last = (parent.size() - 1) / size;
  unsigned int mask = parent.gpurepl_mask();
  for (unsigned int k = 0; k < tile * size; k++) mask &= mask - 1;
  unsigned int rest = mask;
  for (unsigned int k = 0; k < size; k++) rest &= rest - 1;
  return coalesced_group(mask ^ rest, tile, last + 1);
}
GPUREPL_CG thread_group tiled_partition(const thread_group &parent, unsigned int size) {
  if (parent.mask_) return tiled_partition(coalesced_group(parent.mask_), size);
  // The last warp of the block may not be full.
  const unsigned int lane = details::lane(), left = details::block_size() - details::block_rank() + lane;
  const unsigned int warp = left >= 32 ? 0xffffffffu : details::below(left);
  return thread_group(warp & (0xffffffffu >> (32 - size)) << (lane & (32 - size)));
}

// The lanes of a group with the same label.
template <class Group, class T> GPUREPL_CG coalesced_group labeled_partition(const Group &group, T label) {
  const unsigned int mask = __match_any_sync(group.gpurepl_mask(), label), first = __ffs((int)mask) - 1;
  const unsigned int firsts = __ballot_sync(group.gpurepl_mask(), details::lane() == first);
  return coalesced_group(mask, __popc(firsts & details::below(first)), __popc(firsts));
}
template <class Group> GPUREPL_CG coalesced_group binary_partition(const Group &group, bool predicate) {
  const unsigned int all = group.gpurepl_mask(), yes = __ballot_sync(all, predicate);
  return coalesced_group(predicate ? yes : all & ~yes, predicate, 2);
}

// ---- functions of groups -------------------------------------------------------------------------

template <class Group> GPUREPL_CG void sync(const Group &group) { group.sync(); }
template <class Group> GPUREPL_CG auto thread_rank(const Group &group) { return group.thread_rank(); }
template <class Group> GPUREPL_CG auto group_size(const Group &group) { return group.size(); }
template <class Group, class F, class... A> GPUREPL_CG void invoke_one(const Group &group, F &&function, A &&...arguments) {
  if (group.thread_rank() == 0) function(arguments...);
}

// What CUDA 11 had under this name.
namespace experimental {
template <unsigned int TileCommunicationSize = 8, unsigned int MaxBlockSize = 1024>
using block_tile_memory = cooperative_groups::block_tile_memory<MaxBlockSize>;
using cooperative_groups::this_thread_block;
using cooperative_groups::thread_block_tile;
using cooperative_groups::tiled_partition;
}
}
#endif
