#include <gtest/gtest.h>

#include "tests/unit/testing/graph_maker.h"
#include "tests/unit/testing/run_pass.h"

namespace dfrun {
namespace {

using Names = std::vector<std::string>;
using Ints = std::vector<int64_t>;

class FuseMaxPoolsTest : public ::testing::Test {
 protected:
  FuseMaxPoolsTest() {
    const Output x = g.Placeholder("x", {2, 8, 8, 3}, DType::kFloat);
    const Output filter = g.Placeholder("W", {3, 3, 3, 4}, DType::kFloat);
    const Output bias = g.Placeholder("b", {4}, DType::kFloat);
    conv = g.Add("conv", "_FusedConv2D", {x, filter, bias},
                 {{"num_args", int64_t{1}},
                  {"strides", Ints{1, 1, 1, 1}},
                  {"padding", "SAME"},
                  {"fused_ops", std::vector<std::string>{"BiasAdd", "Relu"}}});
  }
  Output Pool(Ints ksize) {
    return g.Add("pool", "MaxPool", {conv}, {{"ksize", ksize}, {"strides", ksize}, {"padding", "VALID"}});
  }
  void Fuse() {
    const Status status = testing::RunPass("cpu/fuse_max_pool", g.graph);
    ASSERT_TRUE(status.ok()) << status.ToString();
  }
  std::string OpOf(const std::string& name) const { return g.Find(name) == nullptr ? "none" : g.Find(name)->op->name; }

  testing::GraphMaker g;
  Output conv;
};

TEST_F(FuseMaxPoolsTest, AConvolutionAndItsPoolingBecomeOneNode) {
  const Output pool = Pool({1, 2, 2, 1});
  g.Add("pooled", "Neg", {pool});
  g.Add("whole", "Neg", {conv});
  g.node(g.Add("after", "NoOp")).control_inputs = {pool.node};
  Fuse();
  ASSERT_EQ(OpOf("conv"), "_FusedConv2DMaxPool");
  EXPECT_EQ(g.InputsOf("conv"), (Names{"x", "W", "b"}));
  EXPECT_EQ(g.Find("conv")->output_shapes[1].ToString(), "[2,4,4,4]");
  EXPECT_EQ(OpOf("pool"), "none");
  EXPECT_EQ(g.Find("pooled")->inputs[0], (Output{g.Find("conv")->id, 1}));
  EXPECT_EQ(g.Find("whole")->inputs[0], (Output{g.Find("conv")->id, 0}));
  EXPECT_EQ(g.ControlsOf("after"), Names{"conv"});
}

TEST_F(FuseMaxPoolsTest, WindowsAcrossChannelsStay) {
  Pool({1, 1, 1, 2});
  Fuse();
  EXPECT_EQ(OpOf("pool"), "MaxPool");
}

TEST_F(FuseMaxPoolsTest, APoolingThatWaitsStays) {
  g.node(Pool({1, 2, 2, 1})).control_inputs = {g.Add("before", "NoOp").node};
  Fuse();
  EXPECT_EQ(OpOf("pool"), "MaxPool");
}

class FusePoolTest : public ::testing::Test {
 protected:
  FusePoolTest() {
    x = g.Placeholder("x", {2, 8, 8, 3}, DType::kFloat);
    const Output y = g.Placeholder("y", {2, 4, 4, 3}, DType::kFloat);
    const std::vector<int64_t> two = {1, 2, 2, 1};
    pool =
        g.Add("pool", "MaxPoolGrad", {x, y, y}, {{"ksize", two}, {"strides", two}, {"padding", std::string("VALID")}});
  }
  std::string OpOf(const std::string& name) const {
    const NodeId id = g.graph.Find(name);
    return id < 0 ? "none" : g.graph.node(id).op->name;
  }

  testing::GraphMaker g;
  Output x, pool;
};

TEST_F(FusePoolTest, GradientsByTheSameInputBecomeOneNode) {
  g.Add("end", "Neg", {g.Add("relu", "ReluGrad", {pool, x})});
  ASSERT_TRUE(testing::RunPass("cpu/fuse_max_pool", g.graph).ok());
  EXPECT_EQ(OpOf("relu"), "_MaxPoolReluGrad");
  EXPECT_EQ(OpOf("pool"), "none");
}

TEST_F(FusePoolTest, AReluOfAnotherInputStays) {
  g.Add("end", "Neg", {g.Add("relu", "ReluGrad", {pool, g.Add("other", "Neg", {x})})});
  ASSERT_TRUE(testing::RunPass("cpu/fuse_max_pool", g.graph).ok());
  EXPECT_EQ(OpOf("relu"), "ReluGrad");
}

TEST_F(FusePoolTest, AGradientThatOthersReadStays) {
  g.Add("end", "Add", {g.Add("relu", "ReluGrad", {pool, x}), pool});
  ASSERT_TRUE(testing::RunPass("cpu/fuse_max_pool", g.graph).ok());
  EXPECT_EQ(OpOf("relu"), "ReluGrad");
}

}  // namespace
}  // namespace dfrun
