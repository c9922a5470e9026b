// Transposes by tiles: rows are read and rows are written, and the turn is made
// in shared memory. The 33rd column keeps a column's elements in 32 banks.
#define TILE 32

// Blocks of 32 x 8 threads: each moves four elements.
__global__ void transpose(const float *in, float *out, int width, int height)
{
    __shared__ float tile[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += blockDim.y)
        if (x < width && y + j < height)
            tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += blockDim.y)
        if (x < height && y + j < width)
            out[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}

// A square matrix in place: two tiles change places, by one thread for each
// element. A tile on the diagonal changes places with itself.
#define SQUARE 16

__global__ void transpose_in_place(long long *a, int n)
{
    __shared__ long long upper[SQUARE][SQUARE + 1], lower[SQUARE][SQUARE + 1];
    if (blockIdx.x < blockIdx.y)
        return;
    int x = threadIdx.x, y = threadIdx.y;
    int i = blockIdx.y * SQUARE + y, j = blockIdx.x * SQUARE + x; // In the upper tile,
    int k = blockIdx.x * SQUARE + y, l = blockIdx.y * SQUARE + x; // and in the lower.
    if (i < n && j < n)
        upper[y][x] = a[i * n + j];
    if (k < n && l < n)
        lower[y][x] = a[k * n + l];
    __syncthreads();
    if (i < n && j < n)
        a[i * n + j] = lower[x][y];
    if (k < n && l < n && blockIdx.x != blockIdx.y)
        a[k * n + l] = upper[x][y];
}
