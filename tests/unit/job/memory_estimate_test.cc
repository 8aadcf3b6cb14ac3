#include "src/job/memory_estimate.h"

#include <gtest/gtest.h>

#include <functional>

#include "src/graph/graph_ops.h"

namespace dfrun {
namespace {

constexpr const char* kCpu = "/job:worker/task:0/device:cpu:0";
constexpr int64_t kElements = 16 << 10;
constexpr int64_t kBytes = kElements * 4;
constexpr int64_t kStepBytes = (kBytes + 64) + (kBytes + 64) / 16;  // with a header, and a share for other threads

// A part whose step has one value of 64 KiB at a time, and a variable of that size.
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
  EXPECT_EQ(estimate.state_bytes, kBytes);
  EXPECT_EQ(estimate.step_bytes, kStepBytes);
}

TEST(MemoryEstimate, PartsBesideEachOtherNeedAllTheirSteps) {
  const Partition first = MakePart("v");
  const Partition second = MakePart("v");
  const Partition alone = MakePart("w");
  const MemoryEstimate estimate = EstimateMemory(
      {{.partition = &first, .runs_beside = true}, {.partition = &second, .runs_beside = true}, {.partition = &alone}});
  EXPECT_EQ(estimate.state_bytes, 2 * kBytes);
  EXPECT_EQ(estimate.step_bytes, 2 * kStepBytes);
}

// A part of one node, of which plans keep the value: the arena's.
Partition MakeSmallPart(const std::function<void(GraphOps&)>& add) {
  Graph graph;
  GraphOps ops(graph, "", kCpu);
  add(ops);
  EXPECT_TRUE(ops.status().ok()) << ops.status().ToString();
  return {kCpu, 0, std::move(graph)};
}

TEST(MemoryEstimate, EachPlanKeepsItsSmallValues) {
  const Partition part = MakeSmallPart([](GraphOps& ops) {
    ops.Add("x", "Neg",
            {ops.Add("fed", "Placeholder", {}, {{"dtype", DType::kFloat}, {"shape", PartialShape({256})}})});
  });
  EXPECT_EQ(EstimateMemory({{.partition = &part}}).step_bytes, 2 * 1024);
  EXPECT_EQ(EstimateMemory({{.partition = &part, .runs_beside = false, .plans = 2}}).step_bytes, 4 * 1024);
}

TEST(MemoryEstimate, ProductsOfManyColumnsTakeScratchMemory) {
  constexpr int64_t kRows = 512;
  const auto bytes_of = [](int64_t columns) {
    const Partition part = MakeSmallPart([columns](GraphOps& ops) {
      const auto fed = [&](const std::string& name, int64_t width) {
        return ops.Add(name, "Placeholder", {}, {{"dtype", DType::kFloat}, {"shape", PartialShape({kRows, width})}});
      };
      ops.Add("product", "MatMul", {fed("a", kRows), fed("b", columns)});
    });
    return EstimateMemory({{.partition = &part}}).step_bytes;
  };
  const auto operands = [](int64_t columns) { return kRows * 4 * (kRows + columns); };
  const auto all = [&](int64_t columns) { return (operands(columns) + kRows * 4 * columns + 3 * 64) * 17 / 16; };
  EXPECT_EQ(bytes_of(128), all(128));
  EXPECT_EQ(bytes_of(512), all(512) + operands(512) * 17 / 16);
}

}  // namespace
}  // namespace dfrun
