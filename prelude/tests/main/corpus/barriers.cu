// Barriers in all the places where they may stand.

// Warps that have nothing to do leave; the others still meet.
__global__ void early_return(const int *x, int *out, int n)
{
    __shared__ int shared_x[128];
    int i = blockIdx.x * blockDim.x + threadIdx.x, first = i & ~31;
    if (first >= n)
        return;  // The whole warp.
    int stop = min(n - blockIdx.x * blockDim.x, blockDim.x);
    shared_x[threadIdx.x] = i < n ? x[i] : 0;
    __syncthreads();
    if (i < n)
        out[i] = shared_x[stop - 1 - threadIdx.x];
}

// Bubble sort with a thread for each pair, until a round changes nothing.
__global__ void until_sorted(int *x, int n, int *rounds)
{
    extern __shared__ int row[];
    int k = threadIdx.x, round = 0;
    for (int i = k; i < n; i += blockDim.x)
        row[i] = x[blockIdx.x * n + i];
    bool changed;
    do {
        changed = false;
        for (int odd = 0; odd < 2; odd++) {
            __syncthreads();
            int i = 2 * k + odd;
            if (i + 1 < n && row[i] > row[i + 1]) {
                int kept = row[i];
                row[i] = row[i + 1];
                row[i + 1] = kept;
                changed = true;
            }
        }
        round++;
    } while (__syncthreads_or(changed));
    for (int i = k; i < n; i += blockDim.x)
        x[blockIdx.x * n + i] = row[i];
    if (k == 0)
        rounds[blockIdx.x] = round;
}

__global__ void counts(const int *x, int n, int limit, int3 *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    bool above = i < n && x[i] > limit;
    int3 answer;
    answer.x = __syncthreads_count(above);
    answer.y = __syncthreads_and(i >= n || above) != 0;
    answer.z = __syncthreads_or(above) != 0;
    if (threadIdx.x == 0)
        out[blockIdx.x] = answer;
}

// A branch that whole blocks take, and a function that meets the others.
__device__ void swap_halves(int *row)
{
    int half = blockDim.x / 2, k = threadIdx.x;
    int kept = row[(k + half) % blockDim.x];
    __syncthreads();
    row[k] = kept;
    __syncthreads();
}

__global__ void uniform_branch(int *x)
{
    __shared__ int row[64];
    row[threadIdx.x] = x[blockIdx.x * blockDim.x + threadIdx.x];
    __syncthreads();
    if (blockIdx.x % 2)
        swap_halves(row);
    else
        for (int k = 0; k < blockIdx.x; k++)
            swap_halves(row);
    x[blockIdx.x * blockDim.x + threadIdx.x] = row[blockDim.x - 1 - threadIdx.x];
}

// Dynamic shared memory that is cut into pieces of several types.
__global__ void pieces(const double *x, int *places, double *sorted, unsigned char *flags, int n)
{
    extern __shared__ __align__(16) unsigned char memory[];
    double *values = reinterpret_cast<double *>(memory);
    int *order = reinterpret_cast<int *>(values + n);
    unsigned char *odd = reinterpret_cast<unsigned char *>(order + n);
    int k = threadIdx.x;
    if (k < n)
        values[k] = x[k];
    __syncthreads();
    if (k < n) {
        int place = 0;
        for (int i = 0; i < n; i++)
            place += values[i] < values[k] || (values[i] == values[k] && i < k);
        order[place] = k;
        odd[place] = k & 1;
    }
    __syncthreads();
    if (k < n) {
        places[k] = order[k];
        sorted[k] = values[order[k]];
        flags[k] = odd[k];
    }
}
