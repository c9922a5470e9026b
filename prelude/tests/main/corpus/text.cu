// Texts: where a pattern occurs, and how far two words are apart.
#define BLOCK 64
#define LONGEST 16

__constant__ char pattern[LONGEST];

// Occurrences may overlap. A block reads its stretch and what a pattern may
// reach behind it once.
__global__ void find(const unsigned char *text, int n, int length, bool *found, unsigned int *count)
{
    __shared__ char part[BLOCK + LONGEST];
    int first = blockIdx.x * BLOCK, i = first + threadIdx.x;
    for (int k = threadIdx.x; k < BLOCK + length - 1; k += BLOCK)
        part[k] = first + k < n ? text[first + k] : '\0';
    __syncthreads();
    bool matches = i + length <= n;
    for (int k = 0; matches && k < length; k++)
        matches = part[threadIdx.x + k] == pattern[k];
    if (i < n)
        found[i] = matches;
    int matched = __syncthreads_count(matches);
    if (threadIdx.x == 0)
        atomicAdd(count, (unsigned int)matched);
}

// The distance of Levenshtein. A block compares two words along the diagonals
// of the table: all cells of a diagonal depend on the two before it. Words
// end where the next one starts.
__global__ void distance(const char *words, const int *ends, int *out, int longest)
{
    extern __shared__ int diagonals[];
    int *last = diagonals, *now = last + longest + 1, *next = now + longest + 1;
    int start = blockIdx.x ? ends[2 * blockIdx.x - 1] : 0, middle = ends[2 * blockIdx.x];
    const char *a = words + start, *b = words + middle;
    int n = middle - start, m = ends[2 * blockIdx.x + 1] - middle, i = threadIdx.x;
    // Cell (i, d - i) of diagonal d.
    for (int d = 0; d <= n + m; d++) {
        int j = d - i;
        if (i <= n && j >= 0 && j <= m) {
            if (i == 0 || j == 0)
                next[i] = i + j;
            else
                next[i] = min(min(now[i - 1], now[i]) + 1, last[i - 1] + (a[i - 1] != b[j - 1]));
        }
        int *oldest = last;
        last = now, now = next, next = oldest;
        __syncthreads();
    }
    if (i == n)
        out[blockIdx.x] = now[n];
}
