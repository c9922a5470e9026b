// Elements that are gathered by counters, to which the lanes that are there
// add together: one atomic function for all, or for each bucket.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;

__device__ int place(int *counter)
{
    cg::coalesced_group there = cg::coalesced_threads();
    int first = 0;
    if (there.thread_rank() == 0)
        first = atomicAdd(counter, (int)there.size());
    return there.shfl(first, 0) + there.thread_rank();
}

__global__ void positive(const int *x, int *out, int *count, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        if (x[i] > 0)
            out[place(count)] = x[i];
}

__global__ void buckets(const int *key, const int *x, int *order, int *next, int *largest, int n)
{
    cg::grid_group grid = cg::this_grid();
    for (int i = grid.thread_rank(); i < n; i += grid.size()) {
        auto same = cg::labeled_partition(cg::coalesced_threads(), key[i]);
        int first = same.thread_rank() == 0 ? atomicAdd(&next[key[i]], (int)same.size()) : 0;
        order[same.shfl(first, 0) + same.thread_rank()] = i;
        int value = cg::reduce(same, x[i], cg::greater<int>());
        if (same.thread_rank() == 0)
            atomicMax(&largest[key[i]], value);
    }
}
