#include "src/executor/step/node_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace dfrun {
namespace {

// Remembers how many blocks had begun when it ran.
struct Watching : Work {
  explicit Watching(const std::atomic<int>& blocks) : Work{&Run}, begun(blocks) {}
  const std::atomic<int>& begun;
  std::atomic<int> seen{-1};

  static void Run(Work* work) {
    auto& self = *static_cast<Watching*>(work);
    self.seen = self.begun.load();
  }
  void Wait() const {
    while (seen < 0) std::this_thread::yield();
  }
};

// The test has two threads; the other one looks for work, as it does for long after blocks.
class NodePoolTest : public ::testing::Test {
 protected:
  void RunCounted(int64_t blocks, std::chrono::microseconds each = std::chrono::microseconds(50)) {
    node_pool_.RunBlocks(blocks, [&](int64_t) {
      ++begun_;
      std::this_thread::sleep_for(each);
    });
  }
  std::atomic<int> begun_{0};
  Watching held_{begun_};
  WorkerPool pool_{2};
  NodePool node_pool_{pool_};
};

TEST_F(NodePoolTest, HeldWorkBeginsAfterTheBlocksOfItsCall) {
  for (int round = 0; round < 20; ++round) {
    begun_ = 0;
    held_.seen = -1;
    node_pool_.Begin();
    node_pool_.Hold(&held_, 2);
    RunCounted(4);
    EXPECT_EQ(held_.seen, -1);
    RunCounted(1);  // blocks for nobody else
    EXPECT_EQ(held_.seen, -1);
    RunCounted(8);
    held_.Wait();
    EXPECT_GE(held_.seen, 12);  // the last may be on its way
    node_pool_.Release();
  }
}

TEST_F(NodePoolTest, WhatIsStillHeldIsReleasedOnce) {
  node_pool_.Begin();
  node_pool_.Hold(&held_, 2);
  RunCounted(4);
  EXPECT_EQ(held_.seen, -1);
  node_pool_.Release();
  held_.Wait();
  held_.seen = -1;
  node_pool_.Release();
  RunCounted(4);
  EXPECT_EQ(held_.seen, -1);
}

TEST_F(NodePoolTest, KnowsItsLongestCall) {
  node_pool_.Begin();
  EXPECT_EQ(node_pool_.longest(), 0);
  RunCounted(1);
  EXPECT_EQ(node_pool_.longest(), 0);
  RunCounted(2);
  EXPECT_EQ(node_pool_.longest(), 1);
  RunCounted(4, std::chrono::milliseconds(20));
  RunCounted(2);
  EXPECT_EQ(node_pool_.longest(), 2);
  node_pool_.Begin();
  EXPECT_EQ(node_pool_.longest(), 0);
}

TEST_F(NodePoolTest, BlocksWithinBlocksCountAsOneCall) {
  node_pool_.Begin();
  node_pool_.Hold(&held_, 2);
  node_pool_.RunBlocks(4, [&](int64_t) { RunCounted(3); });
  EXPECT_EQ(begun_, 12);
  EXPECT_EQ(held_.seen, -1);
  EXPECT_EQ(node_pool_.longest(), 1);
  RunCounted(4);
  held_.Wait();
  EXPECT_GE(held_.seen, 15);
}

}  // namespace
}  // namespace dfrun
