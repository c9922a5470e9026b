// Copies by all threads of a group. They are made at once; to wait for them is
// to meet, after which all of the group see all that was copied.
#ifndef GPUREPL_COOPERATIVE_GROUPS_MEMCPY_ASYNC
#define GPUREPL_COOPERATIVE_GROUPS_MEMCPY_ASYNC
#include <cooperative_groups.h>

namespace cooperative_groups {
namespace details {
template <class T, class Group> GPUREPL_CG void copy(const Group &group, void *to, const void *from, size_t bytes) {
  const size_t size = group.size();
  for (size_t k = group.thread_rank(); k < bytes / sizeof(T); k += size) ((T *)to)[k] = ((const T *)from)[k];
}
}
template <class Group> GPUREPL_CG void memcpy_async(const Group &group, void *to, const void *from, size_t bytes) {
  const size_t places = (size_t)to | (size_t)from | bytes;
  if (places % 16 == 0) details::copy<uint4>(group, to, from, bytes);
  else if (places % 4 == 0) details::copy<unsigned int>(group, to, from, bytes);
  else details::copy<unsigned char>(group, to, from, bytes);
}
// With room for so many elements there and so many here.
template <class Group, class T>
GPUREPL_CG void memcpy_async(const Group &group, T *to, size_t room, const T *from, size_t count) {
  memcpy_async(group, (void *)to, (const void *)from, (room < count ? room : count) * sizeof(T));
}
template <class Group> GPUREPL_CG void wait(const Group &group) { group.sync(); }
template <unsigned int Later, class Group> GPUREPL_CG void wait_prior(const Group &group) { group.sync(); }
}
#endif
