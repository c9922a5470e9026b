// Monte Carlo: points in a quarter of a circle, and walks on a line.
typedef unsigned int uint32;

__device__ uint32 xorshift(uint32 &state)
{
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
}

// Places are integers, so whether a point is inside is no matter of rounding.
__global__ void points_inside(unsigned long long *inside, int threads, int points, uint32 seed)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int hits = 0;
    if (i < threads) {
        uint32 state = seed + 2654435761u * (i + 1);
        for (int k = 0; k < points; k++) {
            unsigned long long x = xorshift(state) >> 1, y = xorshift(state) >> 1;
            hits += x * x + y * y < 1ull << 62;
        }
    }
    // The sum of a warp in its first lane.
    for (int distance = 16; distance; distance /= 2)
        hits += __shfl_down_sync(0xffffffffu, hits, distance);
    if (threadIdx.x % 32 == 0)
        atomicAdd(inside, (unsigned long long)hits);
}

// Walks that start in the middle and turn back at the ends; how often each
// place is where one ends.
__global__ void walks(unsigned int *ends, int places, int walkers, int steps, uint32 seed)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= walkers)
        return;
    uint32 state = seed ^ (747796405u * i + 1u);
    int place = places / 2;
    for (int k = 0; k < steps; k++) {
        place += xorshift(state) & 0x8000 ? 1 : -1;
        if (place < 0)
            place = 1;
        else if (place >= places)
            place = places - 2;
    }
    atomicAdd(&ends[place], 1u);
}
