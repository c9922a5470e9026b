// Stores by CUB's names. Those past the first cache are `volatile` ones, which
// other blocks see; the others are the compiler's own.
#ifndef GPUREPL_CUB_THREAD_STORE
#define GPUREPL_CUB_THREAD_STORE
#include <cub/thread/thread_load.cuh>

namespace cub {
enum CacheStoreModifier { STORE_DEFAULT, STORE_WB, STORE_CG, STORE_CS, STORE_WT, STORE_VOLATILE };

namespace details {
template <bool is_volatile> struct stored {
  template <class I, class T> GPUREPL_CUB static void to(I itr, const T &value) { *itr = value; }
};
template <> struct stored<true> {
  template <class I, class T> GPUREPL_CUB static void to(I itr, const T &value) { *itr = value; }
  template <class P, class T> GPUREPL_CUB static void to(P *p, const T &value) {
    typedef typename volatile_word<alignof(P)>::type word;
    const P all = value;
    word words[sizeof(P) / sizeof(word)];
    memcpy(words, (const void *)&all, sizeof(P));
    for (int k = 0; k < (int)(sizeof(P) / sizeof(word)); k++) ((volatile word *)p)[k] = words[k];
  }
};
}
template <CacheStoreModifier MODIFIER, class OutputIteratorT, class T>
GPUREPL_CUB void ThreadStore(OutputIteratorT itr, T val) {
  details::stored<MODIFIER == STORE_CG || MODIFIER == STORE_WT || MODIFIER == STORE_VOLATILE>::to(itr, val);
}
}
#endif
