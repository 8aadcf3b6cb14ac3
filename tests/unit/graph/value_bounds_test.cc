// Bounds of values against what the ops compute, and what conditions that are known leave.
#include "src/graph/value_bounds.h"

#include <gtest/gtest.h>

#include <limits>

#include "src/graph/graph_ops.h"

namespace dfrun {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

class ValueBoundsTest : public ::testing::Test {
 protected:
  Output Number(float value) { return ops_.Const("c", Tensor::Scalar(value)); }
  Output Unknown() {
    return ops_.Add("x", "Placeholder", {}, {{"dtype", DType::kFloat}, {"shape", PartialShape({2, 3})}});
  }
  Output Noise() {
    return ops_.Add("noise", "RandomUniform", {ops_.Const("shape", Tensor::Vector<int32_t>({2, 3}))},
                    {{"dtype", DType::kFloat}});
  }
  ValueBounds Evaluate(const ValueBounds::Replaced& replaced = ValueBounds::Replaced()) {
    EXPECT_TRUE(ops_.status().ok()) << ops_.status().ToString();
    Result<ValueBounds> values = ValueBounds::Of(graph_, replaced);
    EXPECT_TRUE(values.ok()) << values.status().ToString();
    return *std::move(values);
  }
  void Expect(Output output, double low, double high, const ValueBounds::Replaced& replaced = ValueBounds::Replaced()) {
    const Bounds bounds = Evaluate(replaced).bounds(output);
    EXPECT_EQ(bounds.low, low) << graph_.Describe(output.node);
    EXPECT_EQ(bounds.high, high) << graph_.Describe(output.node);
  }

  Graph graph_;
  GraphOps ops_{graph_, ""};
};

TEST_F(ValueBoundsTest, OfConstantsAndArithmetic) {
  const Output c = ops_.Const("v", Tensor::Vector<float>({-1, 2, 4}));
  Expect(c, -1, 4);
  Expect(ops_.Add("sum", "AddV2", {c, Number(3)}), 2, 7);
  Expect(ops_.Add("difference", "Sub", {Number(3), c}), -1, 4);
  Expect(ops_.Add("product", "Mul", {c, Number(-2)}), -8, 2);
  Expect(ops_.Add("quotient", "RealDiv", {c, Number(2)}), -0.5, 2);
  Expect(ops_.Add("negative", "Neg", {c}), -4, 1);
  Expect(ops_.Add("abs", "Abs", {c}), 0, 4);
  Expect(ops_.Add("int", "Cast", {Number(2.7F)}, {{"DstT", DType::kInt32}}), 2, 2);
  Expect(ops_.Add("nan", "RealDiv", {Number(0), Number(0)}), -kInfinity, kInfinity);
  Expect(Unknown(), -kInfinity, kInfinity);
  Expect(ops_.Const("not_a_number", Tensor::Scalar(std::numeric_limits<float>::quiet_NaN())), -kInfinity, kInfinity);
}

TEST_F(ValueBoundsTest, ZeroTimesAnythingIsZero) {
  Expect(ops_.Add("none", "Mul", {Unknown(), Number(0)}), 0, 0);
  Expect(ops_.Add("some", "Mul", {Unknown(), Number(1)}), -kInfinity, kInfinity);
  Expect(ops_.Add("zeros", "ZerosLike", {Unknown()}), 0, 0);
}

TEST_F(ValueBoundsTest, ADropoutOfNothingDropsNothing) {
  const Output noise = Noise();
  const auto kept = [&](float share) {
    const Output is_kept = ops_.Add("is_kept", "GreaterEqual", {noise, Number(share)});
    return ops_.Add("kept", "Cast", {is_kept}, {{"DstT", DType::kFloat}});
  };
  Expect(kept(0), 1, 1);
  Expect(kept(0.25F), 0, 1);
  Expect(kept(1), 0, 0);
  Expect(ops_.Add("mask", "Floor", {ops_.Add("above", "AddV2", {noise, Number(1)})}), 1, 1);
  Expect(ops_.Add("mask", "Floor", {ops_.Add("above", "AddV2", {noise, Number(0.5F)})}), 0, 1);
}

TEST_F(ValueBoundsTest, ASelectWithAKnownConditionIsOneOfItsInputs) {
  const Output x = Unknown();
  const Output y = Unknown();
  const Output flag = ops_.Const("flag", Tensor::Scalar(true));
  const Output same = ops_.Add("same", "Identity", {ops_.Add("select", "SelectV2", {flag, x, y})});
  EXPECT_EQ(Evaluate().SourceOf(same), x);
  EXPECT_EQ(Evaluate({.values = {{flag, Bounds::Of(0)}}}).SourceOf(same), y);
  EXPECT_EQ(Evaluate({.outputs = {{flag, ops_.Const("off", Tensor::Scalar(false))}}}).SourceOf(same), y);
  EXPECT_EQ(Evaluate({.values = {{flag, Bounds{0, 1}}}}).SourceOf(same).node, graph_.Find("select"));
}

TEST_F(ValueBoundsTest, TheSideThatIsNotTakenIsDead) {
  const Output flag = ops_.Const("flag", Tensor::Scalar(true));
  const Output x = Unknown();
  const Output sides = ops_.Add("switch", "Switch", {x, flag});
  const Output off = ops_.Add("off", "Neg", {{sides.node, 0}});
  const Output on = ops_.Add("on", "Abs", {{sides.node, 1}});
  const Output beside = ops_.Add("beside", "Identity", {x}, {}, {off.node});
  const Output merged = ops_.Add("merge", "Merge", {off, on}, {{"N", int64_t{2}}});
  const ValueBounds values = Evaluate();
  EXPECT_TRUE(values.IsDead(off.node));
  EXPECT_TRUE(values.IsDead(beside.node));
  EXPECT_FALSE(values.IsDead(on.node));
  EXPECT_FALSE(values.IsDead(merged.node));
  EXPECT_EQ(values.SourceOf(merged), on);
  const ValueBounds unknown = Evaluate({.values = {{flag, Bounds{0, 1}}}});
  EXPECT_FALSE(unknown.IsDead(off.node));
  EXPECT_EQ(unknown.SourceOf(merged), merged);
}

}  // namespace
}  // namespace dfrun
