// The sum of each block by a tree in shared memory, in the steps of Mark
// Harris, "Optimizing Parallel Reduction in CUDA".
#define MOST_THREADS 256

// Neighbours first: the threads that still work lie ever further apart, so
// every warp has some to the end.
__global__ void interleaved(const float *in, float *out, int n)
{
    __shared__ float s[MOST_THREADS];
    int t = threadIdx.x, threads = blockDim.x;
    int i = blockIdx.x * threads + t;
    s[t] = i < n ? in[i] : 0.0f;
    __syncthreads();
    for (int stride = 1; stride < threads; stride *= 2) {
        if (t % (2 * stride) == 0 && t + stride < threads)
            s[t] += s[t + stride];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = s[0];
}

// The same pairs by threads that lie together; their banks collide instead.
__global__ void strided(const float *in, float *out, int n)
{
    __shared__ float s[MOST_THREADS];
    int t = threadIdx.x, threads = blockDim.x;
    int i = blockIdx.x * threads + t;
    s[t] = i < n ? in[i] : 0.0f;
    __syncthreads();
    for (int stride = 1; stride < threads; stride *= 2) {
        int k = 2 * stride * t;
        if (k + stride < threads)
            s[k] += s[k + stride];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = s[0];
}

// The upper half is added to the lower one. Every thread starts with the sum
// of two elements, as half of them would do nothing but load. The number of
// threads must be a power of two.
__global__ void sequential(const float *in, float *out, int n)
{
    __shared__ float s[MOST_THREADS];
    int t = threadIdx.x;
    int i = blockIdx.x * (2 * blockDim.x) + t;
    float sum = i < n ? in[i] : 0.0f;
    if (i + blockDim.x < n)
        sum += in[i + blockDim.x];
    s[t] = sum;
    __syncthreads();
    for (int stride = blockDim.x / 2; stride > 0; stride >>= 1) {
        if (t < stride)
            s[t] += s[t + stride];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = s[0];
}
