// Reductions for plots: what is drawn is counted in pixels, not in elements.
// REAL is replaced by an element type, PLACE by that of a second array.
//
// A kernel's threads take every blockDim.x-th element of their block's share:
// neighbours read neighbours on a GPU, and on the host, where a block has one
// thread, that thread reads its share in order.

typedef unsigned long long Key;

// Numbers as integers of the same order, for atomicMin and atomicMax.
__device__ Key plot_key(double value) {
  const long long bits = __double_as_longlong(value);
  return bits < 0 ? ~(Key)bits : (Key)bits | 0x8000000000000000ULL;
}

// Whether a number has a place on an axis.
__device__ bool plot_has_place(double value, int is_log) {
  return value - value == 0.0 && !(is_log && value <= 0.0);
}
// PART extent
// The least and the greatest number with a place, how many have none, and
// whether the elements are out of ascending order.
__global__ void plot_extent(const REAL *values, long long count, int is_log, unsigned long long *answer) {
  const long long share = (count + gridDim.x - 1) / gridDim.x;
  const long long begin = blockIdx.x * share;
  const long long end = begin + share < count ? begin + share : count;
  Key low = ~0ULL, high = 0, without = 0;
  double least = 1.0 / 0.0, greatest = -1.0 / 0.0;
  bool is_mixed = false;
  for (long long i = begin + threadIdx.x; i < end; i += blockDim.x) {
    const double value = (double)values[i];
    if (plot_has_place(value, is_log)) {
      least = value < least ? value : least;
      greatest = value > greatest ? value : greatest;
    } else {
      without++;
    }
    if (i + 1 < count && !(value <= (double)values[i + 1])) is_mixed = true;
  }
  if (least <= greatest) {
    low = plot_key(least);
    high = plot_key(greatest);
    atomicMin(answer, low);
    atomicMax(answer + 1, high);
  }
  if (without) atomicAdd(answer + 2, without);
  if (is_mixed) atomicMax(answer + 3, 1ULL);
}
// PART columns
// The least and the greatest number of each column of pixels, whose elements
// are those between two edges.
__global__ void plot_columns(const REAL *values, const long long *edges, int is_log,
                             unsigned long long *low, unsigned long long *high) {
  const int column = blockIdx.x;
  const long long first = edges[column], last = edges[column + 1];
  const long long share = (last - first + gridDim.y - 1) / gridDim.y;
  const long long begin = first + blockIdx.y * share;
  const long long end = begin + share < last ? begin + share : last;
  double least = 1.0 / 0.0, greatest = -1.0 / 0.0;
  for (long long i = begin + threadIdx.x; i < end; i += blockDim.x) {
    const double value = (double)values[i];
    if (!plot_has_place(value, is_log)) continue;
    least = value < least ? value : least;
    greatest = value > greatest ? value : greatest;
  }
  if (least <= greatest) {
    atomicMin(low + column, plot_key(least));
    atomicMax(high + column, plot_key(greatest));
  }
}
// PART edges
// For each edge between columns the first element that lies right of it, in
// ascending order: a binary search.
__global__ void plot_edges(const REAL *places, long long count, double from, double to, int is_log,
                           int columns, long long *edges) {
  const int edge = blockIdx.x * blockDim.x + threadIdx.x;
  if (edge > columns) return;
  double at = from + (to - from) * ((double)edge / columns);
  if (is_log) at = pow(10.0, at);
  long long low = 0, high = count;
  while (low < high) {
    const long long middle = low + (high - low) / 2;
    const double place = (double)places[middle];
    // What lies on the last edge belongs to the last column.
    if (edge == columns ? place <= at : place < at) low = middle + 1; else high = middle;
  }
  edges[edge] = low;
}
// PART histogram
// How many numbers lie in each bin; the last bin has both its ends.
__global__ void plot_histogram(const REAL *values, long long count, double from, double to, int bins,
                               unsigned long long *counts) {
  __shared__ unsigned int own[4096];
  const bool is_shared = bins <= 4096;
  if (is_shared) {
    for (int bin = threadIdx.x; bin < bins; bin += blockDim.x) own[bin] = 0;
    __syncthreads();
  }
  const long long share = (count + gridDim.x - 1) / gridDim.x;
  const long long begin = blockIdx.x * share;
  const long long end = begin + share < count ? begin + share : count;
  const double width = (to - from) / bins, each = bins / (to - from);
  for (long long i = begin + threadIdx.x; i < end; i += blockDim.x) {
    const double value = (double)values[i];
    if (!(value >= from && value <= to)) continue;
    int bin = (int)((value - from) * each);
    if (bin >= bins) bin = bins - 1;
    // The quotient is rounded: the edges themselves decide.
    if (value < __dadd_rn(from, __dmul_rn(bin, width))) bin--;
    else if (bin + 1 < bins && value >= __dadd_rn(from, __dmul_rn(bin + 1, width))) bin++;
    if (bin < 0) bin = 0;
    if (is_shared) atomicAdd(own + bin, 1u); else atomicAdd(counts + bin, 1ULL);
  }
  if (is_shared) {
    __syncthreads();
    for (int bin = threadIdx.x; bin < bins; bin += blockDim.x)
      if (own[bin]) atomicAdd(counts + bin, (Key)own[bin]);
  }
}
// PART density
// How many points lie in each cell of a grid over the axes.
__global__ void plot_density(const PLACE *places, const REAL *values, long long count, int is_counted,
                             double left, double right, int is_log_x, double bottom, double top, int is_log_y,
                             int width, int height, unsigned int *counts) {
  const long long share = (count + gridDim.x - 1) / gridDim.x;
  const long long begin = blockIdx.x * share;
  const long long end = begin + share < count ? begin + share : count;
  for (long long i = begin + threadIdx.x; i < end; i += blockDim.x) {
    double x = is_counted ? (double)i : (double)places[i], y = (double)values[i];
    if (!plot_has_place(x, is_log_x) || !plot_has_place(y, is_log_y)) continue;
    if (is_log_x) x = log10(x);
    if (is_log_y) y = log10(y);
    const double across = (x - left) / (right - left), up = (y - bottom) / (top - bottom);
    if (!(across >= 0.0 && across <= 1.0 && up >= 0.0 && up <= 1.0)) continue;
    int column = (int)(across * width), row = (int)((1.0 - up) * height);
    column = column < width ? column : width - 1;
    row = row < height ? row : height - 1;
    atomicAdd(counts + (long long)row * width + column, 1u);
  }
}
// PART blocks
// The mean of each block of a matrix, over what is finite.
__global__ void plot_blocks(const REAL *values, long long rows, long long columns, int height, int width,
                            double *means) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
  if (column >= width) return;
  const long long top = rows * row / height, bottom = rows * (row + 1) / height;
  const long long left = columns * column / width, right = columns * (column + 1) / width;
  double sum = 0.0;
  long long count = 0;
  for (long long i = top; i < bottom; i++)
    for (long long j = left; j < right; j++) {
      const double value = (double)values[i * columns + j];
      if (value - value == 0.0) { sum += value; count++; }
    }
  means[(long long)row * width + column] = count ? sum / count : 0.0 / 0.0;
}
