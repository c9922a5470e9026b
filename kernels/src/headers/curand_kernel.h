// Random numbers by cuRAND's names. One text for both devices.
//
// A seed gives cuRAND's own numbers, from both generators: bits and uniform
// numbers exactly, normal ones up to the rounding of logarithm and sine. Only
// Poisson's are others, with the same distribution.
#ifndef GPUREPL_CURAND_KERNEL
#define GPUREPL_CURAND_KERNEL
#define GPUREPL_CURAND static __device__ __forceinline__

struct curandStateXORWOW {
  unsigned int d, v[5];
  int boxmuller_flag, boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
};
typedef curandStateXORWOW curandStateXORWOW_t;
typedef curandStateXORWOW curandState_t;
typedef curandStateXORWOW curandState;

struct curandStatePhilox4_32_10 {
  uint4 ctr, output;
  uint2 key;
  unsigned int STATE;
  int boxmuller_flag, boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
};
typedef curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;

// ---- XORWOW --------------------------------------------------------------------------------------
// G. Marsaglia, "Xorshift RNGs", Journal of Statistical Software 8, 2003: five
// words under shifts, and a sixth that counts.

GPUREPL_CURAND void gpurepl_xorwow_step(unsigned int *v) {
  const unsigned int t = v[0] ^ (v[0] >> 2);
  v[0] = v[1];
  v[1] = v[2];
  v[2] = v[3];
  v[3] = v[4];
  v[4] = (v[4] ^ (v[4] << 4)) ^ (t ^ (t << 1));
}
GPUREPL_CURAND unsigned int curand(curandStateXORWOW_t *state) {
  gpurepl_xorwow_step(state->v);
  state->d += 362437;
  return state->v[4] + state->d;
}

// The shifts are linear over GF(2), and any number of steps is a polynomial in
// one step, of a degree below 160: x^n modulo the characteristic one (H.
// Haramoto, M. Matsumoto, T. Nishimura, F. Panneton and P. L'Ecuyer,
// "Efficient jump ahead for F2-linear random number generators", INFORMS
// Journal on Computing 20, 2008). Row `j` has n = 2^(67 + j).
static __device__ const unsigned int gpurepl_xorwow_sequence[32][5] = {
    {0x26294934u, 0x77bbc248u, 0x1a87dad0u, 0x930052d4u, 0x947e6dd2u},
    {0x5f39c379u, 0x95e20ba6u, 0x20e9ff72u, 0x1244ce5eu, 0xe8fd228fu},
    {0xa7474d19u, 0x37c549e0u, 0x140877d2u, 0x24c43924u, 0xcd52ebecu},
    {0xe0360ec5u, 0xb1c96c24u, 0xdbb91766u, 0x666ff5dcu, 0xf19a7e52u},
    {0xfcc8f692u, 0x35aa698au, 0x04ebbf85u, 0x448304b0u, 0x082f3fd5u},
    {0x48c289bdu, 0xe851cf98u, 0x845ad581u, 0xfd70752au, 0x2c3e63f6u},
    {0xe502f5b3u, 0x77859d31u, 0x97e1cbb3u, 0xea09047au, 0x61d5f37eu},
    {0xb89326d0u, 0x5a8655a9u, 0xfb6e98f5u, 0x02102162u, 0x7e6fcf6fu},
    {0xb3a15db4u, 0xc6df3330u, 0x1a8be751u, 0xf1e4b221u, 0x6bb61c05u},
    {0x133de1d0u, 0x361e4422u, 0xc6131fcfu, 0xd9719f45u, 0x9658a164u},
    {0x19e2bee8u, 0xf8974218u, 0x4e65536au, 0xa2570336u, 0xe9b88082u},
    {0x7863644bu, 0x2a21ce84u, 0x112e86f1u, 0xed01ce0eu, 0xba143e84u},
    {0x0e2cae2eu, 0xd1011279u, 0x58923768u, 0x2bf650bau, 0xc985bcdau},
    {0x213a286au, 0x6596b510u, 0x6fc10eaeu, 0x38a13547u, 0x11c7749eu},
    {0x146281e7u, 0xa45b4452u, 0xafa8c695u, 0x74a0ac94u, 0x4b250e0au},
    {0x2306bc52u, 0x790f3b4cu, 0x2fe473b9u, 0xbc81d7c0u, 0x093efe98u},
    {0x89658c8bu, 0xf3914315u, 0xa73fe84bu, 0x3c5fadb6u, 0xadba8dd6u},
    {0x09e49814u, 0x09caf5edu, 0x6b2460d9u, 0x1b9981c1u, 0x2d1fefc3u},
    {0x82161afcu, 0x9bb13c55u, 0xfd20d7fbu, 0x306d90b9u, 0x92bf386fu},
    {0x96d32350u, 0x0e081864u, 0x69faa798u, 0xe7faecf5u, 0xf1f951beu},
    {0x3e9058c1u, 0x71da9705u, 0xe2cb1f2bu, 0x73456536u, 0xbd6501b6u},
    {0x990ffc6eu, 0xbfdd1b5du, 0xc83e520bu, 0xe972936au, 0xac79abb9u},
    {0xb1321eb5u, 0xb06d01a2u, 0x51532012u, 0x8fb59962u, 0x141d3b0bu},
    {0x3257dfe1u, 0xd8a3d601u, 0x3a58c735u, 0x845f36e4u, 0x0112c611u},
    {0xa0ffe9a4u, 0xf57be00eu, 0xe706880cu, 0x191211efu, 0xee5664fbu},
    {0x9a3385b8u, 0xc540c30au, 0xb241d1e0u, 0x00626569u, 0x6b355fe9u},
    {0xe129d45du, 0xac3e698bu, 0xd61f79fdu, 0x7a72a28bu, 0x7f4942beu},
    {0x612501bbu, 0xae7b767du, 0xaa66c165u, 0x09bfaf8eu, 0x3e55c16du},
    {0x874e26a7u, 0x33bc5a47u, 0xad95cba5u, 0x67651c39u, 0xf1f07dcau},
    {0xb5ed0732u, 0x30e7a573u, 0x5c056714u, 0x2304f8fau, 0xebc584e1u},
    {0x4b324c2eu, 0x2bdcc5a0u, 0x53eb4240u, 0xcac4fbc1u, 0x13e529e7u},
    {0xe1683e38u, 0xa2339994u, 0x7308a647u, 0xc7c3f0b1u, 0x4a3dcd33u},
};
// Goes as many steps as the polynomial says. All of this is rolled up and by
// itself: compilers would spend half a second on making it fast.
static __device__ __noinline__ void gpurepl_xorwow_jump(unsigned int *v, const unsigned int *polynomial) {
  unsigned int sum[5] = {};
#pragma unroll 1
  for (int word = 0; word < 5; word++) {
#pragma unroll 1
    for (unsigned int bits = polynomial[word], k = 0; k < 32; bits >>= 1, k++) {
      const unsigned int wanted = 0u - (bits & 1);
      for (int w = 0; w < 5; w++) sum[w] ^= v[w] & wanted;
      gpurepl_xorwow_step(v);
    }
  }
  for (int w = 0; w < 5; w++) v[w] = sum[w];
}
// The square of a polynomial: twice as many steps.
static __device__ __noinline__ void gpurepl_xorwow_square(unsigned int *polynomial) {
  // The characteristic polynomial without its leading term.
  const unsigned int low[5] = {0x00060001u, 0x08610030u, 0x00062121u, 0x0f3c0035u, 0x00000f0eu};
  unsigned int square[5] = {};
#pragma unroll 1
  for (int k = 159; k >= 0; k--) {
    const unsigned int top = 0u - (square[4] >> 31), wanted = 0u - (polynomial[k / 32] >> k % 32 & 1);
    for (int w = 4; w >= 0; w--) {
      square[w] = square[w] << 1 | (w ? square[w ? w - 1 : 0] >> 31 : 0);
      square[w] ^= (low[w] & top) ^ (polynomial[w] & wanted);
    }
  }
  for (int w = 0; w < 5; w++) polynomial[w] = square[w];
}
static __device__ __noinline__ void gpurepl_xorwow_power(unsigned int *v, const unsigned int *first, unsigned long long n) {
  unsigned int polynomial[5];
  for (int w = 0; w < 5; w++) polynomial[w] = first[w];
  for (; n; n >>= 1) {
    if (n & 1) gpurepl_xorwow_jump(v, polynomial);
    if (n > 1) gpurepl_xorwow_square(polynomial);
  }
}
static __device__ __noinline__ void skipahead(unsigned long long n, curandStateXORWOW_t *state) {
  const unsigned int one[5] = {2};
  state->d += 362437u * (unsigned int)n;
  if (n < 1024)
#pragma unroll 1
    for (; n; n--) gpurepl_xorwow_step(state->v);
  else
    gpurepl_xorwow_power(state->v, one, n);
}
// 2^67 numbers each: a multiple of 2^32, after which `d` is what it was.
static __device__ __noinline__ void skipahead_sequence(unsigned long long n, curandStateXORWOW_t *state) {
#pragma unroll 1
  for (int j = 0; j < 31; j++)
    if (n >> j & 1) gpurepl_xorwow_jump(state->v, gpurepl_xorwow_sequence[j]);
  gpurepl_xorwow_power(state->v, gpurepl_xorwow_sequence[31], n >> 31);
}
static __device__ void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                                   curandStateXORWOW_t *state) {
  // Marsaglia's example state, changed by the seed as cuRAND changes it.
  const unsigned int low = ((unsigned int)seed ^ 0xaad26b49u) * 1099087573u;
  const unsigned int high = ((unsigned int)(seed >> 32) ^ 0xf7dcefddu) * 2591861531u;
  state->d = 6615241u + high + low;
  state->v[0] = 123456789u + low;
  state->v[1] = 362436069u ^ low;
  state->v[2] = 521288629u + high;
  state->v[3] = 88675123u ^ high;
  state->v[4] = 5783321u + low;
  skipahead_sequence(subsequence, state);
  skipahead(offset, state);
  state->boxmuller_flag = state->boxmuller_flag_double = 0;
  state->boxmuller_extra = 0;
  state->boxmuller_extra_double = 0;
}

// ---- Philox4x32-10 -------------------------------------------------------------------------------
// J. K. Salmon, M. A. Moraes, R. O. Dror and D. E. Shaw, "Parallel random
// numbers: as easy as 1, 2, 3", SC '11. The seed is the key, the subsequence
// the upper half of the counter.

GPUREPL_CURAND uint4 gpurepl_philox(uint4 c, uint2 k) {
  for (int round = 0; round < 10; round++) {
    const unsigned int a = __umulhi(0xd2511f53u, c.x), b = __umulhi(0xcd9e8d57u, c.z);
    c = make_uint4(b ^ c.y ^ k.x, 0xcd9e8d57u * c.z, a ^ c.w ^ k.y, 0xd2511f53u * c.x);
    k.x += 0x9e3779b9u;
    k.y += 0xbb67ae85u;
  }
  return c;
}
GPUREPL_CURAND void gpurepl_philox_add(uint4 *c, unsigned long long low, unsigned long long high) {
  const unsigned long long old = (unsigned long long)c->y << 32 | c->x, sum = old + low;
  const unsigned long long upper = ((unsigned long long)c->w << 32 | c->z) + high + (sum < old);
  *c = make_uint4((unsigned int)sum, (unsigned int)(sum >> 32), (unsigned int)upper, (unsigned int)(upper >> 32));
}
GPUREPL_CURAND void skipahead(unsigned long long n, curandStatePhilox4_32_10_t *state) {
  const unsigned int place = state->STATE + (unsigned int)(n & 3);
  state->STATE = place & 3;
  gpurepl_philox_add(&state->ctr, n / 4 + place / 4, 0);
  state->output = gpurepl_philox(state->ctr, state->key);
}
GPUREPL_CURAND void skipahead_sequence(unsigned long long n, curandStatePhilox4_32_10_t *state) {
  gpurepl_philox_add(&state->ctr, 0, n);
  state->output = gpurepl_philox(state->ctr, state->key);
}
GPUREPL_CURAND void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                                curandStatePhilox4_32_10_t *state) {
  state->ctr = make_uint4(0, 0, (unsigned int)subsequence, (unsigned int)(subsequence >> 32));
  state->key.x = (unsigned int)seed;
  state->key.y = (unsigned int)(seed >> 32);
  state->STATE = 0;
  skipahead(offset, state);
  state->boxmuller_flag = state->boxmuller_flag_double = 0;
  state->boxmuller_extra = 0;
  state->boxmuller_extra_double = 0;
}
GPUREPL_CURAND unsigned int curand(curandStatePhilox4_32_10_t *state) {
  const uint4 o = state->output;
  const unsigned int place = state->STATE, number = place == 0 ? o.x : place == 1 ? o.y : place == 2 ? o.z : o.w;
  if (place == 3) skipahead(1, state);
  else state->STATE = place + 1;
  return number;
}
GPUREPL_CURAND uint4 curand4(curandStatePhilox4_32_10_t *state) {
  const uint4 a = state->output;
  skipahead(4, state);
  const uint4 b = state->output;
  switch (state->STATE) {
    case 0: return a;
    case 1: return make_uint4(a.y, a.z, a.w, b.x);
    case 2: return make_uint4(a.z, a.w, b.x, b.y);
    default: return make_uint4(a.w, b.x, b.y, b.z);
  }
}

// ---- distributions -------------------------------------------------------------------------------
// Uniform numbers are the middles of 2^32 or 2^53 parts, Philox's of double
// precision the upper ends of 2^32 parts: never zero, and one where rounded up.

GPUREPL_CURAND float gpurepl_curand_unit(unsigned int x) { return (float)x * 2.3283064365386963e-10f + 1.1641532182693481e-10f; }
GPUREPL_CURAND double gpurepl_curand_unit(unsigned int x, unsigned int y) {
  const unsigned long long bits = (unsigned long long)y << 21 ^ x;
  return (double)bits * 1.1102230246251565e-16 + 5.5511151231257827e-17;
}
template <class S> GPUREPL_CURAND float curand_uniform(S *state) { return gpurepl_curand_unit(curand(state)); }
GPUREPL_CURAND double curand_uniform_double(curandStateXORWOW_t *state) {
  const unsigned int x = curand(state), y = curand(state);
  return gpurepl_curand_unit(x, y);
}
GPUREPL_CURAND double curand_uniform_double(curandStatePhilox4_32_10_t *state) {
  return (double)curand(state) * 2.3283064365386963e-10 + 2.3283064365386963e-10;
}
GPUREPL_CURAND float4 curand_uniform4(curandStatePhilox4_32_10_t *state) {
  const uint4 x = curand4(state);
  return make_float4(gpurepl_curand_unit(x.x), gpurepl_curand_unit(x.y), gpurepl_curand_unit(x.z), gpurepl_curand_unit(x.w));
}
GPUREPL_CURAND double2 curand_uniform2_double(curandStatePhilox4_32_10_t *state) {
  const uint4 x = curand4(state);
  return make_double2(gpurepl_curand_unit(x.x, x.y), gpurepl_curand_unit(x.z, x.w));
}

// Normal numbers come in pairs (G. E. P. Box and M. E. Muller, "A note on the
// generation of random normal deviates", Annals of Mathematical Statistics 29,
// 1958). Who wants one gets the other the next time.
GPUREPL_CURAND float2 gpurepl_box_muller(unsigned int x, unsigned int y) {
  const float radius = sqrtf(-2.0f * logf(gpurepl_curand_unit(x)));
  float sine, cosine;
  sincosf((float)y * 1.4629180792671596e-9f + 7.314590396335798e-10f, &sine, &cosine);
  return make_float2(sine * radius, cosine * radius);
}
GPUREPL_CURAND double2 gpurepl_box_muller(unsigned int x, unsigned int y, unsigned int z, unsigned int w) {
  const double radius = sqrt(-2.0 * log(gpurepl_curand_unit(x, y))), turn = 2.0 * gpurepl_curand_unit(z, w);
  return make_double2(sinpi(turn) * radius, cospi(turn) * radius);
}
template <class S> GPUREPL_CURAND float2 curand_normal2(S *state) {
  const unsigned int x = curand(state), y = curand(state);
  return gpurepl_box_muller(x, y);
}
template <class S> GPUREPL_CURAND double2 curand_normal2_double(S *state) {
  const unsigned int x = curand(state), y = curand(state), z = curand(state), w = curand(state);
  return gpurepl_box_muller(x, y, z, w);
}
template <class S> GPUREPL_CURAND float curand_normal(S *state) {
  if (state->boxmuller_flag) {
    state->boxmuller_flag = 0;
    return state->boxmuller_extra;
  }
  const float2 pair = curand_normal2(state);
  state->boxmuller_flag = 1;
  state->boxmuller_extra = pair.y;
  return pair.x;
}
template <class S> GPUREPL_CURAND double curand_normal_double(S *state) {
  if (state->boxmuller_flag_double) {
    state->boxmuller_flag_double = 0;
    return state->boxmuller_extra_double;
  }
  const double2 pair = curand_normal2_double(state);
  state->boxmuller_flag_double = 1;
  state->boxmuller_extra_double = pair.y;
  return pair.x;
}
GPUREPL_CURAND float4 curand_normal4(curandStatePhilox4_32_10_t *state) {
  const uint4 x = curand4(state);
  const float2 a = gpurepl_box_muller(x.x, x.y), b = gpurepl_box_muller(x.z, x.w);
  return make_float4(a.x, a.y, b.x, b.y);
}
template <class S> GPUREPL_CURAND float curand_log_normal(S *state, float mean, float deviation) {
  return expf(mean + deviation * curand_normal(state));
}
template <class S> GPUREPL_CURAND double curand_log_normal_double(S *state, double mean, double deviation) {
  return exp(mean + deviation * curand_normal_double(state));
}
template <class S> GPUREPL_CURAND float2 curand_log_normal2(S *state, float mean, float deviation) {
  const float2 pair = curand_normal2(state);
  return make_float2(expf(mean + deviation * pair.x), expf(mean + deviation * pair.y));
}
template <class S> GPUREPL_CURAND double2 curand_log_normal2_double(S *state, double mean, double deviation) {
  const double2 pair = curand_normal2_double(state);
  return make_double2(exp(mean + deviation * pair.x), exp(mean + deviation * pair.y));
}
GPUREPL_CURAND float4 curand_log_normal4(curandStatePhilox4_32_10_t *state, float mean, float deviation) {
  const float4 x = curand_normal4(state);
  return make_float4(expf(mean + deviation * x.x), expf(mean + deviation * x.y), expf(mean + deviation * x.z), expf(mean + deviation * x.w));
}

// Poisson: products of uniform numbers (D. E. Knuth, "The Art of Computer
// Programming", volume 2, section 3.4.1), which take as many as the answer is;
// from 10 on Hormann's PTRS (W. Hormann, "The transformed rejection method for
// generating Poisson random variables", Insurance: Mathematics and Economics
// 12, 1993), as in NumPy.
template <class S> static __device__ unsigned int curand_poisson(S *state, double lambda) {
  if (lambda < 10) {
    const double end = exp(-lambda);
    unsigned int count = 0;
    for (double product = curand_uniform_double(state); product > end; product *= curand_uniform_double(state)) count++;
    return count;
  }
  const double b = 0.931 + 2.53 * sqrt(lambda), a = -0.059 + 0.02483 * b;
  const double inverse = 1.1239 + 1.1328 / (b - 3.4), ratio = 0.9277 - 3.6224 / (b - 2);
  for (;;) {
    const double u = curand_uniform_double(state) - 0.5, v = curand_uniform_double(state), left = 0.5 - fabs(u);
    const double k = floor((2 * a / left + b) * u + lambda + 0.43);
    if (left >= 0.07 && v <= ratio) return (unsigned int)k;
    if (k < 0 || (left < 0.013 && v > left)) continue;
    if (log(v * inverse / (a / (left * left) + b)) <= k * log(lambda) - lambda - lgamma(k + 1)) return (unsigned int)k;
  }
}
GPUREPL_CURAND uint4 curand_poisson4(curandStatePhilox4_32_10_t *state, double lambda) {
  uint4 x;
  x.x = curand_poisson(state, lambda);
  x.y = curand_poisson(state, lambda);
  x.z = curand_poisson(state, lambda);
  x.w = curand_poisson(state, lambda);
  return x;
}
#endif
