// Factories by which a rank finds its devices: each device type registers one function, so that src/ knows no hardware.
//
//   DEVICE_FACTORY("cpu", &FindCpuDevices);
//
// A type may be registered, with its kernels and passes, where there is none of its devices: its factory then finds
// none and says why. Graphs for such devices can be compiled and checked on any host.
//
// Thread safety: registration ends before main(); all functions may then be called from any thread.
#ifndef DFRUN_SRC_FRAMEWORK_DEVICE_DEVICE_FACTORY_H_
#define DFRUN_SRC_FRAMEWORK_DEVICE_DEVICE_FACTORY_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "src/framework/device/device.h"
#include "src/framework/device/device_report.h"
#include "src/framework/device/device_types.h"
#include "src/framework/device/memory_limit.h"

namespace dfrun {

using DeviceList = std::vector<std::unique_ptr<Device>>;

// The task for which devices are found.
struct DeviceSite {
  DeviceName task;  // "/job:worker/task:3"
  // A factory may share hardware out among the ranks of a host.
  int rank_on_host = 0;
  int ranks_on_host = 1;
  // Host memory that the network moves best, for values that cross ranks; it outlives the devices. Null: any memory
  // will do.
  Allocator* network_memory = nullptr;
  // The memory that this rank may take of each device of a type. A factory's allocators are then LimitedMemory.
  MemoryLimits memory_limits = {};
};

// The devices of one type.
struct FoundDevices {
  struct Found {
    std::unique_ptr<Device> device;
    int64_t memory_bytes = 0;  // 0: not known
    std::string description;
  };
  std::vector<Found> devices;              // indices count from 0
  std::string why_none;                    // the reason, where there is no device: "the driver library cannot be
                                           // opened: ..."
  std::vector<std::string> warnings = {};  // see DevicesReport::warnings
};

// Finds the devices of a type that a task has on this host. A lack of such hardware, or of its driver, is no error.
// Called once a rank; a process may hold several ranks.
using DeviceFactory = Result<FoundDevices> (*)(const DeviceSite& site);

struct TaskDevices {
  DeviceList devices;
  DevicesReport report;  // describes `devices`, in the same order
};

// The devices of every registered type, those of the host first. An error where there is none of the host.
Result<TaskDevices> FindDevices(const DeviceSite& site);
// Finds the devices of a single task on its host; no report.
Result<DeviceList> MakeDevices(const DeviceName& task);

namespace internal {
struct DeviceRegistration {
  DeviceRegistration(std::string_view type, DeviceFactory find);
};
}  // namespace internal

#define DEVICE_FACTORY(type, find) \
  [[maybe_unused]] static const ::dfrun::internal::DeviceRegistration DF_CONCAT(df_device_, __COUNTER__)(type, find)

}  // namespace dfrun

#endif  // DFRUN_SRC_FRAMEWORK_DEVICE_DEVICE_FACTORY_H_
