// Products of matrices: (rows x inner) times (inner x columns), row by row.
#define TILE 16

// One thread for each element, all from global memory.
__global__ void multiply_naive(const double *a, const double *b, double *c, int rows, int inner, int columns)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows || column >= columns)
        return;
    double sum = 0.0;
    for (int k = 0; k < inner; k++)
        sum += a[row * inner + k] * b[k * columns + column];
    c[row * columns + column] = sum;
}

// C = alpha A B + beta C, by tiles that a block reads once for all its threads.
// Beyond the edges the tiles are filled with zeros.
__global__ void multiply_tiled(float alpha, const float *a, const float *b, float beta, float *c, int rows,
                               int inner, int columns)
{
    __shared__ float tile_a[TILE][TILE], tile_b[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
    float sum = 0.0f;
    for (int start = 0; start < inner; start += TILE) {
        tile_a[y][x] = row < rows && start + x < inner ? a[row * inner + start + x] : 0.0f;
        tile_b[y][x] = start + y < inner && column < columns ? b[(start + y) * columns + column] : 0.0f;
        __syncthreads();
        #pragma unroll
        for (int k = 0; k < TILE; k++)
            sum += tile_a[y][k] * tile_b[k][x];
        __syncthreads();
    }
    if (row < rows && column < columns)
        c[row * columns + column] = alpha * sum + beta * c[row * columns + column];
}

// Blocks of 16 x 4 threads for a tile of 16 x 16: each thread computes four
// elements of a column, and reads an element of B once for all four.
__global__ void multiply_coarse(const int *a, const int *b, int *c, int rows, int inner, int columns)
{
    __shared__ int tile_a[TILE][TILE], tile_b[TILE][TILE];
    int x = threadIdx.x, column = blockIdx.x * TILE + x;
    int sums[4] = { 0, 0, 0, 0 };
    for (int start = 0; start < inner; start += TILE) {
        for (int y = threadIdx.y; y < TILE; y += 4) {
            int row = blockIdx.y * TILE + y;
            tile_a[y][x] = row < rows && start + x < inner ? a[row * inner + start + x] : 0;
            tile_b[y][x] = start + y < inner && column < columns ? b[(start + y) * columns + column] : 0;
        }
        __syncthreads();
        for (int k = 0; k < TILE; k++) {
            int right = tile_b[k][x];
            #pragma unroll
            for (int j = 0; j < 4; j++)
                sums[j] += tile_a[threadIdx.y + 4 * j][k] * right;
        }
        __syncthreads();
    }
    for (int j = 0; j < 4; j++) {
        int row = blockIdx.y * TILE + threadIdx.y + 4 * j;
        if (row < rows && column < columns)
            c[row * columns + column] = sums[j];
    }
}
