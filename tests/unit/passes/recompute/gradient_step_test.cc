#include "src/passes/recompute/gradient_step.h"

#include <gtest/gtest.h>

#include "tests/unit/passes/recompute/deep_net.h"

namespace dfrun {
namespace {

using testing::DeepNet;

TEST(GradientStep, ValuesOfLayersMayBeRecomputed) {
  DeepNet net(3);
  const GradientStep step = net.Differentiate();
  for (const char* name : {"product1", "h1", "h3", "square"}) EXPECT_TRUE(net.MayRecompute(step, name)) << name;
  EXPECT_FALSE(net.MayRecompute(step, "h0")) << "a fed value has no inputs";
  EXPECT_FALSE(net.MayRecompute(step, "W1"));
  for (size_t place = 0; place < step.order().size(); ++place) {
    const NodeId id = step.order()[place];
    EXPECT_EQ(step.PlaceOf(id), static_cast<int32_t>(place));
    EXPECT_EQ(step.IsLate(id), place >= step.num_early());
    EXPECT_FALSE(step.IsLate(id) && step.MayRecompute(id));
    for (const Output input : net.m.graph.node(id).inputs) {
      EXPECT_LT(step.PlaceOf(input.node), static_cast<int32_t>(place)) << net.m.graph.Describe(id);
    }
  }
}

TEST(GradientStep, DrawsAreKept) {
  DeepNet net(2);
  const Output shape = net.m.Const("shape", Tensor::Vector<int32_t>({DeepNet::kRows, DeepNet::kWidth}));
  const Output noise = net.m.Add("noise", "RandomUniform", {shape}, {{"dtype", DType::kFloat}});
  net.last = net.m.Add("noisy", "Mul", {net.last, noise});
  net.AddLayer();
  const GradientStep step = net.Differentiate();
  EXPECT_FALSE(net.MayRecompute(step, "noise"));
  EXPECT_TRUE(net.MayRecompute(step, "noisy")) << "by the draw that is kept";
}

TEST(GradientStep, ElementsOfQueuesAreKept) {
  DeepNet net(1);
  const Output queue = net.m.Add("queue", "FIFOQueueV2", {},
                                 {{"component_types", std::vector<DType>{DType::kFloat}},
                                  {"shapes", std::vector<PartialShape>{{DeepNet::kRows, DeepNet::kWidth}}}});
  const Output element =
      net.m.Add("element", "QueueDequeueV2", {queue}, {{"component_types", std::vector<DType>{DType::kFloat}}});
  net.last = net.m.Add("with_element", "AddV2", {net.last, element});
  net.AddLayer();
  const GradientStep step = net.Differentiate();
  EXPECT_FALSE(net.MayRecompute(step, "element"));
  EXPECT_FALSE(net.MayRecompute(step, "queue"));
}

TEST(GradientStep, ReadsOfVariablesThatTheGraphWritesAreKept) {
  DeepNet net(2);
  const Output written = net.Variable("written");
  net.last = net.m.Add("read_written", "MatMul", {net.last, written});
  const Output update = net.m.Add("update", "AssignAdd", {written, written});
  net.last = net.m.Add("behind", "Tanh", {net.last});
  net.m.node(net.last).control_inputs = {update.node};
  net.AddLayer();
  const GradientStep step = net.Differentiate();
  EXPECT_FALSE(net.MayRecompute(step, "read_written"));
  EXPECT_FALSE(net.MayRecompute(step, "update")) << "it writes";
  EXPECT_TRUE(net.MayRecompute(step, "product2")) << "W2 is not written";
}

TEST(GradientStep, ValuesBehindConditionalsAreKept) {
  DeepNet net(1);
  const Output predicate = net.m.Placeholder("predicate", PartialShape::Scalar(), DType::kBool);
  const Output side = net.m.Add("side", "Switch", {net.last, predicate});
  const Output of_false = net.m.Add("of_false", "Neg", {side});
  const Output of_true = net.m.Add("of_true", "Square", {{side.node, 1}});
  net.last = net.m.Add("merge", "Merge", {of_false, of_true}, {{"N", 2}});
  net.AddLayer();
  const GradientStep step = net.Differentiate();
  for (const char* name : {"side", "of_false", "of_true", "merge", "h2"}) {
    EXPECT_FALSE(net.MayRecompute(step, name)) << name;
  }
  EXPECT_TRUE(net.MayRecompute(step, "h1"));
}

TEST(GradientStep, ATriggerIsALateNodeThatVaries) {
  DeepNet net(3);
  const GradientStep step = net.Differentiate();
  for (size_t place = step.num_early(); place < step.order().size(); ++place) {
    const NodeId trigger = step.TriggerOf(step.order()[place]);
    if (trigger < 0) continue;
    EXPECT_TRUE(step.IsLate(trigger));
    EXPECT_LT(step.PlaceOf(trigger), static_cast<int32_t>(place));
    EXPECT_NE(net.m.graph.node(trigger).op->name, "Const");
  }
  const NodeId of_h1 = net.m.graph.Find("gradients/h1_grad/TanhGrad");
  ASSERT_GE(of_h1, 0);
  EXPECT_EQ(net.m.graph.node(step.TriggerOf(of_h1)).op->name, "MatMul");
}

}  // namespace
}  // namespace dfrun
