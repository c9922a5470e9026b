// Merging by many threads: each finds out for itself which elements its part of
// the result is made of (Green, McColl and Bader, "GPU merge path", 2012).
#define THREADS 64
#define ITEMS 4 // Elements of a thread.
#define TILE (THREADS * ITEMS)

// How many of the first `diagonal` elements of the merged array come from a. Of
// equal elements those of a are first.
__device__ int merge_path(const int *a, int a_length, const int *b, int b_length, int diagonal)
{
    int low = max(0, diagonal - b_length), high = min(diagonal, a_length);
    while (low < high) {
        int middle = (low + high) / 2;
        if (a[middle] <= b[diagonal - 1 - middle])
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// Writes `count` elements of the merged array from the diagonal on.
__device__ void merge_serially(const int *a, int a_length, const int *b, int b_length, int diagonal,
                               int count, int *out)
{
    int i = merge_path(a, a_length, b, b_length, diagonal), j = diagonal - i;
    for (int k = 0; k < count; k++) {
        bool from_a = j >= b_length || (i < a_length && a[i] <= b[j]);
        out[k] = from_a ? a[i++] : b[j++];
    }
}

// Every block merges one tile of the result, in shared memory.
__global__ void merge(const int *a, int a_length, const int *b, int b_length, int *out)
{
    __shared__ int inputs[TILE];
    __shared__ int ends[2];
    int t = threadIdx.x, n = a_length + b_length;
    int start = blockIdx.x * TILE, end = min(start + TILE, n);
    if (t < 2)
        ends[t] = merge_path(a, a_length, b, b_length, t == 0 ? start : end);
    __syncthreads();
    int from_a = ends[1] - ends[0], size = end - start;
    for (int k = t; k < size; k += THREADS)
        inputs[k] = k < from_a ? a[ends[0] + k] : b[start - ends[0] + k - from_a];
    __syncthreads();
    int diagonal = t * ITEMS, count = min(ITEMS, size - diagonal);
    if (count > 0)
        merge_serially(inputs, from_a, inputs + from_a, size - from_a, diagonal, count,
                       out + start + diagonal);
}

// Merge sort begins with short runs, each sorted by a thread,
__global__ void sort_runs(int *a, int n)
{
    int start = (blockIdx.x * blockDim.x + threadIdx.x) * ITEMS;
    for (int i = start + 1; i < min(start + ITEMS, n); i++) {
        int x = a[i], k = i;
        for (; k > start && a[k - 1] > x; k--)
            a[k] = a[k - 1];
        a[k] = x;
    }
}

// and merges two of them into one, until there is one left.
__global__ void merge_pass(const int *in, int *out, int n, int width)
{
    int start = (blockIdx.x * blockDim.x + threadIdx.x) * ITEMS;
    if (start >= n)
        return;
    int first = start / (2 * width) * (2 * width);
    int second = min(first + width, n), end = min(first + 2 * width, n);
    merge_serially(in + first, second - first, in + second, end - second, start - first,
                   min(ITEMS, n - start), out + start);
}
