
#line 1 "preamble"
__device__ double twice(double x) { return 2*x; }
#line 1 "after preamble"
extern "C" __global__ void gpurepl_loop_inside(const double *z, unsigned char *out, long long limit, long long n)
{
  const long long tid = threadIdx.x, total_threads = (long long)gridDim.x * blockDim.x;
  const long long cta_start = (long long)blockDim.x * blockIdx.x;
  long long i;

#line 1 "loop_prep"
const float unused = 0;
#line 1 "after loop_prep"
  for (i = cta_start + tid; i < n; i += total_threads) {

#line 1 "operation"
double m = twice(z[i]);
out[i] = m < limit ? 1 : 0;
#line 1 "after operation"
  }

#line 1 "after_loop"
(void)unused;
#line 1 "after after_loop"
}
