// An algorithm for a whole device, which a host calls: its names alone.
#ifndef GPUREPL_CUB_DEVICE_REDUCE
#define GPUREPL_CUB_DEVICE_REDUCE
#include <cub/device/gpurepl_device.cuh>

namespace cub {
struct DeviceReduce {
  GPUREPL_CUB_DEVICE_WIDE(Reduce)
  GPUREPL_CUB_DEVICE_WIDE(Sum)
  GPUREPL_CUB_DEVICE_WIDE(Min)
  GPUREPL_CUB_DEVICE_WIDE(Max)
  GPUREPL_CUB_DEVICE_WIDE(ArgMin)
  GPUREPL_CUB_DEVICE_WIDE(ArgMax)
  GPUREPL_CUB_DEVICE_WIDE(TransformReduce)
  GPUREPL_CUB_DEVICE_WIDE(ReduceByKey)
};
}
#endif
