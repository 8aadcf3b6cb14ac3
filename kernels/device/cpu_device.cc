#include "kernels/device/cpu_device.h"

#include "kernels/device/cpu_allocator.h"

namespace dfrun {
namespace {

// A base, so that it outlives the containers in Device, whose variables give their buffers back to it.
struct OwnsAllocator {
  CpuAllocator pool;
};

class CpuDevice final : private OwnsAllocator, public Device {
 public:
  explicit CpuDevice(const DeviceName& name) : Device(name, pool) {}
};

}  // namespace

Result<std::unique_ptr<Device>> MakeCpuDevice(const DeviceName& name) {
  if (!name.IsFull() || *name.type != "cpu") {
    return InvalidArgument("cannot make a CPU device of the name '", name.ToString(),
                           "'; it must be like /job:worker/task:0/device:cpu:0");
  }
  return std::unique_ptr<Device>(std::make_unique<CpuDevice>(name));
}

}  // namespace dfrun
