// Mean and variance in one pass over numbers whose mean is far from zero: sums
// of squares would lose the variance. Two groups are merged by the formula of
// Chan, Golub and LeVeque, "Updating formulae and a pairwise algorithm for
// computing sample variances" (1979).
struct Moments {
    double count, mean, squares; // Squares of the distances from the mean.

    __device__ void add(const Moments &other)
    {
        double total = count + other.count;
        if (total == 0)
            return;
        double delta = other.mean - mean;
        mean += delta * (other.count / total);
        squares += other.squares + delta * delta * (count * other.count / total);
        count = total;
    }
};

__device__ Moments shuffle_down(const Moments &m, int offset)
{
    return { __shfl_down_sync(0xffffffff, m.count, offset), __shfl_down_sync(0xffffffff, m.mean, offset),
             __shfl_down_sync(0xffffffff, m.squares, offset) };
}

// One block of whole warps.
__global__ void moments(const double *in, double *out, int n)
{
    __shared__ Moments of_warp[32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    Moments own = { 0, 0, 0 };
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        own.add({ 1, in[i], 0 });
    for (int offset = 16; offset > 0; offset /= 2)
        own.add(shuffle_down(own, offset));
    if (lane == 0)
        of_warp[warp] = own;
    __syncthreads();
    if (warp == 0) {
        Moments none = { 0, 0, 0 };
        own = lane < warps ? of_warp[lane] : none;
        for (int offset = 16; offset > 0; offset /= 2)
            own.add(shuffle_down(own, offset));
        if (lane == 0) {
            out[0] = own.mean;
            out[1] = own.squares / own.count;
        }
    }
}
