// Sums over all pixels above and to the left: rows by a warp each, which loads
// sixteen bytes at once, then columns in strips.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

struct Sums {
    unsigned v[16];
};

__device__ Sums unpacked(uint4 bytes)
{
    Sums sums;
    auto put = [&sums](int at, unsigned word) {
        uchar4 b;
        memcpy(&b, &word, sizeof b);
        sums.v[at] = b.x, sums.v[at + 1] = b.y, sums.v[at + 2] = b.z, sums.v[at + 3] = b.w;
    };
    put(0, bytes.x), put(4, bytes.y), put(8, bytes.z), put(12, bytes.w);
#pragma unroll
    for (int k = 1; k < 16; k++)
        sums.v[k] += sums.v[k - 1];
    return sums;
}

__global__ void rows(const uint4 *image, uint4 *out, int quads)
{
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    int row = blockIdx.x * warp.meta_group_size() + warp.meta_group_rank();
    unsigned before = 0;
    for (int start = 0; start < quads; start += warp.size()) {
        int quad = start + warp.thread_rank();
        Sums sums = unpacked(quad < quads ? image[row * quads + quad] : uint4{});
        unsigned total = sums.v[15];
        for (int distance = 1; distance < warp.num_threads(); distance *= 2) {
            unsigned left = warp.shfl_up(total, distance);
            total += warp.thread_rank() >= distance ? left : 0;
        }
        unsigned base = before + total - sums.v[15];
        before += warp.shfl(total, warp.size() - 1);
        for (int k = 0; k < 4 && quad < quads; k++) {
            const unsigned *v = &sums.v[4 * k];
            out[(row * quads + quad) * 4 + k] = make_uint4(v[0] + base, v[1] + base, v[2] + base, v[3] + base);
        }
    }
}

__global__ void columns(unsigned *sums, int width, int height)
{
    __shared__ unsigned strip[8][32];
    int x = blockIdx.x * 32 + threadIdx.x;
    unsigned before = 0;
    for (int y = threadIdx.y; y - threadIdx.y < height; y += blockDim.y) {
        strip[threadIdx.y][threadIdx.x] = y < height ? sums[y * width + x] : 0;
        __syncthreads();
        unsigned sum = before;
        for (int k = 0; k <= threadIdx.y; k++)
            sum += strip[k][threadIdx.x];
        for (int k = 0; k < blockDim.y; k++)
            before += strip[k][threadIdx.x];
        if (y < height)
            sums[y * width + x] = sum;
        __syncthreads();
    }
}
