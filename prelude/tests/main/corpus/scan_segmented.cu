// Sums that start anew wherever a segment begins. A pair of a flag and a sum is
// scanned: once the flag is set, nothing more is added from the left.
#define THREADS 128

// What a block cannot know is what comes from the blocks before: `is_open` says
// which of its elements still wait for that.
__global__ void scan_blocks(const int *in, const unsigned char *heads, int *out, unsigned char *is_open,
                            int n)
{
    __shared__ int sums[THREADS];
    __shared__ unsigned char flags[THREADS];
    int t = threadIdx.x, i = blockIdx.x * THREADS + t;
    sums[t] = i < n ? in[i] : 0;
    flags[t] = i < n ? heads[i] : 0;
    __syncthreads();
    for (int distance = 1; distance < THREADS; distance <<= 1) {
        int sum = sums[t];
        unsigned char flag = flags[t];
        if (t >= distance) {
            if (!flag)
                sum += sums[t - distance];
            flag |= flags[t - distance];
        }
        __syncthreads();
        sums[t] = sum;
        flags[t] = flag;
        __syncthreads();
    }
    if (i < n) {
        out[i] = sums[t];
        is_open[i] = !flags[t];
    }
}

// One thread goes from block to block.
__global__ void carry(const int *out, const unsigned char *is_open, int *carries, int n)
{
    int sum = 0;
    for (int block = 0; block * THREADS < n; block++) {
        carries[block] = sum;
        int last = min(block * THREADS + THREADS, n) - 1;
        sum = out[last] + (is_open[last] ? sum : 0);
    }
}

__global__ void add_carries(int *out, const unsigned char *is_open, const int *carries, int n)
{
    int i = blockIdx.x * THREADS + threadIdx.x;
    if (i < n && is_open[i])
        out[i] += carries[blockIdx.x];
}
