// Run-length encoding: an element that differs from the one before begins a
// run, and the number of beginnings up to it is the run's number.

// One block, of whole warps, with so many elements for each thread.
#define ITEMS 4

__global__ void encode(const unsigned char *in, int n, unsigned char *values, int *begins, int *runs)
{
    __shared__ int of_warp[32];
    int t = threadIdx.x, lane = t % 32, warp = t / 32;
    int first = t * ITEMS, count = 0;
    bool begin[ITEMS];
    #pragma unroll
    for (int k = 0; k < ITEMS; k++) {
        int i = first + k;
        begin[k] = i < n && (i == 0 || in[i] != in[i - 1]);
        count += begin[k];
    }
    int number = count;
    for (int distance = 1; distance < 32; distance *= 2) {
        int left = __shfl_up_sync(0xffffffff, number, distance);
        if (lane >= distance)
            number += left;
    }
    if (lane == 31)
        of_warp[warp] = number;
    __syncthreads();
    for (int k = 0; k < warp; k++)
        number += of_warp[k];
    if (t == blockDim.x - 1) {
        *runs = number;
        begins[number] = n;
    }
    number -= count;
    #pragma unroll
    for (int k = 0; k < ITEMS; k++) {
        if (begin[k]) {
            values[number] = in[first + k];
            begins[number++] = first + k;
        }
    }
}
