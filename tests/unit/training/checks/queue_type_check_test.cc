// Jobs whose nodes put elements of another type into queues, or take them out, from their specs.
#include "src/training/checks/queue_type_check.h"

#include <gtest/gtest.h>

#include "src/spec/load.h"
#include "tests/unit/testing/scratch_directory.h"

namespace dfrun {
namespace {

// Returns the error of a node that uses the queue q of pairs float32[2], int32; "" if there is none.
std::string ErrorOf(const std::string& node, const std::string& queue = "FIFOQueueV2",
                    const std::string& shapes = "[[2], []]") {
  const ScratchDirectory scratch;
  const std::string spec = StrCat("dfrun: 1\ngraph:\n  q: {op: ", queue,
                                  ", component_types: [float32, int32], shapes: ", shapes, "}\n  x: ", node, "\n");
  const Result<LoadedSpec> loaded = LoadSpec(scratch.Write("job.yaml", spec), {});
  EXPECT_TRUE(loaded.ok()) << loaded.status().ToString();
  return loaded.ok() ? CheckQueueElements(loaded->graph).message() : "";
}

void ExpectError(const std::string& error, const std::string& what) {
  EXPECT_NE(error.find("job.yaml:4:"), std::string::npos) << error;
  EXPECT_NE(error.find(what), std::string::npos) << error;
}

TEST(QueueElements, ThatFitAreTaken) {
  EXPECT_EQ(ErrorOf("QueueEnqueueV2(q, [[1.0, 2.0], 3])"), "");
  EXPECT_EQ(ErrorOf("QueueEnqueueManyV2(q, [[[1.0, 2.0]], [3]])"), "");
  EXPECT_EQ(ErrorOf("{op: QueueDequeueV2, inputs: [q], component_types: [float32, int32]}"), "");
  EXPECT_EQ(ErrorOf("{op: QueueDequeueManyV2, inputs: [q, 4], component_types: [float32, int32]}"), "");
  EXPECT_EQ(ErrorOf("QueueEnqueueV2(q, [[1.0], 3])", "PaddingFIFOQueueV2", "[[-1], []]"), "");
  EXPECT_EQ(ErrorOf("{op: QueueDequeueV2, inputs: [Identity(q)], component_types: [float32, int32]}"), "");
  EXPECT_EQ(ErrorOf("{op: QueueDequeueV2, inputs: [q], component_types: [int64, float32, int32]}", "PriorityQueueV2"),
            "");
}

TEST(QueueElements, OfOtherDTypesAreRefused) {
  ExpectError(ErrorOf("QueueEnqueueV2(q, [3, [1.0, 2.0]])"), "component 0 of its queue is float32, not int32");
  ExpectError(ErrorOf("QueueEnqueueV2(q, [[1.0, 2.0]])"), "has 2 components, not 1");
  ExpectError(ErrorOf("{op: QueueDequeueV2, inputs: [q], component_types: [float32, int64]}"),
              "component 1 of its queue is int32, not int64");
  ExpectError(ErrorOf("{op: QueueDequeueV2, inputs: [q], component_types: [float32, int32]}", "PriorityQueueV2"),
              "has 3 components, not 2");
}

TEST(QueueElements, QueuesOfOneNameHaveOneType) {
  const auto error = [](const std::string& queue, const std::string& attrs) {
    const ScratchDirectory scratch;
    const std::string spec =
        StrCat("dfrun: 1\ngraph:\n  a: {op: FIFOQueueV2, component_types: [float32], shapes: [[2]], shared_name: q}\n",
               "  b: {op: ", queue, ", component_types: [float32], shapes: [[2]], ", attrs, "}\n");
    const Result<LoadedSpec> loaded = LoadSpec(scratch.Write("job.yaml", spec), {});
    EXPECT_TRUE(loaded.ok()) << loaded.status().ToString();
    return loaded.ok() ? CheckQueueElements(loaded->graph).message() : "";
  };
  EXPECT_EQ(error("FIFOQueueV2", "shared_name: q"), "");
  EXPECT_EQ(error("FIFOQueueV2", "capacity: 3, shared_name: p"), "");
  EXPECT_EQ(error("FIFOQueueV2", "capacity: 3, shared_name: q, container: c"), "");
  for (const std::string& of_other_type :
       {error("FIFOQueueV2", "capacity: 3, shared_name: q"), error("PaddingFIFOQueueV2", "shared_name: q")}) {
    EXPECT_NE(of_other_type.find("job.yaml:4:"), std::string::npos) << of_other_type;
    EXPECT_NE(of_other_type.find("the node 'a' shares the queue 'q'"), std::string::npos) << of_other_type;
  }
}

TEST(QueueElements, AccumulatorsAddOneDType) {
  const auto error = [](const std::string& dtype, const std::string& value) {
    const ScratchDirectory scratch;
    const std::string spec = StrCat("dfrun: 1\ngraph:\n  a: {op: ConditionalAccumulator, dtype: ", dtype,
                                    ", shape: [2]}\n  s: {op: Const, value: 0, dtype: int64}\n",
                                    "  x: AccumulatorApplyGradient(a, s, ", value, ")\n");
    const Result<LoadedSpec> loaded = LoadSpec(scratch.Write("job.yaml", spec), {});
    EXPECT_TRUE(loaded.ok()) << loaded.status().ToString();
    return loaded.ok() ? CheckQueueElements(loaded->graph).message() : "";
  };
  EXPECT_EQ(error("float32", "[1.0, 2.0]"), "");
  EXPECT_NE(error("float32", "[1, 2]").find("its accumulator is of float32, not of int32"), std::string::npos);
}

TEST(QueueElements, OfOtherShapesAreRefused) {
  ExpectError(ErrorOf("QueueEnqueueV2(q, [[1.0], 3])"), "component 0 of its queue has the shape [2], but");
  ExpectError(ErrorOf("QueueEnqueueManyV2(q, [[1.0, 2.0], [3, 4]])"), "whose rows are the elements");
  ExpectError(
      ErrorOf("{op: QueueDequeueUpToV2, inputs: [q, 4], component_types: [float32, int32]}", "FIFOQueueV2", "[]"),
      "give its queue the attr 'shapes'");
}

}  // namespace
}  // namespace dfrun
