// Checksums of messages that lie one behind the other: message i is the bytes
// from `ends[i - 1]` to `ends[i]`.
#include <stdint.h>

// The table for CRC-32 (polynomial 0xedb88320), filled in by the program.
__constant__ uint32_t crc_table[256];

__global__ void crc32(const uint8_t *bytes, const uint32_t *ends, uint32_t *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    uint32_t crc = ~0u;
    for (uint32_t k = i ? ends[i - 1] : 0; k < ends[i]; k++)
        crc = crc_table[(crc ^ bytes[k]) & 0xff] ^ crc >> 8;
    out[i] = ~crc;
}

// SHA-256 (FIPS 180-4).
__constant__ uint32_t rounds[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

__device__ __forceinline__ uint32_t rotated(uint32_t x, int by) { return __funnelshift_r(x, x, by); }

// Byte `at` of a message with its padding, which ends with its length in bits.
__device__ uint8_t padded(const uint8_t *message, uint32_t length, uint32_t at, uint32_t blocks)
{
    if (at < length)
        return message[at];
    if (at == length)
        return 0x80;
    uint32_t from_end = 64 * blocks - 1 - at;
    return from_end < 4 ? length * 8 >> 8 * from_end : 0;
}

__global__ void sha256(const uint8_t *bytes, const uint32_t *ends, uint32_t *digests, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    uint32_t start = i ? ends[i - 1] : 0, length = ends[i] - start, blocks = (length + 8) / 64 + 1;
    uint32_t h[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    for (uint32_t block = 0; block < blocks; block++) {
        uint32_t w[64];
        for (int t = 0; t < 16; t++) {
            w[t] = 0;
            for (int k = 0; k < 4; k++)
                w[t] = w[t] << 8 | padded(bytes + start, length, 64 * block + 4 * t + k, blocks);
        }
        for (int t = 16; t < 64; t++) {
            uint32_t s0 = rotated(w[t - 15], 7) ^ rotated(w[t - 15], 18) ^ w[t - 15] >> 3;
            uint32_t s1 = rotated(w[t - 2], 17) ^ rotated(w[t - 2], 19) ^ w[t - 2] >> 10;
            w[t] = w[t - 16] + s0 + w[t - 7] + s1;
        }
        uint32_t a = h[0], b = h[1], c = h[2], d = h[3], e = h[4], f = h[5], g = h[6], last = h[7];
        for (int t = 0; t < 64; t++) {
            uint32_t s1 = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25), choice = (e & f) ^ (~e & g);
            uint32_t s0 = rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22), most = (a & b) ^ (a & c) ^ (b & c);
            uint32_t first = last + s1 + choice + rounds[t] + w[t];
            last = g, g = f, f = e, e = d + first, d = c, c = b, b = a, a = first + s0 + most;
        }
        h[0] += a, h[1] += b, h[2] += c, h[3] += d, h[4] += e, h[5] += f, h[6] += g, h[7] += last;
    }
    for (int k = 0; k < 8; k++)
        digests[8 * i + k] = h[k];
}
