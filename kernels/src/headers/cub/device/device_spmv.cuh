// An algorithm for a whole device, which a host calls: its names alone.
#ifndef GPUREPL_CUB_DEVICE_SPMV
#define GPUREPL_CUB_DEVICE_SPMV
#include <cub/device/gpurepl_device.cuh>

namespace cub {
struct DeviceSpmv {
  GPUREPL_CUB_DEVICE_WIDE(CsrMV)
};
}
#endif
