#include "src/passes/fuse_pool_gradients.h"

#include <gtest/gtest.h>

#include "tests/unit/testing/graph_maker.h"

namespace dfrun {
namespace {

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
  ASSERT_TRUE(FusePoolGradients(g.graph).ok());
  EXPECT_EQ(OpOf("relu"), "_MaxPoolReluGrad");
  EXPECT_EQ(OpOf("pool"), "none");
}

TEST_F(FusePoolTest, AReluOfAnotherInputStays) {
  g.Add("end", "Neg", {g.Add("relu", "ReluGrad", {pool, g.Add("other", "Neg", {x})})});
  ASSERT_TRUE(FusePoolGradients(g.graph).ok());
  EXPECT_EQ(OpOf("relu"), "ReluGrad");
}

TEST_F(FusePoolTest, AGradientThatOthersReadStays) {
  g.Add("end", "Add", {g.Add("relu", "ReluGrad", {pool, x}), pool});
  ASSERT_TRUE(FusePoolGradients(g.graph).ok());
  EXPECT_EQ(OpOf("relu"), "ReluGrad");
}

TEST_F(FusePoolTest, OneOfAnotherDeviceStays) {
  g.node(g.Add("relu", "ReluGrad", {pool, x})).device = "/job:worker/task:1";
  ASSERT_TRUE(FusePoolGradients(g.graph).ok());
  EXPECT_EQ(OpOf("relu"), "ReluGrad");
}

}  // namespace
}  // namespace dfrun
