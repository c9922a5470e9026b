// Running results of rows, by blocks that all run at once. In each round every block has a tile,
// one behind the other, and publishes what its tile adds up to; a block adds what lies before its
// tile, in the order of the blocks, so that floats are added in the same order each time. While
// the others' words arrive, the next tile is on its way and is scanned.
template <class T, int COUNT> struct alignas(sizeof(T) * COUNT > 16 ? 16 : sizeof(T) * COUNT) gpurepl_pack { T at[COUNT]; };

// A value that is moved between lanes word by word.
template <class T, class Move> static __device__ __forceinline__ T gpurepl_moved(T value, Move move) {
  constexpr int WORDS = (sizeof(T) + 3) / 4;
  unsigned int words[WORDS] = {};
  memcpy(words, &value, sizeof(T));
  #pragma unroll
  for (int word = 0; word < WORDS; word++) words[word] = move(words[word]);
  memcpy(&value, words, sizeof(T));
  return value;
}

// The value that another lane holds.
template <class T> static __device__ __forceinline__ T gpurepl_of_lane(T value, unsigned int lane) {
  return gpurepl_moved(value, [=](unsigned int word) { return __shfl_sync(0xffffffffu, word, lane); });
}

// The value that a lane some places below holds.
template <class T> static __device__ __forceinline__ T gpurepl_of_lane_below(T value, unsigned int places) {
  return gpurepl_moved(value, [=](unsigned int word) { return __shfl_up_sync(0xffffffffu, word, places); });
}

// What the lanes up to this one hold, combined.
template <class T> static __device__ __forceinline__ T gpurepl_up_to_lane(T value) {
  const unsigned int lane = threadIdx.x % 32;
  #pragma unroll
  for (unsigned int places = 1; places < 32; places *= 2) {
    const T below = gpurepl_of_lane_below(value, places);
    if (lane >= places) value = gpurepl_combine(below, value);
  }
  return value;
}

// `fetch(row, first, values, starts, is_whole)` gives COUNT values of a row, neutral ones past its
// end, and a bit for each before which nothing counts for `emit`; `emit(row, first, values, before,
// starts, is_whole)` gets the running results, and the one before them. All of a warp lie within the
// row if it is whole, which is known when the function is compiled: whatever waits for a load
// there is moved behind all of them. `may_be_whole` says whether any warp's are. A thread has ROWS times COUNT of them, a
// warp as many rows of 32 times COUNT. There are no more blocks than threads in a block.
// `slots` is zero, with room for 4 words of 8 bytes for each block and 4 bytes of a value.
template <class T, int THREADS, int ROWS, int COUNT, bool NEEDS_BEFORE, class Fetch, class Emit>
static __device__ __forceinline__ void gpurepl_in_rounds(
    unsigned long long rows, unsigned long long length, volatile unsigned long long *slots, const T neutral, T *total,
    bool may_be_whole, Fetch fetch, Emit emit) {
  constexpr int WARPS = THREADS / 32, EACH = ROWS * COUNT, TILE = THREADS * EACH, WORDS = (sizeof(T) + 3) / 4;
  typedef gpurepl_pack<T, COUNT> Pack;
  // Bytes, since a variable of shared memory has no constructor.
  __shared__ alignas(16) unsigned char of_warps_bytes[2][WARPS * sizeof(T)], of_grid_bytes[2][WARPS * sizeof(T)];
  __shared__ alignas(16) unsigned char mine_bytes[2][sizeof(T)];
  const unsigned int blocks = gridDim.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const unsigned long long chunk = (unsigned long long)TILE * blocks;
  const unsigned long long rounds = (length + chunk - 1) / chunk, all_rounds = rounds * rows;
  const unsigned long long of_warp = (unsigned long long)blockIdx.x * TILE + warp * (32 * EACH), place = of_warp + lane * COUNT;
  auto is_whole = [&](unsigned long long round) { return may_be_whole && round * chunk + of_warp + 32 * EACH <= length; };
  T carry = neutral, held_before = neutral;
  Pack next[ROWS], held[ROWS];
  unsigned int next_starts = 0, held_starts = 0;
  unsigned long long next_row = 0, next_round = 0, held_row = 0, held_round = 0;
  auto load_all = [&](bool whole) {
    #pragma unroll
    for (int k = 0; k < ROWS; k++) {
      unsigned int starts = 0;
      fetch(next_row, next_round * chunk + place + k * (32 * COUNT), next[k].at, starts, whole);
      next_starts |= starts << (k * COUNT);
    }
  };
  auto load = [&]() {
    next_starts = 0;
    if (is_whole(next_round)) load_all(true);
    else load_all(false);
  };
  auto finish = [&](unsigned long long number) {
    const unsigned int side = number & 1;
    T *const of_grid = (T *)of_grid_bytes[side], *const mine = (T *)mine_bytes[side];
    T value = neutral;
    if (threadIdx.x < blocks) {
      unsigned int words[WORDS];
      #pragma unroll
      for (int word = 0; word < WORDS; word++) {
        volatile unsigned long long *const slot = slots + ((number % 4) * WORDS + word) * blocks + threadIdx.x;
        unsigned long long both;
        do both = *slot; while ((unsigned int)(both >> 32) != (unsigned int)(number + 1));
        words[word] = (unsigned int)both;
      }
      memcpy(&value, words, sizeof(T));
    }
    value = gpurepl_up_to_lane(value);
    if (lane == 31) of_grid[warp] = value;
    value = gpurepl_of_lane_below(value, 1);
    __syncthreads();
    T before = neutral, all = neutral;
    #pragma unroll
    for (int other = 0; other < WARPS; other++) {
      if (other == warp) before = all;
      all = gpurepl_combine(all, of_grid[other]);
    }
    if (threadIdx.x == blockIdx.x) *mine = lane ? gpurepl_combine(before, value) : before;
    __syncthreads();
    if (held_round == 0) carry = neutral;
    before = gpurepl_combine(gpurepl_combine(carry, *mine), held_before);
    carry = gpurepl_combine(carry, all);
    auto emit_all = [&](bool whole) {
      T last = before;
      #pragma unroll
      for (int k = 0; k < ROWS; k++) {
        Pack values = held[k];
        #pragma unroll
        for (int j = 0; j < COUNT; j++) values.at[j] = gpurepl_combine(before, values.at[j]);
        T below = last;
        if (NEEDS_BEFORE) {
          below = gpurepl_of_lane_below(values.at[COUNT - 1], 1);
          if (lane == 0) below = last;
          last = gpurepl_of_lane(values.at[COUNT - 1], 31);
        }
        const unsigned long long first = held_round * chunk + place + k * (32 * COUNT);
        emit(held_row, first, values.at, below, held_starts >> (k * COUNT), whole);
      }
    };
    if (is_whole(held_round)) emit_all(true);
    else emit_all(false);
  };
  if (all_rounds > 0) load();
  for (unsigned long long number = 0; number < all_rounds; number++) {
    Pack own[ROWS];
    #pragma unroll
    for (int k = 0; k < ROWS; k++) own[k] = next[k];
    const unsigned int own_starts = next_starts;
    const unsigned long long own_row = next_row, own_round = next_round;
    if (number + 1 < all_rounds) {
      if (++next_round == rounds) { next_round = 0; next_row++; }
      load();
    }
    T sum = neutral;
    #pragma unroll
    for (int k = 0; k < ROWS; k++) {
      #pragma unroll
      for (int j = 1; j < COUNT; j++) own[k].at[j] = gpurepl_combine(own[k].at[j - 1], own[k].at[j]);
      const T up_to = gpurepl_up_to_lane(own[k].at[COUNT - 1]);
      T below = gpurepl_of_lane_below(up_to, 1);
      below = lane ? gpurepl_combine(sum, below) : sum;
      sum = gpurepl_combine(sum, gpurepl_of_lane(up_to, 31));
      #pragma unroll
      for (int j = 0; j < COUNT; j++) own[k].at[j] = gpurepl_combine(below, own[k].at[j]);
    }
    T *const of_warps = (T *)of_warps_bytes[number & 1];
    if (lane == 0) of_warps[warp] = sum;
    __syncthreads();
    T before = neutral, all = neutral;
    #pragma unroll
    for (int other = 0; other < WARPS; other++) {
      if (other == warp) before = all;
      all = gpurepl_combine(all, of_warps[other]);
    }
    if (threadIdx.x == 0) {
      unsigned int words[WORDS] = {};
      memcpy(words, &all, sizeof(T));
      #pragma unroll
      for (int word = 0; word < WORDS; word++)
        slots[((number % 4) * WORDS + word) * blocks + blockIdx.x] = (number + 1) << 32 | words[word];
    }
    if (number > 0) finish(number - 1);
    #pragma unroll
    for (int k = 0; k < ROWS; k++) held[k] = own[k];
    held_before = before;
    held_starts = own_starts;
    held_row = own_row;
    held_round = own_round;
  }
  if (all_rounds > 0) finish(all_rounds - 1);
  if (total && blockIdx.x == 0 && threadIdx.x == 0) *total = carry;
}
