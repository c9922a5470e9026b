// A step of the wave equation: where a point goes next follows from where it is
// and where it was. `courant` is (speed * time step / distance) squared. The
// rim is fixed.
__global__ void wave_step(const double *before, const double *now, double *next, int width, int height,
                          double courant)
{
    extern __shared__ double tile[];
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    int t = threadIdx.y * blockDim.x + threadIdx.x, i = y * width + x;
    bool exists = x < width && y < height;
    if (exists)
        tile[t] = now[i];
    __syncthreads();
    if (!exists)
        return;
    if (x == 0 || y == 0 || x == width - 1 || y == height - 1) {
        next[i] = 0.0;
        return;
    }
    // Neighbours in this block from the tile, others from memory.
    double left = threadIdx.x > 0 ? tile[t - 1] : now[i - 1];
    double right = threadIdx.x < blockDim.x - 1 ? tile[t + 1] : now[i + 1];
    double up = threadIdx.y > 0 ? tile[t - blockDim.x] : now[i - width];
    double down = threadIdx.y < blockDim.y - 1 ? tile[t + blockDim.x] : now[i + width];
    next[i] = 2.0 * tile[t] - before[i] + courant * (left + right + up + down - 4.0 * tile[t]);
}
