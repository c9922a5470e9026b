// An algorithm for a whole device, which a host calls: its names alone.
#ifndef GPUREPL_CUB_DEVICE_RUN_LENGTH_ENCODE
#define GPUREPL_CUB_DEVICE_RUN_LENGTH_ENCODE
#include <cub/device/gpurepl_device.cuh>

namespace cub {
struct DeviceRunLengthEncode {
  GPUREPL_CUB_DEVICE_WIDE(Encode)
  GPUREPL_CUB_DEVICE_WIDE(NonTrivialRuns)
};
}
#endif
