// Large integers. Numbers of 1024 bits are 32 words, the lowest first; a warp
// has one word in each lane.
#define WORDS 32

// All carries at once: a lane that overflows gives one, a lane full of ones
// passes one on, and an addition of the two masks lets them run.
__global__ void add_numbers(const unsigned int *a, const unsigned int *b, unsigned int *sum, unsigned int *overflow)
{
    int i = blockIdx.x * WORDS + threadIdx.x, lane = threadIdx.x;
    unsigned int word = a[i] + b[i];
    unsigned int gives = __ballot_sync(0xffffffffu, word < a[i]);
    unsigned int passes = __ballot_sync(0xffffffffu, word == 0xffffffffu);
    // Where the sum differs from what passes, a carry has come in.
    unsigned long long carries = (2ull * gives + passes) ^ passes;
    sum[i] = word + (unsigned int)(carries >> lane & 1);
    if (lane == 0)
        overflow[blockIdx.x] = (unsigned int)(carries >> WORDS);
}

// Products as taught in school: a thread has a number of four words.
__global__ void multiply_numbers(const uint4 *a, const uint4 *b, uint4 *low, uint4 *high, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned int x[4] = {a[i].x, a[i].y, a[i].z, a[i].w}, y[4] = {b[i].x, b[i].y, b[i].z, b[i].w};
    unsigned int product[8] = {};
    for (int j = 0; j < 4; j++) {
        unsigned long long carry = 0;
        for (int k = 0; k < 4; k++) {
            carry += (unsigned long long)x[k] * y[j] + product[j + k];
            product[j + k] = (unsigned int)carry;
            carry >>= 32;
        }
        product[j + 4] = (unsigned int)carry;
    }
    low[i] = make_uint4(product[0], product[1], product[2], product[3]);
    high[i] = make_uint4(product[4], product[5], product[6], product[7]);
}

// Montgomery's product a b / 2^64 modulo an odd number; `inverse` is -1 / modulus
// modulo 2^64.
__device__ unsigned long long reduced(unsigned long long a, unsigned long long b, unsigned long long modulus,
                                      unsigned long long inverse)
{
    unsigned long long low = a * b, high = __umul64hi(a, b), m = low * inverse;
    unsigned long long sum = high + __umul64hi(m, modulus) + (low != 0);
    // The modulus is below 2^63, so that the sum has not overflowed.
    return sum >= modulus ? sum - modulus : sum;
}

// base^exponent modulo odd numbers below 2^63.
__global__ void powers(const unsigned long long *bases, const unsigned long long *exponents,
                       const unsigned long long *moduli, unsigned long long *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned long long modulus = moduli[i], inverse = modulus;
    // Each step doubles the bits that are right; the first three are.
    for (int k = 0; k < 5; k++)
        inverse *= 2 - modulus * inverse;
    inverse = 0 - inverse;
    // 2^64 and, by doubling, 2^128 modulo the modulus.
    unsigned long long one = (0 - modulus) % modulus, square = one;
    for (int k = 0; k < 64; k++)
        square = square >= modulus - square ? square - (modulus - square) : 2 * square;
    unsigned long long base = reduced(bases[i] % modulus, square, modulus, inverse), power = one;
    for (unsigned long long e = exponents[i]; e; e >>= 1) {
        if (e & 1)
            power = reduced(power, base, modulus, inverse);
        base = reduced(base, base, modulus, inverse);
    }
    out[i] = reduced(power, 1, modulus, inverse);
}
