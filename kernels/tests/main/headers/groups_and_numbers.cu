// What the headers of ours have, named once: NVRTC compiles it without a toolkit.
#include <cuComplex.h>
#include <cuda_fp16.h>
#include <curand_kernel.h>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cooperative_groups/memcpy_async.h>
namespace cg = cooperative_groups;
struct Pair { double a; int b; char c; };
template <int S> __device__ int down(cg::thread_block_tile<S> g, int v) { for (int k = g.size() / 2; k > 0; k /= 2) v += g.shfl_down(v, k); return v; }
__device__ int any_group(cg::thread_group g, int *s, int v) {
  int lane = g.thread_rank();
  for (int k = g.size() / 2; k > 0; k /= 2) { s[lane] = v; g.sync(); if (lane < k) v += s[lane + k]; g.sync(); }
  return v;
}
template <class G> __device__ long long general(const G &g, long long v) { return cg::reduce(g, v, cg::plus<long long>()); }
__global__ void groups(int *out, const int *in, float *f) {
  __shared__ int s[1024];
  cg::thread_block block = cg::this_thread_block();
  auto tile = cg::tiled_partition<32>(block);
  cg::thread_block_tile<32> t2 = tile;
  cg::thread_block_tile<8, cg::thread_block> t8 = cg::tiled_partition<8>(block);
  auto t4 = cg::tiled_partition<4>(t8);
  cg::thread_group dyn = cg::tiled_partition(block, 16);
  cg::thread_group dyn4 = cg::tiled_partition(dyn, 4);
  int i = block.thread_rank();
  out[0] = any_group(block, s, in[i]); out[1] = any_group(dyn, s, in[i]); out[2] = dyn4.size();
  out[3] = down<32>(t2, 3) + down<32>(tile, 4) + down<8>(t8, 5);
  out[4] = cg::reduce(tile, in[i], cg::plus<int>()) + cg::reduce(t4, in[i], cg::less<int>());
  f[0] = cg::reduce(tile, f[i], cg::plus<float>()) + cg::reduce(t8, f[i], cg::greater<float>());
  out[5] = cg::inclusive_scan(tile, i, cg::plus<int>()) + cg::exclusive_scan(t8, i) + cg::inclusive_scan(t4, i);
  Pair p = {1.0, i, 'c'}; p = tile.shfl(p, 3); out[6] = p.b + (int)p.a;
  if (i % 3) {
    cg::coalesced_group c = cg::coalesced_threads();
    out[7] = c.size() + c.thread_rank() + c.shfl(i, 0) + c.shfl_up(i, 1) + c.shfl_down(i, 2) + c.any(i > 3) + c.all(i) + c.ballot(i == 4);
    out[8] = cg::reduce(c, i, cg::plus<int>()) + (int)general(c, 4) + cg::inclusive_scan(c, i) + c.match_any(i);
    out[9] = cg::labeled_partition(c, i % 2).size() + cg::binary_partition(tile, i > 4).meta_group_rank();
    c.sync(); cg::sync(c);
  }
  int pred; out[10] = tile.match_all(i, pred) + pred + tile.match_any(i) + tile.any(i) + tile.all(i) + tile.ballot(i) + tile.meta_group_rank() + tile.meta_group_size();
  cg::memcpy_async(block, s, in, sizeof(int) * 100); cg::wait(block);
  dim3 g = block.group_index(), t = block.thread_index(), d = block.dim_threads(), d2 = block.group_dim();
  out[11] = g.x + t.y + d.z + d2.x + block.size() + block.num_threads() + s[5] + tile.num_threads() + cg::this_grid().size() + cg::this_grid().thread_rank();
  auto token = block.barrier_arrive(); block.barrier_wait(static_cast<cg::thread_block::arrival_token &&>(token));
  cg::invoke_one(tile, [&] { out[12] = 5; });
  float ff = tile.shfl_xor(f[i], 3) + tile.shfl_up(f[i], 1) + tile.shfl_down(f[i], 1); f[1] = ff;
}
__global__ void wide_groups(int *out, float *f) {
  __shared__ cg::block_tile_memory<512> memory;
  __shared__ cg::experimental::block_tile_memory<4, 512> older;
  auto block = cg::this_thread_block(memory);
  auto tile = cg::tiled_partition<128>(block);
  cg::thread_block_tile<64> t64 = cg::tiled_partition<64>(tile);
  cg::thread_block_tile<16, cg::thread_block_tile<64> > t16 = cg::tiled_partition<16>(t64);
  auto own = cg::tiled_partition<512>(cg::this_thread_block());
  auto other = cg::experimental::tiled_partition<256>(cg::experimental::this_thread_block(older));
  int i = tile.thread_rank();
  out[0] = cg::reduce(tile, i, cg::plus<int>()) + cg::inclusive_scan(t64, i) + cg::exclusive_scan(own, i, cg::plus<int>()) + t16.size();
  out[1] = tile.any(i) + t64.all(i) + own.shfl(i, 3) + other.meta_group_rank() + other.meta_group_size() + other.num_threads();
  f[0] = cg::reduce(tile, f[i], cg::greater<float>());
  cg::sync(tile); other.sync();
}

__global__ void halves(__half *h, __half2 *v, float *f, int *i, unsigned long long *u) {
  __half a = h[0], b = h[1], c = h[2];
  h[3] = __hadd_sat(a, b); h[4] = __hsub_sat(a, b); h[5] = __hmul_sat(a, b); h[6] = __hfma_sat(a, b, c); h[7] = __hfma_relu(a, b, c);
  h[8] = __hadd_rn(a, b); h[9] = __hmin(a, b); h[10] = __hmax_nan(a, b); h[11] = htanh(a); h[12] = hrcp(b); h[13] = a++; h[14] = --b; h[15] = +a;
  h[16] = __short2half_rz(3); h[17] = __ushort2half_rd(3); h[18] = __uint2half_ru(5u); h[19] = __ll2half_rn(7ll); h[20] = __ull2half_rz(7ull); h[21] = 3;
  h[23] = __ldg(h); h[25] = __short_as_half(1); h[26] = __float2half_rd(f[0]); h[27] = __double2half(1.5);
  i[0] = __half2short_rd(a) + __half2ushort_ru(b) + __half2char_rz(c) + __half2uchar_rz(c) + __half_as_short(a) + (int)__half2uint_rn(a);
  u[0] = __half2ull_rz(a) + __half2ll_rn(b);
  i[1] = __hequ(a, b) + __hneu(a, b) + __hleu(a, b) + __hgtu(a, b) + __hgeu(a, b) + (a != b) + (a <= b) + (a > b) + (a >= b) + __hne(a, b);
  __half2 p = v[0], q = v[1];
  v[2] = __hadd2_sat(p, q); v[3] = __hmul2_rn(p, q); v[4] = __hfma2_sat(p, q, p); v[5] = __hfma2_relu(p, q, p); v[6] = __h2div(p, q); v[7] = p / q;
  v[8] = __habs2(p); v[9] = h2sqrt(p); v[10] = h2exp(q); v[11] = h2rint(p); v[12] = __hmax2(p, q); v[13] = __hmin2_nan(p, q); v[14] = __heq2(p, q); v[15] = __hneu2(p, q);
  v[16] = __lows2half2(p, q); v[17] = __highs2half2(p, q); v[18] = __low2half2(p); v[19] = __high2half2(p); v[20] = __float2half2_rn(2.0f); v[21] = make_half2(a, b);
  v[22] = __hisnan2(p); v[23] = -p; v[24] = __ldg(v); p += q; p -= q; p *= q; p /= q; v[25] = p;
  f[1] = __low2float(p) + __high2float(q) + (float)h[5];
  i[2] = __hbeq2(p, q) + __hbne2(p, q) + __hblt2(p, q) + __hbgeu2(p, q) + (p == q) + (p != q) + (p < q);
  __half_raw raw = a; __half2_raw raws = p; raw.x ^= 1; raws.y ^= 1; h[28] = __half(raw); v[26] = __half2(raws);
  h[29] = atomicAdd(h, a); v[27] = atomicAdd(v, p); h[30] = __shfl_xor_sync(~0u, a, 1); v[28] = __shfl_up_sync(~0u, p, 1, 16);
}
__global__ void complex_numbers(cuDoubleComplex *a, cuComplex *b) {
  a[0] = cuCadd(cuCmul(a[0], a[1]), cuCdiv(a[2], cuConj(a[3])));
  a[1] = cuCfma(a[0], a[1], a[2]);
  a[2] = cuComplexFloatToDouble(b[0]);
  b[0] = cuCdivf(b[1], make_cuComplex(cuCabsf(b[2]), cuCrealf(b[1]) + cuCabs(a[1])));
  b[1] = cuCfmaf(cuCsubf(b[0], b[1]), cuConjf(b[2]), cuCmulf(b[1], b[2]));
  b[2] = cuComplexDoubleToFloat(a[0]);
 
}

template <class S> __device__ void numbers(S *state, double *out) {
  out[0] = curand_uniform(state) + curand_uniform_double(state) + curand_normal(state) + curand_normal_double(state);
  out[1] = curand_normal2(state).x + curand_normal2_double(state).y + curand_log_normal(state, 0.0f, 1.0f) + curand_log_normal_double(state, 0.0, 1.0);
  out[2] = curand_log_normal2(state, 0.0f, 1.0f).x + curand_log_normal2_double(state, 0.0, 1.0).y + curand_poisson(state, 3.5) + curand(state);
  skipahead(5ull, state);
  skipahead_sequence(5ull, state);
}
__global__ void random_numbers(curandState *x, curandStatePhilox4_32_10_t *p, double *out) {
  curand_init(1, 2, 3, x);
  curand_init(1ull, 2ull, 3ull, p);
  curandStateXORWOW_t y = *x;
  curandState_t z = y;
  numbers(&z, out);
  numbers(p, out + 3);
  out[6] = curand4(p).x + curand_uniform4(p).y + curand_uniform2_double(p).x + curand_normal4(p).z + curand_log_normal4(p, 0.0f, 1.0f).w + curand_poisson4(p, 4.0).x;
}
