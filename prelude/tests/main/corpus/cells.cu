// Forces of short range by cell lists: particles are counted into cells as
// wide as the range and put in order by cell, so that a particle looks at nine
// cells only. The box has side 1 and closes upon itself.
__device__ int cell_of(float2 p, int cells)
{
    int x = min((int)(p.x * cells), cells - 1), y = min((int)(p.y * cells), cells - 1);
    return y * cells + x;
}

__global__ void count(const float2 *places, int n, int *counts, int cells)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&counts[cell_of(places[i], cells)], 1);
}

// Where each cell starts, by one block: every thread sums up its share, and
// then adds what the threads before it have.
__global__ void find_starts(const int *counts, int *starts, int *next, int total)
{
    extern __shared__ int sums[];
    int share = (total + blockDim.x - 1) / blockDim.x;
    int begin = min(threadIdx.x * share, total), end = min(begin + share, total), sum = 0;
    for (int k = begin; k < end; k++)
        sum += counts[k];
    sums[threadIdx.x] = sum;
    __syncthreads();
    sum = 0;
    for (int k = 0; k < threadIdx.x; k++)
        sum += sums[k];
    for (int k = begin; k < end; k++) {
        starts[k] = next[k] = sum;
        sum += counts[k];
    }
    if (end == total && begin < total)
        starts[total] = sum;
}

__global__ void fill(const float2 *places, int n, int *next, int *order, int cells)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        order[atomicAdd(&next[cell_of(places[i], cells)], 1)] = i;
}

// The shorter way around.
__device__ float nearest(float d) { return d - rintf(d); }

// A force that goes to zero at the end of its range, so that rounding cannot
// decide whether it acts.
__global__ void forces(const float2 *places, const int *starts, const int *order, float2 *out, int n, int cells)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float2 own = places[i], sum = make_float2(0, 0);
    int cell = cell_of(own, cells);
    for (int dy = -1; dy <= 1; dy++) {
        for (int dx = -1; dx <= 1; dx++) {
            int x = (cell % cells + dx + cells) % cells, y = (cell / cells + dy + cells) % cells;
            int other = y * cells + x;
            for (int k = starts[other]; k < starts[other + 1]; k++) {
                if (order[k] == i)
                    continue;
                float2 p = places[order[k]];
                float2 d = make_float2(nearest(own.x - p.x), nearest(own.y - p.y));
                float distance = sqrtf(d.x * d.x + d.y * d.y) * cells;
                if (distance < 1) {
                    sum.x += (1 - distance) * d.x;
                    sum.y += (1 - distance) * d.y;
                }
            }
        }
    }
    out[i] = sum;
}
