#include <cub/cub.cuh>
#define ARCH800 , 800
#define CONFIG 1
// Each kernel checks what it computes against plain loops: errors[0] counts, errors[1] is the line of one.
#define CHECK(...) do { if (!(__VA_ARGS__)) { atomicAdd(errors, 1); atomicExch(errors + 1, __LINE__); atomicAdd(errors + __LINE__, 1); } } while (0)
#define DI __device__ inline
DI unsigned hash(unsigned x) { x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; return x ^ x >> 16; }
struct Affine { unsigned a, b; };
struct Compose { DI Affine operator()(const Affine &f, const Affine &g) const { return {f.a * g.a, f.b * g.a + g.b}; } };
struct Big { unsigned a, b; unsigned char tail[37]; };
struct BigOp { DI Big operator()(const Big &f, const Big &g) const {
  Big r; r.a = f.a * g.a; r.b = f.b * g.a + g.b; for (int k = 0; k < 37; k++) r.tail[k] = (unsigned char)(f.tail[k] * 3 * 0 + f.tail[k] + g.tail[k]); return r; } };
struct Made { short v; DI Made() : v(0) {} DI Made(int v) : v((short)v) {} DI bool operator==(const Made &o) const { return v == o.v; }
  DI Made operator+(const Made &o) const { return Made(v + o.v); } };
DI bool same(int a, int b) { return a == b; }
DI bool same(unsigned a, unsigned b) { return a == b; }
DI bool same(float a, float b) { return a == b; }
DI bool same(double a, double b) { return a == b; }
DI bool same(char a, char b) { return a == b; }
DI bool same(long long a, long long b) { return a == b; }
DI bool same(const Made &a, const Made &b) { return a == b; }
DI bool same(Affine a, Affine b) { return a.a == b.a && a.b == b.b; }
DI bool same(const Big &a, const Big &b) { bool ok = a.a == b.a && a.b == b.b; for (int k = 0; k < 37; k++) ok = ok && a.tail[k] == b.tail[k]; return ok; }
template <class T> DI T gen(int i) { return (T)((int)(hash(i + 1) % 201) - 100); }
template <> DI char gen<char>(int i) { return (char)(hash(i + 1) % 3); }
template <> DI Made gen<Made>(int i) { return Made((int)(hash(i + 1) % 100)); }
template <> DI Affine gen<Affine>(int i) { return {hash(i) | 1, hash(i + 77)}; }
template <> DI Big gen<Big>(int i) { Big r; r.a = hash(i) | 1; r.b = hash(i + 77); for (int k = 0; k < 37; k++) r.tail[k] = (unsigned char)hash(i * 37 + k); return r; }
template <class T, class F> DI T fold(int first, int end, F op) { T all = gen<T>(first); end += blockDim.x == 12345; for (int k = first + 1; k < end; k++) all = op(all, gen<T>(k)); return all; }
template <class T, class F> struct Callback { T total; F op; int calls; DI T operator()(const T &aggregate) { T before = total; total = op(total, aggregate); calls++; return before; } };
struct MaxOf { template <class T> DI T operator()(const T &a, const T &b) const { return a < b ? b : a; } };

template <class T, class F, int X, int Y, int Z, cub::BlockReduceAlgorithm A> DI void reduces(int *errors, F op) {
  typedef cub::BlockReduce<T, X, A, Y, Z> R;
  typedef cub::BlockReduce<T, X, A, Y, Z ARCH800> R8;
  __shared__ union { typename R::TempStorage a; typename R8::TempStorage b; } temp;
  const int n = X * Y * Z, t = cub::RowMajorTid(X, Y, Z);
  T r = R(temp.a).Reduce(gen<T>(t), op);
  if (t == 0) CHECK(same(r, fold<T>(0, n, op)));
  __syncthreads();
  const int valid[] = {1, 2, 31, 32, 33, n / 2, n - 1, n};
  for (int v : valid) {
    if (v < 1 || v > n) continue;
    r = R8(temp.b).Reduce(gen<T>(t), op, v);
    if (t == 0) CHECK(same(r, fold<T>(0, v, op)));
    __syncthreads();
  }
  T items[3] = {gen<T>(3 * t), gen<T>(3 * t + 1), gen<T>(3 * t + 2)};
  r = R().Reduce(items, op);
  if (t == 0) CHECK(same(r, fold<T>(0, 3 * n, op)));
  __syncthreads();
}
template <class T, int X, int Y, int Z> DI void sums(int *errors) {
  typedef cub::BlockReduce<T, X, cub::BLOCK_REDUCE_WARP_REDUCTIONS, Y, Z> R;
  __shared__ typename R::TempStorage temp;
  const int n = X * Y * Z, t = cub::RowMajorTid(X, Y, Z);
  T r = R(temp).Sum(gen<T>(t));
  if (t == 0) CHECK(same(r, fold<T>(0, n, cub::Sum())));
  __syncthreads();
  r = R(temp).Sum(gen<T>(t), n - n / 3);
  if (t == 0) CHECK(same(r, fold<T>(0, n - n / 3, cub::Sum())));
  __syncthreads();
  T items[4]; for (int k = 0; k < 4; k++) items[k] = gen<T>(4 * t + k);
  r = R(temp).Sum(items);
  if (t == 0) CHECK(same(r, fold<T>(0, 4 * n, cub::Sum())));
  __syncthreads();
}
template <class T, class F, int X, int Y, int Z, cub::BlockScanAlgorithm A> DI void scans(int *errors, F op, T init) {
  typedef cub::BlockScan<T, X, A, Y, Z> S;
  __shared__ typename S::TempStorage temp;
  const int n = X * Y * Z, t = cub::RowMajorTid(X, Y, Z);
  const T own = gen<T>(t), in = fold<T>(0, t + 1, op), all = fold<T>(0, n, op), ex = t ? fold<T>(0, t, op) : own;
  T out, agg;
  S(temp).InclusiveScan(own, out, op); CHECK(same(out, in)); __syncthreads();
  S(temp).InclusiveScan(own, out, op, agg); CHECK(same(out, in) && same(agg, all)); __syncthreads();
  S(temp).InclusiveScan(own, out, init, op); CHECK(same(out, op(init, in))); __syncthreads();
  S(temp).InclusiveScan(own, out, init, op, agg); CHECK(same(out, op(init, in)) && same(agg, all)); __syncthreads();
  S(temp).ExclusiveScan(own, out, op); CHECK(t == 0 || same(out, ex)); __syncthreads();
  S(temp).ExclusiveScan(own, out, op, agg); CHECK((t == 0 || same(out, ex)) && same(agg, all)); __syncthreads();
  S(temp).ExclusiveScan(own, out, init, op); CHECK(same(out, t ? op(init, ex) : init)); __syncthreads();
  S(temp).ExclusiveScan(own, out, init, op, agg); CHECK(same(out, t ? op(init, ex) : init) && same(agg, all)); __syncthreads();
  Callback<T, F> callback = {init, op, 0};
  S(temp).InclusiveScan(own, out, op, callback); CHECK(same(out, op(init, in))); __syncthreads();
  S(temp).ExclusiveScan(own, out, op, callback); CHECK(same(out, t ? op(op(init, all), ex) : op(init, all))); __syncthreads();
  CHECK(callback.calls == (t < 32 ? 2 : 0));
  T a[3], b[3], whole = fold<T>(0, 3 * n, op);
  T pre = t ? fold<T>(0, 3 * t, op) : init;
#define FILL for (int k = 0; k < 3; k++) a[k] = gen<T>(3 * t + k)
#define INCL(with) for (int k = 0; k < 3; k++) { T e = fold<T>(0, 3 * t + k + 1, op); CHECK(same(b[k], with)); }
#define EXCL(with, first) for (int k = 0; k < 3; k++) { if (t + k == 0) { CHECK(first); } else { T e = fold<T>(0, 3 * t + k, op); CHECK(same(b[k], with)); } }
  FILL; S(temp).InclusiveScan(a, b, op); INCL(e) __syncthreads();
  FILL; S(temp).InclusiveScan(a, b, op, agg); INCL(e) CHECK(same(agg, whole)); __syncthreads();
  FILL; S(temp).InclusiveScan(a, b, init, op); INCL(op(init, e)) __syncthreads();
  FILL; S(temp).InclusiveScan(a, b, init, op, agg); INCL(op(init, e)) CHECK(same(agg, whole)); __syncthreads();
  FILL; S(temp).ExclusiveScan(a, b, op); EXCL(e, true) __syncthreads();
  FILL; S(temp).ExclusiveScan(a, b, op, agg); EXCL(e, true) CHECK(same(agg, whole)); __syncthreads();
  FILL; S(temp).ExclusiveScan(a, b, init, op); EXCL(op(init, e), same(b[0], init)) __syncthreads();
  FILL; S(temp).ExclusiveScan(a, b, init, op, agg); EXCL(op(init, e), same(b[0], init)) CHECK(same(agg, whole)); __syncthreads();
  Callback<T, F> again = {init, op, 0};
  FILL; S(temp).InclusiveScan(a, b, op, again); INCL(op(init, e)) __syncthreads();
  FILL; S(temp).ExclusiveScan(a, b, op, again); EXCL(op(op(init, whole), e), same(b[0], op(init, whole))) __syncthreads();
  FILL; S().ExclusiveScan(a, a, init, op); for (int k = 0; k < 3; k++) b[k] = a[k]; EXCL(op(init, e), same(b[0], init)) __syncthreads();
  (void)pre;
}
template <class T, int X, int Y, int Z> DI void scan_sums(int *errors) {
  typedef cub::BlockScan<T, X, cub::BLOCK_SCAN_RAKING, Y, Z> S;
  __shared__ typename S::TempStorage temp;
  cub::Sum op; const T init = T();
  const int n = X * Y * Z, t = cub::RowMajorTid(X, Y, Z);
  const T own = gen<T>(t), in = fold<T>(0, t + 1, op), all = fold<T>(0, n, op), ex = t ? fold<T>(0, t, op) : T();
  T out, agg, a[3], b[3], whole = fold<T>(0, 3 * n, op);
  S(temp).InclusiveSum(own, out); CHECK(same(out, in)); __syncthreads();
  S(temp).InclusiveSum(own, out, agg); CHECK(same(out, in) && same(agg, all)); __syncthreads();
  S(temp).ExclusiveSum(own, out); CHECK(same(out, ex)); __syncthreads();
  S(temp).ExclusiveSum(own, out, agg); CHECK(same(out, ex) && same(agg, all)); __syncthreads();
  Callback<T, cub::Sum> c = {init, op, 0};
  S(temp).InclusiveSum(own, out, c); CHECK(same(out, in)); __syncthreads();
  S(temp).ExclusiveSum(own, out, c); CHECK(same(out, (T)(all + ex))); __syncthreads();
  FILL; S(temp).InclusiveSum(a, b); INCL(e) __syncthreads();
  FILL; S(temp).InclusiveSum(a, b, agg); INCL(e) CHECK(same(agg, whole)); __syncthreads();
  FILL; S(temp).ExclusiveSum(a, b); EXCL(e, same(b[0], T())) __syncthreads();
  FILL; S(temp).ExclusiveSum(a, b, agg); EXCL(e, same(b[0], T())) CHECK(same(agg, whole)); __syncthreads();
  Callback<T, cub::Sum> d = {init, op, 0};
  FILL; S(temp).InclusiveSum(a, b, d); INCL(e) __syncthreads();
  FILL; S(temp).ExclusiveSum(a, b, d); EXCL((T)(whole + e), same(b[0], whole)) __syncthreads();
}
template <class T, class F, int N, int X> DI void warps(int *errors, F op, T init) {
  typedef cub::WarpReduce<T, N> R;
  typedef cub::WarpScan<T, N> S;
  __shared__ typename R::TempStorage rt[X / N + 1];
  __shared__ typename S::TempStorage st[X / N + 1];
  const int lane = threadIdx.x % 32, t = threadIdx.x;
  __syncthreads();
  if (lane / N * N + N > 32) return;
  const int first = t / 32 * 32 + lane / N * N, w = t / 32 * (32 / N) + lane / N, r = t - first;
  T out = R(rt[w]).Reduce(gen<T>(t), op);
  if (r == 0) CHECK(same(out, fold<T>(first, first + N, op)));
  for (int v = 1; v <= N; v++) {
    out = R(rt[w]).Reduce(gen<T>(t), op, v);
    if (r == 0) CHECK(same(out, fold<T>(first, first + v, op)));
  }
  // Segments.
  bool head = hash(t + 5) % 4 == 0, starts = head || r == 0;
  int end = t + 1; while (end < first + N && hash(end + 5) % 4) end++;
  out = R(rt[w]).HeadSegmentedReduce(gen<T>(t), head, op);
  if (starts) CHECK(same(out, fold<T>(t, end, op)));
  starts = r == 0 || hash(t - 1 + 5) % 4 == 0;
  end = t; while (end < first + N && hash(end + 5) % 4) end++;
  if (end < first + N) end++;
  out = R(rt[w]).TailSegmentedReduce(gen<T>(t), head, op);
  if (starts) CHECK(same(out, fold<T>(t, end, op)));
  const T own = gen<T>(t), in = fold<T>(first, t + 1, op), all = fold<T>(first, first + N, op), ex = r ? fold<T>(first, t, op) : own;
  T agg, other;
  S(st[w]).InclusiveScan(own, out, op); CHECK(same(out, in));
  S(st[w]).InclusiveScan(own, out, op, agg); CHECK(same(out, in) && same(agg, all));
  S(st[w]).InclusiveScan(own, out, init, op); CHECK(same(out, op(init, in)));
  S(st[w]).InclusiveScan(own, out, init, op, agg); CHECK(same(out, op(init, in)) && same(agg, all));
  S(st[w]).ExclusiveScan(own, out, op); CHECK(r == 0 || same(out, ex));
  S(st[w]).ExclusiveScan(own, out, op, agg); CHECK((r == 0 || same(out, ex)) && same(agg, all));
  S(st[w]).ExclusiveScan(own, out, init, op); CHECK(same(out, r ? op(init, ex) : init));
  S(st[w]).ExclusiveScan(own, out, init, op, agg); CHECK(same(out, r ? op(init, ex) : init) && same(agg, all));
  S(st[w]).Scan(own, out, other, op); CHECK(same(out, in) && (r == 0 || same(other, ex)));
  S(st[w]).Scan(own, out, other, init, op); CHECK(same(out, op(init, in)) && same(other, r ? op(init, ex) : init));
  CHECK(same(S(st[w]).Broadcast(own, N / 2), gen<T>(first + N / 2)));
}
template <class T, int N, int X> DI void warp_sums(int *errors) {
  typedef cub::WarpReduce<T, N> R; typedef cub::WarpScan<T, N> S;
  __shared__ typename R::TempStorage rt[X / N + 1]; __shared__ typename S::TempStorage st[X / N + 1];
  const int lane = threadIdx.x % 32, t = threadIdx.x;
  __syncthreads();
  if (lane / N * N + N > 32) return;
  const int first = t / 32 * 32 + lane / N * N, w = t / 32 * (32 / N) + lane / N, r = t - first;
  cub::Sum op; T out, agg, own = gen<T>(t);
  out = R(rt[w]).Sum(own); if (r == 0) CHECK(same(out, fold<T>(first, first + N, op)));
  out = R(rt[w]).Sum(own, N - N / 2); if (r == 0) CHECK(same(out, fold<T>(first, first + N - N / 2, op)));
  out = R(rt[w]).Max(own); if (r == 0) CHECK(same(out, fold<T>(first, first + N, cub::Max())));
  out = R(rt[w]).Min(own); if (r == 0) CHECK(same(out, fold<T>(first, first + N, cub::Min())));
  out = R(rt[w]).Max(own, 1); if (r == 0) CHECK(same(out, own));
  out = R(rt[w]).Min(own, 1); if (r == 0) CHECK(same(out, own));
  out = R(rt[w]).HeadSegmentedSum(own, r == N / 2); if (r == 0) CHECK(same(out, N / 2 ? fold<T>(first, first + N / 2, op) : own));
  out = R(rt[w]).TailSegmentedSum(own, r == N / 2); if (r == 0) CHECK(same(out, fold<T>(first, first + N / 2 + 1, op)));
  S(st[w]).InclusiveSum(own, out); CHECK(same(out, fold<T>(first, t + 1, op)));
  S(st[w]).InclusiveSum(own, out, agg); CHECK(same(out, fold<T>(first, t + 1, op)) && same(agg, fold<T>(first, first + N, op)));
  S(st[w]).ExclusiveSum(own, out); CHECK(same(out, r ? fold<T>(first, t, op) : T()));
  S(st[w]).ExclusiveSum(own, out, agg); CHECK(same(out, r ? fold<T>(first, t, op) : T()) && same(agg, fold<T>(first, first + N, op)));
}
template <class T, int X, int Y, int Z, int N> DI void exchanges(int *errors) {
  typedef cub::BlockExchange<T, X, N, false, Y, Z> E;
  __shared__ typename E::TempStorage temp;
  const int n = X * Y * Z, t = cub::RowMajorTid(X, Y, Z), w = t / 32 * 32, lanes = w + 32 <= n ? 32 : n - w;
  T a[N], b[N]; int ranks[N]; bool flags[N];
#define EACH for (int k = 0; k < N; k++)
#define BLOCKED t * N + k
#define STRIPED k * n + t
#define WARPED w * N + k * lanes + t - w
  EACH a[k] = gen<T>(STRIPED); E(temp).StripedToBlocked(a, b); EACH CHECK(same(b[k], gen<T>(BLOCKED))); __syncthreads();
  EACH a[k] = gen<T>(STRIPED); E(temp).StripedToBlocked(a); EACH CHECK(same(a[k], gen<T>(BLOCKED))); __syncthreads();
  EACH a[k] = gen<T>(BLOCKED); E(temp).BlockedToStriped(a, b); EACH CHECK(same(b[k], gen<T>(STRIPED))); __syncthreads();
  EACH a[k] = gen<T>(BLOCKED); E().BlockedToStriped(a); EACH CHECK(same(a[k], gen<T>(STRIPED))); __syncthreads();
  EACH a[k] = gen<T>(WARPED); E(temp).WarpStripedToBlocked(a, b); EACH CHECK(same(b[k], gen<T>(BLOCKED))); __syncthreads();
  EACH a[k] = gen<T>(WARPED); E(temp).WarpStripedToBlocked(a); EACH CHECK(same(a[k], gen<T>(BLOCKED))); __syncthreads();
  EACH a[k] = gen<T>(BLOCKED); E(temp).BlockedToWarpStriped(a, b); EACH CHECK(same(b[k], gen<T>(WARPED))); __syncthreads();
  EACH a[k] = gen<T>(BLOCKED); E(temp).BlockedToWarpStriped(a); EACH CHECK(same(a[k], gen<T>(WARPED))); __syncthreads();
  EACH { int to = n * N - 1 - (BLOCKED); ranks[k] = to; a[k] = gen<T>(to); }
  E(temp).ScatterToBlocked(a, b, ranks); EACH CHECK(same(b[k], gen<T>(BLOCKED))); __syncthreads();
  E(temp).ScatterToStriped(a, b, ranks); EACH CHECK(same(b[k], gen<T>(STRIPED))); __syncthreads();
  EACH flags[k] = ranks[k] % 3 != 0;
  E(temp).ScatterToStripedFlagged(a, b, ranks, flags); EACH CHECK((STRIPED) % 3 == 0 || same(b[k], gen<T>(STRIPED))); __syncthreads();
  EACH if (ranks[k] % 3 == 0) ranks[k] = -1;
  E(temp).ScatterToStripedGuarded(a, b, ranks); EACH CHECK((STRIPED) % 3 == 0 || same(b[k], gen<T>(STRIPED))); __syncthreads();
  E(temp).ScatterToStripedGuarded(a, ranks); EACH CHECK((STRIPED) % 3 == 0 || same(a[k], gen<T>(STRIPED))); __syncthreads();
  EACH { int to = n * N - 1 - (BLOCKED); ranks[k] = to; a[k] = gen<T>(to); }
  E(temp).ScatterToBlocked(a, ranks); EACH CHECK(same(a[k], gen<T>(BLOCKED))); __syncthreads();
  EACH a[k] = gen<T>(ranks[k]);
  E(temp).ScatterToStriped(a, ranks); EACH CHECK(same(a[k], gen<T>(STRIPED))); __syncthreads();
  EACH a[k] = gen<T>(ranks[k]);
  E(temp).ScatterToStripedFlagged(a, ranks, flags); EACH CHECK((STRIPED) % 3 == 0 || same(a[k], gen<T>(STRIPED))); __syncthreads();
}
template <class T, int X, int Y, int Z, int N, cub::BlockLoadAlgorithm L, cub::BlockStoreAlgorithm W> DI void moves(int *errors, unsigned char *work) {
  typedef cub::BlockLoad<T, X, N, L, Y, Z> Load; typedef cub::BlockStore<T, X, N, W, Y, Z> Store;
  __shared__ union { typename Load::TempStorage load; typename Store::TempStorage store; } temp;
  const int n = X * Y * Z, t = cub::RowMajorTid(X, Y, Z);
  T *from = (T *)work, *to = from + n * N + 1, a[N];
  for (int k = t; k < n * N; k += n) from[k] = gen<T>(k);
  __syncthreads();
#define AT (L == cub::BLOCK_LOAD_STRIPED ? STRIPED : BLOCKED)
#define AT_TO (W == cub::BLOCK_STORE_STRIPED ? STRIPED : BLOCKED)
  Load(temp.load).Load(from, a); EACH CHECK(same(a[k], gen<T>(AT))); __syncthreads();
  Load(temp.load).Load((const T *)from, a); EACH CHECK(same(a[k], gen<T>(AT))); __syncthreads();
  cub::CacheModifiedInputIterator<cub::LOAD_DEFAULT, T> it(from);
  Load().Load(it, a); EACH CHECK(same(a[k], gen<T>(AT))); __syncthreads();
  const int valids[] = {0, 1, n * N / 2 + 1, n * N};
  for (int v : valids) {
    EACH a[k] = gen<T>(1000000);
    Load(temp.load).Load(from, a, v); EACH CHECK(same(a[k], (AT) < v ? gen<T>(AT) : gen<T>(1000000))); __syncthreads();
    Load(temp.load).Load(from, a, v, gen<T>(-9)); EACH CHECK(same(a[k], (AT) < v ? gen<T>(AT) : gen<T>(-9))); __syncthreads();
    for (int k = t; k < n * N; k += n) to[k] = gen<T>(-8);
    EACH a[k] = gen<T>(AT_TO);
    __syncthreads();
    Store(temp.store).Store(to, a, v);
    __syncthreads();
    for (int k = t; k < n * N; k += n) CHECK(same(to[k], k < v ? gen<T>(k) : gen<T>(-8)));
    __syncthreads();
  }
  for (int shift = 0; shift < 2; shift++) {
    EACH a[k] = gen<T>(AT_TO);
    Store().Store(to + shift, a);
    __syncthreads();
    for (int k = t; k < n * N; k += n) CHECK(same(to[k + shift], gen<T>(k)));
    __syncthreads();
  }
}
template <class T, int N, int LW, cub::WarpLoadAlgorithm L, cub::WarpStoreAlgorithm W, int X> DI void warp_moves(int *errors, unsigned char *work) {
  typedef cub::WarpLoad<T, N, L, LW> Load; typedef cub::WarpStore<T, N, W, LW> Store; typedef cub::WarpExchange<T, N, LW> E;
  __shared__ typename Load::TempStorage lt[X / LW]; __shared__ typename Store::TempStorage st[X / LW]; __shared__ typename E::TempStorage et[X / LW];
  const int g = threadIdx.x / LW, t = threadIdx.x % LW, n = LW;
  T *from = (T *)work + g * (LW * N), *to = from + X * N, a[N], b[N]; int ranks[N];
  EACH from[t * N + k] = gen<T>(BLOCKED);
  __syncthreads();
#undef AT
#define AT (L == cub::WARP_LOAD_STRIPED ? STRIPED : BLOCKED)
#undef AT_TO
#define AT_TO (W == cub::WARP_STORE_STRIPED ? STRIPED : BLOCKED)
  Load(lt[g]).Load(from, a); EACH CHECK(same(a[k], gen<T>(AT))); __syncthreads();
  EACH a[k] = gen<T>(-5);
  Load(lt[g]).Load(from, a, n * N / 2); EACH CHECK(same(a[k], (AT) < n * N / 2 ? gen<T>(AT) : gen<T>(-5))); __syncthreads();
  Load(lt[g]).Load(from, a, 3, gen<T>(-6)); EACH CHECK(same(a[k], (AT) < 3 ? gen<T>(AT) : gen<T>(-6))); __syncthreads();
  EACH a[k] = gen<T>(AT_TO); Store(st[g]).Store(to, a); __syncthreads();
  EACH CHECK(same(to[STRIPED], gen<T>(STRIPED))); __syncthreads();
  EACH to[STRIPED] = gen<T>(-7); __syncthreads();
  EACH a[k] = gen<T>(AT_TO); Store(st[g]).Store(to, a, 3); __syncthreads();
  EACH CHECK(same(to[STRIPED], (STRIPED) < 3 ? gen<T>(STRIPED) : gen<T>(-7))); __syncthreads();
  EACH a[k] = gen<T>(BLOCKED); E(et[g]).BlockedToStriped(a, b); EACH CHECK(same(b[k], gen<T>(STRIPED))); __syncthreads();
  E(et[g]).StripedToBlocked(b, b); EACH CHECK(same(b[k], gen<T>(BLOCKED))); __syncthreads();
  EACH { ranks[k] = n * N - 1 - (BLOCKED); a[k] = gen<T>(ranks[k]); }
  E(et[g]).ScatterToStriped(a, b, ranks); EACH CHECK(same(b[k], gen<T>(STRIPED))); __syncthreads();
  E(et[g]).ScatterToStriped(a, ranks); EACH CHECK(same(a[k], gen<T>(STRIPED))); __syncthreads();
}
// Keys of all kinds; every 7th is the same, some are zeros of both signs.
template <class K> DI K key(int i) { unsigned long long h = (unsigned long long)hash(i) << 32 | hash(i + 99999); return i % 7 == 0 ? (K)3 : (K)h; }
template <> DI bool key<bool>(int i) { return hash(i) & 1; }
template <> DI float key<float>(int i) { float f = ((int)(hash(i) % 2001) - 1000) * 0.37f; return i % 11 == 0 ? 0.0f : i % 11 == 5 ? -0.0f : i == 4 ? -1.0f / 0.0f : i == 6 ? 1.0f / 0.0f : f; }
template <> DI double key<double>(int i) { double f = ((int)(hash(i) % 2001) - 1000) * 1e200; return i % 11 == 0 ? 0.0 : i % 11 == 5 ? -0.0 : f; }
// Whether the keys and their first places, in memory, are in order and all there.
template <class K, class F> DI void ordered(int *errors, const K *keys, const int *from, int n, F less, bool whole = true) {
  const int t = cub::RowMajorTid(blockDim.x, blockDim.y, blockDim.z), threads = blockDim.x * blockDim.y * blockDim.z;
  for (int k = t; k < n; k += threads) {
    CHECK(from[k] >= 0 && from[k] < n);
    const K own = key<K>(from[k]);
    CHECK(keys[k] == own);
    if (k) CHECK(less(key<K>(from[k - 1]), own) || (!less(own, key<K>(from[k - 1])) && from[k - 1] < from[k]));
  }
  // In a strict order of keys and places no place is twice.
  __syncthreads();
}
template <class K> struct Ascending { int begin, count; DI bool operator()(K a, K b) const {
  if (begin == 0 && count >= (int)sizeof(K) * 8) return a < b;
  unsigned long long x = (unsigned long long)a >> begin, y = (unsigned long long)b >> begin, m = (1ull << count) - 1; return (x & m) < (y & m); } };
template <class K> struct Descending { Ascending<K> up; DI bool operator()(K a, K b) const { return up(b, a); } };
template <class K, int X, int Y, int Z, int N, int BITS> DI void radix(int *errors, unsigned char *work, int begin = 0, int end = sizeof(K) * 8) {
  typedef cub::BlockRadixSort<K, X, N, int, BITS, true, cub::BLOCK_SCAN_WARP_SCANS, CONFIG, Y, Z> S;
  typedef cub::BlockRadixSort<K, X, N, cub::NullType, BITS, true, cub::BLOCK_SCAN_WARP_SCANS, CONFIG, Y, Z> SK;
  __shared__ union { typename S::TempStorage s; typename SK::TempStorage k; } temp;
  const int n = X * Y * Z, t = cub::RowMajorTid(X, Y, Z);
  K *out = (K *)work; int *from = (int *)(work + 8 * n * N); K a[N], b[N]; int v[N];
  Ascending<K> up = {begin, end - begin}; Descending<K> down = {up};
#define KEYS EACH { a[k] = b[k] = key<K>(BLOCKED); v[k] = BLOCKED; }
#define SORTED(name, place, order) \
  KEYS S(temp.s).name(a, v, begin, end); __syncthreads(); SK(temp.k).name(b, begin, end); \
  EACH { CHECK(a[k] == b[k]); out[place] = a[k]; from[place] = v[k]; } __syncthreads(); \
  ordered(errors, out, from, n * N, order);
  SORTED(Sort, BLOCKED, up)
  SORTED(SortDescending, BLOCKED, down)
  SORTED(SortBlockedToStriped, STRIPED, up)
  SORTED(SortDescendingBlockedToStriped, STRIPED, down)
}
struct Person { int age; double weight; char name[11]; DI bool operator==(const Person &o) const { return age == o.age && weight == o.weight && name[10] == o.name[10]; } };
template <> DI Person key<Person>(int i) { Person p = {(int)(hash(i) % 50), (double)i, {0}}; p.name[10] = (char)(i % 100); return p; }
struct Older { DI bool operator()(const Person &a, const Person &b) const { return a.age > b.age; } };
template <class K> struct Less { DI bool operator()(const K &a, const K &b) const { return a < b; } };
template <class K, int X, int Y, int Z, int N, class F> DI void merges(int *errors, unsigned char *work, F less, K last) {
  typedef cub::BlockMergeSort<K, X, N, int, Y, Z> S; typedef cub::BlockMergeSort<K, X, N, cub::NullType, Y, Z> SK;
  __shared__ union { typename S::TempStorage s; typename SK::TempStorage k; } temp;
  const int n = X * Y * Z, t = cub::RowMajorTid(X, Y, Z);
  K *out = (K *)work; int *from = (int *)(work + 32 * n * N); K a[N], b[N]; int v[N];
#define MERGED(name) \
  KEYS S(temp.s).name(a, v, less); __syncthreads(); SK(temp.k).name(b, less); \
  EACH { CHECK(a[k] == b[k]); out[BLOCKED] = a[k]; from[BLOCKED] = v[k]; } __syncthreads(); ordered(errors, out, from, n * N, less);
  MERGED(Sort) MERGED(StableSort)
  const int valid = n * N - n / 2;
  KEYS __syncthreads(); S(temp.s).Sort(a, v, less, valid, last); __syncthreads(); SK(temp.k).StableSort(b, less, valid, last);
  EACH { CHECK((BLOCKED) >= valid || a[k] == b[k]); out[BLOCKED] = a[k]; from[BLOCKED] = v[k]; } __syncthreads(); ordered(errors, out, from, valid, less);
  KEYS __syncthreads(); S().StableSort(a, v, less, valid, last); __syncthreads(); SK(temp.k).Sort(b, less, valid, last);
  EACH CHECK((BLOCKED) >= valid || a[k] == b[k]); __syncthreads();
}
template <class K, int LW, int N, int X> DI void warp_merges(int *errors, unsigned char *work) {
  typedef cub::WarpMergeSort<K, N, LW, int> S; typedef cub::WarpMergeSort<K, N, LW> SK;
  __shared__ typename S::TempStorage st[X / LW]; __shared__ typename SK::TempStorage sk[X / LW];
  const int g = threadIdx.x / LW, t = threadIdx.x % LW;
  K *out = (K *)work + g * LW * N; int *from = (int *)(work + 8 * X * N) + g * LW * N; K a[N], b[N]; int v[N];
  Less<K> less;
  KEYS S(st[g]).Sort(a, v, less); SK(sk[g]).StableSort(b, less);
  EACH { CHECK(a[k] == b[k]); out[BLOCKED] = a[k]; from[BLOCKED] = v[k]; }
  __syncthreads();
  for (int k = t; k < LW * N; k += LW) {
    CHECK(out[k] == key<K>(from[k]));
    if (k) CHECK(out[k - 1] < out[k] || (out[k - 1] == out[k] && from[k - 1] < from[k]));
  }
  __syncthreads();
  CHECK(S(st[g]).get_linear_tid() == t && __popc(S(st[g]).get_member_mask()) == LW);
}
template <class T, int X, int Y, int Z, int N, int BINS, cub::BlockHistogramAlgorithm A, class C> DI void histograms(int *errors) {
  typedef cub::BlockHistogram<T, X, N, BINS, A, Y, Z> H;
  __shared__ typename H::TempStorage temp; __shared__ C counts[BINS];
  const int n = X * Y * Z, t = cub::RowMajorTid(X, Y, Z); T a[N];
  for (int round = 1; round < 4; round++) {
    EACH a[k] = (T)(hash(BLOCKED) % BINS);
    if (round == 1) H(temp).Histogram(a, counts);
    else if (round == 2) H(temp).Composite(a, counts);
    else { __syncthreads(); H(temp).InitHistogram(counts); __syncthreads(); H().Composite(a, counts); }
    __syncthreads();
    for (int bin = t; bin < BINS; bin += n) { int all = 0; for (int k = 0; k < n * N; k++) all += hash(k) % BINS == bin; CHECK(counts[bin] == (C)(all * (round == 2 ? 2 : 1))); }
    __syncthreads();
  }
}
struct Ne { DI bool operator()(int a, int b) const { return a != b; } };
struct Minus { DI int operator()(int a, int b) const { return a - b; } };
struct Idx { DI bool operator()(int a, int b, int i) const { return a != b || i % 5 == 0; } };
template <int X, int Y, int Z, int N> DI void neighbours(int *errors) {
  typedef cub::BlockDiscontinuity<int, X, Y, Z> D; typedef cub::BlockAdjacentDifference<int, X, Y, Z> A; typedef cub::BlockShuffle<int, X, Y, Z> S;
  __shared__ union { typename D::TempStorage d; typename A::TempStorage a; typename S::TempStorage s; } temp;
  const int n = X * Y * Z, t = cub::RowMajorTid(X, Y, Z), all = n * N;
  int a[N], h[N], l[N]; Ne ne;
#define V(i) ((int)(hash(i) % 3))
  EACH a[k] = V(BLOCKED);
#define HEAD(first) EACH CHECK(h[k] == ((BLOCKED) == 0 ? (first) : V((BLOCKED) - 1) != V(BLOCKED)))
#define TAIL(last) EACH CHECK(l[k] == ((BLOCKED) == all - 1 ? (last) : V((BLOCKED) + 1) != V(BLOCKED)))
  D(temp.d).FlagHeads(h, a, ne); HEAD(1); __syncthreads();
  D(temp.d).FlagHeads(h, a, ne, V(0)); HEAD(0); __syncthreads();
  D(temp.d).FlagTails(l, a, ne); TAIL(1); __syncthreads();
  D(temp.d).FlagTails(l, a, ne, V(all - 1)); TAIL(0); __syncthreads();
  D(temp.d).FlagHeadsAndTails(h, l, a, ne); HEAD(1); TAIL(1); __syncthreads();
  D(temp.d).FlagHeadsAndTails(h, l, V(all - 1), a, ne); HEAD(1); TAIL(0); __syncthreads();
  D(temp.d).FlagHeadsAndTails(h, V(0), l, a, ne); HEAD(0); TAIL(1); __syncthreads();
  D().FlagHeadsAndTails(h, V(0), l, V(all - 1), a, ne); HEAD(0); TAIL(0); __syncthreads();
  D(temp.d).FlagHeads(h, a, Idx()); EACH CHECK(h[k] == ((BLOCKED) == 0 || V((BLOCKED) - 1) != V(BLOCKED) || (BLOCKED) % 5 == 0)); __syncthreads();
  Minus minus; const int part = all - N - 1 > 0 ? all - N - 1 : 1;
#define W(i) ((int)hash(i) % 1000)
  EACH a[k] = W(BLOCKED);
#define LEFT(first, valid) EACH CHECK(h[k] == ((BLOCKED) >= (valid) ? W(BLOCKED) : (BLOCKED) == 0 ? (first) : W(BLOCKED) - W((BLOCKED) - 1)))
#define RIGHT(last, valid) EACH CHECK(h[k] == ((BLOCKED) >= (valid) ? W(BLOCKED) : (BLOCKED) == (valid) - 1 ? (last) : W(BLOCKED) - W((BLOCKED) + 1)))
  A(temp.a).SubtractLeft(a, h, minus); LEFT(W(0), all); __syncthreads();
  A(temp.a).SubtractLeft(a, h, minus, 5); LEFT(W(0) - 5, all); __syncthreads();
  A(temp.a).SubtractLeftPartialTile(a, h, minus, part); LEFT(W(0), part); __syncthreads();
  A(temp.a).SubtractLeftPartialTile(a, h, minus, part, 5); LEFT(W(0) - 5, part); __syncthreads();
  A(temp.a).SubtractRight(a, h, minus); RIGHT(W(all - 1), all); __syncthreads();
  A(temp.a).SubtractRight(a, h, minus, 5); RIGHT(W(all - 1) - 5, all); __syncthreads();
  A(temp.a).SubtractRightPartialTile(a, h, minus, part); RIGHT(W(part - 1), part); __syncthreads();
  EACH h[k] = a[k]; A().SubtractRight(h, h, minus); RIGHT(W(all - 1), all); __syncthreads();
  EACH h[k] = a[k]; A().SubtractLeft(h, h, minus); LEFT(W(0), all); __syncthreads();
  int out = -1;
  S(temp.s).Offset(t, out); CHECK(out == (t + 1 < n ? t + 1 : -1)); __syncthreads();
  out = -1; S(temp.s).Offset(t, out, -3); CHECK(out == (t >= 3 ? t - 3 : -1)); __syncthreads();
  S(temp.s).Rotate(t, out); CHECK(out == (t + 1) % n); __syncthreads();
  S(temp.s).Rotate(t, out, n - 1); CHECK(out == (t + n - 1) % n); __syncthreads();
  int edge = 0;
  S(temp.s).Up(a, h); EACH CHECK((BLOCKED) == 0 || h[k] == W((BLOCKED) - 1)); __syncthreads();
  S(temp.s).Up(a, h, edge); EACH CHECK(edge == W(all - 1) && ((BLOCKED) == 0 || h[k] == W((BLOCKED) - 1))); __syncthreads();
  S(temp.s).Down(a, h); EACH CHECK((BLOCKED) == all - 1 || h[k] == W((BLOCKED) + 1)); __syncthreads();
  S().Down(a, h, edge); EACH CHECK(edge == W(0) && ((BLOCKED) == all - 1 || h[k] == W((BLOCKED) + 1))); __syncthreads();
}
template <int X, int Y, int Z> DI void decodes(int *errors) {
  typedef cub::BlockRunLengthDecode<char, X, 2, 4, unsigned, Y, Z> D;
  __shared__ typename D::TempStorage temp;
  const int n = X * Y * Z, t = cub::RowMajorTid(X, Y, Z);
#define LENGTH(r) ((int)(hash(r) % 6) + 1)
  char items[2] = {(char)(2 * t), (char)(2 * t + 1)}; unsigned lengths[2] = {(unsigned)LENGTH(2 * t), (unsigned)LENGTH(2 * t + 1)}, total = 0;
  D decode(temp, items, lengths, total);
  int all = 0; for (int k = 0; k < 2 * n; k++) all += LENGTH(k);
  CHECK((int)total == all);
  for (unsigned from = 0; from < total; from += 4 * n) {
    char out[4]; unsigned at[4];
    decode.RunLengthDecode(out, at, from);
    for (int k = 0; k < 4; k++) { int place = (int)from + 4 * t + k, r = 0; if (place >= all) continue; while (place >= LENGTH(r)) place -= LENGTH(r++); CHECK(out[k] == (char)r && (int)at[k] == place); }
    char again[4]; decode.RunLengthDecode(again, from);
    for (int k = 0; k < 4; k++) CHECK(again[k] == out[k]);
  }
}
DI void others(int *errors, unsigned char *work) {
  __syncthreads();
  const int t = cub::RowMajorTid(blockDim.x, blockDim.y, blockDim.z);
  CHECK(cub::LaneId() == t % 32 && cub::WarpId() == t / 32);
  CHECK(cub::LaneMaskLt() == (1u << t % 32) - 1 && (cub::LaneMaskLe() ^ cub::LaneMaskLt()) == 1u << t % 32 && cub::LaneMaskGt() == ~cub::LaneMaskLe() && cub::LaneMaskGe() == ~cub::LaneMaskLt());
  CHECK(cub::WarpMask<8>(2) == 0xff0000u && cub::WarpMask<32>(1) == 0xffffffffu && cub::WarpMask<16>(1) == 0xffff0000u);
  CHECK(cub::ShuffleUp<32>(t, 1, 0, 0xffffffffu) == (t % 32 ? t - 1 : t) && cub::ShuffleDown<8>((double)t, 2, 7, 0xffffffffu) == (t % 8 < 6 ? t + 2 : t) && cub::ShuffleIndex<16>(t, 5, 0xffffffffu) == t / 16 * 16 + 5);
  CHECK(cub::BFE(0xabcdu, 4, 8) == 0xbcu); unsigned ret; cub::BFI(ret, 0xffffu, 0u, 4, 8); CHECK(ret == 0xf00fu);
  CHECK(cub::SHR_ADD(8, 1, 1) == 5 && cub::SHL_ADD(8, 1, 1) == 17 && cub::IADD3(1, 2, 3) == 6 && cub::PRMT(0x11223344, 0, 0x0123) == 0x44332211);
  cub::CTA_SYNC(); CHECK(cub::CTA_SYNC_AND(1) && cub::CTA_SYNC_OR(t == 0)); cub::WARP_SYNC(0xffffffffu);
  CHECK(cub::WARP_ANY(t % 32 == 3, 0xffffffffu) && !cub::WARP_ALL(t % 32 == 3, 0xffffffffu) && cub::WARP_BALLOT(t % 32 == 3, 0xffffffffu) == 8 && cub::MatchAny<2>(t) == 0x11111111u << t % 4);
  CHECK(cub::DivideAndRoundUp(10, 3) == 4 && cub::Nominal4BItemsToItems<double>(8) == 4 && cub::Nominal4BItemsToItemsCombined(8, 16) == 4);
  CHECK((int)cub::Log2<1>::VALUE == 0 && (int)cub::Log2<8>::VALUE == 3 && (int)cub::Log2<9>::VALUE == 4 && cub::PowerOfTwo<8>::VALUE && !cub::PowerOfTwo<9>::VALUE);
  typedef cub::KeyValuePair<int, float> P; P p(1, 2.0f), q(0, 2.0f), r; r.key = 5; r.value = 1.0f;
  CHECK(cub::ArgMax()(p, q).key == 0 && cub::ArgMin()(p, q) == q && cub::ArgMin()(p, r) == r && cub::ArgMax()(r, p) != r);
  CHECK(cub::Equality()(1, 1) && cub::InequalityWrapper<cub::Equality>(cub::Equality())(1, 2) && cub::Division()(6, 3) == 2 && cub::Max()(1, 2) == 2 && cub::Min()(1, 2.5) == 1.0);
  CHECK(cub::CastOp<int>()(2.9f) == 2 && cub::SwizzleScanOp<cub::Difference>(cub::Difference())(1, 5) == 4 && cub::MakeBinaryFlip(cub::Difference())(1, 5) == 4);
  cub::ReduceBySegmentOp<cub::Sum> seg; cub::ReduceByKeyOp<cub::Sum> by; typedef cub::KeyValuePair<int, int> Q;
  CHECK(seg(Q(1, 3), Q(0, 4)) == Q(1, 7) && seg(Q(1, 3), Q(1, 4)) == Q(2, 4) && by(Q(1, 3), Q(1, 4)) == Q(1, 7) && by(Q(1, 3), Q(2, 4)) == Q(2, 4));
  int a[4] = {3, 1, 2, 5}, b[4];
  CHECK(cub::internal::ThreadReduce(a, cub::Sum()) == 11 && cub::ThreadReduce(a, cub::Max(), 9) == 9);
  CHECK(cub::internal::ThreadScanInclusive(a, b, cub::Sum()) == 11 && b[2] == 6 && cub::ThreadScanExclusive(a, b, cub::Sum(), 10) == 21 && b[0] == 10 && b[3] == 16);
  CHECK(cub::Traits<int>::Max() == 0x7fffffff && cub::NumericTraits<signed char>::Lowest() == -128 && cub::Traits<float>::Max() > 3e38f && cub::Traits<unsigned>::Max() == 0xffffffffu && cub::Traits<char>::PRIMITIVE && cub::Traits<double>::Lowest() < -1e308);
  cub::CountingInputIterator<int> count(5); cub::ConstantInputIterator<float> same_one(2.5f);
  struct Twice { DI int operator()(int x) const { return 2 * x; } };
  cub::TransformInputIterator<int, Twice, cub::CountingInputIterator<int> > twice(count, Twice());
  CHECK(count[3] == 8 && *(count + 2) == 7 && same_one[100] == 2.5f && twice[4] == 18 && *++twice == 12 && (count + 7) - count == 7 && count != count + 1);
  if (t == 0) {
    int *w = (int *)work; cub::CacheModifiedOutputIterator<cub::STORE_CG, int> to(w); for (int k = 0; k < 8; k++) to[k] = k * k;
    cub::CacheModifiedInputIterator<cub::LOAD_CG, int> from(w); cub::ArgIndexInputIterator<const int *> arg(w);
    CHECK(from[3] == 9 && arg[4].value == 16 && arg[4].key == 4 && (*++arg).value == 1);
    cub::DiscardOutputIterator<> gone; gone[5] = 3; *gone++ = 2.5;
    cub::ThreadStore<cub::STORE_VOLATILE>(w, 77); CHECK(cub::ThreadLoad<cub::LOAD_LDG>(w) == 77 && cub::ThreadLoad<cub::LOAD_CV>(w) == 77);
    Big *g = (Big *)work; cub::ThreadStore<cub::STORE_WT>(g, gen<Big>(4)); CHECK(same(cub::ThreadLoad<cub::LOAD_VOLATILE>(g), gen<Big>(4)) && same(cub::ThreadLoad<cub::LOAD_CA>(g), gen<Big>(4)));
  }
  int items[2]; cub::LoadDirectWarpStriped(t, cub::CountingInputIterator<int>(0), items); CHECK(items[1] == t / 32 * 64 + 32 + t % 32);
  cub::LoadDirectStriped<64>(t, cub::CountingInputIterator<int>(0), items, 70, -1); CHECK(items[1] == (t + 64 < 70 ? t + 64 : -1));
}
#define work (bytes + 65536 * blockIdx.x)
#define TEST(name, ...) extern "C" __global__ void name(int *errors, unsigned char *bytes) { __VA_ARGS__; }
// @test NAME X Y Z
TEST(reduce_256, reduces<int, cub::Max, 256, 1, 1, cub::BLOCK_REDUCE_RAKING>(errors, cub::Max()); sums<int, 256, 1, 1>(errors); sums<float, 256, 1, 1>(errors)) // @test reduce_256 256 1 1
TEST(reduce_odd, reduces<Affine, Compose, 77, 1, 1, cub::BLOCK_REDUCE_WARP_REDUCTIONS>(errors, Compose()); sums<double, 77, 1, 1>(errors); sums<unsigned, 77, 1, 1>(errors)) // @test reduce_odd 77 1 1
TEST(reduce_3d, reduces<Big, BigOp, 5, 3, 7, cub::BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY>(errors, BigOp()); sums<Made, 5, 3, 7>(errors)) // @test reduce_3d 5 3 7
TEST(reduce_small, reduces<int, cub::Min, 7, 1, 1, cub::BLOCK_REDUCE_RAKING>(errors, cub::Min()); sums<int, 7, 1, 1>(errors)) // @test reduce_small 7 1 1
TEST(reduce_1024, reduces<unsigned, cub::Min, 1024, 1, 1, cub::BLOCK_REDUCE_RAKING>(errors, cub::Min())) // @test reduce_1024 1024 1 1
TEST(scan_256, scans<Affine, Compose, 256, 1, 1, cub::BLOCK_SCAN_RAKING>(errors, Compose(), Affine{3, 5}); scan_sums<int, 256, 1, 1>(errors)) // @test scan_256 256 1 1
TEST(scan_odd, scans<int, MaxOf, 45, 1, 1, cub::BLOCK_SCAN_WARP_SCANS>(errors, MaxOf(), -50); scan_sums<float, 45, 1, 1>(errors); scan_sums<Made, 45, 1, 1>(errors)) // @test scan_odd 45 1 1
TEST(scan_3d, scans<Big, BigOp, 3, 4, 6, cub::BLOCK_SCAN_RAKING_MEMOIZE>(errors, BigOp(), gen<Big>(-3)); scan_sums<long long, 3, 4, 6>(errors)) // @test scan_3d 3 4 6
TEST(scan_small, scans<Affine, Compose, 5, 1, 1, cub::BLOCK_SCAN_RAKING>(errors, Compose(), Affine{3, 5}); scan_sums<char, 5, 1, 1>(errors)) // @test scan_small 5 1 1
TEST(warp_32, warps<Affine, Compose, 32, 96>(errors, Compose(), Affine{3, 5})) // @test warp_32 96 1 1
TEST(warp_16, warps<Big, BigOp, 16, 64>(errors, BigOp(), gen<Big>(-3))) // @test warp_16 64 1 1
TEST(warp_8, warps<Affine, Compose, 8, 64>(errors, Compose(), Affine{3, 5})) // @test warp_8 64 1 1
TEST(warp_4, warps<int, MaxOf, 4, 64>(errors, MaxOf(), -10)) // @test warp_4 64 1 1
TEST(warp_2, warps<Affine, Compose, 2, 64>(errors, Compose(), Affine{3, 5})) // @test warp_2 64 1 1
TEST(warp_1, warps<Affine, Compose, 1, 32>(errors, Compose(), Affine{3, 5})) // @test warp_1 32 1 1
TEST(warp_5, warps<Affine, Compose, 5, 64>(errors, Compose(), Affine{3, 5})) // @test warp_5 64 1 1
TEST(warp_12, warps<Made, cub::Sum, 12, 64>(errors, cub::Sum(), Made(3))) // @test warp_12 64 1 1
TEST(warp_31, warps<double, MaxOf, 31, 64>(errors, MaxOf(), -10.0)) // @test warp_31 64 1 1
TEST(warp_sums_, warp_sums<int, 32, 64>(errors)) // @test warp_sums_ 64 1 1
TEST(warp_sums_f, warp_sums<float, 8, 64>(errors)) // @test warp_sums_f 64 1 1
TEST(warp_sums_9, warp_sums<int, 9, 64>(errors)) // @test warp_sums_9 64 1 1
TEST(warp_sums_1, warp_sums<unsigned, 1, 32>(errors)) // @test warp_sums_1 32 1 1
TEST(exchange_a, exchanges<int, 64, 1, 1, 4>(errors); exchanges<double, 64, 1, 1, 8>(errors)) // @test exchange_a 64 1 1
TEST(exchange_b, exchanges<Big, 5, 3, 3, 3>(errors); exchanges<Made, 5, 3, 3, 16>(errors)) // @test exchange_b 5 3 3
TEST(move_direct, moves<int, 64, 1, 1, 4, cub::BLOCK_LOAD_DIRECT, cub::BLOCK_STORE_DIRECT>(errors, work); moves<Big, 64, 1, 1, 2, cub::BLOCK_LOAD_STRIPED, cub::BLOCK_STORE_STRIPED>(errors, work)) // @test move_direct 64 1 1
TEST(move_vector, moves<int, 64, 1, 1, 4, cub::BLOCK_LOAD_VECTORIZE, cub::BLOCK_STORE_VECTORIZE>(errors, work); moves<char, 64, 1, 1, 7, cub::BLOCK_LOAD_VECTORIZE, cub::BLOCK_STORE_VECTORIZE>(errors, work); moves<double, 64, 1, 1, 3, cub::BLOCK_LOAD_VECTORIZE, cub::BLOCK_STORE_VECTORIZE>(errors, work)) // @test move_vector 64 1 1
TEST(move_transpose, moves<int, 64, 1, 1, 8, cub::BLOCK_LOAD_TRANSPOSE, cub::BLOCK_STORE_TRANSPOSE>(errors, work); moves<Affine, 64, 1, 1, 3, cub::BLOCK_LOAD_WARP_TRANSPOSE, cub::BLOCK_STORE_WARP_TRANSPOSE>(errors, work)) // @test move_transpose 64 1 1
TEST(move_odd, moves<int, 9, 5, 1, 3, cub::BLOCK_LOAD_TRANSPOSE, cub::BLOCK_STORE_TRANSPOSE>(errors, work); moves<int, 9, 5, 1, 5, cub::BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED, cub::BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED>(errors, work)) // @test move_odd 9 5 1
TEST(warp_move_a, warp_moves<int, 4, 32, cub::WARP_LOAD_DIRECT, cub::WARP_STORE_DIRECT, 64>(errors, work); warp_moves<float, 4, 32, cub::WARP_LOAD_VECTORIZE, cub::WARP_STORE_VECTORIZE, 64>(errors, work)) // @test warp_move_a 64 1 1
TEST(warp_move_b, warp_moves<Affine, 3, 16, cub::WARP_LOAD_STRIPED, cub::WARP_STORE_STRIPED, 64>(errors, work); warp_moves<double, 8, 8, cub::WARP_LOAD_TRANSPOSE, cub::WARP_STORE_TRANSPOSE, 64>(errors, work)) // @test warp_move_b 64 1 1
TEST(radix_int, radix<int, 64, 1, 1, 4, 4>(errors, work); radix<unsigned, 64, 1, 1, 4, 4>(errors, work, 5, 22)) // @test radix_int 64 1 1
TEST(radix_float, radix<float, 64, 1, 1, 3, 4>(errors, work); radix<double, 64, 1, 1, 5, 5>(errors, work)) // @test radix_float 64 1 1
TEST(radix_odd, radix<short, 7, 5, 3, 3, 6>(errors, work); radix<unsigned char, 7, 5, 3, 8, 4>(errors, work, 0, 3)) // @test radix_odd 7 5 3
TEST(radix_long, radix<long long, 20, 1, 1, 5, 4>(errors, work); radix<unsigned long, 20, 1, 1, 2, 1>(errors, work, 33, 44); radix<signed char, 20, 1, 1, 4, 4>(errors, work); radix<bool, 20, 1, 1, 2, 4>(errors, work)) // @test radix_long 20 1 1
TEST(radix_512, radix<int, 512, 1, 1, 4, 4>(errors, work)) // @test radix_512 512 1 1
TEST(merge_a, merges<int, 64, 1, 1, 4>(errors, work, Less<int>(), 0x7fffffff); merges<double, 64, 1, 1, 1>(errors, work, Less<double>(), 1e300)) // @test merge_a 64 1 1
TEST(merge_b, merges<Person, 9, 5, 1, 5>(errors, work, Older(), Person{-1, 0, {0}})) // @test merge_b 9 5 1
TEST(merge_w, warp_merges<float, 32, 4, 64>(errors, work); warp_merges<int, 8, 3, 64>(errors, work); warp_merges<int, 1, 5, 64>(errors, work)) // @test merge_w 64 1 1
TEST(histo_sort, histograms<unsigned char, 64, 1, 1, 4, 256, cub::BLOCK_HISTO_SORT, unsigned>(errors); histograms<int, 64, 1, 1, 3, 10, cub::BLOCK_HISTO_SORT, float>(errors); histograms<int, 64, 1, 1, 3, 1, cub::BLOCK_HISTO_SORT, short>(errors)) // @test histo_sort 64 1 1
TEST(histo_atomic, histograms<unsigned char, 9, 5, 1, 4, 100, cub::BLOCK_HISTO_ATOMIC, unsigned>(errors); histograms<int, 9, 5, 1, 3, 10, cub::BLOCK_HISTO_ATOMIC, float>(errors)) // @test histo_atomic 9 5 1
TEST(neighbours_a, neighbours<64, 1, 1, 4>(errors)) // @test neighbours_a 64 1 1
TEST(neighbours_b, neighbours<5, 3, 3, 1>(errors); neighbours<5, 3, 3, 3>(errors)) // @test neighbours_b 5 3 3
TEST(decode_, decodes<64, 1, 1>(errors)) // @test decode_ 64 1 1
TEST(decode_odd, decodes<11, 3, 1>(errors)) // @test decode_odd 11 3 1
TEST(others_, others(errors, work)) // @test others_ 64 1 1
