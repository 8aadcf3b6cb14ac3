#include "src/passes/scale_losses.h"

#include <gtest/gtest.h>

#include "tests/unit/testing/graph_maker.h"

namespace dfrun {
namespace {

using Names = std::vector<std::string>;

// A loss of 4 rows and its gradient times a column.
class ScaleLossesTest : public ::testing::Test {
 protected:
  Output Loss(bool sparse = true) {
    const Output logits = g.Placeholder("logits", {4, 5}, DType::kFloat);
    const Output labels =
        sparse ? g.Placeholder("labels", {4}, DType::kInt32) : g.Placeholder("labels", {4, 5}, DType::kFloat);
    const std::string op = sparse ? "SparseSoftmaxCrossEntropyWithLogits" : "SoftmaxCrossEntropyWithLogits";
    loss = g.Add("loss", op, {logits, labels});
    g.Add("mean", "Neg", {loss});
    return loss;
  }
  Output Gradient() const { return {loss.node, 1}; }
  // After the loss in the graph.
  Output Scale(const Shape& shape = Shape({4, 1})) {
    Tensor value(DType::kFloat, shape);
    std::fill_n(value.data<float>(), value.num_elements(), .25F);
    return g.Const(g.graph.UniqueName("scale"), value);
  }
  void Fuse() {
    const Status status = ScaleLosses(g.graph);
    ASSERT_TRUE(status.ok()) << status.ToString();
  }
  std::string OpOf(const std::string& name) const { return g.Find(name) == nullptr ? "none" : g.Find(name)->op->name; }

  testing::GraphMaker g;
  Output loss;
};

TEST_F(ScaleLossesTest, TheGradientTakesItsScale) {
  for (bool sparse : {true, false}) {
    g = testing::GraphMaker();
    Loss(sparse);
    const Output scale = Scale();
    const Output times =
        sparse ? g.Add("times", "Mul", {scale, Gradient()}) : g.Add("times", "Mul", {Gradient(), scale});
    g.Add("reads", "Neg", {times});
    g.node(g.Add("after", "NoOp")).control_inputs = {times.node};
    Fuse();
    ASSERT_EQ(OpOf("loss"),
              sparse ? "_ScaledSparseSoftmaxCrossEntropyWithLogits" : "_ScaledSoftmaxCrossEntropyWithLogits");
    EXPECT_EQ(g.InputsOf("loss"), (Names{"logits", "labels", "scale"}));
    EXPECT_EQ(OpOf("times"), "none");
    EXPECT_EQ(g.Find("reads")->inputs[0], (Output{g.Find("loss")->id, 1}));
    EXPECT_EQ(g.InputsOf("mean"), Names{"loss"});
    EXPECT_EQ(g.ControlsOf("after"), Names{"loss"});
  }
}

TEST_F(ScaleLossesTest, AGradientThatOthersReadStays) {
  Loss();
  g.Add("times", "Mul", {Scale(), Gradient()});
  g.Add("other", "Neg", {Gradient()});
  Fuse();
  EXPECT_EQ(OpOf("times"), "Mul");
}

TEST_F(ScaleLossesTest, AScaleThatIsComputedStays) {
  Loss();
  g.Add("times", "Mul", {g.Placeholder("given", {4, 1}, DType::kFloat), Gradient()});
  Fuse();
  EXPECT_EQ(OpOf("times"), "Mul");
}

TEST_F(ScaleLossesTest, AScaleOfAnotherShapeStays) {
  Loss();
  g.Add("times", "Mul", {Scale(Shape()), Gradient()});
  Fuse();
  EXPECT_EQ(OpOf("times"), "Mul");
}

TEST_F(ScaleLossesTest, AScaleThatWaitsStays) {
  Loss();
  const Output scale = Scale();
  g.node(scale).control_inputs = {g.Add("before", "NoOp").node};
  g.Add("times", "Mul", {scale, Gradient()});
  Fuse();
  EXPECT_EQ(OpOf("times"), "Mul");
}

TEST_F(ScaleLossesTest, TheGradientTimesItselfStays) {
  Loss();
  g.Add("times", "Mul", {Gradient(), Gradient()});
  Fuse();
  EXPECT_EQ(OpOf("times"), "Mul");
}

TEST_F(ScaleLossesTest, OneOnAnotherDeviceStays) {
  Loss();
  g.node(g.Add("times", "Mul", {Scale(), Gradient()})).device = "/job:worker/task:1";
  Fuse();
  EXPECT_EQ(OpOf("times"), "Mul");
}

}  // namespace
}  // namespace dfrun
