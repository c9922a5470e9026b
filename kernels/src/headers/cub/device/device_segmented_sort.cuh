// An algorithm for a whole device, which a host calls: its names alone.
#ifndef GPUREPL_CUB_DEVICE_SEGMENTED_SORT
#define GPUREPL_CUB_DEVICE_SEGMENTED_SORT
#include <cub/device/gpurepl_device.cuh>

namespace cub {
struct DeviceSegmentedSort {
  GPUREPL_CUB_DEVICE_WIDE(SortPairs)
  GPUREPL_CUB_DEVICE_WIDE(SortPairsDescending)
  GPUREPL_CUB_DEVICE_WIDE(StableSortPairs)
  GPUREPL_CUB_DEVICE_WIDE(StableSortPairsDescending)
  GPUREPL_CUB_DEVICE_WIDE(SortKeys)
  GPUREPL_CUB_DEVICE_WIDE(SortKeysDescending)
  GPUREPL_CUB_DEVICE_WIDE(StableSortKeys)
  GPUREPL_CUB_DEVICE_WIDE(StableSortKeysDescending)
};
}
#endif
