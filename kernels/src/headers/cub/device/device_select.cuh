// An algorithm for a whole device, which a host calls: its names alone.
#ifndef GPUREPL_CUB_DEVICE_SELECT
#define GPUREPL_CUB_DEVICE_SELECT
#include <cub/device/gpurepl_device.cuh>

namespace cub {
struct DeviceSelect {
  GPUREPL_CUB_DEVICE_WIDE(Flagged)
  GPUREPL_CUB_DEVICE_WIDE(If)
  GPUREPL_CUB_DEVICE_WIDE(FlaggedIf)
  GPUREPL_CUB_DEVICE_WIDE(Unique)
  GPUREPL_CUB_DEVICE_WIDE(UniqueByKey)
};
}
#endif
