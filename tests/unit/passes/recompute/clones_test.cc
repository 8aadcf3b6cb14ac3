#include "src/passes/recompute/clones.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/passes/recompute/deep_net.h"
#include "tests/unit/testing/run_pass.h"

namespace dfrun {
namespace {

using Names = std::vector<std::string>;
using testing::DeepNet;

std::vector<NodeId> Clone(const Names& names, DeepNet& net) {
  const GradientStep step = net.Differentiate();
  const Result<std::vector<NodeId>> cloned = CloneForGradients(step, net.Choose(names), net.m.graph);
  EXPECT_TRUE(cloned.ok()) << cloned.status().ToString();
  EXPECT_TRUE(net.m.graph.TopologicalOrder().ok());
  return cloned.ok() ? *cloned : std::vector<NodeId>();
}

TEST(CloneForGradients, GradientsReadClonesAndLayersDoNot) {
  DeepNet net(4);
  EXPECT_EQ(Clone({"product2", "h2"}, net).size(), 2U);
  EXPECT_EQ(net.m.InputsOf("product3"), (Names{"h2", "W3"}));
  EXPECT_EQ(net.m.InputsOf("h2/recomputed"), Names{"product2/recomputed"});
  EXPECT_EQ(net.m.InputsOf("product2/recomputed"), (Names{"h1", "W2"}));
  for (const Node& node : net.m.graph.nodes()) {
    if (!node.name.starts_with("gradients/")) continue;
    const Names inputs = net.m.InputsOf(node.name);
    EXPECT_EQ(std::count(inputs.begin(), inputs.end(), "h2"), 0) << node.name;
  }
  EXPECT_EQ(net.m.InputsOf("gradients/h2_grad/TanhGrad")[0], "h2/recomputed");
}

TEST(CloneForGradients, AClonedChainWaitsForTheGradientThatItsFirstReaderNeeds) {
  DeepNet net(4);
  Clone({"product2", "h2"}, net);
  // The gradient of W3 is the first that reads h2; it needs that of product3, which h3's is. The gradient of W4 comes
  // before it.
  EXPECT_EQ(net.m.ControlsOf("product2/recomputed"),
            (Names{"gradients/h3_grad/TanhGrad", "gradients/product4_grad/MatMul_1"}));
  EXPECT_EQ(net.m.ControlsOf("h2/recomputed"), Names{});
}

TEST(CloneForGradients, ANodeWithoutALateReaderIsNotCloned) {
  DeepNet net(3);
  EXPECT_TRUE(Clone({"product2"}, net).empty()) << "the gradient of Tanh reads h2 alone";
  EXPECT_EQ(net.m.Find("product2/recomputed"), nullptr);
}

TEST(CloneForGradients, ANodeIsNotClonedWhereNothingHoldsItsCloneBack) {
  DeepNet net(1);
  const GradientStep step = net.Differentiate();
  std::vector<bool> chosen = net.Choose({"product1", "h1"});
  // The double of h1, by which the gradient of `square` multiplies. Its other factor is made of constants, so nothing
  // tells that the backward pass has begun.
  for (const Node& node : net.m.graph.nodes()) {
    const bool is_early = node.name.starts_with("gradients/square_grad/") && step.MayRecompute(node.id);
    if (is_early) chosen[static_cast<size_t>(node.id)] = true;
  }
  EXPECT_EQ(std::count(chosen.begin(), chosen.end(), true), 3);
  const Result<std::vector<NodeId>> cloned = CloneForGradients(step, chosen, net.m.graph);
  ASSERT_TRUE(cloned.ok()) << cloned.status().ToString();
  EXPECT_TRUE(cloned->empty());
}

TEST(CloneForGradients, ClonesKeepPlaceAndControlInputs) {
  DeepNet net(3);
  const Output before = net.m.Add("before", "NoOp");
  Node& product = net.m.graph.mutable_node(net.m.graph.Find("product2"));
  product.control_inputs = {before.node};
  product.device = "/device:cpu:0";
  Clone({"product2", "h2"}, net);
  EXPECT_EQ(net.m.ControlsOf("product2/recomputed"), (Names{"before", "gradients/h3_grad/TanhGrad"}));
  EXPECT_EQ(net.m.Find("product2/recomputed")->device, "/device:cpu:0");
  EXPECT_EQ(net.m.Find("h2/recomputed")->colocate_with, "h2");
}

TEST(CloneForGradients, ClonesAreNoCommonSubexpressions) {
  DeepNet net(4);
  Clone({"product2", "h2", "product3", "h3"}, net);
  const Status status = testing::RunPass("common_subexpressions", net.m.graph);
  ASSERT_TRUE(status.ok()) << status.ToString();
  for (const char* name : {"product2/recomputed", "h2/recomputed", "product3/recomputed", "h3/recomputed"}) {
    EXPECT_NE(net.m.Find(name), nullptr) << name;
  }
}

}  // namespace
}  // namespace dfrun
