// A step of the modified Gram-Schmidt process: vector k gets length one, and
// its direction is taken out of those after it. Vectors lie one after another.

__device__ double block_sum(double x)
{
    __shared__ double of_warp[32];
    __shared__ double total;
    for (int offset = 16; offset > 0; offset /= 2)
        x += __shfl_down_sync(0xffffffffu, x, offset);
    if (threadIdx.x % 32 == 0)
        of_warp[threadIdx.x / 32] = x;
    __syncthreads();
    if (threadIdx.x == 0) {
        total = 0.0;
        for (int k = 0; k < blockDim.x / 32; k++)
            total += of_warp[k];
    }
    __syncthreads();
    return total; // To all threads.
}

__global__ void normalise(double *vectors, int length, int k)
{
    double *v = vectors + k * length;
    double sum = 0.0;
    for (int i = threadIdx.x; i < length; i += blockDim.x)
        sum += v[i] * v[i];
    double scale = rsqrt(block_sum(sum));
    for (int i = threadIdx.x; i < length; i += blockDim.x)
        v[i] *= scale;
}

// A block for each vector after the k-th.
__global__ void project(double *vectors, int length, int k)
{
    const double *q = vectors + k * length;
    double *v = vectors + (k + 1 + blockIdx.x) * length;
    double sum = 0.0;
    for (int i = threadIdx.x; i < length; i += blockDim.x)
        sum += q[i] * v[i];
    double coefficient = block_sum(sum);
    for (int i = threadIdx.x; i < length; i += blockDim.x)
        v[i] -= coefficient * q[i];
}
