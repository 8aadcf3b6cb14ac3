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

}  // namespace
}  // namespace dfrun
