// Times of nodes from traces.
#include "src/events/traced_steps.h"

#include <gtest/gtest.h>

#include "src/base/status.h"
#include "src/events/step_stats.pb.h"
#include "tests/unit/testing/scratch_directory.h"

namespace dfrun {
namespace {

std::string Event(const std::string& name, int step, const std::string& device, const std::string& dur) {
  return StrCat(",\n{\"name\":\"", name,
                "\",\"cat\":\"Neg\",\"ph\":\"X\",\"pid\":0,\"tid\":2,\"ts\":10.750,\"dur\":", dur,
                ",\"args\":{\"op\":\"Neg\",\"device\":\"", device, "\",\"step\":", step, "}}");
}

std::string Trace(const std::string& events) {
  return "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n"
         "{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":0,\"args\":{\"name\":\"rank 0\"}}" +
         events + "\n]}\n";
}

TEST(TracedStepsTest, NodesAreSortedByStepAndDevice) {
  const ScratchDirectory scratch;
  const std::string a = scratch.Write("a", Trace(Event("x", 4, "/a", "3.200") + Event("y", 5, "/a", "0.000")));
  const std::string b = scratch.Write("b", Trace(Event("z", 4, "/b", "7.000")));
  const auto steps = TracedSteps({a, b});
  ASSERT_TRUE(steps.ok()) << steps.status().ToString();
  ASSERT_EQ(steps->size(), 2u);
  proto::RunMetadata fourth;
  ASSERT_TRUE(fourth.ParseFromString(steps->at(4)));
  ASSERT_EQ(fourth.step_stats().dev_stats_size(), 2);
  const proto::DeviceStepStats& device = fourth.step_stats().dev_stats(0);
  EXPECT_EQ(device.device(), "/a");
  ASSERT_EQ(device.node_stats_size(), 1);
  EXPECT_EQ(device.node_stats(0).node_name(), "x");
  EXPECT_EQ(device.node_stats(0).all_start_micros(), 10);
  EXPECT_EQ(device.node_stats(0).all_end_rel_micros(), 4);  // 3.2 rounded up
  EXPECT_EQ(fourth.step_stats().dev_stats(1).node_stats(0).node_name(), "z");
  EXPECT_EQ(fourth.step_stats().dev_stats(1).node_stats(0).all_end_rel_micros(), 7);
  proto::RunMetadata fifth;
  ASSERT_TRUE(fifth.ParseFromString(steps->at(5)));
  // A node without a time would not be shown.
  EXPECT_EQ(fifth.step_stats().dev_stats(0).node_stats(0).all_end_rel_micros(), 1);
}

TEST(TracedStepsTest, AFileThatIsNoTraceIsNamed) {
  const ScratchDirectory scratch;
  const auto steps = TracedSteps({scratch.Write("torn", Trace("").substr(0, 60))});
  EXPECT_EQ(steps.status().code(), Code::kDataLoss);
  EXPECT_NE(steps.status().message().find("torn"), std::string::npos) << steps.status().message();
}

}  // namespace
}  // namespace dfrun
