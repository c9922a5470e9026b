// The least, the greatest and the sum of squares in one pass. The dynamic
// shared memory is one piece, which the kernel divides into three arrays.
__global__ void statistics(const float *in, int n, float *low, float *high, double *squares)
{
    extern __shared__ __align__(8) unsigned char raw[];
    double *sums = reinterpret_cast<double *>(raw);
    float *lows = reinterpret_cast<float *>(sums + blockDim.x);
    float *highs = lows + blockDim.x;

    int t = threadIdx.x;
    float least = INFINITY, greatest = -INFINITY;
    double sum = 0.0;
    for (int i = blockIdx.x * blockDim.x + t; i < n; i += blockDim.x * gridDim.x) {
        least = fminf(least, in[i]);
        greatest = fmaxf(greatest, in[i]);
        sum += double(in[i]) * in[i];
    }
    lows[t] = least;
    highs[t] = greatest;
    sums[t] = sum;
    __syncthreads();
    for (int stride = blockDim.x / 2; stride > 0; stride /= 2) {
        if (t < stride) {
            lows[t] = fminf(lows[t], lows[t + stride]);
            highs[t] = fmaxf(highs[t], highs[t + stride]);
            sums[t] += sums[t + stride];
        }
        __syncthreads();
    }
    if (t == 0) {
        low[blockIdx.x] = lows[0];
        high[blockIdx.x] = highs[0];
        squares[blockIdx.x] = sums[0];
    }
}
