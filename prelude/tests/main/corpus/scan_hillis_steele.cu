// Inclusive scans of rows, a block for each, by doubling distances (Hillis and
// Steele, "Data parallel algorithms", 1986). A row is as long as the block.

// Two buffers take turns: one is read while the other is written.
__global__ void prefix_sums(const int *in, int *out)
{
    extern __shared__ int buffers[];
    int t = threadIdx.x, n = blockDim.x;
    int *from = buffers, *to = buffers + n;
    from[t] = in[blockIdx.x * n + t];
    __syncthreads();
    for (int distance = 1; distance < n; distance *= 2) {
        to[t] = t >= distance ? from[t] + from[t - distance] : from[t];
        __syncthreads();
        int *other = from;
        from = to;
        to = other;
    }
    out[blockIdx.x * n + t] = from[t];
}

// One buffer, with a barrier between reading and writing.
__global__ void running_maxima(float *data)
{
    extern __shared__ float s[];
    int t = threadIdx.x;
    float *row = data + blockIdx.x * blockDim.x;
    s[t] = row[t];
    __syncthreads();
    for (int distance = 1; distance < blockDim.x; distance *= 2) {
        float left = t >= distance ? s[t - distance] : s[t];
        __syncthreads();
        s[t] = fmaxf(s[t], left);
        __syncthreads();
    }
    row[t] = s[t];
}
