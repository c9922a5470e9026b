
template <class T> static __device__ __forceinline__ void gpurepl_two_sum(T &sum, T &rest, T x) {
  const T total = sum + x, added = total - sum;
  rest = rest + ((sum - (total - added)) + (x - added));
  sum = total;
}
template <class T> static __device__ __forceinline__ T gpurepl_with_rest(T sum, T rest) {
  return rest - rest == 0 ? sum + rest : sum;
}
static __device__ __forceinline__ float gpurepl_combine(float a, float b) {
  return a + b;
}
extern "C" __global__ void __launch_bounds__(256) gpurepl_reduce_stage1(const float *in0, const float *in1, float s0, float *gpurepl_out, unsigned long long n)
{
  __shared__ float gpurepl_shared[256];
  float gpurepl_sum = (float)(0), gpurepl_rest = (float)(0);
  unsigned long long gpurepl_next = (unsigned long long)blockIdx.x * 256 + threadIdx.x;
  for (; gpurepl_next + 7 * ((unsigned long long)gridDim.x * 256) < n; gpurepl_next += 8 * ((unsigned long long)gridDim.x * 256)) {
    float gpurepl_group = (float)(0);
    #pragma unroll
    for (int gpurepl_k = 0; gpurepl_k < 8; gpurepl_k++) {
      const unsigned long long gpurepl_at = gpurepl_next + gpurepl_k * ((unsigned long long)gridDim.x * 256);
      const unsigned long long i = gpurepl_at;
    const float v0 = s0;
    const float v1 = in0[i];
    const float v2 = v0 * v1;
    const float v3 = in1[0];
    const float v4 = v2 + v3;
      gpurepl_group = gpurepl_combine(gpurepl_group, v4);
    }
    gpurepl_two_sum(gpurepl_sum, gpurepl_rest, gpurepl_group);
  }
  if (gpurepl_next < n) {
    float gpurepl_group = (float)(0);
    for (; gpurepl_next < n; gpurepl_next += (unsigned long long)gridDim.x * 256) {
      const unsigned long long gpurepl_at = gpurepl_next;
      const unsigned long long i = gpurepl_at;
    const float v0 = s0;
    const float v1 = in0[i];
    const float v2 = v0 * v1;
    const float v3 = in1[0];
    const float v4 = v2 + v3;
      gpurepl_group = gpurepl_combine(gpurepl_group, v4);
    }
    gpurepl_two_sum(gpurepl_sum, gpurepl_rest, gpurepl_group);
  }
  const float gpurepl_value = gpurepl_with_rest(gpurepl_sum, gpurepl_rest);
  gpurepl_shared[threadIdx.x] = gpurepl_value;
  __syncthreads();
  for (unsigned int gpurepl_half = 128; gpurepl_half > 0; gpurepl_half /= 2) {
    if (threadIdx.x < gpurepl_half)
      gpurepl_shared[threadIdx.x] = gpurepl_combine(gpurepl_shared[threadIdx.x], gpurepl_shared[threadIdx.x + gpurepl_half]);
    __syncthreads();
  }
  if (threadIdx.x == 0) gpurepl_out[blockIdx.x] = gpurepl_shared[0];
}
extern "C" __global__ void __launch_bounds__(256) gpurepl_reduce_stage2(const float *gpurepl_in, float *gpurepl_out, unsigned long long n)
{
  __shared__ float gpurepl_shared[256];
  float gpurepl_sum = (float)(0), gpurepl_rest = (float)(0);
  for (unsigned long long i = threadIdx.x; i < n; i += 256)
    gpurepl_two_sum(gpurepl_sum, gpurepl_rest, gpurepl_in[i]);
  const float gpurepl_value = gpurepl_with_rest(gpurepl_sum, gpurepl_rest);
  gpurepl_shared[threadIdx.x] = gpurepl_value;
  __syncthreads();
  for (unsigned int gpurepl_half = 128; gpurepl_half > 0; gpurepl_half /= 2) {
    if (threadIdx.x < gpurepl_half)
      gpurepl_shared[threadIdx.x] = gpurepl_combine(gpurepl_shared[threadIdx.x], gpurepl_shared[threadIdx.x + gpurepl_half]);
    __syncthreads();
  }
  if (threadIdx.x == 0) gpurepl_out[blockIdx.x] = gpurepl_shared[0];
}
