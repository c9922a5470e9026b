// An algorithm for a whole device, which a host calls: its names alone.
#ifndef GPUREPL_CUB_DEVICE_MEMCPY
#define GPUREPL_CUB_DEVICE_MEMCPY
#include <cub/device/gpurepl_device.cuh>

namespace cub {
struct DeviceMemcpy {
  GPUREPL_CUB_DEVICE_WIDE(Batched)
};
}
#endif
