static __device__ __forceinline__ float gpurepl_combine(float a, float b) {
  return 
#line 1 "reduce_expr"
a+b
#line 1 "after reduce_expr"
;
}
extern "C" __global__ void __launch_bounds__(256) dot_stage1(const float *x, const float *y, float *gpurepl_out, unsigned long long n)
{
  __shared__ float gpurepl_shared[256];
  auto gpurepl_map = [&](long long i, long long n) -> float { (void)n; return 
#line 1 "map_expr"
x[i]*y[i]
#line 1 "after map_expr"
; };
  float gpurepl_value = (float)(
#line 1 "neutral"
0
#line 1 "after neutral"
);
  unsigned long long gpurepl_next = (unsigned long long)blockIdx.x * 256 + threadIdx.x;
  for (; gpurepl_next + 7 * ((unsigned long long)gridDim.x * 256) < n; gpurepl_next += 8 * ((unsigned long long)gridDim.x * 256)) {
    #pragma unroll
    for (int gpurepl_k = 0; gpurepl_k < 8; gpurepl_k++) {
      const unsigned long long gpurepl_at = gpurepl_next + gpurepl_k * ((unsigned long long)gridDim.x * 256);
      const unsigned long long i = gpurepl_at;
      gpurepl_value = gpurepl_combine(gpurepl_value, gpurepl_map(i, n));
    }
  }
  if (gpurepl_next < n) {
    for (; gpurepl_next < n; gpurepl_next += (unsigned long long)gridDim.x * 256) {
      const unsigned long long gpurepl_at = gpurepl_next;
      const unsigned long long i = gpurepl_at;
      gpurepl_value = gpurepl_combine(gpurepl_value, gpurepl_map(i, n));
    }
  }
  gpurepl_shared[threadIdx.x] = gpurepl_value;
  __syncthreads();
  for (unsigned int gpurepl_half = 128; gpurepl_half > 0; gpurepl_half /= 2) {
    if (threadIdx.x < gpurepl_half)
      gpurepl_shared[threadIdx.x] = gpurepl_combine(gpurepl_shared[threadIdx.x], gpurepl_shared[threadIdx.x + gpurepl_half]);
    __syncthreads();
  }
  if (threadIdx.x == 0) gpurepl_out[blockIdx.x] = gpurepl_shared[0];
}
extern "C" __global__ void __launch_bounds__(256) dot_stage2(const float *gpurepl_in, float *gpurepl_out, unsigned long long n)
{
  __shared__ float gpurepl_shared[256];
  float gpurepl_value = (float)(
#line 1 "neutral"
0
#line 1 "after neutral"
);
  for (unsigned long long i = threadIdx.x; i < n; i += 256)
    gpurepl_value = gpurepl_combine(gpurepl_value, gpurepl_in[i]);
  gpurepl_shared[threadIdx.x] = gpurepl_value;
  __syncthreads();
  for (unsigned int gpurepl_half = 128; gpurepl_half > 0; gpurepl_half /= 2) {
    if (threadIdx.x < gpurepl_half)
      gpurepl_shared[threadIdx.x] = gpurepl_combine(gpurepl_shared[threadIdx.x], gpurepl_shared[threadIdx.x + gpurepl_half]);
    __syncthreads();
  }
  if (threadIdx.x == 0) gpurepl_out[blockIdx.x] = gpurepl_shared[0];
}
