// A warp for every row. In a butterfly each lane adds what the lane across has,
// so that all of them end with the total and nobody needs to be told.

__device__ float warp_max(float x)
{
    for (int mask = 16; mask > 0; mask /= 2)
        x = fmaxf(x, __shfl_xor_sync(0xffffffff, x, mask));
    return x;
}

__device__ float warp_sum(float x)
{
    for (int mask = 16; mask > 0; mask /= 2)
        x += __shfl_xor_sync(0xffffffff, x, mask);
    return x;
}

// Blocks of 32 threads in x: a warp is a row of the block.
__global__ void softmax(const float *in, float *out, int rows, int columns)
{
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows)
        return;
    const float *x = in + row * columns;
    float *y = out + row * columns;

    float largest = -INFINITY;
    for (int k = threadIdx.x; k < columns; k += 32)
        largest = fmaxf(largest, x[k]);
    largest = warp_max(largest);

    float sum = 0.0f;
    for (int k = threadIdx.x; k < columns; k += 32) {
        y[k] = expf(x[k] - largest);
        sum += y[k];
    }
    sum = warp_sum(sum);
    for (int k = threadIdx.x; k < columns; k += 32)
        y[k] /= sum;
}
