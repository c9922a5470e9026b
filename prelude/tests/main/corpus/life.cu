// The game of life on a torus.
#define SIDE 16

__global__ void generation(const unsigned char *in, unsigned char *out, int width, int height)
{
    __shared__ unsigned char cells[SIDE + 2][SIDE + 2];
    for (int ty = threadIdx.y; ty < SIDE + 2; ty += SIDE) {
        for (int tx = threadIdx.x; tx < SIDE + 2; tx += SIDE) {
            int x = blockIdx.x * SIDE + tx - 1, y = blockIdx.y * SIDE + ty - 1;
            // What a block reads beyond the edge that it overlaps is not used.
            cells[ty][tx] = in[(y + height) % height * width + (x + width) % width];
        }
    }
    __syncthreads();
    int x = blockIdx.x * SIDE + threadIdx.x, y = blockIdx.y * SIDE + threadIdx.y;
    if (x >= width || y >= height)
        return;
    int around = 0;
    #pragma unroll
    for (int dy = 0; dy < 3; dy++)
        #pragma unroll
        for (int dx = 0; dx < 3; dx++)
            if (dx != 1 || dy != 1)
                around += cells[threadIdx.y + dy][threadIdx.x + dx];
    bool alive = cells[threadIdx.y + 1][threadIdx.x + 1];
    out[y * width + x] = around == 3 || (alive && around == 2);
}
