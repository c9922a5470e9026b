// Arithmetic of sizes.
#ifndef GPUREPL_CUB_UTIL_MATH
#define GPUREPL_CUB_UTIL_MATH
#include <cub/gpurepl_details.cuh>

namespace cub {
// Without the overflow of `n + d - 1`.
template <class N, class D> GPUREPL_CUB constexpr auto DivideAndRoundUp(N n, D d) -> decltype(n / d + 1) {
  return n / d + (n % d != 0 ? 1 : 0);
}
// Items a thread by the size of a type, where so many are right for 4 bytes.
namespace details {
GPUREPL_CUB constexpr int items_within(int items, int most) { return items < 1 ? 1 : items < most ? items : most; }
}
GPUREPL_CUB constexpr int Nominal4BItemsToItemsCombined(int nominal_4b_items_per_thread, int combined_bytes) {
  return details::items_within(nominal_4b_items_per_thread * 8 / combined_bytes, nominal_4b_items_per_thread);
}
template <class T> GPUREPL_CUB constexpr int Nominal4BItemsToItems(int nominal_4b_items_per_thread) {
  return details::items_within(nominal_4b_items_per_thread * 4 / (int)sizeof(T), nominal_4b_items_per_thread);
}
}
#endif
