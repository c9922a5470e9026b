//! The kernels of the GPU's halves, and how they are launched.

use std::sync::OnceLock;

use gpurepl_extend::{DType, Generated, GeneratedLaunch, Gpu, Result, ScalarBytes};

/// Threads of a block.
pub(crate) const BLOCK: usize = 256;

/// Threads of the one block that solves a triangle: as many as there may be.
pub(crate) const WIDE: usize = 1024;

/// Elements of a matrix that a block holds at once.
pub(crate) const TILE: usize = 1024;

/// The blocks of kernels that go over all elements of vectors: enough for any GPU, and few enough that the last block
/// adds what the others have found with a few steps of each thread.
pub(crate) const MOST_BLOCKS: usize = 1024;

/// The blocks for so many elements.
pub(crate) fn blocks(elements: usize) -> usize {
    elements.div_ceil(BLOCK).clamp(1, MOST_BLOCKS)
}

/// Launches a kernel of this file; all its arguments are addresses and whole numbers.
///
/// # Safety
///
/// The arguments are those of the kernel, in its order, and the arrays behind them have the elements that it reads
/// and writes.
pub(crate) unsafe fn launch(
    gpu: &dyn Gpu,
    dtype: DType,
    entry: &'static str,
    (blocks, block): (usize, usize),
    arguments: &[u64],
) -> Result<()> {
    let text = Generated::Library { name: "sparse", text: text(dtype).into() };
    let arguments: Vec<ScalarBytes> = arguments.iter().copied().map(ScalarBytes::address).collect();
    let launch = GeneratedLaunch { text: &text, entry, grid: (blocks, 1), block, arguments: &arguments };
    // SAFETY: the caller's promise.
    unsafe { gpu.launch(&launch) }
}

/// The kernels for a type, written once: it takes longer than a launch.
fn text(dtype: DType) -> &'static str {
    static TEXTS: [OnceLock<String>; 4] = [const { OnceLock::new() }; 4];
    let (place, number, arithmetic) = match dtype {
        DType::Float32 => (0, "float", REAL),
        DType::Complex64 => (1, "float2", COMPLEX),
        DType::Complex128 => (2, "double2", COMPLEX),
        _ => (3, "double", REAL),
    };
    TEXTS[place].get_or_init(|| written(number, arithmetic))
}

fn written(number: &str, arithmetic: &str) -> String {
    let real = number.trim_end_matches('2');
    let head = format!("typedef {number} number;\ntypedef {real} real;\n");
    [&head, arithmetic, COMMON, PRODUCTS, STEPS, BASES, TRIANGLES].concat()
}

const REAL: &str = r"
__device__ inline number zero() { return 0; }
__device__ inline number sum(number a, number b) { return a + b; }
__device__ inline number product(number a, number b) { return a * b; }
__device__ inline number quotient(number a, number b) { return a / b; }
__device__ inline number scaled(double by, number a) { return (real)by * a; }
__device__ inline number shuffled(number a, int lanes) { return __shfl_xor_sync(0xffffffffu, a, lanes); }
__device__ inline double inner(number a, number b) { return (double)a * (double)b; }
__device__ inline number conjugate_product(number a, number b) { return a * b; }
__device__ inline number fresh(const number *a) { return *(const volatile number *)a; }
";

const COMPLEX: &str = r"
__device__ inline number made(real x, real y) { number a; a.x = x; a.y = y; return a; }
__device__ inline number zero() { return made(0, 0); }
__device__ inline number sum(number a, number b) { return made(a.x + b.x, a.y + b.y); }
__device__ inline number product(number a, number b) { return made(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }
__device__ inline number quotient(number a, number b)
{
  // Smith's algorithm (1962): no overflow on the way.
  if (fabs(b.x) >= fabs(b.y)) {
    const real r = b.y / b.x, d = b.x + b.y * r;
    return made((a.x + a.y * r) / d, (a.y - a.x * r) / d);
  }
  const real r = b.x / b.y, d = b.x * r + b.y;
  return made((a.x * r + a.y) / d, (a.y * r - a.x) / d);
}
__device__ inline number scaled(double by, number a) { return made((real)by * a.x, (real)by * a.y); }
__device__ inline number shuffled(number a, int lanes)
{
  return made(__shfl_xor_sync(0xffffffffu, a.x, lanes), __shfl_xor_sync(0xffffffffu, a.y, lanes));
}
// The real part of conj(a) * b.
__device__ inline double inner(number a, number b) { return (double)a.x * (double)b.x + (double)a.y * (double)b.y; }
__device__ inline number conjugate_product(number a, number b)
{
  return made(a.x * b.x + a.y * b.y, a.x * b.y - a.y * b.x);
}
__device__ inline number fresh(const number *a)
{
  return made(((const volatile real *)a)[0], ((const volatile real *)a)[1]);
}
";

const COMMON: &str = r"
typedef unsigned long long u64;
typedef unsigned int u32;
#define BLOCK 256
#define TILE 1024
// Blocks that have all threads of a multiprocessor, by CUDA's table of compute capabilities.
#if __CUDA_ARCH__ == 750
#define RESIDENT 4
#elif __CUDA_ARCH__ == 860 || __CUDA_ARCH__ == 870 || __CUDA_ARCH__ == 890 || __CUDA_ARCH__ >= 1200
#define RESIDENT 6
#else
#define RESIDENT 8
#endif
#define FULL 0xffffffffu
";

/// Rows times vectors and matrices; without a factor `x` the elements of rows are added.
///
/// `gpurepl_sparse_tiles` is the stream of Greathouse and Daga (Efficient Sparse Matrix-Vector Multiplication on GPUs
/// Using the CSR Storage Format, 2014): a block reads the elements of as many rows as it has room for, side by side,
/// and adds them by rows afterwards, with as many threads for a row as there are. A block has little to do between its
/// reads, so what it will need is asked for at once: where its elements begin is in the plan, and the ends of the rows
/// that a thread adds first are read before the elements. The matrix is read once and is not to take the vector's place
/// in the cache. Tiles are small enough for all threads that a multiprocessor has: on an H200 the matrix of Poisson's
/// equation on 1000 x 1000 points takes 23.5 us in `f64`, and with tiles of 2048 elements, of which 6 blocks are at work
/// at once, 30.9.
const PRODUCTS: &str = r#"
__device__ inline number row_sum(number value, int lanes)
{
  for (int step = lanes / 2; step > 0; step /= 2) value = sum(value, shuffled(value, step));
  return value;
}
extern "C" __global__ void __launch_bounds__(BLOCK, sizeof(number) > 8 ? 4 : RESIDENT) gpurepl_sparse_tiles(const u32 *__restrict__ ends, const u32 *__restrict__ indices, const number *__restrict__ values, const number *__restrict__ x, number *__restrict__ y, const u32 *__restrict__ starts, const u32 *__restrict__ begins)
{
  __shared__ number products[TILE];
  const u32 first = starts[blockIdx.x], rows = starts[blockIdx.x + 1] - first;
  const u32 begin = begins[blockIdx.x], count = begins[blockIdx.x + 1] - begin;
  if (rows == 0) return;
  u32 lanes = 1;
  while (lanes < 32 && 2 * lanes * rows <= BLOCK) lanes *= 2;
  const u32 lane = threadIdx.x % lanes, own = threadIdx.x / lanes, together = BLOCK / lanes;
  u32 from[2], to[2];
  #pragma unroll
  for (int k = 0; k < 2; k++) {
    const u32 row = own + k * together;
    from[k] = row < rows ? ends[first + row] : 0;
    to[k] = row < rows ? ends[first + row + 1] : 0;
  }
  u32 column[TILE / BLOCK];
  number value[TILE / BLOCK];
  #pragma unroll
  for (int k = 0; k < TILE / BLOCK; k++) {
    const u32 place = threadIdx.x + k * BLOCK;
    if (place < count) { column[k] = __ldcs(indices + begin + place); value[k] = __ldcs(values + begin + place); }
  }
  #pragma unroll
  for (int k = 0; k < TILE / BLOCK; k++) {
    const u32 place = threadIdx.x + k * BLOCK;
    if (place < count) products[place] = x ? product(value[k], x[column[k]]) : value[k];
  }
  __syncthreads();
  for (u32 start = 0, k = 0; start < rows; start += together, k++) {
    const u32 row = start + own;
    number total = zero();
    if (row < rows) {
      u32 place, end;
      if (k == 0) { place = from[0]; end = to[0]; }
      else if (k == 1) { place = from[1]; end = to[1]; }
      else { place = ends[first + row]; end = ends[first + row + 1]; }
      end -= begin;
      for (place = place - begin + lane; place < end; place += lanes) total = sum(total, products[place]);
    }
    total = row_sum(total, lanes);
    if (row < rows && lane == 0) y[first + row] = total;
  }
}
extern "C" __global__ void __launch_bounds__(BLOCK) gpurepl_sparse_rows(const u32 *ends, const u32 *indices, const number *values, const number *x, number *y, u64 rows, u64 lanes, u64 longest)
{
  const u32 lane = threadIdx.x % (u32)lanes;
  const u64 together = gridDim.x * (u64)(BLOCK / (u32)lanes);
  for (u64 start = blockIdx.x * (u64)(BLOCK / (u32)lanes); start < rows; start += together) {
    const u64 row = start + threadIdx.x / (u32)lanes;
    u64 place = 0, end = 0;
    if (row < rows) { place = ends[row]; end = ends[row + 1]; }
    const bool is_mine = row < rows && end - place <= longest;
    number total = zero();
    if (is_mine)
      for (place += lane; place < end; place += lanes) total = sum(total, x ? product(values[place], x[indices[place]]) : values[place]);
    total = row_sum(total, (int)lanes);
    if (is_mine && lane == 0) y[row] = total;
  }
}
extern "C" __global__ void __launch_bounds__(BLOCK) gpurepl_sparse_long_rows(const u32 *ends, const u32 *indices, const number *values, const number *x, number *y, const u32 *rows)
{
  __shared__ number totals[BLOCK / 32];
  const u32 row = rows[blockIdx.x];
  number total = zero();
  for (u64 place = ends[row] + (u64)threadIdx.x; place < ends[row + 1]; place += BLOCK)
    total = sum(total, x ? product(values[place], x[indices[place]]) : values[place]);
  total = row_sum(total, 32);
  if (threadIdx.x % 32 == 0) totals[threadIdx.x / 32] = total;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int k = 1; k < BLOCK / 32; k++) total = sum(total, totals[k]);
    y[row] = total;
  }
}
extern "C" __global__ void gpurepl_sparse_matrix(const u32 *ends, const u32 *indices, const number *values, const number *x, number *y, u64 rows, u64 width)
{
  for (u64 e = blockIdx.x * (u64)BLOCK + threadIdx.x; e < rows * width; e += gridDim.x * (u64)BLOCK) {
    const u64 row = e / width, column = e % width;
    number total = zero();
    for (u64 place = ends[row]; place < ends[row + 1]; place++)
      total = sum(total, product(values[place], x[indices[place] * width + column]));
    y[e] = total;
  }
}
extern "C" __global__ void gpurepl_sparse_dense(const u32 *ends, const u32 *indices, const number *values, number *y, u64 rows, u64 columns)
{
  for (u64 row = blockIdx.x * (u64)BLOCK + threadIdx.x; row < rows; row += gridDim.x * (u64)BLOCK)
    for (u64 place = ends[row]; place < ends[row + 1]; place++) {
      number *to = y + row * columns + indices[place];
      *to = sum(*to, values[place]);
    }
}
extern "C" __global__ void gpurepl_sparse_diagonals(const number *data, const long long *offsets, const number *x, number *y, u64 rows, u64 columns, u64 length, u64 count)
{
  for (u64 row = blockIdx.x * (u64)BLOCK + threadIdx.x; row < rows; row += gridDim.x * (u64)BLOCK) {
    number total = zero();
    for (u64 k = 0; k < count; k++) {
      const long long column = (long long)row + offsets[k];
      if (column >= 0 && column < (long long)columns && column < (long long)length)
        total = sum(total, product(data[k * length + column], x[column]));
    }
    y[row] = total;
  }
}
"#;

/// The steps of conjugate gradients over vectors. Their numbers lie in `state`: see `conjugate.rs`.
///
/// Each block adds its elements; the last one to end adds the sums of all, in their order, so that a run is repeated
/// to the bit.
const STEPS: &str = r#"
#define RHO 0
#define ALPHA 1
#define BETA 2
#define STATUS 3
#define STEPS 4
#define LIMIT 5
#define MOST 6
#define KEPT 8
__device__ inline double block_sum(double value)
{
  __shared__ double totals[BLOCK / 32];
  for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(FULL, value, step);
  __syncthreads();
  if (threadIdx.x % 32 == 0) totals[threadIdx.x / 32] = value;
  __syncthreads();
  value = 0;
  for (int k = 0; k < BLOCK / 32; k++) value += totals[k];
  return value;
}
__device__ inline number block_total(number value)
{
  __shared__ number totals[BLOCK / 32];
  value = row_sum(value, 32);
  __syncthreads();
  if (threadIdx.x % 32 == 0) totals[threadIdx.x / 32] = value;
  __syncthreads();
  value = totals[0];
  for (int k = 1; k < BLOCK / 32; k++) value = sum(value, totals[k]);
  return value;
}
__device__ inline bool is_last_block(u32 *ticket)
{
  __shared__ bool is_last;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    is_last = atomicAdd(ticket, 1u) == gridDim.x - 1;
    if (is_last) *ticket = 0;
  }
  __syncthreads();
  __threadfence();
  return is_last;
}
__device__ inline double total_of(volatile double *partial)
{
  double value = 0;
  for (u32 k = threadIdx.x; k < gridDim.x; k += BLOCK) value += partial[k];
  return block_sum(value);
}
__device__ inline void next_direction(double *state, double rho)
{
  state[BETA] = rho / state[RHO];
  state[RHO] = rho;
}
// The inner product of two vectors: true in the block that knows it.
__device__ inline bool finds_inner(const number *a, const number *b, double *partial, u32 *ticket, u64 n, double *value)
{
  double part = 0;
  for (u64 e = blockIdx.x * (u64)BLOCK + threadIdx.x; e < n; e += gridDim.x * (u64)BLOCK) part += inner(a[e], b[e]);
  part = block_sum(part);
  if (threadIdx.x == 0) partial[blockIdx.x] = part;
  if (!is_last_block(ticket)) return false;
  *value = total_of(partial);
  return true;
}
__device__ inline void check_positive(double *state, double value)
{
  if (!(value > 0)) state[STATUS] = value == value ? 2 : 3;
}
// The step's length from the curvature along the direction.
extern "C" __global__ void __launch_bounds__(BLOCK) gpurepl_sparse_curvature(const number *p, const number *q, double *state, double *partial, u32 *ticket, u64 n)
{
  double value;
  if (state[STATUS] != 0 || !finds_inner(p, q, partial, ticket, n, &value)) return;
  if (threadIdx.x == 0) {
    state[ALPHA] = state[RHO] / value;
    check_positive(state, value);
  }
}
// The solution and the residual, its norm, and with a diagonal the next direction's factor.
extern "C" __global__ void __launch_bounds__(BLOCK) gpurepl_sparse_advance(number *x, const number *p, number *r, const number *q, const number *diagonal, double *state, double *partial, u32 *ticket, u64 n, u64 finds_direction, u64 ring)
{
  if (state[STATUS] != 0) return;
  const double alpha = state[ALPHA];
  double norm = 0, rho = 0;
  for (u64 e = blockIdx.x * (u64)BLOCK + threadIdx.x; e < n; e += gridDim.x * (u64)BLOCK) {
    x[e] = sum(x[e], scaled(alpha, p[e]));
    const number left = sum(r[e], scaled(-alpha, q[e]));
    r[e] = left;
    norm += inner(left, left);
    if (diagonal) rho += inner(left, product(diagonal[e], left));
  }
  norm = block_sum(norm);
  rho = block_sum(rho);
  if (threadIdx.x == 0) { partial[blockIdx.x] = norm; partial[gridDim.x + blockIdx.x] = rho; }
  if (!is_last_block(ticket)) return;
  norm = total_of(partial);
  rho = total_of(partial + gridDim.x);
  if (threadIdx.x == 0) {
    const u64 step = (u64)state[STEPS] + 1;
    state[STEPS] = (double)step;
    state[KEPT + step % ring] = sqrt(norm);
    if (!(norm == norm)) state[STATUS] = 3;
    else if (sqrt(norm) <= state[LIMIT]) state[STATUS] = 1;
    else if ((double)step >= state[MOST]) state[STATUS] = 4;
    if (finds_direction) next_direction(state, diagonal ? rho : norm);
  }
}
// The next direction's factor from the preconditioned residual.
extern "C" __global__ void __launch_bounds__(BLOCK) gpurepl_sparse_conditioned(const number *r, const number *z, double *state, double *partial, u32 *ticket, u64 n)
{
  double value;
  if (state[STATUS] != 0 || !finds_inner(r, z, partial, ticket, n, &value)) return;
  if (threadIdx.x == 0) {
    next_direction(state, value);
    check_positive(state, value);
  }
}
// The next direction: z + beta p, where z may be a diagonal times the residual.
extern "C" __global__ void __launch_bounds__(BLOCK) gpurepl_sparse_turn(number *p, const number *z, const number *diagonal, const double *state, u64 n)
{
  if (state[STATUS] != 0) return;
  const double beta = state[BETA];
  for (u64 e = blockIdx.x * (u64)BLOCK + threadIdx.x; e < n; e += gridDim.x * (u64)BLOCK) {
    const number with = diagonal ? product(diagonal[e], z[e]) : z[e];
    p[e] = sum(with, scaled(beta, p[e]));
  }
}
"#;

/// A vector and the rows of a matrix: its inner products with them, and sums of them. (A library's products of matrices
/// are slow where one side is a single long vector.)
const BASES: &str = r#"
extern "C" __global__ void __launch_bounds__(BLOCK) gpurepl_sparse_inners(const number *basis, const number *w, number *to, number *partial, u32 *ticket, u64 n, u64 rows)
{
  for (u64 first = 0; first < rows; first += 4) {
    number value[4] = {zero(), zero(), zero(), zero()};
    for (u64 e = blockIdx.x * (u64)BLOCK + threadIdx.x; e < n; e += gridDim.x * (u64)BLOCK) {
      const number x = w[e];
      for (int k = 0; k < 4; k++)
        if (first + k < rows) value[k] = sum(value[k], conjugate_product(basis[(first + k) * n + e], x));
    }
    for (int k = 0; k < 4; k++) {
      if (first + k >= rows) break;
      const number total = block_total(value[k]);
      if (threadIdx.x == 0) partial[(first + k) * gridDim.x + blockIdx.x] = total;
    }
  }
  if (!is_last_block(ticket)) return;
  for (u64 row = 0; row < rows; row++) {
    number value = zero();
    for (u32 k = threadIdx.x; k < gridDim.x; k += BLOCK) value = sum(value, fresh(partial + row * gridDim.x + k));
    value = block_total(value);
    if (threadIdx.x == 0) to[row] = value;
  }
}
extern "C" __global__ void gpurepl_sparse_combine(const number *basis, const number *factors, const number *from, number *to, u64 n, u64 rows, u64 is_less)
{
  for (u64 e = blockIdx.x * (u64)BLOCK + threadIdx.x; e < n; e += gridDim.x * (u64)BLOCK) {
    number value = zero();
    for (u64 row = 0; row < rows; row++) value = sum(value, product(factors[row], basis[row * n + e]));
    to[e] = sum(from[e], scaled(is_less ? -1.0 : 1.0, value));
  }
}
"#;

/// Triangular systems, by levels of rows that do not depend on each other: one block, which waits between levels.
const TRIANGLES: &str = r#"
extern "C" __global__ void __launch_bounds__(1024) gpurepl_sparse_triangle(const u32 *ends, const u32 *indices, const number *values, const number *diagonal, const u32 *order, const u32 *levels, const number *b, volatile real *x, u64 count)
{
  const int parts = sizeof(number) / sizeof(real);
  for (u64 level = 0; level < count; level++) {
    for (u32 k = levels[level] + threadIdx.x; k < levels[level + 1]; k += blockDim.x) {
      const u32 row = order[k];
      number total = zero();
      for (u32 place = ends[row]; place < ends[row + 1]; place++) {
        number known;
        for (int part = 0; part < parts; part++) ((real *)&known)[part] = x[(u64)indices[place] * parts + part];
        total = sum(total, product(values[place], known));
      }
      number left = sum(b[row], scaled(-1.0, total));
      if (diagonal) left = quotient(left, diagonal[row]);
      for (int part = 0; part < parts; part++) x[(u64)row * parts + part] = ((real *)&left)[part];
    }
    __threadfence_block();
    __syncthreads();
  }
}
"#;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_has_the_constants_of_the_launches() {
        assert!(
            COMMON.contains(&format!("#define BLOCK {BLOCK}\n"))
                && COMMON.contains(&format!("#define TILE {TILE}\n"))
        );
    }
}
