// ---- texture and surface references --------------------------------------------------------------
// CUDA 12 has taken them away. Here a reference is a variable that holds an
// object, which is put into it before a launch, and says what it is declared as.
#ifndef GPUREPL_REFERENCES
#define GPUREPL_REFERENCES

#define GPUREPL_REFERENCE __device__ __forceinline__
// The host says on which line of the kernel an access was wrong.
#ifdef GPUREPL_HOST
#define GPUREPL_LINE_HERE , int line = __builtin_LINE()
#define GPUREPL_LINE_TOO , line
#else
#define GPUREPL_LINE_HERE
#define GPUREPL_LINE_TOO
#endif

// What a texture's elements are: the bytes of a number, how many numbers, and their kind.
template <class T> struct gpurepl_declared {
  static_assert(sizeof(T) == 0, "a texture has numbers of up to 32 bits, or vectors of 1, 2 or 4 of them; for double and complex numbers see pycuda-helpers.hpp");
  enum { size, parts, kind };
  typedef float as_float;
};
#define GPUREPL_DECLARE(T, size_, parts_, kind_, float_) \
  template <> struct gpurepl_declared<T> { enum { size = size_, parts = parts_, kind = kind_ }; typedef float_ as_float; };
#define GPUREPL_DECLARE_ALL(T, name, size, kind) \
  GPUREPL_DECLARE(T, size, 1, kind, float) GPUREPL_DECLARE(name##1, size, 1, kind, float1) \
  GPUREPL_DECLARE(name##2, size, 2, kind, float2) GPUREPL_DECLARE(name##4, size, 4, kind, float4)
GPUREPL_DECLARE(char, 1, 1, 0, float)
GPUREPL_DECLARE_ALL(signed char, char, 1, 0)
GPUREPL_DECLARE_ALL(unsigned char, uchar, 1, 1)
GPUREPL_DECLARE_ALL(short, short, 2, 0)
GPUREPL_DECLARE_ALL(unsigned short, ushort, 2, 1)
GPUREPL_DECLARE_ALL(int, int, 4, 0)
GPUREPL_DECLARE_ALL(unsigned int, uint, 4, 1)
GPUREPL_DECLARE_ALL(float, float, 4, 2)

template <class T, int type = cudaTextureType1D, enum cudaTextureReadMode mode = cudaReadModeElementType> struct texture {
  unsigned long long object = 0;
  unsigned int dimensions = type, read_mode = mode;
  unsigned int size = gpurepl_declared<T>::size, parts = gpurepl_declared<T>::parts, kind = gpurepl_declared<T>::kind, unused = 0;
};
template <class T, int type = cudaSurfaceType1D> struct surface {
  unsigned long long object = 0;
  unsigned int dimensions = type, read_mode = 0, size = 0, parts = 0, kind = 0, unused = 0;
};

// Normalized reads are floats.
template <class T, enum cudaTextureReadMode mode> struct gpurepl_read { typedef T type; };
template <class T> struct gpurepl_read<T, cudaReadModeNormalizedFloat> { typedef typename gpurepl_declared<T>::as_float type; };

// One that nothing is bound to reads zeros.
#define GPUREPL_REFERENCE_FETCH(name, dimensions, arguments, ...) \
  template <class T, enum cudaTextureReadMode mode> \
  GPUREPL_REFERENCE typename gpurepl_read<T, mode>::type name(const texture<T, dimensions, mode> &t, __VA_ARGS__) { \
    typedef typename gpurepl_read<T, mode>::type R; \
    return t.object ? name<R> arguments : R(); \
  }
GPUREPL_REFERENCE_FETCH(tex1Dfetch, cudaTextureType1D, (t.object, i), int i)
GPUREPL_REFERENCE_FETCH(tex1D, cudaTextureType1D, (t.object, x), float x)
GPUREPL_REFERENCE_FETCH(tex2D, cudaTextureType2D, (t.object, x, y), float x, float y)
GPUREPL_REFERENCE_FETCH(tex3D, cudaTextureType3D, (t.object, x, y, z), float x, float y, float z)
GPUREPL_REFERENCE_FETCH(tex1DLayered, cudaTextureType1DLayered, (t.object, x, layer), float x, int layer)
GPUREPL_REFERENCE_FETCH(tex2DLayered, cudaTextureType2DLayered, (t.object, x, y, layer), float x, float y, int layer)

#define GPUREPL_REFERENCE_SURFACE(name, dimensions, arguments, ...) \
  template <class T> GPUREPL_REFERENCE T name##read(const surface<void, dimensions> &s, __VA_ARGS__, enum cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap GPUREPL_LINE_HERE) { \
    return s.object ? name##read<T> arguments : T(); \
  } \
  template <class T> GPUREPL_REFERENCE void name##read(T *to, const surface<void, dimensions> &s, __VA_ARGS__, enum cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap GPUREPL_LINE_HERE) { \
    *to = s.object ? name##read<T> arguments : T(); \
  } \
  template <class T> GPUREPL_REFERENCE void name##write(T value, const surface<void, dimensions> &s, __VA_ARGS__, enum cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap GPUREPL_LINE_HERE) { \
    if (s.object) name##write GPUREPL_WITH(value, GPUREPL_OPEN arguments); \
  }
#define GPUREPL_OPEN(...) __VA_ARGS__
#define GPUREPL_WITH(...) (__VA_ARGS__)
GPUREPL_REFERENCE_SURFACE(surf1D, cudaSurfaceType1D, (s.object, x, mode GPUREPL_LINE_TOO), int x)
GPUREPL_REFERENCE_SURFACE(surf2D, cudaSurfaceType2D, (s.object, x, y, mode GPUREPL_LINE_TOO), int x, int y)
GPUREPL_REFERENCE_SURFACE(surf3D, cudaSurfaceType3D, (s.object, x, y, z, mode GPUREPL_LINE_TOO), int x, int y, int z)
GPUREPL_REFERENCE_SURFACE(surf1DLayered, cudaSurfaceType1DLayered, (s.object, x, layer, mode GPUREPL_LINE_TOO), int x, int layer)
GPUREPL_REFERENCE_SURFACE(surf2DLayered, cudaSurfaceType2DLayered, (s.object, x, y, layer, mode GPUREPL_LINE_TOO), int x, int y, int layer)

#endif
