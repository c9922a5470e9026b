// Products of matrices: a block has a tile of the result, and goes along the
// inner axis in steps, over tiles of both factors in shared memory. A thread has
// 4 by 4 elements of the result. Rows and columns of the factors may lie in any
// steps; the result is in C order.
extern "C" __global__ void __launch_bounds__(256) gpurepl_matmul(
    const gpurepl_element *a, const gpurepl_element *b, gpurepl_element *c,
    unsigned long long m, unsigned long long n, unsigned long long inner, unsigned long long batches,
    long long a_batch, long long a_row, long long a_column,
    long long b_batch, long long b_row, long long b_column)
{
  __shared__ gpurepl_element lefts[16][64], rights[16][64];
  const unsigned long long across = (n + 63) / 64, tiles = across * ((m + 63) / 64);
  const unsigned int x = threadIdx.x % 16, y = threadIdx.x / 16;
  for (unsigned long long batch = blockIdx.y; batch < batches; batch += gridDim.y) {
    const gpurepl_element *const left = a + (long long)batch * a_batch, *const right = b + (long long)batch * b_batch;
    for (unsigned long long tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
      const unsigned long long row = tile / across * 64, column = tile % across * 64;
      gpurepl_element sums[4][4];
      #pragma unroll
      for (int i = 0; i < 4; i++)
        #pragma unroll
        for (int j = 0; j < 4; j++) sums[i][j] = gpurepl_zero();
      for (unsigned long long start = 0; start < inner; start += 16) {
        __syncthreads();
        #pragma unroll
        for (unsigned int part = 0; part < 4; part++) {
          // Threads side by side read neighbours.
          const unsigned int t = threadIdx.x + 256 * part;
          const unsigned int k = a_column == 1 ? t % 16 : t / 64, i = a_column == 1 ? t / 16 : t % 64;
          lefts[k][i] = start + k < inner && row + i < m
              ? left[(long long)(row + i) * a_row + (long long)(start + k) * a_column] : gpurepl_zero();
          const unsigned int l = b_row == 1 ? t % 16 : t / 64, j = b_row == 1 ? t / 16 : t % 64;
          rights[l][j] = start + l < inner && column + j < n
              ? right[(long long)(start + l) * b_row + (long long)(column + j) * b_column] : gpurepl_zero();
        }
        __syncthreads();
        #pragma unroll
        for (int k = 0; k < 16; k++) {
          gpurepl_element own[4], other[4];
          #pragma unroll
          for (int i = 0; i < 4; i++) {
            own[i] = lefts[k][y * 4 + i];
            other[i] = rights[k][x + 16 * i];
          }
          #pragma unroll
          for (int i = 0; i < 4; i++)
            #pragma unroll
            for (int j = 0; j < 4; j++) sums[i][j] = gpurepl_multiply_add(own[i], other[j], sums[i][j]);
        }
      }
      #pragma unroll
      for (int i = 0; i < 4; i++)
        #pragma unroll
        for (int j = 0; j < 4; j++) {
          const unsigned long long at = row + y * 4 + i, to = column + x + 16 * j;
          if (at < m && to < n) c[(batch * m + at) * n + to] = sums[i][j];
        }
    }
  }
}
