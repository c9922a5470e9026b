// Scores of alignments of two sequences (Smith and Waterman), tile by tile: a
// launch for each diagonal of tiles, in a tile a step for each diagonal.
#define SIDE 16
#define SCORE(i, j) scores[(i) * (SIDE + 1) + (j)]

__device__ __noinline__ int best_of(int a, int b, int c)
{
    return max(0, max(a, max(b, c)));
}

__global__ void tiles(int *table, const char *first, const char *second, int width, int diagonal, int start,
                      int same, int other, int gap, int *best)
{
    __shared__ int scores[(SIDE + 1) * (SIDE + 1)];
    __shared__ char a[SIDE], b[SIDE];
    const int t = threadIdx.x;
    const int down = start + blockIdx.x, right = diagonal - down;
    // The table has an extra row and column of zeros.
    int *corner = table + down * SIDE * width + right * SIDE;
    a[t] = first[down * SIDE + t];
    b[t] = second[right * SIDE + t];
    SCORE(t + 1, 0) = corner[(t + 1) * width];
    SCORE(0, t + 1) = corner[t + 1];
    if (t == 0)
        SCORE(0, 0) = corner[0];
    __syncthreads();
    int largest = 0;
    for (int step = 0; step < 2 * SIDE - 1; step++) {
        int i = t + 1, j = step - t + 1;
        if (j >= 1 && j <= SIDE) {
            int match = SCORE(i - 1, j - 1) + (a[i - 1] == b[j - 1] ? same : other);
            SCORE(i, j) = best_of(match, SCORE(i - 1, j) - gap, SCORE(i, j - 1) - gap);
            largest = max(largest, SCORE(i, j));
        }
        __syncthreads();
    }
    for (int i = 1; i <= SIDE; i++)
        corner[i * width + t + 1] = SCORE(i, t + 1);
    atomicMax(best, largest);
}
