#include <gtest/gtest.h>

#include "src/framework/device/device.h"

namespace dfrun {
namespace {

std::string Read(const std::string& text) {
  const Result<DeviceName> name = DeviceName::Parse(text);
  return name.ok() ? name->ToString() : "error";
}

TEST(DeviceNameTest, EverySpellingOfTensorFlow) {
  EXPECT_EQ(Read("/job:worker/replica:0/task:17/device:GPU:3"), "/job:worker/task:17/device:gpu:3");
  EXPECT_EQ(Read("/task:17/job:worker/gpu:3"), "/job:worker/task:17/device:gpu:3");
  EXPECT_EQ(Read("/job:ps/task:1/cpu:0"), "/job:ps/task:1/device:cpu:0");
  EXPECT_EQ(Read("/job:ps/task:1/CPU:0"), "/job:ps/task:1/device:cpu:0");
  EXPECT_EQ(Read("/device:CPU:*"), "/device:cpu:*");
  EXPECT_EQ(Read("/device:GPU"), "/device:gpu:*");
  EXPECT_EQ(Read("/job:*/replica:*/task:*/device:CPU:0"), "/device:cpu:0");
  EXPECT_EQ(Read("cpu:0"), "/device:cpu:0");
  EXPECT_EQ(Read("GPU:1"), "/device:gpu:1");
  EXPECT_EQ(Read("/job:localhost/replica:0/task:0/device:CPU:0"), "/job:localhost/task:0/device:cpu:0");
  EXPECT_EQ(Read("/"), "");
  EXPECT_EQ(Read(""), "");
}

TEST(DeviceNameTest, RefusesWhatIsNoDevice) {
  for (const char* text : {"//", "/job:", "/job:a b", "/task:x", "/task:-1", "/device:", "/device:cpu:x", "/tsk:1",
                           "here", "/job:worker//task:1", "/device:cpu:0:1"}) {
    EXPECT_EQ(Read(text), "error") << text;
  }
}

}  // namespace
}  // namespace dfrun
