// The CPU devices of a rank.
#ifndef DFRUN_KERNELS_DEVICE_CPU_DEVICE_H_
#define DFRUN_KERNELS_DEVICE_CPU_DEVICE_H_

#include <cstdint>
#include <memory>

#include "src/framework/device/device.h"

namespace dfrun {

// A device with a pool of its own. `name` is full and of type cpu; InvalidArgument otherwise. `network_memory`:
// DeviceSite's. `limit_bytes`: CpuAllocator's.
Result<std::unique_ptr<Device>> MakeCpuDevice(const DeviceName& name, Allocator* network_memory = nullptr,
                                              int64_t limit_bytes = 0);

}  // namespace dfrun

#endif  // DFRUN_KERNELS_DEVICE_CPU_DEVICE_H_
