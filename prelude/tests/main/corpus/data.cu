// Data of many shapes: structures that hold pointers, unions, bit fields,
// enumerations, constants that the compiler computes, and lambdas.
#include <cstdint>

struct Node {
    int value;
    Node *next;
};

// Every thread makes a list in memory of its own and walks it.
__global__ void linked_lists(const int *values, int length, long long *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    Node nodes[16];
    Node *head = nullptr;
    for (int k = 0; k < length; k++) {
        nodes[k] = {values[i * length + k], head};
        head = &nodes[k];
    }
    long long number = 0;
    for (const Node *node = head; node; node = node->next)
        number = 10 * number + node->value;
    out[i] = number;
}

// A structure of pointers by reference, passed on within the device.
struct Columns {
    const float *x, *y;
    float *sum;
};

static __device__ void add_row(const Columns &columns, int i) { columns.sum[i] = columns.x[i] + columns.y[i]; }

__global__ void structures(const float *x, const float *y, float *sum, int n)
{
    const Columns columns = {x, y, sum};
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        add_row(columns, i);
}

// A date in 16 bits, as old file systems have it.
struct Date {
    uint16_t day : 5;
    uint16_t month : 4;
    uint16_t year : 7;
};
static_assert(sizeof(Date) == 2, "bit fields share a word");

__global__ void bit_fields(const uint16_t *packed, int3 *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    union {
        uint16_t bits;
        Date date;
    } both;
    both.bits = packed[i];
    out[i] = make_int3(1980 + both.date.year, both.date.month, both.date.day);
}

// The parts of a double.
union Parts {
    double number;
    struct {
        uint32_t low, high;
    } words;
};

__global__ void parts(const double *x, uint32_t *exponents, uint32_t *low, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    Parts both;
    both.number = x[i];
    exponents[i] = both.words.high >> 20 & 0x7ff;
    low[i] = both.words.low;
}

enum class Turn : int8_t { left = -1, none = 0, right = 1 };

constexpr int factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }
constexpr int SIDES = factorial(3);

namespace compass {
constexpr __device__ char letters[] = {'N', 'E', 'S', 'W'};

__device__ int turned(int direction, Turn turn) { return (direction + 4 + static_cast<int>(turn)) % 4; }

namespace detail {
__device__ char letter(int direction)
{
    const char letters[] = {'n', 'e', 's', 'w'};
    return letters[direction];
}
}
}

__global__ void turns(const int8_t *way, int n, uint8_t *upper, uint8_t *lower, int *walked)
{
    using namespace compass;
    if (blockIdx.x || threadIdx.x)
        return;
    int direction = 0;
    for (int k = 0; k < n; k++) {
        direction = turned(direction, Turn(way[k]));
        upper[k] = letters[direction];
        lower[k] = detail::letter(direction);
    }
    *walked = n * SIDES;
}

// Functions without names: with what they capture, and of any type.
template <typename Function>
__device__ int count_if(const int *x, int n, Function function)
{
    int count = 0;
    for (int k = 0; k < n; k++)
        count += function(x[k]);
    return count;
}

__global__ void lambdas(const int *x, int n, int limit, int *out)
{
    int column = threadIdx.x, calls = 0;
    auto above = [limit, column](int v) { return v > limit + column; };
    auto counted = [&](int v) { calls++; return v % (column + 1) == 0; };
    auto square = [](auto v) { return v * v; };
    out[4 * column + 0] = count_if(x, n, above);
    out[4 * column + 1] = count_if(x, n, counted);
    out[4 * column + 2] = calls;
    out[4 * column + 3] = square(column) + (int)square(1.5);
}
