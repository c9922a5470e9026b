// ---- PyCUDA's helpers ----------------------------------------------------------------------------
// Elements that textures do not have: doubles and complex numbers travel as
// the numbers they are made of. The names are those of pycuda-helpers.hpp.
#ifndef GPUREPL_PYCUDA_HELPERS
#define GPUREPL_PYCUDA_HELPERS

typedef float fp_tex_float;
typedef int2 fp_tex_double;
typedef float2 fp_tex_cfloat;
typedef int4 fp_tex_cdouble;

// What an element stands for.
template <class T> GPUREPL_REFERENCE T gpurepl_fp(T v) { return v; }
GPUREPL_REFERENCE double gpurepl_fp(fp_tex_double v) { return __hiloint2double(v.y, v.x); }
GPUREPL_REFERENCE gpurepl::complex<float> gpurepl_fp(fp_tex_cfloat v) { return gpurepl::complex<float>(v.x, v.y); }
GPUREPL_REFERENCE gpurepl::complex<double> gpurepl_fp(fp_tex_cdouble v) {
  return gpurepl::complex<double>(__hiloint2double(v.y, v.x), __hiloint2double(v.w, v.z));
}
// The element that stands for a value.
template <class T> GPUREPL_REFERENCE T gpurepl_fp_element(T v) { return v; }
GPUREPL_REFERENCE fp_tex_double gpurepl_fp_element(double v) { return make_int2(__double2loint(v), __double2hiint(v)); }
GPUREPL_REFERENCE fp_tex_cfloat gpurepl_fp_element(gpurepl::complex<float> v) { return make_float2(v.re, v.im); }
GPUREPL_REFERENCE fp_tex_cdouble gpurepl_fp_element(gpurepl::complex<double> v) {
  return make_int4(__double2loint(v.re), __double2hiint(v.re), __double2loint(v.im), __double2hiint(v.im));
}

#define GPUREPL_FP_FETCH(name, dimensions, arguments, ...) \
  template <class T, enum cudaTextureReadMode mode> \
  GPUREPL_REFERENCE auto fp_##name(const texture<T, dimensions, mode> &t, __VA_ARGS__) -> decltype(gpurepl_fp(name arguments)) { \
    return gpurepl_fp(name arguments); \
  }
GPUREPL_FP_FETCH(tex1Dfetch, cudaTextureType1D, (t, i), int i)
GPUREPL_FP_FETCH(tex1D, cudaTextureType1D, (t, x), float x)
GPUREPL_FP_FETCH(tex2D, cudaTextureType2D, (t, x, y), float x, float y)
GPUREPL_FP_FETCH(tex3D, cudaTextureType3D, (t, x, y, z), float x, float y, float z)
GPUREPL_FP_FETCH(tex2DLayered, cudaTextureType2DLayered, (t, x, y, layer), float x, float y, int layer)

// Along x a surface counts elements here, not bytes.
#define GPUREPL_FP_SURFACE(name, dimensions, arguments, ...) \
  template <class T> GPUREPL_REFERENCE void fp_##name##read(T *to, const surface<void, dimensions> &s, __VA_ARGS__, enum cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap GPUREPL_LINE_HERE) { \
    decltype(gpurepl_fp_element(*to)) element; \
    i *= (int)sizeof element; \
    name##read GPUREPL_WITH(&element, GPUREPL_OPEN arguments); \
    *to = gpurepl_fp(element); \
  } \
  template <class T> GPUREPL_REFERENCE void fp_##name##write(T value, const surface<void, dimensions> &s, __VA_ARGS__, enum cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap GPUREPL_LINE_HERE) { \
    auto element = gpurepl_fp_element(value); \
    i *= (int)sizeof element; \
    name##write GPUREPL_WITH(element, GPUREPL_OPEN arguments); \
  }
GPUREPL_FP_SURFACE(surf2DLayered, cudaSurfaceType2DLayered, (s, i, j, layer, mode GPUREPL_LINE_TOO), int i, int j, int layer)
GPUREPL_FP_SURFACE(surf2D, cudaSurfaceType2D, (s, i, j, mode GPUREPL_LINE_TOO), int i, int j)
GPUREPL_FP_SURFACE(surf3D, cudaSurfaceType3D, (s, i, j, k, mode GPUREPL_LINE_TOO), int i, int j, int k)

#endif
