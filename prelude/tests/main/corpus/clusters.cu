// k-means: points go to the nearest centre, and centres to the middle of their
// points. Coordinates are integers, so that sums do not depend on their order.
#define MOST 32

__global__ void assign(const int2 *points, int n, const int2 *centres, int k, int *nearest, int *counts,
                       unsigned long long *sums)
{
    __shared__ int2 shared_centres[MOST];
    __shared__ int own_counts[MOST];
    __shared__ int2 own_sums[MOST];
    for (int c = threadIdx.x; c < k; c += blockDim.x) {
        shared_centres[c] = centres[c];
        own_counts[c] = 0;
        own_sums[c] = make_int2(0, 0);
    }
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int best = -1;
        long long least = 0;
        for (int c = 0; c < k; c++) {
            long long dx = points[i].x - shared_centres[c].x, dy = points[i].y - shared_centres[c].y;
            long long square = dx * dx + dy * dy;
            if (best < 0 || square < least) {
                best = c;
                least = square;
            }
        }
        nearest[i] = best;
        atomicAdd(&own_counts[best], 1);
        atomicAdd(&own_sums[best].x, points[i].x);
        atomicAdd(&own_sums[best].y, points[i].y);
    }
    __syncthreads();
    for (int c = threadIdx.x; c < k; c += blockDim.x) {
        atomicAdd(&counts[c], own_counts[c]);
        atomicAdd(&sums[2 * c], (unsigned long long)own_sums[c].x);
        atomicAdd(&sums[2 * c + 1], (unsigned long long)own_sums[c].y);
    }
}

__global__ void move_centres(int2 *centres, int k, const int *counts, const unsigned long long *sums)
{
    int c = threadIdx.x;
    if (c < k && counts[c] > 0) {
        centres[c].x = (int)(sums[2 * c] / counts[c]);
        centres[c].y = (int)(sums[2 * c + 1] / counts[c]);
    }
}
