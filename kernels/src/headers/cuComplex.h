// Complex numbers by CUDA's names for C. One text for both devices.
#ifndef GPUREPL_CUCOMPLEX
#define GPUREPL_CUCOMPLEX
#define GPUREPL_CUC static __host__ __device__ __forceinline__

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

// Division is Smith's algorithm (R. L. Smith, "Algorithm 116: Complex
// division", Communications of the ACM 5, 1962), as for `gpurepl::complex`.
#define GPUREPL_CUC_TYPE(T, complex, make, f) \
  GPUREPL_CUC complex make(T re, T im) { complex z; z.x = re; z.y = im; return z; } \
  GPUREPL_CUC T cuCreal##f(complex z) { return z.x; } \
  GPUREPL_CUC T cuCimag##f(complex z) { return z.y; } \
  GPUREPL_CUC complex cuConj##f(complex z) { return make(z.x, -z.y); } \
  GPUREPL_CUC complex cuCadd##f(complex a, complex b) { return make(a.x + b.x, a.y + b.y); } \
  GPUREPL_CUC complex cuCsub##f(complex a, complex b) { return make(a.x - b.x, a.y - b.y); } \
  GPUREPL_CUC complex cuCmul##f(complex a, complex b) { return make(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); } \
  GPUREPL_CUC complex cuCdiv##f(complex a, complex b) { \
    if (fabs##f(b.x) >= fabs##f(b.y)) { \
      if (b.x == 0 && b.y == 0) return make(a.x / fabs##f(b.x), a.y / fabs##f(b.x)); \
      const T ratio = b.y / b.x, scale = T(1) / (b.x + b.y * ratio); \
      return make((a.x + a.y * ratio) * scale, (a.y - a.x * ratio) * scale); \
    } \
    const T ratio = b.x / b.y, scale = T(1) / (b.y + b.x * ratio); \
    return make((a.x * ratio + a.y) * scale, (a.y * ratio - a.x) * scale); \
  } \
  GPUREPL_CUC T cuCabs##f(complex z) { return hypot##f(z.x, z.y); } \
  GPUREPL_CUC complex cuCfma##f(complex a, complex b, complex c) { \
    return make(a.x * b.x + c.x - a.y * b.y, a.x * b.y + c.y + a.y * b.x); \
  }
GPUREPL_CUC_TYPE(float, cuFloatComplex, make_cuFloatComplex, f)
GPUREPL_CUC_TYPE(double, cuDoubleComplex, make_cuDoubleComplex, )
#undef GPUREPL_CUC_TYPE
GPUREPL_CUC cuComplex make_cuComplex(float re, float im) { return make_cuFloatComplex(re, im); }
GPUREPL_CUC cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex z) { return make_cuDoubleComplex(z.x, z.y); }
GPUREPL_CUC cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex z) {
  return make_cuFloatComplex((float)z.x, (float)z.y);
}
#endif
