// The size of the block is known when the kernel is compiled, so that its tree
// has no loop, and what a smaller block does not need is left out.
template <typename T, unsigned int block_size>
__global__ void reduce(const T *in, T *out, unsigned int n)
{
    __shared__ T s[block_size];
    unsigned int t = threadIdx.x;
    T sum = 0;
    for (unsigned int i = blockIdx.x * block_size * 2 + t; i < n; i += block_size * 2 * gridDim.x) {
        sum += in[i];
        if (i + block_size < n)
            sum += in[i + block_size];
    }
    s[t] = sum;
    __syncthreads();
    if (block_size >= 512) {
        if (t < 256)
            s[t] += s[t + 256];
        __syncthreads();
    }
    if (block_size >= 256) {
        if (t < 128)
            s[t] += s[t + 128];
        __syncthreads();
    }
    if (block_size >= 128) {
        if (t < 64)
            s[t] += s[t + 64];
        __syncthreads();
    }
    if (t < 32) {
        sum = s[t];
        if (block_size >= 64)
            sum += s[t + 32];
        for (int offset = 16; offset > 0; offset /= 2)
            sum += __shfl_down_sync(0xffffffff, sum, offset);
        if (t == 0)
            out[blockIdx.x] = sum;
    }
}
