// The cosine transform of squares of eight by eight pixels (JPEG's), read
// through a texture: two products with the matrix of the transform.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
#define SIDE 8

__constant__ float cosines[SIDE * SIDE];
__shared__ float pixels[SIDE][SIDE], halves[SIDE][SIDE];

__device__ float product(const float *row, const float (*columns)[SIDE], int column)
{
    float sum = 0;
#pragma unroll
    for (int k = 0; k < SIDE; k++)
        sum += row[k] * columns[k][column];
    return sum;
}

__global__ void transform(float *out, int width, cudaTextureObject_t image)
{
    cg::thread_block block = cg::this_thread_block();
    const int i = block.thread_index().x, j = block.thread_index().y;
    const int x = block.group_index().x * SIDE + i, y = block.group_index().y * SIDE + j;
    pixels[j][i] = tex2D<float>(image, x + 0.5f, y + 0.5f);
    cg::sync(block);
    halves[j][i] = product(&cosines[j * SIDE], pixels, i);
    cg::sync(block);
    float sum = 0;
    for (int k = 0; k < SIDE; k++)
        sum += halves[j][k] * cosines[i * SIDE + k];
    out[y * width + x] = sum;
}
