// Where a thread is, seen from kernels, functions and macros.
#define X (blockIdx.x * blockDim.x + threadIdx.x)
#define THREADS (blockDim.x * blockDim.y * blockDim.z)

// The number of a thread in its block, and of all threads.
__device__ unsigned int rank_in_block()
{
    return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}

static __device__ __forceinline__ unsigned int rank_of_block()
{
    return (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
}

extern "C" __global__ void __launch_bounds__(64, 2) indices(unsigned int *out)
{
    unsigned int *own = out + 12 * (rank_of_block() * THREADS + rank_in_block());
    own[0] = threadIdx.x, own[1] = threadIdx.y, own[2] = threadIdx.z;
    own[3] = blockIdx.x, own[4] = blockIdx.y, own[5] = blockIdx.z;
    own[6] = blockDim.x, own[7] = blockDim.y, own[8] = blockDim.z;
    own[9] = gridDim.x, own[10] = gridDim.y, own[11] = gridDim.z;
}

// The same after others have run: a function asks for its index again when a
// barrier has passed.
__global__ void after_a_barrier(unsigned int *out, unsigned int n)
{
    __shared__ unsigned int places[64];
    unsigned int before = rank_in_block();
    places[before] = X;
    __syncthreads();
    unsigned int other = places[THREADS - 1 - rank_in_block()];
    if (X < n)
        out[X] = other + 1000 * (before == rank_in_block());
}

// Indices as values, `dim3` and `uint3`, and a kernel in a namespace.
namespace inner {
__global__ void copies(int *out)
{
    dim3 size = blockDim, blocks = gridDim;
    uint3 place = threadIdx, block = blockIdx;
    out[(block.y * blocks.x + block.x) * size.x * size.y + place.y * size.x + place.x] =
        warpSize + place.x - 2 * place.y + 100 * block.x;
}
}
