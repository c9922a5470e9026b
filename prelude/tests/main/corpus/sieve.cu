// The sieve of Eratosthenes in segments: a block strikes out the multiples of
// small primes in a stretch of numbers whose bits are in its shared memory.
#define WORDS 64
#define STRETCH (WORDS * 32)

__global__ void sieve(const int *primes, int count, unsigned int *bits, int *found, unsigned int n)
{
    __shared__ unsigned int struck[WORDS];
    unsigned int first = blockIdx.x * STRETCH;
    for (int k = threadIdx.x; k < WORDS; k += blockDim.x)
        struck[k] = 0;
    __syncthreads();
    for (int k = threadIdx.x; k < count; k += blockDim.x) {
        unsigned int p = primes[k], start = max(p * p, (first + p - 1) / p * p);
        for (unsigned int x = start; x < first + STRETCH; x += p)
            atomicOr(&struck[(x - first) / 32], 1u << (x - first) % 32);
    }
    __syncthreads();
    for (int k = threadIdx.x; k < WORDS; k += blockDim.x) {
        unsigned int base = first + 32 * k, prime = ~struck[k];
        if (base == 0)
            prime &= ~3u;  // Zero and one.
        if (base >= n)
            prime = 0;
        else if (n - base < 32)
            prime &= (1u << (n - base)) - 1;
        bits[blockIdx.x * WORDS + k] = prime;
        atomicAdd(found, __popc(prime));
    }
}
