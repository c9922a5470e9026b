// A picture in another size, by bilinear interpolation between the centres of
// pixels; and the sums over all rectangles at the origin.
__global__ void resize(const float *in, int width, int height, float *out, int new_width, int new_height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= new_width || y >= new_height)
        return;
    float u = fminf(fmaxf((x + 0.5f) * width / new_width - 0.5f, 0), width - 1);
    float v = fminf(fmaxf((y + 0.5f) * height / new_height - 0.5f, 0), height - 1);
    int left = (int)floorf(u), top = (int)floorf(v);
    int right = min(left + 1, width - 1), bottom = min(top + 1, height - 1);
    float a = u - left, b = v - top;
    float above = (1 - a) * in[top * width + left] + a * in[top * width + right];
    float below = (1 - a) * in[bottom * width + left] + a * in[bottom * width + right];
    out[y * new_width + x] = (1 - b) * above + b * below;
}

// A block for each row: sums within warps by shuffles, then over the warps.
__global__ void integrate_rows(const unsigned char *in, unsigned int *out, int width)
{
    __shared__ unsigned int totals[32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, x = threadIdx.x;
    unsigned int sum = x < width ? in[blockIdx.x * width + x] : 0;
    for (int distance = 1; distance < 32; distance *= 2) {
        unsigned int left = __shfl_up_sync(0xffffffffu, sum, distance);
        if (lane >= distance)
            sum += left;
    }
    if (lane == 31)
        totals[warp] = sum;
    __syncthreads();
    for (int k = 0; k < warp; k++)
        sum += totals[k];
    if (x < width)
        out[blockIdx.x * width + x] = sum;
}

__global__ void integrate_columns(unsigned int *sums, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x < width)
        for (int y = 1; y < height; y++)
            sums[y * width + x] += sums[(y - 1) * width + x];
}
