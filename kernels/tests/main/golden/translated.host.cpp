
#define N 16
__attribute__((used)) __constant__ float scale;
__device__ float twice(float x) { return 2*x*scale; }
__global__ void plain(const uint3 threadIdx, const uint3 blockIdx, const dim3 blockDim, const dim3 gridDim, const unsigned int gpurepl_width, float *a, int n)
{
  const int i = blockIdx.x*blockDim.x + threadIdx.x;
  { _Pragma("GCC ivdep") for (auto gpurepl_k = i, gpurepl_end = gpurepl_until(i, gpurepl_width, n); gpurepl_k < gpurepl_end; gpurepl_k++) { const auto i = gpurepl_k;  a[i] = twice(a[i]);
} } }
__global__ void shared(const uint3 threadIdx, const uint3 blockIdx, const dim3 blockDim, const dim3 gridDim, const unsigned int gpurepl_width, float *a) {
  typedef float gpurepl_shared_289; typedef gpurepl_shared_289 gpurepl_shared_289_s[N]; gpurepl_shared_289_s &s = gpurepl_shared<289, 1, gpurepl_shared_289_s>();
  s[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
}

#line 1 "entries"
GPUREPL_LOOP(0, false, 3, &::plain)
GPUREPL_THREADS(1, &::shared)
