// An algorithm for a whole device, which a host calls: its names alone.
#ifndef GPUREPL_CUB_DEVICE_PARTITION
#define GPUREPL_CUB_DEVICE_PARTITION
#include <cub/device/gpurepl_device.cuh>

namespace cub {
struct DevicePartition {
  GPUREPL_CUB_DEVICE_WIDE(Flagged)
  GPUREPL_CUB_DEVICE_WIDE(If)
};
}
#endif
