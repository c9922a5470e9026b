// What the parts of CUB share: memory, lanes and shuffles. Interfaces follow
// NVIDIA's published description of CUB; one text for both devices.
#ifndef GPUREPL_CUB_DETAILS
#define GPUREPL_CUB_DETAILS
#include <gpurepl_threads.h>
#define GPUREPL_CUB __device__ __forceinline__

namespace cub {
namespace details {
// ---- types ---------------------------------------------------------------------------------------

template <bool, class T, class F> struct either { typedef T type; };
template <class T, class F> struct either<false, T, F> { typedef F type; };
template <class, class T = void> struct when { typedef T type; };
template <class T> struct value_of { typedef T type; };
template <class T> struct value_of<T &> : value_of<T> {};
template <class T> struct value_of<T &&> : value_of<T> {};
template <class T> struct value_of<const T> : value_of<T> {};
template <class A, class B> struct is_same { static constexpr bool value = false; };
template <class A> struct is_same<A, A> { static constexpr bool value = true; };
template <class T> T &&some();

// What an iterator leads to, pointers too.
template <class I> struct element_of { typedef typename value_of<decltype(some<const I &>()[0])>::type type; };

// Whether a function takes a third argument, the index.
template <class F, class T> struct takes_index {
  template <class G> static constexpr bool test(decltype(some<G &>()(some<T &>(), some<T &>(), 0)) *) { return true; }
  template <class G> static constexpr bool test(...) { return false; }
  static constexpr bool value = test<F>(nullptr);
};

GPUREPL_CUB constexpr bool is_power_of_two(int n) { return (n & (n - 1)) == 0; }

// ---- memory --------------------------------------------------------------------------------------

// Room for elements that have constructors, in a type that has none: temporary
// storage is a member of unions and lies in shared memory.
template <class T, int N> struct slots {
  alignas(T) unsigned char gpurepl_bytes[sizeof(T) * (N > 0 ? N : 1)];
  GPUREPL_CUB T &operator[](int k) { return ((T *)gpurepl_bytes)[k]; }
};
struct no_storage {};

// Shared memory for who brings none; a template, so that only who asks for it has it.
template <class T> GPUREPL_CUB T &own_memory() {
#ifdef GPUREPL_HOST
  return gpurepl_shared<0xffffffffu, 16, T>();
#else
  __shared__ T memory;
  return memory;
#endif
}

// The widest word that so many bytes are a multiple of.
template <int bytes, int rest = bytes % 16> struct word_for { typedef unsigned char type; };
template <int bytes> struct word_for<bytes, 0> { typedef uint4 type; };
template <int bytes> struct word_for<bytes, 8> { typedef uint2 type; };
template <int bytes> struct word_for<bytes, 4> { typedef unsigned int type; };
template <int bytes> struct word_for<bytes, 12> { typedef unsigned int type; };
template <int bytes> struct word_for<bytes, 2> { typedef unsigned short type; };
template <int bytes> struct word_for<bytes, 6> { typedef unsigned short type; };
template <int bytes> struct word_for<bytes, 10> { typedef unsigned short type; };
template <int bytes> struct word_for<bytes, 14> { typedef unsigned short type; };

// ---- where a thread is ---------------------------------------------------------------------------

GPUREPL_CUB int block_rank() {
  const uint3 thread = GPUREPL_THREAD_IDX;
  const dim3 block = GPUREPL_BLOCK_DIM;
  return (int)((thread.z * block.y + thread.y) * block.x + thread.x);
}
GPUREPL_CUB int lane() {
#ifdef GPUREPL_HOST
  return block_rank() & 31;
#else
  unsigned int lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  return (int)lane;
#endif
}
// Of a block whose size is known when it is compiled.
template <int X, int Y, int Z> struct block {
  static constexpr int threads = X * Y * Z;
  static constexpr int warps = (threads + 31) / 32;
  GPUREPL_CUB static int rank() {
    const uint3 thread = GPUREPL_THREAD_IDX;
    return (int)(Y * Z == 1 ? thread.x : Z == 1 ? thread.y * X + thread.x : (thread.z * Y + thread.y) * X + thread.x);
  }
  // How many lanes the warp of a thread has, and which.
  GPUREPL_CUB static int lanes(int rank) { return threads % 32 == 0 || rank / 32 < threads / 32 ? 32 : threads % 32; }
  GPUREPL_CUB static unsigned int mask(int rank) { return 0xffffffffu >> (32 - lanes(rank)); }
};
// Of the lanes of a warp that go together.
template <int N> struct logical_warp {
  static_assert(N >= 1 && N <= 32, "a logical warp has 1 to 32 threads");
  GPUREPL_CUB static int rank() { return N == 32 ? lane() : lane() % N; }
  GPUREPL_CUB static int first() { return N == 32 ? 0 : lane() / N * N; }
  GPUREPL_CUB static unsigned int mask() { return (0xffffffffu >> (32 - N)) << first(); }
};

// ---- shuffles ------------------------------------------------------------------------------------

// Those of the language take numbers of 4 or 8 bytes; any other value travels
// in as few of these as it fits in.
template <bool> struct shuffle_word { typedef unsigned int type; };
template <> struct shuffle_word<true> { typedef unsigned long long type; };
#define GPUREPL_SHUFFLE(name) \
  template <class T> GPUREPL_CUB T name(unsigned int mask, T value, int lane) { \
    typedef typename shuffle_word<sizeof(T) % 8 == 0>::type word; \
    word words[(sizeof(T) + sizeof(word) - 1) / sizeof(word)] = {}; \
    memcpy(words, (const void *)&value, sizeof(T)); \
    for (word &each : words) each = __##name##_sync(mask, each, lane); \
    memcpy((void *)&value, words, sizeof(T)); \
    return value; \
  }
GPUREPL_SHUFFLE(shfl)
GPUREPL_SHUFFLE(shfl_up)
GPUREPL_SHUFFLE(shfl_down)
#undef GPUREPL_SHUFFLE
}
}
#endif
