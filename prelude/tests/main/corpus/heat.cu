// Heat in a plate whose edges keep their temperature.
#define WIDTH 16
#define HEIGHT 8

// One step of time from one array to another; a tile with its halo is read
// into shared memory first.
__global__ void heat_step(const float *in, float *out, int width, int height, float rate)
{
    __shared__ float tile[HEIGHT + 2][WIDTH + 2];
    int left = blockIdx.x * WIDTH - 1, top = blockIdx.y * HEIGHT - 1;
    // All threads together, in order, as there are more places than threads.
    for (int k = threadIdx.y * WIDTH + threadIdx.x; k < (HEIGHT + 2) * (WIDTH + 2); k += WIDTH * HEIGHT) {
        int x = left + k % (WIDTH + 2), y = top + k / (WIDTH + 2);
        if (x >= 0 && x < width && y >= 0 && y < height)
            tile[k / (WIDTH + 2)][k % (WIDTH + 2)] = in[y * width + x];
    }
    __syncthreads();

    int x = blockIdx.x * WIDTH + threadIdx.x, y = blockIdx.y * HEIGHT + threadIdx.y;
    if (x >= width || y >= height)
        return;
    int sx = threadIdx.x + 1, sy = threadIdx.y + 1;
    float value = tile[sy][sx];
    if (x > 0 && x < width - 1 && y > 0 && y < height - 1) {
        float around = tile[sy][sx - 1] + tile[sy][sx + 1] + tile[sy - 1][sx] + tile[sy + 1][sx];
        value += rate * (around - 4.0f * value);
    }
    out[y * width + x] = value;
}

// The state that heat comes to, by relaxation in place: the squares of one
// colour of a chess board have neighbours of the other colour only. The block
// reports its largest change.
__global__ void relax(double *plate, int width, int height, int colour, double factor, double *changes)
{
    __shared__ double s[WIDTH * HEIGHT];
    int x = blockIdx.x * WIDTH + threadIdx.x, y = blockIdx.y * HEIGHT + threadIdx.y;
    int t = threadIdx.y * WIDTH + threadIdx.x;
    double change = 0.0;
    if (x > 0 && x < width - 1 && y > 0 && y < height - 1 && (x + y) % 2 == colour) {
        double *at = plate + y * width + x;
        change = factor * (0.25 * (at[-1] + at[1] + at[-width] + at[width]) - *at);
        *at += change;
    }
    s[t] = fabs(change);
    __syncthreads();
    for (int stride = WIDTH * HEIGHT / 2; stride > 0; stride /= 2) {
        if (t < stride)
            s[t] = fmax(s[t], s[t + stride]);
        __syncthreads();
    }
    if (t == 0) {
        double *own = changes + blockIdx.y * gridDim.x + blockIdx.x;
        *own = fmax(*own, s[0]);
    }
}
