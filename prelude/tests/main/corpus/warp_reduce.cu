// The reductions of integers that a warp has as one instruction (sm_80 and
// later). The last warp has fewer elements than lanes: the mask leaves the
// other lanes out.

__global__ void unsigned_totals(const unsigned int *in, unsigned int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int mask = __ballot_sync(0xffffffff, i < n);
    if (i >= n)
        return;
    unsigned int x = in[i];
    unsigned int sum = __reduce_add_sync(mask, x);
    unsigned int low = __reduce_min_sync(mask, x);
    unsigned int high = __reduce_max_sync(mask, x);
    unsigned int every = __reduce_and_sync(mask, x);
    unsigned int some = __reduce_or_sync(mask, x);
    unsigned int odd = __reduce_xor_sync(mask, x);
    if (i % 32 == 0) {
        unsigned int *row = out + i / 32 * 6;
        row[0] = sum;
        row[1] = low;
        row[2] = high;
        row[3] = every;
        row[4] = some;
        row[5] = odd;
    }
}

__global__ void signed_totals(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int mask = __ballot_sync(0xffffffff, i < n);
    if (i >= n)
        return;
    int sum = __reduce_add_sync(mask, in[i]);
    int low = __reduce_min_sync(mask, in[i]);
    int high = __reduce_max_sync(mask, in[i]);
    if (i % 32 == 0) {
        out[i / 32 * 3] = sum;
        out[i / 32 * 3 + 1] = low;
        out[i / 32 * 3 + 2] = high;
    }
}
