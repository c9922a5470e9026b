// ---- textures and surfaces -----------------------------------------------------------------------
// An object is the address of one of these, which the caller of the kernel has
// filled in. How coordinates become elements is what the appendix "Texture
// Fetching" of the CUDA C++ Programming Guide says.

struct gpurepl_image {
  unsigned char *data;
  long long width, height, depth;  // 1 where there is none; the depth is the number of layers, if there are
  long long row, slice;            // in bytes
  unsigned int channels, format;
  unsigned int address[3];
  unsigned int filter, normalized_reads, normalized_coordinates;
  float border[4];
};

typedef unsigned long long cudaTextureObject_t;
typedef unsigned long long cudaSurfaceObject_t;
enum cudaTextureReadMode { cudaReadModeElementType = 0, cudaReadModeNormalizedFloat = 1 };
enum cudaTextureAddressMode { cudaAddressModeWrap = 0, cudaAddressModeClamp = 1, cudaAddressModeMirror = 2, cudaAddressModeBorder = 3 };
enum cudaTextureFilterMode { cudaFilterModePoint = 0, cudaFilterModeLinear = 1 };
enum cudaSurfaceBoundaryMode { cudaBoundaryModeZero = 0, cudaBoundaryModeClamp = 1, cudaBoundaryModeTrap = 2 };
#define cudaTextureType1D 0x01
#define cudaTextureType2D 0x02
#define cudaTextureType3D 0x03
#define cudaTextureType1DLayered 0xF1
#define cudaTextureType2DLayered 0xF2
#define cudaSurfaceType1D 0x01
#define cudaSurfaceType2D 0x02
#define cudaSurfaceType3D 0x03
#define cudaSurfaceType1DLayered 0xF1
#define cudaSurfaceType2DLayered 0xF2

// What a fetch may return: its numbers, and how many.
template <class T> struct gpurepl_texel;
#define GPUREPL_TEXEL(T, P, n) template <> struct gpurepl_texel<T> { typedef P part; static constexpr unsigned int parts = n; };
#define GPUREPL_TEXELS(T, name) \
  GPUREPL_TEXEL(T, T, 1) GPUREPL_TEXEL(name##1, T, 1) GPUREPL_TEXEL(name##2, T, 2) GPUREPL_TEXEL(name##4, T, 4)
GPUREPL_TEXEL(char, char, 1)
GPUREPL_TEXELS(signed char, char)
GPUREPL_TEXELS(unsigned char, uchar)
GPUREPL_TEXELS(short, short)
GPUREPL_TEXELS(unsigned short, ushort)
GPUREPL_TEXELS(int, int)
GPUREPL_TEXELS(unsigned int, uint)
GPUREPL_TEXELS(float, float)

// A number as it is stored; the formats are those of ChannelFormat in Rust.
struct gpurepl_number {
  bool is_float;
  float f;
  int i;
};
GPUREPL_INLINE float gpurepl_from_half(unsigned short h) {
  unsigned int sign = (unsigned int)(h & 0x8000) << 16, rest = h & 0x7fff;
  if (rest >= 0x7c00) return gpurepl_bits<float>(sign | 0x7f800000u | (rest & 0x3ff) << 13);
  if (rest >= 0x400) return gpurepl_bits<float>(sign | ((rest << 13) + 0x38000000u));
  float small = (float)rest * 5.9604644775390625e-8f;
  return sign ? -small : small;
}
static inline gpurepl_number gpurepl_stored(const gpurepl_image *t, const unsigned char *p) {
  const bool reads = t->normalized_reads;
#define GPUREPL_STORED(number, T, most) \
  case number: { \
    T v; \
    __builtin_memcpy(&v, p, sizeof(T)); \
    if (!reads) return {false, 0, (int)v}; \
    float f = (float)v / most; \
    return {true, f < -1.0f ? -1.0f : f, 0}; \
  }
  switch (t->format) {
    GPUREPL_STORED(0, signed char, 127.0f)
    GPUREPL_STORED(1, unsigned char, 255.0f)
    GPUREPL_STORED(2, short, 32767.0f)
    GPUREPL_STORED(3, unsigned short, 65535.0f)
    case 6: {
      unsigned short v;
      __builtin_memcpy(&v, p, sizeof v);
      return {true, gpurepl_from_half(v), 0};
    }
    case 7: {
      float v;
      __builtin_memcpy(&v, p, sizeof v);
      return {true, v, 0};
    }
    default: {
      int v;
      __builtin_memcpy(&v, p, sizeof v);
      return {false, 0, v};
    }
  }
#undef GPUREPL_STORED
}
GPUREPL_INLINE unsigned int gpurepl_channel_size(const gpurepl_image *t) {
  return t->format < 2 ? 1 : t->format < 4 || t->format == 6 ? 2 : 4;
}
// A number in the type that is asked for. The wrong kind gives the bits of the right one, as on a GPU.
GPUREPL_INLINE void gpurepl_convert(gpurepl_number n, float *to) { *to = n.is_float ? n.f : gpurepl_bits<float>(n.i); }
template <class P> GPUREPL_INLINE void gpurepl_convert(gpurepl_number n, P *to) { *to = (P)(n.is_float ? gpurepl_bits<int>(n.f) : n.i); }

// The element behind an index along one axis; false where the border is.
GPUREPL_INLINE bool gpurepl_resolve(long long *i, long long n, unsigned int mode) {
  switch (mode) {
    case cudaAddressModeWrap: *i %= n; if (*i < 0) *i += n; return true;
    case cudaAddressModeMirror: *i %= 2 * n; if (*i < 0) *i += 2 * n; if (*i >= n) *i = 2 * n - 1 - *i; return true;
    case cudaAddressModeBorder: return *i >= 0 && *i < n;
    default: *i = *i < 0 ? 0 : *i >= n ? n - 1 : *i; return true;
  }
}
template <class T> GPUREPL_INLINE T gpurepl_element(const gpurepl_image *t, long long x, long long y, long long z, bool is_inside) {
  typename gpurepl_texel<T>::part parts[gpurepl_texel<T>::parts];
  const unsigned int size = gpurepl_channel_size(t);
  const unsigned char *p = t->data + (is_inside ? z * t->slice + y * t->row + x * size * t->channels : 0);
  for (unsigned int k = 0; k < gpurepl_texel<T>::parts; k++) {
    gpurepl_number n = {true, t->border[k], 0};
    if (k >= t->channels) n = {true, 0, 0};
    else if (is_inside) n = gpurepl_stored(t, p + k * size);
    else if (t->format < 6 && !t->normalized_reads) n = {false, 0, (int)t->border[k]};
    gpurepl_convert(n, &parts[k]);
  }
  T value;
  __builtin_memcpy(&value, parts, sizeof value);
  return value;
}

// A coordinate in elements, in 1/256 where the filter is linear: weights have
// eight bits of fraction. One beyond all elements stays beyond them.
GPUREPL_INLINE float gpurepl_scale(const gpurepl_image *t, int axis, long long n, float x) {
  if (t->normalized_coordinates) {
    if (t->address[axis] == cudaAddressModeWrap) x -= floorf(x);
    else if (t->address[axis] == cudaAddressModeMirror) x -= 2 * floorf(x / 2);
    x *= (float)n;
  }
  return x < 1e9f ? (x > -1e9f ? x : -1e9f) : x >= 1e9f ? 1e9f : 0;
}

// D axes have coordinates; a layer is an index beside them.
template <class T, int D> static inline T gpurepl_sample(cudaTextureObject_t object, float x, float y, float z, long long layer) {
  typedef typename gpurepl_texel<T>::part part;
  constexpr unsigned int parts = gpurepl_texel<T>::parts;
  if (!object) return T();
  const gpurepl_image *t = (const gpurepl_image *)object;
  const long long lengths[3] = {t->width, t->height, t->depth};
  const float at[3] = {gpurepl_scale(t, 0, t->width, x), D > 1 ? gpurepl_scale(t, 1, t->height, y) : 0, D > 2 ? gpurepl_scale(t, 2, t->depth, z) : 0};
  // A layer is an unsigned number to a GPU: one below zero is a large one.
  const long long last = D == 3 ? 0 : layer < 0 || layer >= t->depth ? t->depth - 1 : layer;
  if (t->filter == cudaFilterModePoint || (t->format < 6 && !t->normalized_reads)) {
    long long i[3] = {0, 0, last};
    bool is_inside = true;
    for (int axis = 0; axis < D; axis++) {
      i[axis] = (long long)floorf(at[axis]);
      is_inside &= gpurepl_resolve(&i[axis], lengths[axis], t->address[axis]);
    }
    return gpurepl_element<T>(t, i[0], i[1], i[2], is_inside);
  }
  long long first[3] = {0, 0, last};
  float weight[3] = {0, 0, 0};
  for (int axis = 0; axis < D; axis++) {
    const long long fixed = (long long)floor((double)at[axis] * 256 - 127.5);
    first[axis] = fixed >> 8;
    weight[axis] = (float)(fixed & 255) / 256;
  }
  float sums[parts] = {};
  for (int corner = 0; corner < 1 << D; corner++) {
    long long i[3] = {first[0], first[1], first[2]};
    float share = 1;
    bool is_inside = true;
    for (int axis = 0; axis < D; axis++) {
      const int next = corner >> axis & 1;
      share *= next ? weight[axis] : 1 - weight[axis];
      i[axis] += next;
      is_inside &= gpurepl_resolve(&i[axis], lengths[axis], t->address[axis]);
    }
    if (share == 0) continue;
    for (unsigned int k = 0; k < parts && k < t->channels; k++) {
      const unsigned int size = gpurepl_channel_size(t);
      const float f = is_inside ? gpurepl_stored(t, t->data + i[2] * t->slice + i[1] * t->row + (i[0] * t->channels + k) * size).f : t->border[k];
      sums[k] += share * f;
    }
  }
  part answers[parts];
  for (unsigned int k = 0; k < parts; k++) gpurepl_convert({true, sums[k], 0}, &answers[k]);
  T value;
  __builtin_memcpy(&value, answers, sizeof value);
  return value;
}

// Each fetch returns its value, or writes it through a pointer.
#define GPUREPL_FETCH(name, parameters, ...) \
  template <class T> GPUREPL_INLINE T name parameters { return __VA_ARGS__; }
GPUREPL_FETCH(tex1D, (cudaTextureObject_t t, float x), gpurepl_sample<T, 1>(t, x, 0, 0, 0))
GPUREPL_FETCH(tex2D, (cudaTextureObject_t t, float x, float y), gpurepl_sample<T, 2>(t, x, y, 0, 0))
GPUREPL_FETCH(tex3D, (cudaTextureObject_t t, float x, float y, float z), gpurepl_sample<T, 3>(t, x, y, z, 0))
GPUREPL_FETCH(tex1DLayered, (cudaTextureObject_t t, float x, int layer), gpurepl_sample<T, 1>(t, x, 0, 0, layer))
GPUREPL_FETCH(tex2DLayered, (cudaTextureObject_t t, float x, float y, int layer), gpurepl_sample<T, 2>(t, x, y, 0, layer))
template <class T> GPUREPL_INLINE T tex1Dfetch(cudaTextureObject_t object, int i) {
  const gpurepl_image *t = (const gpurepl_image *)object;
  if (!t || i < 0 || i >= t->width) return T();
  return gpurepl_element<T>(t, i, 0, 0, true);
}
template <class T> GPUREPL_INLINE void tex1Dfetch(T *to, cudaTextureObject_t t, int i) { *to = tex1Dfetch<T>(t, i); }
template <class T> GPUREPL_INLINE void tex1D(T *to, cudaTextureObject_t t, float x) { *to = tex1D<T>(t, x); }
template <class T> GPUREPL_INLINE void tex2D(T *to, cudaTextureObject_t t, float x, float y) { *to = tex2D<T>(t, x, y); }
template <class T> GPUREPL_INLINE void tex3D(T *to, cudaTextureObject_t t, float x, float y, float z) { *to = tex3D<T>(t, x, y, z); }
template <class T> GPUREPL_INLINE void tex1DLayered(T *to, cudaTextureObject_t t, float x, int layer) { *to = tex1DLayered<T>(t, x, layer); }
template <class T> GPUREPL_INLINE void tex2DLayered(T *to, cudaTextureObject_t t, float x, float y, int layer) { *to = tex2DLayered<T>(t, x, y, layer); }

// A surface's memory as it is, at bytes of a row; null where an access has no effect.
template <class T> static inline unsigned char *gpurepl_surface(cudaSurfaceObject_t object, long long x, long long y, long long z, cudaSurfaceBoundaryMode mode, int line) {
  if (!object) return 0;
  const gpurepl_image *s = (const gpurepl_image *)object;
  const long long last = s->width * gpurepl_channel_size(s) * s->channels - (long long)sizeof(T);
  if (x < 0 || x > last || y < 0 || y >= s->height || z < 0 || z >= s->depth) {
    if (mode == cudaBoundaryModeTrap) gpurepl_failed(2, "an access outside of the surface", "", line);
    if (mode == cudaBoundaryModeZero || last < 0) return 0;
    x = x < 0 ? 0 : x > last ? last : x;
    y = y < 0 ? 0 : y >= s->height ? s->height - 1 : y;
    z = z < 0 ? 0 : z >= s->depth ? s->depth - 1 : z;
  }
  return s->data + z * s->slice + y * s->row + x;
}
#define GPUREPL_SURFACE(name, x, y, z, ...) \
  template <class T> GPUREPL_INLINE T name##read(cudaSurfaceObject_t s, __VA_ARGS__, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap, int line = __builtin_LINE()) { \
    T v = T(); \
    const unsigned char *p = gpurepl_surface<T>(s, x, y, z, mode, line); \
    if (p) __builtin_memcpy(&v, p, sizeof v); \
    return v; \
  } \
  template <class T> GPUREPL_INLINE void name##read(T *to, cudaSurfaceObject_t s, __VA_ARGS__, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap, int line = __builtin_LINE()) { \
    T v = T(); \
    const unsigned char *p = gpurepl_surface<T>(s, x, y, z, mode, line); \
    if (p) __builtin_memcpy(&v, p, sizeof v); \
    *to = v; \
  } \
  template <class T> GPUREPL_INLINE void name##write(T v, cudaSurfaceObject_t s, __VA_ARGS__, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap, int line = __builtin_LINE()) { \
    unsigned char *p = gpurepl_surface<T>(s, x, y, z, mode, line); \
    if (p) __builtin_memcpy(p, &v, sizeof v); \
  }
GPUREPL_SURFACE(surf1D, x, 0, 0, int x)
GPUREPL_SURFACE(surf2D, x, y, 0, int x, int y)
GPUREPL_SURFACE(surf3D, x, y, z, int x, int y, int z)
GPUREPL_SURFACE(surf1DLayered, x, 0, layer, int x, int layer)
GPUREPL_SURFACE(surf2DLayered, x, y, layer, int x, int y, int layer)
