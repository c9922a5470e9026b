static __device__ __forceinline__ void gpurepl_element(long long i, long long n, float a, float *x, float b, float *y, float *z) {

#line 1 "operation"
z[i] = a*x[i] + b*y[i];
#line 1 "after operation"
}
extern "C" __global__ void __launch_bounds__(256) gpurepl_loop_linear_combination(float a, float *x, float b, float *y, float *z, long long n)
{
  const long long gpurepl_first = (long long)1024 * blockIdx.x;
  if (gpurepl_first + 1024 <= n) {
    #pragma unroll
    for (int gpurepl_k = 0; gpurepl_k < 4; gpurepl_k++)
      gpurepl_element(gpurepl_first + gpurepl_k * 256 + threadIdx.x, n, a, x, b, y, z);
  } else {
    for (long long gpurepl_k = gpurepl_first + threadIdx.x; gpurepl_k < n; gpurepl_k += 256)
      gpurepl_element(gpurepl_k, n, a, x, b, y, z);
  }
}
extern "C" __global__ void __launch_bounds__(256) gpurepl_apart_linear_combination(float a, float *__restrict__ x, float b, float *__restrict__ y, float *__restrict__ z, long long n)
{
  const long long gpurepl_first = (long long)1024 * blockIdx.x;
  if (gpurepl_first + 1024 <= n) {
    #pragma unroll
    for (int gpurepl_k = 0; gpurepl_k < 4; gpurepl_k++)
      gpurepl_element(gpurepl_first + gpurepl_k * 256 + threadIdx.x, n, a, x, b, y, z);
  } else {
    for (long long gpurepl_k = gpurepl_first + threadIdx.x; gpurepl_k < n; gpurepl_k += 256)
      gpurepl_element(gpurepl_k, n, a, x, b, y, z);
  }
}
