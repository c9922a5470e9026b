#ifndef GPUREPL_COMPLEX
#define GPUREPL_COMPLEX
namespace gpurepl {
template <class T> struct __align__(2 * sizeof(T)) complex {
  typedef T value_type;
  T re, im;
  complex() = default;
  __host__ __device__ complex(T re, T im = T(0)) : re(re), im(im) {}
  template <class U> explicit __host__ __device__ complex(const complex<U> &z) : re(T(z.re)), im(T(z.im)) {}
  __host__ __device__ T real() const { return re; }
  __host__ __device__ T imag() const { return im; }
};
template <class T> struct same { typedef T type; };
#define GPUREPL_COMPLEX_OPERATOR(op, ...) \
  template <class T> __host__ __device__ inline complex<T> operator op(complex<T> a, complex<T> b) __VA_ARGS__ \
  template <class T> __host__ __device__ inline complex<T> operator op(complex<T> a, typename same<T>::type b) { return a op complex<T>(b); } \
  template <class T> __host__ __device__ inline complex<T> operator op(typename same<T>::type a, complex<T> b) { return complex<T>(a) op b; } \
  template <class T> __host__ __device__ inline complex<T> &operator op##=(complex<T> &a, complex<T> b) { return a = a op b; }
GPUREPL_COMPLEX_OPERATOR(+, { return complex<T>(a.re + b.re, a.im + b.im); })
GPUREPL_COMPLEX_OPERATOR(-, { return complex<T>(a.re - b.re, a.im - b.im); })
GPUREPL_COMPLEX_OPERATOR(*, { return complex<T>(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re); })
GPUREPL_COMPLEX_OPERATOR(/, {
  T x = b.re < 0 ? -b.re : b.re, y = b.im < 0 ? -b.im : b.im;
  if (x >= y) {
    if (x == 0 && y == 0) return complex<T>(a.re / x, a.im / x);
    T ratio = b.im / b.re, scale = T(1) / (b.re + b.im * ratio);
    return complex<T>((a.re + a.im * ratio) * scale, (a.im - a.re * ratio) * scale);
  }
  T ratio = b.re / b.im, scale = T(1) / (b.im + b.re * ratio);
  return complex<T>((a.re * ratio + a.im) * scale, (a.im * ratio - a.re) * scale);
})
template <class T> __host__ __device__ inline complex<T> operator-(complex<T> a) { return complex<T>(-a.re, -a.im); }
template <class T> __host__ __device__ inline bool operator==(complex<T> a, complex<T> b) { return a.re == b.re && a.im == b.im; }
template <class T> __host__ __device__ inline bool operator!=(complex<T> a, complex<T> b) { return !(a == b); }
template <class T> __host__ __device__ inline T real(complex<T> a) { return a.re; }
template <class T> __host__ __device__ inline T imag(complex<T> a) { return a.im; }
template <class T> __host__ __device__ inline complex<T> conj(complex<T> a) { return complex<T>(a.re, -a.im); }
template <class T> __host__ __device__ inline T norm(complex<T> a) { return a.re * a.re + a.im * a.im; }
template <class T> __host__ __device__ inline T abs(complex<T> a) { return T(hypot(a.re, a.im)); }
}
namespace pycuda = gpurepl;
#endif
struct gpurepl_figures { double least, most; double sum; unsigned long long nan, infinite; };
static __device__ __forceinline__ unsigned long long gpurepl_start(unsigned long long length, unsigned long long count, unsigned long long k) {
  // In this order nothing overflows.
  return length / count * k + length % count * k / count;
}
extern "C" __global__ void __launch_bounds__(256) gpurepl_summary(const gpurepl::complex<float> *in0, gpurepl_figures *gpurepl_out, unsigned long long rows, unsigned long long columns, unsigned long long down, unsigned long long across, unsigned long long row_parts, unsigned long long column_parts, unsigned long long shift)
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
      const gpurepl::complex<float> v0 = in0[i];
      const double value = hypot((double)v0.re, (double)v0.im);
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
