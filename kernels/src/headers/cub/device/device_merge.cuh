// An algorithm for a whole device, which a host calls: its names alone.
#ifndef GPUREPL_CUB_DEVICE_MERGE
#define GPUREPL_CUB_DEVICE_MERGE
#include <cub/device/gpurepl_device.cuh>

namespace cub {
struct DeviceMerge {
  GPUREPL_CUB_DEVICE_WIDE(MergePairs)
  GPUREPL_CUB_DEVICE_WIDE(MergeKeys)
};
}
#endif
