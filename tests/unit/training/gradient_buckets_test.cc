// Buckets of gradients: which gradients share one, and the nodes that a bucket becomes.
#include "src/training/gradient_buckets.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "src/graph/graph_ops.h"

namespace dfrun {
namespace {

using Buckets = std::vector<std::vector<size_t>>;

class GradientBucketsTest : public testing::Test {
 protected:
  static std::string TaskOf(int replica) { return StrCat("/job:worker/replica:0/task:", replica, "/device:CPU:0"); }

  // Adds a gradient of two replicas, each on a task of its own.
  void AddGradient(const PartialShape& shape, DType dtype = DType::kFloat, int first_task = 0) {
    ReplicatedGradient gradient{StrCat("gradient_", gradients_.size()), {}};
    for (int r = 0; r < 2; ++r) {
      GraphOps ops(graph_, "", TaskOf(first_task + r));
      gradient.values.push_back(ops.Add("value", "Placeholder", {}, {{"dtype", dtype}, {"shape", shape}}));
      ASSERT_TRUE(ops.status().ok()) << ops.status().ToString();
    }
    gradients_.push_back(std::move(gradient));
  }

  Buckets Assign(int64_t bytes) const { return AssignToBuckets(graph_, gradients_, bytes); }

  Graph graph_;
  std::vector<ReplicatedGradient> gradients_;
};

TEST_F(GradientBucketsTest, ABucketTakesWhatFollowsUntilItIsFull) {
  for (const int64_t elements : {4, 4, 2, 8}) AddGradient(Shape({elements}));
  EXPECT_EQ(Assign(40), (Buckets{{0, 1, 2}, {3}}));  // 16, 16, 8 and 32 bytes
  EXPECT_EQ(Assign(39), (Buckets{{0, 1}, {2}, {3}}));
  EXPECT_EQ(Assign(1000), (Buckets{{0, 1, 2, 3}}));
}

TEST_F(GradientBucketsTest, LargeOnesAndThoseOfUnknownShapeAreAlone) {
  AddGradient(Shape({2}));
  AddGradient(PartialShape({-1}));
  AddGradient(Shape({3}));
  EXPECT_EQ(Assign(400), (Buckets{{1}, {0, 2}}));
  AddGradient(Shape({100}));
  AddGradient(Shape({4}));
  EXPECT_EQ(Assign(400), (Buckets{{1}, {0, 2}, {3}, {4}}));  // small gradients before the large one do not wait
}

TEST_F(GradientBucketsTest, ZeroLeavesAllAlone) {
  for (int i = 0; i < 3; ++i) AddGradient(Shape({2}));
  EXPECT_EQ(Assign(0), (Buckets{{0}, {1}, {2}}));
}

TEST_F(GradientBucketsTest, OneDtypeAndTheSameDevices) {
  AddGradient(Shape({2}));
  AddGradient(Shape({2}), DType::kDouble);
  AddGradient(Shape({2}), DType::kFloat, /*first_task=*/2);
  AddGradient(Shape({2}));
  AddGradient(Shape({2}), DType::kDouble);
  Buckets buckets = Assign(1000);
  std::sort(buckets.begin(), buckets.end());
  EXPECT_EQ(buckets, (Buckets{{0, 3}, {1, 4}, {2}}));
}

TEST_F(GradientBucketsTest, ABucketIsOneCollectiveAndEveryReaderGetsMeansOfTheShapesOfTheGradients) {
  AddGradient(Shape({2, 3}));
  AddGradient(Shape());
  const std::vector<MeanReader> readers = {{0, TaskOf(0)}, {1, TaskOf(1)}};
  const auto means = ReduceInBuckets(graph_, gradients_, 1000, readers);
  ASSERT_TRUE(means.ok()) << means.status().ToString();
  ASSERT_EQ(means->size(), 2u);
  for (size_t r = 0; r < 2; ++r) {
    for (size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(graph_.shape((*means)[r][i]), graph_.shape(gradients_[i].values[0]));
      EXPECT_EQ(graph_.node((*means)[r][i].node).device, readers[r].device);
    }
  }
  const auto is_collective = [](const Node& node) { return node.op->name == "AllReduce"; };
  EXPECT_EQ(std::count_if(graph_.nodes().begin(), graph_.nodes().end(), is_collective), 1);
}

}  // namespace
}  // namespace dfrun
