#include "src/passes/run_schedule.h"

#include <gtest/gtest.h>

#include "src/framework/device/device_speed.h"
#include "src/partition/partition.h"
#include "tests/unit/testing/graph_maker.h"

namespace dfrun {
namespace {

using testing::GraphMaker;

constexpr int64_t kSize = 512;
constexpr int64_t kBytes = kSize * kSize * 4;

// Returns the time of a product of two squares, by its definition.
double ProductSeconds() {
  const DeviceSpeed cpu = *SpeedOf("cpu");
  return cpu.node_seconds + 2.0 * kSize * kSize * kSize / cpu.flops;
}

class RunScheduleTest : public ::testing::Test {
 protected:
  Output On(int task, const std::string& name, const std::string& op, const std::vector<Output>& inputs) {
    const Output added = g_.Add(name, op, inputs);
    g_.node(added).device = StrCat("/job:worker/task:", task, "/device:cpu:0");
    return added;
  }
  Output Square(int task, const std::string& name) {
    const Output added = g_.Placeholder(name, {kSize, kSize}, DType::kFloat);
    g_.node(added).device = StrCat("/job:worker/task:", task, "/device:cpu:0");
    return added;
  }
  void Cut(int tasks) {
    int32_t channels = 0;
    Result<std::vector<Partition>> partitions = PartitionGraph(g_.graph, *MakeCluster({}, tasks), &channels);
    ASSERT_TRUE(partitions.ok()) << partitions.status().ToString();
    partitions_ = *std::move(partitions);
    for (Partition& partition : partitions_) graphs_.push_back(&partition.graph);
    Result<RunSchedule> schedule = RunSchedule::Create(graphs_);
    ASSERT_TRUE(schedule.ok()) << schedule.status().ToString();
    schedule_.emplace(*std::move(schedule));
  }
  int32_t Item(size_t partition, const std::string& name) const {
    const NodeId id = graphs_[partition]->Find(name);
    EXPECT_GE(id, 0) << name;
    return schedule_->ItemOf(static_cast<int32_t>(partition), id);
  }
  int32_t Recv(size_t partition) const {
    for (const Node& node : graphs_[partition]->nodes()) {
      if (node.op->name == "_Recv") return schedule_->ItemOf(static_cast<int32_t>(partition), node.id);
    }
    ADD_FAILURE() << "no Recv";
    return 0;
  }

  GraphMaker g_;
  std::vector<Partition> partitions_;
  std::vector<Graph*> graphs_;
  std::optional<RunSchedule> schedule_;
};

// a -> b -> d, and a -> c -> d, where c takes next to no time.
TEST_F(RunScheduleTest, WhatIsNotOnTheLongestWayMayComeLater) {
  const Output x = Square(0, "x");
  const Output a = On(0, "a", "MatMul", {x, x});
  const Output b = On(0, "b", "MatMul", {a, a});
  const Output c = On(0, "c", "Neg", {a});
  On(0, "d", "MatMul", {b, c});
  Cut(1);
  const double start = schedule_->Begin(Item(0, "a"));
  const double product = ProductSeconds();
  EXPECT_NEAR(schedule_->End(Item(0, "a")) - start, product, 1e-12);
  EXPECT_NEAR(schedule_->Begin(Item(0, "b")) - start, product, 1e-12);
  EXPECT_NEAR(schedule_->LatestBegin(Item(0, "b")) - start, product, 1e-12);
  EXPECT_NEAR(schedule_->Begin(Item(0, "c")) - start, product, 1e-12);
  const double neg = schedule_->End(Item(0, "c")) - schedule_->Begin(Item(0, "c"));
  EXPECT_LT(neg, product / 10);
  EXPECT_NEAR(schedule_->LatestBegin(Item(0, "c")) - start, 2 * product - neg, 1e-12);
  EXPECT_NEAR(schedule_->Begin(Item(0, "d")) - start, 2 * product, 1e-12);
  EXPECT_NEAR(schedule_->LatestBegin(Item(0, "d")) - start, 2 * product, 1e-12);
}

// w goes to where the second of two products reads it.
TEST_F(RunScheduleTest, ATransferTakesItsTimeAndMayWaitForItsReader) {
  const Output x = Square(0, "x");
  const Output w = Square(1, "w");
  const Output sent = On(1, "sent", "Neg", {w});
  const Output a = On(0, "a", "MatMul", {x, x});
  const Output b = On(0, "b", "MatMul", {a, a});
  On(0, "c", "MatMul", {b, sent});
  Cut(2);
  const int32_t recv = Recv(0);
  EXPECT_EQ(schedule_->NodeOf(schedule_->SendOf(recv)).partition, 1);
  EXPECT_NEAR(schedule_->Begin(recv), schedule_->End(Item(1, "sent")), 1e-12);
  EXPECT_NEAR(schedule_->End(recv) - schedule_->Begin(recv), TransferSeconds(kBytes), 1e-12);
  EXPECT_NEAR(schedule_->LatestBegin(recv), schedule_->Begin(Item(0, "c")) - TransferSeconds(kBytes), 1e-12);
  EXPECT_GT(schedule_->LatestBegin(recv), schedule_->Begin(recv));
}

TEST_F(RunScheduleTest, NodesThatWaitForEachOtherAreAnError) {
  const Output x = Square(0, "x");
  const Output a = On(0, "a", "Neg", {x});
  const Output b = On(1, "b", "Neg", {a});
  On(0, "c", "Neg", {b});
  Cut(2);
  graphs_[0]->AddControlEdge(graphs_[0]->Find("c"), graphs_[0]->Find("a"));
  const Result<RunSchedule> schedule = RunSchedule::Create(graphs_);
  EXPECT_EQ(schedule.status().code(), Code::kInternal);
  EXPECT_NE(schedule.status().message().find("by way of another device"), std::string::npos)
      << schedule.status().ToString();
}

}  // namespace
}  // namespace dfrun
