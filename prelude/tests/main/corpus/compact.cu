// The elements above a limit, without gaps.

__device__ int rank_in_warp(unsigned int votes)
{
    return __popc(votes & ((1u << (threadIdx.x % 32)) - 1));
}

// One atomic addition for each warp; the warps come in any order.
__global__ void compact_any_order(const int *in, int n, int limit, int *out, unsigned int *count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    bool keep = i < n && in[i] > limit;
    unsigned int votes = __ballot_sync(0xffffffff, keep);
    if (votes == 0)
        return;
    int leader = __ffs(votes) - 1;
    unsigned int start = 0;
    if (threadIdx.x % 32 == leader)
        start = atomicAdd(count, __popc(votes));
    start = __shfl_sync(0xffffffff, start, leader);
    if (keep)
        out[start + rank_in_warp(votes)] = in[i];
}

// In order: the blocks count, one warp finds where each begins, the blocks write.
__global__ void count_blocks(const int *in, int n, int limit, int *counts)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int count = __syncthreads_count(i < n && in[i] > limit);
    if (threadIdx.x == 0)
        counts[blockIdx.x] = count;
}

__global__ void find_starts(const int *counts, int *starts, int blocks)
{
    int lane = threadIdx.x, sum = 0;
    for (int first = 0; first < blocks; first += 32) {
        int own = first + lane < blocks ? counts[first + lane] : 0;
        int x = own;
        for (int distance = 1; distance < 32; distance *= 2) {
            int left = __shfl_up_sync(0xffffffff, x, distance);
            if (lane >= distance)
                x += left;
        }
        if (first + lane < blocks)
            starts[first + lane] = sum + x - own;
        sum += __shfl_sync(0xffffffff, x, 31);
    }
    if (lane == 0)
        starts[blocks] = sum;
}

__global__ void compact_in_order(const int *in, int n, int limit, const int *starts, int *out)
{
    __shared__ int of_warp[32];
    int i = blockIdx.x * blockDim.x + threadIdx.x, warp = threadIdx.x / 32;
    bool keep = i < n && in[i] > limit;
    unsigned int votes = __ballot_sync(0xffffffff, keep);
    if (threadIdx.x % 32 == 0)
        of_warp[warp] = __popc(votes);
    __syncthreads();
    if (keep) {
        int place = starts[blockIdx.x] + rank_in_warp(votes);
        for (int k = 0; k < warp; k++)
            place += of_warp[k];
        out[place] = in[i];
    }
}
