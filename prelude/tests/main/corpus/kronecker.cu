// The Kronecker products of pairs of matrices, one pair for each z of the
// grid: every element of A times all of B.
struct Shape {
    int rows, columns;

    __device__ int size() const { return rows * columns; }
};

__global__ void kronecker(const long long *a, int a_rows, int a_columns, const long long *b, int b_rows,
                          int b_columns, long long *out, int pairs)
{
    Shape left = { a_rows, a_columns }, right = { b_rows, b_columns };
    Shape whole = { left.rows * right.rows, left.columns * right.columns };
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int pair = blockIdx.z * blockDim.z + threadIdx.z;
    if (row >= whole.rows || column >= whole.columns || pair >= pairs)
        return;
    a += pair * left.size();
    b += pair * right.size();
    out += pair * whole.size();
    long long x = a[row / right.rows * left.columns + column / right.columns];
    long long y = b[row % right.rows * right.columns + column % right.columns];
    out[row * whole.columns + column] = x * y;
}
