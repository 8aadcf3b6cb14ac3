// A CPU device without a pool, for tests that need no more.
#ifndef DFRUN_TESTS_UNIT_TESTING_PLAIN_DEVICE_H_
#define DFRUN_TESTS_UNIT_TESTING_PLAIN_DEVICE_H_

#include "src/framework/device/device.h"

namespace dfrun::testing {

// Uses the system's allocator.
class PlainDevice final : public Device {
 public:
  PlainDevice();
};

// Returns a device that lives as long as the process, for values that outlive what made them.
Device& HostDevice();

}  // namespace dfrun::testing

#endif  // DFRUN_TESTS_UNIT_TESTING_PLAIN_DEVICE_H_
