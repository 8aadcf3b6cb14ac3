// Tests of when memory is allocated and when it is freed.
#include <gtest/gtest.h>

#include "tests/unit/executor/test_nodes.h"

namespace dfrun::testing {
namespace {

constexpr int64_t kElements = 1 << 16;
constexpr int64_t kBytes = kElements * sizeof(float);
constexpr int64_t kSlack = 4096;  // headers of buffers, small values

Status RunOnce(ExecPlan& plan, const Tensor& feed, int threads, std::vector<Tensor>& fetches) {
  WorkerPool pool(threads);
  return RunPlan(plan, pool, {.feeds = {&feed, 1}, .fetches = fetches, .step = {}});
}

TEST(MemoryTest, ALargeValueIsFreedAfterItsLastReader) {
  TestDevice device;
  TestGraph graph;
  Output x = graph.Feed(0, PartialShape({kElements}));
  // AddN of a value with itself cannot take its buffer, so each node holds two at a time.
  for (int i = 0; i < 20; ++i) x = {graph.Add("AddN", {x, x}, {{"N", 2}}), 0};
  graph.Fetch(x);
  const auto plan = MakePlan(graph.graph(), device);
  std::vector<Tensor> fetches(1);
  const Tensor feed = Filled(kElements, 1);
  ASSERT_TRUE(RunOnce(*plan, feed, 1, fetches).ok());
  EXPECT_EQ(*fetches[0].data<float>(), 1 << 20);
  EXPECT_LE(device.peak_bytes(), 2 * kBytes + kSlack);
  EXPECT_LE(device.bytes_in_use(), kBytes + kSlack);
  fetches.clear();
  EXPECT_LE(device.bytes_in_use(), kSlack);
}

TEST(MemoryTest, AChainRunsInOneBuffer) {
  TestDevice device;
  TestGraph graph;
  Output x = {graph.Add("Negate", {graph.Feed(0, PartialShape({kElements}))}), 0};
  for (int i = 0; i < 19; ++i) x = {graph.Add("Negate", {x}), 0};
  graph.Fetch(x);
  const auto plan = MakePlan(graph.graph(), device);
  std::vector<Tensor> fetches(1);
  const Tensor feed = Filled(kElements, 1);
  ASSERT_TRUE(RunOnce(*plan, feed, 1, fetches).ok());
  EXPECT_TRUE(fetches[0].Identical(feed));
  EXPECT_LE(device.peak_bytes(), kBytes + kSlack);
}

TEST(MemoryTest, TheLastOfSeveralReadersMayTakeTheBuffer) {
  TestDevice device;
  TestGraph graph;
  const Output x = {graph.Add("Negate", {graph.Feed(0, PartialShape({kElements}))}), 0};
  const NodeId first = graph.Add("Work", {x}, {{"ns", 1}});
  graph.Fetch({graph.Add("Negate", {x}, {}, {first}), 0});
  const auto plan = MakePlan(graph.graph(), device);
  std::vector<Tensor> fetches(1);
  const Tensor feed = Filled(kElements, 1);
  ASSERT_TRUE(RunOnce(*plan, feed, 1, fetches).ok());
  EXPECT_TRUE(fetches[0].Identical(feed));
  EXPECT_LE(device.peak_bytes(), 2 * kBytes + kSlack);  // x and what Work copies
}

TEST(MemoryTest, ValuesThatNobodyReadsAreFreedAtOnce) {
  TestDevice device;
  TestGraph graph;
  const Output x = graph.Feed(0, PartialShape({kElements}));
  NodeId last = graph.Add("Work", {x}, {{"ns", 1}});
  for (int i = 0; i < 9; ++i) last = graph.Add("Work", {x}, {{"ns", 1}}, {last});
  const auto plan = MakePlan(graph.graph(), device);
  std::vector<Tensor> fetches;
  ASSERT_TRUE(RunOnce(*plan, Filled(kElements, 1), 1, fetches).ok());
  EXPECT_LE(device.peak_bytes(), kBytes + kSlack);
}

TEST(MemoryTest, AFailedStepKeepsNothing) {
  TestDevice device;
  TestGraph graph;
  const Output x = {graph.Add("Negate", {graph.Feed(0, PartialShape({kElements}))}), 0};
  const Output y = {graph.Add("Negate", {x}), 0};
  graph.Fetch({graph.Add("Add", {{graph.Add("Fail", {x}), 0}, y}), 0});
  const auto plan = MakePlan(graph.graph(), device);
  std::vector<Tensor> fetches(1);
  EXPECT_FALSE(RunOnce(*plan, Filled(kElements, 1), 1, fetches).ok());
  EXPECT_LE(device.bytes_in_use(), kSlack);
}

TEST(MemoryTest, SmallStaticValuesTakeNothingInASecondStep) {
  TestDevice device;
  TestGraph graph;
  Output x = graph.Feed(0, PartialShape({8}));
  for (int i = 0; i < 10; ++i) x = {graph.Add("Negate", {x}), 0};
  const auto plan = MakePlan(graph.graph(), device);
  std::vector<Tensor> fetches;
  ASSERT_TRUE(RunOnce(*plan, Filled(8, 1), 1, fetches).ok());
  const int64_t after_one = device.bytes_in_use();
  ASSERT_TRUE(RunOnce(*plan, Filled(8, 1), 1, fetches).ok());
  EXPECT_EQ(device.peak_bytes(), after_one);
}

}  // namespace
}  // namespace dfrun::testing
