// Counting sort of small keys: count each, and write as many of each.
#define KEYS 256

__global__ void count_keys(const unsigned char *keys, int n, unsigned int *counts)
{
    __shared__ unsigned int of_block[KEYS];
    for (int k = threadIdx.x; k < KEYS; k += blockDim.x)
        of_block[k] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        atomicAdd(&of_block[keys[i]], 1u);
    __syncthreads();
    for (int k = threadIdx.x; k < KEYS; k += blockDim.x)
        if (of_block[k] > 0)
            atomicAdd(&counts[k], of_block[k]);
}

// KEYS threads: every block finds by itself where the keys end, and each thread
// which key its element has.
__global__ void write_keys(const unsigned int *counts, unsigned char *out, int n)
{
    __shared__ unsigned int ends[KEYS];
    unsigned int t = threadIdx.x, i = blockIdx.x * KEYS + t;
    ends[t] = counts[t];
    __syncthreads();
    for (unsigned int distance = 1; distance < KEYS; distance *= 2) {
        unsigned int left = t >= distance ? ends[t - distance] : 0;
        __syncthreads();
        ends[t] += left;
        __syncthreads();
    }
    if (i >= n)
        return;
    // The first key that ends behind this place.
    int low = 0, high = KEYS - 1;
    while (low < high) {
        int middle = (low + high) / 2;
        if (ends[middle] > i)
            high = middle;
        else
            low = middle + 1;
    }
    out[i] = low;
}
