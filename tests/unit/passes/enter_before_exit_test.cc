// The form of such graphs; tests/golden/primitives tests that they give TensorFlow's results.
#include "src/passes/enter_before_exit.h"

#include <gtest/gtest.h>

#include "src/graph/graph_def/text_dump.h"
#include "tests/unit/testing/graph_maker.h"

namespace dfrun {
namespace {

using testing::GraphMaker;

class EnterBeforeExitTest : public ::testing::Test {
 protected:
  // while (i < 3) ++i
  EnterBeforeExitTest() {
    const Output three = m_.Scalar<int32_t>("three", 3);
    const Output one = m_.Scalar<int32_t>("one", 1);
    merge_ = m_.Add("merge", "Merge", {Enter("enter", begin_), Output{}}, {{"N", 2}, {"T", DType::kInt32}});
    const Output goes_on = m_.Add("goes_on", "LoopCond", {m_.Add("less", "Less", {merge_, three})});
    const Output turn = m_.Add("switch", "Switch", {merge_, goes_on});
    exit_ = m_.Add("exit", "Exit", {turn});
    body_ = m_.Add("body", "Identity", {{turn.node, 1}});
    const Output next = m_.Add("next", "NextIteration", {m_.Add("add", "AddV2", {body_, one})});
    EXPECT_TRUE(m_.graph.SetInput(merge_.node, 1, next).ok());
    loss_ = m_.Add("loss", "Neg", {exit_});
  }

  Output Enter(const std::string& name, Output value, bool is_constant = false) {
    return m_.Add(name, "Enter", {value}, {{"frame_name", "loop"}, {"is_constant", is_constant}});
  }
  Output Waiting(const std::string& name, const std::string& op, Output value, NodeId before) {
    NodeSpec spec;
    spec.name = name;
    spec.op = op;
    spec.inputs = {value};
    spec.control_inputs = {before};
    return m_.Add(std::move(spec));
  }
  const Node& node(const std::string& name) const { return m_.graph.node(m_.graph.Find(name)); }

  GraphMaker m_;
  const Output begin_ = m_.Scalar<int32_t>("begin", 0);
  Output merge_, exit_, body_, loss_;
};

TEST_F(EnterBeforeExitTest, GraphsInWhichNoLoopWaitsForItselfStay) {
  Waiting("after", "Neg", begin_, loss_.node);
  const std::string before = DumpText(m_.graph);
  EnterBeforeExit(m_.graph);
  EXPECT_EQ(DumpText(m_.graph), before);
}

TEST_F(EnterBeforeExitTest, WhatEntersWaitsForWhatEntersEarlier) {
  const Output count = Waiting("count", "Identity", begin_, loss_.node);
  m_.Add("reader", "AddV2", {body_, Enter("late", count, true)});
  EnterBeforeExit(m_.graph);
  EXPECT_EQ(node("count").control_inputs, std::vector<NodeId>{begin_.node});
}

TEST_F(EnterBeforeExitTest, ValuesThatAreOnlyAwaitedAreNot) {
  const Output awaited = Waiting("awaited", "Identity", Enter("late", loss_, true), body_.node);
  Waiting("reader", "Neg", body_, awaited.node);
  EnterBeforeExit(m_.graph);
  EXPECT_EQ(m_.graph.Find("late"), -1);
  EXPECT_EQ(node("awaited").op->name, "NoOp");
  EXPECT_EQ(node("awaited").control_inputs, std::vector<NodeId>{node("body").id});
}

TEST_F(EnterBeforeExitTest, ALoopThatNeedsWhatItGivesIsLeft) {
  m_.Add("reader", "AddV2", {body_, Enter("late", loss_, true)});
  const std::string before = DumpText(m_.graph);
  EnterBeforeExit(m_.graph);
  EXPECT_EQ(DumpText(m_.graph), before);
}

TEST_F(EnterBeforeExitTest, ALoopThatMustSeeAnEffectFirstIsLeft) {
  const Output variable = m_.Add("v", "VarHandleOp", {}, {{"dtype", DType::kInt32}, {"shape", PartialShape::Scalar()}});
  NodeSpec read;
  read.name = "read";
  read.op = "ReadVariableOp";
  read.inputs = {variable};
  read.control_inputs = {loss_.node};
  read.attrs = {{"dtype", DType::kInt32}};
  m_.Add("reader", "AddV2", {body_, Enter("late", m_.Add(std::move(read)), true)});
  const std::string before = DumpText(m_.graph);
  EnterBeforeExit(m_.graph);
  EXPECT_EQ(DumpText(m_.graph), before);
}

}  // namespace
}  // namespace dfrun
