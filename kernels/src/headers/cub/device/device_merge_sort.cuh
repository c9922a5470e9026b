// An algorithm for a whole device, which a host calls: its names alone.
#ifndef GPUREPL_CUB_DEVICE_MERGE_SORT
#define GPUREPL_CUB_DEVICE_MERGE_SORT
#include <cub/device/gpurepl_device.cuh>

namespace cub {
struct DeviceMergeSort {
  GPUREPL_CUB_DEVICE_WIDE(SortPairs)
  GPUREPL_CUB_DEVICE_WIDE(SortPairsCopy)
  GPUREPL_CUB_DEVICE_WIDE(SortKeys)
  GPUREPL_CUB_DEVICE_WIDE(SortKeysCopy)
  GPUREPL_CUB_DEVICE_WIDE(StableSortPairs)
  GPUREPL_CUB_DEVICE_WIDE(StableSortKeys)
  GPUREPL_CUB_DEVICE_WIDE(StableSortKeysCopy)
};
}
#endif
