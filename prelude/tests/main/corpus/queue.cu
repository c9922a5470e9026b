// Work that takes different times is not dealt out beforehand: a block takes the
// next piece when it is done with one. The work is the length of Collatz
// sequences.
__device__ unsigned int collatz(unsigned long long x)
{
    unsigned int steps = 0;
    while (x != 1) {
        x = x & 1 ? 3 * x + 1 : x / 2;
        steps++;
    }
    return steps;
}

__global__ void lengths(unsigned short *out, unsigned int n, unsigned int *next)
{
    __shared__ unsigned int piece;
    while (true) {
        __syncthreads();  // All have read the last piece.
        if (threadIdx.x == 0)
            piece = atomicAdd(next, 1u);
        __syncthreads();
        unsigned int i = piece * blockDim.x + threadIdx.x;
        if (piece * blockDim.x >= n)
            return;  // The whole block, as `piece` is the same for all.
        if (i < n)
            out[i] = collatz(i + 1);
    }
}
