// Filters of the pixels around one, chosen by their number from a table of
// functions. Tiles are in dynamic shared memory, whose width may be fixed.
typedef unsigned char Pixel;
typedef Pixel (*Filter)(const Pixel *middle, int pitch, float scale);
#define BOUNDS(threads, blocks) __launch_bounds__(threads, blocks)
extern __shared__ Pixel tile[];

__device__ Pixel sobel(const Pixel *m, int pitch, float scale)
{
    const Pixel *u = m - pitch, *d = m + pitch;
    int across = u[1] + 2 * m[1] + d[1] - u[-1] - 2 * m[-1] - d[-1];
    int down = d[-1] + 2 * d[0] + d[1] - u[-1] - 2 * u[0] - u[1];
    return (Pixel)fminf(scale * (abs(across) + abs(down)), 255);
}

__device__ Pixel mean(const Pixel *m, int pitch, float scale)
{
    int sum = 0;
    for (int k = 0; k < 9; k++)
        sum += m[(k / 3 - 1) * pitch + k % 3 - 1];
    return (Pixel)(scale * sum / 9);
}

__device__ Filter filters[] = { sobel, mean };

__global__ void BOUNDS(256, 2) around(const Pixel *__restrict__ image, Pixel *out,
#ifndef PITCH
                                      short PITCH,
#endif
                                      int width, int height, int filter, float scale)
{
    for (int y = threadIdx.y; y < blockDim.y + 2; y += blockDim.y) {
        for (int x = threadIdx.x; x < blockDim.x + 2; x += blockDim.x) {
            int column = min(max((int)(blockIdx.x * blockDim.x + x) - 1, 0), width - 1);
            int row = min(max((int)(blockIdx.y * blockDim.y + y) - 1, 0), height - 1);
            tile[y * PITCH + x] = image[row * width + column];
        }
    }
    __syncthreads();
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height)
        out[y * width + x] = (*filters[filter])(&tile[(threadIdx.y + 1) * PITCH + threadIdx.x + 1], PITCH, scale);
}
