// Fourier transforms: 256 points by a block in shared memory, and any number of
// points by the formula.
#define POINTS 256
#define BITS 8

__device__ float2 operator+(float2 a, float2 b) { return make_float2(a.x + b.x, a.y + b.y); }
__device__ float2 operator-(float2 a, float2 b) { return make_float2(a.x - b.x, a.y - b.y); }
__device__ float2 operator*(float2 a, float2 b) { return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }

// Half as many threads as points: one for each butterfly (Cooley and Tukey,
// radix 2, decimation in time). `sign` is -1 forwards and 1 backwards.
__global__ void fft(const float2 *in, float2 *out, float sign)
{
    __shared__ float2 x[POINTS];
    const float2 *from = in + blockIdx.x * POINTS;
    for (int k = threadIdx.x; k < POINTS; k += POINTS / 2)
        x[__brev(k) >> (32 - BITS)] = from[k];
    for (int half = 1; half < POINTS; half *= 2) {
        __syncthreads();
        int place = threadIdx.x & (half - 1), even = 2 * (threadIdx.x - place) + place;
        float2 turn;
        sincosf(sign * 3.14159265f * place / half, &turn.y, &turn.x);
        float2 a = x[even], b = turn * x[even + half];
        x[even] = a + b;
        x[even + half] = a - b;
    }
    __syncthreads();
    for (int k = threadIdx.x; k < POINTS; k += POINTS / 2)
        out[blockIdx.x * POINTS + k] = x[k];
}

__global__ void dft(const double2 *in, double2 *out, int n)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= n)
        return;
    double2 sum = make_double2(0, 0);
    for (int j = 0; j < n; j++) {
        double s, c;
        sincospi(-2.0 * ((long long)j * k % n) / n, &s, &c);
        sum.x += in[j].x * c - in[j].y * s;
        sum.y += in[j].x * s + in[j].y * c;
    }
    out[k] = sum;
}

// Walsh and Hadamard: sums and differences only. A warp transforms 32 numbers
// without any memory.
__global__ void walsh_hadamard(int *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, value = x[i];
    for (int bit = 1; bit < 32; bit *= 2) {
        int other = __shfl_xor_sync(0xffffffffu, value, bit);
        value = lane & bit ? other - value : value + other;
    }
    x[i] = value;
}
