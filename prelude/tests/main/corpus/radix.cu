// Radix sort of pairs, from the lowest bit to the highest. Every step keeps the
// order of what it does not distinguish.
#define THREADS 128
#define DIGITS 16 // Four bits.

// How many threads before this one say yes, and how many do in all.
__device__ int count_before(bool yes, int &total)
{
    __shared__ int of_warp[THREADS / 32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    unsigned int votes = __ballot_sync(0xffffffff, yes);
    if (lane == 0)
        of_warp[warp] = __popc(votes);
    __syncthreads();
    int before = __popc(votes & ((1u << lane) - 1));
    total = 0;
    for (int k = 0; k < THREADS / 32; k++) {
        if (k < warp)
            before += of_warp[k];
        total += of_warp[k];
    }
    __syncthreads();
    return before;
}

struct Pairs {
    unsigned int keys[THREADS], values[THREADS];
};

// Pairs without the bit go to the front, those with it to the back.
__device__ void split(Pairs &pairs, int bit)
{
    int t = threadIdx.x, ones;
    unsigned int key = pairs.keys[t], value = pairs.values[t];
    bool one = (key >> bit) & 1;
    int before = count_before(one, ones);
    int place = one ? THREADS - ones + before : t - before;
    // Everybody has read: there was a barrier in between.
    pairs.keys[place] = key;
    pairs.values[place] = value;
    __syncthreads();
}

// One block's worth of pairs, by all bits.
__global__ void sort_block(unsigned int *keys, unsigned int *values, int n)
{
    __shared__ Pairs pairs;
    int t = threadIdx.x;
    pairs.keys[t] = t < n ? keys[t] : 0xffffffff;
    pairs.values[t] = t < n ? values[t] : 0;
    __syncthreads();
    for (int bit = 0; bit < 32; bit++)
        split(pairs, bit);
    if (t < n) {
        keys[t] = pairs.keys[t];
        values[t] = pairs.values[t];
    }
}

// More pairs, digit by digit: how often each block has each digit,
__global__ void count_digits(const unsigned int *keys, int n, int shift, int *counts)
{
    __shared__ int of_block[DIGITS];
    int i = blockIdx.x * THREADS + threadIdx.x;
    if (threadIdx.x < DIGITS)
        of_block[threadIdx.x] = 0;
    __syncthreads();
    if (i < n)
        atomicAdd(&of_block[(keys[i] >> shift) % DIGITS], 1);
    __syncthreads();
    if (threadIdx.x < DIGITS)
        counts[threadIdx.x * gridDim.x + blockIdx.x] = of_block[threadIdx.x];
}

// where each block's pairs with each digit begin, by one warp,
__global__ void find_starts(int *counts, int n)
{
    int lane = threadIdx.x, sum = 0;
    for (int first = 0; first < n; first += 32) {
        int own = first + lane < n ? counts[first + lane] : 0, x = own;
        for (int distance = 1; distance < 32; distance *= 2) {
            int left = __shfl_up_sync(0xffffffff, x, distance);
            if (lane >= distance)
                x += left;
        }
        if (first + lane < n)
            counts[first + lane] = sum + x - own;
        sum += __shfl_sync(0xffffffff, x, 31);
    }
}

// and all to their places: within the block they are sorted by the digit first.
__global__ void scatter(const unsigned int *keys, const unsigned int *values, unsigned int *out_keys,
                        unsigned int *out_values, int n, int shift, const int *starts)
{
    __shared__ Pairs pairs;
    __shared__ int begins[DIGITS];
    int t = threadIdx.x, first = blockIdx.x * THREADS;
    // What fills up the last block has the last digit, and stays behind.
    pairs.keys[t] = first + t < n ? keys[first + t] : 0xffffffff;
    pairs.values[t] = first + t < n ? values[first + t] : 0;
    __syncthreads();
    for (int bit = shift; bit < shift + 4; bit++)
        split(pairs, bit);
    int digit = (pairs.keys[t] >> shift) % DIGITS;
    if (t == 0 || (pairs.keys[t - 1] >> shift) % DIGITS != digit)
        begins[digit] = t;
    __syncthreads();
    if (first + t < n) {
        int place = starts[digit * gridDim.x + blockIdx.x] + t - begins[digit];
        out_keys[place] = pairs.keys[t];
        out_values[place] = pairs.values[t];
    }
}
