#include "src/job/memory_estimate.h"

#include <gtest/gtest.h>

#include "src/graph/graph_ops.h"

namespace dfrun {
namespace {

constexpr const char* kCpu = "/job:worker/task:0/device:cpu:0";
constexpr int64_t kElements = 256;

// A part whose step has one value of 1 KiB at a time, and a variable of that size.
Partition MakePart(const std::string& variable) {
  Graph graph;
  GraphOps ops(graph, "", kCpu);
  const Output v = ops.Add(variable, "VariableV2", {}, {{"shape", Shape({kElements})}, {"dtype", DType::kFloat}});
  ops.Add("doubled", "AddV2", {v, v});
  EXPECT_TRUE(ops.status().ok()) << ops.status().ToString();
  return {kCpu, 0, std::move(graph)};
}

TEST(MemoryEstimate, PartsBehindEachOtherNeedTheLargestStep) {
  const Partition first = MakePart("v");
  const Partition second = MakePart("v");
  const MemoryEstimate estimate = EstimateMemory({{.partition = &first}, {.partition = &second}});
  EXPECT_EQ(estimate.device, kCpu);
  EXPECT_EQ(estimate.state_bytes, kElements * 4);
  EXPECT_EQ(estimate.step_bytes, kElements * 4);
}

TEST(MemoryEstimate, PartsBesideEachOtherNeedAllTheirSteps) {
  const Partition first = MakePart("v");
  const Partition second = MakePart("v");
  const Partition alone = MakePart("w");
  const MemoryEstimate estimate = EstimateMemory(
      {{.partition = &first, .runs_beside = true}, {.partition = &second, .runs_beside = true}, {.partition = &alone}});
  EXPECT_EQ(estimate.state_bytes, 2 * kElements * 4);
  EXPECT_EQ(estimate.step_bytes, 2 * kElements * 4);
}

}  // namespace
}  // namespace dfrun
