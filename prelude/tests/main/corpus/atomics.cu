// Every atomic operation on every type that has it. What is left does not
// depend on the order of the threads.
__global__ void on_int(const int *data, int n, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    atomicAdd(out + 0, data[i]);
    atomicSub(out + 1, data[i]);
    atomicMin(out + 2, data[i]);
    atomicMax(out + 3, data[i]);
    atomicAnd(out + 4, data[i] | 0x10);
    atomicOr(out + 5, data[i] & 0x0ff0);
    atomicXor(out + 6, data[i]);
    // Only the first of all threads finds -1.
    if (atomicCAS(out + 7, -1, i) == -1)
        atomicAdd(out + 8, 1);
}

__global__ void on_unsigned(const unsigned int *data, int n, unsigned int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    atomicAdd(out + 0, data[i]);
    atomicSub(out + 1, data[i]);
    atomicMin(out + 2, data[i]);
    atomicMax(out + 3, data[i]);
    atomicAnd(out + 4, data[i] | 0x80000001u);
    atomicOr(out + 5, data[i] & 0xf0000ff0u);
    atomicXor(out + 6, data[i]);
    atomicInc(out + 7, 6);  // 0, 1, ..., 6, 0, ...
    atomicDec(out + 8, 9);  // 9, 8, ..., 0, 9, ...
}

__global__ void on_64_bits(const unsigned long long *data, int n, unsigned long long *out, long long *signed_out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned long long x = data[i];
    atomicAdd(out + 0, x);
    atomicMin(out + 1, x);
    atomicMax(out + 2, x);
    atomicAnd(out + 3, x | 1ull << 63 | 1);
    atomicOr(out + 4, x & 0xf0000000000000f0ull);
    atomicXor(out + 5, x);
    atomicMin(signed_out + 0, (long long)x);
    atomicMax(signed_out + 1, (long long)x);
}

// There is no atomic maximum of floats, but one can be made of `atomicCAS`.
__device__ float atomic_max(float *address, float value)
{
    int *bits = (int *)address, old = *(volatile int *)bits, assumed;
    do {
        assumed = old;
        if (__int_as_float(assumed) >= value)
            break;
        old = atomicCAS(bits, assumed, __float_as_int(value));
    } while (old != assumed);
    return __int_as_float(old);
}

__global__ void on_floats(const float *data, int n, float *sum, double *precise, float *largest)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    atomicAdd(sum, data[i]);
    atomicAdd(precise, (double)data[i]);
    atomic_max(largest, data[i]);
}

// The old values that are returned: tickets are each given once, and a chain of
// exchanges loses nothing.
__global__ void old_values(int n, unsigned int *counter, unsigned int *tickets, int *chain, int *received,
                           float *real_chain, float *real_received)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    tickets[i] = atomicAdd(counter, 1u);
    received[i] = atomicExch(chain, i);
    real_received[i] = atomicExch(real_chain, (float)i);
}

// Numbers of a block in shared memory, of two types.
__global__ void in_shared_memory(const int *data, int n, int *largest, unsigned long long *sums)
{
    __shared__ int top;
    __shared__ unsigned long long sum;
    if (threadIdx.x == 0) {
        top = -2147483647 - 1;
        sum = 0;
    }
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        atomicMax(&top, data[i]);
        atomicAdd(&sum, (unsigned long long)(long long)data[i]);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        largest[blockIdx.x] = top;
        sums[blockIdx.x] = sum;
    }
}
