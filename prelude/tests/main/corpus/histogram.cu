// How often each byte occurs, in three ways.
#define BINS 256

// Blocks count in shared memory first, where atomic additions are cheap.
__global__ void shared_bins(const unsigned char *data, int n, unsigned int *bins)
{
    __shared__ unsigned int own[BINS];
    for (int k = threadIdx.x; k < BINS; k += blockDim.x)
        own[k] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&own[data[i]], 1u);
    __syncthreads();
    for (int k = threadIdx.x; k < BINS; k += blockDim.x)
        if (own[k])
            atomicAdd(&bins[k], own[k]);
}

// The lanes of a warp that have the same byte add once, together.
__global__ void aggregated(const unsigned char *data, int n, unsigned int *bins)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int active = __ballot_sync(0xffffffffu, i < n);
    if (i >= n)
        return;
    unsigned int same = __match_any_sync(active, data[i]);
    int leader = __ffs(same) - 1;
    if (threadIdx.x % 32 == leader)
        atomicAdd(&bins[data[i]], (unsigned int)__popc(same));
}

// Numbers into buckets with bounds of any width, found by bisection.
template <typename T>
__device__ int bucket(const T *bounds, int count, T x)
{
    int low = 0, high = count;
    while (low < high) {
        int middle = (low + high) / 2;
        if (bounds[middle] <= x)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

__global__ void buckets(const float *data, int n, const float *bounds, int count, int *sizes)
{
    extern __shared__ int own_sizes[];
    for (int k = threadIdx.x; k <= count; k += blockDim.x)
        own_sizes[k] = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(own_sizes + bucket(bounds, count, data[i]), 1);
    __syncthreads();
    for (int k = threadIdx.x; k <= count; k += blockDim.x)
        atomicAdd(sizes + k, own_sizes[k]);
}
