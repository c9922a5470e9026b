// Functions of a number: values, roots and areas.

// A polynomial by Horner's rule; the lowest coefficient is first.
template <typename T>
__device__ T horner(const T *coefficients, int terms, T x)
{
    T sum = 0;
    for (int k = terms; k-- > 0;)
        sum = fma(sum, x, coefficients[k]);
    return sum;
}

__global__ void horner_float(const float *coefficients, int terms, const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = horner(coefficients, terms, x[i]);
}

__global__ void horner_double(const double *coefficients, int terms, const double *x, double *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = horner(coefficients, terms, x[i]);
}

// Kepler's equation by Newton's method: the angle E with E - e sin E = M.
__global__ void kepler(const double *mean, double eccentricity, double *angle, unsigned char *steps, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double e = mean[i], change;
    unsigned char count = 0;
    do {
        change = (e - eccentricity * sin(e) - mean[i]) / (1 - eccentricity * cos(e));
        e -= change;
        count++;
    } while (fabs(change) > 1e-12 && count < 50);
    angle[i] = e;
    steps[i] = count;
}

// Simpson's rule for exp(-x^2) from zero to `ends[b]`, by block b. Each thread
// sums every so many pairs of strips.
__device__ double bell(double x) { return exp(-x * x); }

__global__ void simpson(const double *ends, double *areas, int pairs)
{
    __shared__ double sums[128];
    double width = ends[blockIdx.x] / (2 * pairs), sum = 0;
    for (int k = threadIdx.x; k < pairs; k += blockDim.x) {
        double x = 2 * k * width;
        sum += bell(x) + 4 * bell(x + width) + bell(x + 2 * width);
    }
    sums[threadIdx.x] = sum;
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half)
            sums[threadIdx.x] += sums[threadIdx.x + half];
    }
    if (threadIdx.x == 0)
        areas[blockIdx.x] = sums[0] * width / 3;
}

// The determinant of a matrix in a thread's own memory, by elimination with the
// largest pivot.
template <int N>
__device__ double determinant(const double *matrix)
{
    double a[N][N], product = 1;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            a[i][j] = matrix[i * N + j];
    for (int c = 0; c < N; c++) {
        int pivot = c;
        for (int r = c + 1; r < N; r++)
            if (fabs(a[r][c]) > fabs(a[pivot][c]))
                pivot = r;
        if (a[pivot][c] == 0)
            return 0;
        if (pivot != c) {
            product = -product;
            for (int j = c; j < N; j++) {
                double kept = a[c][j];
                a[c][j] = a[pivot][j];
                a[pivot][j] = kept;
            }
        }
        product *= a[c][c];
        for (int r = c + 1; r < N; r++) {
            double factor = a[r][c] / a[c][c];
            for (int j = c; j < N; j++)
                a[r][j] -= factor * a[c][j];
        }
    }
    return product;
}

__global__ void determinants(const double *matrices, double *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = determinant<5>(matrices + 25 * i);
}
