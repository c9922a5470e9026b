// As it was written before `__syncwarp`: the threads of a warp are taken to
// move in step, and `volatile` has every step go through memory.

__device__ void warp_reduce(volatile int *s, unsigned int t)
{
    s[t] += s[t + 32];
    s[t] += s[t + 16];
    s[t] += s[t + 8];
    s[t] += s[t + 4];
    s[t] += s[t + 2];
    s[t] += s[t + 1];
}

// Blocks of 64 threads or more, a power of two.
__global__ void sum(const int *in, int *out, unsigned int n)
{
    extern __shared__ int s[];
    unsigned int t = threadIdx.x;
    unsigned int i = blockIdx.x * blockDim.x + t;
    s[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (unsigned int stride = blockDim.x / 2; stride > 32; stride >>= 1) {
        if (t < stride)
            s[t] += s[t + stride];
        __syncthreads();
    }
    if (t < 32)
        warp_reduce(s, t);
    if (t == 0)
        out[blockIdx.x] = s[0];
}
