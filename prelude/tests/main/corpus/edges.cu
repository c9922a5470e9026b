// Sobel's gradients of an image, whose edge is repeated outside.
#define SIDE 16

__constant__ int weights[3][3] = { { -1, 0, 1 }, { -2, 0, 2 }, { -1, 0, 1 } };

__global__ void sobel(const unsigned char *image, unsigned char *edges, float *angles, int width, int height)
{
    __shared__ int s[SIDE + 2][SIDE + 2];
    for (int k = threadIdx.y * SIDE + threadIdx.x; k < (SIDE + 2) * (SIDE + 2); k += SIDE * SIDE) {
        int x = blockIdx.x * SIDE + k % (SIDE + 2) - 1, y = blockIdx.y * SIDE + k / (SIDE + 2) - 1;
        x = min(max(x, 0), width - 1);
        y = min(max(y, 0), height - 1);
        s[k / (SIDE + 2)][k % (SIDE + 2)] = image[y * width + x];
    }
    __syncthreads();
    int x = blockIdx.x * SIDE + threadIdx.x, y = blockIdx.y * SIDE + threadIdx.y;
    if (x >= width || y >= height)
        return;
    int across = 0, down = 0;
    for (int j = 0; j < 3; j++) {
        for (int i = 0; i < 3; i++) {
            int pixel = s[threadIdx.y + j][threadIdx.x + i];
            across += weights[j][i] * pixel;
            down += weights[i][j] * pixel;
        }
    }
    edges[y * width + x] = min(abs(across) + abs(down), 255);
    angles[y * width + x] = atan2f(down, across);
}
