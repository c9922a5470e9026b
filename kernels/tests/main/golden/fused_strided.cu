extern "C" __global__ void __launch_bounds__(256) gpurepl_fused(const float *in0, const float *in1, float s0, float *out, unsigned long long n, unsigned long long length0, unsigned long long length1, unsigned long long length2, long long in0_stride0, long long in0_stride1, long long in0_stride2, long long out_stride0, long long out_stride1, long long out_stride2)
{
  const unsigned long long first = (unsigned long long)blockIdx.x * 1024;
  const unsigned int count = n - first < 1024 ? (unsigned int)(n - first) : 1024;
  float x0[4];
  float x1[4];
  long long out_place[4];
  #pragma unroll
  for (int u = 0; u < 4; u++) {
    const unsigned int k = u * 256 + threadIdx.x;
    const unsigned long long i = first + min(k, count - 1);
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
    x0[u] = in0[in0_offset];
    x1[u] = in1[i];
    out_place[u] = out_offset;
  }
  #pragma unroll
  for (int u = 0; u < 4; u++) {
    const unsigned int k = u * 256 + threadIdx.x;
    const float v0 = s0;
    const float v1 = x0[u];
    const float v2 = v0 * v1;
    const float v3 = x1[u];
    const float v4 = v2 + v3;
    if (k < count) out[out_place[u]] = v4;
  }
}
