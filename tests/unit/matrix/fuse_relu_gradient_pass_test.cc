#include <gtest/gtest.h>

#include <set>

#include "tests/unit/testing/graph_maker.h"
#include "tests/unit/testing/run_pass.h"

namespace dfrun {
namespace {

using Names = std::vector<std::string>;

// dx = dy W^T by a ref variable, and the gradient of x = Relu(...).
class FuseReluGradientsTest : public ::testing::Test {
 protected:
  FuseReluGradientsTest() {
    dy = g.Placeholder("dy", {8, 5}, DType::kFloat);
    x = g.Placeholder("x", {8, 4}, DType::kFloat);
    variable = g.Add("W", "VariableV2", {}, {{"dtype", DType::kFloat}, {"shape", PartialShape({4, 5})}});
    dx = g.Add("dx", "MatMul", {dy, variable}, {{"transpose_b", true}});
  }
  Output Gate(const std::string& name, Output value, const std::vector<Output>& others) {
    const Output group = g.Add(name + "/group", "NoOp");
    for (Output other : others) g.graph.AddControlEdge(other.node, group.node);
    g.graph.AddControlEdge(value.node, group.node);
    const Output identity = g.Add(name, "Identity", {value});
    g.node(identity).control_inputs = {group.node};
    return identity;
  }
  Output Relu(Output of) { return g.Add("relu", "ReluGrad", {of, x}); }
  void Fuse() {
    for (const char* pass : {"remove_identity", "cpu/fuse_relu_gradient"}) {
      const Status status = testing::RunPass(pass, g.graph);
      ASSERT_TRUE(status.ok()) << status.ToString();
    }
    ASSERT_TRUE(g.graph.TopologicalOrder().ok());
  }

  testing::GraphMaker g;
  Output dy, x, variable, dx;
};

TEST_F(FuseReluGradientsTest, AProductAndTheGradientOfAReluBecomeOneNode) {
  g.Add("end", "Neg", {Relu(dx)});
  Fuse();
  ASSERT_EQ(g.Find("relu")->op->name, "_FusedMatMul");
  EXPECT_EQ(g.InputsOf("relu"), (Names{"dy", "W", "x"}));
  EXPECT_EQ(*g.Find("relu")->attrs.Get<std::vector<std::string>>("fused_ops"), Names{"ReluGrad"});
  EXPECT_TRUE(*g.Find("relu")->attrs.Get<bool>("transpose_b"));
  EXPECT_EQ(g.Find("dx"), nullptr);
}

// The fused node reads the variable: a node that waited for the product must wait for the fused node.
TEST_F(FuseReluGradientsTest, WhoWaitsForTheProductWaitsForTheFusedNode) {
  const Output dw = g.Add("dw", "MatMul", {x, dy}, {{"transpose_a", true}});
  const Output dx_read = Gate("dx_read", dx, {dw});
  const Output dw_read = g.Add("dw_read", "Identity", {dw});
  g.node(dw_read).control_inputs = {g.graph.Find("dx_read/group")};
  g.Add("update", "ApplyGradientDescent", {variable, g.Scalar<float>("rate", 1), dw_read});
  Relu(dx_read);
  Fuse();
  ASSERT_EQ(g.Find("relu")->op->name, "_FusedMatMul");
  EXPECT_EQ(g.ControlsOf("update"), Names{"relu"});
  EXPECT_EQ(g.ControlsOf("relu"), Names{});  // the node reads what dw waits for
  for (const char* gone : {"dx_read", "dw_read", "dx_read/group"}) EXPECT_EQ(g.Find(gone), nullptr) << gone;
}

TEST_F(FuseReluGradientsTest, NodesWithEffectsAreWaitedForThemselves) {
  const Output counter = g.Add("counter", "VariableV2", {}, {{"dtype", DType::kFloat}, {"shape", PartialShape({})}});
  const Output effect = g.Add("effect", "AssignAdd", {counter, g.Scalar<float>("one", 1)});
  Relu(Gate("dx_read", dx, {effect}));
  Fuse();
  ASSERT_EQ(g.Find("relu")->op->name, "_FusedMatMul");
  EXPECT_EQ(g.ControlsOf("relu"), Names{"effect"});
}

TEST_F(FuseReluGradientsTest, ProductsThatOthersReadStay) {
  Relu(dx);
  g.Add("other", "Neg", {dx});
  Fuse();
  EXPECT_EQ(g.Find("relu")->op->name, "ReluGrad");
}

TEST_F(FuseReluGradientsTest, FeaturesThatWaitForTheProductStay) {
  x = g.Add("features", "Neg", {x});
  g.node(x).control_inputs = {dx.node};
  Relu(dx);
  Fuse();
  EXPECT_EQ(g.Find("relu")->op->name, "ReluGrad");
  EXPECT_EQ(g.ControlsOf("features"), Names{"dx"});
}

TEST_F(FuseReluGradientsTest, TwoThatWaitForEachOtherAreNotBothFused) {
  const Output other_dx = g.Add("other_dx", "MatMul", {dy, variable}, {{"transpose_b", true}});
  const Output group = g.Add("group", "NoOp");
  g.node(group).control_inputs = {dx.node, other_dx.node};
  for (const auto& [name, from] : {std::pair("read", dx), std::pair("other_read", other_dx)}) {
    const Output identity = g.Add(name, "Identity", {from});
    g.node(identity).control_inputs = {group.node};
    g.Add(std::string(name) + "/relu", "ReluGrad", {identity, x});
  }
  Fuse();  // the graph must stay acyclic
  const std::multiset<std::string> ops = {g.Find("read/relu")->op->name, g.Find("other_read/relu")->op->name};
  EXPECT_EQ(ops, (std::multiset<std::string>{"ReluGrad", "_FusedMatMul"}));
}

// The features of each wait for the product of the other: either may be fused, but if both were they would wait for
// each other.
TEST_F(FuseReluGradientsTest, TwoWhoseFeaturesWaitForEachOtherAreNotBothFused) {
  const Output other_dx = g.Add("other_dx", "MatMul", {dy, variable}, {{"transpose_b", true}});
  const Output after_dx = g.Add("after_dx", "Neg", {x});
  g.node(after_dx).control_inputs = {dx.node};
  const Output after_other = g.Add("after_other", "Neg", {x});
  g.node(after_other).control_inputs = {other_dx.node};
  g.Add("relu", "ReluGrad", {dx, after_other});
  g.Add("other_relu", "ReluGrad", {other_dx, after_dx});
  Fuse();
}

TEST_F(FuseReluGradientsTest, ChainsOfLayersAreAllFused) {
  const Output v = g.Add("V", "VariableV2", {}, {{"dtype", DType::kFloat}, {"shape", PartialShape({6, 4})}});
  const Output z = g.Placeholder("z", {8, 6}, DType::kFloat);
  const Output relu = Relu(Gate("dx_read", dx, {g.Add("dw", "MatMul", {x, dy}, {{"transpose_a", true}})}));
  const Output dz = g.Add("dz", "MatMul", {relu, v}, {{"transpose_b", true}});
  const Output dv = g.Add("dv", "MatMul", {z, relu}, {{"transpose_a", true}});
  g.Add("last", "ReluGrad", {Gate("dz_read", dz, {dv}), z});
  Fuse();
  EXPECT_EQ(g.Find("relu")->op->name, "_FusedMatMul");
  EXPECT_EQ(g.Find("last")->op->name, "_FusedMatMul");
  EXPECT_EQ(g.ControlsOf("last"), Names{});
}

TEST_F(FuseReluGradientsTest, GraphsWithControlFlowStay) {
  g.Add("branch", "Switch", {x, g.Placeholder("condition", PartialShape({}), DType::kBool)});
  Relu(dx);
  Fuse();
  EXPECT_EQ(g.Find("relu")->op->name, "ReluGrad");
}

}  // namespace
}  // namespace dfrun
