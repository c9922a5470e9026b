// The functions of CUDA for bits and small parts of words.
__global__ void words(const unsigned int *x, const unsigned int *y, unsigned int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned int a = x[i], b = y[i], *own = out + 16 * i;
    own[0] = __brev(a);
    own[1] = __clz(a);
    own[2] = __ffs(a);
    own[3] = __popc(a);
    own[4] = __funnelshift_l(a, b, i);
    own[5] = __funnelshift_r(a, b, i);
    own[6] = __funnelshift_lc(a, b, i);
    own[7] = __funnelshift_rc(a, b, i);
    own[8] = __byte_perm(a, b, 0x5140 + (i & 7));
    own[9] = __umulhi(a, b);
    own[10] = __mulhi((int)a, (int)b);
    own[11] = __umul24(a, b);
    own[12] = __usad(a, b, 7);
    own[13] = __sad((int)(a >> 1), (int)(b >> 1), 7u);
    own[14] = __uhadd(a, b);
    own[15] = __urhadd(a, b);
}

__global__ void wide_words(const unsigned long long *x, const unsigned long long *y, unsigned long long *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned long long a = x[i], b = y[i], *own = out + 6 * i;
    own[0] = __brevll(a);
    own[1] = __clzll(a);
    own[2] = __ffsll(a);
    own[3] = __popcll(a);
    own[4] = __umul64hi(a, b);
    own[5] = __mul64hi((long long)a, (long long)b);
}

// Gray's code and back; neighbours differ in one bit.
__global__ void gray(const unsigned int *x, unsigned int *code, unsigned int *back, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned int g = x[i] ^ x[i] >> 1;
    code[i] = g;
    for (int by = 1; by < 32; by *= 2)
        g ^= g >> by;
    back[i] = g;
}

// Bits of coordinates between each other: the place on a Z-shaped curve.
__global__ void morton(unsigned int *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    unsigned int place = 0;
    for (int bit = 0; bit < 16; bit++)
        place |= (x >> bit & 1u) << 2 * bit | (y >> bit & 1u) << (2 * bit + 1);
    out[y * width + x] = place;
}

// Products of four bytes at once.
__global__ void dot4(const int *a, const int *b, const int *c, int *with_sign, unsigned int *without, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    with_sign[i] = __dp4a(a[i], b[i], c[i]);
    without[i] = __dp4a((unsigned int)a[i], (unsigned int)b[i], (unsigned int)c[i]);
}

// The bits of floats, taken apart and put together.
__global__ void floats(const float *x, int *bits, float *next, double *same, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    bits[i] = __float_as_int(x[i]);
    next[i] = __uint_as_float(__float_as_uint(x[i]) + 1);
    double wide = x[i];
    same[i] = __hiloint2double(__double2hiint(wide), __double2loint(wide)) + __longlong_as_double(0);
}
