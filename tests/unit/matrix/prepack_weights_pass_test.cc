#include <gtest/gtest.h>

#include "tests/unit/testing/graph_maker.h"
#include "tests/unit/testing/random_tensor.h"
#include "tests/unit/testing/run_pass.h"
#include "tests/unit/testing/step_runner.h"

namespace dfrun {
namespace {

using Names = std::vector<std::string>;

// Products of 32 rows by W [512, 300].
class PrepackWeightsTest : public ::testing::Test {
 protected:
  static constexpr int64_t kRows = 32;
  static constexpr int64_t kDepth = 512;
  static constexpr int64_t kColumns = 300;

  PrepackWeightsTest() { matrix = g.Placeholder("W", {kDepth, kColumns}, DType::kFloat); }
  static std::string Name(const char* what, int i) { return what + std::to_string(i); }
  Output Variable(const std::string& name) {
    return g.Add(name, "VariableV2", {}, {{"dtype", DType::kFloat}, {"shape", PartialShape({kDepth, kColumns})}});
  }
  void AddProducts(int count, int64_t rows = kRows) {
    for (int i = 0; i < count; ++i) {
      const Output x = g.Placeholder(Name("x", i), {rows, kDepth}, DType::kFloat);
      products.push_back(g.Add(Name("product", i), "MatMul", {x, matrix}));
    }
  }
  void Pack() {
    const Status status = testing::RunPass("cpu/prepack_weights", g.graph);
    ASSERT_TRUE(status.ok()) << status.ToString();
  }
  void ExpectAsItWas() {
    Pack();
    for (size_t i = 0; i < products.size(); ++i) {
      EXPECT_EQ(g.Find(Name("product", static_cast<int>(i)))->op->name, "MatMul") << i;
    }
  }

  testing::GraphMaker g;
  Output matrix;
  std::vector<Output> products;
};

TEST_F(PrepackWeightsTest, ManyProductsReadOneCopy) {
  AddProducts(8);
  const Output before = g.Add("before", "NoOp");
  g.node(products[3]).control_inputs = {before.node};
  const Output bias = g.Placeholder("bias", {kColumns}, DType::kFloat);
  g.Add("fused", "_FusedMatMul", {g.Placeholder("y", {kRows, kDepth}, DType::kFloat), matrix, bias},
        {{"num_args", int64_t{1}}, {"fused_ops", Names{"BiasAdd"}}});
  g.Add("reader", "Neg", {products[5]});
  Pack();
  EXPECT_EQ(g.Find("W/packed")->op->name, "_PackWeights");
  EXPECT_EQ(g.InputsOf("W/packed"), Names{"W"});
  for (int i = 0; i < 8; ++i) {
    const std::string name = Name("product", i);
    EXPECT_EQ(g.Find(name)->op->name, "_MatMulPacked");
    EXPECT_EQ(g.InputsOf(name), (Names{Name("x", i), "W/packed"}));
    EXPECT_EQ(g.graph.shape({g.Find(name)->id, 0}).ToString(), PartialShape({kRows, kColumns}).ToString());
  }
  EXPECT_EQ(g.ControlsOf("product3"), Names{"before"});
  EXPECT_EQ(g.InputsOf("fused"), (Names{"y", "W/packed", "bias"}));
  EXPECT_EQ(*g.Find("fused")->attrs.Find("fused_ops")->get<Names>(), Names{"BiasAdd"});
  EXPECT_EQ(g.InputsOf("reader"), Names{"product5"});
}

TEST_F(PrepackWeightsTest, EachOrientationHasItsOwn) {
  AddProducts(8);
  for (int i = 0; i < 16; ++i) {
    const Output dy = g.Placeholder(Name("dy", i), {kRows, kColumns}, DType::kFloat);
    g.Add(Name("gradient", i), "MatMul", {dy, matrix}, {{"transpose_b", true}});
  }
  Pack();
  EXPECT_EQ(g.InputsOf("product0")[1], "W/packed");
  EXPECT_EQ(g.InputsOf("gradient15")[1], "W/packed_1");
  EXPECT_TRUE(*g.Find("W/packed_1")->attrs.Find("transpose_b")->get<bool>());
}

TEST_F(PrepackWeightsTest, FewProductsStay) {
  AddProducts(7);
  ExpectAsItWas();
}

TEST_F(PrepackWeightsTest, ProductsOfManyRowsStay) {
  AddProducts(8, 129);
  ExpectAsItWas();
}

TEST_F(PrepackWeightsTest, ProductsOfUnknownShapeStay) {
  AddProducts(8, -1);
  ExpectAsItWas();
}

TEST_F(PrepackWeightsTest, AVariableIsSharedIfItIsUpdatedLater) {
  matrix = Variable("V");
  AddProducts(8);
  const Output delta = g.Placeholder("delta", {kDepth, kColumns}, DType::kFloat);
  const Output update = g.Add("update", "AssignSub", {matrix, delta});
  for (const Output& product : products) g.node(update).control_inputs.push_back(product.node);
  Pack();
  EXPECT_EQ(g.Find("product0")->op->name, "_MatMulPacked");
}

TEST_F(PrepackWeightsTest, AVariableIsReadWhereItIsUsedIfItMayChangeMeanwhile) {
  matrix = Variable("V");
  AddProducts(8);
  const Output delta = g.Placeholder("delta", {kDepth, kColumns}, DType::kFloat);
  const Output update = g.Add("update", "AssignSub", {matrix, delta});
  for (size_t i = 0; i + 1 < products.size(); ++i) g.node(update).control_inputs.push_back(products[i].node);
  ExpectAsItWas();
}

TEST_F(PrepackWeightsTest, AVariableMayChangeByAnotherNodeOfItsName) {
  matrix = Variable("V");
  AddProducts(8);
  const Output same = Variable("same");
  g.node(same).attrs.Set("shared_name", "V");
  g.Add("update", "AssignSub", {same, g.Placeholder("delta", {kDepth, kColumns}, DType::kFloat)});
  ExpectAsItWas();
}

TEST_F(PrepackWeightsTest, WhatAnUpdateHandsOnIsReadWhereItIsUsed) {
  const Output delta = g.Placeholder("delta", {kDepth, kColumns}, DType::kFloat);
  matrix = g.Add("update", "AssignSub", {Variable("V"), delta});
  AddProducts(8);
  ExpectAsItWas();
}

// An unrolled net and a gradient of it, on two threads.
std::vector<Tensor> Train(bool optimize) {
  constexpr int64_t kUnits = 384;
  constexpr int kSteps = 20;
  testing::GraphMaker g;
  const PartialShape shape({kUnits, kUnits});
  const Output weight = g.Add("W", "VariableV2", {}, {{"dtype", DType::kFloat}, {"shape", shape}});
  const Output start = g.Const("start", testing::RandomNormal<float>(Shape({kUnits, kUnits}), 1));
  const Output init = g.Add("init", "Assign", {weight, g.Add("small", "Mul", {start, g.Scalar<float>("by", .05F)})});
  Output h = g.Placeholder("x", {32, kUnits}, DType::kFloat);
  const Output x = h;
  std::vector<Output> states;
  for (int i = 0; i < kSteps; ++i) {
    const std::string mark = std::to_string(i);
    states.push_back(h);
    h = g.Add("h" + mark, "Tanh", {g.Add("product" + mark, "MatMul", {h, weight})});
  }
  const Output last = h;
  Output dy = h;
  for (int i = kSteps; i-- > 0;) {
    const std::string mark = std::to_string(i);
    dy = g.Add("dx" + mark, "MatMul", {dy, weight}, {{"transpose_b", true}});
  }
  const Output gradient = g.Add("gradient", "MatMul", {states.back(), dy}, {{"transpose_a", true}});
  const Output update = g.Add("update", "ApplyGradientDescent", {weight, g.Scalar<float>("rate", .001F), gradient});
  const Output read = g.Add("read", "Identity", {update});
  testing::StepRunner runner({.threads = 2, .optimize = optimize});
  EXPECT_TRUE(runner.Prepare(g.graph, {init}).ok());
  EXPECT_TRUE(runner.Run().ok());
  const Status prepared = runner.Prepare(g.graph, {read, last}, {x});
  EXPECT_TRUE(prepared.ok()) << prepared.ToString();
  std::vector<Tensor> results;
  for (int step = 0; step < 3; ++step) {
    Result<std::vector<Tensor>> fetched = runner.Run({testing::RandomNormal<float>(Shape({32, kUnits}), 2)});
    EXPECT_TRUE(fetched.ok()) << fetched.status().ToString();
    if (fetched.ok()) results.insert(results.end(), fetched->begin(), fetched->end());
  }
  return results;
}

TEST(PrepackWeights, TrainingHasTheSameBits) {
  const std::vector<Tensor> expected = Train(false);
  const std::vector<Tensor> shared = Train(true);
  ASSERT_EQ(expected.size(), 6U);
  ASSERT_EQ(shared.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) EXPECT_TRUE(shared[i].Identical(expected[i])) << "value " << i;
  EXPECT_FALSE(shared[0].Identical(shared[2])) << "the steps change the weight";
}

}  // namespace
}  // namespace dfrun
