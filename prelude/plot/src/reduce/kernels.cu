// Reductions for plots: what is drawn is counted in pixels, not in elements.
// REAL is replaced by an element type, PLACE by that of a second array.
//
// A kernel's threads take every blockDim.x-th element of their block's share:
// neighbours read neighbours on a GPU, and on the host, where a block has one
// thread, that thread reads its share in order.

typedef unsigned long long Key;

// The most elements in a row that are not finite and that a search passes.
#define LONGEST_GAP 65536

// Numbers as integers of the same order, for atomicMin and atomicMax.
__device__ Key plot_key(double value) {
  const long long bits = __double_as_longlong(value);
  return bits < 0 ? ~(Key)bits : (Key)bits | 0x8000000000000000ULL;
}

// Whether a number has a place on an axis.
__device__ bool plot_has_place(double value, int is_log) {
  return value - value == 0.0 && !(is_log && value <= 0.0);
}

// A number as it is spaced along an axis, and back: as it is, by its logarithm
// where `bend` is below zero, or by logarithms both ways from zero, but for so
// much around it. LINEAR is how long that part is in powers of ten.
#define LINEAR (1.0 / 0.9)
__device__ double plot_map(double value, double bend) {
  if (bend == 0.0) return value;
  if (bend < 0.0) return log10(value);
  const double size = fabs(value);
  return size <= bend ? value * LINEAR : copysign(bend * (LINEAR + log10(size / bend)), value);
}
__device__ double plot_inverse(double mapped, double bend) {
  if (bend == 0.0) return mapped;
  if (bend < 0.0) return pow(10.0, mapped);
  const double size = fabs(mapped);
  return size <= bend * LINEAR ? mapped / LINEAR : copysign(bend * pow(10.0, size / bend - LINEAR), mapped);
}

// The cell of a grid over the axes that a point lies in, the top row first, or
// -1 outside of it.
__device__ long long plot_cell(double x, double y, double left, double right, double bend_x, double bottom,
                               double top, double bend_y, int width, int height) {
  if (!plot_has_place(x, bend_x < 0.0) || !plot_has_place(y, bend_y < 0.0)) return -1;
  x = plot_map(x, bend_x);
  y = plot_map(y, bend_y);
  const double across = (x - left) / (right - left), up = (y - bottom) / (top - bottom);
  if (!(across >= 0.0 && across <= 1.0 && up >= 0.0 && up <= 1.0)) return -1;
  int column = (int)(across * width), row = (int)((1.0 - up) * height);
  column = column < width ? column : width - 1;
  row = row < height ? row : height - 1;
  return (long long)row * width + column;
}
// PART extent
// The first finite element from one on. It gives up where so many others stand
// in a row that one thread would search for long.
__device__ long long plot_finite(const REAL *values, long long count, long long from) {
  const long long end = from + LONGEST_GAP < count ? from + LONGEST_GAP : count;
  while (from < end && !plot_has_place((double)values[from], 0)) from++;
  return from;
}

// The least and the greatest number with a place, how many have none, whether
// the finite elements are out of ascending order, or of descending order, and
// how many have no place because they are not above zero.
__global__ void plot_extent(const REAL *values, long long count, int is_log, unsigned long long *answer) {
  const long long share = (count + gridDim.x - 1) / gridDim.x;
  const long long begin = blockIdx.x * share;
  const long long end = begin + share < count ? begin + share : count;
  Key without = 0, nonpositive = 0;
  double least = 1.0 / 0.0, greatest = -1.0 / 0.0;
  bool has_descent = false, has_ascent = false;
  for (long long i = begin + threadIdx.x; i < end; i += blockDim.x) {
    const double value = (double)values[i];
    const bool is_finite = plot_has_place(value, 0);
    if (plot_has_place(value, is_log)) {
      least = value < least ? value : least;
      greatest = value > greatest ? value : greatest;
    } else {
      without++;
      if (is_finite) nonpositive++;
    }
    // What is not finite has no order: finite neighbours are compared, across
    // the elements between them.
    if (!is_finite && i > 0) continue;
    long long next = is_finite ? i + 1 : i;
    if (next < count && !plot_has_place((double)values[next], 0)) next = plot_finite(values, count, next);
    if (next >= count) continue;
    const double following = (double)values[next];
    if (!plot_has_place(following, 0)) has_descent = has_ascent = true;
    if (is_finite && value > following) has_descent = true;
    if (is_finite && value < following) has_ascent = true;
  }
  if (least <= greatest) {
    atomicMin(answer, plot_key(least));
    atomicMax(answer + 1, plot_key(greatest));
  }
  if (without) atomicAdd(answer + 2, without);
  if (has_descent) atomicMax(answer + 3, 1ULL);
  if (has_ascent) atomicMax(answer + 4, 1ULL);
  if (nonpositive) atomicAdd(answer + 5, nonpositive);
}
// PART columns
// Of each column of pixels, whose elements are those between two edges: the
// least and the greatest number with a place, the first and the last element
// that has one, and the first and the last that has none.
__global__ void plot_columns(const PLACE *places, const REAL *values, int has_places, const long long *edges,
                             int is_log, int columns, unsigned long long *answer) {
  const int column = blockIdx.x;
  const long long from = edges[column], to = edges[column + 1];
  const long long share = (to - from + gridDim.y - 1) / gridDim.y;
  const long long begin = from + blockIdx.y * share;
  const long long end = begin + share < to ? begin + share : to;
  double least = 1.0 / 0.0, greatest = -1.0 / 0.0;
  long long first = -1, last = -1, first_gap = -1, last_gap = -1;
  for (long long i = begin + threadIdx.x; i < end; i += blockDim.x) {
    const double value = (double)values[i];
    if (plot_has_place(value, is_log) && (!has_places || plot_has_place((double)places[i], 0))) {
      least = value < least ? value : least;
      greatest = value > greatest ? value : greatest;
      if (first < 0) first = i;
      last = i;
    } else {
      if (first_gap < 0) first_gap = i;
      last_gap = i;
    }
  }
  answer += column;
  if (first >= 0) {
    atomicMin(answer, plot_key(least));
    atomicMax(answer + columns, plot_key(greatest));
    atomicMin(answer + 2 * columns, (Key)first);
    atomicMax(answer + 3 * columns, (Key)last);
  }
  if (first_gap >= 0) {
    atomicMin(answer + 4 * columns, (Key)first_gap);
    atomicMax(answer + 5 * columns, (Key)last_gap);
  }
}
// PART edges
// For each edge between columns the first element that lies beyond it, in
// ascending order, or in descending order where places fall: a binary search.
__global__ void plot_edges(const REAL *places, long long count, double from, double to, double bend, int falls,
                           int columns, long long *edges) {
  const int edge = blockIdx.x * blockDim.x + threadIdx.x;
  if (edge > columns) return;
  const double at = plot_inverse(from + (to - from) * ((double)edge / columns), bend);
  long long low = 0, high = count;
  while (low < high) {
    const long long middle = low + (high - low) / 2;
    // What is not finite has no order: it goes with the nearest before it.
    long long near = middle;
    while (near > low && !plot_has_place((double)places[near], 0)) near--;
    const double place = (double)places[near];
    // What lies on the last edge belongs to the last column.
    const bool is_before = !plot_has_place(place, 0) || (edge == columns && place == at) ||
                           (falls ? place > at : place < at);
    if (is_before) low = middle + 1; else high = near;
  }
  edges[edge] = low;
}
// PART picked
// Some elements.
__global__ void plot_picked(const REAL *values, const long long *indices, long long count, double *picked) {
  const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) picked[i] = (double)values[indices[i]];
}
// PART histogram
// How many numbers lie in each bin between two edges; the last bin has both
// its ends.
__global__ void plot_histogram(const REAL *values, long long count, const double *edges, int bins,
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
  const double from = edges[0], to = edges[bins], each = bins / (to - from);
  for (long long i = begin + threadIdx.x; i < end; i += blockDim.x) {
    const double value = (double)values[i];
    if (!(value >= from && value <= to)) continue;
    int bin = (int)((value - from) * each);
    if (bin >= bins) bin = bins - 1;
    // Edges are rounded, and so is the quotient: the edges decide.
    while (bin > 0 && value < edges[bin]) bin--;
    while (bin + 1 < bins && value >= edges[bin + 1]) bin++;
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
                             double left, double right, double bend_x, double bottom, double top, double bend_y,
                             int width, int height, unsigned int *counts) {
  const long long share = (count + gridDim.x - 1) / gridDim.x;
  const long long begin = blockIdx.x * share;
  const long long end = begin + share < count ? begin + share : count;
  for (long long i = begin + threadIdx.x; i < end; i += blockDim.x) {
    const double x = is_counted ? (double)i : (double)places[i], y = (double)values[i];
    const long long cell =
        plot_cell(x, y, left, right, bend_x, bottom, top, bend_y, width, height);
    if (cell >= 0) atomicAdd(counts + cell, 1u);
  }
}
// PART members
// The first point in each cell of such a grid, where it is before the one that
// stands there.
__global__ void plot_members(const PLACE *places, const REAL *values, long long count, int is_counted,
                             double left, double right, double bend_x, double bottom, double top, double bend_y,
                             int width, int height, unsigned long long *members) {
  const long long share = (count + gridDim.x - 1) / gridDim.x;
  const long long begin = blockIdx.x * share;
  const long long end = begin + share < count ? begin + share : count;
  for (long long i = begin + threadIdx.x; i < end; i += blockDim.x) {
    const double x = is_counted ? (double)i : (double)places[i], y = (double)values[i];
    const long long cell =
        plot_cell(x, y, left, right, bend_x, bottom, top, bend_y, width, height);
    if (cell >= 0 && (Key)i < members[cell]) atomicMin(members + cell, (Key)i);
  }
}
// PART means
// The sum of a value of each point in each cell of such a grid, and of how many.
__global__ void plot_means(const PLACE *places, const REAL *values, long long count, int is_counted,
                           double left, double right, double bend_x, double bottom, double top, double bend_y,
                           int width, int height, const double *colors, double *sums, unsigned int *counts) {
  const long long share = (count + gridDim.x - 1) / gridDim.x;
  const long long begin = blockIdx.x * share;
  const long long end = begin + share < count ? begin + share : count;
  for (long long i = begin + threadIdx.x; i < end; i += blockDim.x) {
    const double x = is_counted ? (double)i : (double)places[i], y = (double)values[i], color = colors[i];
    const long long cell = plot_cell(x, y, left, right, bend_x, bottom, top, bend_y, width, height);
    if (cell < 0 || color - color != 0.0) continue;
    atomicAdd(sums + cell, color);
    atomicAdd(counts + cell, 1u);
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
// PART plane
// The bin between two edges that a number lies in, or -1.
__device__ int plot_bin(double value, const double *edges, int bins) {
  if (!(value >= edges[0] && value <= edges[bins])) return -1;
  int bin = (int)((value - edges[0]) * (bins / (edges[bins] - edges[0])));
  bin = bin < bins ? bin : bins - 1;
  // Edges are rounded, and so is the quotient: the edges decide.
  while (bin > 0 && value < edges[bin]) bin--;
  while (bin + 1 < bins && value >= edges[bin + 1]) bin++;
  return bin;
}

// How many points lie between edges across and up, the lowest row first.
__global__ void plot_plane(const PLACE *places, const REAL *values, long long count, const double *across,
                           int columns, const double *up, int rows, unsigned int *counts) {
  const long long share = (count + gridDim.x - 1) / gridDim.x;
  const long long begin = blockIdx.x * share;
  const long long end = begin + share < count ? begin + share : count;
  for (long long i = begin + threadIdx.x; i < end; i += blockDim.x) {
    const int column = plot_bin((double)places[i], across, columns);
    const int row = plot_bin((double)values[i], up, rows);
    if (column >= 0 && row >= 0) atomicAdd(counts + (long long)row * columns + column, 1u);
  }
}
// PART hexagons
// How many points lie in each hexagon, whose middles are two lattices: a point
// belongs to the nearer one of the nearest of each.
__global__ void plot_hexagons(const PLACE *places, const REAL *values, long long count, double left,
                              double bottom, double across, double up, int columns, int rows,
                              unsigned int *counts) {
  const long long share = (count + gridDim.x - 1) / gridDim.x;
  const long long begin = blockIdx.x * share;
  const long long end = begin + share < count ? begin + share : count;
  const long long first = (long long)(columns + 1) * (rows + 1);
  for (long long i = begin + threadIdx.x; i < end; i += blockDim.x) {
    const double x = ((double)places[i] - left) / across, y = ((double)values[i] - bottom) / up;
    if (!(x >= 0.0 && x <= columns && y >= 0.0 && y <= rows)) continue;
    const int near_x = (int)(x + 0.5), near_y = (int)(y + 0.5);
    int low_x = (int)x, low_y = (int)y;
    low_x = low_x < columns ? low_x : columns - 1;
    low_y = low_y < rows ? low_y : rows - 1;
    const double dx = x - near_x, dy = y - near_y, ex = x - low_x - 0.5, ey = y - low_y - 0.5;
    const bool is_first = dx * dx + 3.0 * (dy * dy) < ex * ex + 3.0 * (ey * ey);
    const long long cell = is_first ? (long long)near_y * (columns + 1) + near_x
                                    : first + (long long)low_y * columns + low_x;
    atomicAdd(counts + cell, 1u);
  }
}
