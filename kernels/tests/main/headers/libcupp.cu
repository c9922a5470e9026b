// Uses everything of the family once.
#include <cuda/atomic>
#include <cuda_pipeline.h>
#include <cuda_pipeline_primitives.h>
#include <cuda_awbarrier.h>
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/std/barrier>
#include <cuda/latch>
#include <cuda/semaphore>
#include <cuda/pipeline>
#include <cuda/std/type_traits>
#include <cuda/std/limits>
#include <cuda/std/utility>
#include <cuda/std/array>
#include <cuda/std/cstdint>
#include <cuda/std/cstddef>
#include <cuda/std/climits>
#include <cuda/std/cfloat>
#include <cuda/std/cassert>
#include <cuda/std/version>
#include <cuda/version>
#include <cuda/std/complex>
#include <cuda/std/cmath>
#include <cuda/cmath>
#include <cuda/std/bit>
#include <cuda/std/algorithm>
#include <cuda/std/numeric>
#include <cuda/std/functional>
#include <cuda/functional>
#include <cuda/std/tuple>
#include <nv/target>
#include <cuda/std/optional>
#include <cuda/std/span>
#include <cuda/std/latch>
#include <cuda/std/semaphore>
#include <cuda/std/initializer_list>
namespace trial_at {
struct Pair { short a, b; };
__device__ cuda::atomic<int, cuda::thread_scope_device> counter(5);
__device__ cuda::atomic<unsigned long long> zero;
__device__ cuda::std::atomic<float> total{1.5f};
__device__ cuda::std::atomic_flag flag_ = ATOMIC_FLAG_INIT;
template <class T, cuda::thread_scope S> __device__ T numbers(T *p) {
  cuda::atomic_ref<T, S> r(*p);
  r.store(T(1)); r = T(2); T a = r.load(cuda::memory_order_acquire); a += r; a += r.exchange(T(3), cuda::std::memory_order_acq_rel);
  T e = T(3); a += r.compare_exchange_weak(e, T(4)); a += r.compare_exchange_strong(e, T(5), cuda::memory_order::release, cuda::memory_order::relaxed);
  a += r.fetch_add(1); a += r.fetch_sub(1, cuda::memory_order_relaxed); a += r.fetch_min(2); a += r.fetch_max(7);
  a += ++r; a += r++; a += --r; a += r--; a += (r += 2); a += (r -= 1);
  return a;
}
template <class T, cuda::thread_scope S> __device__ T integers(T *p) {
  cuda::atomic_ref<T, S> r(*p);
  T a = numbers<T, S>(p);
  a += r.fetch_and(3); a += r.fetch_or(5, cuda::memory_order_relaxed); a += r.fetch_xor(1); a += (r &= 7); a += (r |= 8); a += (r ^= 2);
  return a;
}
template <class T> __device__ T all(T *p) {
  return integers<T, cuda::thread_scope_system>(p) + integers<T, cuda::thread_scope_device>(p) + integers<T, cuda::thread_scope_block>(p) + integers<T, cuda::thread_scope_thread>(p);
}
template <class T> __device__ T floats(T *p) {
  return numbers<T, cuda::thread_scope_system>(p) + numbers<T, cuda::thread_scope_device>(p) + numbers<T, cuda::thread_scope_block>(p) + numbers<T, cuda::thread_scope_thread>(p);
}
__global__ void at_k(long long *o, char *m) {
  __shared__ cuda::atomic<int, cuda::thread_scope_block> x;
  __shared__ cuda::atomic<Pair, cuda::thread_scope_block> pair;
  __shared__ cuda::atomic<bool, cuda::thread_scope_block> yes;
  __shared__ cuda::std::atomic_int si;
  if (threadIdx.x == 0) { x = 0; pair = Pair{1, 2}; yes = true; si.store(1); new (&x) cuda::atomic<int, cuda::thread_scope_block>(3); }
  __syncthreads();
  x.fetch_add(1); o[0] = x + pair.load().b + yes + si;
  cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_block);
  cuda::std::atomic_thread_fence(cuda::std::memory_order_release); cuda::std::atomic_signal_fence(cuda::std::memory_order_acquire);
  o[1] = all((signed char *)m) + all((unsigned char *)m) + all((short *)m) + all((unsigned short *)m) + all((int *)m) + all((unsigned *)m) + all((long *)m) + all((unsigned long *)m) + all((long long *)m) + all((unsigned long long *)m) + all((char *)m);
  o[2] = floats((float *)m) + floats((double *)m);
  __shared__ cuda::atomic<int *> q; q = (int *)m; q += 2; q++; q.fetch_sub(1); o[3] = (long long)q.load();
  o[4] = counter++ + zero.fetch_max(3) + total.fetch_add(2.f);
  while (flag_.test_and_set(cuda::std::memory_order_acquire)) {}
  flag_.clear(cuda::std::memory_order_release);
  int e = 1; o[5] = cuda::std::atomic_compare_exchange_strong(&si, &e, 4); cuda::std::atomic_fetch_add(&si, 1); cuda::std::atomic_store(&si, 9); o[6] = cuda::std::atomic_load_explicit(&si, cuda::std::memory_order_relaxed);
  si.wait(1); si.notify_all();
  static_assert(sizeof(cuda::atomic<char>) == 1 && sizeof(cuda::atomic<Pair>) == 4 && cuda::atomic<int>::is_always_lock_free, "");
}
}
namespace trial_pi {
struct S12 { int a, b, c; };
__global__ void pi_k(int4 *in, int *out, S12 *s, float4 *big) {
  __shared__ int4 a[64]; __shared__ __mbarrier_t bar; __shared__ nvcuda::experimental::awbarrier aw;
  __shared__ S12 t[2]; __shared__ char c; __shared__ float4 f[4];
  if (threadIdx.x == 0) { __mbarrier_init(&bar, blockDim.x); init(&aw, blockDim.x); }
  __syncthreads();
  __pipeline_memcpy_async(&a[threadIdx.x], &in[threadIdx.x], sizeof(int4)); __pipeline_commit();
  __pipeline_memcpy_async(&a[threadIdx.x], &in[threadIdx.x], 8, 3); __pipeline_commit();
  __pipeline_memcpy_async(&a[threadIdx.x], &in[threadIdx.x], 4, 4); __pipeline_commit();
  __pipeline_wait_prior(1); __pipeline_wait_prior(0);
  __pipeline_arrive_on(&bar);
  __mbarrier_token_t tk = __mbarrier_arrive(&bar);
  out[2 * threadIdx.x] = __mbarrier_token_pending_count(tk);
  while (!__mbarrier_test_wait(&bar, tk)) {}
  bool p = __mbarrier_test_wait_parity(&bar, false) && !__mbarrier_test_wait_parity(&bar, true) && __mbarrier_try_wait(&bar, tk, 100) && !__mbarrier_try_wait_parity(&bar, true, 100);
  __mbarrier_arrive_and_drop(&bar);
  nvcuda::experimental::pipeline pipe;
  memcpy_async(t[0], s[0], pipe); memcpy_async(c, ((char *)s)[1], pipe); memcpy_async(f[threadIdx.x % 4], big[threadIdx.x % 4], pipe);
  size_t b = pipe.commit(); pipe.wait(b); pipe.commit_and_wait(); pipe.wait_prior<1>(); pipe.arrive_on(aw);
  auto token = aw.arrive(); out[1] = token.pending_count(); aw.wait(token); aw.wait_parity(false); aw.arrive_and_wait(); aw.timed_wait(aw.arrive(), 100); aw.timed_wait_parity(true, 100); aw.arrive_and_drop();
  __syncthreads();
  inval(&aw); __mbarrier_inval(&bar);
  out[2 * threadIdx.x + 1] = p + (int)(__mbarrier_maximum_count() == aw.max()) + t[0].b + c;
}
}
namespace trial_barriers {
namespace cg = cooperative_groups;
struct Done { int *n; __device__ void operator()() noexcept { ++*n; } };
__device__ cuda::barrier<cuda::thread_scope_device> device_barrier(64);
__global__ void bar_k(int *in, int *out) {
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  __shared__ cuda::barrier<cuda::thread_scope_block, Done> counted;
  __shared__ cuda::std::barrier<> wide;
  __shared__ cuda::latch<cuda::thread_scope_block> l; __shared__ cuda::counting_semaphore<cuda::thread_scope_block, 4> sem; __shared__ cuda::binary_semaphore<cuda::thread_scope_block> mutex;
  __shared__ int n, buf[256];
  auto block = cg::this_thread_block();
  if (threadIdx.x == 0) { n = 0; init(&bar, blockDim.x); init(&counted, blockDim.x, Done{&n}); init(&wide, blockDim.x); init(&l, blockDim.x); init(&sem, 4); init(&mutex, 1); }
  block.sync();
  cuda::memcpy_async(block, buf, in, sizeof(int) * blockDim.x, bar);
  cuda::memcpy_async(block, buf, in, cuda::aligned_size_t<16>(sizeof(int) * 64), bar);
  cuda::memcpy_async(buf + threadIdx.x, in + threadIdx.x, sizeof(int), bar);
  cuda::memcpy_async(buf + threadIdx.x, in + threadIdx.x, cuda::aligned_size_t<4>(4), bar);
  auto t = bar.arrive(); bar.wait(static_cast<decltype(t) &&>(t));
  bar.arrive_and_wait(); counted.arrive_and_wait(); wide.arrive_and_wait();
  bar.wait_parity(true);
  auto u = bar.arrive(); while (!bar.try_wait(u)) {}
  bool q = bar.try_wait_parity(false);
  l.count_down(); l.wait(); sem.acquire(); sem.release(); mutex.acquire(); n++; mutex.release();
  if (threadIdx.x == 0) bar.arrive(blockDim.x); 
  bar.arrive_and_drop(); counted.arrive_and_drop();
  device_barrier.arrive();
  out[threadIdx.x] = buf[threadIdx.x] + n + q + (int)bar.max() + (int)l.max() + (int)sem.max() + l.try_wait();
  static_assert(sizeof(bar) == 8 && sizeof(counted) == 16, "");
}
__global__ void bar_p(int *in, int *out, int n) {
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> s1, s2, s3;
  __shared__ int buf[4][64];
  auto block = cg::this_thread_block();
  auto unified = cuda::make_pipeline(block, &s1);
  for (int k = 0; k < n; k++) {
    unified.producer_acquire(); cuda::memcpy_async(block, buf[k % 4], in + k * 64, sizeof(int) * 64, unified); unified.producer_commit();
    unified.consumer_wait(); out[k] += buf[k % 4][threadIdx.x]; unified.consumer_release();
  }
  auto a = cuda::make_pipeline(block, &s2, 32); auto b = cuda::make_pipeline(block, &s3, threadIdx.x < 32 ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
  if (threadIdx.x < 32) { a.producer_acquire(); cuda::memcpy_async(&buf[0][threadIdx.x], in, cuda::aligned_size_t<4>(4), a); a.producer_commit(); }
  else { a.consumer_wait(); a.consumer_release(); }
  out[7] = a.quit();
  auto own = cuda::make_pipeline();
  own.producer_acquire(); cuda::memcpy_async(&buf[0][threadIdx.x], in, 4, own); own.producer_commit(); own.consumer_wait(); own.consumer_release();
  cuda::pipeline_consumer_wait_prior<1>(own);
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  cuda::pipeline_producer_commit(own, bar);
}
}
namespace trial_tt {
namespace S = cuda::std;
struct A { int a; int f(int) const { return a; } }; struct B : A { virtual ~B(); B(const B&); }; enum class E : short { x }; union U { int a; };
struct N { N() = default; N(const N &) = delete; ~N() = delete; };
static_assert(S::is_same_v<S::decay_t<int (&)[3]>, int *> && S::is_same_v<S::decay_t<int(float)>, int (*)(float)>);
static_assert(S::is_function_v<int(int)> && !S::is_function_v<int> && !S::is_function_v<int &>);
static_assert(S::is_convertible_v<int, float> && !S::is_convertible_v<A, int> && S::is_convertible_v<B *, A *> && !S::is_convertible_v<A *, B *> && S::is_convertible_v<void, void>);
static_assert(S::is_same_v<S::common_type_t<int, float, double>, double> && S::is_same_v<S::common_type_t<char>, char>);
static_assert(S::is_same_v<S::make_unsigned_t<const int>, const unsigned> && S::is_same_v<S::make_signed_t<unsigned long long>, long long> && S::is_same_v<S::make_signed_t<E>, short>);
static_assert(S::is_same_v<S::underlying_type_t<E>, short>);
static_assert(S::is_trivially_copyable_v<A> && !S::is_trivially_copyable_v<B> && S::is_polymorphic_v<B> && S::has_virtual_destructor_v<B>);
static_assert(S::is_default_constructible_v<A> && !S::is_default_constructible_v<B> && S::is_copy_constructible_v<B> && !S::is_nothrow_copy_constructible_v<B> && S::is_nothrow_copy_constructible_v<A>);
static_assert(!S::is_destructible_v<N> && S::is_destructible_v<A> && S::is_trivially_destructible_v<A> && !S::is_trivially_destructible_v<B> && S::is_destructible_v<int &> && !S::is_destructible_v<void>);
static_assert(S::is_invocable_v<decltype(&A::f), A, int> && S::is_invocable_v<decltype(&A::a), A *> && !S::is_invocable_v<int> && S::is_invocable_r_v<float, int(*)(int), int>);
static_assert(S::is_same_v<S::invoke_result_t<decltype(&A::a), A &>, int &> && S::is_same_v<S::invoke_result_t<int (*)(char), char>, int>);
static_assert(S::rank_v<int[2][3]> == 2 && S::extent_v<int[2][3], 1> == 3 && S::extent_v<int[2][3]> == 2 && S::alignment_of_v<double> == 8);
static_assert(S::is_member_function_pointer_v<decltype(&A::f)> && S::is_member_object_pointer_v<decltype(&A::a)>);
static_assert(S::is_signed_v<float> && S::is_unsigned_v<bool> && !S::is_signed_v<A> && S::is_scalar_v<E> && S::is_enum_v<E> && S::is_union_v<U>);
static_assert(S::is_trivial_v<A> && S::is_pod_v<int> && S::is_aggregate_v<A> && S::is_empty_v<S::true_type> && S::has_unique_object_representations_v<int>);
static_assert(S::is_same_v<S::add_pointer_t<int &>, int *> && S::is_same_v<S::add_lvalue_reference_t<void>, void> && S::is_same_v<S::remove_cvref_t<const int &>, int>);
static_assert(S::conjunction_v<S::true_type, S::is_integral<int>> && S::disjunction_v<S::false_type, S::true_type> && S::negation_v<S::false_type>);
static_assert(sizeof(S::aligned_storage_t<12>) == 16 && alignof(S::aligned_storage_t<12>) == 8 && S::is_constant_evaluated());
static_assert(S::is_nothrow_constructible_v<int, float> && S::is_nothrow_default_constructible_v<int[3]> && S::is_nothrow_move_assignable_v<A> && S::is_trivially_copy_constructible_v<A>);
static_assert(S::is_nothrow_convertible_v<int, long> && S::is_assignable_v<int &, float> && !S::is_assignable_v<int, float> && S::is_base_of_v<A, B>);
static_assert(S::is_void_v<const void> && S::is_null_pointer_v<S::nullptr_t> && S::is_object_v<int> && S::is_compound_v<A> && S::is_fundamental_v<float>);
__global__ void tt_k() {}
}
namespace trial_ut {
namespace S = cuda::std;
static_assert(S::numeric_limits<int>::max() == INT_MAX && S::numeric_limits<int>::min() == INT_MIN && S::numeric_limits<unsigned char>::max() == 255 && S::numeric_limits<signed char>::min() == -128);
static_assert(S::numeric_limits<long long>::min() == LLONG_MIN && S::numeric_limits<unsigned long>::max() == ULONG_MAX && S::numeric_limits<short>::digits10 == 4 && S::numeric_limits<unsigned long long>::digits10 == 19 && S::numeric_limits<bool>::digits10 == 0);
static_assert(S::numeric_limits<float>::max() == FLT_MAX && S::numeric_limits<double>::infinity() > DBL_MAX && S::numeric_limits<float>::quiet_NaN() != S::numeric_limits<float>::quiet_NaN());
static_assert(!S::numeric_limits<void *>::is_specialized && S::numeric_limits<const int>::is_integer && S::numeric_limits<float>::infinity() > 0 && S::numeric_limits<unsigned>::is_modulo);
static_assert(S::is_same_v<S::uint64_t, unsigned long> && sizeof(S::int_least16_t) == 2 && sizeof(S::uintptr_t) == 8);
static_assert(S::is_same_v<S::make_index_sequence<5>, S::index_sequence<0, 1, 2, 3, 4>> && S::is_same_v<S::make_integer_sequence<int, 1>, S::integer_sequence<int, 0>>);
constexpr S::array<int, 3> arr = {{1, 2, 3}};
static_assert(arr[1] == 2 && S::get<2>(arr) == 3 && arr.size() == 3 && arr < S::array<int, 3>{{1, 3, 0}} && S::to_array({1, 2, 3}) == arr && arr.at(2) == 3);
static_assert(S::cmp_less(-1, 1u) && !S::cmp_equal(-1, ~0u) && S::make_pair(1, 2.5) == S::pair<int, double>(1, 2.5) && S::pair{1, 2} < S::pair{1, 3});
static_assert(S::is_trivially_copyable_v<S::pair<int, float>> && S::to_integer<int>(S::byte{3} << 2) == 12 && S::tuple_size_v<S::pair<int, int>> == 2);
__global__ void ut_k(int *o) {
  S::pair<int, float> p{3, 4.f}; auto [a, b] = p; auto [c, d, e] = arr; const auto &[f, g] = p;
  S::array ar{1, 2, 3, 4}; int s = 0; for (int x : ar) s += x; ar.fill(2); S::array<int, 4> br{}; swap(ar, br); S::swap(a, c);
  int old = S::exchange(o[1], 7); S::pair<double, double> q = p; q = p; s += S::get<0>(q) + S::get<float>(p) + S::get<0>(S::move(p));
  assert(s > 0);
  o[0] = s + a + (int)b + c + d + e + old + f + (int)g + br.front() + br.back() + *ar.begin();
  S::byte bb{1}; bb |= S::byte{2}; bb <<= 1; o[2] = S::to_integer<int>(bb ^ ~S::byte{0});
  o[3] = S::is_same_v<decltype(S::as_const(s)), const int &>;
}
}
namespace trial_cx {
namespace S = cuda::std;
template <class T> __device__ void all(S::complex<T> z, S::complex<T> w, S::complex<T> *o) {
  int k = 0;
  o[k++] = z + w; o[k++] = z - w; o[k++] = z * w; o[k++] = z / w; o[k++] = z * T(2); o[k++] = T(2) / z; o[k++] = T(2) - z; o[k++] = 2 * z; o[k++] = -z;
  o[k++] = exp(z); o[k++] = log(z); o[k++] = log10(z); o[k++] = sqrt(z); o[k++] = pow(z, w); o[k++] = pow(z, T(3)); o[k++] = pow(T(2), z); o[k++] = S::pow(z, 2);
  o[k++] = sin(z); o[k++] = cos(z); o[k++] = tan(z); o[k++] = sinh(z); o[k++] = cosh(z); o[k++] = tanh(z);
  o[k++] = asin(z); o[k++] = acos(z); o[k++] = atan(z); o[k++] = asinh(z); o[k++] = acosh(z); o[k++] = atanh(z);
  o[k++] = S::polar(T(2), T(0.5)); o[k++] = conj(z); o[k++] = proj(z); o[k++] = S::complex<T>(abs(z), arg(z)); o[k++] = norm(z); o[k++] = S::real(3); z *= w; z += 1; o[k++] = z;
}
__global__ void cx_c(S::complex<float> *f, S::complex<double> *d) { all(f[0], f[1], f + 2); all(d[0], d[1], d + 2); f[0] = S::complex<float>(d[0]); d[0] = f[0]; f[1] = f[0] == 1 || 1 != f[0]; 
  auto z = d[0]; z.real(1); z.imag(2); static_assert(S::complex<double>(1, 2).imag() == 2); }
__global__ void cx_m(float *f, double *d, int n) {
  f[0] = S::sqrt(f[0]) + S::sinf(f[1]) + S::pow(f[1], f[2]) + S::fma(f[1], f[2], f[3]) + S::abs(f[1]) + S::hypot(f[1], f[2], f[3]) + S::lerp(f[1], f[2], f[3]) + S::isnan(f[0]) + S::signbit(f[1]) + S::ilogb(f[2]) + S::lround(f[3]);
  d[0] = S::sqrt(n) + S::pow(d[0], 2) + S::atan2(d[1], f[1]) + S::abs(n) + S::fmod(n, 3) + S::ldexp(d[1], 3) + S::isinf(d[1]) + S::isfinite(n) + S::frexp(d[1], &n) + S::modf(d[1], d + 2) + S::nextafter(d[1], d[2]) + S::isless(1, 2.0);
  static_assert(cuda::ceil_div(10, 3) == 4 && cuda::round_up(10u, 4) == 12 && cuda::round_down(10, 4) == 8 && cuda::is_power_of_two(8) && cuda::next_power_of_two(9) == 16 && cuda::ilog2(1000) == 9 && cuda::uabs(-5) == 5u);
  static_assert(S::popcount(255u) == 8 && S::countl_zero((unsigned char)1) == 7 && S::countr_zero(8u) == 3 && S::countr_zero(0u) == 32 && S::rotl(0x81u, 4) == 0x810 && S::rotr((unsigned char)1, 1) == 128 && S::bit_ceil(9u) == 16 && S::bit_floor(9u) == 8 && S::bit_width(9u) == 4 && S::has_single_bit(8u) && S::byteswap(0x01020304u) == 0x04030201u && S::countl_one(0xf0000000u) == 4 && S::countr_one(7ull) == 3 && S::bit_cast<unsigned>(1.f) == 0x3f800000);
  n = S::popcount((unsigned)n) + S::countl_zero((unsigned short)n) + S::countr_zero((unsigned long long)n) + S::bit_cast<int>(f[1]);
  NV_IF_TARGET(NV_IS_DEVICE, (n++;), (n = nothing;))
  NV_IF_TARGET(NV_IS_HOST, (n = nothing;))
  NV_IF_ELSE_TARGET(NV_PROVIDES_SM_90, (int q = 1; n += q;), (n += 2;))
  NV_DISPATCH_TARGET(NV_IS_HOST, (n = nothing;), NV_PROVIDES_SM_90, (n += 10;), NV_PROVIDES_SM_80, (n += 20;), NV_ANY_TARGET, (n += 30;))
  f[3] = n;
}
constexpr int sorted[] = {1, 2, 2, 5, 9};
static_assert(S::lower_bound(sorted, sorted + 5, 2) == sorted + 1 && S::upper_bound(sorted, sorted + 5, 2) == sorted + 3 && S::binary_search(sorted, sorted + 5, 5) && S::max(1, 3) == 3 && S::min(2, 1) == 1 && S::clamp(7, 0, 5) == 5 && S::is_sorted(sorted, sorted + 5) && S::count(sorted, sorted + 5, 2) == 2 && S::accumulate(sorted, sorted + 5, 0) == 19 && S::gcd(12, 18) == 6 && S::lcm(4, 6) == 12 && S::midpoint(1, 4) == 2 && S::midpoint(4, 1) == 3);
static_assert(S::plus<>()(1, 2.5) == 3.5 && S::less<int>()(1, 2) && S::greater<>()(2, 1) && S::negate<>()(3) == -3 && S::bit_xor<int>()(5, 1) == 4 && cuda::maximum<>()(1, 2.5) == 2.5 && cuda::minimum<int>{}(3, 2) == 2 && S::identity()(4) == 4 && S::not_fn(S::less<>())(2, 1));
static_assert(S::get<1>(S::make_tuple(1, 2.5, 'c')) == 2.5 && S::tuple<int, int>(1, 2) < S::tuple<int, int>(1, 3) && S::tuple_size_v<decltype(S::tuple_cat(S::make_tuple(1, 2), S::make_pair(3, 4), S::tuple<>()))> == 4 && S::apply(S::plus<>(), S::make_tuple(1, 2)) == 3);
struct Q { int v; __host__ __device__ int times(int k) const { return v * k; } };
__device__ int twice(int x) { return 2 * x; }
__global__ void cx_t(int *o) {
  int a = 1; float b = 2; S::tuple<int, float, char> x(1, 2.f, 'a'); S::tie(a, b, S::ignore) = x; auto [p, q, r] = x; x = S::make_tuple(3, 4.0, 'c'); S::get<0>(x) += 1; S::get<float>(x) = 3;
  auto all = S::tuple_cat(x, S::make_tuple(5), S::forward_as_tuple(a)); S::swap(x, x); S::tuple<int, float> pr = S::make_pair(1, 2.f); pr = S::make_pair(2, 3.f);
  S::tuple one(5); S::tuple copy(one); S::tuple<int> conv{S::tuple<short>((short)2)};
  Q v{3}; o[0] = a + (int)b + p + (int)q + r + S::get<3>(all) + S::get<4>(all) + S::invoke(&Q::times, v, 2) + S::invoke(&Q::v, &v) + S::invoke(twice, 4) + S::get<0>(pr) + S::get<0>(copy) + S::get<0>(conv) + S::make_from_tuple<int>(one) + S::mem_fn(&Q::times)(v, 2);
  auto r1 = S::ref(a); r1.get() = 9; auto made = S::make_tuple(S::ref(a), S::cref(b)); S::get<0>(made)++; o[1] = a; auto f = cuda::proclaim_return_type<int>([=] (int k) { return k + 1.5; }); o[2] = f(1); o[3] = S::ref(v).get().v;
  int arr[5] = {5, 3, 1, 4, 1}, dst[5]; S::copy(arr, arr + 5, dst); S::fill_n(arr, 2, 7); S::reverse(dst, dst + 5); S::rotate(dst, dst + 2, dst + 5); o[4] = *S::max_element(dst, dst + 5); S::iota(arr, arr + 5, 3); S::exclusive_scan(arr, arr + 5, dst, 0); S::partial_sum(arr, arr + 5, arr); S::transform(arr, arr + 5, dst, S::negate<>()); o[5] = S::unique(dst, dst + 5) - dst; o[6] = S::inner_product(arr, arr + 5, dst, 0) + S::reduce(arr, arr + 5) + S::gcd(o[7], 8u); S::adjacent_difference(arr, arr + 5, dst); o[8] = S::remove(dst, dst + 5, 4) - dst; S::for_each(dst, dst + 5, [](int &k) { k++; });
  o[9] = S::any_of(dst, dst + 5, [](int k) { return k == 2; }) + S::equal(arr, arr + 5, dst) + S::lexicographical_compare(arr, arr + 5, dst, dst + 5) + S::minmax(3, 2).first + S::equal_range(dst, dst + 5, 3).first[0]; S::swap_ranges(arr, arr + 5, dst);
}
}
namespace trial_os {
namespace S = cuda::std;
struct Counted { int *n; int v; __device__ Counted(int *n, int v) : n(n), v(v) { ++*n; } __device__ Counted(const Counted &o) : n(o.n), v(o.v) { ++*n; } __device__ Counted &operator=(const Counted &o) { v = o.v; return *this; } __device__ ~Counted() { --*n; } };
static_assert(S::is_trivially_copyable_v<S::optional<int>> && S::optional<int>(3).value() == 3 && !S::optional<int>() && S::optional<int>(3) == 3 && S::optional<int>() < S::optional<int>(0) && S::optional<int>() == S::nullopt);
__device__ S::optional<float> root(float x) { if (x < 0) return S::nullopt; return x; }
__global__ void os_k(int *o) {
  S::optional<float> r = root((float)o[0]); o[0] = (int)r.value_or(-1) + (r ? 1 : 0) + (r.has_value() ? (int)*r : 0);
  r = 4; r = S::nullopt; r.emplace(3.f); r.reset(); auto q = S::make_optional(3); swap(q, q); S::optional guess(2.5); o[1] = *q + (int)*guess + (guess > 2.0);
  int n = 0; { S::optional<Counted> a(S::in_place, &n, 3), b, c(a); b = a; c = b; b = S::nullopt; a.swap(c); a.emplace(&n, 5); o[2] = n + a->v; } o[3] = n;
  int x[6] = {1, 2, 3, 4, 5, 6}; S::span s(x); S::span<const int> cs = s; S::span<int> d(x, 4); S::array<int, 3> ar{{7, 8, 9}}; S::span<int, 3> sa(ar); S::span<const int> ca(static_cast<const S::array<int, 3> &>(ar));
  int sum = 0; for (int v : cs) sum += v; for (int v : d.subspan(1, 2)) sum += v; sum += s.first<2>().back() + d.last(1)[0] + (int)sa.subspan<1>().size() + ca.front() + (int)S::as_bytes(s).size() + (int)S::span<int>().empty() + (int)decltype(s)::extent;
  S::as_writable_bytes(d)[0] = S::byte{2}; o[4] = sum + d[0];
}
}
