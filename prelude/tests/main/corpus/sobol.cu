// Sobol's points in the order of Gray's code: a thread starts where its number
// puts it, and goes on by the one direction that changes.
#define BITS 32

__global__ void points(const unsigned *directions, float *out, unsigned count)
{
    __shared__ unsigned v[BITS];
    if (threadIdx.x < BITS)
        v[threadIdx.x] = __ldg(&directions[blockIdx.y * BITS + threadIdx.x]);
    __syncthreads();
    out += (size_t)count * blockIdx.y;
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, stride = gridDim.x * blockDim.x;
    unsigned place = 0;
    for (unsigned gray = i ^ i >> 1, k = 0; gray; gray >>= 1, k++)
        place ^= -(gray & 1) & v[k];
    // The stride is a power of two: two bits of the code change.
    const unsigned fixed = v[__ffs(stride) - 2];
    for (; i < count; i += stride) {
        out[i] = (float)(place >> 8) * 0x1p-24f;
        place ^= fixed ^ v[__ffs(~(i | stride - 1)) - 1];
    }
}
