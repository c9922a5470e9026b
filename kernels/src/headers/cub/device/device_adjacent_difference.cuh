// An algorithm for a whole device, which a host calls: its names alone.
#ifndef GPUREPL_CUB_DEVICE_ADJACENT_DIFFERENCE
#define GPUREPL_CUB_DEVICE_ADJACENT_DIFFERENCE
#include <cub/device/gpurepl_device.cuh>

namespace cub {
struct DeviceAdjacentDifference {
  GPUREPL_CUB_DEVICE_WIDE(SubtractLeft)
  GPUREPL_CUB_DEVICE_WIDE(SubtractLeftCopy)
  GPUREPL_CUB_DEVICE_WIDE(SubtractRight)
  GPUREPL_CUB_DEVICE_WIDE(SubtractRightCopy)
};
}
#endif
