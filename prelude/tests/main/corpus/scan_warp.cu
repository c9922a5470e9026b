// Inclusive scans by shuffles: first in each warp, then over the warps' sums.

__device__ long long warp_scan(long long x)
{
    int lane = threadIdx.x & 31;
    for (int distance = 1; distance < 32; distance <<= 1) {
        long long left = __shfl_up_sync(0xffffffff, x, distance);
        if (lane >= distance)
            x += left;
    }
    return x;
}

// One block of whole warps goes along the array, a tile after the other.
__global__ void scan(const long long *in, long long *out, int n)
{
    __shared__ long long of_warp[32];
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, warps = blockDim.x >> 5;
    long long before = 0;
    for (int start = 0; start < n; start += blockDim.x) {
        int i = start + threadIdx.x;
        long long x = warp_scan(i < n ? in[i] : 0);
        if (lane == 31)
            of_warp[warp] = x;
        __syncthreads();
        if (warp == 0) {
            long long sum = warp_scan(lane < warps ? of_warp[lane] : 0);
            of_warp[lane] = sum;
        }
        __syncthreads();
        if (warp > 0)
            x += of_warp[warp - 1];
        if (i < n)
            out[i] = before + x;
        before += of_warp[warps - 1];
        __syncthreads(); // The sums are read; the next tile may overwrite them.
    }
}
