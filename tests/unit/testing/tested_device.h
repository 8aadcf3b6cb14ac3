// The device that tests of kernels run on.
#ifndef DFRUN_TESTS_UNIT_TESTING_TESTED_DEVICE_H_
#define DFRUN_TESTS_UNIT_TESTING_TESTED_DEVICE_H_

#include <memory>
#include <string>

#include "src/framework/device/device.h"

namespace dfrun::testing {

// Returns the type that the environment variable DFRUN_TEST_DEVICE names, or else the host's.
std::string TestedDeviceType();

// Makes a device of this type in a task of its own. Ends the program if no factory makes one.
std::unique_ptr<Device> MakeDeviceOf(const std::string& type);

// Makes a device of the tested type, whose host memory outlives it, so that its values may be kept.
std::unique_ptr<Device> MakeTestedDevice();

}  // namespace dfrun::testing

#endif  // DFRUN_TESTS_UNIT_TESTING_TESTED_DEVICE_H_
