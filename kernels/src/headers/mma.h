// Products of matrices by a warp, for the host device: `nvcuda::wmma` after the
// CUDA C++ Programming Guide, "Warp Matrix Functions". NVIDIA's own is for
// GPUs: a toolkit has it, and NVRTC since CUDA 13.3.
//
// A fragment has as many elements as on compute capability 8.0. Those of an
// accumulator lie as in the tiles of 8 x 8 of `mma` (PTX ISA, "Matrix Fragments
// for mma"): `x[0]` and `x[1]` in row `lane / 4` from column `lane % 4 * 2` on, the
// next two 8 rows below, and so on; then 8 columns to the right. Where elements of
// the other matrices lie is not told, as CUDA does not tell it of any.
//
// Results are those of a GPU but for the order of sums. Products are exact here
// and there. Sums of floats are rounded at each step, from the first `k` to the
// last; tensor cores add several products at once and cut digits off (M. Fasi,
// N. J. Higham, M. Mikaitis and S. Pranesh, "Numerical behavior of NVIDIA tensor
// cores", PeerJ Computer Science 7, 2021), so last digits differ. Integers are
// the same, and floats too where no sum is rounded.
//
// Pointers and `ldm` may be of any alignment, which is more than a GPU takes. All
// lanes of a warp take part; what is multiplied for one that has ended, or that the
// block has not, is not defined, as on a GPU.
#ifndef GPUREPL_MMA_H
#define GPUREPL_MMA_H
#include <gpurepl_threads.h>
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#define GPUREPL_MMA static __device__ __forceinline__

namespace nvcuda {
namespace wmma {
struct matrix_a;
struct matrix_b;
struct accumulator;
struct row_major;
struct col_major;
enum layout_t { mem_row_major, mem_col_major };
namespace precision { struct tf32; }
namespace experimental {
namespace precision {
struct u4;
struct s4;
struct b1;
}
enum bmmaBitOp { bmmaBitOpXOR = 1, bmmaBitOpAND = 2 };
enum bmmaAccumulateOp { bmmaAccumulateOpPOPC = 1 };
}

// ---- numbers -------------------------------------------------------------------------------------

namespace details {
template <class A, class B> constexpr bool is_same = false;
template <class A> constexpr bool is_same<A, A> = true;
constexpr bool is_of_16(int m, int n, int k) {
  return k == 16 && ((m == 16 && n == 16) || (m == 32 && n == 8) || (m == 8 && n == 32));
}
constexpr bool is_of_8(int m, int n) { return m == 8 && n == 8; }

// What a matrix may be made of: how an element is kept and how many share a
// word, what `fill_fragment` takes and a pointer leads to, what a word becomes
// for a product and what sums are made with; of which sizes the factors are and
// of which the sums.
template <class T> struct number {
  static constexpr bool is_factor(int, int, int) { return false; }
  static constexpr bool is_sum(int, int, int) { return false; }
  static constexpr int packed = 1;
  typedef int stored;
};
template <class Stored, int per_word, class Filled, class Pointed, class Factor, class Sum> struct number_of {
  typedef Stored stored;
  static constexpr int packed = per_word;
  typedef Filled filled;
  typedef Pointed pointed;
  typedef Factor factor;
  typedef Sum sum;
  static constexpr bool is_factor(int, int, int) { return false; }
  static constexpr bool is_sum(int, int, int) { return false; }
  GPUREPL_MMA Stored fill(Filled value) { return value; }
  GPUREPL_MMA Factor value(Stored stored) { return stored; }
  GPUREPL_MMA Sum add(Sum sum, Factor a, Factor b) { return sum + a * b; }
};
template <class T, class F, class S> struct plain : number_of<T, 1, T, T, F, S> {};

template <> struct number<__half> : plain<__half, float, float> {
  static constexpr bool is_factor(int m, int n, int k) { return is_of_16(m, n, k); }
  static constexpr bool is_sum(int m, int n, int k) { return is_of_16(m, n, k); }
};
template <> struct number<__nv_bfloat16> : plain<__nv_bfloat16, float, float> {
  static constexpr bool is_factor(int m, int n, int k) { return is_of_16(m, n, k); }
};
template <> struct number<float> : plain<float, float, float> {
  static constexpr bool is_sum(int m, int n, int k) { return is_of_16(m, n, k) || (m == 16 && n == 16 && k == 8); }
};
template <> struct number<precision::tf32> : plain<float, float, float> {
  static constexpr bool is_factor(int m, int n, int k) { return m == 16 && n == 16 && k == 8; }
  // A tensor core does not read the lower 13 bits.
  GPUREPL_MMA float value(float x) { return __uint_as_float(__float_as_uint(x) & 0xffffe000u); }
};
template <> struct number<double> : plain<double, double, double> {
  static constexpr bool is_factor(int m, int n, int k) { return is_of_8(m, n) && k == 4; }
  static constexpr bool is_sum(int m, int n, int k) { return is_of_8(m, n) && k == 4; }
  GPUREPL_MMA double add(double sum, double a, double b) { return fma(a, b, sum); }
};
template <> struct number<signed char> : plain<signed char, int, int> {
  static constexpr bool is_factor(int m, int n, int k) { return is_of_16(m, n, k); }
};
template <> struct number<unsigned char> : plain<unsigned char, int, int> {
  static constexpr bool is_factor(int m, int n, int k) { return is_of_16(m, n, k); }
};
template <> struct number<int> : plain<int, int, int> {
  static constexpr bool is_sum(int m, int n, int k) {
    return is_of_16(m, n, k) || (is_of_8(m, n) && (k == 32 || k == 128));
  }
};
template <> struct number<experimental::precision::u4>
    : number_of<unsigned int, 8, unsigned int, void, unsigned int, int> {
  static constexpr bool is_factor(int m, int n, int k) { return is_of_8(m, n) && k == 32; }
  GPUREPL_MMA unsigned int fill(unsigned int value) { return (value & 15) * 0x11111111u; }
  GPUREPL_MMA int add(int sum, unsigned int a, unsigned int b) {
    for (int shift = 0; shift < 32; shift += 4) sum += (int)((a >> shift & 15) * (b >> shift & 15));
    return sum;
  }
};
template <> struct number<experimental::precision::s4> : number_of<int, 8, int, void, unsigned int, int> {
  static constexpr bool is_factor(int m, int n, int k) { return is_of_8(m, n) && k == 32; }
  GPUREPL_MMA int fill(int value) { return (int)(((unsigned int)value & 15) * 0x11111111u); }
  GPUREPL_MMA int add(int sum, unsigned int a, unsigned int b) {
    for (int shift = 0; shift < 32; shift += 4) sum += ((int)(a << shift) >> 28) * ((int)(b << shift) >> 28);
    return sum;
  }
};
template <> struct number<experimental::precision::b1>
    : number_of<unsigned int, 32, unsigned int, void, unsigned int, int> {
  static constexpr bool is_factor(int m, int n, int k) { return is_of_8(m, n) && k == 128; }
  GPUREPL_MMA unsigned int fill(unsigned int value) { return value & 1 ? 0xffffffffu : 0u; }
};
struct conjunctions : number<experimental::precision::b1> {
  GPUREPL_MMA int add(int sum, unsigned int a, unsigned int b) { return sum + __popc(a & b); }
};
struct differences : number<experimental::precision::b1> {
  GPUREPL_MMA int add(int sum, unsigned int a, unsigned int b) { return sum + __popc(a ^ b); }
};

// Whether factors of one type may be summed in others. On a GPU two types of
// factors do not go together either.
template <class T, class D, class C> constexpr bool is_summed = is_same<D, C> && is_same<D, typename number<T>::sum>;
template <> constexpr bool is_summed<__half, __half, __half> = true;
template <> constexpr bool is_summed<__half, __half, float> = true;
template <> constexpr bool is_summed<__half, float, __half> = true;

// ---- where elements lie --------------------------------------------------------------------------

GPUREPL_MMA unsigned int rank() {
  const uint3 thread = GPUREPL_THREAD_IDX;
  const dim3 block = GPUREPL_BLOCK_DIM;
  return (thread.z * block.y + thread.y) * block.x + thread.x;
}

// `words` words in rows of `width`, `own` of them for a lane. Lanes for which none
// are left have those of others again: fragments of half have 16 elements, as on
// compute capability 7.0, where two lanes have each.
template <int words, int width, int own> struct share {
  static_assert((own <= width ? width % own : own % width) == 0, "a lane has whole rows or a part of one");
  GPUREPL_MMA bool is_first(unsigned int lane) { return lane * own < words; }
  GPUREPL_MMA unsigned int start(unsigned int lane) { return lane * own % words; }
  GPUREPL_MMA unsigned int row(unsigned int lane, int i) { return start(lane) / width + i / width; }
  GPUREPL_MMA unsigned int place(unsigned int lane, int i) { return start(lane) % width + i % width; }
};
template <class Use, class T, int m, int n, int k> struct part;
template <class T, int m, int n, int k> struct part<matrix_a, T, m, n, k> {
  static constexpr int words = m * k / number<T>::packed;
  static constexpr int own = is_same<T, __half> ? 16 : words / 32;
  typedef share<words, k / number<T>::packed, own> lanes;
  GPUREPL_MMA unsigned int row(unsigned int lane, int i) { return lanes::row(lane, i); }
  GPUREPL_MMA unsigned int column(unsigned int lane, int i) { return lanes::place(lane, i); }
};
// Columns that a lane has sums of lie side by side.
template <class T, int m, int n, int k> struct part<matrix_b, T, m, n, k> {
  static constexpr int words = n * k / number<T>::packed;
  static constexpr int own = is_same<T, __half> ? 16 : words / 32;
  typedef share<words, n, own> lanes;
  GPUREPL_MMA unsigned int row(unsigned int lane, int i) { return lanes::row(lane, i); }
  GPUREPL_MMA unsigned int column(unsigned int lane, int i) {
    const unsigned int place = lanes::place(lane, i), within = place % (n / 4);
    return place / (n / 4) * 2 + (within & 1) + within / 2 * 8;
  }
};
template <class T, int m, int n, int k> struct part<accumulator, T, m, n, k> {
  static constexpr int own = m * n / 32;
  static constexpr int tile(int i) { return i / 2 % (m / 8); }
  static constexpr int place(int i) { return i / 2 / (m / 8) * 2 + i % 2; }
  GPUREPL_MMA unsigned int row(unsigned int lane, int i) { return lane / 4 + 8 * tile(i); }
  GPUREPL_MMA unsigned int column(unsigned int lane, int i) { return lane % 4 * 2 + i % 2 + place(i) / 2 * 8; }
};

// The order of a matrix in memory has to be known but for sums, and that of
// packed numbers is the one in which they are multiplied.
template <class Use, class T, class Layout> constexpr bool has_layout = is_same<Layout, void>;
template <class T> constexpr bool has_layout<matrix_a, T, row_major> = true;
template <class T> constexpr bool has_layout<matrix_a, T, col_major> = number<T>::packed == 1;
template <class T> constexpr bool has_layout<matrix_a, T, void> = false;
template <class T> constexpr bool has_layout<matrix_b, T, row_major> = number<T>::packed == 1;
template <class T> constexpr bool has_layout<matrix_b, T, col_major> = true;
template <class T> constexpr bool has_layout<matrix_b, T, void> = false;
}

// ---- fragments -----------------------------------------------------------------------------------

template <class Use, int m, int n, int k, class T, class Layout = void> class fragment {
  static constexpr bool is_sum = details::is_same<Use, accumulator>;
  static_assert(is_sum ? details::number<T>::is_sum(m, n, k) : details::number<T>::is_factor(m, n, k),
                "there are fragments of half, __nv_bfloat16, signed char and unsigned char for 16x16x16, 32x8x16 and "
                "8x32x16 (summed in float, half or int), of precision::tf32 for 16x16x8, of double for 8x8x4, of "
                "experimental::precision::u4 and s4 for 8x8x32 and of b1 for 8x8x128");
  static_assert(details::has_layout<Use, T, Layout>,
                "matrix_a and matrix_b have the layout row_major or col_major, numbers of less than a byte row_major "
                "and col_major in this order; an accumulator has none");

 public:
  typedef T element_type;
  typedef typename details::number<T>::stored storage_element_type;
  static constexpr int num_storage_elements = details::part<Use, T, m, n, k>::own;
  static constexpr int num_elements = num_storage_elements * details::number<T>::packed;
  storage_element_type x[num_storage_elements];
};

template <class Use, int m, int n, int k, class T, class Layout>
GPUREPL_MMA void fill_fragment(fragment<Use, m, n, k, T, Layout> &f, typename details::number<T>::filled value) {
  for (auto &each : f.x) each = details::number<T>::fill(value);
}

namespace details {
// Where the element of a row and a column lies.
GPUREPL_MMA size_t offset(unsigned int row, unsigned int column, unsigned int ldm, bool is_row_major) {
  return is_row_major ? (size_t)row * ldm + column : (size_t)column * ldm + row;
}
template <class Use, int m, int n, int k, class T, class Layout>
GPUREPL_MMA void load(fragment<Use, m, n, k, T, Layout> &f, const void *p, unsigned int ldm, bool is_row_major) {
  typedef part<Use, T, m, n, k> own;
  const auto *const from = (const typename number<T>::stored *)p;
  const unsigned int lane = rank() & 31;
  // What other lanes have written before they came here is read.
  __syncwarp();
  for (int i = 0; i < own::own; i++)
    f.x[i] = from[offset(own::row(lane, i), own::column(lane, i), ldm / number<T>::packed, is_row_major)];
}
}
template <int m, int n, int k, class T, class Layout>
GPUREPL_MMA void load_matrix_sync(fragment<matrix_a, m, n, k, T, Layout> &a,
                                  const typename details::number<T>::pointed *p, unsigned int ldm) {
  details::load(a, p, ldm, details::is_same<Layout, row_major>);
}
template <int m, int n, int k, class T, class Layout>
GPUREPL_MMA void load_matrix_sync(fragment<matrix_b, m, n, k, T, Layout> &b,
                                  const typename details::number<T>::pointed *p, unsigned int ldm) {
  details::load(b, p, ldm, details::is_same<Layout, row_major>);
}
template <int m, int n, int k, class T>
GPUREPL_MMA void load_matrix_sync(fragment<accumulator, m, n, k, T> &c,
                                  const typename details::number<T>::pointed *p, unsigned int ldm, layout_t layout) {
  if (layout == mem_row_major) details::load(c, p, ldm, true);
  else details::load(c, p, ldm, false);
}
template <int m, int n, int k, class T>
GPUREPL_MMA void store_matrix_sync(typename details::number<T>::pointed *p, const fragment<accumulator, m, n, k, T> &c,
                                   unsigned int ldm, layout_t layout) {
  typedef details::part<accumulator, T, m, n, k> own;
  // What other lanes still read before they come here is not overwritten.
  __syncwarp();
  const unsigned int lane = details::rank() & 31;
  const bool is_row_major = layout == mem_row_major;
  for (int i = 0; i < own::own; i++)
    p[details::offset(own::row(lane, i), own::column(lane, i), ldm, is_row_major)] = c.x[i];
}

// ---- products ------------------------------------------------------------------------------------

namespace details {
// What the lanes of a warp show each other: the words of both factors, twice, as
// some lanes may come to the next product while others still read. So one meeting
// of the warp is enough, at which each lane says which of the two it has written:
// whatever is there at first will do. A block stays on one thread of the system
// until it ends, whose memory this is; shared memory is left to the kernel.
struct exchange {
  static constexpr int bytes = 2560;
  alignas(64) unsigned char words[2][bytes];
  unsigned char turns[32];
};
// Who uses it must not be looked at in a checked build: it is no memory of a kernel.
#ifdef GPUREPL_PLAIN
#define GPUREPL_MMA_EXCHANGE GPUREPL_PLAIN __attribute__((noinline))
#else
#define GPUREPL_MMA_EXCHANGE inline __attribute__((always_inline))
#endif
GPUREPL_MMA exchange &exchange_of(unsigned int warp) {
  static __thread exchange all[32];
  return all[warp];
}

// One lane's sums of products: some rows of `a` by some columns of `b`.
template <class By, class T, int m, int n, int k, class A, class B>
static GPUREPL_MMA_EXCHANGE void multiply(typename number<T>::sum (&sums)[m / 8][n / 4], const A &a, const B &b) {
  typedef typename number<T>::factor factor;
  typedef part<matrix_a, T, m, n, k> part_a;
  typedef part<matrix_b, T, m, n, k> part_b;
  static_assert(sizeof(factor) * (part_a::words + part_b::words) <= exchange::bytes, "two matrices fit");
  const unsigned int me = rank(), lane = me & 31;
  exchange &all = exchange_of(me / 32);
  unsigned int turn = all.turns[lane] & 1, turns;
  factor *words;
  for (;; turn = 0) {
    words = (factor *)all.words[turn];
    if (part_a::lanes::is_first(lane))
      for (int i = 0; i < part_a::own; i++) words[part_a::lanes::start(lane) + i] = number<T>::value(a.x[i]);
    if (part_b::lanes::is_first(lane))
      for (int i = 0; i < part_b::own; i++)
        words[part_a::words + part_b::lanes::start(lane) + i] = number<T>::value(b.x[i]);
    all.turns[lane] = (unsigned char)(turn ^ 1);
    asm volatile("" ::: "memory");
    turns = __ballot_sync(0xffffffffu, turn);
    asm volatile("" ::: "memory");
    // They differ after a launch that ended in the middle: once more, all the same.
    if (turns == 0 || turns == 0xffffffffu) break;
  }
  constexpr int width = k / number<T>::packed;
  const factor *const rows = words + lane / 4 * width, *const columns = words + part_a::words + lane % 4 * (n / 4);
  if constexpr (number<T>::packed == 1 && !is_same<T, double>) {
    typedef factor several __attribute__((vector_size(sizeof(factor) * (n / 4))));
    several mine[m / 8];
    memcpy(mine, sums, sizeof(mine));
    for (int i = 0; i < width; i++) {
      several right;
      memcpy(&right, columns + i * n, sizeof(right));
      for (int row = 0; row < m / 8; row++) mine[row] += rows[row * 8 * width + i] * right;
    }
    memcpy(sums, mine, sizeof(mine));
  } else {
    for (int i = 0; i < width; i++)
      for (int row = 0; row < m / 8; row++)
        for (int column = 0; column < n / 4; column++)
          sums[row][column] = By::add(sums[row][column], rows[row * 8 * width + i], columns[i * n + column]);
  }
}
#undef GPUREPL_MMA_EXCHANGE

// d = a * b + c. Integers are added last, so that they can be held at the ends
// of their range; floats first.
template <class By, class T, int m, int n, int k, class A, class B, class C, class D>
GPUREPL_MMA void add_product(D &d, const A &a, const B &b, const C &c, bool is_held) {
  typedef typename number<T>::sum sum;
  typedef part<accumulator, typename D::element_type, m, n, k> own;
  constexpr bool is_whole = is_same<sum, int>;
  sum sums[m / 8][n / 4];
  for (int i = 0; i < own::own; i++) sums[own::tile(i)][own::place(i)] = is_whole ? sum(0) : sum(c.x[i]);
  multiply<By, T, m, n, k>(sums, a, b);
  for (int i = 0; i < own::own; i++) {
    const sum value = sums[own::tile(i)][own::place(i)];
    if constexpr (is_whole) {
      const long long whole = (long long)value + c.x[i];
      const long long held = whole > 2147483647ll ? 2147483647ll : whole < -2147483648ll ? -2147483648ll : whole;
      d.x[i] = (int)(unsigned int)(is_held ? held : whole);
    } else {
      d.x[i] = typename D::element_type(value);
    }
  }
}
}
template <int m, int n, int k, class T, class LayoutA, class LayoutB, class C, class D>
GPUREPL_MMA void mma_sync(fragment<accumulator, m, n, k, D> &d, const fragment<matrix_a, m, n, k, T, LayoutA> &a,
                          const fragment<matrix_b, m, n, k, T, LayoutB> &b,
                          const fragment<accumulator, m, n, k, C> &c) {
  static_assert(details::number<T>::packed != 32, "single bits are multiplied by bmma_sync");
  static_assert(details::is_summed<T, D, C>,
                "sums of half are float or half, of integers int, of double double, else float");
  details::add_product<details::number<T>, T, m, n, k>(d, a, b, c, false);
}
// With `satf` sums stay within the range of `int`.
template <int m, int n, int k, class T, class LayoutA, class LayoutB, class C, class D>
GPUREPL_MMA void mma_sync(fragment<accumulator, m, n, k, D> &d, const fragment<matrix_a, m, n, k, T, LayoutA> &a,
                          const fragment<matrix_b, m, n, k, T, LayoutB> &b,
                          const fragment<accumulator, m, n, k, C> &c, bool satf) {
  static_assert(details::number<T>::packed != 32, "single bits are multiplied by bmma_sync");
  static_assert(details::is_same<typename details::number<T>::sum, int>, "`satf` is for integers: leave it out");
  static_assert(details::is_summed<T, D, C>, "sums of integers are int");
  details::add_product<details::number<T>, T, m, n, k>(d, a, b, c, satf);
}
template <class T>
GPUREPL_MMA void bmma_sync(fragment<accumulator, 8, 8, 128, int> &d,
                           const fragment<matrix_a, 8, 8, 128, T, row_major> &a,
                           const fragment<matrix_b, 8, 8, 128, T, col_major> &b,
                           const fragment<accumulator, 8, 8, 128, int> &c,
                           experimental::bmmaBitOp op = experimental::bmmaBitOpXOR,
                           experimental::bmmaAccumulateOp = experimental::bmmaAccumulateOpPOPC) {
  if (op == experimental::bmmaBitOpAND) details::add_product<details::conjunctions, T, 8, 8, 128>(d, a, b, c, false);
  else details::add_product<details::differences, T, 8, 8, 128>(d, a, b, c, false);
}

// To the nearest number of 10 binary digits, in the middle to the larger one, as
// `cvt.rna.tf32` does.
GPUREPL_MMA float __float_to_tf32(float x) {
  const unsigned int bits = __float_as_uint(x), rest = bits & 0x7fffffffu;
  if (rest > 0x7f800000u) return __uint_as_float(0x7fffffffu);
  return __uint_as_float(rest == 0x7f800000u ? bits : (bits + 0x1000u) & 0xffffe000u);
}
}
}
#undef GPUREPL_MMA
#endif
