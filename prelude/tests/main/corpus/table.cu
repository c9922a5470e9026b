// A hash table with open addressing: a key is put into the first free slot from
// its own on. Keys are not zero; the number of slots is a power of two.
#define EMPTY 0u

__device__ unsigned int slot_of(unsigned int key, unsigned int slots) { return key * 2654435769u & (slots - 1); }

// Adds up the values of equal keys.
__global__ void insert(const unsigned int *keys, const int *values, int n, unsigned int *table, int *sums,
                       unsigned int slots)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned int key = keys[i], slot = slot_of(key, slots);
    for (;;) {
        unsigned int found = atomicCAS(&table[slot], EMPTY, key);
        if (found == EMPTY || found == key)
            break;
        slot = (slot + 1) & (slots - 1);
    }
    atomicAdd(&sums[slot], values[i]);
}

// The sum of a key, or what is said for keys that are not there.
__global__ void look_up(const unsigned int *keys, int n, const unsigned int *table, const int *sums,
                        unsigned int slots, int missing, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned int slot = slot_of(keys[i], slots);
    while (table[slot] != keys[i] && table[slot] != EMPTY)
        slot = (slot + 1) & (slots - 1);
    out[i] = table[slot] == keys[i] ? sums[slot] : missing;
}
