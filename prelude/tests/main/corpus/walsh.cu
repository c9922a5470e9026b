// Walsh's transform in natural order, in place, by steps of radix four.
__device__ __forceinline__ void butterfly(float4 &v)
{
    float4 s = make_float4(v.x + v.z, v.y + v.w, v.x - v.z, v.y - v.w);
    v = make_float4(s.x + s.y, s.x - s.y, s.z + s.w, s.z - s.w);
}

/// One step over all of the array.
__global__ void step(float *x, int stride)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int low = i & (stride - 1), at = ((i - low) << 2) + low;
    float4 v = {x[at], x[at + stride], x[at + 2 * stride], x[at + 3 * stride]};
    butterfly(v);
    x[at] = v.x, x[at + stride] = v.y, x[at + 2 * stride] = v.z, x[at + 3 * stride] = v.w;
}

/// The remaining steps, a piece of `4 * blockDim.x` elements for each block.
__global__ void rest(float4 *x)
{
    extern __shared__ float4 piece[];
    float *s = reinterpret_cast<float *>(piece);
    x += blockIdx.x * blockDim.x;
    piece[threadIdx.x] = x[threadIdx.x];
    int stride = blockDim.x;
    for (; stride > 0; stride >>= 2) {
        __syncthreads();
        int low = threadIdx.x & (stride - 1), at = ((threadIdx.x - low) << 2) + low;
        float4 v = {s[at], s[at + stride], s[at + 2 * stride], s[at + 3 * stride]};
        butterfly(v);
        s[at] = v.x, s[at + stride] = v.y, s[at + 2 * stride] = v.z, s[at + 3 * stride] = v.w;
    }
    __syncthreads();
    x[threadIdx.x] = piece[threadIdx.x];
}
