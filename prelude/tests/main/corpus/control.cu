// The statements of C: recursion, function pointers, `switch`, `goto`, and
// stacks of a thread's own.
__device__ unsigned int ackermann(unsigned int m, unsigned int n)
{
    if (m == 0)
        return n + 1;
    return n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

__global__ void recursion(unsigned int *out, unsigned int columns)
{
    out[threadIdx.y * columns + threadIdx.x] = ackermann(threadIdx.y, threadIdx.x);
}

__device__ int added(int a, int b) { return a + b; }
__device__ int subtracted(int a, int b) { return a - b; }
__device__ int multiplied(int a, int b) { return a * b; }

typedef int (*Operation)(int, int);
__device__ Operation operations[] = {added, subtracted, multiplied};

__device__ int folded(Operation operation, const int *x, int n)
{
    int value = x[0];
    for (int k = 1; k < n; k++)
        value = operation(value, x[k]);
    return value;
}

__global__ void pointers_to_functions(const int *x, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + 3 <= n)
        out[i] = folded(operations[i % 3], x + i, 3);
}

// A machine with a stack: `switch` in a loop. A program is numbers, which are
// pushed, and signs.
__global__ void stack_machine(const int *programs, int length, const int *inputs, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const int *program = programs + (i % 2) * length;
    int stack[8], top = 0;
    for (int k = 0; k < length; k++) {
        switch (program[k]) {
        case -1:
            stack[top - 2] += stack[top - 1];
            top--;
            break;
        case -2:
            stack[top - 2] *= stack[top - 1];
            top--;
            break;
        case -3:
            stack[top++] = inputs[i];
            break;
        case -5:
            stack[top - 1] = -stack[top - 1];
            // Goes on: what follows doubles it.
        case -4:
            stack[top - 1] *= 2;
            break;
        default:
            stack[top++] = program[k];
        }
    }
    out[i] = stack[0];
}

// The first pair of numbers in a row that add up to a sum, out of two loops.
__global__ void first_pair(const int *rows, int width, int sum, int2 *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, a, b;
    if (i >= n)
        return;
    for (a = 0; a < width; a++)
        for (b = a + 1; b < width; b++)
            if (rows[i * width + a] + rows[i * width + b] == sum)
                goto found;
    a = b = -1;
found:
    out[i] = make_int2(a, b);
}

// Quicksort without recursion: ranges that wait are on a stack, the shorter one
// is next, so that the stack stays as low as the logarithm.
__global__ void quicksort(float *rows, int width, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float *row = rows + i * width;
    int2 stack[16];
    int top = 0;
    stack[top++] = make_int2(0, width - 1);
    while (top > 0) {
        int2 range = stack[--top];
        while (range.x < range.y) {
            float pivot = row[(range.x + range.y) / 2];
            int low = range.x - 1, high = range.y + 1;
            for (;;) {
                do
                    low++;
                while (row[low] < pivot);
                do
                    high--;
                while (row[high] > pivot);
                if (low >= high)
                    break;
                float kept = row[low];
                row[low] = row[high];
                row[high] = kept;
            }
            int2 left = make_int2(range.x, high), right = make_int2(high + 1, range.y);
            bool left_is_longer = left.y - left.x > right.y - right.x;
            stack[top++] = left_is_longer ? left : right;
            range = left_is_longer ? right : left;
        }
    }
}
