// The device that tests of kernels run on.
#ifndef DFRUN_TESTS_UNIT_TESTING_TESTED_DEVICE_H_
#define DFRUN_TESTS_UNIT_TESTING_TESTED_DEVICE_H_

#include <memory>
#include <string>

#include "src/framework/device.h"

namespace dfrun::testing {

// The type that the environment variable DFRUN_TEST_DEVICE names; else the host's.
std::string TestedDeviceType();

// A device of a type, of a task of its own. Dies where no factory makes one.
std::unique_ptr<Device> MakeDeviceOf(const std::string& type);

// A device of the tested type, whose host memory outlives it: values that it gave may be kept.
std::unique_ptr<Device> MakeTestedDevice();

}  // namespace dfrun::testing

#endif  // DFRUN_TESTS_UNIT_TESTING_TESTED_DEVICE_H_
