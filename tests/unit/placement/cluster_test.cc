#include "src/placement/cluster.h"

#include <gtest/gtest.h>

namespace dfrun {
namespace {

std::vector<std::string> Devices(const std::vector<JobTasks>& jobs, int ranks) {
  Result<Cluster> cluster = MakeCluster(jobs, ranks);
  EXPECT_TRUE(cluster.ok()) << cluster.status().ToString();
  std::vector<std::string> names;
  if (!cluster.ok()) return names;
  for (const ClusterDevice& device : cluster->devices) {
    names.push_back(StrCat(device.rank, device.name.ToString()));
  }
  return names;
}

TEST(ClusterTest, EveryRankIsAWorkerByDefault) {
  EXPECT_EQ(Devices({}, 2),
            (std::vector<std::string>{"0/job:worker/task:0/device:cpu:0", "1/job:worker/task:1/device:cpu:0"}));
}

TEST(ClusterTest, JobsTakeRanksInTheirOrderAndOneTakesTheRest) {
  EXPECT_EQ(Devices({{"ps", 1}, {"worker", JobTasks::kRest}}, 3),
            (std::vector<std::string>{"0/job:ps/task:0/device:cpu:0", "1/job:worker/task:0/device:cpu:0",
                                      "2/job:worker/task:1/device:cpu:0"}));
  EXPECT_EQ(Devices({{"worker", JobTasks::kRest}, {"ps", 1}}, 2),
            (std::vector<std::string>{"0/job:worker/task:0/device:cpu:0", "1/job:ps/task:0/device:cpu:0"}));
}

TEST(ClusterTest, TheRestMayBeNothing) {
  EXPECT_EQ(Devices({{"ps", 1}, {"worker", JobTasks::kRest}}, 1).size(), 1U);
}

TEST(ClusterTest, RanksMustSuffice) {
  const Status status = MakeCluster({{"ps", 2}, {"worker", 3}}, 4).status();
  EXPECT_EQ(status.code(), Code::kInvalidArgument);
  EXPECT_EQ(status.message(), "the cluster's jobs need 5 ranks, but there are 4");
}

TEST(ClusterTest, NoRankIsLeftOver) {
  EXPECT_EQ(MakeCluster({{"ps", 1}, {"worker", 2}}, 4).status().code(), Code::kInvalidArgument);
}

TEST(ClusterTest, JobsAreCheckedOneByOne) {
  EXPECT_EQ(MakeCluster({{"a b", 1}}, 1).status().code(), Code::kInvalidArgument);
  EXPECT_EQ(MakeCluster({{"a", 1}, {"a", 1}}, 2).status().code(), Code::kInvalidArgument);
  EXPECT_EQ(MakeCluster({{"a", -5}}, 2).status().code(), Code::kInvalidArgument);
  EXPECT_EQ(MakeCluster({{"a", JobTasks::kRest}, {"b", JobTasks::kRest}}, 2).status().code(), Code::kInvalidArgument);
  EXPECT_EQ(MakeCluster({}, 0).status().code(), Code::kInvalidArgument);
}

TEST(ClusterTest, LongListsAreCut) {
  const Result<Cluster> cluster = MakeCluster({}, 20);
  ASSERT_TRUE(cluster.ok());
  EXPECT_EQ(cluster->ListDevices(1), "/job:worker/task:0/device:cpu:0, ... 20 in all");
}

DevicesReport Report(int of_tin) {
  DevicesReport report;
  report.devices.push_back({.type = "cpu", .memory_bytes = 1 << 30});
  for (int i = 0; i < of_tin; ++i) {
    report.devices.push_back(
        {.type = "tin", .index = i, .memory_bytes = 4096, .has_own_memory = true, .description = "a tin"});
  }
  if (of_tin == 0) report.why_none["tin"] = "the shelf is empty";
  return report;
}

TEST(ClusterTest, RanksMayReportDifferentDevices) {
  const Result<std::vector<DeviceName>> tasks = AssignTasks({{"ps", 1}, {"worker", JobTasks::kRest}}, 3);
  ASSERT_TRUE(tasks.ok());
  const Result<Cluster> cluster = MakeCluster(*tasks, {Report(0), Report(2), Report(1)});
  ASSERT_TRUE(cluster.ok()) << cluster.status().ToString();
  std::vector<std::string> names;
  for (const ClusterDevice& device : cluster->devices) names.push_back(StrCat(device.rank, device.name.ToString()));
  EXPECT_EQ(names, (std::vector<std::string>{"0/job:ps/task:0/device:cpu:0", "1/job:worker/task:0/device:cpu:0",
                                             "1/job:worker/task:0/device:tin:0", "1/job:worker/task:0/device:tin:1",
                                             "2/job:worker/task:1/device:cpu:0", "2/job:worker/task:1/device:tin:0"}));
  const ClusterDevice& second_tin = cluster->devices[3];
  EXPECT_EQ(second_tin.memory_bytes, 4096);
  EXPECT_TRUE(second_tin.has_own_memory);
  EXPECT_EQ(second_tin.description, "a tin");
  EXPECT_FALSE(cluster->devices[0].has_own_memory);
}

TEST(ClusterTest, WhatARankLacksIsSaidWithItsReason) {
  const Result<std::vector<DeviceName>> tasks = AssignTasks({}, 3);
  ASSERT_TRUE(tasks.ok());
  const Result<Cluster> cluster = MakeCluster(*tasks, {Report(1), Report(0), Report(0)});
  ASSERT_TRUE(cluster.ok());
  const auto why = [&](const char* constraint) { return cluster->WhyNone(*DeviceName::Parse(constraint)); };
  EXPECT_EQ(why("/task:2/device:tin:0"), "; rank 2 has no device of type tin: the shelf is empty");
  EXPECT_EQ(why("/device:tin:1"), "; rank 1 has no device of type tin: the shelf is empty");
  EXPECT_EQ(why("/task:0/device:tin:1"), "");
  EXPECT_EQ(why("/task:7"), "");
}

TEST(ClusterTest, EveryRankMustReportADeviceOfTheHost) {
  const Result<std::vector<DeviceName>> tasks = AssignTasks({}, 2);
  ASSERT_TRUE(tasks.ok());
  const Status status = MakeCluster(*tasks, {Report(0), {}}).status();
  EXPECT_EQ(status.code(), Code::kInternal);
  EXPECT_EQ(status.message(), "rank 1 has not reported a device of type cpu");
}

}  // namespace
}  // namespace dfrun
