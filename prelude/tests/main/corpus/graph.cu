// Graphs as lists of neighbours: those of vertex v are `edges[first[v]]` to
// `edges[first[v + 1] - 1]`.

// A step of a breadth-first search: what the vertices of a level reach.
__global__ void search(const int *first, const int *edges, int vertices, int *levels, int level, int *reached)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    const volatile int *seen = levels;  // Others write while this is read.
    if (v >= vertices || seen[v] != level)
        return;
    for (int k = first[v]; k < first[v + 1]; k++)
        if (atomicCAS(&levels[edges[k]], -1, level + 1) == -1)
            atomicAdd(reached, 1);
}

// Connected parts: labels spread until none changes; each part ends with the
// smallest number in it.
__global__ void spread(const int *first, const int *edges, int vertices, int *labels, int *changed)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= vertices)
        return;
    int least = atomicAdd(&labels[v], 0);
    for (int k = first[v]; k < first[v + 1]; k++)
        if (atomicMin(&labels[edges[k]], least) > least)
            atomicExch(changed, 1);
}

// The same by trees that point to their roots. The larger root is hung below
// the smaller one.
__device__ int root(int *parents, int v)
{
    int parent;
    while ((parent = *(volatile int *)&parents[v]) != v)
        v = parent;
    return v;
}

__global__ void unite(const int2 *pairs, int n, int *parents)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int a = root(parents, pairs[i].x), b = root(parents, pairs[i].y);
    while (a != b) {
        int high = max(a, b), low = min(a, b);
        int found = atomicCAS(&parents[high], high, low);
        if (found == high)
            break;
        a = root(parents, found);  // Another thread was faster.
        b = root(parents, low);
    }
}

__global__ void flatten(const int *parents, int *roots, int vertices)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < vertices)
        roots[v] = root(const_cast<int *>(parents), v);
}

// A step of PageRank: what a page gets from those that link to it. `links` is
// how many links a page has.
__global__ void rank(const int *first, const int *sources, const int *links, const double *from, double *to,
                     int pages, double damping)
{
    for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < pages; v += gridDim.x * blockDim.x) {
        double sum = 0;
        for (int k = first[v]; k < first[v + 1]; k++)
            sum += from[sources[k]] / links[sources[k]];
        to[v] = (1 - damping) / pages + damping * sum;
    }
}
