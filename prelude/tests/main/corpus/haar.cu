// All levels of Haar's wavelets of a signal for each block. Means move up
// through dynamic shared memory, which is padded against conflicts of banks.
#define PADDED(k) ((k) + ((k) >> 5))
extern __shared__ float means[];

__global__ void analyse(const float *signal, float *out, int length)
{
    const float scale = rsqrtf(2.0f);
    signal += (size_t)blockIdx.x * length;
    out += (size_t)blockIdx.x * length;
    for (int k = threadIdx.x; k < length; k += blockDim.x)
        means[PADDED(k)] = signal[k];
    __syncthreads();
    for (int half = length >> 1; half > 0; half >>= 1) {
        float mean = 0;
        if (threadIdx.x < half) {
            float left = means[PADDED(2 * threadIdx.x)], right = means[PADDED(2 * threadIdx.x + 1)];
            mean = (left + right) * scale;
            out[half + threadIdx.x] = (left - right) * scale;
        }
        __syncthreads();
        if (threadIdx.x < half)
            means[PADDED(threadIdx.x)] = mean;
        __syncthreads();
    }
    if (threadIdx.x == 0)
        out[0] = means[0];
}
