// The digest MD5 of a message of at most 55 bytes for each thread (RFC 1321).
typedef unsigned int word;

#define F(x, y, z) (((x) & (y)) | (~(x) & (z)))
#define G(x, y, z) F(z, x, y)
#define H(x, y, z) ((x) ^ (y) ^ (z))
#define I(x, y, z) ((y) ^ ((x) | ~(z)))
#define ROUND(number, f, place, s0, s1, s2, s3)                                     \
    for (int k = 16 * number; k < 16 * number + 16; k++) {                          \
        const int turns[] = { s0, s1, s2, s3 };                                     \
        word sum = a + f(b, c, d) + sines[k] + block.words[(place) & 15];           \
        a = d, d = c, c = b, b += __funnelshift_l(sum, sum, turns[k & 3]);          \
    }

__constant__ word sines[64];

union Block {
    unsigned char bytes[64];
    word words[16];
};

struct Digest {
    word a = 0x67452301, b = 0xefcdab89, c = 0x98badcfe, d = 0x10325476;

    __device__ void add(const Block &block)
    {
        const Digest before = *this;
        ROUND(0, F, k, 7, 12, 17, 22)
        ROUND(1, G, 5 * k + 1, 5, 9, 14, 20)
        ROUND(2, H, 3 * k + 5, 4, 11, 16, 23)
        ROUND(3, I, 7 * k, 6, 10, 15, 21)
        a += before.a, b += before.b, c += before.c, d += before.d;
    }
};

__global__ void __launch_bounds__(128, 4) md5(const char *text, const int *starts, uint4 *digests, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    Block block = {};
    int length = starts[i + 1] - starts[i];
    memcpy(block.bytes, text + starts[i], length);
    block.bytes[length] = 0x80;
    block.words[14] = 8 * length;
    Digest digest;
    digest.add(block);
    digests[i] = make_uint4(digest.a, digest.b, digest.c, digest.d);
}
