#include "src/graph/queue_shapes.h"

#include <gtest/gtest.h>

#include "tests/unit/testing/graph_maker.h"

namespace dfrun {
namespace {

using testing::GraphMaker;
using Shapes = std::vector<PartialShape>;

const std::vector<DType> kTypes = {DType::kFloat, DType::kInt32};
const Shapes kShapes = {PartialShape({2, 3}), PartialShape({-1})};

Output AddQueue(GraphMaker& g, const std::string& op) {
  return g.Add(op, op, {}, {{"component_types", kTypes}, {"shapes", kShapes}});
}

// Returns the output shapes of an op that dequeues; n < 0: the op takes no number of elements.
Shapes Dequeued(GraphMaker& g, const std::string& op, Output queue, int32_t n, std::vector<DType> types = kTypes) {
  std::vector<Output> inputs = {queue};
  if (n >= 0) inputs.push_back(g.Const(op + "/n", Tensor::Scalar(n)));
  const Output out = g.Add(op, op, inputs, {{"component_types", std::move(types)}});
  return g.node(out).output_shapes;
}

TEST(QueueShapesTest, ElementsHaveTheShapesOfTheQueue) {
  GraphMaker g;
  const Output queue = AddQueue(g, "FIFOQueueV2");
  EXPECT_EQ(Dequeued(g, "QueueDequeueV2", queue, -1), kShapes);
  EXPECT_EQ(Dequeued(g, "QueueDequeueManyV2", queue, 4), (Shapes{PartialShape({4, 2, 3}), PartialShape({4, -1})}));
  EXPECT_EQ(Dequeued(g, "QueueDequeueUpToV2", queue, 4), (Shapes{PartialShape({-1, 2, 3}), PartialShape({-1, -1})}));
}

TEST(QueueShapesTest, SoDoThoseOfAQueueByAStringHandle) {
  GraphMaker g;
  EXPECT_EQ(Dequeued(g, "QueueDequeue", AddQueue(g, "RandomShuffleQueue"), -1), kShapes);
}

TEST(QueueShapesTest, APriorityIsAComponent) {
  GraphMaker g;
  const Output queue = AddQueue(g, "PriorityQueueV2");
  EXPECT_EQ(Dequeued(g, "QueueDequeueV2", queue, -1, {DType::kInt64, DType::kFloat, DType::kInt32}),
            (Shapes{PartialShape::Scalar(), kShapes[0], kShapes[1]}));
}

TEST(QueueShapesTest, ABatchOfUnknownSizeHasOneUnknownSize) {
  GraphMaker g;
  const Output queue = AddQueue(g, "PaddingFIFOQueueV2");
  const Output n = g.Placeholder("n", PartialShape::Scalar(), DType::kInt32);
  const Output out = g.Add("batch", "QueueDequeueManyV2", {queue, n}, {{"component_types", kTypes}});
  EXPECT_EQ(g.node(out).output_shapes, (Shapes{PartialShape({-1, 2, 3}), PartialShape({-1, -1})}));
}

TEST(QueueShapesTest, OpsThatHandTheHandleOnKeepThem) {
  GraphMaker g;
  const Output entered = g.Add("enter", "Enter", {AddQueue(g, "FIFOQueueV2")},
                               {{"frame_name", std::string("loop")}, {"is_constant", true}});
  EXPECT_EQ(Dequeued(g, "QueueDequeueV2", g.Add("same", "Identity", {entered}), -1), kShapes);
}

TEST(QueueShapesTest, OneOfTwoQueuesHasUnknownShapes) {
  GraphMaker g;
  const Output other = g.Add("other", "FIFOQueueV2", {}, {{"component_types", kTypes}});
  const Output one = g.Add("one", "Merge", {AddQueue(g, "FIFOQueueV2"), other});
  EXPECT_EQ(Dequeued(g, "QueueDequeueV2", one, -1), Shapes(2));
}

TEST(QueueShapesTest, WithoutDeclaredShapesNothingIsKnown) {
  GraphMaker g;
  const Output queue = g.Add("queue", "FIFOQueueV2", {}, {{"component_types", kTypes}});
  EXPECT_EQ(Dequeued(g, "QueueDequeueV2", queue, -1), Shapes(2));
  const Output fed = g.Placeholder("fed", PartialShape(), DType::kResource);
  EXPECT_TRUE(QueueShapes(g.graph, fed).empty());
}

TEST(QueueShapesTest, ANegativeNumberOfElementsIsRefused) {
  GraphMaker g;
  NodeSpec spec;
  spec.name = "batch";
  spec.op = "QueueDequeueManyV2";
  spec.inputs = {AddQueue(g, "FIFOQueueV2"), g.Const("n", Tensor::Scalar<int32_t>(-1))};
  spec.attrs = {{"component_types", kTypes}};
  EXPECT_EQ(g.graph.AddNode(std::move(spec)).status().code(), Code::kInvalidArgument);
}

}  // namespace
}  // namespace dfrun
