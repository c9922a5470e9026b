extern "C" __global__ void gpurepl_loop_linear_combination(float a, float *x, float b, float *y, float *z, size_t n)
{
  const size_t tid = threadIdx.x, total_threads = (size_t)gridDim.x * blockDim.x;
  const size_t cta_start = (size_t)blockDim.x * blockIdx.x;
  size_t i;
  for (i = cta_start + tid; i < n; i += total_threads) {

#line 1 "operation"
z[i] = a*x[i] + b*y[i];
#line 1 "after operation"
  }
}
