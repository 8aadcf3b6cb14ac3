#include <gtest/gtest.h>

#include "tests/unit/testing/graph_maker.h"
#include "tests/unit/testing/run_pass.h"

namespace dfrun {
namespace {

class FuseGeluTest : public ::testing::Test {
 protected:
  explicit FuseGeluTest(DType dtype = DType::kBfloat16) {
    a = g.Placeholder("a", {8, 5}, dtype);
    b = g.Placeholder("b", {4, 5}, dtype);
    bias = g.Placeholder("bias", {4}, dtype);
    product = g.Add("product", "MatMul", {a, b}, {{"transpose_b", true}, {"grad_a", true}});
    sum = g.Add("sum", "BiasAdd", {product, bias});
  }
  Output Gelu(const char* name, bool approximate = true) {
    return g.Add(name, "Gelu", {sum}, {{"approximate", approximate}});
  }
  void Fuse() {
    const Status status = testing::RunPass("gpu/fuse_gelu", g.graph);
    ASSERT_TRUE(status.ok()) << status.ToString();
  }
  std::vector<Output> Operands() { return {{g.Find("a")->id, 0}, {g.Find("b")->id, 0}, {g.Find("bias")->id, 0}}; }

  testing::GraphMaker g;
  Output a, b, bias, product, sum;
};

using Ops = std::vector<std::string>;

TEST_F(FuseGeluTest, ProductBiasAndGeluBecomeOneNode) {
  g.Add("y", "Neg", {Gelu("gelu")});
  Fuse();
  const Node* fused = g.Find("gelu");
  ASSERT_EQ(fused->op->name, "_FusedMatMul");
  EXPECT_EQ(*fused->attrs.Get<Ops>("fused_ops"), (Ops{"BiasAdd", "GeluApproximate"}));
  EXPECT_TRUE(*fused->attrs.Get<bool>("transpose_b"));
  EXPECT_EQ(fused->inputs, Operands());
  EXPECT_EQ(g.Find("product"), nullptr);
  EXPECT_EQ(g.Find("sum"), nullptr);
}

TEST_F(FuseGeluTest, TheExactFormIsSaid) {
  g.Add("y", "Neg", {Gelu("gelu", /*approximate=*/false)});
  Fuse();
  EXPECT_EQ(*g.Find("gelu")->attrs.Get<Ops>("fused_ops"), (Ops{"BiasAdd", "GeluExact"}));
}

TEST_F(FuseGeluTest, ASumThatTheGradientReadsIsKept) {
  const Output y = g.Add("y", "Neg", {Gelu("gelu")});
  g.Add("dy", "GeluGrad", {y, sum}, {{"approximate", true}});
  Fuse();
  const Node* fused = g.Find("sum");
  ASSERT_EQ(fused->op->name, "_MatMulBiasGelu");
  EXPECT_TRUE(*fused->attrs.Get<bool>("approximate"));
  EXPECT_TRUE(*fused->attrs.Get<bool>("transpose_b"));
  EXPECT_EQ(fused->inputs, Operands());
  EXPECT_EQ(g.Find("gelu"), nullptr);
  EXPECT_EQ(g.Find("y")->inputs[0], (Output{fused->id, 1}));
  EXPECT_EQ(g.Find("dy")->inputs[1], (Output{fused->id, 0}));
}

// The update of the weights waits in this way.
TEST_F(FuseGeluTest, WhoWaitsForTheProductWaitsForTheFusedNode) {
  const Output weights = g.Add("w", "VariableV2", {}, {{"shape", Shape({4, 5})}, {"dtype", DType::kBfloat16}});
  g.node(product).inputs[1] = weights;
  g.node(g.Add("update", "AssignSub", {weights, b})).control_inputs = {product.node};
  g.Add("y", "Add", {Gelu("gelu"), sum});
  Fuse();
  ASSERT_EQ(g.Find("sum")->op->name, "_MatMulBiasGelu");
  EXPECT_EQ(g.Find("update")->control_inputs, std::vector<NodeId>{g.Find("sum")->id});
}

TEST_F(FuseGeluTest, WhatTheGeluWaitsForIsNotPassedOver) {
  const Output first = g.Add("first", "Neg", {bias});
  const Output gelu = Gelu("gelu");
  g.node(gelu).control_inputs = {first.node};
  g.Add("y", "Add", {gelu, sum});
  Fuse();
  EXPECT_EQ(g.Find("gelu")->op->name, "Gelu");
  EXPECT_EQ(g.Find("sum")->op->name, "BiasAdd");
}

TEST_F(FuseGeluTest, AProductThatOthersReadStays) {
  g.Add("y", "Add", {Gelu("gelu"), product});
  Fuse();
  EXPECT_EQ(g.Find("product")->op->name, "MatMul");
  EXPECT_EQ(g.Find("gelu")->op->name, "Gelu");
}

TEST_F(FuseGeluTest, WithoutGeluNothingChanges) {
  g.Add("y", "Neg", {sum});
  Fuse();
  EXPECT_EQ(g.Find("sum")->op->name, "BiasAdd");
}

// Products of 16-bit numbers and their bias need one pass over them on GPUs, and none on CPUs.
TEST_F(FuseGeluTest, BiasesOf16BitProductsAreFusedOnGpusAlone) {
  g.Add("y", "Neg", {sum});
  ASSERT_TRUE(testing::RunPass("cpu/fuse_bias", g.graph).ok());
  EXPECT_EQ(g.Find("sum")->op->name, "BiasAdd");
  ASSERT_TRUE(testing::RunPass("gpu/fuse_bias", g.graph).ok());
  EXPECT_EQ(g.Find("sum")->op->name, "_FusedMatMul");
}

}  // namespace
}  // namespace dfrun
