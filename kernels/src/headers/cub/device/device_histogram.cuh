// An algorithm for a whole device, which a host calls: its names alone.
#ifndef GPUREPL_CUB_DEVICE_HISTOGRAM
#define GPUREPL_CUB_DEVICE_HISTOGRAM
#include <cub/device/gpurepl_device.cuh>

namespace cub {
struct DeviceHistogram {
  GPUREPL_CUB_DEVICE_WIDE(HistogramEven)
  GPUREPL_CUB_DEVICE_WIDE(MultiHistogramEven)
  GPUREPL_CUB_DEVICE_WIDE(HistogramRange)
  GPUREPL_CUB_DEVICE_WIDE(MultiHistogramRange)
};
}
#endif
