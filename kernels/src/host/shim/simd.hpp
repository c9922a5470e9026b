// ---- several integers in a word ------------------------------------------------------------------
// For kernels that use one: two integers of 16 bits or four of 8, and the
// functions for dynamic programming, which take one of 32 bits as well.

GPUREPL_INLINE int gpurepl_clamp(int x, int least, int greatest) { return x < least ? least : x > greatest ? greatest : x; }

// The answer has one part for each part `x` of a, `y` of b and `z` of c.
#define GPUREPL_LANES(name, bits, T, parameters, ...) \
  GPUREPL_INLINE unsigned int name parameters { \
    unsigned int result = 0; \
    for (int at = 0; at < 32; at += bits) { \
      const int x = (T)(a >> at), y = (T)(b >> at), z = (T)(c >> at); \
      result |= ((unsigned int)(__VA_ARGS__) & (~0u >> (32 - bits))) << at; \
    } \
    return result; \
  }
#define GPUREPL_LANES_1(name, bits, T, ...) \
  GPUREPL_INLINE unsigned int name(unsigned int a) { \
    unsigned int result = 0; \
    for (int at = 0; at < 32; at += bits) { \
      const int x = (T)(a >> at); \
      result |= ((unsigned int)(__VA_ARGS__) & (~0u >> (32 - bits))) << at; \
    } \
    return result; \
  }
#define GPUREPL_LANES_2(name, bits, T, ...) \
  GPUREPL_INLINE unsigned int name(unsigned int a, unsigned int b) { \
    unsigned int result = 0; \
    for (int at = 0; at < 32; at += bits) { \
      const int x = (T)(a >> at), y = (T)(b >> at); \
      result |= ((unsigned int)(__VA_ARGS__) & (~0u >> (32 - bits))) << at; \
    } \
    return result; \
  }
#define GPUREPL_SUM_OF_LANES(name, bits, T) \
  GPUREPL_INLINE unsigned int name(unsigned int a, unsigned int b) { \
    unsigned int result = 0; \
    for (int at = 0; at < 32; at += bits) { \
      const int x = (T)(a >> at), y = (T)(b >> at); \
      result += (unsigned int)(x < y ? y - x : x - y); \
    } \
    return result; \
  }
#define GPUREPL_COMPARISON(name, n, bits, T, op) \
  GPUREPL_LANES_2(__vcmp##name##n, bits, T, x op y ? ~0u : 0u) \
  GPUREPL_LANES_2(__vset##name##n, bits, T, x op y)
#define GPUREPL_SIMD(n, bits, S, U, least, greatest) \
  GPUREPL_LANES_1(__vabs##n, bits, S, x < 0 ? -x : x) \
  GPUREPL_LANES_1(__vabsss##n, bits, S, gpurepl_clamp(x < 0 ? -x : x, least, greatest)) \
  GPUREPL_LANES_1(__vneg##n, bits, S, -x) \
  GPUREPL_LANES_1(__vnegss##n, bits, S, gpurepl_clamp(-x, least, greatest)) \
  GPUREPL_LANES_2(__vadd##n, bits, U, x + y) \
  GPUREPL_LANES_2(__vaddss##n, bits, S, gpurepl_clamp(x + y, least, greatest)) \
  GPUREPL_LANES_2(__vaddus##n, bits, U, gpurepl_clamp(x + y, 0, greatest - least)) \
  GPUREPL_LANES_2(__vsub##n, bits, U, x - y) \
  GPUREPL_LANES_2(__vsubss##n, bits, S, gpurepl_clamp(x - y, least, greatest)) \
  GPUREPL_LANES_2(__vsubus##n, bits, U, gpurepl_clamp(x - y, 0, greatest - least)) \
  GPUREPL_LANES_2(__vavgs##n, bits, S, (x + y + (x + y >= 0)) >> 1) \
  GPUREPL_LANES_2(__vavgu##n, bits, U, (x + y + 1) >> 1) \
  GPUREPL_LANES_2(__vhaddu##n, bits, U, (x + y) >> 1) \
  GPUREPL_LANES_2(__vabsdiffs##n, bits, S, x < y ? y - x : x - y) \
  GPUREPL_LANES_2(__vabsdiffu##n, bits, U, x < y ? y - x : x - y) \
  GPUREPL_LANES_2(__vmaxs##n, bits, S, x > y ? x : y) \
  GPUREPL_LANES_2(__vmaxu##n, bits, U, x > y ? x : y) \
  GPUREPL_LANES_2(__vmins##n, bits, S, x < y ? x : y) \
  GPUREPL_LANES_2(__vminu##n, bits, U, x < y ? x : y) \
  GPUREPL_SUM_OF_LANES(__vsads##n, bits, S) \
  GPUREPL_SUM_OF_LANES(__vsadu##n, bits, U) \
  GPUREPL_COMPARISON(eq, n, bits, U, ==) \
  GPUREPL_COMPARISON(ne, n, bits, U, !=) \
  GPUREPL_COMPARISON(ges, n, bits, S, >=) \
  GPUREPL_COMPARISON(geu, n, bits, U, >=) \
  GPUREPL_COMPARISON(gts, n, bits, S, >) \
  GPUREPL_COMPARISON(gtu, n, bits, U, >) \
  GPUREPL_COMPARISON(les, n, bits, S, <=) \
  GPUREPL_COMPARISON(leu, n, bits, U, <=) \
  GPUREPL_COMPARISON(lts, n, bits, S, <) \
  GPUREPL_COMPARISON(ltu, n, bits, U, <)
GPUREPL_SIMD(2, 16, short, unsigned short, -32768, 32767)
GPUREPL_SIMD(4, 8, signed char, unsigned char, -128, 127)

// ---- dot products
// Parts are taken by their types, low ones first.

template <class A, class B, int parts> GPUREPL_INLINE unsigned int gpurepl_dot(unsigned int a, unsigned int b, unsigned int c) {
  for (int k = 0; k < parts; k++) c += (unsigned int)((int)(A)(a >> 8 * sizeof(A) * k) * (int)(B)(b >> 8 * sizeof(B) * k));
  return c;
}
#define GPUREPL_DOT(name, T, C, A, B, parts, vector_a, vector_b, shift) \
  GPUREPL_INLINE T name(T a, T b, T c) { return (T)gpurepl_dot<A, B, parts>((unsigned int)a, (unsigned int)b >> shift, (unsigned int)c); } \
  GPUREPL_INLINE T name(vector_a a, vector_b b, T c) { return name(gpurepl_bits<T>(a), gpurepl_bits<T>(b), c); }
GPUREPL_DOT(__dp4a, int, int, signed char, signed char, 4, char4, char4, 0)
GPUREPL_DOT(__dp4a, unsigned int, unsigned int, unsigned char, unsigned char, 4, uchar4, uchar4, 0)
GPUREPL_DOT(__dp2a_lo, int, int, short, signed char, 2, short2, char4, 0)
GPUREPL_DOT(__dp2a_lo, unsigned int, unsigned int, unsigned short, unsigned char, 2, ushort2, uchar4, 0)
GPUREPL_DOT(__dp2a_hi, int, int, short, signed char, 2, short2, char4, 16)
GPUREPL_DOT(__dp2a_hi, unsigned int, unsigned int, unsigned short, unsigned char, 2, ushort2, uchar4, 16)

// ---- dynamic programming: sums, then the greatest or least of two or three; `relu` is at least 0

#define GPUREPL_LANES_3(name, bits, T, ...) GPUREPL_LANES(name, bits, T, (unsigned int a, unsigned int b, unsigned int c), __VA_ARGS__)
#define GPUREPL_GREATEST(which, op) \
  GPUREPL_INLINE int gpurepl_##which(int x, int y) { return x op y ? x : y; } \
  GPUREPL_INLINE unsigned int gpurepl_##which(unsigned int x, unsigned int y) { return x op y ? x : y; } \
  GPUREPL_INLINE int __vi##which##_s32_relu(int a, int b) { return gpurepl_max(gpurepl_##which(a, b), 0); } \
  GPUREPL_INLINE int __vi##which##3_s32(int a, int b, int c) { return gpurepl_##which(gpurepl_##which(a, b), c); } \
  GPUREPL_INLINE int __vi##which##3_s32_relu(int a, int b, int c) { return gpurepl_max(__vi##which##3_s32(a, b, c), 0); } \
  GPUREPL_INLINE unsigned int __vi##which##3_u32(unsigned int a, unsigned int b, unsigned int c) { return gpurepl_##which(gpurepl_##which(a, b), c); } \
  GPUREPL_INLINE int __viadd##which##_s32(int a, int b, int c) { return gpurepl_##which((int)((unsigned int)a + (unsigned int)b), c); } \
  GPUREPL_INLINE int __viadd##which##_s32_relu(int a, int b, int c) { return gpurepl_max(__viadd##which##_s32(a, b, c), 0); } \
  GPUREPL_INLINE unsigned int __viadd##which##_u32(unsigned int a, unsigned int b, unsigned int c) { return gpurepl_##which(a + b, c); } \
  GPUREPL_LANES_2(__vi##which##_s16x2_relu, 16, short, gpurepl_max(gpurepl_##which(x, y), 0)) \
  GPUREPL_LANES_3(__vi##which##3_s16x2, 16, short, gpurepl_##which(gpurepl_##which(x, y), z)) \
  GPUREPL_LANES_3(__vi##which##3_s16x2_relu, 16, short, gpurepl_max(gpurepl_##which(gpurepl_##which(x, y), z), 0)) \
  GPUREPL_LANES_3(__vi##which##3_u16x2, 16, unsigned short, gpurepl_##which(gpurepl_##which(x, y), z)) \
  GPUREPL_LANES_3(__viadd##which##_s16x2, 16, short, gpurepl_##which((int)(short)(x + y), z)) \
  GPUREPL_LANES_3(__viadd##which##_s16x2_relu, 16, short, gpurepl_max(gpurepl_##which((int)(short)(x + y), z), 0)) \
  GPUREPL_LANES_3(__viadd##which##_u16x2, 16, unsigned short, gpurepl_##which((int)(unsigned short)(x + y), z)) \
  GPUREPL_INLINE int __vib##which##_s32(int a, int b, bool *first) { *first = a op##= b; return gpurepl_##which(a, b); } \
  GPUREPL_INLINE unsigned int __vib##which##_u32(unsigned int a, unsigned int b, bool *first) { *first = a op##= b; return gpurepl_##which(a, b); } \
  GPUREPL_VIB(__vib##which##_s16x2, short, op##=) \
  GPUREPL_VIB(__vib##which##_u16x2, unsigned short, op##=)
#define GPUREPL_VIB(name, T, op) \
  GPUREPL_INLINE unsigned int name(unsigned int a, unsigned int b, bool *high, bool *low) { \
    *high = (T)(a >> 16) op (T)(b >> 16); \
    *low = (T)a op (T)b; \
    return (*high ? a : b) >> 16 << 16 | ((*low ? a : b) & 0xffffu); \
  }
GPUREPL_GREATEST(max, >)
GPUREPL_GREATEST(min, <)
