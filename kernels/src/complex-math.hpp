#ifndef GPUREPL_COMPLEX_MATH
#define GPUREPL_COMPLEX_MATH
namespace gpurepl {
#define GPUREPL_COMPLEX_FUNCTION(name) \
  template <class T> __device__ inline complex<T> name(complex<T> z) { return complex<T>(gpurepl_complex::c##name(gpurepl_complex::c64(z))); }
GPUREPL_COMPLEX_FUNCTION(exp)
GPUREPL_COMPLEX_FUNCTION(log)
GPUREPL_COMPLEX_FUNCTION(log10)
GPUREPL_COMPLEX_FUNCTION(sqrt)
GPUREPL_COMPLEX_FUNCTION(sin)
GPUREPL_COMPLEX_FUNCTION(cos)
GPUREPL_COMPLEX_FUNCTION(tan)
GPUREPL_COMPLEX_FUNCTION(sinh)
GPUREPL_COMPLEX_FUNCTION(cosh)
GPUREPL_COMPLEX_FUNCTION(tanh)
GPUREPL_COMPLEX_FUNCTION(asin)
GPUREPL_COMPLEX_FUNCTION(acos)
GPUREPL_COMPLEX_FUNCTION(atan)
GPUREPL_COMPLEX_FUNCTION(asinh)
GPUREPL_COMPLEX_FUNCTION(acosh)
GPUREPL_COMPLEX_FUNCTION(atanh)
template <class T> __device__ inline complex<T> pow(complex<T> z, complex<T> w) {
  return complex<T>(gpurepl_complex::cpow(gpurepl_complex::c64(z), gpurepl_complex::c64(w)));
}
template <class T> __device__ inline complex<T> pow(complex<T> z, typename same<T>::type w) { return pow(z, complex<T>(w)); }
template <class T> __device__ inline complex<T> pow(typename same<T>::type z, complex<T> w) { return pow(complex<T>(z), w); }
template <class T> __device__ inline T arg(complex<T> z) { return T(atan2(z.im, z.re)); }
template <class T> __device__ inline complex<T> polar(T size, T angle = T(0)) {
  return complex<T>(T(size * ::cos(angle)), T(size * ::sin(angle)));
}
}
#endif
