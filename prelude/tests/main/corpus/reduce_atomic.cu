// Every thread adds to a number of its block, and every block to one of the
// grid. The order is left open: sums of floats differ from run to run.

template <typename T> __device__ void add(const T *in, T *total, int n)
{
    __shared__ T sum;
    if (threadIdx.x == 0)
        sum = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        atomicAdd(&sum, in[i]);
    __syncthreads();
    if (threadIdx.x == 0)
        atomicAdd(total, sum);
}

__global__ void add_int(const int *in, int *total, int n) { add(in, total, n); }
__global__ void add_unsigned(const unsigned int *in, unsigned int *total, int n) { add(in, total, n); }
__global__ void add_float(const float *in, float *total, int n) { add(in, total, n); }
__global__ void add_double(const double *in, double *total, int n) { add(in, total, n); }
__global__ void add_long(const unsigned long long *in, unsigned long long *total, int n)
{
    add(in, total, n);
}
