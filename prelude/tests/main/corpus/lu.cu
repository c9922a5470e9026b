// Elimination of a square matrix with a pivot for each column, in steps that
// the host launches: P A = L U, both factors in place of A.

// The row of the largest element of column k, from the diagonal down. One block
// of 64 threads.
__global__ void find_pivot(const double *a, int n, int k, int *pivots)
{
    __shared__ double sizes[64];
    __shared__ int rows[64];
    int t = threadIdx.x;
    double size = -1.0;
    int row = n;
    for (int i = k + t; i < n; i += 64) {
        if (fabs(a[i * n + k]) > size) {
            size = fabs(a[i * n + k]);
            row = i;
        }
    }
    sizes[t] = size;
    rows[t] = row;
    __syncthreads();
    for (int stride = 32; stride > 0; stride >>= 1) {
        if (t < stride) {
            double other = sizes[t + stride];
            if (other > sizes[t] || (other == sizes[t] && rows[t + stride] < rows[t])) {
                sizes[t] = other;
                rows[t] = rows[t + stride];
            }
        }
        __syncthreads();
    }
    if (t == 0)
        pivots[k] = rows[0];
}

__global__ void swap_rows(double *a, int n, int k, const int *pivots)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, pivot = pivots[k];
    if (j < n && pivot != k) {
        double own = a[k * n + j];
        a[k * n + j] = a[pivot * n + j];
        a[pivot * n + j] = own;
    }
}

__global__ void divide_column(double *a, int n, int k)
{
    int i = k + 1 + blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        a[i * n + k] /= a[k * n + k];
}

// The part of the row above and the factors are the same for many threads.
__global__ void eliminate(double *a, int n, int k)
{
    __shared__ double row[16], factors[8];
    int j = k + 1 + blockIdx.x * 16 + threadIdx.x;
    int i = k + 1 + blockIdx.y * 8 + threadIdx.y;
    if (threadIdx.y == 0 && j < n)
        row[threadIdx.x] = a[k * n + j];
    if (threadIdx.x == 0 && i < n)
        factors[threadIdx.y] = a[i * n + k];
    __syncthreads();
    if (i < n && j < n)
        a[i * n + j] -= factors[threadIdx.y] * row[threadIdx.x];
}
