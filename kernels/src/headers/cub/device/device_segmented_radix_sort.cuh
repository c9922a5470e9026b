// An algorithm for a whole device, which a host calls: its names alone.
#ifndef GPUREPL_CUB_DEVICE_SEGMENTED_RADIX_SORT
#define GPUREPL_CUB_DEVICE_SEGMENTED_RADIX_SORT
#include <cub/device/gpurepl_device.cuh>

namespace cub {
struct DeviceSegmentedRadixSort {
  GPUREPL_CUB_DEVICE_WIDE(SortPairs)
  GPUREPL_CUB_DEVICE_WIDE(SortPairsDescending)
  GPUREPL_CUB_DEVICE_WIDE(SortKeys)
  GPUREPL_CUB_DEVICE_WIDE(SortKeysDescending)
};
}
#endif
