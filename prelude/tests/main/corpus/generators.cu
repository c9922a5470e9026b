// Generators of random numbers that need no more than a few operations.

// Philox4x32-10 (Salmon and others, 2011): four numbers for each counter.
__device__ uint4 philox(uint4 counter, uint2 key)
{
    for (int round = 0; round < 10; round++) {
        unsigned int high0 = __umulhi(0xd2511f53u, counter.x), low0 = 0xd2511f53u * counter.x;
        unsigned int high1 = __umulhi(0xcd9e8d57u, counter.z), low1 = 0xcd9e8d57u * counter.z;
        counter = make_uint4(high1 ^ counter.y ^ key.x, low1, high0 ^ counter.w ^ key.y, low0);
        key.x += 0x9e3779b9u;
        key.y += 0xbb67ae85u;
    }
    return counter;
}

__global__ void philox_block(const uint4 *counters, const uint2 *keys, uint4 *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = philox(counters[i], keys[i]);
}

// xorshift64* (Vigna, 2016).
struct Xorshift {
    unsigned long long state;

    __device__ unsigned long long operator()()
    {
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        return state * 0x2545f4914f6cdd1dull;
    }
};

// PCG32 (O'Neill, 2014): XSH-RR.
struct Pcg {
    unsigned long long state, stream;

    __device__ unsigned int operator()()
    {
        unsigned long long old = state;
        state = old * 6364136223846793005ull + (stream | 1);
        unsigned int mixed = (unsigned int)((old >> 18 ^ old) >> 27), by = (unsigned int)(old >> 59);
        return mixed >> by | mixed << (-by & 31);
    }
};

// The numbers of a thread come one behind the other.
__global__ void xorshift_numbers(unsigned long long *states, unsigned long long *out, int n, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    Xorshift next = {states[i]};
    for (int k = 0; k < count; k++)
        out[i * count + k] = next();
    states[i] = next.state;
}

__global__ void pcg_numbers(const unsigned long long *seeds, unsigned long long stream, unsigned int *out, int n,
                            int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    // As `pcg32_srandom_r` starts it.
    Pcg next = {0, stream << 1 | 1};
    next();
    next.state += seeds[i];
    next();
    for (int k = 0; k < count; k++)
        out[i * count + k] = next();
}
