typedef unsigned int word;
typedef unsigned long long word64;
__device__ __forceinline__ float unit(word x) { return (x >> 8) * (1.0f / 16777216.0f); }
__device__ __forceinline__ double unit64(word64 x) { return (x >> 11) * (1.0 / 9007199254740992.0); }
__device__ __forceinline__ word64 pair(word low, word high) { return (word64)high << 32 | low; }
__device__ __forceinline__ double radius(word x) { return sqrt(-2 * log(unit(x) + 1.0 / 16777216.0)); }
__device__ __forceinline__ double radius64(word64 x) { return sqrt(-2 * log(unit64(x) + 1.0 / 9007199254740992.0)); }
extern "C" __global__ void __launch_bounds__(256) gpurepl_random(unsigned long long *out, word64 n, word64 key, word64 stream)
{
  const word64 step = (word64)gridDim.x * blockDim.x, blocks = (n + 1) / 2;
  for (word64 i = (word64)blockIdx.x * blockDim.x + threadIdx.x; i < blocks; i += step) {
    word c0 = (word)i, c1 = (word)(i >> 32), c2 = (word)stream, c3 = (word)(stream >> 32);
    word k0 = (word)key, k1 = (word)(key >> 32);
    for (int round = 0; round < 10; round++) {
      const word high0 = __umulhi(3528531795u, c0), low0 = 3528531795u * c0, high1 = __umulhi(3449720151u, c2), low1 = 3449720151u * c2;
      c0 = high1 ^ c1 ^ k0; c1 = low1; c2 = high0 ^ c3 ^ k1; c3 = low0;
      k0 += 2654435769u; k1 += 3144134277u;
    }
    if (2 * i + 0 < n) out[2 * i + 0] = (unsigned long long)(pair(c0, c1));
    if (2 * i + 1 < n) out[2 * i + 1] = (unsigned long long)(pair(c2, c3));
  }
}
