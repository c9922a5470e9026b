// The sum of each segment of an array, one block a segment. Segment k begins at
// starts[k] and ends before starts[k + 1]; it may be empty.
#define WARPS 2

__global__ void segment_sums(const float *in, const unsigned int *starts, float *out)
{
    __shared__ float of_warp[WARPS];
    float sum = 0.0f;
    for (unsigned int i = starts[blockIdx.x] + threadIdx.x; i < starts[blockIdx.x + 1]; i += blockDim.x)
        sum += in[i];
    for (int offset = 16; offset > 0; offset >>= 1)
        sum += __shfl_down_sync(0xffffffff, sum, offset);
    if (threadIdx.x % 32 == 0)
        of_warp[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        sum = 0.0f;
        for (int k = 0; k < WARPS; k++)
            sum += of_warp[k];
        out[blockIdx.x] = sum;
    }
}
