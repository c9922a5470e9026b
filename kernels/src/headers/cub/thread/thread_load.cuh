// Loads by CUB's names. Those past the first cache are `volatile` ones, which
// see what other blocks have written; the others are the compiler's own.
#ifndef GPUREPL_CUB_THREAD_LOAD
#define GPUREPL_CUB_THREAD_LOAD
#include <cub/gpurepl_details.cuh>

namespace cub {
enum CacheLoadModifier { LOAD_DEFAULT, LOAD_CA, LOAD_CG, LOAD_CS, LOAD_CV, LOAD_LDG, LOAD_VOLATILE };

namespace details {
template <int alignment> struct volatile_word { typedef unsigned long long type; };
template <> struct volatile_word<4> { typedef unsigned int type; };
template <> struct volatile_word<2> { typedef unsigned short type; };
template <> struct volatile_word<1> { typedef unsigned char type; };
template <bool is_volatile> struct loaded {
  template <class I> GPUREPL_CUB static typename element_of<I>::type from(I itr) { return *itr; }
};
template <> struct loaded<true> {
  template <class I> GPUREPL_CUB static typename element_of<I>::type from(I itr) { return *itr; }
  template <class T> GPUREPL_CUB static T from(T *p) {
    typedef typename value_of<T>::type value;
    typedef typename volatile_word<alignof(T)>::type word;
    word words[sizeof(T) / sizeof(word)];
    for (int k = 0; k < (int)(sizeof(T) / sizeof(word)); k++) words[k] = ((const volatile word *)p)[k];
    value all;
    memcpy((void *)&all, words, sizeof(T));
    return all;
  }
};
}
template <CacheLoadModifier MODIFIER, class InputIteratorT>
GPUREPL_CUB typename details::element_of<InputIteratorT>::type ThreadLoad(InputIteratorT itr) {
  return details::loaded<MODIFIER == LOAD_CG || MODIFIER == LOAD_CV || MODIFIER == LOAD_VOLATILE>::from(itr);
}
}
#endif
