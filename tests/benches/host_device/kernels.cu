// What people write, one element or one row a thread. `openmp.cpp` has the same as loops.
__device__ int place() { return blockIdx.x*blockDim.x + threadIdx.x; }

__global__ void plain(float *z, const float *x, const float *y, int n, int)
{
    int i = blockIdx.x*blockDim.x + threadIdx.x;
    if (i < n) z[i] = 5*x[i] + 6*y[i];
}
__global__ void stride(float *z, const float *x, const float *y, int n, int)
{
    for (int i = blockIdx.x*blockDim.x + threadIdx.x; i < n; i += blockDim.x*gridDim.x) z[i] = 5*x[i] + 6*y[i];
}
__global__ void totals(float *z, const float *x, const float *y, int n, int)
{
    int t = blockIdx.x*blockDim.x + threadIdx.x;
    float sum = 0;
    for (int i = t; i < n; i += blockDim.x*gridDim.x) sum += x[i]*y[i];
    z[t] = sum;
}
__global__ void plane(float *z, const float *x, const float *y, int width, int height)
{
    int column = blockIdx.x*blockDim.x + threadIdx.x, row = blockIdx.y*blockDim.y + threadIdx.y;
    if (column < width && row < height) z[row*width + column] = 5*x[row*width + column] + 6*y[row*width + column];
}
__global__ void function(float *z, const float *x, const float *y, int n, int)
{
    int i = place();
    if (i < n) z[i] = 5*x[i] + 6*y[i];
}
__global__ void softmax(float *z, const float *x, const float *, int rows, int columns)
{
    int row = blockIdx.x*blockDim.x + threadIdx.x;
    if (row >= rows) return;
    const float *in = x + (size_t)row*columns;
    float *out = z + (size_t)row*columns;
    float top = in[0], sum = 0;
    for (int k = 1; k < columns; k++) top = fmaxf(top, in[k]);
    for (int k = 0; k < columns; k++) { out[k] = expf(in[k] - top); sum += out[k]; }
    for (int k = 0; k < columns; k++) out[k] /= sum;
}
__global__ void multiply(float *z, const float *x, const float *y, int n, int)
{
    int column = blockIdx.x*blockDim.x + threadIdx.x, row = blockIdx.y*blockDim.y + threadIdx.y;
    if (row >= n || column >= n) return;
    float sum = 0;
    for (int k = 0; k < n; k++) sum += x[row*n + k] * y[k*n + column];
    z[row*n + column] = sum;
}
__global__ void transpose(float *z, const float *x, const float *, int width, int height)
{
    int column = blockIdx.x*blockDim.x + threadIdx.x, row = blockIdx.y*blockDim.y + threadIdx.y;
    if (column < width && row < height) z[column*height + row] = x[row*width + column];
}
__global__ void integers(unsigned *z, const float *, const float *, int n, int turns)
{
    int i = blockIdx.x*blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned v = i;
    for (int k = 0; k < turns; k++) { v ^= v << 13; v ^= v >> 17; v ^= v << 5; }
    z[i] = v;
}
__global__ void atomics(float *z, const float *x, const float *, int n, int bins)
{
    int i = blockIdx.x*blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&z[i % bins], x[i]);
}
