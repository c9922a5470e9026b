// Laplace's operator in space: the six neighbours minus six times the middle.
// The outermost layer is left as it was.

// A thread for each point, in blocks of three dimensions.
__global__ void laplace(const float *in, float *out, int nx, int ny, int nz)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x < 1 || x >= nx - 1 || y < 1 || y >= ny - 1 || z < 1 || z >= nz - 1)
        return;
    int layer = nx * ny, i = z * layer + y * nx + x;
    out[i] = in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx] + in[i - layer] + in[i + layer] - 6.0f * in[i];
}

// A thread for each column: it climbs from layer to layer, keeps what is below
// and above in registers, and shares the layer that it stands on.
#define WIDTH 16
#define HEIGHT 8

__global__ void laplace_by_layers(const float *in, float *out, int nx, int ny, int nz)
{
    __shared__ float s[HEIGHT + 2][WIDTH + 2];
    int x = blockIdx.x * WIDTH + threadIdx.x, y = blockIdx.y * HEIGHT + threadIdx.y;
    int sx = threadIdx.x + 1, sy = threadIdx.y + 1;
    bool exists = x < nx && y < ny, inside = x > 0 && x < nx - 1 && y > 0 && y < ny - 1;
    int layer = nx * ny, i = y * nx + x;

    float below = 0.0f, middle = exists ? in[i] : 0.0f, above = exists && nz > 1 ? in[i + layer] : 0.0f;
    for (int z = 1; z < nz - 1; z++) {
        i += layer;
        below = middle;
        middle = above;
        if (exists) {
            above = in[i + layer];
            s[sy][sx] = middle;
            // The threads at the block's edges bring the halo.
            if (sx == 1 && x > 0)
                s[sy][0] = in[i - 1];
            if (sx == WIDTH && x < nx - 1)
                s[sy][WIDTH + 1] = in[i + 1];
            if (sy == 1 && y > 0)
                s[0][sx] = in[i - nx];
            if (sy == HEIGHT && y < ny - 1)
                s[HEIGHT + 1][sx] = in[i + nx];
        }
        __syncthreads();
        if (inside)
            out[i] = s[sy][sx - 1] + s[sy][sx + 1] + s[sy - 1][sx] + s[sy + 1][sx] + below + above
                     - 6.0f * middle;
        __syncthreads();
    }
}
