template <class T> static __device__ __forceinline__ bool gpurepl_before(T a, T b) { return a < b; }
template <class T> static __device__ __forceinline__ unsigned int gpurepl_byte(T key, int place) {
  return (unsigned int)(key >> 8 * place) & 255;
}

// Floats in their order as unsigned numbers: zeros are equal, and every NaN is
// the largest.
template <class T> static __device__ __forceinline__ T gpurepl_float_key(T bits, T infinity) {
  const T sign = (T)((T)1 << (8 * sizeof(T) - 1)), size = (T)(bits & (T)~sign);
  if (size > infinity) return (T)~(T)0;
  if (size == 0) return sign;
  return bits & sign ? (T)~bits : (T)(bits | sign);
}

// The parts of a complex number as one key. NumPy's order: numbers, real with
// an imaginary NaN, NaN with a real number, two NaNs.
template <class T> static __device__ __forceinline__ void gpurepl_complex_key(T &re, T &im, T infinity) {
  re = gpurepl_float_key(re, infinity);
  im = gpurepl_float_key(im, infinity);
  const T nan = (T)~(T)0;
  if (re == nan) {
    re = im == nan ? nan : (T)(nan - 1);
  } else if (im == nan) {
    im = re;
    re = (T)(nan - 2);
  }
}

// SHORT ROWS
// Rows of up to SORT_SMALL elements: a bitonic network (K. E. Batcher,
// "Sorting networks and their applications", 1968) over pairs of key and place,
// which are distinct, so that equal elements stay in order. A block has several
// rows where they are short; each is padded to a power of two.
extern "C" __global__ void __launch_bounds__(SORT_THREADS) gpurepl_sort_small(
    const gpurepl_raw *in, gpurepl_raw *out, long long *places,
    unsigned long long rows, unsigned long long length, unsigned long long padded)
{
  __shared__ gpurepl_key_type keys[SORT_SMALL];
  __shared__ unsigned short order[SORT_SMALL];
  const unsigned long long at_once = SORT_SMALL / padded;
  for (unsigned long long first = blockIdx.x * at_once; first < rows; first += gridDim.x * at_once) {
    const unsigned long long left = rows - first;
    const unsigned int held = (unsigned int)((left < at_once ? left : at_once) * padded);
    __syncthreads();
    for (unsigned int i = threadIdx.x; i < held; i += SORT_THREADS) {
      const unsigned int k = i & (unsigned int)(padded - 1);
      order[i] = (unsigned short)k;
      if (k < length) keys[i] = gpurepl_key(in[(first + i / (unsigned int)padded) * length + k]);
    }
    for (unsigned int size = 2; size <= padded; size *= 2) {
      for (unsigned int step = size / 2; step > 0; step /= 2) {
        __syncthreads();
        for (unsigned int i = threadIdx.x; i < held / 2; i += SORT_THREADS) {
          const unsigned int a = 2 * i - (i & (step - 1)), b = a + step;
          const bool is_up = size == padded || (a & size) == 0;
          const unsigned short x = order[a], y = order[b];
          // What fills a row up comes last.
          bool is_less;
          if (y >= length) is_less = x >= length && y < x;
          else if (x >= length) is_less = true;
          else is_less = gpurepl_before(keys[b], keys[a]) || (!gpurepl_before(keys[a], keys[b]) && y < x);
          if (is_less == is_up) {
            const gpurepl_key_type key = keys[a];
            keys[a] = keys[b];
            keys[b] = key;
            order[a] = y;
            order[b] = x;
          }
        }
      }
    }
    __syncthreads();
    for (unsigned int i = threadIdx.x; i < held; i += SORT_THREADS) {
      const unsigned int k = i & (unsigned int)(padded - 1);
      if (k < length) {
        const unsigned long long start = (first + i / (unsigned int)padded) * length;
        if (out) out[start + k] = in[start + order[i]];
        if (places) places[start + k] = order[i];
      }
    }
  }
}

// LONG ROWS
// Numbers below 65536, two in a register: the fewer registers a thread has, the
// more blocks a multiprocessor has at a time.
template <int N> struct gpurepl_pairs {
  unsigned int words[(N + 1) / 2];
  __device__ __forceinline__ unsigned int get(int k) const {
    return k % 2 ? words[k / 2] >> 16 : words[k / 2] & 0xffff;
  }
  __device__ __forceinline__ void set(int k, unsigned int number) {
    words[k / 2] = k % 2 ? (words[k / 2] & 0xffff) | number << 16 : (words[k / 2] & 0xffff0000u) | number;
  }
};

// Zeros before the first pass.
extern "C" __global__ void __launch_bounds__(SORT_THREADS) gpurepl_sort_clear(
    unsigned long long *counts, unsigned long long number_of_counts,
    gpurepl_number *state, unsigned long long number_of_states, unsigned int *tickets)
{
  const unsigned long long first = blockIdx.x * (unsigned long long)SORT_THREADS + threadIdx.x;
  const unsigned long long step = gridDim.x * (unsigned long long)SORT_THREADS;
  for (unsigned long long i = first; i < number_of_counts; i += step) counts[i] = 0;
  for (unsigned long long i = first; i < number_of_states; i += step) state[i] = 0;
  if (first < SORT_PASSES) tickets[first] = 0;
}

// How often each digit of each pass occurs in each row.
extern "C" __global__ void __launch_bounds__(SORT_THREADS) gpurepl_sort_count(
    const gpurepl_raw *in, unsigned long long *counts,
    unsigned long long rows, unsigned long long length, unsigned long long part)
{
  __shared__ unsigned int found[SORT_PASSES * 256 * SORT_COPIES];
  const unsigned long long parts = (length + part - 1) / part;
  const unsigned int copy = threadIdx.x % SORT_COPIES;
  for (unsigned long long work = blockIdx.x; work < rows * parts; work += gridDim.x) {
    const unsigned long long row = work / parts, start = work % parts * part;
    const unsigned long long end = start + part < length ? start + part : length;
    for (unsigned int i = threadIdx.x; i < SORT_PASSES * 256 * SORT_COPIES; i += SORT_THREADS) found[i] = 0;
    __syncthreads();
    #pragma unroll 4
    for (unsigned long long k = start + threadIdx.x; k < end; k += SORT_THREADS) {
      const gpurepl_key_type key = gpurepl_key(in[row * length + k]);
      #pragma unroll
      for (int pass = 0; pass < SORT_PASSES; pass++)
        atomicAdd(&found[(pass * 256 + gpurepl_byte(key, pass)) * SORT_COPIES + copy], 1u);
    }
    __syncthreads();
    for (unsigned int i = threadIdx.x; i < SORT_PASSES * 256; i += SORT_THREADS) {
      unsigned int sum = 0;
      for (int c = 0; c < SORT_COPIES; c++) sum += found[i * SORT_COPIES + c];
      if (sum) atomicAdd(&counts[row * (SORT_PASSES * 256) + i], (unsigned long long)sum);
    }
    __syncthreads();
  }
}

// Where the elements with each digit start, instead of how many there are.
extern "C" __global__ void __launch_bounds__(256) gpurepl_sort_starts(
    unsigned long long *counts, unsigned long long lists)
{
  __shared__ unsigned long long sums[256];
  for (unsigned long long list = blockIdx.x; list < lists; list += gridDim.x) {
    const unsigned long long own = counts[list * 256 + threadIdx.x];
    __syncthreads();
    sums[threadIdx.x] = own;
    __syncthreads();
    for (unsigned int step = 1; step < 256; step *= 2) {
      const unsigned long long before = threadIdx.x >= step ? sums[threadIdx.x - step] : 0;
      __syncthreads();
      sums[threadIdx.x] += before;
      __syncthreads();
    }
    counts[list * 256 + threadIdx.x] = sums[threadIdx.x] - own;
  }
}

// A pass over all rows: elements go where their digit belongs, equal ones in
// order. "Onesweep" (A. Adinets and D. Merrill, 2022): a block takes the next
// tile, publishes how often each digit occurs in it, ranks its elements by
// digits that match within a warp, and looks back over the tiles before it
// until one has published the sum of all up to it (D. Merrill and M. Garland,
// "Single-pass Parallel Prefix Scan with Decoupled Look-back", 2016).
//
// A state's two highest bits say what the rest is: 0 nothing yet, 1 the count of
// its tile, 2 the count of all tiles of the row up to it.
extern "C" __global__ void __launch_bounds__(SORT_THREADS, SORT_BLOCKS) gpurepl_sort_pass(
    const gpurepl_raw *in, gpurepl_raw *out, const gpurepl_number *in_places, void *out_places,
    const unsigned long long *starts, gpurepl_number *state, gpurepl_number *other_state,
    unsigned int *tickets, unsigned long long length, unsigned long long pass)
{
  const unsigned int WARPS = SORT_THREADS / 32, ALL = 0xffffffffu;
  const gpurepl_number OWN = (gpurepl_number)1 << (8 * sizeof(gpurepl_number) - 2), UP_TO = OWN * 2;
  union Shared {
    struct {
      unsigned int offsets[SORT_THREADS / 32][256];
      unsigned int matches[SORT_THREADS / 32][256];
    } ranks;
    gpurepl_raw elements[SORT_THREADS * SORT_ITEMS];
#if SORT_PLACES
    gpurepl_number places[SORT_THREADS * SORT_ITEMS];
#endif
  };
  __shared__ Shared shared;
  // Where in the row an element of a digit goes, less its rank in the tile.
  // Counts wrap around, and sums with ranks do not.
  __shared__ gpurepl_number bases[256];
  __shared__ unsigned int sums[8];
  __shared__ unsigned int ticket;
  const unsigned int lane = threadIdx.x % 32, warp = threadIdx.x / 32, digit_of_thread = threadIdx.x;
  if (threadIdx.x == 0) ticket = atomicAdd(&tickets[pass], 1u);
  for (unsigned int i = lane; i < 256; i += 32) {
    shared.ranks.offsets[warp][i] = 0;
    shared.ranks.matches[warp][i] = 0;
  }
  __syncthreads();
  const unsigned long long number = ticket;
  const unsigned long long tiles = (length + SORT_TILE - 1) / SORT_TILE;
  const unsigned long long row = number / tiles, tile = number % tiles, start = tile * SORT_TILE;
  const unsigned int count = length - start < SORT_TILE ? (unsigned int)(length - start) : SORT_TILE;
  if (threadIdx.x < 256) other_state[number * 256 + threadIdx.x] = 0;
#if !SORT_PLACES
  // Whether there are elements both before the digit's and at or behind them.
  bool is_between = false;
  if (threadIdx.x < 256) {
    const unsigned long long before = starts[(row * SORT_PASSES + pass) * 256 + threadIdx.x];
    is_between = before != 0 && before != length;
  }
#endif

  // A warp's elements lie side by side. What is missing in the last tile has
  // the last digit, and so the last ranks.
  const unsigned int own = warp * (32 * SORT_ITEMS) + lane;
  const gpurepl_raw *const from = in + (row * length + start);
  gpurepl_raw elements[SORT_ITEMS];
  // Digits first, then ranks.
  gpurepl_pairs<SORT_ITEMS> ranks = {};
  #pragma unroll
  for (int k = 0; k < SORT_ITEMS; k++)
    if (own + 32 * k < count) elements[k] = from[own + 32 * k];
  #pragma unroll
  for (int k = 0; k < SORT_ITEMS; k++) {
    const unsigned int digit = own + 32 * k < count ? gpurepl_byte(gpurepl_key(elements[k]), (int)pass) : 255u;
    ranks.set(k, digit);
    atomicAdd(&shared.ranks.offsets[warp][digit], 1u);
  }
#if SORT_PLACES
  __syncthreads();
#else
  if (!__syncthreads_or(is_between)) {
    // All elements of the row have one digit, and stay where they are.
    #pragma unroll
    for (int k = 0; k < SORT_ITEMS; k++)
      if (own + 32 * k < count) out[row * length + start + own + 32 * k] = elements[k];
    return;
  }
#endif

  // Before each warp's elements of a digit: those of other warps, then those
  // of lesser digits.
  unsigned int in_tile = 0, before = 0;
  if (threadIdx.x < 256) {
    #pragma unroll
    for (unsigned int w = 0; w < WARPS; w++) {
      const unsigned int here = shared.ranks.offsets[w][digit_of_thread];
      shared.ranks.offsets[w][digit_of_thread] = in_tile;
      in_tile += here;
    }
    *(volatile gpurepl_number *)&state[number * 256 + digit_of_thread] = (tile ? OWN : UP_TO) | in_tile;
    before = in_tile;
    #pragma unroll
    for (unsigned int step = 1; step < 32; step *= 2) {
      const unsigned int other = __shfl_up_sync(ALL, before, step);
      if (lane >= step) before += other;
    }
    if (lane == 31) sums[warp] = before;
  }
  __syncthreads();
  if (threadIdx.x < 256) {
    before -= in_tile;
    #pragma unroll
    for (unsigned int w = 0; w < 8; w++) before += w < warp ? sums[w] : 0;
    #pragma unroll
    for (unsigned int w = 0; w < WARPS; w++) shared.ranks.offsets[w][digit_of_thread] += before;
  }
  __syncthreads();

  #pragma unroll
  for (int k = 0; k < SORT_ITEMS; k++) {
    const unsigned int digit = ranks.get(k);
    unsigned int *const match = &shared.ranks.matches[warp][digit];
    atomicOr(match, 1u << lane);
    __syncwarp();
    const unsigned int same = *(volatile unsigned int *)match;
    const unsigned int leader = 31 - __clz((int)same);
    const unsigned int up_to = __popc(same & (ALL >> (31 - lane)));
    unsigned int first = 0;
    if (lane == leader) {
      first = shared.ranks.offsets[warp][digit];
      shared.ranks.offsets[warp][digit] = first + up_to;
    }
    first = __shfl_sync(ALL, first, (int)leader);
    if (lane == leader) *(volatile unsigned int *)match = 0;
    __syncwarp();
    ranks.set(k, first + up_to - 1);
  }
  __syncthreads();
  #pragma unroll
  for (int k = 0; k < SORT_ITEMS; k++)
    if (own + 32 * k < count) shared.elements[ranks.get(k)] = elements[k];

  if (threadIdx.x < 256) {
    gpurepl_number earlier = 0;
    for (unsigned long long back = tile; back > 0; ) {
      const gpurepl_number said =
          *(volatile const gpurepl_number *)&state[(number - (tile - back) - 1) * 256 + digit_of_thread];
      if (said == 0) continue;
      earlier += said & (OWN - 1);
      if (said & UP_TO) break;
      back--;
    }
    if (tile)
      *(volatile gpurepl_number *)&state[number * 256 + digit_of_thread] = UP_TO | (earlier + in_tile);
    bases[digit_of_thread] =
        (gpurepl_number)starts[(row * SORT_PASSES + pass) * 256 + digit_of_thread] + earlier - before;
  }
  __syncthreads();

#if SORT_PLACES
  gpurepl_pairs<SORT_ITEMS> digits = {};
#endif
  gpurepl_raw *const to = out + row * length;
  #pragma unroll
  for (int k = 0; k < SORT_ITEMS; k++) {
    const unsigned int i = threadIdx.x + SORT_THREADS * k;
    if (i < count) {
      const gpurepl_raw element = shared.elements[i];
      const unsigned int digit = gpurepl_byte(gpurepl_key(element), (int)pass);
      if (out) to[(gpurepl_number)(bases[digit] + i)] = element;
#if SORT_PLACES
      digits.set(k, digit);
#endif
    }
  }
#if SORT_PLACES
  // The first pass makes the places, the last one writes them in 64 bits.
  const bool is_first = pass == 0, is_last = pass + 1 == SORT_PASSES;
  __syncthreads();
  #pragma unroll
  for (int k = 0; k < SORT_ITEMS; k++) {
    const unsigned int i = own + 32 * k;
    if (i < count)
      shared.places[ranks.get(k)] = is_first ? (gpurepl_number)(start + i) : in_places[row * length + start + i];
  }
  __syncthreads();
  #pragma unroll
  for (int k = 0; k < SORT_ITEMS; k++) {
    const unsigned int i = threadIdx.x + SORT_THREADS * k;
    if (i < count) {
      const unsigned long long at = row * length + (gpurepl_number)(bases[digits.get(k)] + i);
      if (is_last) ((long long *)out_places)[at] = (long long)shared.places[i];
      else ((gpurepl_number *)out_places)[at] = shared.places[i];
    }
  }
#endif
}
// SEARCHES
// Where values belong among sorted elements: before equal ones, or behind them.
extern "C" __global__ void __launch_bounds__(SORT_THREADS) gpurepl_search(
    const gpurepl_raw *sorted, const gpurepl_raw *values, long long *places,
    unsigned long long length, unsigned long long count, unsigned long long is_behind)
{
  for (unsigned long long i = blockIdx.x * (unsigned long long)SORT_THREADS + threadIdx.x; i < count;
       i += gridDim.x * (unsigned long long)SORT_THREADS) {
    const gpurepl_key_type key = gpurepl_key(values[i]);
    unsigned long long first = 0, left = length;
    while (left > 0) {
      const unsigned long long half = left / 2;
      const gpurepl_key_type other = gpurepl_key(sorted[first + half]);
      if (is_behind ? !gpurepl_before(key, other) : gpurepl_before(other, key)) {
        first += half + 1;
        left -= half + 1;
      } else {
        left = half;
      }
    }
    places[i] = (long long)first;
  }
}
