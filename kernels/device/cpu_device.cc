#include "kernels/device/cpu_device.h"

#include "kernels/device/cpu_allocator.h"
#include "src/base/host/host_limits.h"
#include "src/framework/device/device_factory.h"

namespace dfrun {
namespace {

// A base, so that it outlives the containers in Device, whose variables give their buffers back to it.
struct OwnsAllocator {
  explicit OwnsAllocator(int64_t limit_bytes) : pool(limit_bytes) {}
  CpuAllocator pool;
};

class CpuDevice final : private OwnsAllocator, public Device {
 public:
  CpuDevice(const DeviceName& name, Allocator* network_memory, int64_t limit_bytes)
      : OwnsAllocator(limit_bytes), Device(name, pool, network_memory == nullptr ? pool : *network_memory) {}
};

// One device a task: cpu:0.
Result<FoundDevices> FindCpuDevices(const DeviceSite& site) {
  DeviceName name = site.task;
  name.type = "cpu";
  name.index = 0;
  const int64_t total = LimitsOfHost().memory_bytes;
  const auto limit = site.memory_limits.find(*name.type);
  DF_ASSIGN(
      std::unique_ptr<Device> device,
      MakeCpuDevice(name, site.network_memory, limit == site.memory_limits.end() ? 0 : limit->second.BytesOf(total)));
  FoundDevices found;
  found.devices.push_back({std::move(device), total, "the host's processors and memory"});
  return found;
}

DEVICE_FACTORY("cpu", &FindCpuDevices);

}  // namespace

Result<std::unique_ptr<Device>> MakeCpuDevice(const DeviceName& name, Allocator* network_memory, int64_t limit_bytes) {
  if (!name.IsFull() || *name.type != "cpu") {
    return InvalidArgument("cannot make a CPU device of the name '", name.ToString(),
                           "'; it must be like /job:worker/task:0/device:cpu:0");
  }
  return std::unique_ptr<Device>(std::make_unique<CpuDevice>(name, network_memory, limit_bytes));
}

}  // namespace dfrun
