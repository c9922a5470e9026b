// A weighted sum of seven neighbours along a line. The block's piece of it lies
// in shared memory, with a halo of three on each side. Beyond the ends is zero.
#define THREADS 128
#define RADIUS 3

__global__ void stencil(const int *in, int *out, int n)
{
    __shared__ int piece[THREADS + 2 * RADIUS];
    const int weights[RADIUS + 1] = { 20, 15, 6, 1 };
    int i = blockIdx.x * THREADS + threadIdx.x;
    int k = threadIdx.x + RADIUS;
    piece[k] = i < n ? in[i] : 0;
    if (threadIdx.x < RADIUS) {
        piece[k - RADIUS] = i >= RADIUS ? in[i - RADIUS] : 0;
        piece[k + THREADS] = i + THREADS < n ? in[i + THREADS] : 0;
    }
    __syncthreads();
    if (i < n) {
        int sum = weights[0] * piece[k];
        for (int j = 1; j <= RADIUS; j++)
            sum += weights[j] * (piece[k - j] + piece[k + j]);
        out[i] = sum;
    }
}

// The same with a halo that each thread asks its neighbours for: warps overlap
// by 2 * RADIUS, and only the lanes in the middle write.
__global__ void stencil_by_shuffles(const int *in, int *out, int n)
{
    const int inner = 32 - 2 * RADIUS;
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    int i = warp * inner + lane - RADIUS;
    int own = i >= 0 && i < n ? in[i] : 0;
    int sum = 20 * own;
    sum += 15 * (__shfl_up_sync(~0u, own, 1) + __shfl_down_sync(~0u, own, 1));
    sum += 6 * (__shfl_up_sync(~0u, own, 2) + __shfl_down_sync(~0u, own, 2));
    sum += __shfl_up_sync(~0u, own, 3) + __shfl_down_sync(~0u, own, 3);
    if (lane >= RADIUS && lane < RADIUS + inner && i < n)
        out[i] = sum;
}
