// An element's place is the number of those that belong before it: smaller
// ones, and equal ones that stand before it already.
#define THREADS 96

__global__ void rank_sort(const float *in, float *sorted, int *order, int n)
{
    __shared__ float tile[THREADS];
    int i = blockIdx.x * THREADS + threadIdx.x;
    float own = i < n ? in[i] : 0.0f;
    int rank = 0;
    for (int start = 0; start < n; start += THREADS) {
        int length = min(THREADS, n - start);
        if (threadIdx.x < length)
            tile[threadIdx.x] = in[start + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < length; k++)
            rank += tile[k] < own || (tile[k] == own && start + k < i);
        __syncthreads();
    }
    if (i < n) {
        sorted[rank] = own;
        order[rank] = i;
    }
}
