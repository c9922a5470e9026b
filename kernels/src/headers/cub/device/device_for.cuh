// An algorithm for a whole device, which a host calls: its names alone.
#ifndef GPUREPL_CUB_DEVICE_FOR
#define GPUREPL_CUB_DEVICE_FOR
#include <cub/device/gpurepl_device.cuh>

namespace cub {
struct DeviceFor {
  GPUREPL_CUB_DEVICE_WIDE(Bulk)
  GPUREPL_CUB_DEVICE_WIDE(ForEach)
  GPUREPL_CUB_DEVICE_WIDE(ForEachN)
  GPUREPL_CUB_DEVICE_WIDE(ForEachCopy)
  GPUREPL_CUB_DEVICE_WIDE(ForEachCopyN)
};
}
#endif
