// Batcher's bitonic sort: a fixed network of comparisons, whatever the numbers
// ("Sorting networks and their applications", 1968).
#define SIZE 512

// Sorts each piece of SIZE pairs by half as many threads. The last piece is
// filled up with the largest key, which is not to stand among the keys.
__global__ void __launch_bounds__(SIZE / 2) sort_pieces(unsigned int *keys, unsigned int *values, int n)
{
    __shared__ unsigned int k[SIZE], v[SIZE];
    int t = threadIdx.x, start = blockIdx.x * SIZE;
    for (int i = t; i < SIZE; i += SIZE / 2) {
        k[i] = start + i < n ? keys[start + i] : 0xffffffff;
        v[i] = start + i < n ? values[start + i] : 0;
    }
    for (int size = 2; size <= SIZE; size *= 2) {
        for (int stride = size / 2; stride > 0; stride /= 2) {
            __syncthreads();
            int i = 2 * t - (t & (stride - 1)), j = i + stride;
            bool ascending = (i & size) == 0;
            if ((k[i] > k[j]) == ascending) {
                unsigned int key = k[i], value = v[i];
                k[i] = k[j];
                v[i] = v[j];
                k[j] = key;
                v[j] = value;
            }
        }
    }
    __syncthreads();
    for (int i = t; i < SIZE; i += SIZE / 2) {
        if (start + i < n) {
            keys[start + i] = k[i];
            values[start + i] = v[i];
        }
    }
}

// One column of the network over a whole array, whose length is a power of two:
// for arrays that are longer than a block.
__global__ void bitonic_step(float *a, int size, int stride)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = i ^ stride;
    if (j < i)
        return;
    float x = a[i], y = a[j];
    if ((x > y) == ((i & size) == 0)) {
        a[i] = y;
        a[j] = x;
    }
}
