// x[k] = a[k] * x[k - 1] + b[k], all at once: the steps are scanned as functions,
// x -> a * x + b, that are composed. What comes first matters: the order of
// composition is the order of the elements.
typedef uint2 Step; // a and b, modulo 2^32.

__device__ Step compose(Step first, Step second)
{
    return make_uint2(second.x * first.x, second.x * first.y + second.y);
}

__global__ void recurrence(const unsigned int *a, const unsigned int *b, unsigned int start, unsigned int *x,
                           int n)
{
    __shared__ Step of_warp[32];
    int t = threadIdx.x, lane = t % 32, warp = t / 32;
    Step step = t < n ? make_uint2(a[t], b[t]) : make_uint2(1, 0);
    for (int distance = 1; distance < 32; distance *= 2) {
        Step left;
        left.x = __shfl_up_sync(0xffffffff, step.x, distance);
        left.y = __shfl_up_sync(0xffffffff, step.y, distance);
        if (lane >= distance)
            step = compose(left, step);
    }
    if (lane == 31)
        of_warp[warp] = step;
    __syncthreads();
    for (int k = warp - 1; k >= 0; k--)
        step = compose(of_warp[k], step);
    if (t < n)
        x[t] = step.x * start + step.y;
}
