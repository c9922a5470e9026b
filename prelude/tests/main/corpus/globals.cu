// Variables of a module, which the program fills and reads by their names.
__constant__ float coefficients[5];
__constant__ int2 window = {0, 1 << 30};
__device__ unsigned int calls;
__device__ int totals[3] = {100, 200, 300};
__device__ double last = -1.5;
static __device__ unsigned long long hidden = 40;

namespace limits {
__constant__ int least = -7;
}

// A polynomial by Horner's rule, at places within the window.
__global__ void evaluate(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    atomicAdd(&calls, 1u);
    if (i < window.x || i >= window.y)
        return;
    float sum = coefficients[4];
    #pragma unroll
    for (int k = 3; k >= 0; k--)
        sum = sum * x[i] + coefficients[k];
    y[i] = sum;
}

__global__ void add(const int *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&totals[i % 3], max(x[i], limits::least));
    if (i == n - 1)
        last = x[i] / 2.0;
}

__global__ void uncover(unsigned long long *out) { *out = ++hidden; }
