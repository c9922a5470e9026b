// The Ising model by Metropolis steps on a checkerboard: spins of one colour
// have neighbours of the other one only, so all of them may turn at once.
// The random number of a site in a sweep is a function of both, and of nothing
// that came before.
__device__ unsigned int mixed(unsigned int x)
{
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    x ^= x >> 16;
    return x;
}

// `accepted[k]`: below which random number a spin turns whose turning costs
// the energy 4 (k - 2), as an integer, so that all devices decide alike.
__global__ void sweep(signed char *spins, const unsigned int *accepted, int width, int height, int colour,
                      unsigned int number, unsigned int seed)
{
    int half = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    int x = 2 * half + ((y + colour) & 1);
    if (x >= width || y >= height)
        return;
    int left = x ? x - 1 : width - 1, right = x + 1 < width ? x + 1 : 0;
    int above = y ? y - 1 : height - 1, below = y + 1 < height ? y + 1 : 0;
    int neighbours = spins[y * width + left] + spins[y * width + right] + spins[above * width + x]
                     + spins[below * width + x];
    int site = y * width + x;
    int cost = spins[site] * neighbours / 2 + 2;
    if (mixed(mixed(mixed(seed) + number) + site) < accepted[cost])
        spins[site] = -spins[site];
}
