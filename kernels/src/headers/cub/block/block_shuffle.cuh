// Items from other threads of the block.
#ifndef GPUREPL_CUB_BLOCK_SHUFFLE
#define GPUREPL_CUB_BLOCK_SHUFFLE
#include <cub/gpurepl_details.cuh>

namespace cub {
template <class T, int BLOCK_DIM_X, int BLOCK_DIM_Y = 1, int BLOCK_DIM_Z = 1, int LEGACY_PTX_ARCH = 0> class BlockShuffle {
  typedef details::block<BLOCK_DIM_X, BLOCK_DIM_Y, BLOCK_DIM_Z> block;

 public:
  struct TempStorage {
    details::slots<T, block::threads> gpurepl_items;
  };

 private:
  TempStorage &storage_;
  const int thread_;
  GPUREPL_CUB void put(const T &item) {
    storage_.gpurepl_items[thread_] = item;
    __syncthreads();
  }

 public:
  GPUREPL_CUB BlockShuffle() : storage_(details::own_memory<TempStorage>()), thread_(block::rank()) {}
  GPUREPL_CUB explicit BlockShuffle(TempStorage &temp_storage) : storage_(temp_storage), thread_(block::rank()) {}

  // From the thread so many places on. `output` stays where there is none.
  GPUREPL_CUB void Offset(T input, T &output, int distance = 1) {
    put(input);
    const int from = thread_ + distance;
    if (from >= 0 && from < block::threads) output = storage_.gpurepl_items[from];
  }
  // After the last thread comes the first.
  GPUREPL_CUB void Rotate(T input, T &output, unsigned int distance = 1) {
    put(input);
    output = storage_.gpurepl_items[(int)(((unsigned int)thread_ + distance) % block::threads)];
  }
  // Each item goes one place up, and the first thread keeps its first one.
  template <int N> GPUREPL_CUB void Up(T (&input)[N], T (&prev)[N]) {
    put(input[N - 1]);
#pragma unroll
    for (int k = N - 1; k > 0; k--) prev[k] = input[k - 1];
    if (thread_ > 0) prev[0] = storage_.gpurepl_items[thread_ - 1];
  }
  // The suffix is the last item of all.
  template <int N> GPUREPL_CUB void Up(T (&input)[N], T (&prev)[N], T &block_suffix) {
    Up(input, prev);
    block_suffix = storage_.gpurepl_items[block::threads - 1];
  }
  // Each item goes one place down, and the last thread keeps its last one.
  template <int N> GPUREPL_CUB void Down(T (&input)[N], T (&next)[N]) {
    put(input[0]);
#pragma unroll
    for (int k = 0; k < N - 1; k++) next[k] = input[k + 1];
    if (thread_ < block::threads - 1) next[N - 1] = storage_.gpurepl_items[thread_ + 1];
  }
  // The prefix is the first item of all.
  template <int N> GPUREPL_CUB void Down(T (&input)[N], T (&next)[N], T &block_prefix) {
    Down(input, next);
    block_prefix = storage_.gpurepl_items[0];
  }
};
}
#endif
