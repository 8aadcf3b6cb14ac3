#include <gtest/gtest.h>

#include "tests/unit/testing/graph_maker.h"
#include "tests/unit/testing/run_pass.h"

namespace dfrun {
namespace {

using Names = std::vector<std::string>;

class RemoveIdentityTest : public ::testing::Test {
 protected:
  RemoveIdentityTest() {
    x = g.Placeholder("x", {4, 4}, DType::kFloat);
    y = g.Add("y", "MatMul", {x, x});
  }
  Output After(const std::string& name, const std::string& op, const std::vector<Output>& inputs,
               const std::vector<Output>& before) {
    const Output made = g.Add(name, op, inputs);
    for (Output output : before) g.graph.AddControlEdge(output.node, made.node);
    return made;
  }
  Output Variable(const std::string& name) {
    return g.Add(name, "VariableV2", {}, {{"dtype", DType::kFloat}, {"shape", PartialShape({4, 4})}});
  }
  Output Effect(const std::string& name) { return g.Add(name, "AssignAdd", {Variable(name + "/of"), x}); }
  void Remove() {
    const Status status = testing::RunPass("remove_identity", g.graph);
    ASSERT_TRUE(status.ok()) << status.ToString();
    ASSERT_TRUE(g.graph.TopologicalOrder().ok());
  }
  bool Has(const std::string& name) const { return g.Find(name) != nullptr; }

  testing::GraphMaker g;
  Output x, y;
};

TEST_F(RemoveIdentityTest, ReadersTakeTheValueWhereItIsMade) {
  const Output chain = g.Add("second", "Identity", {g.Add("first", "Identity", {y})});
  g.Add("reader", "Neg", {chain});
  After("waiter", "NoOp", {}, {chain});
  Remove();
  EXPECT_FALSE(Has("first") || Has("second"));
  EXPECT_EQ(g.InputsOf("reader"), Names{"y"});
  EXPECT_EQ(g.ControlsOf("waiter"), Names{"y"});
}

TEST_F(RemoveIdentityTest, WhatNobodyReadsStays) {
  g.Add("target", "Identity", {y});
  Remove();
  EXPECT_TRUE(Has("target"));
}

TEST_F(RemoveIdentityTest, TheValueOfAVariableIsTakenWhenItWas) {
  g.Add("reader", "Neg", {g.Add("read", "Identity", {Variable("v")})});
  Remove();
  EXPECT_EQ(g.InputsOf("reader"), Names{"read"});
}

TEST_F(RemoveIdentityTest, ReadersWaitForEffects) {
  g.Add("reader", "Neg", {After("tied", "Identity", {y}, {After("group", "NoOp", {}, {Effect("effect")})})});
  Remove();
  EXPECT_FALSE(Has("tied") || Has("group"));
  EXPECT_EQ(g.ControlsOf("reader"), Names{"effect"});
}

TEST_F(RemoveIdentityTest, AReaderOfAVariableIsAnEffect) {
  const Output of_ref = g.Add("of_ref", "MatMul", {Variable("v"), x});
  g.Add("reader", "Neg", {After("tied", "Identity", {y}, {of_ref})});
  Remove();
  EXPECT_EQ(g.ControlsOf("reader"), Names{"of_ref"});
}

TEST_F(RemoveIdentityTest, ForAValueReadersWaitByWhatItIsMadeOf) {
  const Output from = After("from", "Exp", {x}, {Effect("effect")});
  const Output other = g.Add("other", "Neg", {from});
  const Output group = After("group", "NoOp", {}, {y, other});
  g.Add("reader", "Neg", {After("tied", "Identity", {y}, {group})});
  g.Add("of_from", "Mul", {After("too", "Identity", {y}, {group}), from});
  After("waiter", "NoOp", {}, {group});
  g.Add("end", "Neg", {other});
  Remove();
  EXPECT_EQ(g.ControlsOf("reader"), Names{"from"});
  EXPECT_EQ(g.ControlsOf("of_from"), Names{});  // the reader has `from` as an input
  EXPECT_EQ(g.ControlsOf("waiter"), Names{"group"});
}

TEST_F(RemoveIdentityTest, OneOnADeviceOfItsOwnStays) {
  const Output elsewhere = g.Add("elsewhere", "Identity", {y});
  g.node(elsewhere).device = "/job:worker/task:1";
  g.Add("reader", "Neg", {elsewhere});
  Remove();
  EXPECT_EQ(g.InputsOf("reader"), Names{"elsewhere"});
}

TEST_F(RemoveIdentityTest, WhatIsColocatedWithItIsColocatedWithItsSource) {
  g.Add("read", "Identity", {y});
  g.node(y).device = "/job:worker/task:1";
  const Output reader = g.Add("reader", "Neg", {{g.graph.Find("read"), 0}});
  g.node(reader).colocate_with = "read";
  g.node({g.graph.Find("read"), 0}).colocate_with = "y";
  Remove();
  EXPECT_FALSE(Has("read"));
  EXPECT_EQ(g.Find("reader")->colocate_with, "y");
}

TEST_F(RemoveIdentityTest, InControlFlowWhatSaysThatABranchIsTakenStays) {
  const Output branch = g.Add("branch", "Switch", {x, g.Placeholder("taken", PartialShape({}), DType::kBool)});
  const Output pivot = g.Add("pivot", "Identity", {{branch.node, 1}});
  After("inside", "Neg", {x}, {pivot});
  g.Add("reader", "Neg", {pivot});
  g.Add("of_branch", "Exp", {g.Add("taken_value", "Identity", {branch})});
  g.Add("of_y", "Exp", {g.Add("y_read", "Identity", {y})});
  Remove();
  EXPECT_TRUE(Has("pivot") && Has("taken_value"));
  EXPECT_EQ(g.InputsOf("of_y"), Names{"y"});
}

}  // namespace
}  // namespace dfrun
