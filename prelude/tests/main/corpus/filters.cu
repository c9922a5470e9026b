// Filters of pictures in shades of grey. What lies beyond an edge is the edge.
#define ROW 64
#define RADIUS 4
#define WINDOW (2 * RADIUS + 1)

// The mean over a square is the mean over rows, then over columns. Sums are
// kept whole in between.
__global__ void sum_rows(const unsigned char *in, unsigned short *out, int width)
{
    __shared__ unsigned char row[ROW + 2 * RADIUS];
    const unsigned char *line = in + blockIdx.y * width;
    int first = blockIdx.x * ROW - RADIUS, x = blockIdx.x * ROW + threadIdx.x;
    for (int k = threadIdx.x; k < ROW + 2 * RADIUS; k += ROW)
        row[k] = line[min(max(first + k, 0), width - 1)];
    __syncthreads();
    if (x >= width)
        return;
    int sum = 0;
    #pragma unroll
    for (int k = 0; k < WINDOW; k++)
        sum += row[threadIdx.x + k];
    out[blockIdx.y * width + x] = sum;
}

__global__ void mean_columns(const unsigned short *in, unsigned char *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= width)
        return;
    // The window slides down: one row comes, one goes.
    unsigned int sum = RADIUS * in[x];
    for (int y = 0; y <= RADIUS; y++)
        sum += in[min(y, height - 1) * width + x];
    for (int y = 0; y < height; y++) {
        out[y * width + x] = (sum + WINDOW * WINDOW / 2) / (WINDOW * WINDOW);
        sum += in[min(y + RADIUS + 1, height - 1) * width + x];
        sum -= in[max(y - RADIUS, 0) * width + x];
    }
}

__device__ void order(unsigned char &a, unsigned char &b)
{
    unsigned char low = min(a, b);
    b = max(a, b);
    a = low;
}

// The nine neighbours in registers, and as much of a sorting network as the
// middle one needs (Paeth, Graphics Gems).
__global__ void median(const unsigned char *in, unsigned char *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    unsigned char p[9];
    #pragma unroll
    for (int k = 0; k < 9; k++) {
        int column = min(max(x + k % 3 - 1, 0), width - 1), row = min(max(y + k / 3 - 1, 0), height - 1);
        p[k] = in[row * width + column];
    }
    order(p[1], p[2]), order(p[4], p[5]), order(p[7], p[8]);
    order(p[0], p[1]), order(p[3], p[4]), order(p[6], p[7]);
    order(p[1], p[2]), order(p[4], p[5]), order(p[7], p[8]);
    order(p[0], p[3]), order(p[5], p[8]), order(p[4], p[7]);
    order(p[3], p[6]), order(p[1], p[4]), order(p[2], p[5]);
    order(p[4], p[7]), order(p[4], p[2]), order(p[6], p[4]);
    order(p[4], p[2]);
    out[y * width + x] = p[4];
}

// Erosion and dilation by a cross: the least and the largest neighbour.
struct Least {
    __device__ int operator()(int a, int b) const { return a < b ? a : b; }
};
struct Largest {
    __device__ int operator()(int a, int b) const { return a > b ? a : b; }
};

template <typename Choice>
__device__ void over_cross(const unsigned char *in, unsigned char *out, int width, int height, Choice choice)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    int value = in[y * width + x];
    if (x > 0)
        value = choice(value, in[y * width + x - 1]);
    if (x + 1 < width)
        value = choice(value, in[y * width + x + 1]);
    if (y > 0)
        value = choice(value, in[(y - 1) * width + x]);
    if (y + 1 < height)
        value = choice(value, in[(y + 1) * width + x]);
    out[y * width + x] = value;
}

__global__ void erode(const unsigned char *in, unsigned char *out, int width, int height)
{
    over_cross(in, out, width, height, Least());
}

__global__ void dilate(const unsigned char *in, unsigned char *out, int width, int height)
{
    over_cross(in, out, width, height, Largest());
}
