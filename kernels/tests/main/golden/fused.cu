extern "C" __global__ void __launch_bounds__(256) gpurepl_fused(const float *in0, const float *in1, float s0, float *out, unsigned long long n)
{
  const unsigned long long first = (unsigned long long)blockIdx.x * 1024;
  const unsigned int count = n - first < 1024 ? (unsigned int)(n - first) : 1024;
  float x0[4];
  const float x1 = in1[0];
  #pragma unroll
  for (int u = 0; u < 4; u++) {
    const unsigned int k = u * 256 + threadIdx.x;
    const unsigned long long i = first + min(k, count - 1);
    x0[u] = in0[i];
  }
  #pragma unroll
  for (int u = 0; u < 4; u++) {
    const unsigned int k = u * 256 + threadIdx.x;
    const unsigned long long i = first + min(k, count - 1);
    const float v0 = s0;
    const float v1 = x0[u];
    const float v2 = v0 * v1;
    const float v3 = x1;
    const float v4 = v2 + v3;
    if (k < count) out[i] = v4;
  }
}
