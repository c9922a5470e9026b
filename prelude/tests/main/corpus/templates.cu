// Kernels that are templates, found by the name of an instance.
template <typename T>
__global__ void axpy(T a, const T *x, T *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}

// A power by repeated squaring, unrolled by the compiler.
template <unsigned int N>
struct Power {
    template <typename T>
    __device__ static T of(T x)
    {
        T half = Power<N / 2>::of(x);
        return N % 2 ? half * half * x : half * half;
    }
};
template <>
struct Power<0> {
    template <typename T>
    __device__ static T of(T)
    {
        return 1;
    }
};

template <unsigned int N>
__global__ void power(unsigned int *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] = Power<N>::of(x[i]);
}

// A type and a number: sums of N neighbours, turned around in shared memory
// whose size the number gives.
template <typename T, int N>
__global__ void turned_sums(const T *x, T *y)
{
    __shared__ T sums[N];
    const T *own = x + (blockIdx.x * N + threadIdx.x) * N;
    T sum = 0;
    #pragma unroll
    for (int k = 0; k < N; k++)
        sum += own[k];
    sums[N - 1 - threadIdx.x] = sum;
    __syncthreads();
    y[blockIdx.x * N + threadIdx.x] = sums[threadIdx.x];
}

// Code for some instances only.
template <typename T, bool Inclusive>
__global__ void triangle(T *x, unsigned int n)
{
    for (unsigned int i = threadIdx.x; i < n; i += blockDim.x)
        if constexpr (Inclusive)
            x[i] = T(i) * T(i + 1) / 2;
        else
            x[i] = i ? T(i - 1) * T(i) / 2 : T(0);
}
