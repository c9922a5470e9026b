// The exclusive scan that adds no more often than a loop would: up a tree and
// down again (Blelloch, "Prefix sums and their applications", 1990), with an
// unused place after every 32 so that banks do not collide ("GPU Gems 3",
// chapter 39).
#define ELEMENTS 256 // Of a block of half as many threads.
#define PADDED(k) ((k) + ((k) >> 5))

__global__ void scan_blocks(const unsigned int *in, unsigned int *out, unsigned int *sums, int n)
{
    __shared__ unsigned int s[PADDED(ELEMENTS)];
    int t = threadIdx.x, start = blockIdx.x * ELEMENTS;
    int a = t, b = t + ELEMENTS / 2;
    s[PADDED(a)] = start + a < n ? in[start + a] : 0;
    s[PADDED(b)] = start + b < n ? in[start + b] : 0;

    int distance = 1;
    for (int threads = ELEMENTS / 2; threads > 0; threads >>= 1) {
        __syncthreads();
        if (t < threads) {
            int left = distance * (2 * t + 1) - 1, right = distance * (2 * t + 2) - 1;
            s[PADDED(right)] += s[PADDED(left)];
        }
        distance *= 2;
    }
    if (t == 0) {
        sums[blockIdx.x] = s[PADDED(ELEMENTS - 1)];
        s[PADDED(ELEMENTS - 1)] = 0;
    }
    for (int threads = 1; threads < ELEMENTS; threads *= 2) {
        distance >>= 1;
        __syncthreads();
        if (t < threads) {
            int left = distance * (2 * t + 1) - 1, right = distance * (2 * t + 2) - 1;
            unsigned int sum = s[PADDED(left)];
            s[PADDED(left)] = s[PADDED(right)];
            s[PADDED(right)] += sum;
        }
    }
    __syncthreads();

    if (start + a < n)
        out[start + a] = s[PADDED(a)];
    if (start + b < n)
        out[start + b] = s[PADDED(b)];
}

__global__ void add_sums(unsigned int *out, const unsigned int *sums, int n)
{
    for (int k = threadIdx.x; k < ELEMENTS; k += blockDim.x) {
        int i = blockIdx.x * ELEMENTS + k;
        if (i < n)
            out[i] += sums[blockIdx.x];
    }
}
