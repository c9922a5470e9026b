// An algorithm for a whole device, which a host calls: its names alone.
#ifndef GPUREPL_CUB_DEVICE_SCAN
#define GPUREPL_CUB_DEVICE_SCAN
#include <cub/device/gpurepl_device.cuh>

namespace cub {
struct DeviceScan {
  GPUREPL_CUB_DEVICE_WIDE(ExclusiveSum)
  GPUREPL_CUB_DEVICE_WIDE(InclusiveSum)
  GPUREPL_CUB_DEVICE_WIDE(ExclusiveScan)
  GPUREPL_CUB_DEVICE_WIDE(InclusiveScan)
  GPUREPL_CUB_DEVICE_WIDE(InclusiveScanInit)
  GPUREPL_CUB_DEVICE_WIDE(ExclusiveSumByKey)
  GPUREPL_CUB_DEVICE_WIDE(InclusiveSumByKey)
  GPUREPL_CUB_DEVICE_WIDE(ExclusiveScanByKey)
  GPUREPL_CUB_DEVICE_WIDE(InclusiveScanByKey)
};
}
#endif
