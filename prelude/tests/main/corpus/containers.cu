// Containers behind an abstract class: made by `new`, or in shared memory, and
// used by all threads.
template <class T> struct Container {
    __device__ virtual ~Container() {}
    __device__ virtual bool push(T value) = 0;
    __device__ virtual bool pop(T &value) = 0;
};

template <class T> class Stack : public Container<T> {
    T *values;
    int size, top = 0;
    bool is_own;

public:
    __device__ explicit Stack(int size) : values(new T[size]), size(size), is_own(true) {}
    __device__ Stack(int size, T *room) : values(room), size(size), is_own(false) {}
    __device__ ~Stack() override
    {
        if (is_own)
            delete[] values;
    }
    __device__ bool push(T value) override
    {
        int at = atomicAdd(&top, 1);
        if (at < size)
            values[at] = value;
        return at < size;
    }
    __device__ bool pop(T &value) override
    {
        int at = atomicSub(&top, 1) - 1;
        if (at >= 0)
            value = values[at];
        return at >= 0;
    }
};

struct Pair {
    int thread;
    double half;
};

__global__ void make(Container<int> **container, int size) { *container = new Stack<int>(size); }
__global__ void fill(Container<int> **container) { (*container)->push(blockIdx.x * blockDim.x + threadIdx.x); }
__global__ void drain(Container<int> **container, int *out)
{
    int value = -1;
    (*container)->pop(value);
    out[blockIdx.x * blockDim.x + threadIdx.x] = value;
}
__global__ void drop(Container<int> **container)
{
    delete *container;
    *container = nullptr;
}

__global__ void in_shared_memory(double *out)
{
    __shared__ unsigned char __align__(8) room[sizeof(Stack<Pair>)];
    __shared__ unsigned char __align__(8) values[256 * sizeof(Pair)];
    __shared__ Container<Pair> *container;
    if (threadIdx.x == 0)
        container = new (room) Stack<Pair>(256, reinterpret_cast<Pair *>(values));
    __syncthreads();
    if (threadIdx.x % 2 == 0)
        container->push({(int)threadIdx.x, 0.5 * threadIdx.x});
    __syncthreads();
    Pair pair;
    out[threadIdx.x] = container->pop(pair) ? pair.thread + pair.half : -1;
}
