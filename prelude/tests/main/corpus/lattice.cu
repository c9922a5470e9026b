// A step of the lattice Boltzmann method in two dimensions with nine
// velocities (D2Q9): populations stream from their neighbours, around the
// edges, and relax towards equilibrium (Bhatnagar, Gross, Krook).
__constant__ int cx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
__constant__ int cy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
__constant__ float weight[9] = {4.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 36, 1.f / 36, 1.f / 36, 1.f / 36};

__global__ void stream_and_collide(const float *from, float *to, int width, int height, float omega)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    int sites = width * height, here = y * width + x;
    float f[9], density = 0, ux = 0, uy = 0;
    #pragma unroll
    for (int k = 0; k < 9; k++) {
        int sx = (x - cx[k] + width) % width, sy = (y - cy[k] + height) % height;
        f[k] = from[k * sites + sy * width + sx];
        density += f[k];
        ux += cx[k] * f[k];
        uy += cy[k] * f[k];
    }
    ux /= density;
    uy /= density;
    float energy = 1.5f * (ux * ux + uy * uy);
    #pragma unroll
    for (int k = 0; k < 9; k++) {
        float along = 3 * (cx[k] * ux + cy[k] * uy);
        float equilibrium = weight[k] * density * (1 + along + 0.5f * along * along - energy);
        to[k * sites + here] = f[k] + omega * (equilibrium - f[k]);
    }
}
