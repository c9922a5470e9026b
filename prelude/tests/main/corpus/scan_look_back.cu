// A scan in one pass over memory: each tile looks back at those before it until
// one knows the sum of all that precedes (Merrill and Garland, "Single-pass
// parallel prefix scan with decoupled look-back", 2016).
#define THREADS 128

enum State { NOTHING = 0, OWN_SUM = 1, WHOLE_SUM = 2 };

__global__ void scan(const unsigned int *in, unsigned int *out, int n, unsigned int *ticket,
                     volatile int *states, volatile unsigned int *own_sums,
                     volatile unsigned int *whole_sums)
{
    __shared__ int shared_tile;
    __shared__ unsigned int before, s[THREADS];
    int t = threadIdx.x;

    // Blocks may start in any order. By their tickets, who waits for a tile
    // knows that a running block has it.
    if (t == 0)
        shared_tile = atomicAdd(ticket, 1);
    __syncthreads();
    int tile = shared_tile, i = tile * THREADS + t;

    s[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int distance = 1; distance < THREADS; distance *= 2) {
        unsigned int left = t >= distance ? s[t - distance] : 0;
        __syncthreads();
        s[t] += left;
        __syncthreads();
    }

    if (t == 0) {
        unsigned int own = s[THREADS - 1], sum = 0;
        if (tile > 0) {
            own_sums[tile] = own;
            __threadfence();
            states[tile] = OWN_SUM;
            for (int k = tile - 1;;) {
                int state = states[k];
                if (state == NOTHING)
                    continue;
                __threadfence();
                if (state == WHOLE_SUM) {
                    sum += whole_sums[k];
                    break;
                }
                sum += own_sums[k--];
            }
        }
        whole_sums[tile] = sum + own;
        __threadfence();
        states[tile] = WHOLE_SUM;
        before = sum;
    }
    __syncthreads();
    if (i < n)
        out[i] = before + s[t];
}
