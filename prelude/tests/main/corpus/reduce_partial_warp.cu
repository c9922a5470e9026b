// Sums of which the last part is for the first lanes of a warp, as many as the
// block has warps.
template <class T> struct Room {
    __device__ operator T *() const
    {
        extern __shared__ __align__(8) unsigned char room[];
        return reinterpret_cast<T *>(room);
    }
};

template <class T> __device__ __forceinline__ T warp_sum(unsigned mask, T x)
{
    for (int distance = warpSize / 2; distance > 0; distance /= 2) {
        T other = __shfl_down_sync(mask, x, distance);
        // Beyond the mask there is nothing to add.
        x += mask >> ((threadIdx.x + distance) & 31) & 1 ? other : T(0);
    }
    return x;
}

#if __CUDA_ARCH__ >= 800
template <> __device__ __forceinline__ int warp_sum<int>(unsigned mask, int x)
{
    return __reduce_add_sync(mask, x);
}
#endif

template <class T, unsigned THREADS> __global__ void sum(const T *__restrict__ x, T *__restrict__ out, unsigned n)
{
    T *parts = Room<T>(), total = 0;
    for (unsigned i = blockIdx.x * THREADS + threadIdx.x; i < n; i += THREADS * gridDim.x)
        total += x[i];
    total = warp_sum(0xffffffff, total);
    if (threadIdx.x % warpSize == 0)
        parts[threadIdx.x / warpSize] = total;
    __syncthreads();
    const unsigned mask = __ballot_sync(0xffffffff, threadIdx.x < THREADS / 32);
    if (threadIdx.x < THREADS / 32) {
        total = warp_sum(mask, parts[threadIdx.x]);
        if (threadIdx.x == 0)
            out[blockIdx.x] = total;
    }
}
