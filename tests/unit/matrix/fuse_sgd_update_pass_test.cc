#include <gtest/gtest.h>

#include "src/graph/update_gate.h"
#include "tests/unit/testing/graph_maker.h"
#include "tests/unit/testing/run_pass.h"
#include "tests/unit/testing/step_runner.h"

namespace dfrun {
namespace {

using Names = std::vector<std::string>;

// W [256, 256] and its gradient x^T dy over 32 samples.
class FuseSgdUpdateTest : public ::testing::Test {
 protected:
  static constexpr int64_t kSize = 256;
  static constexpr int64_t kDepth = 32;

  FuseSgdUpdateTest() {
    x = g.Placeholder("x", {kDepth, kSize}, DType::kFloat);
    dy = g.Placeholder("dy", {kDepth, kSize}, DType::kFloat);
    rate = g.Scalar<float>("rate", .1F);
    gradient = g.Add("gradient", "MatMul", {x, dy}, {{"transpose_a", true}});
    variable = AddVariable("VariableV2");
  }
  Output AddVariable(const std::string& op, const std::string& name = "W", DType dtype = DType::kFloat) {
    return g.Add(name, op, {}, {{"dtype", dtype}, {"shape", PartialShape({kSize, kSize})}});
  }
  Output Apply(Output of, const AttrMap& attrs = {}) {
    return g.Add("update", "ApplyGradientDescent", {variable, rate, of}, attrs);
  }
  void Fuse() {
    const Status status = testing::RunPass("cpu/fuse_sgd_update", g.graph);
    ASSERT_TRUE(status.ok()) << status.ToString();
  }
  void ExpectAsItWas() {
    Fuse();
    EXPECT_EQ(g.Find("update")->op->name, "ApplyGradientDescent");
    EXPECT_EQ(g.Find("gradient")->op->name, "MatMul");
  }

  testing::GraphMaker g;
  Output x, dy, rate, gradient, variable;
};

TEST_F(FuseSgdUpdateTest, WhatWaitsForAGateStillDoes) {
  Apply(gradient, {{kGatedAttr, true}});
  const Output gate = g.Add("gate", kUpdateGateOp, {g.Scalar<float>("loss", 1)});
  g.node(Output{g.graph.Find("update"), 0}).control_inputs = {gate.node};
  Fuse();
  ASSERT_EQ(g.Find("update")->op->name, "_MatMulApplyGradientDescent");
  EXPECT_TRUE(IsGated(*g.Find("update")));
  EXPECT_EQ(g.ControlsOf("update"), Names{"gate"});
}

TEST_F(FuseSgdUpdateTest, AProductAndTheUpdateByItBecomeOneNode) {
  Apply(gradient);
  const Output after = g.Add("after", "NoOp");
  g.node(after).control_inputs = {g.graph.Find("update")};
  Fuse();
  const Node* update = g.Find("update");
  ASSERT_EQ(update->op->name, "_MatMulApplyGradientDescent");
  EXPECT_EQ(g.InputsOf("update"), (Names{"W", "rate", "x", "dy"}));
  EXPECT_TRUE(*update->attrs.Find("transpose_a")->get<bool>());
  EXPECT_FALSE(*update->attrs.Find("transpose_b")->get<bool>());
  EXPECT_EQ(g.Find("gradient"), nullptr);
  EXPECT_EQ(g.ControlsOf("after"), Names{"update"});
  EXPECT_EQ(g.graph.shape({update->id, 0}).ToString(), PartialShape({kSize, kSize}).ToString());
}

TEST_F(FuseSgdUpdateTest, AllTranspositionsAreTaken) {
  const Output t = g.Placeholder("t", {kSize, kDepth}, DType::kFloat);
  Apply(g.Add("other", "MatMul", {t, dy}));
  Fuse();
  ASSERT_EQ(g.Find("update")->op->name, "_MatMulApplyGradientDescent");
  EXPECT_FALSE(*g.Find("update")->attrs.Find("transpose_a")->get<bool>());
}

TEST_F(FuseSgdUpdateTest, ASumOfProductsIsTaken) {
  const AttrMap attrs{{"N", int64_t{2}}, {"transpose_a", true}};
  const Output sum = g.Add("sum", "_MatMulSum", {x, dy, dy, x}, attrs);
  Apply(sum);
  Fuse();
  ASSERT_EQ(g.Find("update")->op->name, "_MatMulApplyGradientDescent");
  EXPECT_EQ(g.InputsOf("update"), (Names{"W", "rate", "x", "dy", "dy", "x"}));
  EXPECT_EQ(*g.Find("update")->attrs.Find("N")->get<int64_t>(), 2);
  EXPECT_EQ(g.Find("sum"), nullptr);
}

TEST_F(FuseSgdUpdateTest, ADeepSumOfProductsStays) {
  std::vector<Output> terms(2 * 33, x);  // 33 products of 32 rows each
  Apply(g.Add("sum", "_MatMulSum", terms, {{"N", int64_t{33}}, {"transpose_a", true}}));
  Fuse();
  EXPECT_EQ(g.Find("update")->op->name, "ApplyGradientDescent");
}

TEST_F(FuseSgdUpdateTest, DoublesAndHandlesAreTakenLockedOrNot) {
  variable = AddVariable("VarHandleOp", "handle", DType::kDouble);
  const Output a = g.Placeholder("a", {kDepth, kSize}, DType::kDouble);
  const Output product = g.Add("product", "MatMul", {a, a}, {{"transpose_a", true}});
  rate = g.Scalar<double>("rate64", .1);
  g.Add("update", "ResourceApplyGradientDescent", {variable, rate, product}, {{"use_locking", true}});
  Fuse();
  EXPECT_EQ(g.Find("update")->op->name, "_MatMulResourceApplyGradientDescent");
  EXPECT_EQ(*g.Find("update")->attrs.Find("T")->get<DType>(), DType::kDouble);
}

TEST_F(FuseSgdUpdateTest, WhatIsSubtractedTimesAScalarIsAnUpdate) {
  const Output step = g.Add("step", "Mul", {gradient, rate});
  g.Add("update", "AssignSub", {variable, step});
  const Output handle = AddVariable("VarHandleOp", "handle");
  const Output other = g.Add("other", "MatMul", {x, dy}, {{"transpose_a", true}});
  g.Add("by_handle", "AssignSubVariableOp", {handle, g.Add("other_step", "Mul", {rate, other})});
  Fuse();
  EXPECT_EQ(g.Find("update")->op->name, "_MatMulApplyGradientDescent");
  EXPECT_EQ(g.InputsOf("update"), (Names{"W", "rate", "x", "dy"}));
  EXPECT_EQ(g.Find("by_handle")->op->name, "_MatMulResourceApplyGradientDescent");
  EXPECT_EQ(g.InputsOf("by_handle"), (Names{"handle", "rate", "x", "dy"}));
  EXPECT_EQ(g.Find("step"), nullptr);
}

TEST_F(FuseSgdUpdateTest, WhatIsSubtractedTimesAMatrixStays) {
  const Output matrix = g.Placeholder("matrix", {kSize, kSize}, DType::kFloat);
  g.Add("update", "AssignSub", {variable, g.Add("step", "Mul", {gradient, matrix})});
  Fuse();
  EXPECT_EQ(g.Find("update")->op->name, "AssignSub");
}

// TensorFlow's gradients have this form: the gradients of a product by its operands are awaited together.
TEST_F(FuseSgdUpdateTest, TheUpdateWaitsForWhatItAndTheGradientWaitedFor) {
  const Output dx = g.Add("dx", "MatMul", {dy, variable}, {{"transpose_b", true}});
  const Output both = g.Add("both", "NoOp");
  g.node(both).control_inputs = {gradient.node, dx.node};
  const Output identity = g.Add("identity", "Identity", {gradient});
  g.node(identity).control_inputs = {both.node};
  const Output reader = g.Add("reader", "Neg", {variable});
  const Output update = Apply(identity);
  g.node(update).control_inputs = {reader.node};
  g.node(g.Add("waiter", "NoOp")).control_inputs = {both.node};
  ASSERT_TRUE(testing::RunPass("remove_identity", g.graph).ok());
  Fuse();
  ASSERT_EQ(g.Find("update")->op->name, "_MatMulApplyGradientDescent");
  EXPECT_EQ(g.ControlsOf("update"), (Names{"dx", "reader"}));
  EXPECT_EQ(g.ControlsOf("both"), (Names{"dx", "gradient/inputs"}));
  EXPECT_EQ(g.Find("identity"), nullptr);
}

TEST_F(FuseSgdUpdateTest, GradientsThatOthersReadStay) {
  Apply(gradient);
  g.Add("fetched", "Identity", {gradient});
  ExpectAsItWas();
}

TEST_F(FuseSgdUpdateTest, GradientsThatAreChangedBeforeStay) {
  Apply(g.Add("clipped", "ClipByValue", {gradient, rate, rate}));
  ExpectAsItWas();
}

TEST_F(FuseSgdUpdateTest, ProductsOfVariablesStay) {
  gradient = g.Add("product", "MatMul", {variable, variable});
  Apply(gradient);
  Fuse();
  EXPECT_EQ(g.Find("update")->op->name, "ApplyGradientDescent");
}

TEST_F(FuseSgdUpdateTest, RatesThatMayBeNoScalarsStay) {
  rate = g.Placeholder("any", PartialShape(), DType::kFloat);
  Apply(gradient);
  ExpectAsItWas();
}

TEST_F(FuseSgdUpdateTest, SmallWeightsStay) {
  const Output a = g.Placeholder("a", {kDepth, 10}, DType::kFloat);
  variable = g.Add("small", "VariableV2", {}, {{"dtype", DType::kFloat}, {"shape", PartialShape({kSize, 10})}});
  Apply(g.Add("product", "MatMul", {x, a}, {{"transpose_a", true}}));
  Fuse();
  EXPECT_EQ(g.Find("update")->op->name, "ApplyGradientDescent");
}

TEST_F(FuseSgdUpdateTest, DeepProductsAndThoseOfUnknownDepthStay) {
  for (int64_t depth : {int64_t{-1}, int64_t{5000}}) {
    const std::string mark = std::to_string(depth);
    const Output a = g.Placeholder("a" + mark, {depth, kSize}, DType::kFloat);
    const Output product = g.Add("product" + mark, "MatMul", {a, a}, {{"transpose_a", true}});
    g.Add("update" + mark, "ApplyGradientDescent", {AddVariable("VariableV2", "W" + mark), rate, product});
    Fuse();
    EXPECT_EQ(g.Find("update" + mark)->op->name, "ApplyGradientDescent");
  }
}

// An unordered reader of the weight might see the weight before the update; while a product runs it must not.
TEST_F(FuseSgdUpdateTest, VariablesThatAreReadInNoOrderStay) {
  Apply(gradient);
  g.Add("reader", "Neg", {variable});
  ExpectAsItWas();
}

TEST_F(FuseSgdUpdateTest, VariablesThatAreHandedOnToReadersInNoOrderStay) {
  const Output condition = g.Placeholder("condition", PartialShape({}), DType::kBool);
  const Output handed_on = g.Add("handed_on", "RefSwitch", {variable, condition});
  g.node(Apply(gradient)).control_inputs = {handed_on.node};
  g.Add("reader", "Neg", {handed_on});
  ExpectAsItWas();
}

TEST_F(FuseSgdUpdateTest, ReadersOnEitherSideOfTheUpdateAreFine) {
  const Output before = g.Add("before", "Neg", {variable});
  const Output update = Apply(gradient);
  g.node(update).control_inputs = {before.node};
  g.Add("of_updated", "Neg", {update});
  const Output after = g.Add("after", "Neg", {variable});
  g.node(after).control_inputs = {update.node};
  Fuse();
  EXPECT_EQ(g.Find("update")->op->name, "_MatMulApplyGradientDescent");
}

TEST_F(FuseSgdUpdateTest, VariablesThatAreReadByAnotherNameInNoOrderStay) {
  const Output same = AddVariable("VariableV2", "same");
  g.node(same).attrs.Set("shared_name", "W");
  Apply(gradient);
  g.Add("reader", "Neg", {same});
  ExpectAsItWas();
}

TEST_F(FuseSgdUpdateTest, HandlesOfOneNameAreOfOneVariable) {
  for (const char* container : {"", "other"}) {
    const std::string mark = container;
    variable = AddVariable("VarHandleOp", "handle" + mark);
    const Output same = AddVariable("VarHandleOp", "same" + mark);
    g.node(variable).attrs.Set("shared_name", "weight" + mark);
    g.node(same).attrs.Set("shared_name", "weight" + mark);
    g.node(same).attrs.Set("container", container);
    const Output product = g.Add("product" + mark, "MatMul", {x, dy}, {{"transpose_a", true}});
    g.Add("update" + mark, "ResourceApplyGradientDescent", {variable, rate, product});
    g.Add("reader" + mark, "ReadVariableOp", {same}, {{"dtype", DType::kFloat}});
  }
  Fuse();
  EXPECT_EQ(g.Find("update")->op->name, "ResourceApplyGradientDescent");
  EXPECT_EQ(g.Find("updateother")->op->name, "_MatMulResourceApplyGradientDescent");
}

TEST_F(FuseSgdUpdateTest, UpdatesInBranchesStay) {
  const Output condition = g.Placeholder("condition", PartialShape({}), DType::kBool);
  const Output branch = g.Add("branch", "RefSwitch", {variable, condition});
  g.Add("update", "ApplyGradientDescent", {{branch.node, 1}, rate, gradient});
  ExpectAsItWas();
}

// The weight after three steps of a small network, each of which also reads the weight after the update.
std::vector<Tensor> Train(bool optimize) {
  constexpr int64_t kSize = 200;
  constexpr int64_t kDepth = 24;
  testing::GraphMaker g;
  const auto filled = [&](const std::string& name, int64_t rows, int64_t columns, float scale) {
    Tensor value(DType::kFloat, Shape({rows, columns}));
    for (int64_t i = 0; i < rows * columns; ++i) value.data<float>()[i] = scale * static_cast<float>(i * i % 101 - 50);
    return g.Const(name, value);
  };
  const Output w = g.Add("W", "VariableV2", {}, {{"dtype", DType::kFloat}, {"shape", PartialShape({kSize, kSize})}});
  const Output init = g.Add("init", "Assign", {w, filled("start", kSize, kSize, .001F)});
  const Output x = g.Placeholder("x", {kDepth, kSize}, DType::kFloat);
  const Output y = g.Add("y", "MatMul", {x, w});
  const Output dx = g.Add("dx", "MatMul", {y, w}, {{"transpose_b", true}});
  const Output gradient = g.Add("gradient", "MatMul", {x, y}, {{"transpose_a", true}});
  const Output update = g.Add("update", "ApplyGradientDescent", {w, g.Scalar<float>("rate", .01F), gradient});
  g.node(update).control_inputs = {dx.node};
  const Output read = g.Add("read", "Identity", {update});

  testing::StepRunner runner({.threads = 2, .optimize = optimize});
  EXPECT_TRUE(runner.Prepare(g.graph, {init}).ok());
  EXPECT_TRUE(runner.Run().ok());
  const Status prepared = runner.Prepare(g.graph, {read, dx}, {x});
  EXPECT_TRUE(prepared.ok()) << prepared.ToString();
  std::vector<Tensor> results;
  for (int step = 0; step < 3; ++step) {
    Tensor value(DType::kFloat, Shape({kDepth, kSize}));
    for (int64_t i = 0; i < value.num_elements(); ++i) {
      value.data<float>()[i] = static_cast<float>((i + step) % 17) * .01F;
    }
    Result<std::vector<Tensor>> fetched = runner.Run({value});
    EXPECT_TRUE(fetched.ok()) << fetched.status().ToString();
    if (fetched.ok()) results.insert(results.end(), fetched->begin(), fetched->end());
  }
  return results;
}

TEST(FuseSgdUpdate, TrainingHasTheSameBits) {
  const std::vector<Tensor> expected = Train(false);
  const std::vector<Tensor> fused = Train(true);
  ASSERT_EQ(expected.size(), 6U);
  ASSERT_EQ(fused.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) EXPECT_TRUE(fused[i].Identical(expected[i])) << "value " << i;
  EXPECT_FALSE(fused[0].Identical(fused[2])) << "the steps change the weight";
}

}  // namespace
}  // namespace dfrun
