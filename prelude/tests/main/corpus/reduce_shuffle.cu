// Sums without a tree in memory: the threads of a warp read each other's
// registers, and only one number of each warp goes through shared memory.

template <typename T> __device__ T warp_sum(T x)
{
    for (int offset = warpSize / 2; offset > 0; offset /= 2)
        x += __shfl_down_sync(0xffffffff, x, offset);
    return x; // The sum in lane 0; nothing of use in the others.
}

// The number of threads must be a multiple of 32.
template <typename T> __device__ T block_sum(T x)
{
    __shared__ T partial[32];
    int lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize;
    x = warp_sum(x);
    if (lane == 0)
        partial[warp] = x;
    __syncthreads();
    if (warp == 0) {
        x = lane < blockDim.x / warpSize ? partial[lane] : T(0);
        x = warp_sum(x);
    }
    return x;
}

// A grid-stride loop: any number of blocks sums any number of elements.
template <typename T> __device__ void sum(const T *in, T *out, int n)
{
    T x = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        x += in[i];
    x = block_sum(x);
    if (threadIdx.x == 0)
        out[blockIdx.x] = x;
}

__global__ void sum_float(const float *in, float *out, int n) { sum(in, out, n); }
__global__ void sum_double(const double *in, double *out, int n) { sum(in, out, n); }
__global__ void sum_int(const int *in, int *out, int n) { sum(in, out, n); }
__global__ void sum_long_long(const long long *in, long long *out, int n) { sum(in, out, n); }
