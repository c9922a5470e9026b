// The largest number and its place; of equal ones the first.
#define THREADS 128

struct Best {
    float value;
    int index;
};

__device__ bool is_better(const Best &a, const Best &b)
{
    return a.value > b.value || (a.value == b.value && a.index < b.index);
}

__device__ Best best_of_block(Best own)
{
    __shared__ Best s[THREADS];
    int t = threadIdx.x;
    s[t] = own;
    __syncthreads();
    for (int stride = THREADS / 2; stride > 0; stride /= 2) {
        if (t < stride && is_better(s[t + stride], s[t]))
            s[t] = s[t + stride];
        __syncthreads();
    }
    return s[0];
}

__global__ void argmax_of_blocks(const float *in, int n, float *values, int *indices)
{
    Best own = { -INFINITY, n };
    for (int i = blockIdx.x * THREADS + threadIdx.x; i < n; i += gridDim.x * THREADS) {
        Best other = { in[i], i };
        if (is_better(other, own))
            own = other;
    }
    Best best = best_of_block(own);
    if (threadIdx.x == 0) {
        values[blockIdx.x] = best.value;
        indices[blockIdx.x] = best.index;
    }
}

__global__ void argmax(const float *values, const int *indices, int n, int *index)
{
    int t = threadIdx.x;
    Best own = { -INFINITY, 0x7fffffff };
    if (t < n) {
        own.value = values[t];
        own.index = indices[t];
    }
    Best best = best_of_block(own);
    if (t == 0)
        *index = best.index;
}
