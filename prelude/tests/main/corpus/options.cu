// Prices of options: by the formula of Black and Scholes, and by a tree.

// The normal distribution by a polynomial (Abramowitz and Stegun, 26.2.17).
__device__ float normal(float d)
{
    const float a[] = {0.31938153f, -0.356563782f, 1.781477937f, -1.821255978f, 1.330274429f};
    float k = 1 / (1 + 0.2316419f * fabsf(d)), sum = 0;
    #pragma unroll
    for (int i = 4; i >= 0; i--)
        sum = k * (a[i] + sum);
    float tail = 0.39894228f * expf(-0.5f * d * d) * sum;
    return d > 0 ? 1 - tail : tail;
}

__global__ void black_scholes(float *call, float *put, const float *price, const float *strike, const float *years,
                              float rate, float volatility, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float s = price[i], x = strike[i], t = years[i], root = sqrtf(t);
    float d1 = (logf(s / x) + (rate + 0.5f * volatility * volatility) * t) / (volatility * root);
    float d2 = d1 - volatility * root, discount = expf(-rate * t);
    call[i] = s * normal(d1) - x * discount * normal(d2);
    put[i] = x * discount * normal(-d2) - s * normal(-d1);
}

// The same in double precision, with CUDA's own function.
__global__ void black_scholes_precise(double *call, const double *price, double strike, double years, double rate,
                                      double volatility, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double width = volatility * sqrt(years);
        double d1 = (log(price[i] / strike) + (rate + 0.5 * volatility * volatility) * years) / width;
        call[i] = price[i] * normcdf(d1) - strike * exp(-rate * years) * normcdf(d1 - width);
    }
}

// An American put by a binomial tree (Cox, Ross, Rubinstein): a block for each
// option, a thread for each leaf; the tree is folded level by level.
__global__ void american_put(double *out, const double *price, double strike, double years, double rate,
                             double volatility, int levels)
{
    extern __shared__ double value[];
    int k = threadIdx.x;
    double dt = years / levels, up = exp(volatility * sqrt(dt)), growth = exp(rate * dt);
    double chance = (growth - 1 / up) / (up - 1 / up), s = price[blockIdx.x];
    if (k <= levels)
        value[k] = fmax(strike - s * pow(up, 2.0 * k - levels), 0.0);
    for (int level = levels - 1; level >= 0; level--) {
        __syncthreads();
        double kept = 0;
        if (k <= level)
            kept = (chance * value[k + 1] + (1 - chance) * value[k]) / growth;
        __syncthreads();
        if (k <= level)
            value[k] = fmax(kept, strike - s * pow(up, 2.0 * k - level));
    }
    if (k == 0)
        out[blockIdx.x] = value[0];
}
