// Products of a sparse matrix and a vector. In compressed rows the elements of
// row i are those from starts[i] to before starts[i + 1].

// A thread for each row.
__global__ void rows_by_threads(const int *starts, const int *columns, const float *values, const float *x,
                                float *y, int rows)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    float sum = 0.0f;
    for (int k = starts[row]; k < starts[row + 1]; k++)
        sum += values[k] * x[columns[k]];
    y[row] = sum;
}

// A warp for each row: its lanes read elements that lie together.
__global__ void rows_by_warps(const int *__restrict__ starts, const int *__restrict__ columns,
                              const float *__restrict__ values, const float *__restrict__ x,
                              float *__restrict__ y, int rows)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
    if (row >= rows)
        return;
    float sum = 0.0f;
    for (int k = starts[row] + lane; k < starts[row + 1]; k += 32)
        sum += values[k] * x[columns[k]];
    for (int mask = 16; mask > 0; mask >>= 1)
        sum += __shfl_xor_sync(0xffffffff, sum, mask);
    if (lane == 0)
        y[row] = sum;
}

// Coordinates: every element with its row and column, in any order.
__global__ void coordinates(const int *rows, const int *columns, const double *values, const double *x,
                            double *y, int elements)
{
    for (int k = blockIdx.x * blockDim.x + threadIdx.x; k < elements; k += blockDim.x * gridDim.x)
        atomicAdd(y + rows[k], values[k] * x[columns[k]]);
}
