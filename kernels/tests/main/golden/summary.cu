
static __device__ __forceinline__ float gpurepl_half_to_float(unsigned short bits) {
  float value;
  asm("{cvt.f32.f16 %0, %1;}" : "=f"(value) : "h"(bits));
  return value;
}
struct gpurepl_figures { double least, most; double sum; unsigned long long nan, infinite; };
static __device__ __forceinline__ unsigned long long gpurepl_start(unsigned long long length, unsigned long long count, unsigned long long k) {
  // In this order nothing overflows.
  return length / count * k + length % count * k / count;
}
extern "C" __global__ void __launch_bounds__(256) gpurepl_summary(const unsigned short *in0, gpurepl_figures *gpurepl_out, unsigned long long rows, unsigned long long columns, unsigned long long down, unsigned long long across, unsigned long long row_parts, unsigned long long column_parts, unsigned long long shift, unsigned long long length0, unsigned long long length1, long long in0_stride0, long long in0_stride1)
{
  __shared__ gpurepl_figures all[256];
  const unsigned long long parts = row_parts * column_parts;
  const unsigned long long cell = blockIdx.x / parts, part = blockIdx.x % parts;
  const unsigned long long top = gpurepl_start(rows, down, cell / across), height = gpurepl_start(rows, down, cell / across + 1) - top;
  const unsigned long long left = gpurepl_start(columns, across, cell % across), width = gpurepl_start(columns, across, cell % across + 1) - left;
  const unsigned long long row_end = top + gpurepl_start(height, row_parts, part / column_parts + 1);
  const unsigned long long column_end = left + gpurepl_start(width, column_parts, part % column_parts + 1);
  const unsigned long long column_start = left + gpurepl_start(width, column_parts, part % column_parts) + (threadIdx.x & ((1u << shift) - 1));
  gpurepl_figures own = { __longlong_as_double(0x7ff0000000000000ll), -__longlong_as_double(0x7ff0000000000000ll), 0, 0, 0 };
  for (unsigned long long row = top + gpurepl_start(height, row_parts, part / column_parts) + (threadIdx.x >> shift); row < row_end; row += 256 >> shift)
    for (unsigned long long column = column_start; column < column_end; column += 1ull << shift) {
      const unsigned long long i = row * columns + column;
      (void)i; // Not used where all elements are the same one.
      unsigned long long rest = i, place;
      long long in0_offset = 0;
      place = rest % length1; rest /= length1;
      in0_offset += (long long)place * in0_stride1;
      place = rest;
      in0_offset += (long long)place * in0_stride0;
      const float v0 = gpurepl_half_to_float(in0[in0_offset]);
      const double value = (double)v0;
      if (value != value) { own.nan++; continue; }
      if (value - value != 0) own.infinite++; else own.sum += value;
      if (value < own.least) own.least = value;
      if (value > own.most) own.most = value;
    }
  all[threadIdx.x] = own;
  __syncthreads();
  for (unsigned int half = 128; half > 0; half /= 2) {
    if (threadIdx.x < half) {
      const gpurepl_figures other = all[threadIdx.x + half];
      gpurepl_figures &mine = all[threadIdx.x];
      if (other.least < mine.least) mine.least = other.least;
      if (other.most > mine.most) mine.most = other.most;
      mine.sum += other.sum;
      mine.nan += other.nan;
      mine.infinite += other.infinite;
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) gpurepl_out[blockIdx.x] = all[0];
}
