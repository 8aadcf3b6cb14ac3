#include "tests/unit/testing/tested_device.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "src/framework/device/device_factory.h"
#include "src/framework/device/device_part.h"
#include "tests/unit/testing/plain_device.h"

namespace dfrun::testing {
namespace {

// Loads the program's device parts where none that is loaded has this type.
void LoadPartOf(const std::string& type) {
  const std::vector<std::string> types = RegisteredDeviceTypes();
  if (std::find(types.begin(), types.end(), type) != types.end()) return;
  const Status loaded = LoadDeviceParts();
  if (!loaded.ok()) std::fprintf(stderr, "%s\n", loaded.ToString().c_str());
  DF_CHECK(loaded.ok());
}

}  // namespace

std::string TestedDeviceType() {
  const char* const type = std::getenv("DFRUN_TEST_DEVICE");
  return type == nullptr ? std::string(HostDeviceType()) : type;
}

std::unique_ptr<Device> MakeDeviceOf(const std::string& type) {
  LoadPartOf(TestedDeviceType());  // before the first kernel is looked up, on whichever device
  LoadPartOf(type);
  Result<DeviceList> devices = MakeDevices(*DeviceName::Parse("/job:worker/task:0"));
  DF_CHECK(devices.ok());
  const auto found =
      std::find_if(devices->begin(), devices->end(), [&](const auto& device) { return device->type() == type; });
  DF_CHECK(found != devices->end());
  return std::move(*found);
}

std::unique_ptr<Device> MakeTestedDevice() {
  if (TestedDeviceType() == HostDeviceType()) return std::make_unique<PlainDevice>();
  return MakeDeviceOf(TestedDeviceType());
}

}  // namespace dfrun::testing
