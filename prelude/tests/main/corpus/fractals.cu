// The sets of Mandelbrot and Julia: how many steps a point takes to leave.
#include <pycuda-complex.hpp>

// Operations that are rounded one by one: every device counts alike.
__global__ void mandelbrot(unsigned char *out, int width, int height, double left, double top, double pixel,
                           int limit)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column >= width || row >= height)
        return;
    double cx = __dadd_rn(left, __dmul_rn(column, pixel)), cy = __dadd_rn(top, -__dmul_rn(row, pixel));
    double x = 0, y = 0;
    int k = 0;
    for (; k < limit; k++) {
        double xx = __dmul_rn(x, x), yy = __dmul_rn(y, y);
        if (__dadd_rn(xx, yy) > 4)
            break;
        y = __dadd_rn(__dmul_rn(2 * x, y), cy);
        x = __dadd_rn(__dadd_rn(xx, -yy), cx);
    }
    out[row * width + column] = k;
}

__global__ void julia(const pycuda::complex<double> *z, unsigned int *out, int n, pycuda::complex<double> c,
                      unsigned int limit)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    pycuda::complex<double> at = z[i];
    unsigned int k = 0;
    while (k < limit && norm(at) <= 4) {
        at = at * at + c;
        k++;
    }
    out[i] = k;
}

// Newton's method for z^3 = 1: where each start ends.
__global__ void newton(pycuda::complex<float> *z, int n, int steps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    pycuda::complex<float> at = z[i];
    for (int k = 0; k < steps; k++)
        at -= (at * at * at - 1.0f) / (3.0f * at * at);
    z[i] = at;
}
