// A = L L^T for many small matrices, a block for each. Their order N is a
// macro of the compiler's command line.
#ifndef N
#error "compile with -DN=..."
#endif

__global__ void cholesky(const float *matrices, float *factors)
{
    __shared__ float a[N][N + 1];
    const float *matrix = matrices + blockIdx.x * N * N;
    float *factor = factors + blockIdx.x * N * N;

    for (int i = threadIdx.y; i < N; i += blockDim.y)
        for (int j = threadIdx.x; j < N; j += blockDim.x)
            a[i][j] = matrix[i * N + j];
    __syncthreads();

    int t = threadIdx.y * blockDim.x + threadIdx.x;
    for (int k = 0; k < N; k++) {
        if (t == 0)
            a[k][k] = sqrtf(a[k][k]);
        __syncthreads();
        for (int i = k + 1 + t; i < N; i += blockDim.x * blockDim.y)
            a[i][k] /= a[k][k];
        __syncthreads();
        for (int i = k + 1 + threadIdx.y; i < N; i += blockDim.y)
            for (int j = k + 1 + threadIdx.x; j <= i; j += blockDim.x)
                a[i][j] -= a[i][k] * a[j][k];
        __syncthreads();
    }

    for (int i = threadIdx.y; i < N; i += blockDim.y)
        for (int j = threadIdx.x; j < N; j += blockDim.x)
            factor[i * N + j] = j <= i ? a[i][j] : 0.0f;
}
