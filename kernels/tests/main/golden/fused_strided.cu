extern "C" __global__ void __launch_bounds__(256) gpurepl_fused(const float *in0, const float *in1, float s0, float *out, unsigned long long n, unsigned long long length0, unsigned long long length1, unsigned long long length2, long long in0_stride0, long long in0_stride1, long long in0_stride2, long long out_stride0, long long out_stride1, long long out_stride2)
{
  const unsigned long long step = (unsigned long long)gridDim.x * blockDim.x;
  for (unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
    unsigned long long rest = i, place;
    long long in0_offset = 0;
    long long out_offset = 0;
    place = rest % length2; rest /= length2;
    in0_offset += (long long)place * in0_stride2;
    out_offset += (long long)place * out_stride2;
    place = rest % length1; rest /= length1;
    in0_offset += (long long)place * in0_stride1;
    out_offset += (long long)place * out_stride1;
    place = rest;
    in0_offset += (long long)place * in0_stride0;
    out_offset += (long long)place * out_stride0;
    const float v0 = s0;
    const float v1 = in0[in0_offset];
    const float v2 = v0 * v1;
    const float v3 = in1[i];
    const float v4 = v2 + v3;
    out[out_offset] = v4;
  }
}
