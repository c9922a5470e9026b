// A sum in one launch: the block that finishes last adds what the others left,
// after the sample "threadFenceReduction" of CUDA's.
#define THREADS 128

__device__ unsigned int finished = 0;

__device__ double block_sum(double *s, double x)
{
    int t = threadIdx.x;
    s[t] = x;
    __syncthreads();
    for (int stride = THREADS / 2; stride > 0; stride /= 2) {
        if (t < stride)
            s[t] += s[t + stride];
        __syncthreads();
    }
    return s[0];
}

__global__ void __launch_bounds__(THREADS)
sum(const double *in, volatile double *partial, double *total, int n)
{
    __shared__ double s[THREADS];
    __shared__ bool is_last;
    int t = threadIdx.x;

    double x = 0;
    for (int i = blockIdx.x * THREADS + t; i < n; i += gridDim.x * THREADS)
        x += in[i];
    x = block_sum(s, x);

    if (t == 0) {
        partial[blockIdx.x] = x;
        // The partial sum must be seen before the count says that it is there.
        __threadfence();
        // Counts to the number of blocks and then starts anew by itself.
        unsigned int before = atomicInc(&finished, gridDim.x - 1);
        is_last = before == gridDim.x - 1;
    }
    // Also: everybody has read s[0] before anybody writes it again.
    __syncthreads();

    if (is_last) {
        x = 0;
        for (int k = t; k < gridDim.x; k += THREADS)
            x += partial[k];
        x = block_sum(s, x);
        if (t == 0)
            *total = x;
    }
}
