// Odd-even transposition: neighbours change places, the even pairs and the odd
// pairs in turn. Each block sorts a row of n elements and has n / 2 threads.

__device__ bool order(short *s, int i, int n)
{
    if (i + 1 >= n || s[i] <= s[i + 1])
        return false;
    short x = s[i];
    s[i] = s[i + 1];
    s[i + 1] = x;
    return true;
}

// n rounds are always enough.
__global__ void sort_rows(short *rows, int n)
{
    extern __shared__ short s[];
    short *row = rows + blockIdx.x * n;
    for (int k = threadIdx.x; k < n; k += blockDim.x)
        s[k] = row[k];
    for (int round = 0; round < n; round++) {
        __syncthreads();
        order(s, 2 * threadIdx.x + round % 2, n);
    }
    __syncthreads();
    for (int k = threadIdx.x; k < n; k += blockDim.x)
        row[k] = s[k];
}

// Ends as soon as no thread of the block has anything to do, and counts.
__global__ void sort_rows_that_need_it(short *rows, int n, int *rounds)
{
    extern __shared__ short s[];
    short *row = rows + blockIdx.x * n;
    for (int k = threadIdx.x; k < n; k += blockDim.x)
        s[k] = row[k];
    __syncthreads();
    int count = 0;
    bool changed;
    do {
        changed = order(s, 2 * threadIdx.x, n);
        __syncthreads();
        changed |= order(s, 2 * threadIdx.x + 1, n);
        count++;
    } while (__syncthreads_or(changed));
    for (int k = threadIdx.x; k < n; k += blockDim.x)
        row[k] = s[k];
    if (threadIdx.x == 0)
        rounds[blockIdx.x] = count;
}
