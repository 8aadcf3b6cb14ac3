#include <gtest/gtest.h>

#include "tests/unit/testing/graph_maker.h"
#include "tests/unit/testing/run_pass.h"

namespace dfrun {
namespace {

class FuseTest : public ::testing::Test {
 protected:
  FuseTest() {
    const Output x = g.Placeholder("x", {2, 8, 8, 3}, DType::kFloat);
    const Output filter = g.Placeholder("filter", {3, 3, 3, 4}, DType::kFloat);
    bias = g.Placeholder("bias", {4}, DType::kFloat);
    conv = g.Add("conv", "Conv2D", {x, filter},
                 {{"strides", std::vector<int64_t>{1, 1, 1, 1}}, {"padding", std::string("SAME")}});
    sum = g.Add("sum", "BiasAdd", {conv, bias});
  }
  void Fuse() {
    const Status status = testing::RunPass("cpu/fuse_bias", g.graph);
    ASSERT_TRUE(status.ok()) << status.ToString();
  }
  std::vector<std::string> FusedOps(const std::string& name) const {
    const Node* node = g.Find(name);
    if (node == nullptr || node->op->name != "_FusedConv2D") return {"not fused"};
    return *node->attrs.Get<std::vector<std::string>>("fused_ops");
  }

  testing::GraphMaker g;
  Output bias, conv, sum;
};

using Ops = std::vector<std::string>;

TEST_F(FuseTest, ConvolutionBiasAndReluBecomeOneNode) {
  g.Add("y", "Neg", {g.Add("relu", "Relu", {sum})});
  Fuse();
  EXPECT_EQ(FusedOps("relu"), (Ops{"BiasAdd", "Relu"}));
  EXPECT_EQ(g.Find("relu")->num_inputs(), 3);
  EXPECT_EQ(g.Find("conv"), nullptr);
  EXPECT_EQ(g.Find("sum"), nullptr);
  EXPECT_EQ(g.Find("y")->inputs[0].node, g.Find("relu")->id);
}

TEST_F(FuseTest, ASumThatOthersReadEndsTheChain) {
  g.Add("y", "Add", {g.Add("relu", "Relu", {sum}), sum});
  Fuse();
  EXPECT_EQ(FusedOps("sum"), (Ops{"BiasAdd"}));
  EXPECT_EQ(g.Find("relu")->op->name, "Relu");
}

TEST_F(FuseTest, WhatIsReadOrAwaitedStays) {
  g.Add("y", "Neg", {sum});
  g.node(g.Add("z", "Neg", {bias})).control_inputs = {conv.node};
  Fuse();
  EXPECT_EQ(g.Find("conv")->op->name, "Conv2D");
  EXPECT_EQ(g.Find("sum")->op->name, "BiasAdd");
}

TEST_F(FuseTest, WhatTheConvolutionWaitsForTheFusedNodeDoesToo) {
  g.node(conv).control_inputs = {g.Add("first", "Neg", {bias}).node};
  g.Add("y", "Neg", {sum});
  Fuse();
  ASSERT_EQ(FusedOps("sum"), (Ops{"BiasAdd"}));
  ASSERT_EQ(g.Find("sum")->control_inputs.size(), 1U);
  EXPECT_EQ(g.Find("sum")->control_inputs[0], g.Find("first")->id);
}

// In a training, updates of the filter and of the bias wait until these are read.
TEST_F(FuseTest, OnGpusWhoWaitsForPartsWaitsForTheFusedNode) {
  const Output filter_variable =
      g.Add("w", "VariableV2", {}, {{"shape", Shape({3, 3, 3, 4})}, {"dtype", DType::kFloat}});
  const Output bias_variable = g.Add("b", "VariableV2", {}, {{"shape", Shape({4})}, {"dtype", DType::kFloat}});
  g.node(conv).inputs[1] = filter_variable;
  g.node(sum).inputs[1] = bias_variable;
  const Output relu = g.Add("relu", "Relu", {sum});
  const Output filter_gradient = g.Placeholder("dw", {3, 3, 3, 4}, DType::kFloat);
  g.node(g.Add("update_w", "AssignSub", {filter_variable, filter_gradient})).control_inputs = {conv.node};
  g.node(g.Add("update_b", "AssignSub", {bias_variable, bias})).control_inputs = {sum.node};
  g.Add("y", "Neg", {relu});
  const Status status = testing::RunPass("gpu/fuse_bias", g.graph);
  ASSERT_TRUE(status.ok()) << status.ToString();
  ASSERT_EQ(FusedOps("relu"), (Ops{"BiasAdd", "Relu"}));
  const std::vector<NodeId> fused = {g.Find("relu")->id};
  EXPECT_EQ(g.Find("update_w")->control_inputs, fused);
  EXPECT_EQ(g.Find("update_b")->control_inputs, fused);
  EXPECT_EQ(g.Find("conv"), nullptr);
  EXPECT_EQ(g.Find("sum"), nullptr);
}

TEST_F(FuseTest, ProductsAreTakenToo) {
  const Output a = g.Placeholder("a", {8, 5}, DType::kFloat);
  const Output b = g.Placeholder("b", {4, 5}, DType::kFloat);
  const Output product = g.Add("product", "MatMul", {a, b}, {{"transpose_b", true}});
  g.Add("y", "Neg", {g.Add("relu", "Relu", {g.Add("biased", "BiasAdd", {product, bias})})});
  Fuse();
  const Node* relu = g.Find("relu");
  ASSERT_EQ(relu->op->name, "_FusedMatMul");
  EXPECT_EQ(*relu->attrs.Get<std::vector<std::string>>("fused_ops"), (Ops{"BiasAdd", "Relu"}));
  EXPECT_TRUE(*relu->attrs.Get<bool>("transpose_b"));
  const std::vector<Output> expected = {{g.Find("a")->id, 0}, {g.Find("b")->id, 0}, {g.Find("bias")->id, 0}};
  EXPECT_EQ(relu->inputs, expected);
  EXPECT_EQ(g.Find("product"), nullptr);
  EXPECT_EQ(g.Find("biased"), nullptr);
}

TEST_F(FuseTest, ProductsOfIntegersStay) {
  const Output a = g.Placeholder("a", {4, 8}, DType::kInt32);
  const Output b = g.Placeholder("b", {4}, DType::kInt32);
  g.Add("biased", "BiasAdd", {g.Add("product", "MatMul", {a, a}, {{"transpose_b", true}}), b});
  Fuse();
  EXPECT_EQ(g.Find("product")->op->name, "MatMul");
}

}  // namespace
}  // namespace dfrun
