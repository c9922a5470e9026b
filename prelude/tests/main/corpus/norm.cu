// Products and lengths of vectors.

// The elements' type has another name; the array's size comes with the launch.
typedef float real;

__device__ real block_sum(real x)
{
    extern __shared__ real s[];
    int t = threadIdx.x;
    s[t] = x;
    __syncthreads();
    for (int threads = blockDim.x; threads > 1;) {
        // Any number of threads: the middle one of an odd number waits.
        int half = (threads + 1) / 2;
        if (t < threads - half)
            s[t] += s[t + half];
        __syncthreads();
        threads = half;
    }
    return s[0];
}

__global__ void dot(const real *x, const real *y, real *partial, int n)
{
    real sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        sum += x[i] * y[i];
    sum = block_sum(sum);
    if (threadIdx.x == 0)
        partial[blockIdx.x] = sum;
}

// Floats that are not negative are in the order of their bits as integers.
__global__ void largest(const real *x, real *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicMax(reinterpret_cast<int *>(out), __float_as_int(fabsf(x[i])));
}

// Squares of numbers that are scaled to at most 1 do not overflow.
__global__ void scaled_squares(const real *x, const real *scale, real *total, int n)
{
    real sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        real scaled = x[i] / *scale;
        sum += scaled * scaled;
    }
    sum = block_sum(sum);
    if (threadIdx.x == 0)
        atomicAdd(total, sum);
}
