#include <mma.h>
using namespace nvcuda;
namespace sub = nvcuda::wmma::experimental;

template <class L> constexpr bool is_rows = false;
template <> constexpr bool is_rows<wmma::row_major> = true;

// a * b + c of small whole numbers, with rows that are further apart than they are long.
template <class T, class E, class C, class D, int m, int n, int k, class LA, class LB>
__device__ void product(const float *a, const float *b, const float *c, float *d, unsigned char *memory, wmma::layout_t layout) {
  constexpr bool rows_a = is_rows<LA>, rows_b = is_rows<LB>;
  const bool rows = layout == wmma::mem_row_major;
  const int gap = 16, lda = (rows_a ? k : m) + gap, ldb = (rows_b ? n : k) + gap, ldc = (rows ? n : m) + gap;
  E *ma = (E *)memory, *mb = (E *)(memory + 4096);
  C *mc = (C *)(memory + 8192);
  D *md = (D *)(memory + 12288);
  const int lane = threadIdx.x;
  for (int i = lane; i < m * k; i += 32) ma[rows_a ? i / k * lda + i % k : i % k * lda + i / k] = (E)a[i];
  for (int i = lane; i < k * n; i += 32) mb[rows_b ? i / n * ldb + i % n : i % n * ldb + i / n] = (E)b[i];
  for (int i = lane; i < m * n; i += 32) mc[rows ? i / n * ldc + i % n : i % n * ldc + i / n] = (C)c[i];
  __syncwarp();
  wmma::fragment<wmma::matrix_a, m, n, k, T, LA> fa;
  wmma::fragment<wmma::matrix_b, m, n, k, T, LB> fb;
  wmma::fragment<wmma::accumulator, m, n, k, C> fc;
  wmma::fragment<wmma::accumulator, m, n, k, D> fd;
  wmma::load_matrix_sync(fa, ma, lda);
  wmma::load_matrix_sync(fb, mb, ldb);
  wmma::load_matrix_sync(fc, mc, ldc, layout);
  wmma::mma_sync(fd, fa, fb, fc);
  // Twice: what others read of the first product must not be the second one's.
  for (int i = 0; i < fa.num_elements; i++) fa.x[i] = fa.x[i] + fa.x[i];
  wmma::mma_sync(fd, fa, fb, fd);
  for (int i = 0; i < fd.num_elements; i++) fd.x[i] = fd.x[i] - (D)1;
  wmma::store_matrix_sync(md, fd, ldc, layout);
  __syncwarp();
  for (int i = lane; i < m * n; i += 32) d[i] = (float)md[rows ? i / n * ldc + i % n : i % n * ldc + i / n];
}
#define PRODUCT(name, T, E, C, D, m, n, k, LA, LB, layout) \
  extern "C" __global__ void name(const float *a, const float *b, const float *c, float *d, unsigned char *memory) { \
    product<T, E, C, D, m, n, k, wmma::LA, wmma::LB>(a, b, c, d, memory, wmma::layout); \
  }
#define SHAPES(name, T, C, D) \
  PRODUCT(name##_16_16, T, T, C, D, 16, 16, 16, row_major, col_major, mem_row_major) \
  PRODUCT(name##_32_8, T, T, C, D, 32, 8, 16, col_major, row_major, mem_row_major) \
  PRODUCT(name##_8_32, T, T, C, D, 8, 32, 16, row_major, row_major, mem_col_major)
SHAPES(half_float, half, float, float)
SHAPES(half_half, half, half, half)
SHAPES(half_mixed, half, float, half)
SHAPES(half_widened, half, half, float)
SHAPES(bf16, __nv_bfloat16, float, float)
SHAPES(s8, signed char, int, int)
SHAPES(u8, unsigned char, int, int)
PRODUCT(half_columns_16_16, half, half, float, float, 16, 16, 16, col_major, col_major, mem_col_major)
PRODUCT(tf32_16_16, wmma::precision::tf32, float, float, float, 16, 16, 8, row_major, col_major, mem_row_major)
PRODUCT(tf32_columns_16_16, wmma::precision::tf32, float, float, float, 16, 16, 8, col_major, row_major, mem_col_major)
PRODUCT(double_8_8, double, double, double, double, 8, 8, 4, row_major, col_major, mem_row_major)
PRODUCT(double_columns_8_8, double, double, double, double, 8, 8, 4, col_major, row_major, mem_col_major)

// Sums at the ends of the range of `int`, of numbers that all are `value`.
extern "C" __global__ void held(int *out, int start, int value) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, wmma::col_major> b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, int> c, d;
  wmma::fill_fragment(a, (signed char)value);
  wmma::fill_fragment(b, (signed char)100);
  wmma::fill_fragment(c, start);
  wmma::mma_sync(d, a, b, c, true);
  wmma::store_matrix_sync(out, d, 16, wmma::mem_row_major);
}

// Four bits and one: rows of `a` and columns of `b` in words.
template <class T> __device__ void nibbles(const unsigned int *a, const unsigned int *b, int *out) {
  wmma::fragment<wmma::matrix_a, 8, 8, 32, T, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 8, 8, 32, T, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 8, 8, 32, int> fc;
  static_assert(fa.num_elements == 8 * fa.num_storage_elements, "eight in a word");
  wmma::load_matrix_sync(fa, a, 32);
  wmma::load_matrix_sync(fb, b, 32);
  wmma::fill_fragment(fc, 5);
  wmma::mma_sync(fc, fa, fb, fc);
  wmma::store_matrix_sync(out, fc, 8, wmma::mem_row_major);
  wmma::fill_fragment(fa, 3);
  wmma::mma_sync(fc, fa, fb, fc, true);
  wmma::store_matrix_sync(out + 64, fc, 8, wmma::mem_row_major);
}
extern "C" __global__ void u4(const unsigned int *a, const unsigned int *b, int *out) { nibbles<sub::precision::u4>(a, b, out); }
extern "C" __global__ void s4(const unsigned int *a, const unsigned int *b, int *out) { nibbles<sub::precision::s4>(a, b, out); }
extern "C" __global__ void b1(const unsigned int *a, const unsigned int *b, int *out) {
  wmma::fragment<wmma::matrix_a, 8, 8, 128, sub::precision::b1, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 8, 8, 128, sub::precision::b1, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 8, 8, 128, int> fc;
  static_assert(fa.num_elements == 32 * fa.num_storage_elements, "32 in a word");
  wmma::load_matrix_sync(fa, a, 128);
  wmma::load_matrix_sync(fb, b, 128);
  wmma::fill_fragment(fc, 7);
  wmma::bmma_sync(fc, fa, fb, fc);
  wmma::store_matrix_sync(out, fc, 8, wmma::mem_row_major);
  wmma::bmma_sync(fc, fa, fb, fc, sub::bmmaBitOpAND, sub::bmmaAccumulateOpPOPC);
  wmma::store_matrix_sync(out + 64, fc, 8, wmma::mem_col_major);
}

extern "C" __global__ void tf32_of(const float *x, unsigned int *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = __float_as_uint(wmma::__float_to_tf32(x[i]));
}

// How many elements the fragments have, and where those of a sum lie.
template <class F> __device__ void count(int *&out) { *out++ = F::num_elements; }
extern "C" __global__ void counts(int *out) {
  using namespace wmma;
  if (threadIdx.x) return;
  count<fragment<matrix_a, 16, 16, 16, half, row_major>>(out);
  count<fragment<matrix_b, 32, 8, 16, half, col_major>>(out);
  count<fragment<accumulator, 16, 16, 16, half>>(out);
  count<fragment<matrix_a, 16, 16, 16, __nv_bfloat16, row_major>>(out);
  count<fragment<matrix_a, 32, 8, 16, __nv_bfloat16, row_major>>(out);
  count<fragment<matrix_b, 32, 8, 16, signed char, row_major>>(out);
  count<fragment<matrix_a, 16, 16, 8, precision::tf32, row_major>>(out);
  count<fragment<matrix_a, 8, 8, 4, double, row_major>>(out);
  count<fragment<accumulator, 8, 8, 4, double>>(out);
  count<fragment<matrix_a, 8, 8, 32, experimental::precision::u4, row_major>>(out);
  count<fragment<matrix_b, 8, 8, 128, experimental::precision::b1, col_major>>(out);
}
extern "C" __global__ void places(const float *numbers, float *out) {
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
  wmma::load_matrix_sync(c, numbers, 16, wmma::mem_row_major);
  for (int i = 0; i < c.num_elements; i++) out[threadIdx.x * c.num_elements + i] = c.x[i];
}

// Larger products: each warp a tile of 16 x 16, as many steps as `k` has tiles;
// all matrices by columns; then scaled and added.
extern "C" __global__ void by_columns(const float *a, const float *b, float *c, half *ha, half *hb, int m, int n, int k, float alpha, float beta) {
  const int thread = threadIdx.y * blockDim.x + threadIdx.x, all = blockDim.x * blockDim.y;
  for (int i = thread; i < m * k; i += all) ha[i] = __float2half(a[i]);
  for (int i = thread; i < k * n; i += all) hb[i] = __float2half(b[i]);
  __syncthreads();
  const int warps = blockDim.x / warpSize, warp = threadIdx.x / warpSize;
  for (int row = 16 * warp; row < m; row += 16 * warps) {
    for (int column = 16 * threadIdx.y; column < n; column += 16 * blockDim.y) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::col_major> fa;
      wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
      wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum, old;
      wmma::fill_fragment(sum, 0.0f);
      for (int i = 0; i < k; i += 16) {
        wmma::load_matrix_sync(fa, ha + row + i * m, m);
        wmma::load_matrix_sync(fb, hb + i + column * k, k);
        wmma::mma_sync(sum, fa, fb, sum);
      }
      float *const tile = c + row + column * m;
      wmma::load_matrix_sync(old, tile, m, wmma::mem_col_major);
#pragma unroll
      for (int i = 0; i < old.num_elements; i++) old.x[i] = alpha * sum.x[i] + beta * old.x[i];
      wmma::store_matrix_sync(tile, old, m, wmma::mem_col_major);
    }
  }
}
// By tiles in shared memory, two by two tiles of sums for a warp, four warps.
extern "C" __global__ void by_tiles(const float *a, const float *b, const float *c, float *d, int n, float alpha, float beta) {
  __shared__ alignas(32) half ta[64][32 + 16], tb[64][32 + 16];
  const int warp = threadIdx.x / 32, first_row = blockIdx.y * 64, first_column = blockIdx.x * 64;
  const int row = warp / 2 * 32, column = warp % 2 * 32;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums[2][2];
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) {
      wmma::load_matrix_sync(sums[i][j], c + (first_row + row + 16 * i) * n + first_column + column + 16 * j, n, wmma::mem_row_major);
      for (int t = 0; t < sums[i][j].num_elements; t++) sums[i][j].x[t] *= beta / alpha;
    }
  for (int step = 0; step < n; step += 32) {
    for (int i = threadIdx.x; i < 64 * 32; i += blockDim.x) {
      ta[i / 32][i % 32] = (half)a[(first_row + i / 32) * n + step + i % 32];
      tb[i / 32][i % 32] = (half)b[(first_column + i / 32) * n + step + i % 32];
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 32; k += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa[2];
      wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb[2];
#pragma unroll
      for (int i = 0; i < 2; i++) {
        wmma::load_matrix_sync(fa[i], &ta[row + 16 * i][k], 48);
#pragma unroll
        for (int j = 0; j < 2; j++) {
          if (i == 0) wmma::load_matrix_sync(fb[j], &tb[column + 16 * j][k], 48);
          wmma::mma_sync(sums[i][j], fa[i], fb[j], sums[i][j]);
        }
      }
    }
    __syncthreads();
  }
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) {
      for (int t = 0; t < sums[i][j].num_elements; t++) sums[i][j].x[t] *= alpha;
      wmma::store_matrix_sync(d + (first_row + row + 16 * i) * n + first_column + column + 16 * j, sums[i][j], n, wmma::mem_row_major);
    }
}
