// A convolution along the rows and then along the columns, with a filter in
// constant memory that the host fills in, after the sample
// "convolutionSeparable" of CUDA's. Beyond the edges is zero.
#define RADIUS 4
#define WIDTH 32
#define HEIGHT 4

__constant__ float filter[2 * RADIUS + 1];

__global__ void convolve_rows(const float *in, float *out, int width, int height)
{
    __shared__ float s[HEIGHT][WIDTH + 2 * RADIUS];
    int y = blockIdx.y * HEIGHT + threadIdx.y;
    int start = blockIdx.x * WIDTH - RADIUS;
    for (int k = threadIdx.x; k < WIDTH + 2 * RADIUS; k += WIDTH) {
        int x = start + k;
        s[threadIdx.y][k] = x >= 0 && x < width && y < height ? in[y * width + x] : 0.0f;
    }
    __syncthreads();
    int x = blockIdx.x * WIDTH + threadIdx.x;
    if (x >= width || y >= height)
        return;
    float sum = 0.0f;
    #pragma unroll
    for (int k = -RADIUS; k <= RADIUS; k++)
        sum += filter[RADIUS - k] * s[threadIdx.y][threadIdx.x + RADIUS + k];
    out[y * width + x] = sum;
}

// Blocks of HEIGHT x WIDTH threads, standing upright.
__global__ void convolve_columns(const float *in, float *out, int width, int height)
{
    __shared__ float s[WIDTH + 2 * RADIUS][HEIGHT + 1];
    int x = blockIdx.x * HEIGHT + threadIdx.x;
    int start = blockIdx.y * WIDTH - RADIUS;
    for (int k = threadIdx.y; k < WIDTH + 2 * RADIUS; k += WIDTH) {
        int y = start + k;
        s[k][threadIdx.x] = x < width && y >= 0 && y < height ? in[y * width + x] : 0.0f;
    }
    __syncthreads();
    int y = blockIdx.y * WIDTH + threadIdx.y;
    if (x >= width || y >= height)
        return;
    float sum = 0.0f;
    #pragma unroll
    for (int k = -RADIUS; k <= RADIUS; k++)
        sum += filter[RADIUS - k] * s[threadIdx.y + RADIUS + k][threadIdx.x];
    out[y * width + x] = sum;
}
