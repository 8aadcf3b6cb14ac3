#include "tests/unit/testing/plain_device.h"

namespace dfrun::testing {

PlainDevice::PlainDevice() : Device(*DeviceName::Parse("/job:worker/task:0/device:cpu:0"), SystemAllocator()) {}

Device& HostDevice() {
  static PlainDevice& device = *new PlainDevice();
  return device;
}

}  // namespace dfrun::testing
