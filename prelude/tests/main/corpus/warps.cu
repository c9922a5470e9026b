// What the lanes of a warp tell each other.
#define ALL 0xffffffffu

// Sums of segments of 8 and 16 lanes, and their first lane's number.
__global__ void segments(const int *x, int *sums8, int *sums16, int *firsts)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int sum8 = x[i], sum16 = x[i];
    for (int distance = 4; distance; distance /= 2)
        sum8 += __shfl_down_sync(ALL, sum8, distance, 8);
    for (int distance = 8; distance; distance /= 2)
        sum16 += __shfl_xor_sync(ALL, sum16, distance, 16);
    sums8[i] = __shfl_sync(ALL, sum8, 0, 8);
    sums16[i] = sum16;
    firsts[i] = __shfl_sync(ALL, x[i], 16, 16);  // Lane 16 of a segment of 16 is its first.
}

// Broadcasts, rotations and numbers of 64 bits; running sums of segments of 8.
__global__ void moves(const double *x, double *broadcast, double *rotated, long long *up, float *sums)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
    broadcast[i] = __shfl_sync(ALL, x[i], 5);
    rotated[i] = __shfl_sync(ALL, x[i], lane + 1);  // Lane 32 is lane 0.
    up[i] = __shfl_up_sync(ALL, (long long)i << 33, 3);
    float sum = (float)x[i];
    for (int distance = 1; distance < 8; distance *= 2) {
        float left = __shfl_up_sync(ALL, sum, distance, 8);
        if (lane % 8 >= distance)
            sum += left;
    }
    sums[i] = sum;
}

__global__ void votes(const int *x, int limit, unsigned int *ballots, int *flags)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    bool above = x[i] > limit;
    ballots[i] = __ballot_sync(ALL, above);
    flags[i] = 2 * (__any_sync(ALL, above) != 0) + (__all_sync(ALL, above) != 0);
}

__global__ void matches(const unsigned int *x, const unsigned long long *wide, unsigned int *any, unsigned int *all,
                        int *equal)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, predicate;
    any[i] = __match_any_sync(ALL, x[i]);
    all[i] = __match_all_sync(ALL, wide[i], &predicate);
    equal[i] = predicate != 0;
}

__global__ void reductions(const unsigned int *x, unsigned int *out, int *least)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int sum = __reduce_add_sync(ALL, x[i]), largest = __reduce_max_sync(ALL, x[i]);
    unsigned int both = __reduce_and_sync(ALL, x[i]), either = __reduce_or_sync(ALL, x[i]);
    out[i] = sum ^ largest ^ both ^ either ^ __reduce_xor_sync(ALL, x[i]);
    least[i] = __reduce_min_sync(ALL, (int)x[i]);
}

// Parts of a warp go different ways, and the lanes of each meet on their own.
__global__ void partial_masks(const int *x, int *out)
{
    __shared__ int kept[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
    kept[threadIdx.x] = x[i];
    if (lane < 12) {
        const unsigned int mask = 0x00000fffu;
        __syncwarp(mask);
        int other = kept[threadIdx.x - lane + (lane + 1) % 12];
        __syncwarp(mask);
        kept[threadIdx.x] = other;
        __syncwarp(mask);
        out[i] = kept[threadIdx.x] + __shfl_sync(mask, other, 11);
    } else if (lane & 1) {
        const unsigned int mask = 0xaaaaa000u;
        out[i] = __popc(__ballot_sync(mask, x[i] & 1)) + 100 * __shfl_sync(mask, lane, 31);
    } else {
        const unsigned int mask = 0x55555000u;
        int largest = x[i];
        for (int k = 12; k < 32; k += 2)
            largest = max(largest, __shfl_sync(mask, x[i], k));
        out[i] = largest;
    }
    __syncwarp();
    if (lane == 0)
        out[i] += kept[threadIdx.x + 31];
}
