//! Bins: where numbers lie between others, how many elements each bin has, and
//! values between known ones.

/// The threads of a block.
pub const BINS_BLOCK: usize = 256;

/// Bins that a block counts by itself before it adds them to the others'.
pub const SHARED_BINS: usize = 2048;

/// CUDA C for three kernels.
///
/// `gpurepl_locate` takes the address of numbers and their count, that of edges
/// in ascending order and theirs, what is looked for, and the address of the
/// results: the number of edges at most as large as each number (0), of those
/// less than it (1), or its bin (2), whose lower edge is part of it, and of the
/// last one both; a bin that is not there is less than zero or as large as the
/// number of bins. NaN is larger than all.
///
/// `gpurepl_tally` takes the address of bins, that of weights or zero, that of
/// the results, the count of bins and that of results, to which it adds; what
/// has no result is left out. The results are integers, or with weights floats.
///
/// `gpurepl_interpolate` takes the address of numbers, their count, that of
/// places in ascending order, that of the values there, their count, and the
/// values before the first and after the last, and the address of the results.
pub fn to_cuda() -> String {
    let shared = SHARED_BINS;
    format!(
        r#"
static __device__ __forceinline__ unsigned long long gpurepl_before(const double *edges, unsigned long long count, double x, bool is_strict) {{
  unsigned long long low = 0, high = count;
  while (low < high) {{
    const unsigned long long middle = low + (high - low) / 2;
    const double edge = edges[middle];
    if (is_strict ? edge < x || (x != x && edge == edge) : edge <= x || x != x) low = middle + 1;
    else high = middle;
  }}
  return low;
}}
extern "C" __global__ void __launch_bounds__({BINS_BLOCK}) gpurepl_locate(const double *numbers, unsigned long long count, const double *edges, unsigned long long edge_count, unsigned long long what, long long *out)
{{
  for (unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += (unsigned long long)gridDim.x * blockDim.x) {{
    const double x = numbers[i];
    long long found = (long long)gpurepl_before(edges, edge_count, x, what == 1);
    if (what == 2) {{
      found--;
      if (found + 1 == (long long)edge_count && found > 0 && x == edges[edge_count - 1]) found--;
    }}
    out[i] = found;
  }}
}}
template <class T> static __device__ __forceinline__ void gpurepl_add_up(const long long *bins, const double *weights, T *out, unsigned long long count, unsigned long long results) {{
  __shared__ T shared_bins[{shared}];
  const bool is_shared = results <= {shared};
  if (is_shared) {{
    for (unsigned long long k = threadIdx.x; k < results; k += blockDim.x) shared_bins[k] = 0;
    __syncthreads();
  }}
  T *to = is_shared ? shared_bins : out;
  for (unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += (unsigned long long)gridDim.x * blockDim.x) {{
    const long long bin = bins[i];
    if (bin >= 0 && (unsigned long long)bin < results) atomicAdd(to + bin, weights ? (T)weights[i] : (T)1);
  }}
  if (is_shared) {{
    __syncthreads();
    for (unsigned long long k = threadIdx.x; k < results; k += blockDim.x)
      if (shared_bins[k] != 0) atomicAdd(out + k, shared_bins[k]);
  }}
}}
extern "C" __global__ void __launch_bounds__({BINS_BLOCK}) gpurepl_tally(const long long *bins, const double *weights, void *out, unsigned long long count, unsigned long long results)
{{
  if (weights) gpurepl_add_up<double>(bins, weights, (double *)out, count, results);
  else gpurepl_add_up<unsigned long long>(bins, weights, (unsigned long long *)out, count, results);
}}
extern "C" __global__ void __launch_bounds__({BINS_BLOCK}) gpurepl_interpolate(const double *numbers, unsigned long long count, const double *places, const double *values, unsigned long long known, double left, double right, double *out)
{{
  for (unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += (unsigned long long)gridDim.x * blockDim.x) {{
    const double x = numbers[i];
    const unsigned long long after = gpurepl_before(places, known, x, false);
    double y;
    if (x != x) y = x;
    else if (after == 0) y = left;
    else if (x == places[after - 1]) y = values[after - 1];
    else if (after == known) y = right;
    else {{
      const double x0 = places[after - 1], x1 = places[after], y0 = values[after - 1], y1 = values[after];
      const double slope = (y1 - y0) / (x1 - x0);
      y = slope * (x - x0) + y0;
      if (y != y) {{
        y = slope * (x - x1) + y1;
        if (y != y && y0 == y1) y = y0;
      }}
    }}
    out[i] = y;
  }}
}}
"#
    )
}
