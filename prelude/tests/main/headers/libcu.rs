//! What kernels use of libcu++, and asynchronous copies: atomics, barriers, pipelines, and `cuda::std`.

use gpurepl_prelude::*;

#[test]
fn atomics() {
    let m = SourceModule::new(
        r#"
#include "cuda/atomic"
#include "cuda/std/atomic"
__device__ cuda::atomic<int, cuda::thread_scope_device> counter(5);
__device__ cuda::atomic<unsigned long long> zero;
template <class T> __device__ void fetches(double *o) {
  __shared__ cuda::atomic<T, cuda::thread_scope_block> s;
  if (threadIdx.x == 0) s = T(0);
  __syncthreads();
  s.fetch_add(T(threadIdx.x % 3)); s += T(1); s--; ++s;
  __syncthreads();
  if (threadIdx.x == 0) o[0] = (double)s.load();
  __syncthreads();
  s.fetch_max(T(threadIdx.x % 100));
  __syncthreads();
  if (threadIdx.x == 0) { o[1] = (double)s.load(); s = T(120); }
  __syncthreads();
  s.fetch_min(T(50 + threadIdx.x % 50));
  __syncthreads();
  if (threadIdx.x == 0) { o[2] = (double)s.load(); s = T(1); }
  __syncthreads();
  // compare and exchange
  T old = s.load();
  while (!s.compare_exchange_weak(old, T(old + 1))) {}
  __syncthreads();
  if (threadIdx.x == 0) o[3] = (double)s.exchange(T(7));
}
__global__ void k(double *o) {
  fetches<int>(o); fetches<signed char>(o + 4); fetches<unsigned short>(o + 8); fetches<long long>(o + 12);
  fetches<float>(o + 16); fetches<double>(o + 20); fetches<unsigned>(o + 24);
  counter++; zero.fetch_or(1ull << (threadIdx.x & 63));
  __syncthreads();
  if (threadIdx.x == 0) { o[28] = counter.load(); o[29] = zero.load() == ~0ull; }
}
__global__ void spin(int *o) {
  __shared__ cuda::atomic<int, cuda::thread_scope_block> turn;
  __shared__ int sum;
  if (threadIdx.x == 0) { turn.store(0); sum = 0; }
  __syncthreads();
  // One thread of each warp: on a GPU those of one warp may wait for each other before they store.
  if (threadIdx.x % 32 == 0) {
    while (turn.load(cuda::memory_order_acquire) != (int)((blockDim.x - 1 - threadIdx.x) / 32)) {}
    sum = sum * 3 + (int)threadIdx.x;
    turn.fetch_add(1, cuda::memory_order_release);
  }
  __syncthreads();
  if (threadIdx.x == 0) *o = sum;
}
__global__ void across(int *o) {
  cuda::atomic_ref<int, cuda::thread_scope_device> sum(o[0]), count(o[1]);
  sum.fetch_add((int)threadIdx.x, cuda::memory_order_relaxed);
  int old = count.load();
  while (!count.compare_exchange_weak(old, old + 1)) {}
  cuda::std::atomic_ref<int> flag(o[2]);
  flag.store(1, cuda::std::memory_order_release);
  if (count.load() == 0) __syncthreads();
}
"#,
    )
    .unwrap();
    let f = m.get_function("k").unwrap();
    for threads in [1usize, 33, 77, 100] {
        let mut o = zeros::<f64>(30);
        f.launch(1, threads as u32, (&mut o,)).unwrap();
        let got = o.to_vec();
        let sum: i64 = (0..threads as i64).map(|t| t % 3 + 1).sum();
        for (k, wrap) in [(0usize, 0i64), (1, 8), (2, 16), (3, 0), (4, 0), (5, 0), (6, 0)] {
            let s = match wrap {
                8 => sum as i8 as i64,
                16 => sum as u16 as i64,
                _ => sum,
            };
            assert_eq!(got[4 * k], s as f64, "{threads} {k}");
            assert_eq!(got[4 * k + 1], (s).max(threads as i64 - 1) as f64, "{threads} {k}");
            assert_eq!(got[4 * k + 2], 50.0);
            assert_eq!(got[4 * k + 3], threads as f64 + 1.0);
        }
    }
    let g = m.get_function("spin").unwrap();
    for threads in [1i32, 31, 70, 256] {
        let mut p = zeros::<i32>(1);
        g.launch(1, threads as u32, (&mut p,)).unwrap();
        let s =
            (0..threads).rev().filter(|t| t % 32 == 0).fold(0i32, |s, t| s.wrapping_mul(3).wrapping_add(t));
        assert_eq!(p.to_vec(), vec![s], "spin {threads}");
    }
    let h = m.get_function("across").unwrap();
    let mut total = zeros::<i32>(3);
    h.launch(40, 65, (&mut total,)).unwrap();
    assert_eq!(total.to_vec(), vec![40 * 65 * 64 / 2, 40 * 65, 1], "across blocks");
}

#[test]
fn barriers_and_pipelines() {
    let m = SourceModule::new(r#"
#include "cooperative_groups.h"
#include "cuda/barrier"
#include "cuda/std/barrier"
#include "cuda/latch"
#include "cuda/semaphore"
#include "cuda/pipeline"
#include "cuda_pipeline.h"
#include "cuda_awbarrier.h"
namespace cg = cooperative_groups;
struct Done { int *n; __device__ void operator()() noexcept { ++*n; } };
// each round: sum of neighbours
__global__ void rounds(int *out, int n) {
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  __shared__ int x[2][128];
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  x[0][threadIdx.x] = threadIdx.x;
  __syncthreads();
  for (int k = 0; k < n; k++) {
    x[(k + 1) & 1][threadIdx.x] = x[k & 1][threadIdx.x] + x[k & 1][(threadIdx.x + 1) % blockDim.x];
    if (k % 3 == 0) bar.arrive_and_wait();
    else if (k % 3 == 1) { auto t = bar.arrive(); bar.wait(static_cast<decltype(t) &&>(t)); }
    else { bar.arrive(); bar.wait_parity(k & 1); }
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = x[n & 1][threadIdx.x];
}
__global__ void drops(int *out) {
  __shared__ cuda::barrier<cuda::thread_scope_block, Done> bar;
  __shared__ int n;
  if (threadIdx.x == 0) { n = 0; init(&bar, blockDim.x, Done{&n}); }
  __syncthreads();
  for (int k = 0; k < (int)threadIdx.x; k++) bar.arrive_and_wait();
  bar.arrive_and_drop();
  __syncthreads();
  if (threadIdx.x == 0) out[0] = n;
}
__global__ void others(int *out) {
  __shared__ cuda::latch<cuda::thread_scope_block> l; __shared__ cuda::counting_semaphore<cuda::thread_scope_block, 3> sem;
  __shared__ cuda::binary_semaphore<cuda::thread_scope_block> mutex;
  __shared__ int n, most; __shared__ cuda::atomic<int, cuda::thread_scope_block> in;
  if (threadIdx.x == 0) { n = 0; most = 0; in = 0; init(&l, blockDim.x); init(&sem, 3); init(&mutex, 1); }
  __syncthreads();
  sem.acquire(); int now = ++in; 
  mutex.acquire(); n += threadIdx.x; if (now > most) most = now; mutex.release();
  --in; sem.release();
  l.arrive_and_wait();
  if (threadIdx.x == 0) { out[0] = n; out[1] = most <= 3; out[2] = l.try_wait(); out[3] = sem.try_acquire() && sem.try_acquire() && sem.try_acquire() && !sem.try_acquire(); }
}
template <class T> __global__ void copies(const char *in, char *out, int bytes, int at) {
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  extern __shared__ __align__(16) char buf[];
  auto block = cg::this_thread_block();
  if (block.thread_rank() == 0) init(&bar, block.size());
  block.sync();
  cuda::memcpy_async(block, buf + at, in + at, bytes, bar);
  bar.arrive_and_wait();
  for (int k = threadIdx.x; k < bytes; k += blockDim.x) out[k] = buf[k + at];
}
// Sums of tiles by a pipeline with so many stages.
template <int stages> __global__ void unified(const int *in, int *out, int batches) {
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, stages> state;
  extern __shared__ int buf[];
  auto block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  const int n = block.size();
  int sum = 0;
  for (int compute = 0, fetch = 0; compute < batches; compute++) {
    for (; fetch < batches && fetch < compute + stages; fetch++) {
      pipe.producer_acquire();
      cuda::memcpy_async(block, buf + fetch % stages * n, in + fetch * n, sizeof(int) * n, pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    sum = sum * 3 + buf[compute % stages * n + (threadIdx.x + 1) % n];
    pipe.consumer_release();
  }
  out[threadIdx.x] = sum;
}
template <int stages> __global__ void roles(const int *in, int *out, int batches, int producers, int by_role) {
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, stages> state;
  __shared__ int quits;
  extern __shared__ int buf[];
  auto block = cg::this_thread_block();
  if (threadIdx.x == 0) quits = 0;
  const bool is_producer = threadIdx.x < producers;
  const int n = block.size() - producers;
  auto pipe = by_role ? cuda::make_pipeline(block, &state, is_producer ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer) : cuda::make_pipeline(block, &state, (size_t)producers);
  if (is_producer) {
    for (int k = 0; k < batches; k++) {
      pipe.producer_acquire();
      for (int i = threadIdx.x; i < n; i += producers) cuda::memcpy_async(buf + k % stages * n + i, in + k * n + i, cuda::aligned_size_t<4>(sizeof(int)), pipe);
      pipe.producer_commit();
    }
  } else {
    const int own = threadIdx.x - producers;
    int sum = 0;
    for (int k = 0; k < batches; k++) {
      pipe.consumer_wait();
      sum = sum * 3 + buf[k % stages * n + (own + 1) % n];
      pipe.consumer_release();
    }
    out[own] = sum;
  }
  if (pipe.quit()) atomicAdd(&quits, 1);
  block.sync();
  if (threadIdx.x == 0) out[n] = quits;
}
__global__ void alone(const int4 *in, int4 *out, int batches) {
  __shared__ int4 a[4][64];
  cuda::pipeline<cuda::thread_scope_thread> pipe = cuda::make_pipeline();
  int4 sum = make_int4(0, 0, 0, 0);
  for (int c = 0, f = 0; c < batches; c++) {
    for (; f < batches && f < c + 4; f++) { pipe.producer_acquire(); cuda::memcpy_async(&a[f % 4][threadIdx.x], &in[f * blockDim.x + threadIdx.x], sizeof(int4), pipe); pipe.producer_commit(); }
    pipe.consumer_wait();
    int4 v = a[c % 4][threadIdx.x]; sum.x += v.x; sum.y += v.y; sum.z += v.z; sum.w += v.w;
    pipe.consumer_release();
  }
  __pipeline_memcpy_async(&a[0][threadIdx.x], &in[threadIdx.x], 16); __pipeline_memcpy_async(&a[1][threadIdx.x], &in[threadIdx.x], 16, 7);
  __pipeline_memcpy_async(&a[2][threadIdx.x].y, &in[threadIdx.x].y, 4); __pipeline_commit(); __pipeline_wait_prior(0);
  out[threadIdx.x] = sum; out[blockDim.x + threadIdx.x] = a[1][threadIdx.x]; out[2 * blockDim.x + threadIdx.x] = make_int4(a[2][threadIdx.x].y, 0, 0, 0);
}
namespace nv = nvcuda;
__global__ void experimental(const int *in, int *out) {
  using namespace nv::experimental;
  __shared__ awbarrier bar; __shared__ int x[128];
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  pipeline pipe;
  memcpy_async(x[threadIdx.x], in[threadIdx.x], pipe);
  pipe.arrive_on(bar);
  awbarrier::arrival_token t = bar.arrive();
  bar.wait(t);
  int v = x[(threadIdx.x + 1) % blockDim.x];
  bar.arrive_and_wait();
  memcpy_async(x[threadIdx.x], in[blockDim.x + threadIdx.x], pipe);
  pipe.commit_and_wait();
  while (!bar.timed_wait(bar.arrive(), 1000)) {}
  out[threadIdx.x] = v * 1000 + x[(threadIdx.x + 1) % blockDim.x];
}
__global__ void primitives(const int *in, int *out) {
  __shared__ __mbarrier_t bar; __shared__ int x[128];
  if (threadIdx.x == 0) __mbarrier_init(&bar, blockDim.x);
  __syncthreads();
  __pipeline_memcpy_async(&x[threadIdx.x], &in[threadIdx.x], 4);
  __pipeline_arrive_on(&bar);
  __mbarrier_token_t t = __mbarrier_arrive(&bar);
  // Lanes that arrive together have one token.
  unsigned int pending = __mbarrier_token_pending_count(t);
  atomicAdd(&out[blockDim.x], pending >= 1 && pending <= blockDim.x);
  while (!__mbarrier_test_wait(&bar, t)) {}
  bool ok = __mbarrier_test_wait_parity(&bar, false) && !__mbarrier_test_wait_parity(&bar, true) && !__mbarrier_try_wait_parity(&bar, true, 200);
  out[threadIdx.x] = x[(threadIdx.x + 1) % blockDim.x] + (ok ? 0 : 1000000);
  __syncthreads();
  if (threadIdx.x < 5) __mbarrier_arrive_and_drop(&bar);
  else { t = __mbarrier_arrive(&bar); while (!__mbarrier_try_wait(&bar, t, 100)) {} x[threadIdx.x]++; t = __mbarrier_arrive(&bar); while (!__mbarrier_test_wait(&bar, t)) {} }
}
"#).unwrap();
    for threads in [1usize, 33, 77, 128] {
        let n = 10;
        let mut o = zeros::<i32>(3 * threads);
        m.get_function("rounds").unwrap().launch(3, threads as u32, (&mut o, n)).unwrap();
        let mut x: Vec<i32> = (0..threads as i32).collect();
        for _ in 0..n {
            x = (0..threads).map(|i| x[i] + x[(i + 1) % threads]).collect();
        }
        assert_eq!(o.to_vec(), [x.clone(), x.clone(), x].concat(), "rounds {threads}");
        let mut o = zeros::<i32>(1);
        m.get_function("drops").unwrap().launch(1, threads as u32, (&mut o,)).unwrap();
        assert_eq!(o.to_vec(), vec![threads as i32]);
        let mut o = zeros::<i32>(4);
        m.get_function("others").unwrap().launch(1, threads as u32, (&mut o,)).unwrap();
        assert_eq!(o.to_vec(), vec![(threads * (threads - 1) / 2) as i32, 1, 1, 1]);
        let data: Vec<i8> = (0..4000).map(|x| (x * 7 % 251) as i8).collect();
        for (bytes, at) in [(0usize, 0usize), (1, 0), (16, 0), (1000, 4), (999, 3), (1024, 16), (8, 8)] {
            let mut o = zeros::<i8>(1024);
            let f = m.get_function("copies<char>").unwrap();
            f.launch_shared(1, threads as u32, 2048, (&to_gpu(&data), &mut o, bytes as i32, at as i32))
                .unwrap();
            assert_eq!(o.to_vec()[..bytes], data[at..at + bytes], "copies {threads} {bytes} {at}");
        }
        let batches = 9;
        let data: Vec<i32> = (0..(batches * threads) as i32).map(|x| x * 37 % 101).collect();
        let want = |n: usize, b: usize| -> Vec<i32> {
            (0..n)
                .map(|t| (0..b).fold(0i32, |s, k| s.wrapping_mul(3).wrapping_add(data[k * n + (t + 1) % n])))
                .collect()
        };
        for name in ["unified<1>", "unified<2>", "unified<3>", "unified<4>"] {
            let f = m.get_function(name).unwrap();
            let mut o = zeros::<i32>(threads);
            f.launch_shared(1, threads as u32, 16 * threads, (&to_gpu(&data), &mut o, batches as i32))
                .unwrap();
            assert_eq!(o.to_vec(), want(threads, batches), "{name} {threads}");
        }
        if threads > 1 {
            for name in ["roles<1>", "roles<2>", "roles<3>"] {
                for by_role in [0, 1] {
                    for producers in [1usize, 13, 32] {
                        let f = m.get_function(name).unwrap();
                        let n = threads - producers;
                        let mut o = zeros::<i32>(n + 1);
                        f.launch_shared(
                            1,
                            threads as u32,
                            16 * threads,
                            (&to_gpu(&data), &mut o, batches as i32, producers as i32, by_role),
                        )
                        .unwrap();
                        let mut w = want(n, batches);
                        w.push(1);
                        assert_eq!(o.to_vec(), w, "{name} {threads} {producers}");
                    }
                }
            }
        }
        if threads <= 64 {
            let quads: Vec<[i32; 4]> =
                (0..(batches * threads) as i32).map(|x| [x, x * 3, x + 0x01020304, x + 0x11121314]).collect();
            let flat: Vec<i32> = quads.concat();
            let mut o = zeros::<i32>(3 * 4 * threads);
            m.get_function("alone")
                .unwrap()
                .launch(1, threads as u32, (&to_gpu(&flat), &mut o, batches as i32))
                .unwrap();
            let o = o.to_vec();
            for t in 0..threads {
                let mut s = [0i32; 4];
                for k in 0..batches {
                    for c in 0..4 {
                        s[c] = s[c].wrapping_add(quads[k * threads + t][c]);
                    }
                }
                assert_eq!(o[4 * t..4 * t + 4], s, "alone {t}");
                let q = quads[t];
                assert_eq!(o[4 * (threads + t)..4 * (threads + t) + 4], [q[0], q[1], q[2] & 0xff, 0]);
                assert_eq!(o[4 * (2 * threads + t)], q[1]);
            }
        }
        let mut o = zeros::<i32>(threads);
        m.get_function("experimental").unwrap().launch(1, threads as u32, (&to_gpu(&data), &mut o)).unwrap();
        let w: Vec<i32> = (0..threads)
            .map(|t| data[(t + 1) % threads] * 1000 + data[threads + (t + 1) % threads])
            .collect();
        assert_eq!(o.to_vec(), w, "experimental {threads}");
        if threads > 5 {
            let mut o = zeros::<i32>(threads + 1);
            m.get_function("primitives")
                .unwrap()
                .launch(1, threads as u32, (&to_gpu(&data), &mut o))
                .unwrap();
            let mut w: Vec<i32> = (0..threads).map(|t| data[(t + 1) % threads]).collect();
            w.push(threads as i32);
            assert_eq!(o.to_vec(), w, "primitives {threads}");
        }
    }
}

#[test]
fn the_rest_of_the_library_by_values() {
    let m = SourceModule::new(r#"
#include "cuda/std/complex"
#include "cuda/std/cmath"
#include "cuda/std/limits"
#include "cuda/std/array"
#include "cuda/std/tuple"
#include "cuda/std/utility"
#include "cuda/std/functional"
#include "cuda/std/bit"
#include "cuda/std/algorithm"
#include "cuda/std/numeric"
#include "cuda/std/optional"
#include "cuda/std/span"
#include "cuda/std/cstdint"
#include "cuda/std/cstddef"
#include "cuda/functional"
#include "cuda/cmath"
#include "nv/target"
namespace S = cuda::std;
template <class T> __global__ void complexes(const T *in, T *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  S::complex<T> z(in[2 * i], in[2 * i + 1]), w(z.imag(), T(1) + z.real());
  S::complex<T> r[] = {z * w, z / w, exp(log(z)), sqrt(z) * sqrt(z), sin(asin(z)), cosh(acosh(z)), tan(atan(z)), pow(z, 2), sin(z) * sin(z) + cos(z) * cos(z), S::polar(abs(z), arg(z)), sinh(asinh(z)), tanh(atanh(z)), cos(acos(z))};
  for (int k = 0; k < 13; k++) { out[26 * i + 2 * k] = r[k].real(); out[26 * i + 2 * k + 1] = r[k].imag(); }
}
__global__ void bits(const unsigned *in, int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned x = in[i];
  int r[] = {S::popcount(x), S::countl_zero(x), S::countr_zero(x), (int)S::rotl(x, i % 40), (int)S::bit_floor(x), S::bit_width((unsigned char)x), (int)S::byteswap(x), (int)S::gcd(x, 360u), (int)S::midpoint((int)x, i), cuda::ceil_div(i, 7), S::countr_one((unsigned short)x), cuda::ilog2(x | 1)};
  for (int k = 0; k < 12; k++) out[12 * i + k] = r[k];
}
__global__ void mixed(const int *in, int *out, float *f) {
  __shared__ S::array<int, 64> a;
  a[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0) {
    S::span<int> s(a);
    auto top = S::max_element(s.begin(), s.end());
    S::pair<int, float> best, none;
    best = S::make_pair((int)(top - s.begin()), (float)*top);
    auto [at, value] = best;
    out[0] = at + none.first; f[0] = value;
    out[1] = S::accumulate(a.begin(), a.end(), 0, S::plus<>()); out[2] = S::count_if(a.begin(), a.end(), [](int x) { return x % 2 == 0; });
    S::reverse(a.begin(), a.end()); out[3] = a[0];
    S::tuple<int, float, char> t(1, 2.5f, 'x'); auto [p, q, r] = t; out[4] = p + (int)r; f[1] = q;
    int x; float y; S::tie(x, y, S::ignore) = t; out[5] = x + (int)(2 * y);
    out[6] = S::apply([](int i, float b, char c) { return i + (int)b + c; }, t);
    f[2] = S::numeric_limits<float>::infinity(); f[3] = S::numeric_limits<float>::quiet_NaN(); out[7] = S::numeric_limits<int>::min();
    S::optional<int> o; out[8] = o.value_or(5); o = 7; out[9] = *o;
    out[10] = cuda::maximum<>()(3, 4) * cuda::minimum<int>()(3, 4);
    NV_IF_ELSE_TARGET(NV_IS_DEVICE, (out[11] = 1;), (out[11] = nothing;))
    NV_DISPATCH_TARGET(NV_IS_HOST, (out[12] = 1;), NV_PROVIDES_SM_75, (out[12] = 2;))
    f[4] = S::sqrt(2.0f) + (float)S::pow(2, 3) + S::hypot(3.f, 4.f) + S::abs(-1.5f);
  }
}
"#).unwrap();
    let n = 100usize;
    let data: Vec<f64> = (0..2 * n).map(|k| ((k * 37 % 41) as f64 - 20.3) / 9.0).collect();
    let mut out = zeros::<f64>(26 * n);
    m.get_function("complexes<double>").unwrap().launch(2, 64, (&to_gpu(&data), &mut out, n as i32)).unwrap();
    let out64 = out.to_vec();
    let dataf: Vec<f32> = data.iter().map(|x| *x as f32).collect();
    let mut outf = zeros::<f32>(26 * n);
    m.get_function("complexes<float>")
        .unwrap()
        .launch(2, 64, (&to_gpu(&dataf), &mut outf, n as i32))
        .unwrap();
    let out32 = outf.to_vec();
    for i in 0..n {
        let (x, y) = (data[2 * i], data[2 * i + 1]);
        let (u, v) = (y, 1.0 + x);
        let d = u * u + v * v;
        let z = [x, y];
        let want = [
            [x * u - y * v, x * v + y * u],
            [(x * u + y * v) / d, (y * u - x * v) / d],
            z,
            z,
            z,
            z,
            z,
            [x * x - y * y, 2.0 * x * y],
            [1.0, 0.0],
            z,
            z,
            z,
            z,
        ];
        for k in 0..13 {
            for c in 0..2 {
                let (g, f, w) = (out64[26 * i + 2 * k + c], out32[26 * i + 2 * k + c] as f64, want[k][c]);
                assert!((g - w).abs() < 3e-13 * (1.0 + x * x + y * y), "{k} of {x} {y}: {g} for {w}");
                assert!(
                    (f - w).abs() < 1e-4 * (1.0 + x * x + y * y),
                    "{k} of {x} {y}: {f} for {w} in single precision"
                );
            }
        }
    }
    let n = 77usize;
    let words: Vec<u32> = (0..n as u32).map(|k| k.wrapping_mul(2654435761) >> (k % 32)).collect();
    let mut out = zeros::<i32>(12 * n);
    m.get_function("bits").unwrap().launch(3, 32, (&to_gpu(&words), &mut out, n as i32)).unwrap();
    let got = out.to_vec();
    fn gcd(a: u32, b: u32) -> u32 {
        if b == 0 { a } else { gcd(b, a % b) }
    }
    for i in 0..n {
        let x = words[i];
        let floor = if x == 0 { 0 } else { 1u32 << (31 - x.leading_zeros()) };
        let (a, b) = (x as i32 as i64, i as i64);
        let want = [
            x.count_ones() as i32,
            x.leading_zeros() as i32,
            x.trailing_zeros() as i32,
            x.rotate_left(i as u32 % 40 % 32) as i32,
            floor as i32,
            8 - (x as u8).leading_zeros() as i32,
            x.swap_bytes() as i32,
            gcd(x, 360) as i32,
            (a + (b - a) / 2) as i32,
            (i as i32 + 6) / 7,
            (x as u16).trailing_ones() as i32,
            31 - (x | 1).leading_zeros() as i32,
        ];
        assert_eq!(got[12 * i..12 * i + 12], want, "{i} {x}");
    }
    let data: Vec<i32> = (0..64).map(|k| k * 37 % 61).collect();
    let (mut out, mut f) = (zeros::<i32>(13), zeros::<f32>(5));
    m.get_function("mixed").unwrap().launch(1, 64, (&to_gpu(&data), &mut out, &mut f)).unwrap();
    let top = *data.iter().max().unwrap();
    let at = data.iter().position(|x| *x == top).unwrap() as i32;
    assert_eq!(
        out.to_vec(),
        vec![
            at,
            data.iter().sum(),
            data.iter().filter(|x| *x % 2 == 0).count() as i32,
            data[63],
            1 + 'x' as i32,
            6,
            3 + 'x' as i32,
            i32::MIN,
            5,
            7,
            12,
            1,
            2
        ]
    );
    let f = f.to_vec();
    assert!(
        f[0] == top as f32
            && f[1] == 2.5
            && f[2] == f32::INFINITY
            && f[3].is_nan()
            && (f[4] - (2f32.sqrt() + 8.0 + 5.0 + 1.5)).abs() < 1e-5,
        "{f:?}"
    );
}
