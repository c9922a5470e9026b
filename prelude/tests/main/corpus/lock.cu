// A lock that one thread of a block takes, and what must be whole under it: the
// sum, the smallest number and its place are written as plain memory.
struct Lock {
    int *state;

    __device__ void acquire() const
    {
        while (atomicCAS(state, 0, 1) != 0) {
        }
        __threadfence();
    }
    __device__ void release() const
    {
        __threadfence();
        atomicExch(state, 0);
    }
};

__global__ void account(const int *data, int n, int *state, volatile long long *sum, volatile int *least,
                        volatile int *visits)
{
    __shared__ int own_least, own_place;
    __shared__ unsigned long long own_sum;
    if (threadIdx.x == 0) {
        own_least = 2147483647;
        own_place = 2147483647;
        own_sum = 0;
    }
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        atomicMin(&own_least, data[i]);
        atomicAdd(&own_sum, (unsigned long long)(long long)data[i]);
    }
    __syncthreads();
    if (i < n && data[i] == own_least)
        atomicMin(&own_place, i);
    __syncthreads();
    if (threadIdx.x == 0) {
        Lock lock = {state};
        lock.acquire();
        *sum = *sum + (long long)own_sum;
        if (own_least < least[0] || (own_least == least[0] && own_place < least[1])) {
            least[0] = own_least;
            least[1] = own_place;
        }
        *visits = *visits + 1;
        lock.release();
    }
}
