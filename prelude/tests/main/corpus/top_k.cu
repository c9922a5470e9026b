// The K largest numbers in descending order. Each thread keeps its own list;
// then lists are merged, two into one, by a tree.
#include <limits.h>
#define K 8
#define THREADS 64

// Puts a number where it belongs; the last of the list drops out. Says whether
// there was a place for it.
__device__ bool insert(int *list, int x)
{
    if (x <= list[K - 1])
        return false;
    int k = K - 1;
    for (; k > 0 && list[k - 1] < x; k--)
        list[k] = list[k - 1];
    list[k] = x;
    return true;
}

__global__ void top_k(const int *in, int n, int *out)
{
    __shared__ int lists[THREADS][K];
    int t = threadIdx.x;
    int own[K];
    for (int k = 0; k < K; k++)
        own[k] = INT_MIN;
    for (int i = blockIdx.x * THREADS + t; i < n; i += gridDim.x * THREADS)
        insert(own, in[i]);
    for (int k = 0; k < K; k++)
        lists[t][k] = own[k];
    __syncthreads();
    for (int stride = THREADS / 2; stride > 0; stride /= 2) {
        if (t < stride)
            for (int k = 0; k < K && insert(lists[t], lists[t + stride][k]); k++)
                ;
        __syncthreads();
    }
    if (t < K)
        out[blockIdx.x * K + t] = lists[0][t];
}
