#include <gtest/gtest.h>

#include "tests/unit/testing/graph_maker.h"
#include "tests/unit/testing/run_pass.h"

namespace dfrun {
namespace {

class FuseSumsTest : public ::testing::Test {
 protected:
  FuseSumsTest() {
    for (int i = 0; i < 3; ++i) {
      const std::string mark = std::to_string(i);
      a.push_back(g.Placeholder("a" + mark, {8, 4 + i}, DType::kFloat));
      b.push_back(g.Placeholder("b" + mark, {4 + i, 16}, DType::kFloat));
      product.push_back(g.Add("product" + mark, "MatMul", {a[i], b[i]}));
    }
  }
  Output Sum(const std::vector<Output>& inputs) { return g.Add("sum", "AddN", inputs); }
  void Fuse() {
    g.Add("end", "Neg", {Output{g.graph.Find("sum"), 0}});
    const Status status = testing::RunPass("cpu/fuse_matmul_addn", g.graph);
    ASSERT_TRUE(status.ok()) << status.ToString();
  }

  testing::GraphMaker g;
  std::vector<Output> a, b, product;
};

using Names = std::vector<std::string>;

TEST_F(FuseSumsTest, ProductsAndTheirSumBecomeOneNode) {
  Sum(product);
  Fuse();
  const Node* sum = g.Find("sum");
  ASSERT_EQ(sum->op->name, "_MatMulSum");
  ASSERT_EQ(sum->num_inputs(), 6);
  const char* const expected[] = {"a0", "a1", "a2", "b0", "b1", "b2"};
  for (int i = 0; i < 6; ++i) EXPECT_EQ(g.graph.node(sum->inputs[i].node).name, expected[i]);
  EXPECT_EQ(g.Find("product1"), nullptr);
  EXPECT_EQ(g.Find("end")->inputs[0].node, sum->id);
}

// TensorFlow's gradients have this form: an Identity returns the product after its sister is computed too.
TEST_F(FuseSumsTest, WhoWaitsForAProductWaitsForWhatItIsMadeOf) {
  const Output other = g.Add("other", "Neg", {a[1]});
  const Output both = g.Add("both", "NoOp");
  g.node(both).control_inputs = {product[1].node, other.node};
  const Output identity = g.Add("identity", "Identity", {product[1]});
  g.node(identity).control_inputs = {both.node};
  g.node(g.Add("waiter", "NoOp")).control_inputs = {both.node};
  Sum({product[0], identity, product[2]});
  ASSERT_TRUE(testing::RunPass("remove_identity", g.graph).ok());
  Fuse();
  ASSERT_EQ(g.Find("sum")->op->name, "_MatMulSum");
  EXPECT_EQ(g.ControlsOf("sum"), Names{});  // all that `both` waits for is there when the products' operands are
  EXPECT_EQ(g.Find("identity"), nullptr);
  EXPECT_EQ(g.ControlsOf("waiter"), Names{"both"});
  EXPECT_EQ(g.ControlsOf("both"), (Names{"other", "product1/inputs"}));
  EXPECT_EQ(g.ControlsOf("product1/inputs"), (Names{"a1", "b1"}));
}

TEST_F(FuseSumsTest, WhatAProductWaitsForTheSumWaitsFor) {
  const Output before = g.Add("before", "NoOp");
  g.node(product[2]).control_inputs = {before.node};
  Sum(product);
  Fuse();
  EXPECT_EQ(g.ControlsOf("sum"), Names{"before"});
}

TEST_F(FuseSumsTest, ProductsThatOthersReadStay) {
  Sum(product);
  g.Add("reader", "Neg", {product[1]});
  Fuse();
  EXPECT_EQ(g.Find("sum")->op->name, "AddN");
}

TEST_F(FuseSumsTest, AProductAddedTwiceStays) {
  Sum({product[0], product[0]});
  Fuse();
  EXPECT_EQ(g.Find("sum")->op->name, "AddN");
}

TEST_F(FuseSumsTest, SumsOfOtherThingsStay) {
  Sum({product[0], g.Placeholder("x", {8, 16}, DType::kFloat)});
  Fuse();
  EXPECT_EQ(g.Find("sum")->op->name, "AddN");
}

TEST_F(FuseSumsTest, ProductsTransposedOtherwiseStay) {
  const Output other =
      g.Add("other", "MatMul", {g.Placeholder("t", {4, 8}, DType::kFloat), b[0]}, {{"transpose_a", true}});
  Sum({product[0], other});
  Fuse();
  EXPECT_EQ(g.Find("sum")->op->name, "AddN");
}

TEST_F(FuseSumsTest, ProductsOfVariablesStay) {
  const Output variable =
      g.Add("variable", "VariableV2", {}, {{"dtype", DType::kFloat}, {"shape", PartialShape({8, 4})}});
  Sum({product[1], g.Add("other", "MatMul", {variable, b[0]})});
  Fuse();
  EXPECT_EQ(g.Find("sum")->op->name, "AddN");
}

}  // namespace
}  // namespace dfrun
