// Reaction and diffusion (Gray, Scott) on a torus. A block holds its part of
// both substances in shared memory, with the cells around it.
#define SIDE 16

__global__ void react(const float2 *from, float2 *to, int width, int height, float feed, float kill)
{
    __shared__ float2 tile[SIDE + 2][SIDE + 2];
    // The tile has more cells than the block has threads: each takes a few.
    for (int k = threadIdx.y * SIDE + threadIdx.x; k < (SIDE + 2) * (SIDE + 2); k += SIDE * SIDE) {
        int row = k / (SIDE + 2), column = k % (SIDE + 2);
        int x = (blockIdx.x * SIDE + column + width - 1) % width;
        int y = (blockIdx.y * SIDE + row + height - 1) % height;
        tile[row][column] = from[y * width + x];
    }
    __syncthreads();

    int x = blockIdx.x * SIDE + threadIdx.x, y = blockIdx.y * SIDE + threadIdx.y;
    if (x >= width || y >= height)
        return;
    int c = threadIdx.x + 1, r = threadIdx.y + 1;
    float2 own = tile[r][c];
    float2 l = tile[r][c - 1], m = tile[r][c + 1], n = tile[r - 1][c], s = tile[r + 1][c];
    float2 spread = make_float2(l.x + m.x + n.x + s.x - 4 * own.x, l.y + m.y + n.y + s.y - 4 * own.y);
    float reaction = own.x * own.y * own.y;
    to[y * width + x] = make_float2(own.x + 0.16f * spread.x - reaction + feed * (1 - own.x),
                                    own.y + 0.08f * spread.y + reaction - (feed + kill) * own.y);
}
