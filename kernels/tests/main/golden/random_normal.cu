typedef unsigned int word;
typedef unsigned long long word64;
__device__ __forceinline__ float unit(word x) { return (x >> 8) * (1.0f / 16777216.0f); }
__device__ __forceinline__ double unit64(word64 x) { return (x >> 11) * (1.0 / 9007199254740992.0); }
__device__ __forceinline__ word64 pair(word low, word high) { return (word64)high << 32 | low; }
__device__ __forceinline__ double radius64(word64 x) { return sqrt(-2 * log(unit64(x) + 1.0 / 9007199254740992.0)); }
__device__ __forceinline__ void normal(word a, word b, float &x, float &y) {
  const int bits = __float_as_int(((a >> 8) + 1) * (1.0f / 16777216.0f)) - 0x3f3504f3;
  const float f = __int_as_float((bits & 0x7fffff) + 0x3f3504f3) - 1.0f, exponent = (float)(bits >> 23), square = f * f;
  float p = 7.0376836292e-2f;
  p = fmaf(p, f, -1.1514610310e-1f);
  p = fmaf(p, f, 1.1676998740e-1f);
  p = fmaf(p, f, -1.2420140846e-1f);
  p = fmaf(p, f, 1.4249322787e-1f);
  p = fmaf(p, f, -1.6668057665e-1f);
  p = fmaf(p, f, 2.0000714765e-1f);
  p = fmaf(p, f, -2.4999993993e-1f);
  p = fmaf(p, f, 3.3333331174e-1f);
  p = fmaf(p * f, square, fmaf(-2.12194440e-4f, exponent, -0.5f * square));
  const float radius = sqrtf(-2.0f * fmaf(0.693359375f, exponent, f + p));
  const word turns = b >> 8, quarters = (turns + 0x200000u) >> 22;
  const float g = (float)((int)turns - (int)(quarters << 22)) * (1.5707964f / 4194304.0f), h = g * g;
  const float s = fmaf(fmaf(fmaf(-1.9515295891e-4f, h, 8.3321608736e-3f), h, -1.6666654611e-1f) * h, g, g);
  const float c = fmaf(fmaf(fmaf(fmaf(2.443315711809948e-5f, h, -1.388731625493765e-3f), h, 4.166664568298827e-2f), h, -0.5f), h, 1.0f);
  const float cosine = quarters & 1 ? s : c, sine = quarters & 1 ? c : s;
  x = radius * __int_as_float(__float_as_int(cosine) ^ (int)(((quarters + 1) & 2) << 30));
  y = radius * __int_as_float(__float_as_int(sine) ^ (int)((quarters & 2) << 30));
}
struct alignas(16) numbers { float values[4]; };
extern "C" __global__ void __launch_bounds__(256) gpurepl_random(float *out, word64 n, word64 key, word64 stream, word64 first)
{
  #pragma unroll
  for (int turn = 0; turn < 4; turn++) {
    const word64 i = ((word64)blockIdx.x * 4 + turn) * 256 + threadIdx.x;
    if (4 * i >= n) return;
    const word64 number = i + first;
    word c0 = (word)number, c1 = (word)(number >> 32), c2 = (word)stream, c3 = (word)(stream >> 32);
    word k0 = (word)key, k1 = (word)(key >> 32);
    #pragma unroll
    for (int round = 0; round < 10; round++) {
      const word64 a = (word64)3528531795u * c0, b = (word64)3449720151u * c2;
      c0 = (word)(b >> 32) ^ c1 ^ k0; c1 = (word)b; c2 = (word)(a >> 32) ^ c3 ^ k1; c3 = (word)a;
      k0 += 2654435769u; k1 += 3144134277u;
    }
    numbers made;
    normal(c0, c1, made.values[0], made.values[1]);
    normal(c2, c3, made.values[2], made.values[3]);
    if (4 * i + 4 <= n) {
      *(numbers *)(out + 4 * i) = made;
    } else {
      #pragma unroll
      for (int k = 0; k < 4; k++)
        if (4 * i + k < n) out[4 * i + k] = made.values[k];
    }
  }
}
