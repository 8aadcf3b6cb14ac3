#include "tests/unit/testing/tested_device.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "src/framework/device_factory.h"
#include "tests/unit/testing/plain_device.h"

namespace dfrun::testing {

std::string TestedDeviceType() {
  const char* const type = std::getenv("DFRUN_TEST_DEVICE");
  return type == nullptr ? std::string(HostDeviceType()) : type;
}

std::unique_ptr<Device> MakeDeviceOf(const std::string& type) {
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
