#include "src/placement/assumed_cluster.h"

#include <gtest/gtest.h>

#include "src/framework/device/device_factory.h"
#include "tests/unit/testing/graph_maker.h"

namespace dfrun {
namespace {

// A type whose devices are never there.
DEVICE_FACTORY("paper", [](const DeviceSite&) -> Result<FoundDevices> {
  FoundDevices found;
  found.why_none = "there is no paper";
  return found;
});

std::vector<std::string> DevicesOfPaper(const std::vector<JobTasks>& jobs, int ranks, const DeviceCounts& counts,
                                        const std::vector<std::string>& constraints) {
  testing::GraphMaker g;
  for (size_t i = 0; i < constraints.size(); ++i) g.node(g.Scalar(StrCat("x", i), 1.0f)).device = constraints[i];
  const Result<Cluster> cluster = AssumeCluster(jobs, ranks, counts, g.graph);
  EXPECT_TRUE(cluster.ok()) << cluster.status().ToString();
  std::vector<std::string> names;
  if (!cluster.ok()) return names;
  int cpus = 0;
  for (const ClusterDevice& device : cluster->devices) {
    if (device.name.type == "paper") {
      names.push_back(StrCat(device.rank, " ", device.name.ToString()));
    } else {
      EXPECT_EQ(device.name.type, "cpu");
      EXPECT_EQ(device.rank, cpus++);
    }
  }
  EXPECT_EQ(cpus, ranks);
  return names;
}

using Names = std::vector<std::string>;

TEST(AssumedCluster, HasTheDevicesThatNodesName) {
  EXPECT_EQ(DevicesOfPaper({}, 2, {}, {"", "/device:cpu:0", "/task:1"}), Names());
  EXPECT_EQ(DevicesOfPaper({}, 2, {}, {"/task:1/device:paper:3", "/device:paper"}),
            (Names{"0 /job:worker/task:0/device:paper:0", "1 /job:worker/task:1/device:paper:0",
                   "1 /job:worker/task:1/device:paper:3"}));
  EXPECT_EQ(DevicesOfPaper({{"ps", 1}, {"worker", JobTasks::kRest}}, 2, {}, {"/job:ps/device:paper:2000000000"}),
            (Names{"0 /job:ps/task:0/device:paper:2000000000"}));
}

TEST(AssumedCluster, CountsStandInPlaceOfNames) {
  EXPECT_EQ(DevicesOfPaper({}, 2, {{"paper", 1}}, {"/device:paper:3"}),
            (Names{"0 /job:worker/task:0/device:paper:0", "1 /job:worker/task:1/device:paper:0"}));
  EXPECT_EQ(DevicesOfPaper({}, 2, {{"paper", 0}}, {"/device:paper:3"}), Names());
}

TEST(AssumedCluster, LeavesWhatCannotBeReadToPlacement) {
  EXPECT_EQ(DevicesOfPaper({}, 1, {}, {"no device", "/device:scissors:0"}), Names());
}

TEST(DeviceFactory, TellsWhyThereIsNone) {
  const Result<TaskDevices> found = FindDevices({.task = *DeviceName::Parse("/job:worker/task:3")});
  ASSERT_TRUE(found.ok()) << found.status().ToString();
  ASSERT_EQ(found->devices.size(), 1u);
  EXPECT_EQ(found->devices[0]->full_name(), "/job:worker/task:3/device:cpu:0");
  ASSERT_EQ(found->report.devices.size(), 1u);
  EXPECT_EQ(found->report.devices[0].type, HostDeviceType());
  EXPECT_GT(found->report.devices[0].memory_bytes, 1 << 20);
  EXPECT_EQ(found->report.why_none, (std::map<std::string, std::string>{{"paper", "there is no paper"}}));
  EXPECT_EQ(DeviceCountKey("paper"), "papers");
}

}  // namespace
}  // namespace dfrun
