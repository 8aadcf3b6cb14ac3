#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/testing/graph_maker.h"
#include "tests/unit/testing/run_pass.h"

namespace dfrun {
namespace {

class FuseBatchNormTest : public ::testing::Test {
 protected:
  FuseBatchNormTest() {
    x = g.Placeholder("x", kImages, DType::kFloat);
    side = g.Placeholder("side", kImages, DType::kFloat);
    for (const char* name : {"scale", "offset", "mean", "variance"}) {
      channels.push_back(g.Placeholder(name, {3}, DType::kFloat));
    }
  }
  Output Norm(const char* name, Output of, const char* data_format = "NHWC") {
    return g.Add(name, "FusedBatchNormV3", {of, channels[0], channels[1], channels[2], channels[3]},
                 {{"data_format", data_format}, {"epsilon", 0.5}});
  }
  void Fuse() {
    const Status status = testing::RunPass("gpu/fuse_batch_norm", g.graph);
    ASSERT_TRUE(status.ok()) << status.ToString();
  }
  bool IsFused(const char* name) { return g.Find(name) != nullptr && g.Find(name)->op->name == "_FusedBatchNormEx"; }

  static inline const PartialShape kImages = {2, 4, 4, 3};
  testing::GraphMaker g;
  Output x, side;
  std::vector<Output> channels;
};

TEST_F(FuseBatchNormTest, ReluBecomesAPart) {
  const Output norm = Norm("norm", x);
  g.Add("y", "Neg", {g.Add("relu", "Relu", {norm})});
  g.Add("statistics", "Neg", {{norm.node, 3}});
  Fuse();
  ASSERT_TRUE(IsFused("norm"));
  const Node* fused = g.Find("norm");
  EXPECT_EQ(fused->num_inputs(), 5);
  EXPECT_EQ(*fused->attrs.Get<float>("epsilon"), 0.5F);
  EXPECT_EQ(*fused->attrs.Get<std::string>("activation_mode"), "Relu");
  EXPECT_EQ(g.Find("relu"), nullptr);
  EXPECT_EQ(g.Find("y")->inputs[0], (Output{fused->id, 0}));
  EXPECT_EQ(g.Find("statistics")->inputs[0], (Output{fused->id, 3}));
}

TEST_F(FuseBatchNormTest, WhatIsAddedBecomesAnInput) {
  const Output shortcut = g.Add("shortcut", "Square", {side});
  const Output norm = Norm("norm", g.Add("inner", "Square", {shortcut}));
  g.Add("y", "Neg", {g.Add("relu", "Relu", {g.Add("sum", "AddV2", {shortcut, norm})})});
  Fuse();
  ASSERT_TRUE(IsFused("norm"));
  const Node* fused = g.Find("norm");
  ASSERT_EQ(fused->num_inputs(), 6);
  EXPECT_EQ(fused->inputs[5], (Output{g.Find("shortcut")->id, 0}));
  EXPECT_EQ(g.Find("sum"), nullptr);
  EXPECT_EQ(g.Find("relu"), nullptr);
}

// The side input depends on the normalisation's statistics.
TEST_F(FuseBatchNormTest, WhatComesLaterIsNotAdded) {
  const Output norm = Norm("norm", x);
  const Output later = g.Add("later", "Mul", {side, {norm.node, 1}});
  g.Add("y", "Neg", {g.Add("relu", "Relu", {g.Add("sum", "AddV2", {norm, later})})});
  Fuse();
  EXPECT_FALSE(IsFused("norm"));
  EXPECT_NE(g.Find("sum"), nullptr);
}

TEST_F(FuseBatchNormTest, WhatIsRepeatedIsNotAdded) {
  const Output norm = Norm("norm", x);
  g.Add("y", "Neg", {g.Add("relu", "Relu", {g.Add("sum", "AddV2", {channels[0], norm})})});
  Fuse();
  EXPECT_FALSE(IsFused("norm"));
}

TEST_F(FuseBatchNormTest, ImagesThatOthersReadStay) {
  const Output norm = Norm("norm", x);
  g.Add("y", "Add", {g.Add("relu", "Relu", {norm}), norm});
  Fuse();
  EXPECT_FALSE(IsFused("norm"));
}

// A training's moving averages cause such control edges.
TEST_F(FuseBatchNormTest, WhatReluWaitedForItsReadersWaitFor) {
  const Output norm = Norm("norm", x);
  const Output average = g.Add("average", "Neg", {{norm.node, 1}});
  const Output relu = g.Add("relu", "Relu", {norm});
  g.node(relu).control_inputs = {average.node};
  g.Add("y", "Neg", {relu});
  g.node(g.Add("z", "Neg", {side})).control_inputs = {relu.node};
  Fuse();
  ASSERT_TRUE(IsFused("norm"));
  EXPECT_EQ(g.Find("y")->inputs[0], (Output{g.Find("norm")->id, 0}));
  EXPECT_EQ(g.Find("y")->control_inputs, std::vector<NodeId>{g.Find("average")->id});
  std::vector<NodeId> both = {g.Find("norm")->id, g.Find("average")->id};
  std::sort(both.begin(), both.end());
  EXPECT_EQ(g.Find("z")->control_inputs, both);
}

// A block of a residual net: the shortcut is the Relu of the block before.
TEST_F(FuseBatchNormTest, BlocksFollowEachOther) {
  Output images = x;
  for (const std::string block : {"a", "b"}) {
    const Output norm = Norm((block + "/norm").c_str(), g.Add(block + "/inner", "Square", {images}));
    const Output average = g.Add(block + "/average", "Neg", {{norm.node, 1}});
    const Output sum = g.Add(block + "/sum", "Add", {norm, images});
    g.node(sum).control_inputs = {average.node};
    images = g.Add(block, "Relu", {sum});
  }
  g.Add("y", "Neg", {images});
  Fuse();
  ASSERT_TRUE(IsFused("a/norm") && IsFused("b/norm"));
  const Node* second = g.Find("b/norm");
  EXPECT_EQ(second->inputs[5], (Output{g.Find("a/norm")->id, 0}));
  EXPECT_EQ(second->control_inputs, std::vector<NodeId>{g.Find("a/average")->id});
  EXPECT_EQ(g.Find("y")->control_inputs, std::vector<NodeId>{g.Find("b/average")->id});
}

TEST_F(FuseBatchNormTest, AReluThatWaitsForAnotherStays) {
  const Output other = g.Add("other", "Relu", {side});
  const Output relu = g.Add("relu", "Relu", {Norm("norm", x)});
  g.node(relu).control_inputs = {other.node};
  g.Add("y", "Add", {relu, other});
  Fuse();
  EXPECT_FALSE(IsFused("norm"));
}

TEST_F(FuseBatchNormTest, WhoWaitsForReluWaitsForTheFusedNode) {
  const Output relu = g.Add("relu", "Relu", {Norm("norm", x)});
  g.node(g.Add("y", "Neg", {relu})).control_inputs = {};
  g.node(g.Add("z", "Neg", {side})).control_inputs = {relu.node};
  Fuse();
  ASSERT_TRUE(IsFused("norm"));
  ASSERT_EQ(g.Find("z")->control_inputs.size(), 1U);
  EXPECT_EQ(g.Find("z")->control_inputs[0], g.Find("norm")->id);
}

}  // namespace
}  // namespace dfrun
