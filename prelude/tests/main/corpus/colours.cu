// Pictures in colour and in grey.
#define SHADES 256

// Luma with weights of 1/256.
__global__ void to_grey(const uchar3 *in, unsigned char *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = (77 * in[i].x + 150 * in[i].y + 29 * in[i].z + 128) >> 8;
}

// Red and blue change places, and the picture becomes opaque.
__global__ void to_bgra(const uchar3 *in, uchar4 *out, size_t n)
{
    size_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = make_uchar4(in[i].z, in[i].y, in[i].x, 255);
}

// Equalisation of the histogram, by one block: counts, their running sums, and
// the shade that has as many below it as there should be.
__global__ void equalise(const unsigned char *in, unsigned char *out, int n)
{
    __shared__ int sums[2][SHADES];
    __shared__ int below;  // Pixels of the darkest shade there is.
    int k = threadIdx.x;
    sums[0][k] = 0;
    if (k == 0)
        below = n;
    __syncthreads();
    for (int i = k; i < n; i += SHADES)
        atomicAdd(&sums[0][in[i]], 1);
    __syncthreads();
    int now = 0;
    for (int distance = 1; distance < SHADES; distance *= 2) {
        sums[1 - now][k] = sums[now][k] + (k >= distance ? sums[now][k - distance] : 0);
        now = 1 - now;
        __syncthreads();
    }
    if (sums[now][k] > 0)
        atomicMin(&below, sums[now][k]);
    __syncthreads();
    for (int i = k; i < n; i += SHADES) {
        int sum = sums[now][in[i]];
        out[i] = n == below ? in[i] : (sum - below) * (SHADES - 1) / (n - below);
    }
}

// Black and white: by a threshold matrix (Bayer), and by handing each row's
// error on to the right.
__constant__ int bayer[4][4] = {{0, 8, 2, 10}, {12, 4, 14, 6}, {3, 11, 1, 9}, {15, 7, 13, 5}};

__global__ void dither(const unsigned char *in, bool *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height)
        out[y * width + x] = in[y * width + x] > 16 * bayer[y & 3][x & 3] + 8;
}

__global__ void diffuse(const unsigned char *in, bool *out, int width, int height)
{
    int y = blockIdx.x * blockDim.x + threadIdx.x;
    if (y >= height)
        return;
    int error = 0;
    for (int x = 0; x < width; x++) {
        int wanted = in[y * width + x] + error;
        bool white = wanted >= 128;
        out[y * width + x] = white;
        error = wanted - (white ? 255 : 0);
    }
}
