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

static __device__ __forceinline__ float gpurepl_half_to_float(unsigned short bits) {
  float value;
  asm("{cvt.f32.f16 %0, %1;}" : "=f"(value) : "h"(bits));
  return value;
}

static __device__ __forceinline__ unsigned short gpurepl_float_to_half(float value) {
  unsigned short bits;
  asm("{cvt.rn.f16.f32 %0, %1;}" : "=h"(bits) : "f"(value));
  return bits;
}
extern "C" __global__ void __launch_bounds__(256) gpurepl_fused(const unsigned short *in0, const gpurepl::complex<float> *in1, unsigned short *out, unsigned long long n)
{
  const unsigned long long first = (unsigned long long)blockIdx.x * 1024;
  const unsigned int count = n - first < 1024 ? (unsigned int)(n - first) : 1024;
  float x0[4];
  gpurepl::complex<float> x1[4];
  #pragma unroll
  for (int u = 0; u < 4; u++) {
    const unsigned int k = u * 256 + threadIdx.x;
    const unsigned long long i = first + min(k, count - 1);
    x0[u] = gpurepl_half_to_float(in0[i]);
    x1[u] = in1[i];
  }
  #pragma unroll
  for (int u = 0; u < 4; u++) {
    const unsigned int k = u * 256 + threadIdx.x;
    const unsigned long long i = first + min(k, count - 1);
    const float v0 = x0[u];
    const float v1 = gpurepl_half_to_float(gpurepl_float_to_half(sqrtf(v0)));
    const gpurepl::complex<float> v2 = gpurepl::complex<float>((float)v1);
    const gpurepl::complex<float> v3 = x1[u];
    const gpurepl::complex<float> v4 = v3 / v2;
    const float v5 = hypotf(v4.re, v4.im);
    const float v6 = gpurepl_half_to_float(gpurepl_float_to_half((float)v5));
    if (k < count) out[i] = gpurepl_float_to_half(v6);
  }
}
