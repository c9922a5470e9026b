// Products of a matrix and a vector.

// A block for each row.
__global__ void by_rows(const float *a, const float *x, float *y, int columns)
{
    extern __shared__ float s[];
    const float *row = a + blockIdx.x * columns;
    float sum = 0.0f;
    for (int k = threadIdx.x; k < columns; k += blockDim.x)
        sum += row[k] * x[k];
    s[threadIdx.x] = sum;
    __syncthreads();
    for (int stride = blockDim.x / 2; stride > 0; stride /= 2) {
        if (threadIdx.x < stride)
            s[threadIdx.x] += s[threadIdx.x + stride];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        y[blockIdx.x] = s[0];
}

// A thread for each row; the block has a piece of the vector in shared memory.
#define PIECE 64

__global__ void by_threads(const double *a, const double *x, double *y, int rows, int columns)
{
    __shared__ double piece[PIECE];
    int row = blockIdx.x * PIECE + threadIdx.x;
    double sum = 0.0;
    for (int start = 0; start < columns; start += PIECE) {
        int k = start + threadIdx.x;
        piece[threadIdx.x] = k < columns ? x[k] : 0.0;
        __syncthreads();
        if (row < rows)
            for (int j = 0; j < min(PIECE, columns - start); j++)
                sum += a[row * columns + start + j] * piece[j];
        __syncthreads();
    }
    if (row < rows)
        y[row] = sum;
}

// The transposed matrix: a thread for each column and every few rows.
__global__ void transposed(const float *a, const float *x, float *y, int rows, int columns)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (column >= columns)
        return;
    float sum = 0.0f;
    for (int row = blockIdx.y; row < rows; row += gridDim.y)
        sum += a[row * columns + column] * x[row];
    atomicAdd(&y[column], sum);
}
