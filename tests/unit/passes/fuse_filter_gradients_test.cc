#include "src/passes/fuse_filter_gradients.h"

#include <gtest/gtest.h>

#include "tests/unit/testing/graph_maker.h"

namespace dfrun {
namespace {

using Names = std::vector<std::string>;
using Ints = std::vector<int64_t>;

// y = Relu(x * W + b), pooled; the gradients that follow from that by the pooled images.
class FuseFilterGradientsTest : public ::testing::Test {
 protected:
  FuseFilterGradientsTest() {
    x = g.Placeholder("x", {64, 32, 32, 3}, DType::kFloat);
    const Output pooled = g.Placeholder("pooled", {64, 16, 16, 4}, DType::kFloat);
    const Output grad = g.Placeholder("grad", {64, 16, 16, 4}, DType::kFloat);
    Tensor sizes(DType::kInt32, Shape({4}));
    std::copy_n(std::begin({3, 3, 3, 4}), 4, sizes.data<int32_t>());
    filter_sizes = g.Const("sizes", sizes);
    pool = Pool("pool", g.Placeholder("y", {64, 32, 32, 4}, DType::kFloat), pooled, grad);
  }
  Output Pool(const std::string& name, Output y, Output pooled, Output grad) {
    return g.Add(name, "_MaxPoolReluGrad", {y, pooled, grad},
                 {{"ksize", Ints{1, 2, 2, 1}}, {"strides", Ints{1, 2, 2, 1}}, {"padding", "VALID"}});
  }
  Output Bias() { return g.Add("db", "BiasAddGrad", {pool}); }
  Output Filter(Output images, Output gradient) {
    return g.Add("dW", "Conv2DBackpropFilter", {images, filter_sizes, gradient},
                 {{"strides", Ints{1, 1, 1, 1}}, {"padding", "SAME"}});
  }
  void Fuse() {
    const Status status = FuseFilterGradients(g.graph);
    ASSERT_TRUE(status.ok()) << status.ToString();
    ASSERT_TRUE(g.graph.TopologicalOrder().ok());
  }
  std::string OpOf(const std::string& name) const { return g.Find(name) == nullptr ? "none" : g.Find(name)->op->name; }

  testing::GraphMaker g;
  Output x, filter_sizes, pool;
};

TEST_F(FuseFilterGradientsTest, GradientsOfFilterAndBiasBecomeOneNode) {
  g.Add("end", "Neg", {Bias()});
  g.Add("end_W", "Neg", {Filter(x, pool)});
  Fuse();
  ASSERT_EQ(OpOf("dW"), "_ConvBiasReluMaxPoolGrad");
  EXPECT_EQ(g.InputsOf("dW"), (Names{"x", "sizes", "y", "pooled", "grad"}));
  EXPECT_EQ(*g.Find("dW")->attrs.Get<Ints>("pool_ksize"), (Ints{1, 2, 2, 1}));
  EXPECT_EQ(*g.Find("dW")->attrs.Get<std::string>("pool_padding"), "VALID");
  EXPECT_EQ(*g.Find("dW")->attrs.Get<std::string>("padding"), "SAME");
  EXPECT_EQ(g.Find("dW")->output_shapes[0].ToString(), "[3,3,3,4]");
  EXPECT_EQ(g.Find("dW")->output_shapes[1].ToString(), "[4]");
  EXPECT_EQ(OpOf("pool"), "none");
  EXPECT_EQ(OpOf("db"), "none");
  EXPECT_EQ(g.Find("end")->inputs[0], (Output{g.Find("dW")->id, 1}));
  EXPECT_EQ(g.Find("end_W")->inputs[0], (Output{g.Find("dW")->id, 0}));
}

// As TensorFlow writes them: each gradient by an Identity that waits for both.
TEST_F(FuseFilterGradientsTest, AnIdentityThatWaitsForBothGoesToo) {
  const Output bias = Bias();
  const Output group = g.Add("group", "NoOp");
  g.node(group).control_inputs = {pool.node, bias.node};
  const Output dy = g.Add("dy", "Identity", {pool});
  g.node(dy).control_inputs = {group.node};
  const Output db = g.Add("db_read", "Identity", {bias});
  g.node(db).control_inputs = {group.node};
  g.Add("end", "Neg", {db});
  g.Add("end_W", "Neg", {Filter(x, dy)});
  Fuse();
  ASSERT_EQ(OpOf("dW"), "_ConvBiasReluMaxPoolGrad");
  EXPECT_EQ(OpOf("dy"), "none");
  EXPECT_EQ(g.ControlsOf("group"), Names{"dW"});
  EXPECT_EQ(g.ControlsOf("dW"), Names{});
  EXPECT_EQ(g.Find("db_read")->inputs[0], (Output{g.Find("dW")->id, 1}));
}

TEST_F(FuseFilterGradientsTest, WhatTheGradientWaitedForIsWaitedFor) {
  g.node(pool).control_inputs = {g.Add("before", "NoOp").node};
  Bias();
  Filter(x, pool);
  Fuse();
  EXPECT_EQ(g.ControlsOf("dW"), Names{"before"});
}

// The input of a convolution that is not the first wants a gradient too.
TEST_F(FuseFilterGradientsTest, AGradientThatOthersReadStays) {
  Bias();
  Filter(x, pool);
  g.Add("other", "Neg", {pool});
  Fuse();
  EXPECT_EQ(OpOf("dW"), "Conv2DBackpropFilter");
}

TEST_F(FuseFilterGradientsTest, ASmallGradientStays) {
  const Output y = g.Placeholder("small_y", {2, 32, 32, 4}, DType::kFloat);
  const Output pooled = g.Placeholder("small_pooled", {2, 16, 16, 4}, DType::kFloat);
  pool = Pool("small", y, pooled, pooled);
  Bias();
  Filter(g.Placeholder("small_x", {2, 32, 32, 3}, DType::kFloat), pool);
  Fuse();
  EXPECT_EQ(OpOf("dW"), "Conv2DBackpropFilter");
}

TEST_F(FuseFilterGradientsTest, GradientsThatWaitForOthersStay) {
  Bias();
  g.node(Filter(x, pool)).control_inputs = {g.Add("before", "NoOp").node};
  Fuse();
  EXPECT_EQ(OpOf("dW"), "Conv2DBackpropFilter");
}

TEST_F(FuseFilterGradientsTest, AnIdentityThatWaitsForOthersStays) {
  Bias();
  const Output dy = g.Add("dy", "Identity", {pool});
  g.node(dy).control_inputs = {x.node};
  Filter(x, dy);
  Fuse();
  EXPECT_EQ(OpOf("dW"), "Conv2DBackpropFilter");
}

// The fused node would wait for itself.
TEST_F(FuseFilterGradientsTest, ImagesThatComeAfterTheGradientStay) {
  const Output mean = g.Add("mean", "Mean", {Bias(), g.Const("axis", Tensor::Scalar<int32_t>(0))});
  Filter(g.Add("images", "Mul", {x, mean}), pool);
  Fuse();
  EXPECT_EQ(OpOf("dW"), "Conv2DBackpropFilter");
}

TEST_F(FuseFilterGradientsTest, OneOfAnotherDeviceStays) {
  g.node(Bias()).device = "/job:worker/task:1";
  Filter(x, pool);
  Fuse();
  EXPECT_EQ(OpOf("dW"), "Conv2DBackpropFilter");
}

TEST_F(FuseFilterGradientsTest, ManyAreFusedAtOnce) {
  constexpr int kCount = 70;
  const Node like = *g.Find("pool");
  for (int i = 0; i < kCount; ++i) {
    const std::string name = std::to_string(i);
    pool = g.Add("pool" + name, "_MaxPoolReluGrad", like.inputs, like.attrs);
    g.Add("db" + name, "BiasAddGrad", {pool});
    g.Add("dW" + name, "Conv2DBackpropFilter", {x, filter_sizes, pool},
          {{"strides", Ints{1, 1, 1, 1}}, {"padding", "SAME"}});
  }
  Fuse();
  for (int i = 0; i < kCount; ++i) EXPECT_EQ(OpOf("dW" + std::to_string(i)), "_ConvBiasReluMaxPoolGrad") << i;
}

}  // namespace
}  // namespace dfrun
