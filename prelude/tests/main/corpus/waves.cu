// Maxwell's equations in two dimensions by finite differences in time (Yee):
// the electric field stands on the plane, its walls conduct.
struct Field {
    float *e, *hx, *hy;
    int width, height;

    __device__ float &operator()(float *part, int x, int y) const { return part[y * width + x]; }
};

__global__ void magnetic(const float *e, float *hx, float *hy, int width, int height, float courant)
{
    Field field = {const_cast<float *>(e), hx, hy, width, height};
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height - 1)
        field(hx, x, y) -= courant * (field(field.e, x, y + 1) - field(field.e, x, y));
    if (x < width - 1 && y < height)
        field(hy, x, y) += courant * (field(field.e, x + 1, y) - field(field.e, x, y));
}

__global__ void electric(float *e, const float *hx, const float *hy, int width, int height, float courant,
                         float source)
{
    Field field = {e, const_cast<float *>(hx), const_cast<float *>(hy), width, height};
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1)
        return;
    field(e, x, y) += courant * (field(field.hy, x, y) - field(field.hy, x - 1, y) - field(field.hx, x, y)
                                 + field(field.hx, x, y - 1));
    if (x == width / 3 && y == height / 2)
        field(e, x, y) += source;
}
