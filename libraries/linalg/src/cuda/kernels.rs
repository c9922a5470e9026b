//! Small kernels of our own around the libraries' routines. Matrices lie column by column.

use gpurepl_extend::{DType, Extent, Generated, GeneratedLaunch, Gpu, Result, ScalarBytes};

const BLOCK: usize = 256;
const MOST_BLOCKS: usize = 1 << 20;

/// Which elements are kept, all others becoming zero.
#[derive(Clone, Copy)]
pub(super) enum Keep {
    All = 0,
    /// Those of the upper triangle and the diagonal.
    Upper = 1,
    /// Those of the lower triangle and the diagonal.
    Lower = 2,
}

/// Launches a kernel with a thread for each of `size` elements, or some fewer threads.
///
/// # Safety
///
/// The numbers are those of the kernel, in its order, and the arrays behind their addresses, which the operation has
/// among its arguments, have the elements that it reads and writes.
unsafe fn launch(
    gpu: &dyn Gpu,
    text: String,
    entry: &'static str,
    size: usize,
    numbers: &[u64],
) -> Result<()> {
    if size == 0 {
        return Ok(());
    }
    let text = Generated::Library { name: "linear algebra", text: text.into() };
    let arguments: Vec<ScalarBytes> = numbers.iter().copied().map(ScalarBytes::address).collect();
    let grid = (size.div_ceil(BLOCK).min(MOST_BLOCKS), 1);
    let launch = GeneratedLaunch { text: &text, entry, grid, block: BLOCK, arguments: &arguments };
    // SAFETY: the caller's promise.
    unsafe { gpu.launch(&launch) }
}

/// Writes the addresses of matrices with so many elements each into an array of numbers of 64 bits.
pub(super) fn pointers(gpu: &dyn Gpu, to: &Extent, matrices: &Extent, elements: usize) -> Result<()> {
    let count: usize = to.shape.iter().product();
    let step = (elements * matrices.dtype.size()) as u64;
    let numbers = [to.address, matrices.address, step, count as u64];
    // SAFETY: the kernel writes as many numbers of 64 bits as the array has.
    unsafe { launch(gpu, COMMON.to_owned(), "gpurepl_linalg_pointers", count, &numbers) }
}

/// Copies pivots, counted from 1, to an array of as many, counted from `first`, which may be the same. One that no row
/// has, as matrices with NaN may leave it, becomes the nearest row: the next routine would read elsewhere.
pub(super) fn pivots(gpu: &dyn Gpu, from: &Extent, to: &Extent, rows: usize, first: u64) -> Result<()> {
    let size: usize = to.shape.iter().product();
    let is_narrow = |array: &Extent| u64::from(array.dtype == DType::Int32);
    let numbers = [from.address, to.address, size as u64, rows as u64, is_narrow(from), is_narrow(to), first];
    // SAFETY: both arrays have as many pivots, of 32 or 64 bits as the kernel is told.
    unsafe { launch(gpu, COMMON.to_owned(), "gpurepl_linalg_pivots", size, &numbers) }
}

/// Copies the first rows and columns of matrices to others of so many, which may be the same memory if the lengths are
/// the same.
pub(super) fn part(
    gpu: &dyn Gpu,
    [from, from_rows, from_columns]: [u64; 3],
    to: &Extent,
    [to_rows, to_columns]: [usize; 2],
    keep: Keep,
) -> Result<()> {
    let size: usize = to.shape.iter().product();
    let [rows, columns] = [to_rows as u64, to_columns as u64];
    let numbers = [from, to.address, size as u64, rows, columns, from_rows, from_columns, keep as u64];
    // SAFETY: `to` has `size` elements; of `from`, which has as many matrices, the kernel reads what lies within the
    // lengths of its matrices. Each thread reads an element before it writes the one at the same place.
    unsafe { launch(gpu, text(to.dtype), "gpurepl_linalg_part", size, &numbers) }
}

/// Makes unit matrices.
pub(super) fn identity(gpu: &dyn Gpu, to: &Extent, order: usize) -> Result<()> {
    let size: usize = to.shape.iter().product();
    // SAFETY: the kernel writes as many elements as the array has.
    unsafe {
        launch(gpu, text(to.dtype), "gpurepl_linalg_identity", size, &[to.address, size as u64, order as u64])
    }
}

/// Writes the conjugate transpose of one matrix of so many rows and columns to an address.
///
/// # Safety
///
/// Both addresses are of so many elements of the type, of arrays that the operation has among its arguments.
pub(super) unsafe fn adjoint(
    gpu: &dyn Gpu,
    dtype: DType,
    from: u64,
    to: u64,
    [rows, columns]: [usize; 2],
) -> Result<()> {
    let numbers = [from, to, (rows * columns) as u64, rows as u64, columns as u64];
    // SAFETY: the caller's promise.
    unsafe { launch(gpu, text(dtype), "gpurepl_linalg_adjoint", rows * columns, &numbers) }
}

/// Multiplies reflectors into the first `columns` columns of unitary matrices, as `orgqr` does.
pub(super) fn form_q(
    gpu: &dyn Gpu,
    reflectors: &Extent,
    tau: &Extent,
    q: &Extent,
    [count, rows, reflector_columns, columns]: [usize; 4],
) -> Result<()> {
    let numbers = [reflectors.address, tau.address, q.address];
    let lengths = [count, rows, reflector_columns, rows.min(reflector_columns), columns];
    let numbers: Vec<u64> = numbers.into_iter().chain(lengths.map(|length| length as u64)).collect();
    // SAFETY: the reflectors are `count` matrices of `rows` and `reflector_columns`, `tau` has a number for each
    // reflector, and `q` is as many matrices of `rows` and `columns`.
    unsafe { launch(gpu, text(q.dtype), "gpurepl_linalg_form_q", count * columns, &numbers) }
}

/// Writes the complex eigenvectors of real matrices, which come as LAPACK packs them: of a conjugate pair, the first
/// column has the real and the second the imaginary parts.
pub(super) fn unpack(
    gpu: &dyn Gpu,
    values: &Extent,
    packed: &Extent,
    to: &Extent,
    order: usize,
) -> Result<()> {
    let size: usize = to.shape.iter().product();
    let numbers = [values.address, packed.address, to.address, size as u64, order as u64];
    // SAFETY: `packed` and `to` have `size` elements, and there is an eigenvalue for each of their columns.
    unsafe { launch(gpu, text(packed.dtype), "gpurepl_linalg_unpack", size, &numbers) }
}

/// The kernels for a type of numbers.
fn text(dtype: DType) -> String {
    let (number, real, common) = match dtype {
        DType::Float32 => ("float", "float", REAL),
        DType::Float64 => ("double", "double", REAL),
        DType::Complex64 => ("float2", "float", COMPLEX),
        _ => ("double2", "double", COMPLEX),
    };
    [common, KERNELS].concat().replace("NUMBER", number).replace("SCALAR", real)
}

/// Without numbers of a type.
const COMMON: &str = r#"
typedef unsigned long long gpurepl_u64;
extern "C" __global__ void gpurepl_linalg_pointers(gpurepl_u64 *to, gpurepl_u64 first, gpurepl_u64 step, gpurepl_u64 size)
{
  for (gpurepl_u64 e = blockIdx.x * (gpurepl_u64)blockDim.x + threadIdx.x; e < size; e += gridDim.x * (gpurepl_u64)blockDim.x)
    to[e] = first + e * step;
}
extern "C" __global__ void gpurepl_linalg_pivots(const void *from, void *to, gpurepl_u64 size, gpurepl_u64 rows, gpurepl_u64 from_narrow, gpurepl_u64 to_narrow, gpurepl_u64 first)
{
  for (gpurepl_u64 e = blockIdx.x * (gpurepl_u64)blockDim.x + threadIdx.x; e < size; e += gridDim.x * (gpurepl_u64)blockDim.x) {
    long long pivot = from_narrow ? ((const int *)from)[e] : ((const long long *)from)[e];
    pivot = pivot < 1 ? 1 : pivot > (long long)rows ? (long long)rows : pivot;
    pivot += (long long)first - 1;
    if (to_narrow) ((int *)to)[e] = (int)pivot;
    else ((long long *)to)[e] = pivot;
  }
}
"#;

const REAL: &str = r#"
typedef NUMBER gpurepl_number;
static __device__ gpurepl_number gpurepl_of(SCALAR x) { return x; }
static __device__ gpurepl_number gpurepl_conjugate(gpurepl_number x) { return x; }
static __device__ gpurepl_number gpurepl_times(gpurepl_number x, gpurepl_number y) { return x * y; }
static __device__ gpurepl_number gpurepl_plus(gpurepl_number x, gpurepl_number y) { return x + y; }
static __device__ gpurepl_number gpurepl_minus(gpurepl_number x, gpurepl_number y) { return x - y; }
extern "C" __global__ void gpurepl_linalg_unpack(const SCALAR *values, const SCALAR *packed, SCALAR *to, unsigned long long size, unsigned long long n)
{
  for (unsigned long long e = blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x; e < size; e += gridDim.x * (unsigned long long)blockDim.x) {
    const unsigned long long column = e / n, j = column % n;
    const SCALAR imaginary = values[2 * column + 1];
    SCALAR x = packed[e], y = 0;
    if (imaginary > 0 && j + 1 < n) y = packed[e + n];
    if (imaginary < 0 && j > 0) { x = packed[e - n]; y = -packed[e]; }
    to[2 * e] = x;
    to[2 * e + 1] = y;
  }
}
"#;

const COMPLEX: &str = r#"
typedef NUMBER gpurepl_number;
static __device__ gpurepl_number gpurepl_of(SCALAR x) { gpurepl_number z; z.x = x; z.y = 0; return z; }
static __device__ gpurepl_number gpurepl_conjugate(gpurepl_number x) { x.y = -x.y; return x; }
static __device__ gpurepl_number gpurepl_times(gpurepl_number x, gpurepl_number y)
{
  gpurepl_number z;
  z.x = x.x * y.x - x.y * y.y;
  z.y = x.x * y.y + x.y * y.x;
  return z;
}
static __device__ gpurepl_number gpurepl_plus(gpurepl_number x, gpurepl_number y) { x.x += y.x; x.y += y.y; return x; }
static __device__ gpurepl_number gpurepl_minus(gpurepl_number x, gpurepl_number y) { x.x -= y.x; x.y -= y.y; return x; }
"#;

/// Reflector `i` is `I - tau[i] * v * conj(v)'`, where `v` has zeros above element `i`, which is 1, and the rest of it
/// lies below the diagonal. A column of the product is a unit vector that all of them have been applied to, from the
/// last to the first, and those behind the column leave it as it is.
const KERNELS: &str = r#"
typedef unsigned long long gpurepl_u64;
extern "C" __global__ void gpurepl_linalg_part(const gpurepl_number *from, gpurepl_number *to, gpurepl_u64 size, gpurepl_u64 rows, gpurepl_u64 columns, gpurepl_u64 from_rows, gpurepl_u64 from_columns, gpurepl_u64 keep)
{
  for (gpurepl_u64 e = blockIdx.x * (gpurepl_u64)blockDim.x + threadIdx.x; e < size; e += gridDim.x * (gpurepl_u64)blockDim.x) {
    const gpurepl_u64 i = e % rows, j = e / rows % columns, matrix = e / rows / columns;
    const bool is_kept = keep == 0 || (keep == 1 ? i <= j : i >= j);
    const bool is_there = i < from_rows && j < from_columns;
    to[e] = is_kept && is_there ? from[(matrix * from_columns + j) * from_rows + i] : gpurepl_of(0);
  }
}
extern "C" __global__ void gpurepl_linalg_identity(gpurepl_number *to, gpurepl_u64 size, gpurepl_u64 n)
{
  for (gpurepl_u64 e = blockIdx.x * (gpurepl_u64)blockDim.x + threadIdx.x; e < size; e += gridDim.x * (gpurepl_u64)blockDim.x)
    to[e] = gpurepl_of(e % n == e / n % n ? 1 : 0);
}
extern "C" __global__ void gpurepl_linalg_adjoint(const gpurepl_number *from, gpurepl_number *to, gpurepl_u64 size, gpurepl_u64 rows, gpurepl_u64 columns)
{
  for (gpurepl_u64 e = blockIdx.x * (gpurepl_u64)blockDim.x + threadIdx.x; e < size; e += gridDim.x * (gpurepl_u64)blockDim.x)
    to[e] = gpurepl_conjugate(from[e / columns + e % columns * rows]);
}
extern "C" __global__ void gpurepl_linalg_form_q(const gpurepl_number *reflectors, const gpurepl_number *tau, gpurepl_number *q, gpurepl_u64 count, gpurepl_u64 m, gpurepl_u64 n, gpurepl_u64 k, gpurepl_u64 columns)
{
  const gpurepl_u64 size = count * columns;
  for (gpurepl_u64 e = blockIdx.x * (gpurepl_u64)blockDim.x + threadIdx.x; e < size; e += gridDim.x * (gpurepl_u64)blockDim.x) {
    const gpurepl_u64 column = e % columns, matrix = e / columns;
    gpurepl_number *to = q + e * m;
    for (gpurepl_u64 r = 0; r < m; r++) to[r] = gpurepl_of(r == column ? 1 : 0);
    for (gpurepl_u64 left = column < k ? column + 1 : k; left > 0; left--) {
      const gpurepl_u64 i = left - 1;
      const gpurepl_number *v = reflectors + (matrix * n + i) * m;
      gpurepl_number sum = to[i];
      for (gpurepl_u64 r = left; r < m; r++) sum = gpurepl_plus(sum, gpurepl_times(gpurepl_conjugate(v[r]), to[r]));
      sum = gpurepl_times(tau[matrix * k + i], sum);
      to[i] = gpurepl_minus(to[i], sum);
      for (gpurepl_u64 r = left; r < m; r++) to[r] = gpurepl_minus(to[r], gpurepl_times(v[r], sum));
    }
  }
}
"#;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_has_the_type_everywhere() {
        for dtype in [DType::Float32, DType::Float64, DType::Complex64, DType::Complex128] {
            let text = text(dtype);
            assert!(!text.contains("NUMBER") && !text.contains("SCALAR"));
            assert_eq!(
                text.contains("gpurepl_linalg_unpack"),
                matches!(dtype, DType::Float32 | DType::Float64)
            );
        }
    }
}
