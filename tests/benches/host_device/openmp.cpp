// The kernels of `kernels.cu` as one writes them for a CPU.
#include <cmath>
#include <cstddef>

extern "C" {
void plain(float *z, const float *x, const float *y, int n, int)
{
    #pragma omp parallel for
    for (int i = 0; i < n; i++) z[i] = 5*x[i] + 6*y[i];
}
void totals(float *z, const float *x, const float *y, int n, int parts)
{
    #pragma omp parallel for
    for (int t = 0; t < parts; t++) {
        float sum = 0;
        for (size_t i = (size_t)n*t/parts, end = (size_t)n*(t + 1)/parts; i < end; i++) sum += x[i]*y[i];
        z[t] = sum;
    }
}
void softmax(float *z, const float *x, const float *, int rows, int columns)
{
    #pragma omp parallel for
    for (int row = 0; row < rows; row++) {
        const float *in = x + (size_t)row*columns;
        float *out = z + (size_t)row*columns;
        float top = in[0], sum = 0;
        for (int k = 1; k < columns; k++) top = fmaxf(top, in[k]);
        for (int k = 0; k < columns; k++) { out[k] = expf(in[k] - top); sum += out[k]; }
        for (int k = 0; k < columns; k++) out[k] /= sum;
    }
}
void multiply(float *z, const float *x, const float *y, int n, int)
{
    #pragma omp parallel for
    for (int row = 0; row < n; row++)
        for (int column = 0; column < n; column++) {
            float sum = 0;
            for (int k = 0; k < n; k++) sum += x[row*n + k] * y[k*n + column];
            z[row*n + column] = sum;
        }
}
void transpose(float *z, const float *x, const float *, int width, int height)
{
    #pragma omp parallel for
    for (int row = 0; row < height; row++)
        for (int column = 0; column < width; column++) z[column*height + row] = x[row*width + column];
}
void integers(float *out, const float *, const float *, int n, int turns)
{
    unsigned *z = (unsigned *)out;
    #pragma omp parallel for
    for (int i = 0; i < n; i++) {
        unsigned v = i;
        for (int k = 0; k < turns; k++) { v ^= v << 13; v ^= v >> 17; v ^= v << 5; }
        z[i] = v;
    }
}
void atomics(float *z, const float *x, const float *, int n, int bins)
{
    #pragma omp parallel for
    for (int i = 0; i < n; i++) {
        #pragma omp atomic
        z[i % bins] += x[i];
    }
}
}
