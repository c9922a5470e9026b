// Complex numbers and their arithmetic, for <cuda/std/complex>: with infinities
// and signs of zero as C99's Annex G has them.
#ifndef GPUREPL_CUDA_STD_COMPLEX_BASE
#define GPUREPL_CUDA_STD_COMPLEX_BASE
#include <cuda/std/cmath>
#include <cuda/std/utility>

namespace cuda {
namespace std {
template <class T> class alignas(2 * sizeof(T)) complex {
  T gpurepl_re, gpurepl_im;

 public:
  typedef T value_type;
  GPUREPL_LCX complex(const T &re = T(), const T &im = T()) : gpurepl_re(re), gpurepl_im(im) {}
  complex(const complex &) = default;
  complex &operator=(const complex &) = default;
  // What is wider must be asked for.
  template <class U, enable_if_t<(sizeof(U) < sizeof(T)), int> = 0>
  GPUREPL_LCX complex(const complex<U> &z) : gpurepl_re(T(z.real())), gpurepl_im(T(z.imag())) {}
  template <class U, enable_if_t<(sizeof(U) > sizeof(T)), int> = 0>
  GPUREPL_LCX explicit complex(const complex<U> &z) : gpurepl_re(T(z.real())), gpurepl_im(T(z.imag())) {}
  GPUREPL_LCX T real() const { return gpurepl_re; }
  GPUREPL_LCX T imag() const { return gpurepl_im; }
  GPUREPL_LCX void real(T re) { gpurepl_re = re; }
  GPUREPL_LCX void imag(T im) { gpurepl_im = im; }
  GPUREPL_LCX complex &operator=(const T &re) {
    gpurepl_re = re;
    gpurepl_im = T();
    return *this;
  }
  template <class U> GPUREPL_LCX complex &operator=(const complex<U> &z) {
    gpurepl_re = T(z.real());
    gpurepl_im = T(z.imag());
    return *this;
  }
  GPUREPL_LCX complex &operator+=(const T &x) { gpurepl_re += x; return *this; }
  GPUREPL_LCX complex &operator-=(const T &x) { gpurepl_re -= x; return *this; }
  GPUREPL_LCX complex &operator*=(const T &x) { gpurepl_re *= x; gpurepl_im *= x; return *this; }
  GPUREPL_LCX complex &operator/=(const T &x) { gpurepl_re /= x; gpurepl_im /= x; return *this; }
  template <class U>
  GPUREPL_LCX complex &operator+=(const complex<U> &z) {
    gpurepl_re += T(z.real());
    gpurepl_im += T(z.imag());
    return *this;
  }
  template <class U>
  GPUREPL_LCX complex &operator-=(const complex<U> &z) {
    gpurepl_re -= T(z.real());
    gpurepl_im -= T(z.imag());
    return *this;
  }
  template <class U> GPUREPL_LC complex &operator*=(const complex<U> &z);
  template <class U> GPUREPL_LC complex &operator/=(const complex<U> &z);
};

// ---- arithmetic ----------------------------------------------------------------------------------

namespace details {
template <class T> GPUREPL_LC T unit_if(bool is_so, T sign) { return ::copysign(is_so ? T(1) : T(0), sign); }
template <class T> GPUREPL_LC T zero_if_nan(T x) { return isnan(x) ? ::copysign(T(0), x) : x; }
// An infinite factor makes the product infinite (Annex G.5.1).
template <class T> GPUREPL_LC complex<T> multiply_infinite(T a, T b, T c, T d, complex<T> product) {
  bool again = false;
  if (isinf(a) || isinf(b)) {
    a = unit_if(isinf(a), a), b = unit_if(isinf(b), b);
    c = zero_if_nan(c), d = zero_if_nan(d);
    again = true;
  }
  if (isinf(c) || isinf(d)) {
    c = unit_if(isinf(c), c), d = unit_if(isinf(d), d);
    a = zero_if_nan(a), b = zero_if_nan(b);
    again = true;
  }
  // A partial product may have overflowed.
  if (!again && (isinf(a * c) || isinf(b * d) || isinf(a * d) || isinf(b * c))) {
    a = zero_if_nan(a), b = zero_if_nan(b), c = zero_if_nan(c), d = zero_if_nan(d);
    again = true;
  }
  const T infinity = numeric_limits<T>::infinity();
  return again ? complex<T>(infinity * (a * c - b * d), infinity * (a * d + b * c)) : product;
}
template <class T> GPUREPL_LC complex<T> multiply(T a, T b, T c, T d) {
  const T re = a * c - b * d, im = a * d + b * c;
  if (isnan(re) && isnan(im)) return multiply_infinite(a, b, c, d, complex<T>(re, im));
  return complex<T>(re, im);
}
template <class T> GPUREPL_LC complex<T> divide(T a, T b, T c, T d) {
  // The divisor is brought near to 1.
  const T largest = ::fmax(::fabs(c), ::fabs(d));
  int exponent = 0;
  T x = c, y = d;
  if (isfinite(largest) && largest > 0) {
    exponent = -::ilogb(largest);
    x = ::scalbn(c, exponent), y = ::scalbn(d, exponent);
  }
  const T size = x * x + y * y;
  T re = ::scalbn((a * x + b * y) / size, exponent), im = ::scalbn((b * x - a * y) / size, exponent);
  if (isnan(re) && isnan(im)) {
    const T infinity = numeric_limits<T>::infinity();
    if (size == 0 && (!isnan(a) || !isnan(b))) {
      re = ::copysign(infinity, c) * a, im = ::copysign(infinity, c) * b;
    } else if ((isinf(a) || isinf(b)) && isfinite(c) && isfinite(d)) {
      a = unit_if(isinf(a), a), b = unit_if(isinf(b), b);
      re = infinity * (a * c + b * d), im = infinity * (b * c - a * d);
    } else if (isinf(largest) && isfinite(a) && isfinite(b)) {
      c = unit_if(isinf(c), c), d = unit_if(isinf(d), d);
      re = T(0) * (a * c + b * d), im = T(0) * (b * c - a * d);
    }
  }
  return complex<T>(re, im);
}
}
template <class T> template <class U> GPUREPL_LC complex<T> &complex<T>::operator*=(const complex<U> &z) {
  return *this = details::multiply(gpurepl_re, gpurepl_im, T(z.real()), T(z.imag()));
}
template <class T> template <class U> GPUREPL_LC complex<T> &complex<T>::operator/=(const complex<U> &z) {
  return *this = details::divide(gpurepl_re, gpurepl_im, T(z.real()), T(z.imag()));
}
#define GPUREPL_COMPLEX_OPERATOR(op) \
  template <class T> \
  GPUREPL_LC complex<T> operator op(const complex<T> &a, const complex<T> &b) { \
    complex<T> z(a); \
    return z op##= b; \
  } \
  template <class T> \
  GPUREPL_LC complex<T> operator op(const complex<T> &a, const type_identity_t<T> &b) { \
    complex<T> z(a); \
    return z op##= b; \
  }
GPUREPL_COMPLEX_OPERATOR(+)
GPUREPL_COMPLEX_OPERATOR(-)
GPUREPL_COMPLEX_OPERATOR(*)
GPUREPL_COMPLEX_OPERATOR(/)
#undef GPUREPL_COMPLEX_OPERATOR
template <class T>
GPUREPL_LC complex<T> operator+(const type_identity_t<T> &a, const complex<T> &b) {
  return complex<T>(a + b.real(), b.imag());
}
template <class T>
GPUREPL_LC complex<T> operator-(const type_identity_t<T> &a, const complex<T> &b) {
  return complex<T>(a - b.real(), -b.imag());
}
template <class T>
GPUREPL_LC complex<T> operator*(const type_identity_t<T> &a, const complex<T> &b) {
  return complex<T>(a * b.real(), a * b.imag());
}
template <class T>
GPUREPL_LC complex<T> operator/(const type_identity_t<T> &a, const complex<T> &b) {
  return details::divide(a, T(0), b.real(), b.imag());
}
template <class T> GPUREPL_LCX complex<T> operator+(const complex<T> &z) { return z; }
template <class T> GPUREPL_LCX complex<T> operator-(const complex<T> &z) { return complex<T>(-z.real(), -z.imag()); }
template <class T>
GPUREPL_LCX bool operator==(const complex<T> &a, const complex<T> &b) {
  return a.real() == b.real() && a.imag() == b.imag();
}
template <class T>
GPUREPL_LCX bool operator==(const complex<T> &a, const type_identity_t<T> &b) { return a.real() == b && a.imag() == 0; }
template <class T> GPUREPL_LCX bool operator==(const type_identity_t<T> &a, const complex<T> &b) { return b == a; }
template <class T> GPUREPL_LCX bool operator!=(const complex<T> &a, const complex<T> &b) { return !(a == b); }
template <class T> GPUREPL_LCX bool operator!=(const complex<T> &a, const type_identity_t<T> &b) { return !(a == b); }
template <class T> GPUREPL_LCX bool operator!=(const type_identity_t<T> &a, const complex<T> &b) { return !(b == a); }

// ---- parts ---------------------------------------------------------------------------------------

namespace details {
template <class T>
using if_real = enable_if_t<is_arithmetic<T>::value, conditional_t<is_same<T, float>::value, float, double> >;
}
template <class T> GPUREPL_LCX T real(const complex<T> &z) { return z.real(); }
template <class T> GPUREPL_LCX T imag(const complex<T> &z) { return z.imag(); }
template <class T> GPUREPL_LC T abs(const complex<T> &z) { return ::hypot(z.real(), z.imag()); }
template <class T> GPUREPL_LC T arg(const complex<T> &z) { return ::atan2(z.imag(), z.real()); }
template <class T> GPUREPL_LC T norm(const complex<T> &z) {
  if (isinf(z.real()) || isinf(z.imag())) return numeric_limits<T>::infinity();
  return z.real() * z.real() + z.imag() * z.imag();
}
template <class T> GPUREPL_LCX complex<T> conj(const complex<T> &z) { return complex<T>(z.real(), -z.imag()); }
template <class T> GPUREPL_LC complex<T> proj(const complex<T> &z) {
  if (isinf(z.real()) || isinf(z.imag())) return complex<T>(numeric_limits<T>::infinity(), ::copysign(T(0), z.imag()));
  return z;
}
template <class T> GPUREPL_LC complex<T> polar(const T &size, const T &angle = T()) {
  const T none = numeric_limits<T>::quiet_NaN();
  if (isnan(size) || signbit(size)) return complex<T>(none, none);
  if (isnan(angle)) return complex<T>(isinf(size) ? size : none, none);
  if (isinf(angle)) return complex<T>(isinf(size) ? size : none, none);
  T re = size * ::cos(angle), im = size * ::sin(angle);
  if (isnan(re)) re = 0;
  if (isnan(im)) im = 0;
  return complex<T>(re, im);
}
template <class T> GPUREPL_LCX details::if_real<T> real(T x) { return details::if_real<T>(x); }
template <class T> GPUREPL_LCX details::if_real<T> imag(T) { return 0; }
template <class T>
GPUREPL_LC details::if_real<T> arg(T x) { return ::atan2(details::if_real<T>(0), details::if_real<T>(x)); }
template <class T> GPUREPL_LCX details::if_real<T> norm(T x) { return details::if_real<T>(x) * details::if_real<T>(x); }
template <class T>
GPUREPL_LCX complex<details::if_real<T> > conj(T x) { return complex<details::if_real<T> >(details::if_real<T>(x)); }
template <class T>
GPUREPL_LC complex<details::if_real<T> > proj(T x) { return proj(complex<details::if_real<T> >(details::if_real<T>(x))); }

template <size_t k, class T> GPUREPL_LCX T get(const complex<T> &z) noexcept {
  static_assert(k < 2, "a complex number has two parts");
  return k == 0 ? z.real() : z.imag();
}
template <class T> struct tuple_size<complex<T> > : integral_constant<size_t, 2> {};
template <size_t k, class T> struct tuple_element<k, complex<T> > { typedef T type; };
}
}
#endif
