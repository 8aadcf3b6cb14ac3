// Jobs with queues, from their specs: which of them would wait for ever.
#include "src/training/checks/queue_liveness_check.h"

#include <gtest/gtest.h>

#include "src/spec/load.h"
#include "src/training/build_job_graph.h"
#include "tests/unit/testing/scratch_directory.h"

namespace dfrun {
namespace {

// The error of the job's compile, or "".
std::string ErrorOf(const std::string& nodes, const std::string& run) {
  const ScratchDirectory scratch;
  const std::string queue = "dfrun: 1\ngraph:\n  q: {op: FIFOQueueV2, component_types: [float32], shapes: [[]]}\n";
  const Result<LoadedSpec> spec = LoadSpec(scratch.Write("job.yaml", queue + nodes + "run: " + run + "\n"), {});
  if (!spec.ok()) return spec.status().message();
  const Result<Cluster> cluster = MakeCluster({}, 1);
  const Result<JobGraph> job = BuildJobGraph(*spec, *cluster);
  return job.ok() ? "" : job.status().message();
}

constexpr char kTake[] = "  x: {op: QueueDequeueV2, inputs: [q], component_types: [float32]}\n";
constexpr char kPut[] = "  put: {op: QueueEnqueueV2, inputs: [q, [1.0]]}\n";

TEST(ServedQueuesTest, NothingPutsElementsIntoTheQueue) {
  const std::string error = ErrorOf(std::string(kTake) + kPut, "{fetch: [x]}");
  EXPECT_NE(error.find("would wait for ever: nothing that the job runs puts elements into 'q'"), std::string::npos)
      << error;
  EXPECT_NE(error.find("job.yaml:4:"), std::string::npos) << error;
  EXPECT_NE(ErrorOf(std::string(kTake) + "  n: QueueSizeV2(q)\n", "{fetch: [x, n]}").find("'q'"), std::string::npos);
}

TEST(ServedQueuesTest, MoreIsPutIntoAQueueThanItHolds) {
  const std::string small =
      "  s: {op: FIFOQueueV2, component_types: [float32], shapes: [[]], capacity: 3}\n"
      "  a: {op: QueueEnqueueV2, inputs: [s, [1.0]]}\n  b: {op: QueueEnqueueV2, inputs: [s, [1.0]]}\n"
      "  n: QueueSizeV2(s)\n  end: QueueCloseV2(s)\n"
      "  y: {op: QueueDequeueV2, inputs: [s], component_types: [float32]}\n";
  EXPECT_EQ(ErrorOf(small, "{targets: [a, n], steps: 3}"), "");
  EXPECT_EQ(ErrorOf(small, "{targets: [a, y], steps: 30}"), "");
  EXPECT_EQ(ErrorOf(small, "{targets: [a, end], steps: 30}"), "");
  EXPECT_EQ(ErrorOf(kPut, "{targets: [put], steps: 30}"), "");
  for (const char* run : {"{targets: [a, n], steps: 4}", "{targets: [a, b], steps: 2}"}) {
    const std::string error = ErrorOf(small, run);
    EXPECT_NE(error.find("would wait for ever: the queue 's' holds 3 elements"), std::string::npos) << error;
  }
}

TEST(ServedQueuesTest, NothingAddsGradientsToAnAccumulator) {
  const std::string nodes =
      "  a: {op: ConditionalAccumulator, dtype: float32, shape: []}\n  s: {op: Const, value: 0, dtype: int64}\n"
      "  put: AccumulatorApplyGradient(a, s, 1.0)\n  x: {op: AccumulatorTakeGradient, inputs: [a, 1], dtype: float32}\n"
      "  n: AccumulatorNumAccumulated(a)\n";
  EXPECT_EQ(ErrorOf(nodes, "{fetch: [x], targets: [put]}"), "");
  EXPECT_NE(ErrorOf(nodes, "{fetch: [x, n]}").find("puts elements into 'a'"), std::string::npos);
}

TEST(ServedQueuesTest, ADequeueOfNoneWaitsForNothing) {
  for (const char* op : {"QueueDequeueManyV2", "QueueDequeueUpToV2"}) {
    const auto take = [&](int count) {
      return StrCat("  n: {op: Const, value: ", count, ", dtype: int32}\n  x: {op: ", op,
                    ", inputs: [q, n], component_types: [float32]}\n");
    };
    EXPECT_EQ(ErrorOf(take(0), "{fetch: [x]}"), "");
    EXPECT_NE(ErrorOf(take(1), "{fetch: [x]}").find("puts elements into 'q'"), std::string::npos);
    EXPECT_NE(
        ErrorOf(take(0) + "  y: {op: QueueDequeueV2, inputs: [q], component_types: [float32]}\n", "{fetch: [x, y]}")
            .find("node 'y' (op QueueDequeueV2) would wait for ever"),
        std::string::npos);
  }
}

TEST(ServedQueuesTest, TheJobServesTheQueue) {
  EXPECT_EQ(ErrorOf(std::string(kTake) + kPut, "{fetch: [x], targets: [put]}"), "");
  EXPECT_EQ(ErrorOf(std::string(kTake) + "  end: QueueCloseV2(q)\n", "{fetch: [x], targets: [end]}"), "");
  EXPECT_EQ(ErrorOf(std::string(kTake) + "  copy: Identity(q)\n", "{fetch: [x], targets: [copy]}"), "");
  const std::string shared =
      "  a: {op: FIFOQueueV2, component_types: [float32], shapes: [[]], shared_name: s}\n"
      "  b: {op: FIFOQueueV2, component_types: [float32], shapes: [[]], shared_name: s}\n"
      "  x: {op: QueueDequeueV2, inputs: [a], component_types: [float32]}\n"
      "  put: {op: QueueEnqueueV2, inputs: [b, [1.0]]}\n";
  EXPECT_EQ(ErrorOf(shared, "{fetch: [x], targets: [put]}"), "");
  EXPECT_NE(ErrorOf(shared, "{fetch: [x]}"), "");
}

}  // namespace
}  // namespace dfrun
