#include "src/passes/fuse_max_pools.h"

#include <gtest/gtest.h>

#include "tests/unit/testing/graph_maker.h"

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
    const Status status = FuseMaxPools(g.graph);
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

TEST_F(FuseMaxPoolsTest, OneOfAnotherDeviceStays) {
  g.node(Pool({1, 2, 2, 1})).device = "/job:worker/task:1";
  Fuse();
  EXPECT_EQ(OpOf("pool"), "MaxPool");
}

}  // namespace
}  // namespace dfrun
