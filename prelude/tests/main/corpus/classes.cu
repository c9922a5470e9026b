// Classes: numbers with operators, types that give each other their code, and
// objects whose functions are found when they run.

// Numbers a + b e with e^2 = 0: what a function is and how steep it is.
class Dual {
  public:
    __device__ Dual(double value, double slope = 0) : value_(value), slope_(slope) {}
    __device__ double value() const { return value_; }
    __device__ double slope() const { return slope_; }
    __device__ friend Dual operator+(const Dual &a, const Dual &b)
    {
        return Dual(a.value_ + b.value_, a.slope_ + b.slope_);
    }
    __device__ friend Dual operator*(const Dual &a, const Dual &b)
    {
        return Dual(a.value_ * b.value_, a.value_ * b.slope_ + a.slope_ * b.value_);
    }
    __device__ Dual &operator+=(const Dual &b) { return *this = *this + b; }

  private:
    double value_, slope_;
};

// c[0] + c[1] x + c[2] x^2 + ..., by Horner's rule.
template <typename Number>
__device__ Number polynomial(const double *c, int terms, Number x)
{
    Number sum = c[terms - 1];
    for (int k = terms - 2; k >= 0; k--)
        sum = sum * x + c[k];
    return sum;
}

__global__ void slopes(const double *c, int terms, const double *x, double *values, double *slopes_out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    Dual y = polynomial(c, terms, Dual(x[i], 1));
    y += 0.0;
    values[i] = y.value();
    slopes_out[i] = y.slope();
}

// A matrix of 2 by 2 numbers modulo 2^32, whose powers hold Fibonacci's numbers.
template <typename T>
struct Matrix {
    T at[2][2];

    __device__ Matrix operator*(const Matrix &other) const
    {
        Matrix product;
        for (int i = 0; i < 2; i++)
            for (int j = 0; j < 2; j++)
                product.at[i][j] = at[i][0] * other.at[0][j] + at[i][1] * other.at[1][j];
        return product;
    }
};

__global__ void fibonacci(unsigned int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    Matrix<unsigned int> result = {{{1, 0}, {0, 1}}}, base = {{{1, 1}, {1, 0}}};
    for (int k = i; k > 0; k >>= 1, base = base * base)
        if (k & 1)
            result = result * base;
    out[i] = result.at[0][1];
}

// A base that calls what is derived from it, without a table of functions.
template <typename Derived>
struct Sequence {
    __device__ int sum(int n) const
    {
        int sum = 0;
        for (int k = 1; k <= n; k++)
            sum += static_cast<const Derived *>(this)->term(k);
        return sum;
    }
};
struct Odd : Sequence<Odd> {
    __device__ int term(int k) const { return 2 * k - 1; }
};
struct Alternating : Sequence<Alternating> {
    __device__ int term(int k) const { return k & 1 ? k : -k; }
};

__global__ void sequences(int *odd, int *alternating, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    odd[i] = Odd().sum(i);
    alternating[i] = Alternating().sum(i);
}
