// Matrices with a few diagonals.

// y = A x: the k-th diagonal lies offsets[k] to the right of the main one, and
// diagonals[k * n + i] is its element of row i.
__global__ void multiply(const double *diagonals, const int *offsets, int bands, const double *x, double *y,
                         int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double sum = 0.0;
    for (int k = 0; k < bands; k++) {
        int j = i + offsets[k];
        if (j >= 0 && j < n)
            sum += diagonals[k * n + i] * x[j];
    }
    y[i] = sum;
}

// Solves a tridiagonal system for each block, of one equation for each thread,
// by parallel cyclic reduction (Hockney and Jesshope, "Parallel Computers",
// 1981): every equation is rid of its two neighbours, then of those at twice
// the distance, until each has one unknown.
__global__ void solve(const double *below, const double *diagonal, const double *above,
                      const double *right_hand, double *solution)
{
    extern __shared__ double s[];
    int i = threadIdx.x, n = blockDim.x, at = blockIdx.x * n + i;
    double *a = s, *b = s + n, *c = s + 2 * n, *d = s + 3 * n;
    a[i] = i > 0 ? below[at] : 0.0;
    b[i] = diagonal[at];
    c[i] = i < n - 1 ? above[at] : 0.0;
    d[i] = right_hand[at];
    __syncthreads();
    for (int distance = 1; distance < n; distance *= 2) {
        double next_a = 0.0, next_b = b[i], next_c = 0.0, next_d = d[i];
        int left = i - distance, right = i + distance;
        if (left >= 0) {
            double factor = a[i] / b[left];
            next_a = -factor * a[left];
            next_b -= factor * c[left];
            next_d -= factor * d[left];
        }
        if (right < n) {
            double factor = c[i] / b[right];
            next_c = -factor * c[right];
            next_b -= factor * a[right];
            next_d -= factor * d[right];
        }
        __syncthreads();
        a[i] = next_a;
        b[i] = next_b;
        c[i] = next_c;
        d[i] = next_d;
        __syncthreads();
    }
    solution[at] = d[i] / b[i];
}
