#include "kernels/device/cpu_device.h"

#include "kernels/device/cpu_allocator.h"
#include "src/framework/device_factory.h"

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

// One device a task: cpu:0.
Result<DeviceList> MakeCpuDevices(const DeviceName& task) {
  DeviceName name = task;
  name.type = "cpu";
  name.index = 0;
  DF_ASSIGN(std::unique_ptr<Device> device, MakeCpuDevice(name));
  DeviceList list;
  list.push_back(std::move(device));
  return list;
}

DEVICE_FACTORY("cpu", &MakeCpuDevices);

}  // namespace

Result<std::unique_ptr<Device>> MakeCpuDevice(const DeviceName& name) {
  if (!name.IsFull() || *name.type != "cpu") {
    return InvalidArgument("cannot make a CPU device of the name '", name.ToString(),
                           "'; it must be like /job:worker/task:0/device:cpu:0");
  }
  return std::unique_ptr<Device>(std::make_unique<CpuDevice>(name));
}

}  // namespace dfrun
