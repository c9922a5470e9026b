// Barriers at which the threads of a block vote.

// One block of 16 x 4 threads for every 64 elements.
__global__ void describe(const int *in, int n, int *positive, bool *all_even, bool *any_zero)
{
    int t = threadIdx.y * blockDim.x + threadIdx.x;
    int i = blockIdx.x * (blockDim.x * blockDim.y) + t;
    int count = __syncthreads_count(i < n && in[i] > 0);
    int even = __syncthreads_and(i >= n || in[i] % 2 == 0);
    int zero = __syncthreads_or(i < n && in[i] == 0);
    if (t == 0) {
        positive[blockIdx.x] = count;
        all_even[blockIdx.x] = even != 0;
        any_zero[blockIdx.x] = zero != 0;
    }
}

// Labels the connected components of a small image, one image for each block
// and one thread for each pixel: every pixel takes the least label around it,
// until nobody's changes any more. Labels are places, and -1 outside.
__global__ void components(const unsigned char *images, int *labels)
{
    extern __shared__ int label[];
    int x = threadIdx.x, y = threadIdx.y, width = blockDim.x, height = blockDim.y;
    int place = y * width + x;
    int pixel = blockIdx.x * width * height + place;
    bool inside = images[pixel] != 0;
    int own = inside ? place : -1;
    label[place] = own;
    __syncthreads();
    for (int changed = 1; changed;) {
        int least = own;
        if (inside) {
            if (x > 0 && label[place - 1] >= 0)
                least = min(least, label[place - 1]);
            if (x < width - 1 && label[place + 1] >= 0)
                least = min(least, label[place + 1]);
            if (y > 0 && label[place - width] >= 0)
                least = min(least, label[place - width]);
            if (y < height - 1 && label[place + width] >= 0)
                least = min(least, label[place + width]);
        }
        changed = __syncthreads_or(least != own);
        own = label[place] = least;
        __syncthreads();
    }
    labels[pixel] = own;
}
